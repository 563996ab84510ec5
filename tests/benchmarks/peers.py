"""A thousand acts as whole processes: from nothing, again, and with one act changed, by sitegen and, on the same
Markdown, by other generators as they are when nothing is set. They live in `.venv/peers` and `.venv/node`; what is not
there is told. sitegen does more of it: it looks up values, checks every link and makes a page for each figure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import thousand
from prose import plain_prose, title_of
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[2]
PEERS, NODE = ROOT / ".venv" / "peers" / "bin", ROOT / ".venv" / "node" / "node_modules" / ".bin"
ACTS, MANY = 1000, 4000
LIMITS = {"from nothing": 2.0, "nothing changed": 0.3, "one act changed": 0.5}  # seconds, on idle cores
MEMORY, HTML = 300.0, 20.0  # MB of a process, KB an act


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    cpu: float
    megabytes: float  # of the largest process


@dataclass(frozen=True, slots=True)
class Result:
    """`costs`: what was to be done -> the cheapest of its runs; `html`: KB of HTML an act."""

    tool: str
    acts: int
    costs: dict[str, Cost]
    html: float


@dataclass(frozen=True, slots=True)
class Tool:
    """`write` puts the project of a site into a folder; `edited` is one of its texts, `made` what a first build finds
    removed, the last of them its output."""

    name: str
    program: Path
    write: Callable[[Path, Path], None]
    arguments: tuple[str, ...]
    edited: str
    made: tuple[str, ...]


def acts_of(site: Path) -> Iterator[tuple[str, str, str]]:
    """(chapter, act, text) of each act."""
    for path in sorted(site.glob("content/*/*.md")):
        yield re.sub(r"^\d+-", "", path.parent.name), path.stem, path.read_text("utf-8")


def write_sitegen(site: Path, folder: Path) -> None:
    shutil.copytree(site, folder, dirs_exist_ok=True)


def write_mkdocs(site: Path, folder: Path) -> None:
    put(folder / "mkdocs.yml", "site_name: Acts\n")
    put(folder / "docs/index.md", "# Acts\n")
    for chapter, act, text in acts_of(site):
        put(folder / f"docs/{chapter}/{act}.md", plain_prose(text))


def write_sphinx(site: Path, folder: Path) -> None:
    put(folder / "conf.py", 'project = "Acts"\nextensions = ["myst_parser"]\n')
    put(folder / "index.md", "# Acts\n\n```{toctree}\n:glob:\n\n*/*\n```\n")
    for chapter, act, text in acts_of(site):
        put(folder / f"{chapter}/{act}.md", plain_prose(text))


def write_pelican(site: Path, folder: Path) -> None:
    put(folder / "pelicanconf.py", 'SITENAME = "Acts"\nTIMEZONE = "UTC"\nDEFAULT_LANG = "en"\nPATH = "content"\n')
    for chapter, act, text in acts_of(site):
        head = f"Title: {title_of(text)}\nDate: 2026-01-01\nCategory: {chapter}\nSlug: {chapter}-{act}\n\n"
        put(folder / f"content/{chapter}/{act}.md", head + plain_prose(text))


def write_eleventy(site: Path, folder: Path) -> None:
    put(folder / "text/index.md", "# Acts\n")
    for chapter, act, text in acts_of(site):
        put(folder / f"text/{chapter}/{act}.md", plain_prose(text))


def write_hugo(site: Path, folder: Path) -> None:
    page = "<!doctype html><title>{{ .Title }}</title><main>{{ .Content }}</main>\n"
    listed = "<ul>{{ range .Pages }}<li><a href={{ .RelPermalink }}>{{ .Title }}</a></li>{{ end }}</ul>\n"
    put(folder / "hugo.toml", 'title = "Acts"\nbaseURL = "https://example.org/"\ndisableKinds = ["taxonomy", "term"]\n')
    put(folder / "layouts/_default/single.html", page)
    put(folder / "layouts/_default/list.html", page + listed)
    for chapter, act, text in acts_of(site):
        put(folder / f"content/{chapter}/{act}.md", f"---\ntitle: {title_of(text)}\n---\n{plain_prose(text)}")


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


SITEGEN = Tool(
    "sitegen",
    Path(sys.executable).parent / "sitegen",
    write_sitegen,
    ("build", "--quiet"),
    "content/01-chapter-1/01-act-1.md",
    ("cache", "build/.tmp-spare-site", "build/site"),
)
OTHERS = (
    Tool("mkdocs", PEERS / "mkdocs", write_mkdocs, ("build", "--quiet"), "docs/chapter-1/01-act-1.md", ("site",)),
    Tool(
        "sphinx, myst", PEERS / "sphinx-build", write_sphinx, ("-q", ".", "out"), "chapter-1/01-act-1.md", ("out",)
    ),  # keeps what it knows in its output
    Tool(
        "pelican", PEERS / "pelican", write_pelican, ("--quiet",), "content/chapter-1/01-act-1.md", ("cache", "output")
    ),
    Tool(
        "eleventy", NODE / "eleventy", write_eleventy, ("--quiet", "--input=text", "--output=out"),
        "text/chapter-1/01-act-1.md", ("out",),
    ),
    Tool("hugo", PEERS / "hugo", write_hugo, ("--quiet", "--destination=out"), "content/chapter-1/01-act-1.md",
         ("resources", "out")),
)  # fmt: skip


def measure(runs: int = 3) -> tuple[list[Result], list[str]]:
    """sitegen with a thousand acts and with four thousand, and each of the others that is there; the rest by name."""
    with tempfile.TemporaryDirectory() as name:
        sites = {acts: thousand.write(Path(name) / f"acts-{acts}", acts) for acts in (ACTS, MANY)}
        found = [measured(SITEGEN, acts, site, Path(name) / f"sitegen-{acts}", runs) for acts, site in sites.items()]
        there = [tool for tool in OTHERS if tool.program.exists()]
        found += (measured(tool, ACTS, sites[ACTS], Path(name) / tool.name, runs) for tool in there)
    return found, [tool.name for tool in OTHERS if tool not in there]


def measured(tool: Tool, acts: int, site: Path, folder: Path, runs: int) -> Result:
    folder.mkdir()
    tool.write(site, folder)
    costs: dict[str, list[Cost]] = {name: [] for name in LIMITS}
    text = (folder / tool.edited).read_text("utf-8")
    once(tool, folder)  # fills the caches of the file system and of Python
    for count in range(runs):
        aside = folder.with_name(f"{folder.name}, before {count}")
        aside.mkdir()
        for path in filter(Path.exists, (folder / one for one in tool.made)):
            path.rename(aside / path.name)  # after a thousand folders are removed, some disks look long for room
        costs["from nothing"].append(once(tool, folder))
        once(tool, folder)
        costs["nothing changed"].append(once(tool, folder))
        put(folder / tool.edited, f"{text}\nA sentence more, number {count}.\n")
        costs["one act changed"].append(once(tool, folder))
    html = sum(path.stat().st_size for path in (folder / tool.made[-1]).rglob("*.html"))
    least = {name: cheapest(all_) for name, all_ in costs.items()}
    return Result(tool.name, acts, least, html / 1024 / acts)


def cheapest(costs: list[Cost]) -> Cost:
    return Cost(min(one.seconds for one in costs), min(one.cpu for one in costs), max(one.megabytes for one in costs))


def once(tool: Tool, folder: Path) -> Cost:
    """One run as a process, with a cache of its own."""
    start = time.perf_counter()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [tool.program, *tool.arguments], cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode:
            said.seek(0)
            sys.exit(f"{tool.name} failed:\n{said.read().decode()}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def report(found: list[Result], missing: list[str]) -> None:
    console = Console()
    own = found[0]
    title = (
        "a thousand acts, seconds: from nothing, the same again, one act changed; ×: of what sitegen took; KB an act"
    )
    table = Table("tool", "acts", title=title)
    for column in ("new", "×", "same", "×", "one", "×", "cpu", "MB", "KB an act"):
        table.add_column(column, justify="right")
    for one in found:
        cells = [one.tool, f"{one.acts:,d}"]
        for name, cost in one.costs.items():
            cells += [f"{cost.seconds:.2f}", f"{cost.seconds / own.costs[name].seconds:.1f}"]
        first = one.costs["from nothing"]
        table.add_row(*cells, f"{first.cpu:.2f}", f"{first.megabytes:.0f}", f"{one.html:.1f}")
    console.print(table)
    for name, limit in LIMITS.items():
        took = own.costs[name].seconds
        console.print(f"{name}: {took:.2f} s of {limit:g} s: {'holds' if took <= limit else 'PASSED'}")
    many = found[1].costs["from nothing"].cpu / own.costs["from nothing"].cpu
    console.print(f"{MANY // ACTS} times as many acts take {many:.1f} times the processor time")
    memory = own.costs["from nothing"].megabytes
    console.print(f"memory: {memory:.0f} MB of {MEMORY:g} MB: {'holds' if memory <= MEMORY else 'PASSED'}")
    console.print(f"HTML: {own.html:.1f} KB an act of {HTML:g} KB: {'holds' if own.html <= HTML else 'PASSED'}")
    for name in missing:
        console.print(f"{name} is not here: make bench could not install it")
