"""What a reader's line and machine are asked to carry, against what they may be."""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sitegen.check.outline import Outline
from sitegen.errors import CheckError
from sitegen.schema import Location

KIB = 1024
# gzip bytes, but for "nodes"
BUDGETS: Mapping[str, int] = {
    "page": 60 * KIB,
    "css": 12 * KIB,
    "shared js": 30 * KIB,
    "js of a figure": 10 * KIB,
    "run": 80 * KIB,
    "model": 120 * KIB,
    "fonts": 185 * KIB,
    "first view": 250 * KIB,
    "site": 4608 * KIB,
    "nodes": 1500,
}
_IMPORT = re.compile(r"""(?:^|[;\s])(?:import|export)\s*(?:[\w*{}\s,$]+?\sfrom\s*)?["'](\.[^"']+)["']""")


@dataclass(frozen=True, slots=True)
class Size:
    """One measured thing; `kind` is a key of BUDGETS."""

    kind: str
    name: str
    amount: int

    @property
    def finding(self) -> CheckError | None:
        most = BUDGETS[self.kind]
        if self.amount <= most:
            return None
        if self.kind == "nodes":
            return CheckError(f"{self.name} has {self.amount} nodes, {most} are allowed", at=Location(self.name))
        message = f"{self.kind} weighs {self.amount / KIB:.1f} KB compressed, {most / KIB:.0f} KB are allowed"
        return CheckError(message, at=Location(self.name))


def sizes(outlines: Mapping[str, Outline], files: Mapping[str, bytes]) -> list[Size]:
    """Every budgeted thing of a site: `files` is path -> bytes."""
    packed = {path: len(zlib.compress(data, 9)) for path, data in files.items()}
    css = sum(size for path, size in packed.items() if path.endswith(".css"))
    entries = [path for path in files if re.fullmatch(r"assets/\w+/js/(?:boot|site)\.js", path)]
    shared = _closure(entries, files)
    found = [
        Size("css", "site.css", css),
        Size("shared js", "js", sum(packed[path] for path in shared)),
        Size("fonts", "fonts", sum(len(data) for path, data in files.items() if path.endswith(".woff2"))),
        Size("site", "site", sum(packed.values())),
    ]
    common = css + sum(packed[path] for path in shared)
    for path, one in outlines.items():
        first = packed[path] + common
        found += [Size("page", path, packed[path]), Size("first view", path, first)]
        found += [Size("nodes", f"{path}#{act}", nodes) for act, nodes in one.acts.items()]
    for path in sorted(files):
        if re.fullmatch(r"assets/\w+/figures/[^/]+/figure\.js", path):
            own = _closure([path], files) - shared
            found.append(Size("js of a figure", path, sum(packed[one] for one in own)))
        elif path.startswith("data/") and path.endswith((".json", ".bin")):
            found.append(Size("run" if path.endswith(".json") else "model", path, packed[path]))
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
