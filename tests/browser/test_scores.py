"""Act three on the page: scores that grow with d, the softmax they saturate, padding, and the additive score."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, alive, baked, block, own, put

DIMS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked("dot-product-variance")


def test_the_variance_read_out_is_the_measured_one_beside_d(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "variance")

    for d in DIMS:
        put(page, "variance", d=d)
        [variance] = block(run["series"]["variance"], d=d)
        assert page.locator("#variance .readout").text_content() == f"Variance {variance:.1f}; d itself is {d}."
        assert page.locator("#variance .histogram-label").text_content() == f"d = {d}"


def test_the_histogram_is_as_high_as_the_share_of_draws(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "variance", "?d=8")

    said = page.locator("#variance .histogram").get_attribute("aria-label")

    assert f"highest bin {100 * max(block(run['series']['raw_histogram'], d=8)):.1f}%" in said


def test_the_slider_over_d_and_the_kind_of_score_are_in_the_address(open_page: Open):
    page = own(open_page, "variance")

    page.locator("#variance .scrub-range").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#variance").get_by_role("button", name="divided by the root of d").click()

    expect(page).to_have_url(re.compile(r"\?d=256&scaling=scaled"))
    assert page.locator("#variance .readout").text_content().startswith("Variance 1.001; the target is 1.")


def test_a_small_d_says_that_its_shape_is_not_a_bell_yet(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "scaled", "?d=4")
    [distance] = block(run["series"]["distance_to_normal"], d=4)

    assert (
        f"not yet a bell: {100 * distance:.0f}% of the draws lie elsewhere"
        in page.locator("#scaled .readout").text_content()
    )


def test_saturation_prints_the_means_of_the_run_and_draws_its_example(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "saturation", "?d=16")
    series = run["series"]

    printed = page.locator("#saturation .chart-value b").all_text_contents()
    bars = page.locator("#saturation .weight-panel").first.get_attribute("aria-label")

    means = [
        block(series[name], scaling=scaling, d=16)[0]
        for name in ("largest_weight", "entropy", "gradient_norm")
        for scaling in ("raw", "scaled")
    ]
    assert printed == [f"{mean:.2f}" for mean in means]
    example = block(series["example_weights"], scaling="raw", d=16)
    assert bars == f"softmax of q · k, one draw: {', '.join(f'{weight:.2f}' for weight in example)}"


def test_what_padding_takes_stands_behind_every_row(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "masking")

    for mask, series in (("zero", "zero_masked_weights"), ("infinity", "masked_weights")):
        put(page, "masking", mask=mask)
        leaks = [
            sum(block(run["series"][series], sequence=sequence, query=query)[valid:])
            for sequence, valid in enumerate(run["parameters"]["valid_lens"])
            for query in range(2)
        ]
        assert page.locator("#masking .spent-value").all_text_contents() == [f"{100 * leak:.0f}%" for leak in leaks]


def test_a_row_of_padding_alone_is_hatched_and_defined_as_zeros(open_page: Open):
    page = own(open_page, "masking", "?mask=infinity")
    grid = page.locator("#masking .heat-map")

    assert grid.locator(".is-masked").count() == 2 * (2 + 4 + 6)
    assert grid.locator(".map-hatch").is_visible()
    assert grid.get_by_role("gridcell", name="query D q2, key k1: masked").count() == 1
    assert "its rows are defined as all 0" in page.locator("#masking .readout").text_content()


def test_the_leak_of_the_bug_is_the_number_of_the_prose(open_page: Open, run: dict[str, Any]):
    page = alive(open_page, "masking", "a3-s4")
    share = f"{run['metrics']['padding_weight_with_zero']['value']:.0%}"

    assert f"B and C spend {share} of their weight on padding" in page.locator("#masking .readout").text_content()
    assert share in page.locator("#a3-s4 .prose").text_content().replace("\u202f", "").replace("\u00a0", "")


def test_the_additive_score_is_labelled_with_the_shapes_of_the_run(open_page: Open, run: dict[str, Any]):
    page = own(open_page, "additive")
    drawing = page.locator("#additive .figure-live .diagram")

    text = drawing.text_content()
    for name in ("queries", "keys", "hidden", "scores"):
        shape = ", ".join(map(str, run["examples"]["additive_shapes"][name]))
        assert f"({shape})" in text, name
    drawing.get_by_role("button", name="sum of every pair").press("Enter")
    expect(page.locator("#additive .readout")).to_contain_text("2 × 3 × 5 pairs of 8 numbers")
    expect(page).to_have_url(re.compile(r"\?part=pairs"))
