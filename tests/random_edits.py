"""Edits to a site as authors make them, drawn by chance: each changes its folder, and may well break it."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from minimal_site import copied, png, write_run

Edit = Callable[[Path, random.Random], None]
THEME = Path(__file__).resolve().parent.parent / "templates"

_GLOSSARY = """\
[slope]
term = "slope"
symbols = ["w"]
role = "key"
definition = "How steep a line is; see [about](/about/)."
"""
_SENTENCES = (
    "A plain sentence more.",
    "It asks {run}`line-fit.metrics.slope:.2f` of the run.",
    "As $w$ grows, so does $w x + 1$.",
    "See {ref}`curves-1`, or {ref}`act-of-curves`.",
    "See [the curves](/curves/#a1) and {ref}`curves#a1-s1`.",
    "Others found it too {cite}`others`.",
    "A [slope]{.term} is a number; ![A square](square.png)",
    "```python\nkept = True\n```",
    "$$ w = 2 $$ {#two}",
    "A [dead link](/nowhere/).",
)
_ACT = """\
+++
title = "{title}"
+++

What leads in.

## The first step
```{{figure}} trace
id = "curves-{number}"
run = "line-fit"
still = "curve"
alt = "The loss falls."
caption = "Loss, *again*."
```
It falls.

## The second step
```{{state}}
t = 2
```
It falls more.
"""


def begun(folder: Path) -> Path:
    """A site of two chapters, with a glossary, a picture and a page more than the minimal one."""
    site = copied(folder)
    chapter = site / "content" / "02-curves"
    chapter.mkdir()
    (chapter / "chapter.toml").write_text('title = "Curves"\ndescription = "They bend."\noutcomes = ["tell $w$"]\n')
    for number in (1, 2):
        (chapter / f"{number:02}-act-{number}.md").write_text(_ACT.format(number=number, title=f"Act {number}"))
    (site / "content" / "glossary.toml").write_text(_GLOSSARY)
    for home in (chapter, site / "content" / "01-straight-lines", site / "content" / "pages"):
        (home / "square.png").write_bytes(png(2, 2))
    (site / "content" / "pages" / "more.md").write_text('+++\ntitle = "More"\n+++\n\nMore of it.\n')
    return site


def _texts(site: Path) -> list[Path]:
    return sorted((site / "content").rglob("*.md"))


def write_on(site: Path, chance: random.Random) -> None:
    path = chance.choice(_texts(site))
    path.write_text(f"{path.read_text()}\n{chance.choice(_SENTENCES)}\n")


def take_back(site: Path, chance: random.Random) -> None:
    """The last paragraph goes."""
    path = chance.choice(_texts(site))
    path.write_text(path.read_text().rstrip().rpartition("\n\n")[0] + "\n")


def caption(site: Path, chance: random.Random) -> None:
    path = chance.choice(_texts(site))
    path.write_text(re.sub(r"(?m)^alt = .*$", f'alt = "It falls, {chance.randrange(9)}."', path.read_text(), count=1))


def state(site: Path, chance: random.Random) -> None:
    path, t = chance.choice(_texts(site)), chance.choice([0, 1, 2, 3, 4, 10**30, "2026-01-31", '"2"'])
    path.write_text(re.sub(r"(?m)^t = .*$", f"t = {t}", path.read_text(), count=1))


def title(site: Path, chance: random.Random) -> None:
    path = chance.choice([*_texts(site), *(site / "content").glob("*/chapter.toml")])
    path.write_text(re.sub(r"(?m)^title = .*$", f'title = "T {chance.randrange(9)}"', path.read_text(), count=1))


def number(site: Path, chance: random.Random) -> None:
    path = chance.choice(sorted((site / "content").glob("*/*-act-*.md")) or _texts(site))
    text = re.sub(r"(?m)^number = .*\n", "", path.read_text())
    path.write_text(text.replace("+++\n", f"+++\nnumber = {chance.randrange(1, 9)}\n", 1))


def new_act(site: Path, chance: random.Random) -> None:
    chapter, count = chance.choice(_chapters(site)), chance.randrange(3, 30)
    (chapter / f"{count:02}-act-{count}.md").write_text(_ACT.format(number=count, title=f"Act {count}"))


def delete(site: Path, chance: random.Random) -> None:
    if len(paths := _texts(site)) > 4:
        chance.choice(paths).unlink()


def rename(site: Path, chance: random.Random) -> None:
    path = chance.choice(_texts(site))
    stem = re.sub(r"-x\d+$", "", path.stem) + f"-x{chance.randrange(9)}"
    path.rename(path.with_stem(stem))


def rename_chapter(site: Path, chance: random.Random) -> None:
    chapter = chance.choice(_chapters(site))
    name = chance.choice([f"0{chance.randrange(3, 9)}-curves", "02-bends", "02-curves"])
    if not (chapter.parent / name).exists():
        chapter.rename(chapter.parent / name)


def _chapters(site: Path) -> list[Path]:
    return sorted(path.parent for path in (site / "content").glob("*/chapter.toml"))


def run(site: Path, chance: random.Random) -> None:
    """Another bake of the run, and with it other numbers in texts, tables and claims."""
    write_run(site, seed=chance.randrange(1, 3), parameters={"steps": 4, "rate": chance.choice([0.5, 0.25])})


def damage(site: Path, chance: random.Random) -> None:
    path = site / "build" / "runs" / "line-fit" / chance.choice(["run.json", "curve.png", "weights.bin"])
    path.write_bytes(path.read_bytes() + b" ")


def mend(site: Path, chance: random.Random) -> None:
    write_run(site)


def model(site: Path, chance: random.Random) -> None:
    """A comment, which changes quoted code alone, or a constant, which makes the run stale."""
    path = site / "models" / "lines" / "fit.py"
    more = chance.choice([f"# {chance.randrange(9)}\n", f"EXTRA = {chance.randrange(9)}\n"])
    path.write_text(re.sub(r"(?m)^(# \d|EXTRA = .*)\n", "", path.read_text()) + more)


def template(site: Path, chance: random.Random) -> None:
    name = chance.choice(["page.html.j2", "figure.html.j2", "chapter.html.j2", "base.html.j2"])
    own = site / "templates" / name
    if own.exists() and chance.random() < 0.5:
        own.unlink()
    else:
        own.write_text((THEME / name).read_text("utf-8") + f"<!-- {chance.randrange(9)} -->", "utf-8")


def sheet(site: Path, chance: random.Random) -> None:
    (site / "templates" / "css").mkdir(exist_ok=True)
    (site / "templates" / "css" / "own.css").write_text(f"main {{ margin: {chance.randrange(9)}px }}\n")


def kind(site: Path, chance: random.Random) -> None:
    path = site / "templates" / "figures" / "trace" / "figure.js"
    path.write_text(f"{path.read_text()}\nexport const extra = {chance.randrange(9)};\n")


def glossary(site: Path, chance: random.Random) -> None:
    word = chance.choice(["How steep a line is.", "A *number*.", "Rise over run, as $w$."])
    symbol = chance.choice(["w", "x", "\\\\hat{y}"])
    text = _GLOSSARY.replace('["w"]', f'["{symbol}"]')
    (site / "content" / "glossary.toml").write_text(re.sub("(?m)^definition.*$", f'definition = "{word}"', text))


def bibliography(site: Path, chance: random.Random) -> None:
    path = site / "content" / "bibliography.toml"
    path.write_text(re.sub(r"(?m)^year = .*$", f"year = {chance.randrange(1990, 1999)}", path.read_text()))


def settings(site: Path, chance: random.Random) -> None:
    path = site / "content" / "site.toml"
    line = chance.choice([f'title = "Site {chance.randrange(9)}"', 'footer = "Other."', 'url = "https://x.org/"'])
    key = line.split(" ")[0]
    path.write_text(re.sub(rf"(?m)^{key} = .*$", line, path.read_text()))


def picture(site: Path, chance: random.Random) -> None:
    path = chance.choice(sorted((site / "content").rglob("square.png")))
    path.write_bytes(png(chance.randrange(1, 5), 2))


def touch_what_is_published(site: Path, chance: random.Random) -> None:
    """Not by an author: a file of the published site is lost, or another one."""
    published = sorted(path for path in (site / "build" / "site").rglob("*") if path.is_file())
    if published:
        path = chance.choice(published)
        chance.choice([lambda: path.unlink(), lambda: path.write_bytes(b"other"), lambda: shutil.rmtree(path.parent)])()


EDITS: tuple[Edit, ...] = (
    write_on, write_on, write_on, take_back, caption, state, title, number, new_act, delete, rename, rename_chapter,
    run, damage, mend, model, template, sheet, kind, glossary, bibliography, settings, picture, touch_what_is_published,
)  # fmt: skip
