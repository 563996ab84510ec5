"""The text of run.json to a Run, or to an error that says on which line it is wrong."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from sitegen.errors import RunError
from sitegen.runs import text as run_text
from sitegen.runs.soundness import fault_of_text, faults
from sitegen.schema import FORMAT_VERSION, Location, Run

_REBAKE = "bake it again: sitegen train --run {} --force"


def decode(content: bytes, name: str, shown: str) -> Run:
    """The run of a file's bytes. `name` is the run it should be, `shown` the path in errors."""
    run = decode_unsealed(content, name, shown)
    text = content.decode("utf-8")
    if run_text.digest_of_text(text) != run.digest and run_text.digest(json.loads(text)) != run.digest:
        line = run_text.line_of(text, ["digest"])
        message = "digest mismatch: the file was changed after it was baked"
        raise RunError(message, at=Location(shown, line), hint=_REBAKE.format(name))
    for place, wrong in faults(run):
        raise fault(text, place, wrong, name, shown)
    return run


def fault(text: str, place: list[str | int], wrong: str, name: str, shown: str) -> RunError:
    """The error of what is wrong at a place of a run's text."""
    spelled = ".".join(map(str, place))
    at = Location(shown, run_text.line_of(text, place))
    return RunError(f"{spelled}: {wrong}", at=at, hint=_REBAKE.format(name))


def decode_unsealed(content: bytes, name: str, shown: str) -> Run:
    """The same for a file whose digest may be wrong."""
    hint = _REBAKE.format(name)
    if found := fault_of_text(content.decode("utf-8", "replace")):
        raise RunError(found[1], at=Location(shown, found[0]), hint=hint)
    try:
        text = content.decode("utf-8")
        version = msgspec.json.decode(content, type=_Version).format
    except (UnicodeDecodeError, msgspec.MsgspecError):
        text = content.decode("utf-8", "replace")
        _explain_syntax(text, shown, hint)
        raise RunError("format is not a number: this is no run.json", at=Location(shown, 1), hint=hint) from None
    if version != FORMAT_VERSION:
        line = run_text.line_of(text, ["format"])
        newer = "update sitegen" if version > FORMAT_VERSION else hint
        message = f"format {version} is unknown: this sitegen reads format {FORMAT_VERSION}"
        raise RunError(message, at=Location(shown, line), hint=newer)
    try:
        run = msgspec.json.decode(content, type=Run)
    except msgspec.MsgspecError as error:
        raise _wrong_type(text, error, shown, hint) from None
    if run.run != name:
        line = run_text.line_of(text, ["run"])
        message = f"this is the run {run.run!r}, but its folder is called {name!r}"
        raise RunError(message, at=Location(shown, line), hint="give the folder back its name")
    return run


class _Version(msgspec.Struct):
    format: int


def _explain_syntax(text: str, shown: str, hint: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"not valid JSON: {error.msg}", at=Location(shown, error.lineno), hint=hint) from None


def _wrong_type(text: str, error: msgspec.MsgspecError, shown: str, hint: str) -> RunError:
    """The error of msgspec with the place it means: it writes `[...]` for a key, which is found by trying each."""
    message, _, where = str(error).partition(" - at `")
    path: list[str | int] = []
    tree = json.loads(text, parse_int=_as_written, parse_float=_as_written)
    for token in re.findall(r"\[\.\.\.\]|\[\d+\]|\.\w+", where):
        if token == "[...]":
            key = _culprit(tree, path, str(error))
            if key is None:
                break
            path.append(key)
        else:
            path.append(int(token[1:-1]) if token[0] == "[" else token[1:])
    missing = re.search(r"missing required field `(\w+)`", message)
    spelled = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    what = f"{message[0].lower()}{message[1:]}".replace("`", "'")
    line = run_text.line_of(text, path)
    if missing:
        return RunError(f"{spelled or 'the run'} has no {missing[1]!r}", at=Location(shown, line), hint=hint)
    return RunError(f"{spelled}: {what}", at=Location(shown, line), hint=hint)


def _as_written(number: str) -> msgspec.Raw:
    """A number that may be too large for Python, or for msgspec, which is to tell so once more."""
    return msgspec.Raw(number.encode())


def _culprit(tree: Any, path: list[str | int], message: str) -> str | None:
    """The key of the object at `path` without whose value the error would not be."""
    parent: Any = None
    here = tree
    for part in path:
        parent, here = here, here[part]
    for key, value in here.items():
        parent[path[-1]] = {key: value}
        try:
            msgspec.json.decode(msgspec.json.encode(tree), type=Run)
        except msgspec.MsgspecError as error:
            if str(error) == message:
                return str(key)
    return None
