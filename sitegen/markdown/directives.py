"""Fenced directives with a TOML body: `{figure} kind`, `{state}`, `{code} target`, `{references}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from sitegen.errors import ContentError, SitegenError, nearest
from sitegen.frontmatter import Key, Toml
from sitegen.markdown.forms import DIRECTIVES
from sitegen.schema import CodeRef, FigureRef, Json, Location

CODE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
FIGURE = {
    "id": Key(str, "", "Its name in addresses and references; else made from its act or section."),
    "run": Key(str, "", "The baked run it shows; most kinds need one."),
    "still": Key(str, "", "The picture of the run that stands for it on paper and without scripts."),
    "alt": Key(str, "", "What it shows, in words, for whom does not see it. Each figure needs it."),
    "caption": Key(str, "", "A line of Markdown below it."),
    "state": Key(dict, {}, "How it stands at first: `{ t = 0 }`; the kind says which states it has."),
    "options": Key(dict, {}, "What else the kind may be told."),
}


class Directive(Struct, frozen=True):
    """A fence as written: "{name} argument" and its body, which begins on the line after `at`."""

    name: str
    argument: str
    body: str
    at: Location

    @property
    def toml(self) -> Toml:
        return Toml(self.body, self.at.path, (self.at.line or 0) + 1)


def directive(info: str, body: str, at: Location) -> Directive | None:
    """The directive of a fence, or None where it is plain code."""
    found = re.match(r"\{([\w-]*)\}\s*(.*)$", info.strip())
    if not found:
        return None
    if found[1] not in DIRECTIVES:
        raise ContentError(f"there is no directive {found[1]!r}", at=at, hint=nearest(found[1], DIRECTIVES))
    return Directive(found[1], found[2].strip(), body, at)


def figure(
    one: Directive, default_id: str, inline: Callable[[str, Location], str], errors: list[SitegenError]
) -> FigureRef:
    """The figure as written; `inline` renders its caption."""
    before = len(errors)
    values = one.toml.fields(FIGURE, "a figure", errors)
    unreadable = len(errors) > before
    if not one.argument:
        errors.append(ContentError("a figure needs its kind", at=one.at, hint="write ```{figure} kind"))
    if not values["alt"].strip() and not unreadable:
        hint = 'add alt = "what the figure shows, for those who cannot see it"'
        errors.append(ContentError("a figure needs an alternative text", at=one.at, hint=hint))
    identity = values["id"] or default_id
    if not NAME.fullmatch(identity):
        hint = "an id is lower-case words joined by hyphens"
        errors.append(ContentError(f"{identity!r} is no id for a figure", at=one.toml.at("id"), hint=hint))
    return FigureRef(
        id=identity,
        kind="" if unreadable else one.argument,  # without a kind, nothing more is asked of it
        run=values["run"] or None,
        still=values["still"] or None,
        alt=" ".join(values["alt"].split()),
        caption=inline(values["caption"], one.toml.at("caption")),
        state=values["state"],
        options=values["options"],
        at=one.at,
        places=_places(values, one.toml),
    )


def _places(values: Mapping[str, Any], toml: Toml) -> dict[str, Location]:
    """What a figure says -> where: "run", "state.t", "options.head"."""
    found = {name: toml.at(name) for name, value in values.items() if value}
    for table in ("state", "options"):
        found |= {f"{table}.{name}": toml.at(name, within=table) for name in values[table]}
    return found


def state(one: Directive, errors: list[SitegenError]) -> tuple[str | None, Mapping[str, Json]]:
    """The name of the picture that shows the state, if one is given as `still`, and the state."""
    if one.argument:
        errors.append(ContentError("a state takes nothing on its first line", at=one.at, hint="write t = 600 below it"))
    try:
        values = one.toml.read()
    except ContentError as error:
        errors.append(error)
        return None, {}
    still = values.pop("still", None)
    if still is not None and not isinstance(still, str):
        hint = "write the name of one of the run's pictures"
        errors.append(ContentError("a still is named by a string", at=one.toml.at("still"), hint=hint))
        still = None
    return still, values


def quote(one: Directive, errors: list[SitegenError]) -> CodeRef:
    one.toml.fields({}, "quoted code", errors)
    return code_ref(one.argument, one.at, errors)


def references(one: Directive, errors: list[SitegenError]) -> None:
    """The list of what the page cites; it takes nothing."""
    if one.argument or one.body.strip():
        hint = "what the page cites is listed by itself; entries stand in content/bibliography.toml"
        errors.append(ContentError("a list of references takes nothing", at=one.at, hint=hint))


def code_ref(target: str, at: Location, errors: list[SitegenError]) -> CodeRef:
    if not CODE.fullmatch(target):
        hint = "write models.package.module:Name or models.package.module:Class.method"
        errors.append(ContentError(f"{target!r} names no code", at=at, hint=hint))
    return CodeRef(target, at)
