"""`python -m sitegen`: the command, where its script is not on the way."""

from sitegen.cli import main

main(prog_name="python -m sitegen")
