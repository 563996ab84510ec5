"""What is wrong with a TOML text, in its author's words, and the way out: a parser knows neither."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

from sitegen.frontmatter.places import key_of, row_of

GENERAL = 'write key = "text", key = 0.5 or key = [1, 2]; strings need quotes'
_TRUTHS = {"yes": "true", "on": "true", "True": "true", "no": "false", "off": "false", "False": "false"}
_TWICE = re.compile(r"Cannot (?:overwrite|declare|redefine|mutate)")
# LaTeX commands that begin as an escape of TOML does: "\theta" in double quotes is a tab and "heta".
_COMMAND = re.compile(
    r"(?<!\\)(?:\\\\)*(\\(?:b(?:ar|bb|eta|egin|f|ig|oldsymbol)|f(?:rac|orall)|n(?:abla|eq?|ot|u)|r(?:angle|ho|ight)"
    r"|t(?:anh?|au|ext|heta|ilde|imes|o))[a-z]*)"
)


def syntax(message: str, lines: Sequence[str], row: int, line: int) -> tuple[str, str]:
    """What the parser says of a row, and the way out; `line` is where in the file the text begins."""
    here = lines[row] if row < len(lines) else ""
    pair = key_of(here)
    if _TWICE.match(message):
        name = pair[0] if pair else here.strip().strip("[]").strip()
        first = row_of(lines[:row], name)
        if first is not None:
            return f"{name!r} stands here twice", f"line {line + first} has it too; keep one of them"
    if "Expected '='" in message and (yaml := re.fullmatch(r"\s*([\w-]+)\s*:\s*(.*)", here)):
        return "this is YAML, not TOML", f"write {yaml[1]} = {_as_toml(yaml[2])}"
    if message.startswith("Unescaped '\\'"):
        return "a backslash in double quotes begins an escape that is none", "write it twice, or use 'single quotes'"
    if pair and (day := re.match(r"\d{4}-\d\d-\d\d", pair[1])) and not _is_day(day[0]):
        return f"{day[0]} is no day of the calendar", f"write one that there is: {pair[0]} = 2026-01-31"
    if message.startswith(("Invalid value", "Expected newline", "Unclosed", "Invalid date")) and pair:
        if pair[1] in _TRUTHS:
            hint = f"{pair[0]} = {_TRUTHS[pair[1]]} is a truth, {pair[0]} = {_as_toml(pair[1])} a word"
            return f"{pair[1]!r} is no value of TOML", hint
        if re.fullmatch(r"[^\"'\[\]{}=]+", pair[1]):
            return f"{pair[1]!r} is no value of TOML", f"strings need quotes: {pair[0]} = {_as_toml(pair[1])}"
    return f"this TOML cannot be read: {message[0].lower()}{message[1:]}", GENERAL


def _is_day(written: str) -> bool:
    try:
        date.fromisoformat(written)
    except ValueError:
        return False
    return True


def other_type(name: str, value: Any, wanted: tuple[type, ...], line: str) -> str | None:
    """The way out where a key has a value of another type; `line` is how it was written."""
    pair = key_of(line)
    written = pair[1] if pair and pair[0] == name else ""
    if str in wanted and isinstance(value, bool | int | float | date | time) and written:
        return f'put it in quotes: {name} = "{written}"'
    if date in wanted:
        day = value.date() if isinstance(value, datetime) else value
        good = isinstance(day, date) or (isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", day))
        return f"write the day alone, without quotes: {name} = {day if good else '2026-01-31'}"
    if bool in wanted:
        return f"write {name} = true or {name} = false, without quotes"
    if isinstance(value, str) and (int in wanted or float in wanted):
        return "leave the quotes away"
    if list in wanted:
        return f"write it in brackets: {name} = [{written}]" if written else f"write {name} = […]"
    return f"write [{name}], or {name} = {{ … }}" if dict in wanted else None


def command(lines: Sequence[str], values: Any) -> tuple[int, str] | None:
    """(row, command) of a formula whose backslash TOML took for an escape; None where there is none."""
    if not any("$" in text and re.search(r"[\x08\f\n\r\t][a-z]", text) for text in texts(values)):
        return None
    for row, line in enumerate(lines):
        found = _COMMAND.search(line)
        if found and line[: found.start(1)].rpartition("=")[2].count("'") % 2 == 0:
            return row, found[1]
    return None


def texts(value: Any) -> list[str]:
    """All strings in a value of TOML, keys too."""
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


def _as_toml(written: str) -> str:
    bare = written.strip()
    if re.fullmatch(r"-?\d+(\.\d+)?|true|false|\d{4}-\d\d-\d\d|([\"']).*\2|\[.*\]", bare):
        return bare
    return '"' + bare.strip("\"'").replace("\\", "\\\\").replace('"', '\\"') + '"'
