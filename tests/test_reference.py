"""REFERENCE.md is what the code says, and guide, README and `--help` say no other thing."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sitegen.cli import main
from sitegen.errors import SitegenError
from sitegen.reference import mistakes, reference
from sitegen.reference.commands import commands
from sitegen.reference.tables import code, table

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = (ROOT / "REFERENCE.md").read_text("utf-8")
COMMANDS = dict(commands())


def test_the_reference_is_what_the_code_says():
    assert reference(ROOT) == REFERENCE, "make reference"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_and_reference_name_the_same_options_with_the_same_words(name: str):
    told = CliRunner().invoke(main, [*name.split()[1:], "--help"], terminal_width=500).stdout
    section = REFERENCE.split(f"\n### {name}\n", 1)[1].split("\n##", 1)[0]

    options = re.findall(r"^  (--.+?)  +(\S.*)$", told, re.MULTILINE)

    assert [
        f"| `{option}` | {' '.join(words.split())} |" for option, words in options if not option.endswith("--help")
    ] == [line.replace("\\|", "|") for line in section.splitlines() if line.startswith("| `--")]


def written_commands(document: str) -> list[list[str]]:
    """The calls of sitegen in a document's blocks of shell, word by word."""
    text = (ROOT / document).read_text("utf-8")
    blocks = re.findall(r"^```(?:bash|console|sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("sitegen ")]


@pytest.mark.parametrize("document", ["content/pages/guide.md", "README.md", "CONTRIBUTING.md"])
def test_what_documents_tell_a_reader_to_type_is_understood(document: str):
    for _, *words in written_commands(document):
        command: click.Command = main
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        known = {option for one in command.params for option in one.opts}
        unknown = {word.split("=")[0] for word in words if word.startswith("-")} - known - {"--help"}
        assert unknown == set(), f"{document}: {command.name}"


def test_the_guide_shows_calls():
    assert len(written_commands("content/pages/guide.md")) >= 3


def test_every_class_of_errors_is_listed_with_what_it_says():
    subclasses = {cls for cls in SitegenError.__subclasses__() if cls.__module__ == "sitegen.errors"}
    listed = REFERENCE.split("\n## Errors\n", 1)[1]

    assert {f"{cls.__name__}" for cls in subclasses} - {"Findings"} == set(re.findall(r"^### (\w+)$", listed, re.M))
    for cls in mistakes.classes():
        section = listed.split(f"\n### {cls.__name__}\n", 1)[1].split("\n### ", 1)[0]
        assert section.count("\n- `") >= 1, cls.__name__


def test_each_message_of_the_cases_is_one_of_those_listed():
    """What a case says, with what differs from case to case left open, stands among the errors."""
    listed = re.findall(r"^- (`+) ?(.+?) ?\1", REFERENCE.split("\n## Errors\n", 1)[1], re.M)
    patterns = re.compile("|".join(re.sub("‹[^›]*›", ".*", re.escape(message)) for _, message in listed), re.DOTALL)

    unknown = []
    for path in sorted((ROOT / "tests" / "cases" / "errors").glob("*.txt")):
        said = path.read_text("utf-8").partition("=== says\n")[2]
        messages = [line for line in said.splitlines() if not line.startswith("  hint: ")]
        unknown += [one for one in messages if not patterns.fullmatch(re.sub(r"^\S+?: ", "", one))]

    assert unknown == []


def test_code_that_holds_backticks_and_bars_stays_whole_in_a_table():
    assert code("a") == "`a`"
    assert code("{ref}`id`") == "`` {ref}`id` ``"
    assert table(("a", "b"), [("x | y", "two\nlines")]) == "| a | b |\n| --- | --- |\n| x \\| y | two lines |"
