"""`python -m sitegen.bake`: one recipe to one staged run. Not called by hand: `sitegen train` gives it its job and its
environment."""

from __future__ import annotations

from sitegen.bake import process
from sitegen.bake.worker import bake

if __name__ == "__main__":
    process.run(lambda job, tell: {"digest": bake(job, tell).digest})
