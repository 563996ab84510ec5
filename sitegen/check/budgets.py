"""What a reader's line and machine are asked to carry, against what they may be."""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from sitegen.check.outline import Outline
from sitegen.errors import CheckError
from sitegen.schema import Location

KIB = 1024
# compressed bytes, but for "elements", which are counted
BUDGETS: Mapping[str, int] = {
    "page": 60 * KIB,
    "css": 12 * KIB,
    "shared js": 30 * KIB,
    "code of an act": 10 * KIB,
    "run": 80 * KIB,
    "model": 120 * KIB,
    "model on demand": 1200 * KIB,
    "picture": 500 * KIB,
    "fonts": 185 * KIB,
    "first view": 250 * KIB,
    "site": 4608 * KIB,
    "elements": 1500,
}
_IMPORT = re.compile(r"""(?:^|[;\s}])(?:import|export)\s*(?:[\w*{}\s,$]+?\s*from\s*)?["'](\.[^"']+)["']""")


class Size(Struct, frozen=True):
    """One measured thing; `kind` is a key of BUDGETS."""

    kind: str
    name: str
    amount: int

    @property
    def share(self) -> float:
        """Of its budget; above 1 is a finding."""
        return self.amount / BUDGETS[self.kind]

    @property
    def finding(self) -> CheckError | None:
        most = BUDGETS[self.kind]
        if self.amount <= most:
            return None
        if self.kind == "elements":
            return CheckError(f"an act has {self.amount:,} elements, {most:,} are allowed", at=Location(self.name))
        message = f"{self.kind} weighs {self.amount / KIB:.1f} KB compressed, {most / KIB:.0f} KB are allowed"
        return CheckError(message, at=Location(self.name))


def sizes(
    outlines: Mapping[str, Outline],
    files: Mapping[str, bytes],
    on_demand: Collection[str] = (),
    kept: Collection[str] | None = None,
) -> list[Size]:
    """Every budgeted thing of a site: `files` is path -> bytes. What is `on_demand` comes when a reader asks for it;
    `kept`, or all but that, is the site as it is read without a network.

    A page's shared scripts are what it and its figures load from `js/`, but for the engine, which is asked for only by
    who checks a figure; the code of an act is what the folders of its figure kinds bring, scripts and sheets, and a
    figure outside of acts counts by itself. The first view has what a page loads before any figure.
    """
    packed = {path: len(zlib.compress(data, 9)) for path, data in files.items()}
    css = sum(size for path, size in packed.items() if path.endswith("/site.css"))
    scripts = [path for path in files if re.fullmatch(r"assets/\w+/js/[^/]+\.js", path)]
    first = _closure([path for path in scripts if path.endswith(("/boot.js", "/site.js"))], files)
    found = [
        Size("css", "site.css", css),
        Size("fonts", "fonts", sum(len(data) for path, data in files.items() if path.endswith(".woff2"))),
        Size("site", "site", sum(packed[path] for path in (files.keys() - on_demand if kept is None else kept))),
    ]
    for path, one in outlines.items():
        found.append(Size("page", path, packed[path]))
        found.append(Size("first view", path, packed[path] + css + sum(packed[script] for script in first)))
        found += [Size("elements", f"{path}#{act}", elements) for act, elements in one.acts.items()]
        loaded = set(first)
        for act, asked in one.brought.items():
            own = {posixpath.normpath(posixpath.join(posixpath.dirname(path), script)) for script in asked}
            own = _closure(sorted(own), files)
            loaded |= own
            brought = [name for name in own if "/figures/" in name]
            found.append(Size("code of an act", f"{path}#{act}", sum(packed[name] for name in brought)))
        shared = [script for script in scripts if script in loaded]
        found.append(Size("shared js", path, sum(packed[script] for script in shared)))
    data = [path for path in sorted(files) if path.startswith("data/") and path.endswith((".json", ".bin"))]
    for path in data:
        model = "model on demand" if path in on_demand else "model"
        found.append(Size("run" if path.endswith(".json") else model, path, packed[path]))
    found += [Size("picture", path, packed[path]) for path in sorted(files) if path.startswith("media/")]
    return found


def _closure(entries: list[str], files: Mapping[str, bytes]) -> set[str]:
    """Scripts and all they import without being asked."""
    found: set[str] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in found or path not in files:
            continue
        found.add(path)
        waiting += _imports(path, files[path].decode("utf-8", "replace"))
    return found


def _imports(path: str, script: str) -> Iterator[str]:
    for found in _IMPORT.finditer(script):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))
