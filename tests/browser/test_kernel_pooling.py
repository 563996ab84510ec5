"""Act two on the page: a query and its weights, four kernels, the map of all queries, and the width that decides."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, alive, baked, block, own, put, stills

KERNELS = ["gaussian", "boxcar", "constant", "epanechnikov"]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("kernel-pooling")


# ------------------------------------------------------------------------------------------------ a moving query


def test_the_mean_answers_the_same_wherever_it_is_asked(open_page: Open, run: dict[str, Any]):
    ys = run["series"]["sample_y"]["values"]
    page = own(open_page, "samples")
    for query in (0.5, 4.0):
        put(page, "samples", query=query)
        [truth] = block(run["series"]["truth"], query=query)
        expected = f"At {query:.2f}: truth {truth:.2f}, mean {sum(ys) / len(ys):.2f}."
        assert page.locator("#samples .readout").text_content() == expected


def test_the_estimate_read_out_is_that_of_the_run(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "samples")

    for kernel in KERNELS:
        put(page, "samples", view="query", kernel=kernel, query=1.5)
        estimate = block(run["series"]["fit"], kernel=kernel, width=0.5, query=1.5)[0]
        expect(page.locator("#samples .readout")).to_have_text(re.compile(rf"estimate {estimate:.2f}\.$"))
        heaviest = max(block(run["series"]["weights"], kernel=kernel, query=1.5))
        shown = page.locator("#samples .stems-largest").text_content()
        assert float(shown.strip("%")) / 100 == pytest.approx(heaviest, abs=0.0051)


def test_the_query_is_moved_by_keys_and_by_dragging_in_the_chart(open_page: Open):
    page = alive(open_page, "samples", "a2-s2")
    slider = page.locator("#samples .scrub-range")

    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "2.55")
    expect(page).to_have_url(re.compile(r"\?query=2\.55#a2-s2$"))
    box = page.locator("#samples .scatter:visible").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 60, steps=3)
    page.mouse.up()

    assert float(slider.get_attribute("aria-valuetext")) > 4


def test_a_dot_is_as_large_as_its_weight(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "samples", "a2-s2")

    disks = page.locator("#samples .scatter:visible .point-weight").get_attribute("d")

    radii = [float(one) for one in re.findall(r"a([\d.]+) ", disks)[::2]]  # two arcs a disk
    weights = block(run["series"]["weights"], kernel="gaussian", query=2.5)
    drawn = [weight for weight in weights if weight * (max(radii) ** 2 / max(weights)) >= 0.005**2]
    scale = max(radii) ** 2 / max(weights)
    assert len(radii) == len(drawn)
    assert [radius**2 / scale for radius in radii] == pytest.approx(drawn, abs=0.002)


# ------------------------------------------------------------------------------------------ kernels side by side


def test_each_kernel_stands_with_its_error_at_the_common_width(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "four-kernels")

    titles = page.locator("#four-kernels .gallery-title").all_text_contents()

    names = ["Gaussian", "boxcar", "constant", "Epanechnikov"]
    errors = [run["metrics"][f"{kernel}_error"]["value"] for kernel in KERNELS]
    assert titles == [f"{name} error {error:.2f}" for name, error in zip(names, errors, strict=True)]


def test_one_query_moves_all_four(open_page: Open):
    page = own(open_page, "four-kernels", "?query=1")
    places = page.locator("#four-kernels .scatter .cursor").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('x1'))"
    )

    assert len(places) == 4
    assert len(set(places)) == 1


# ----------------------------------------------------------------------------------------------------- the map


def test_the_map_has_a_pixel_for_each_weight(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "pooling", color_scheme="light")
    read = """(canvas) => {
      const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return [canvas.height, canvas.width, ...Array.from({ length: data.length / 4 }, (_, k) => data[4 * k])];
    }"""

    for kernel in KERNELS:
        put(page, "pooling", kernel=kernel)
        shades = page.locator("#pooling canvas").evaluate(read)
        weights = block(run["series"]["weights"], kernel=kernel)
        assert shades[:2] == [101, 40]
        paper, ink, darkest = 0xFC, 0x25, 0.25
        expected = [paper + (ink - paper) * min(1, weight / darkest) for weight in weights]
        assert shades[2:] == pytest.approx(expected, abs=1), kernel


def test_the_map_is_painted_anew_for_another_theme(open_page: Open):
    page = own(open_page, "pooling", color_scheme="light")
    canvas = "document.querySelector('#pooling canvas')"
    light = page.evaluate(f"{canvas}.toDataURL()")

    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(before) => {canvas}.toDataURL() !== before", arg=light)

    corner = page.evaluate(f"[...{canvas}.getContext('2d').getImageData(39, 0, 1, 1).data]")
    assert corner[:3] == [0x14, 0x17, 0x1C]


def test_two_sliders_and_the_pointer_choose_a_cell_and_it_is_told(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "pooling")
    rows, columns = page.locator("#pooling .scrub-range").all()

    rows.press("ArrowRight")
    columns.press("ArrowLeft")

    weight = block(run["series"]["weights"], kernel="gaussian", query=2.55, sample=20)[0]
    x = run["series"]["sample_x"]["values"][20]
    expect(page.locator("#pooling .readout")).to_have_text(f"Query 2.55, sample at {x:.2f}: weight {weight:.1%}.")
    expect(page).to_have_url(re.compile(r"\?query=2\.55&sample=20$"))
    box = page.locator("#pooling canvas").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] - 1)
    expect(page.locator("#pooling .readout")).to_have_text(re.compile(r"^Query 5\.00, sample at 0\.09: "))


# --------------------------------------------------------------------------------------------------- the width


def test_the_best_widths_are_marked_and_named(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "width")
    metrics = {name: entry["value"] for name, entry in run["metrics"].items()}

    for kernel in ("gaussian", "boxcar", "epanechnikov"):
        put(page, "width", kernel=kernel)
        names = page.locator("#width .error-name").all_text_contents()
        best, left_out = (metrics[f"{kernel}_{name}_width"] for name in ("best", "loo"))
        assert names == [f"against the truth, best at {best:#.2g}", f"leaving one out, best at {left_out:#.2g}"]
        assert page.locator("#width .error-best:visible").count() == 2


def test_a_narrow_boxcar_is_drawn_with_gaps_and_they_are_counted(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "width", "?kernel=boxcar&width=0.05")

    known = block(run["series"]["defined"], kernel="boxcar", width=0.05)
    pieces = sum(1 for before, now in zip([0, *known], known, strict=False) if now and not before)
    strokes = page.locator("#width .gap-strokes").get_attribute("d").count("M")
    fit = page.locator("#width .scatter .is-fit").get_attribute("d")

    assert (strokes, fit.count("M")) == (known.count(0), pieces)
    share = known.count(0) / len(known)
    assert page.locator("#width .readout").text_content().endswith(f"no answer for {share:.0%} of the queries.")
    assert page.locator("#width .gap-text").text_content() == "no sample in the window"


def test_a_kernel_without_a_width_has_no_best_one(open_page: Open):
    page = own(open_page, "width", "?kernel=constant")

    assert page.locator("#width .error-best:visible").count() == 0
    assert page.locator("#width .error-name").all_text_contents() == ["against the truth", "leaving one out"]


def test_the_width_is_picked_in_the_chart_of_errors(open_page: Open):
    page = own(open_page, "width")
    box = page.locator("#width .error-chart").bounding_box()

    page.mouse.click(box["x"] + box["width"] - 15, box["y"] + 60)

    expect(page.locator("#width .scrub-range")).to_have_attribute("aria-valuetext", "5.0")


def test_every_step_brings_its_still(site: Path):
    assert sorted(stills(site, "a2")) == ["kernels", "maps", "one-query", "samples", "width"]
