"""Comparisons that are counted: the largest difference, where it was, and what is beyond the tolerance."""

from __future__ import annotations

import math
from typing import Any

MOST_FINDINGS = 5  # of one measure; the rest is counted


class Comparison:
    """One measure: what is compared, how often, how far apart at most."""

    def __init__(self, name: str, tolerance: float) -> None:
        self.name, self.tolerance = name, tolerance
        self.count, self.worst, self.wrong = 0, 0.0, 0
        self._findings: list[dict[str, str]] = []

    @property
    def measure(self) -> dict[str, float]:
        return {"count": self.count, "worst": self.worst, "tolerance": self.tolerance}

    @property
    def findings(self) -> list[dict[str, str]]:
        """`field` and `words` of the first that are wrong, and how many more there are."""
        left = self.wrong - len(self._findings)
        more = [{"field": "", "words": f"{left} more of this kind"}] if left else []
        return [*self._findings, *more]

    def arrays(self, field: str, expected: Any, found: Any, *, relative: bool = True) -> None:
        """Two arrays; their difference is told as a share of the largest expected number, or as it is."""
        import numpy

        if found is None:
            self._wrong(field, "the reference does not compute it")
            return
        one, other = numpy.asarray(expected, float), numpy.asarray(found, float)
        if one.size != other.size:
            self._wrong(field, f"{other.size} numbers, where {one.size} are expected")
            return
        apart = numpy.abs(one.ravel() - other.ravel())
        scale = float(numpy.abs(one).max()) if relative else 1.0
        self.count += one.size - 1
        place = int(apart.argmax())
        self.number(f"{field}, number {place}", float(apart[place]) / (scale or 1.0))

    def number(self, field: str, difference: float) -> None:
        """One difference that should be small."""
        self.count += 1
        if not difference <= self.tolerance:  # NaN too
            self._wrong(field, f"the engines are {difference:.2g} apart, {self.tolerance:.0e} is allowed")
        self.worst = max(self.worst, difference) if math.isfinite(difference) else 1e300

    def fact(self, field: str, holds: bool, words: str) -> None:
        """Something that is so or is not."""
        self.count += 1
        if not holds:
            self._wrong(field, words)

    def _wrong(self, field: str, words: str) -> None:
        self.wrong += 1
        if len(self._findings) < MOST_FINDINGS:
            self._findings.append({"field": field, "words": words})
