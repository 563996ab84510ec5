"""How long after a save `sitegen serve` tells an open page to load anew, for each kind of file: on a copy of this site,
over a real stream, the pause included in which it waits for what is saved together."""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

LIMIT = 200.0  # milliseconds
# kind -> the first file by that pattern, and what one more of it may say without harm
EDITS = {
    "Markdown": ("content/*/02-*.md", "\n\nSaved {}.\n"),
    "template": ("templates/base.html.j2", "<!-- {} -->"),
    "style sheet": ("templates/css/site.css", "\n.saved-{} {{ gap: 0 }}\n"),
    "script": ("templates/js/site.js", "\nexport const saved{} = true;\n"),
    "figure kind": ("templates/figures/*/figure.js", "\nexport const saved{} = true;\n"),
    "model": ("models/*/[a-z]*.py", "\nSAVED_{} = True\n"),
}


@dataclass(frozen=True, slots=True)
class Reload:
    """`times`: milliseconds from each save to the news of it."""

    kind: str
    times: tuple[float, ...]


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [str(Path(sys.executable).parent / "sitegen"), "serve", "--site", str(site), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout, "it was asked for"
    try:
        for line in process.stdout:
            if line.startswith("serving "):
                yield line.split()[1]
                return
        sys.exit(f"{' '.join(command)} ended")
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextmanager
def listening(address: str, page: str) -> Iterator[Callable[[], dict[str, object]]]:
    """Gives what waits for the next news of a page."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request("GET", f"/__sitegen/events?page=/{page}/")
    answer = connection.getresponse()

    def news() -> dict[str, object]:
        while not (line := answer.readline()).startswith(b"data: "):
            if not line:
                sys.exit("the server ended")
        return json.loads(line.removeprefix(b"data: "))

    try:
        yield news
    finally:
        answer.close()
        connection.close()


def measure(site: Path, runs: int) -> list[Reload]:
    """`site` is changed. Each kind once unmeasured, so that what a first build learns is known."""
    chapter = sorted((site / "content").glob("[0-9]*"))[0]
    with served(site) as address, listening(address, chapter.name.partition("-")[2]) as news:
        news()
        return [Reload(kind, tuple(_times(site, *edit, runs, news))) for kind, edit in EDITS.items()]


def _times(site: Path, pattern: str, more: str, runs: int, news: Callable[[], dict[str, object]]) -> Iterator[float]:
    path = sorted(site.glob(pattern))[0]
    text = path.read_text("utf-8")
    for number in range(runs + 1):
        path.write_text(text + more.format(number), "utf-8")
        start = time.perf_counter()
        told = news()
        if told["problems"]:
            sys.exit(f"{path}: {told['problems']}")
        if number:
            yield (time.perf_counter() - start) * 1000
    path.write_text(text, "utf-8")
    news()


def report(reloads: list[Reload]) -> None:
    table = Table(
        "saved", "min ms", "median ms", "limit ms", title="sitegen serve: from a save to the page that loads anew"
    )
    for one in reloads:
        least = min(one.times)
        verdict = f"{LIMIT:g} {'holds' if least <= LIMIT else 'PASSED'}"
        table.add_row(one.kind, f"{least:.0f}", f"{statistics.median(one.times):.0f}", verdict)
    Console().print(table)
