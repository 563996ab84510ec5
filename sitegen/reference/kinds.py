"""The figure kinds of a theme to words: what figure.toml may say, and what each kind asks for and can be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sitegen import assets
from sitegen.assets.kinds import KIND, TABLE
from sitegen.errors import SitegenError
from sitegen.figures.entries import ENTRY, TYPES
from sitegen.reference.tables import code, table
from sitegen.reference.writing import of_keys
from sitegen.schema import FigureKind, Json


def text(site_dir: Path) -> str:
    errors: list[SitegenError] = []
    kinds = assets.read(site_dir, errors).kinds
    files = assets.theme_files(site_dir)
    told = {name: _summary(files[f"figures/{name}/figure.toml"].read_text("utf-8")) for name in kinds}
    return "\n\n".join(
        [
            "A kind is a folder `templates/figures/<kind>/`; its `figure.toml` has these keys:",
            of_keys(KIND),
            "A state or an option is a table:",
            table(("key", "says"), [(code(name), doc) for name, doc in ENTRY.items()]),
            table(("type", "is"), [(code(name), doc) for name, doc in TYPES.items()]),
            "A table of numbers has one of three forms:",
            table(("of", "its keys"), [(code(name), ", ".join(map(code, names))) for name, names in TABLE.items()]),
            "### The kinds of this theme",
            *(f"#### {name}\n\n{told[name]}\n\n{_asked(kind)}".strip() for name, kind in sorted(kinds.items())),
        ]
    )


def _summary(source: str) -> str:
    """The comment that a figure.toml begins with."""
    lines = []
    for line in source.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)


def _asked(kind: FigureKind) -> str:
    rows = [(f"series {code(name)}", ", ".join(map(code, axes))) for name, axes in kind.series.items()]
    rows += [(f"state {code(name)}", _entry(entry)) for name, entry in kind.state.items()]
    rows += [(f"option {code(name)}", _entry(entry)) for name, entry in kind.options.items()]
    if not kind.needs_run:
        rows.append(("run", "not needed"))
    return table(("", ""), rows) if rows else ""


def _entry(entry: Mapping[str, Json]) -> str:
    return ", ".join(_words(entry))


def _words(entry: Mapping[str, Json]) -> Iterator[str]:
    yield str(entry["type"])
    for name in ("axis", "values", "members"):
        if name in entry:
            value = entry[name]
            yield f"{name} {', '.join(code(str(one)) for one in (value if isinstance(value, list) else [value]))}"
    if "min" in entry or "max" in entry:
        yield f"from {entry.get('min', '…')} to {entry.get('max', '…')}"
    if "default" in entry:
        default = entry["default"]
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        yield f"at first {code(shown or '(nothing)')}"
