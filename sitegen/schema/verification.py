"""What was verified of each run: build/runs/verification.json as values, and what each check compares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

VERIFICATION_VERSION = 1


class CheckKind(Struct, frozen=True):
    """A check: its title, what a run must be for it to fail, and what each of its measures compares with what."""

    title: str
    about: str
    measures: Mapping[str, str]


# In the order of the report. The texts are the page's too.
CHECKS: Mapping[str, CheckKind] = {
    "files": CheckKind(
        "Files",
        "Is everything there, and is it what run.json says?",
        {
            "files": "run.json, weights and pictures against their types and SHA-256 digests",
            "pictures": "each committed picture against the same picture drawn anew from run.json, byte for byte",
        },
    ),
    "freshness": CheckKind(
        "Freshness",
        "Was the run made by the code, parameters, data and versions that are here now?",
        {"inputs": "every module, parameter, needed run, data file and version that enters the run"},
    ),
    "rebake": CheckKind(
        "Rebake",
        "Does the same code give the same run again?",
        {
            "bytes": "every committed number against the one that a new training gives, bit for bit",
            "numbers": "every committed number against the one that a new training gives on another kind of machine",
        },
    ),
    "parity": CheckKind(
        "Forward pass",
        "Do two engines that share no code compute the same outputs?",
        {
            "probe": "outputs that PyTorch baked against those of the NumPy engine",
            "inputs": "outputs of PyTorch against those of the NumPy engine, on inputs drawn for this comparison",
            "layers": "layers of the NumPy engine against the ones that come with PyTorch",
        },
    ),
    "gradients": CheckKind(
        "Gradients",
        "Is the way back right, written by hand and by autograd?",
        {
            "autograd": "gradients written by hand against those of autograd, each weight tensor as a whole",
            "differences": "both against central differences of the loss, in random directions of each weight tensor",
        },
    ),
    "steps": CheckKind(
        "Every training step",
        "Does the NumPy engine train as PyTorch does?",
        {
            "loss": "the loss before each update, from PyTorch's weights at that moment",
            "weights": "the weights after each update, from PyTorch's weights before it",
            "free": "the loss before each update, when the NumPy engine trains from the first weights on its own",
            "trace": "the committed loss before each update against PyTorch's, trained again",
        },
    ),
    "decodes": CheckKind(
        "Decodes",
        "Does the NumPy engine write, translate and recognise what the run says?",
        {"decodes": "each committed answer and share of right answers against the one made from the committed weights"},
    ),
    "claims": CheckKind(
        "Claims",
        "Does the text claim only what was measured?",
        {"claims": "each claim that an act or section declares against the number in the run"},
    ),
    "determinism": CheckKind(
        "Determinism",
        "Does it matter how and where a run is baked?",
        {"bakes": "digests of bakes under two threads, hostile settings and in another folder"},
    ),
}


class Measure(Struct, frozen=True):
    """How many comparisons, the largest difference (0: all equal) and the largest that passes."""

    count: int
    worst: float = 0.0
    tolerance: float = 0.0


class Line(Struct, frozen=True):
    """One measure of one check over all its runs; `where` is the run with the worst difference, if there is any."""

    check: str
    measure: str
    runs: int
    count: int
    worst: float
    tolerance: float
    where: str

    @property
    def about(self) -> str:
        """What is compared with what."""
        return CHECKS[self.check].measures[self.measure]


def lines(check: str, found: Iterable[tuple[str, Mapping[str, Measure]]]) -> Iterator[Line]:
    """The measures of a check put together, given those of each run."""
    by_measure: dict[str, list[tuple[str, Measure]]] = {}
    for run, measures in found:
        for name, measure in measures.items():
            by_measure.setdefault(name, []).append((run, measure))
    for name in CHECKS[check].measures:
        if each := by_measure.get(name):
            where, worst = max(each, key=lambda one: one[1].worst)
            count, tolerance = sum(one.count for _, one in each), max(one.tolerance for _, one in each)
            yield Line(check, name, len(each), count, worst.worst, tolerance, where if worst.worst else "")


class VerifiedRun(Struct, frozen=True):
    """A run of this digest passed every check. Worst differences are rounded up to powers of ten."""

    digest: str
    checks: dict[str, dict[str, Measure]]
    platform: str
    versions: dict[str, str]


class Verification(Struct, frozen=True):
    """build/runs/verification.json: run -> what was verified of it."""

    format: int = VERIFICATION_VERSION
    runs: dict[str, VerifiedRun] = field(default_factory=dict)

    def covers(self, run: str, digest: str) -> bool:
        """Whether the run with this digest passed."""
        return run in self.runs and self.runs[run].digest == digest

    def lines(self, check: str) -> tuple[Line, ...]:
        """What a check measured over all runs."""
        return tuple(lines(check, ((name, run.checks.get(check, {})) for name, run in self.runs.items())))
