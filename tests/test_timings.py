"""What a machine measured: beside a run and in no digest, yet on the page, in its words, and held against claims."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from toy_site import recipes_of, toy_site, tree

from sitegen import pins, runs
from sitegen.build import build
from sitegen.errors import Findings, RunError
from sitegen.runs.timings import sealed
from sitegen.train import train
from sitegen.verify import verify

# Its times are another number at each bake, and so is the picture of them.
RACE = """
import time
from sitegen.recipes import Bake, exact, never, recipe

@recipe("race", act=1, seed=0, scores=exact("length"), seconds=never("length"), speedup=never())
def race(bake: Bake) -> None:
    bake.series("scores", [64, 256], length=[8, 16])
    bake.series("seconds", [0.5, time.time()], length=[8, 16])
    bake.series("speedup", 4.0)
    bake.metric("most", 256)

@race.draw("scores", alt="Scores.", size=(1, 1))
def draw_scores(run, axes):
    axes.plot(run.series["scores"].values)

@race.draw_timings("seconds", alt="Seconds.", size=(1, 1))
def draw_seconds(run, timings, axes):
    axes.plot(run.series["scores"].values, [value % 1 for value in timings.series["seconds"].values])
"""
ACT = """+++
title = "Faster"
claims = ["race.timings.speedup >= 3"]
+++
{run}`race.timings.speedup:.1f` times as fast on {run}`race.timings.processor`.

## How fast
```{figure} cost
run = "race"
still = "scores"
alt = "Time grows."
caption = "Time."
```

## And now
```{state}
still = "seconds"
```
Later.
"""
KIND = """
[series]
scores = ["length"]
seconds = ["length"]
speedup = []
[[table]]
series = "seconds"
rows = "length"
"""


def race_site(folder: Path) -> Path:
    site = toy_site(folder, race=RACE)
    for path, text in {
        "content/site.toml": 'title = "Toys"\ndescription = "Toys."\n',
        "content/01-first-steps/chapter.toml": 'title = "First"\ndescription = "Steps."\nmodels = "toy"\n',
        "content/01-first-steps/01-faster.md": ACT,
        "content/pages/index.md": '+++\ntitle = "Toys"\n+++\n',
        "templates/figures/cost/figure.toml": KIND,
    }.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")
    return site


def quietly(event: object) -> None:
    """No one listens."""


@pytest.fixture(scope="module")
def baked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = race_site(tmp_path_factory.mktemp("race"))
    train(site, report=quietly)
    return site


@pytest.fixture
def site(baked: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(baked, tmp_path / "site"))


def test_times_and_their_pictures_stand_beside_a_run_and_in_no_digest(site: Path):
    folder = site / "build/runs/race"
    run = runs.load(folder)
    timings = runs.load_timings(folder, run)

    assert (sorted(run.series), sorted(run.images), run.timed) == (["scores"], ["scores"], ("seconds", "speedup"))
    assert (sorted(timings.series), sorted(timings.images)) == (["seconds", "speedup"], ["seconds"])
    assert timings.series["speedup"].values == [4.0]
    assert recipes_of(site)["race"].timed_pictures == ("seconds",)


def test_times_are_published_under_a_digest_of_their_own_and_name_the_machine(site: Path):
    build(site)

    out, folder = site / "build/site", site / "build/runs/race"
    run = runs.load(folder)
    timings = runs.load_timings(folder, run)
    base = f"data/race-timings.{timings.digest[:12]}"
    html = (out / "first-steps/index.html").read_text("utf-8")
    assert (out / f"{base}.json").read_bytes() == (folder / "timings.json").read_bytes()
    assert (out / f"{base}-seconds.png").read_bytes() == (folder / "seconds.png").read_bytes()
    assert (out / f"data/race.{run.digest[:12]}-scores.png").is_file()
    assert f'data-timings="../{base}.json"' in html
    assert f'src="../{base}-seconds.png"' in html
    assert f"timed on {timings.processor}, 1 thread" in html
    assert f"MKL_CBWR={pins.ENVIRONMENT['MKL_CBWR']}" in html
    assert '<data class="run-value" value="4.0" title="race.timings.speedup, on ' in html
    assert ">Seconds</caption>" in html
    (page,) = (out / "figures").glob("*/index.html")
    assert f'data-timings="../../{base}.json"' in page.read_text("utf-8")


def test_each_place_that_shows_missing_times_says_how_to_measure_them(site: Path):
    (site / "build/runs/race/timings.json").unlink()

    with pytest.raises(Findings) as found:
        build(site)

    told = [str(error) for error in found.value.errors]
    page, hint = "content/01-first-steps/01-faster.md", "\n  hint: measure again: sitegen train --run race --retime"
    message = "the timings of run 'race' are missing"
    assert told == [f"{page}:{line}: {message}{hint}" for line in (3, 5, 5, 9)]


def test_to_measure_again_bakes_a_fresh_run_and_changes_its_times_alone(site: Path):
    before = tree(site / "build/runs/race")
    (site / "build/runs/race/timings.json").unlink()

    assert train(site, names=("race",), retime=True, report=quietly) == ()

    after = tree(site / "build/runs/race")
    assert {name for name in after if after[name] != before[name]} == {"seconds.png", "timings.json"}
    build(site)


def test_a_bake_of_the_same_numbers_brings_times_that_were_lost_and_keeps_those_that_are_there(site: Path):
    before = tree(site / "build/runs/race")
    train(site, force=True, report=quietly)
    assert tree(site / "build/runs/race") == before

    (site / "build/runs/race/timings.json").unlink()
    train(site, force=True, report=quietly)

    folder = site / "build/runs/race"
    assert runs.load_timings(folder, runs.load(folder)).series["speedup"].values == [4.0]


def edited(folder: Path, **changes: object) -> None:
    told = json.loads((folder / "timings.json").read_text("utf-8"))
    (folder / "timings.json").write_text(json.dumps(told | changes), encoding="utf-8")


def test_times_that_no_machine_measured_are_found(site: Path):
    folder = site / "build/runs/race"
    run = runs.load(folder)
    timings = runs.load_timings(folder, run)
    few = {"speedup": timings.series["speedup"]}

    def message() -> str:
        with pytest.raises(RunError) as found:
            runs.load_timings(folder, run)
        return found.value.message

    edited(folder, processor="a faster one")
    assert message() == "the timings of run 'race' were changed after they were measured"
    edited(folder, **sealed(type(timings)(timings.processor, 1.0, few)))
    assert message() == "the timings of run 'race' lack 'seconds'"
    edited(folder, **sealed(timings))
    (folder / "seconds.png").write_bytes(b"another")
    assert message() == "the picture seconds.png of run 'race' is missing, or not the one that was drawn"
    (folder / "timings.json").write_text("[]", encoding="utf-8")
    assert message().startswith("the timings of run 'race' cannot be read: ")


def test_a_rebake_does_not_compare_times_but_claims_are_held_against_those_recorded(site: Path):
    checks = ("files", "rebake", "claims")
    verdict = verify(site, checks=checks, report=quietly)

    assert [str(error) for outcome in verdict.failed for error in outcome.findings] == []
    (files,) = verdict.of("files")
    counts = {name: measure.count for name, measure in files.measures.items()}
    assert counts == {"files": 4, "pictures": 2}, "run.json, timings.json and a picture of each"

    act = site / "content/01-first-steps/01-faster.md"
    act.write_text(act.read_text("utf-8").replace(">= 3", ">= 5"), encoding="utf-8")
    edited(site / "build/runs/race", seconds=9)
    verdict = verify(site, checks=("files", "claims"), report=quietly)

    told = {outcome.check: outcome.findings[0].message for outcome in verdict.failed}
    assert re.fullmatch("the timings of run 'race' were changed .*", told["files"])
    assert re.fullmatch("the timings of run 'race' were changed .*", told["claims"])
