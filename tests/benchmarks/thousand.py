"""A site of a thousand acts, or of as many as asked for, written by code: fifty chapters of twenty, one figure an act,
ten runs that they share. `python tests/benchmarks/thousand.py FOLDER [ACTS]` writes one to look at.
"""

from __future__ import annotations

import math
import random
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from minimal_site import png, provenance  # noqa: E402

from sitegen import runs  # noqa: E402
from sitegen.schema import Image, Metric, Output, Run, Series  # noqa: E402

ACTS_A_CHAPTER = 20
RUNS = 10
STEPS = 12
TALK = (
    "a step of the model reads every value and writes one answer that is weighed by its key so the error falls "
    "slowly at first then faster until the noise of the data is all that is left to learn and the curve lies flat "
    "while each layer keeps what it was given adds what it has found and hands both on to the layer above it"
)
WORDS = TALK.split()


def write(folder: Path, acts: int = 1000) -> Path:
    """A site with so many acts in `folder`, the same for the same number."""
    chapters = math.ceil(acts / ACTS_A_CHAPTER)
    _put(folder / "content/site.toml", f'title = "{acts} acts"\ndescription = "Many short lessons."\n')
    for chapter in range(1, chapters + 1):
        home = folder / f"content/{chapter:02}-{chapter_slug(chapter)}"
        models = 'models = "shared"\n' if chapter == 1 else ""
        _put(home / "chapter.toml", f'title = "Chapter {chapter}"\ndescription = "Part {chapter} of it."\n{models}')
        count = min(ACTS_A_CHAPTER, acts - (chapter - 1) * ACTS_A_CHAPTER)
        for number in range(1, count + 1):
            _put(home / f"{number:02}-act-{number}.md", act(chapter, number, chapters))
    _put(folder / "models/shared/curves.py", _RECIPES + "".join(map(_recipe, range(1, RUNS + 1))))
    for number in range(1, RUNS + 1):
        _bake(folder, number)
    return folder


def chapter_slug(number: int) -> str:
    return f"chapter-{number}"


def act(chapter: int, number: int, chapters: int) -> str:
    """About two hundred words in three steps, with a figure, formulas, a list, code, a value and links."""
    chance = random.Random(f"{chapter}.{number}")
    run = f"curve-{chance.randrange(RUNS) + 1}"
    other = chapter_slug(chance.randrange(chapters) + 1)
    first, second, third = (_sentences(chance, 3) for _ in range(3))
    return f"""\
+++
title = "{_words(chance, 4).capitalize()}"
+++

{_sentences(chance, 2)} It goes on from [another chapter](/{other}/#a1).

## {_words(chance, 3).capitalize()}
```{{figure}} baked-picture
id = "c{chapter}-a{number}"
run = "{run}"
still = "curve"
alt = "The error of {run} falls and stays low."
caption = "**Error** of `{run}` at each step of $t$."
```
{first} The error $e_t$ at step $t$ is a number *below one*, and {{run}}`{run}.metrics.last:.3f` in the end.

## {_words(chance, 3).capitalize()}
{second}

- {_sentences(chance, 1)}
- **{_words(chance, 2)}**: {_sentences(chance, 1)}
- `value = key * {number}` {_sentences(chance, 1)}

$$ e_t = e_0 \\exp(-{number} t / {chapter}) $$

## {_words(chance, 3).capitalize()}
{third} More of this stands in [a paper](https://example.org/{chapter}/{number}).

```python
def step_{number}(value, key):
    return value + {number} * key  # what the layer hands on
```
"""


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def _sentences(chance: random.Random, count: int) -> str:
    return " ".join(f"{_words(chance, chance.randint(8, 16)).capitalize()}." for _ in range(count))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# ------------------------------------------------------------------------------------------------ the shared runs

_RECIPES = '''\
"""Curves that fall."""

from sitegen.recipes import Bake, exact, recipe
'''


def _recipe(number: int) -> str:
    return f"""

@recipe("curve-{number}", act=1, seed={number}, parameters={{"steps": {STEPS}}}, error=exact("step"))
def curve_{number}(bake: Bake) -> None:
    bake.series("error", [(1 + {number}) ** -step for step in range({STEPS})])
    bake.metric("last", (1 + {number}) ** -{STEPS - 1})


@curve_{number}.draw("curve", alt="It falls.")
def draw_{number}(run, axes) -> None:
    axes.plot(run.series["error"].values)
"""


def _bake(folder: Path, number: int) -> None:
    """The run as its recipe would bake it, but for its picture."""
    values = [float((1 + number) ** -step) for step in range(STEPS)]
    picture = png(4, 3)
    run = Run(
        format=1,
        run=f"curve-{number}",
        chapter=chapter_slug(1),
        act=1,
        seed=number,
        parameters={"steps": STEPS},
        outputs={"error": Output(("step",), "exact")},
        metrics={"last": Metric(values[-1])},
        series={"error": Series(("step",), {"step": list(range(STEPS))}, (STEPS,), "exact", values)},
        examples={},
        images={"curve": Image("curve.png", sha256(picture).hexdigest(), 4, 3, "It falls.")},
        weights=None,
        probe=None,
        provenance=provenance(folder, f"models.shared.curves:curve_{number}"),
        digest="",
    )
    runs.write(runs.runs_folder(folder) / run.run, run, {"curve.png": picture})


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
