"""What the state of a figure may be, as the page needs it: it reads states from addresses that anybody can write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sitegen.schema import Json

Labels = Sequence[int | float | str]


def allowed(entry: Mapping[str, Json], labels: Labels) -> Json:
    """The values of one `[state.t]`, the bounds of a number, or what a text must match; None if it may be anything.
    `labels` are those of its axis in the run."""
    kind = entry["type"]
    if kind == "checkpoint":
        return list(labels)
    if kind == "choice":
        return entry["values"]
    if kind == "text" and "pattern" in entry:
        return {"pattern": entry["pattern"]}
    if kind not in ("integer", "number"):
        return None
    bounds = {name: entry[name] for name in ("min", "max") if name in entry}
    if labels and isinstance(labels[-1], int | float):
        bounds.setdefault("max", labels[-1])
    return bounds | ({"whole": True} if kind == "integer" else {})
