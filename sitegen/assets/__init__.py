"""The theme to templates, figure kinds and one folder of assets named by the digest of its content.

A site's own `templates/` override the theme that comes with sitegen, file by file.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from sitegen.assets.kinds import kind_of_text, sheets
from sitegen.errors import ContentError, SitegenError, ThemeError, nearest
from sitegen.frontmatter import decoded
from sitegen.minify import imports, script, sheet
from sitegen.schema import FigureKind, Location

_PRINT = "css/print.css"
_WHICHEVER = re.compile(r"{%-?\+?\s*(?:include|import|from|extends)\s+[^\s\"']")  # what it names is found out later
_MOUNT = re.compile(r"\bexport\b[^;(]*?\bmount\b")
_URL = re.compile(r"""url\(\s*(["']?)([^"')]+)\1\s*\)""")


class Theme(Struct, frozen=True):
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
    texts = _texts(files, errors)
    found = {name: _kind(name, texts, errors) for name in _kind_names(files)}
    kinds = {name: kind for name, kind in found.items() if kind}
    left_out = found.keys() - _needed(found.keys() if used is None else used, texts)
    assets = {"site.css": _style(files, texts, errors, left_out).encode()}
    if _PRINT in files:
        assets["print.css"] = sheet(_moved(_PRINT, texts[_PRINT], files, errors)).encode()
    styles = {kind.style for kind in kinds.values() if kind.style}
    for name, path in files.items():
        folder, _, rest = name.partition("/")
        # a sheet that comes with a script, or that some pages ask for
        is_sheet = name in styles or (name.endswith(".css") and (folder == "js" or name.startswith("css/pages/")))
        is_script = name.endswith(".js") and folder in ("js", "figures")
        is_font = folder == "fonts" and "/" not in rest and (rest.endswith(".woff2") or rest.startswith("OFL"))
        css = _moved(name, texts[name], files, errors, "../" * name.count("/")) if is_sheet else ""
        errors += _import_errors(name, texts[name], files) if is_script else ()
        if _kind_of(name) in left_out:
            continue
        if is_sheet:
            assets[name] = sheet(css).encode()
        elif is_script:
            assets[name] = script(texts[name]).encode()
        elif is_font or folder in ("icons", "images"):
            assets[name] = path.read_bytes()
    digest = hashlib.sha256()
    for name in sorted(assets):
        digest.update(f"{name}\0{len(assets[name])}\0".encode() + assets[name])
    templates = {name: text for name, text in texts.items() if name.endswith(".j2")}
    return Theme(templates, kinds, frozenset(found.keys() - kinds.keys()), assets, digest.hexdigest()[:12])


def theme_files(site_dir: Path) -> dict[str, Path]:
    """Path within `templates/` -> file, sorted; the site's own come before those that sitegen brings."""
    return dict(sorted((_brought() | _own(site_dir)).items()))


def _brought() -> dict[str, Path]:
    package = Path(__file__).resolve().parents[1]
    packaged = package / "theme"
    return _files_in(os.fspath(packaged if packaged.is_dir() else package.parent / "templates"))


def _own(site_dir: Path) -> dict[str, Path]:
    folder = site_dir / "templates"
    return _files_in(os.fspath(folder)) if folder.is_dir() else {}


def unused_templates(site_dir: Path) -> list[ThemeError]:
    """Templates of the site's own that replace none of the theme, and that no template names: misspelt, perhaps."""
    brought, own = _brought(), _own(site_dir)
    files = brought | own
    texts = {name: path.read_text("utf-8", errors="replace") for name, path in files.items() if name.endswith(".j2")}
    if any(_WHICHEVER.search(texts[name]) for name in own if name in texts):
        return []
    told = []
    for name in sorted(own.keys() & texts.keys() - brought.keys()):
        of_a_kind = name.endswith("/figure.html.j2") and f"{posixpath.dirname(name)}/figure.toml" in files
        if not of_a_kind and not any(name in text for text in texts.values()):
            hint = nearest(name, (one for one in brought if one.endswith(".j2") and not _kind_of(one)))
            told.append(ThemeError("no page is made with this template", at=Location(f"templates/{name}"), hint=hint))
    return told


def _files_in(folder: str, before: str = "") -> dict[str, Path]:
    """Path within a folder -> file, without hidden ones and what links to folders lead to."""
    found: dict[str, Path] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                found |= _files_in(entry.path, f"{before}{entry.name}/")
            elif entry.is_file():
                found[before + entry.name] = Path(entry.path)
    return found


def _texts(files: Mapping[str, Path], errors: list[SitegenError]) -> dict[str, str]:
    """The text of each file that is one; what is not UTF-8 in it is told."""
    found: dict[str, str] = {}
    for name, path in files.items():
        if name.endswith((".css", ".j2", ".js", ".toml")):
            data = path.read_bytes()
            try:
                found[name] = decoded(data, f"templates/{name}")
            except ContentError as error:
                errors.append(ThemeError(error.message, at=error.at, hint=error.hint))
                found[name] = decoded(data.decode("utf-8", "replace").encode(), name)
    return found


def _kind_names(files: Mapping[str, Path]) -> list[str]:
    found = (re.fullmatch(r"figures/([^/]+)/figure\.toml", name) for name in files)
    return [match[1] for match in found if match]


def _kind_of(name: str) -> str | None:
    """The figure kind in whose folder a file is."""
    found = re.match(r"figures/([^/]+)/", name)
    return found[1] if found else None


def _needed(used: Iterable[str], texts: Mapping[str, str]) -> set[str]:
    """Some figure kinds, and those whose scripts theirs import."""
    scripts: dict[str | None, list[str]] = {}
    for name in texts:
        if name.endswith(".js"):
            scripts.setdefault(_kind_of(name), []).append(name)
    found: set[str] = set()
    waiting = list(used)
    while waiting:
        kind = waiting.pop()
        if kind in found:
            continue
        found.add(kind)
        for name in scripts.get(kind, ()):
            folder = posixpath.dirname(name)
            asked = (posixpath.normpath(posixpath.join(folder, one)) for one, _ in imports(texts[name]))
            waiting += filter(None, map(_kind_of, asked))
    return found


def _kind(name: str, texts: Mapping[str, str], errors: list[SitegenError]) -> FigureKind | None:
    folder = f"figures/{name}"
    beside = (f"{folder}/{one}" for one in ("figure.html.j2", "figure.js", "figure.css", "still.css"))
    there = frozenset(one for one in beside if one in texts)
    kind, wrong = kind_of_text(name, texts[f"{folder}/figure.toml"], there)
    errors += wrong
    own = f"{folder}/figure.js"
    if own in texts and not _MOUNT.search(texts[own]):
        hint = "write export function mount(root, data, changed) { … return { show(state) { … } }; }"
        errors.append(ThemeError("figure.js exports no mount", at=Location(f"templates/{own}", 1), hint=hint))
    return kind


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


def _style(
    files: Mapping[str, Path], texts: Mapping[str, str], errors: list[SitegenError], left_out: Collection[str]
) -> str:
    """tokens.css, site.css, other css but that of paper, then those of the kinds that the build draws: one sheet."""
    css = [name for name in files if re.fullmatch(r"css/[^/]+\.css", name) and name != _PRINT]
    order = sorted(css, key=lambda name: (name != "css/tokens.css", name != "css/site.css", name))
    kinds = (posixpath.dirname(name) for name in files if re.fullmatch(r"figures/[^/]+/figure\.toml", name))
    order += [own for folder in kinds if (own := sheets(folder, files)[0])]
    order = [name for name in order if _kind_of(name) not in left_out]
    moved = (_moved(name, texts[name], files, errors).strip() for name in order)
    return sheet("\n".join(moved)) + "\n"


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
