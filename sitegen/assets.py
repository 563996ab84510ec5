"""The theme to templates, figure kinds and one folder of assets named by the digest of its content.

A site's own `templates/` override the theme that comes with sitegen, file by file.
"""

from __future__ import annotations

import difflib
import hashlib
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitegen.errors import ContentError, SitegenError, ThemeError, nearest
from sitegen.figures import STILL
from sitegen.figures.entries import entry_errors, word_errors
from sitegen.frontmatter import Key, Toml, decoded
from sitegen.minify import imports, script, sheet
from sitegen.schema import FigureKind, Location

_KIND = {
    "run": Key(bool, None),
    "replays": Key(bool, True),
    "series": Key(dict, {}),
    "state": Key(dict, {}),
    "options": Key(dict, {}),
    "table": Key((dict, list), []),
}
_TABLE = {
    "series": ("at", "caption", "columns", "every", "labels", "rows", "series", "when"),
    "example": ("caption", "cells", "example", "when"),
    "metrics": ("caption", "metrics", "when"),
}
_PRINT = "css/print.css"
_URL = re.compile(r"""url\(\s*(["']?)([^"')]+)\1\s*\)""")


@dataclass(frozen=True, slots=True)
class Theme:
    """`templates`: name -> source; `assets`: path under `assets/<digest>/` -> bytes."""

    templates: Mapping[str, str]
    kinds: Mapping[str, FigureKind]
    broken_kinds: frozenset[str]
    assets: Mapping[str, bytes]
    digest: str

    @property
    def folder(self) -> str:
        return f"assets/{self.digest}"


def read(site_dir: Path, errors: list[SitegenError], used: Collection[str] | None = None) -> Theme:
    """Every kind is checked; published is what the `used` ones need, or else all."""
    files = theme_files(site_dir)
    errors += _encoding_errors(files)
    found = {name: _kind(name, files, errors) for name in _kind_names(files)}
    kinds = {name: kind for name, kind in found.items() if kind}
    left_out = found.keys() - _needed(found.keys() if used is None else used, files)
    assets = {"site.css": _style(files, errors, left_out).encode()}
    if _PRINT in files:
        assets["print.css"] = sheet(_moved(_PRINT, _text(files[_PRINT]), files, errors)).encode()
    styles = {kind.style for kind in kinds.values() if kind.style}
    for name, path in files.items():
        folder, _, rest = name.partition("/")
        # a sheet that comes with a script, or that some pages ask for
        if name in styles or (name.endswith(".css") and (folder == "js" or name.startswith("css/pages/"))):
            assets[name] = sheet(_moved(name, _text(path), files, errors, "../" * name.count("/"))).encode()
        is_script = name.endswith(".js") and folder in ("js", "figures")
        is_font = folder == "fonts" and "/" not in rest and (rest.endswith(".woff2") or rest.startswith("OFL"))
        if is_script:
            source = _text(path)
            errors += _import_errors(name, source, files)
            assets[name] = script(source).encode()
        elif is_font or folder in ("icons", "images"):
            assets[name] = path.read_bytes()
    assets = {name: data for name, data in assets.items() if _kind_of(name) not in left_out}
    digest = hashlib.sha256()
    for name in sorted(assets):
        digest.update(f"{name}\0{len(assets[name])}\0".encode() + assets[name])
    templates = {name: _text(path) for name, path in files.items() if name.endswith(".j2")}
    return Theme(templates, kinds, frozenset(found.keys() - kinds.keys()), assets, digest.hexdigest()[:12])


def theme_files(site_dir: Path) -> dict[str, Path]:
    """Path within `templates/` -> file, sorted; the site's own come before those that sitegen brings."""
    package = Path(__file__).resolve().parent
    packaged = package / "theme"
    found: dict[str, Path] = {}
    for folder in (packaged if packaged.is_dir() else package.parent / "templates", site_dir / "templates"):
        for path in folder.rglob("*"):
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
                found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))


def _encoding_errors(files: Mapping[str, Path]) -> Iterator[ThemeError]:
    for name, path in files.items():
        if name.endswith((".css", ".j2", ".js", ".toml")):
            try:
                decoded(path.read_bytes(), f"templates/{name}")
            except ContentError as error:
                yield ThemeError(error.message, at=error.at, hint=error.hint)


def _text(path: Path) -> str:
    """A file's text; what is not UTF-8 in it was told before."""
    return decoded(path.read_bytes().decode("utf-8", "replace").encode(), path.name)


def _kind_names(files: Mapping[str, Path]) -> list[str]:
    found = (re.fullmatch(r"figures/([^/]+)/figure\.toml", name) for name in files)
    return [match[1] for match in found if match]


def _kind_of(name: str) -> str | None:
    """The figure kind in whose folder a file is."""
    found = re.match(r"figures/([^/]+)/", name)
    return found[1] if found else None


def _needed(used: Iterable[str], files: Mapping[str, Path]) -> set[str]:
    """Some figure kinds, and those whose scripts theirs import."""
    found: set[str] = set()
    waiting = list(used)
    while waiting:
        kind = waiting.pop()
        if kind in found:
            continue
        found.add(kind)
        for name, path in files.items():
            if name.startswith(f"figures/{kind}/") and name.endswith(".js"):
                folder = posixpath.dirname(name)
                asked = (posixpath.normpath(posixpath.join(folder, one)) for one, _ in imports(_text(path)))
                waiting += filter(None, map(_kind_of, asked))
    return found


def _kind(name: str, files: Mapping[str, Path], errors: list[SitegenError]) -> FigureKind | None:
    folder = f"figures/{name}"
    toml = Toml(_text(files[f"{folder}/figure.toml"]), f"templates/{folder}/figure.toml")
    here: list[SitegenError] = []
    values = toml.fields(_KIND, "a figure kind", here)
    for series, axes in values["series"].items():
        if not isinstance(axes, list) or not all(isinstance(axis, str) for axis in axes):
            here.append(
                ThemeError(f"series {series!r} needs its axes", at=toml.at(series), hint='write loss = ["step"]')
            )
    for part in ("state", "options"):
        for key, entry in values[part].items():
            here += entry_errors(part, key, entry, values["series"], toml)
    tables = values["table"] if isinstance(values["table"], list) else [values["table"]]
    for number, table in enumerate(tables):
        here += _table_errors(table, values, _line_of_table(toml, number))
    errors += (ThemeError(one.message, at=one.at, hint=one.hint) for one in here)
    if here:
        return None
    return FigureKind(
        name=name,
        series={key: tuple(axes) for key, axes in values["series"].items()},
        state=values["state"],
        options=values["options"],
        tables=tuple(tables),
        needs_run=bool(values["series"]) if values["run"] is None else values["run"],
        template=f"{folder}/figure.html.j2" if f"{folder}/figure.html.j2" in files else STILL,
        script=f"{folder}/figure.js" if f"{folder}/figure.js" in files else None,
        style=_sheets(folder, files)[1],
        replays=values["replays"],
        at=toml.at(),
    )


def _line_of_table(toml: Toml, number: int) -> Location:
    """Where the `[table]`, or the so-many-th `[[table]]`, begins."""
    lines = [k for k, line in enumerate(toml.text.split("\n")) if re.match(r"\s*\[+\s*table\s*\]", line)]
    return Location(toml.path, toml.line + lines[number]) if number < len(lines) else toml.at("table")


def _table_errors(table: Any, kind: Mapping[str, Any], at: Location) -> Iterator[SitegenError]:
    """What is wrong with one `[table]`: it shows a series, by its axes, an example of the run, or its metrics."""
    shown = [what for what in _TABLE if isinstance(table, dict) and what in table]
    if len(shown) != 1:
        hint = 'write series = "loss", or metrics = true'
        yield ThemeError("a table shows a series, an example or the metrics", at=at, hint=hint)
        return
    known = _TABLE[shown[0]]
    if table.get("metrics", True) is not True:
        yield ThemeError("metrics of a table is true or is not written", at=at, hint="write metrics = true")
    for wrong in sorted(table.keys() - set(known)):
        yield ThemeError(f"table has no key {wrong!r}", at=at, hint=nearest(wrong, known))
    for key in ("at", "cells", "every", "labels", "when"):
        if not isinstance(table.get(key, {}), dict):
            yield ThemeError(f"{key} of a table is a table itself", at=at, hint=f"write {key} = {{ … = … }}")
            return
    for name in table.get("when", {}):
        if name not in kind["state"]:
            yield ThemeError(f"table: this kind has no state {name!r}", at=at, hint=nearest(name, kind["state"]))
    yield from word_errors(table, at)
    if "series" in table:
        yield from _axis_errors(table, kind["series"], at)


def _axis_errors(table: Mapping[str, Any], series: Mapping[str, Any], at: Location) -> Iterator[SitegenError]:
    name = str(table["series"])
    if name not in series:
        near = nearest(name, series)
        hint = f"{near}; or add it" if near else "add it"
        hint += f' to [series], with its axes: {name} = ["step"]'
        yield ThemeError(f"table shows {name!r}, which is no series of this kind", at=at, hint=hint)
        return
    if not isinstance(series[name], list):
        return  # told with the series
    named = [axis for key in ("at", "every", "labels") for axis in table.get(key, {})]
    for axis in [*named, *(table[key] for key in ("rows", "columns") if key in table)]:
        if axis not in series[name]:
            yield ThemeError(f"table: {name!r} has no axis {axis!r}", at=at, hint=nearest(str(axis), series[name]))
    if "rows" not in table:
        yield ThemeError("table needs its rows", at=at, hint='write rows = "query", an axis of the series')
    for axis, given in table.get("labels", {}).items():
        if not (isinstance(given, list) or (isinstance(given, str) and "#" in given)):
            hint = f'write labels = {{ {axis} = "k#" }}, where # is the number, or a list of names'
            yield ThemeError(f"the labels of {axis!r} are neither a pattern nor a list", at=at, hint=hint)
    for axis, step in table.get("every", {}).items():
        if axis != table.get("rows") or type(step) is not int or step < 1:
            yield ThemeError("every leaves out rows only", at=at, hint="write every = { query = 10 }")


def _import_errors(name: str, source: str, files: Mapping[str, Path]) -> Iterator[ThemeError]:
    """What a script imports that a browser would not find."""
    folder = posixpath.dirname(name)
    for asked, line in imports(source):
        target = posixpath.normpath(posixpath.join(folder, asked))
        if ":" in asked or (asked.startswith(".") and target in files):
            continue
        near = (posixpath.relpath(other, folder) for other in files if other.endswith(".js"))
        names = [other if other.startswith(".") else f"./{other}" for other in near]
        close = difflib.get_close_matches(asked, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "a script imports by the way from its own folder, ./name.js"
        yield ThemeError(f"there is no script {asked!r}", at=Location(f"templates/{name}", line), hint=hint)


def _sheets(folder: str, files: Mapping[str, Path]) -> tuple[str | None, str | None]:
    """A kind's sheet that is part of the page's, and the one that comes with its script: still.css and figure.css. What
    the build draws stands without a script, so without a still.css its figure.css is the page's."""
    still, own = (name if name in files else None for name in (f"{folder}/still.css", f"{folder}/figure.css"))
    if not still and f"{folder}/figure.html.j2" in files:
        return own, None
    return still, own


def _style(files: Mapping[str, Path], errors: list[SitegenError], left_out: Collection[str]) -> str:
    """tokens.css, site.css, other css but that of paper, then those of the kinds that the build draws: one sheet."""
    css = [name for name in files if re.fullmatch(r"css/[^/]+\.css", name) and name != _PRINT]
    order = sorted(css, key=lambda name: (name != "css/tokens.css", name != "css/site.css", name))
    kinds = (posixpath.dirname(name) for name in files if re.fullmatch(r"figures/[^/]+/figure\.toml", name))
    order += [own for folder in kinds if (own := _sheets(folder, files)[0])]
    order = [name for name in order if _kind_of(name) not in left_out]
    sheets = (_moved(name, _text(files[name]), files, errors).strip() for name in order)
    return sheet("\n".join(sheets)) + "\n"


def _moved(name: str, css: str, files: Mapping[str, Path], errors: list[SitegenError], root: str = "") -> str:
    """The URLs of a sheet as they are from where it is served; `root` leads from there to the root of the assets."""

    def move(found: re.Match[str]) -> str:
        url = found[2]
        if url.startswith(("data:", "#")):
            return found[0]
        for target in (posixpath.normpath(posixpath.join(posixpath.dirname(name), url)), url):
            if target in files:
                return f'url("{root}{target}")'
        at = Location(f"templates/{name}", css.count("\n", 0, found.start()) + 1)
        errors.append(ThemeError(f"there is no file {url!r}", at=at, hint=nearest(url, files)))
        return found[0]

    return _URL.sub(move, css)
