"""Acts one and three of chapter two on the page: who may read whom, and a map that is held against the truth."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, baked, block, faults, height, wake
from tests.browser.test_figures import PHONE

CHAPTER = "encoders-decoders/index.html"
FIGURES = ("wirings", "reversal", "decoder-block", "six-masks", "strings-replay", "deep-layers")


def at(open_page: Open, figure: str, link: str, **options: Any) -> Any:
    """The page at a link, its figure alive."""
    return wake(open_page(f"{CHAPTER}{link}", **options), figure)


def test_every_figure_is_inside_the_narrowest_page(open_page: Open):
    page = open_page(f"{CHAPTER}#a1-s1", viewport={"width": 320, "height": 844}, color_scheme="dark")

    found = [
        fault for figure in FIGURES for fault in faults(wake(page, figure), figure)
        if " px" not in fault  # the narrow drawing of a diagram is drawn for 346 and scaled below that
    ]  # fmt: skip

    assert found == []


def test_on_a_phone_what_stays_above_its_steps_leaves_them_room_and_controls_are_large(open_page: Open):
    page = open_page(f"{CHAPTER}#a1-s3", **PHONE)
    wake(page, "wirings")

    page.locator("#wirings").get_by_role("button", name="encoder–decoder").click()
    assert height(page, "wirings") <= 0.45 * 844
    for figure in FIGURES:
        wake(page, figure)
    small = page.locator(":is(#a1, #a3) :is(.choice, .play, .scrub-range, .alignment-head)").evaluate_all(
        "(all) => all.filter((one) => one.offsetWidth && Math.min(one.offsetWidth, one.offsetHeight) < 44)"
        ".map((one) => one.textContent)"
    )
    assert small == []


def test_the_acts_have_at_most_1500_nodes_when_all_of_them_lives(open_page: Open):
    page = open_page(f"{CHAPTER}#a1-s1")
    for figure in FIGURES:
        wake(page, figure)

    for act in ("a1", "a3"):
        assert page.evaluate("(id) => document.querySelectorAll(`#${id} *`).length", act) <= 1_500


def test_a_token_lights_its_row_and_its_column_in_every_map(open_page: Open):
    page = at(open_page, "wirings", "?wiring=both&token=0#a1-s3")
    maps = page.locator("#wirings .token-map")
    bands = "(maps) => maps.map((map) => map.querySelectorAll('.map-band[visibility=visible]').length)"

    assert maps.evaluate_all(bands) == [0, 0, 0]
    maps.nth(1).get_by_role("button").nth(3).press("Enter")

    # a place of the decoder: a row of the cross-attention, a row and a column of its own map; the encoder has neither
    expect(page).to_have_url(re.compile(r"token=10#a1-s3"))
    page.locator("#wirings .choice").first.focus()
    assert maps.evaluate_all(bands) == [0, 1, 2]
    assert page.locator("#wirings .readout").text_content() == (
        "To write “à” the decoder reads “la marée monte” and the whole source."
    )
    maps.nth(0).get_by_role("button").nth(0).focus()
    page.keyboard.press("ArrowDown")
    assert maps.evaluate_all(bands) == [2, 1, 0]
    assert maps.nth(0).locator(".is-lit").all_text_contents() == ["tide", "tide"]


@pytest.mark.parametrize("wiring", ["encoder", "decoder"])
def test_a_mask_is_hatched_where_the_run_has_a_zero(open_page: Open, wiring: str):
    page = at(open_page, "wirings", f"?wiring={wiring}&token=0#a1-s1")
    grid = baked("three-wirings")["series"][f"{wiring}_mask"]["values"]

    strokes = page.locator("#wirings .token-map > .map-hatch").get_attribute("d") or ""

    assert strokes.count("M") == grid.count(0)


def test_the_masks_of_a_ragged_batch_are_those_of_the_run_and_each_cell_has_its_reason(open_page: Open):
    run = baked("ragged-masks")
    page = at(open_page, "six-masks", "#a3-s3")
    expected = [
        block(run["series"][name], example=example).count(0)
        for example in (1, 2)
        for name in ("source_masks", "target_masks", "cross_masks")
    ]
    hatched = "(all) => all.map((one) => ((one.getAttribute('d') ?? '').match(/M/g) ?? []).length)"
    hatches = page.locator("#six-masks .token-map > .map-hatch")

    assert hatches.evaluate_all(hatched) == expected
    page.locator("#six-masks").get_by_role("button", name="padding").click()
    assert hatches.evaluate_all(hatched) == [10, 4, 8, 0, 0, 0]
    page.locator("#six-masks").get_by_role("button", name="later").click()
    assert hatches.evaluate_all(hatched) == [0, 6, 0, 0, 6, 0]
    expect(page).to_have_url(re.compile(r"\?hidden=causal#a3-s3"))


def test_the_replay_prints_the_mean_of_the_run_s_heads_and_says_what_a_row_reads(open_page: Open):
    run = baked("reverse-strings")
    maps = run["series"]["cross_attention"]
    heads = [block(maps, checkpoint=600, head=head) for head in (1, 2, 3, 4)]
    mean = [sum(values) / 4 for values in zip(*heads, strict=True)]
    page = at(open_page, "strings-replay", "?t=600&letter=3#a3-s4")

    printed = [float(text) for text in page.locator("#strings-replay .map-value").all_text_contents()]
    row = mean[24:36]

    assert printed == pytest.approx([value for value in mean if value >= 0.05], abs=0.0051)
    assert page.locator("#strings-replay .readout").text_content() == (
        f"Letter 3, c: reads place 10, c, most, with {max(row):.2f}: the true source."
    )
    page.locator("#strings-replay").get_by_role("button", name="head 4").click()
    expect(page).to_have_url(re.compile(r"head=4"))
    assert page.locator("#strings-replay .readout").text_content() == (
        f"Letter 3, c: reads place 10, c, most, with {max(heads[3][24:36]):.2f}: the true source."
    )


def test_the_layers_of_the_deep_model_say_how_little_of_them_is_on_the_source(open_page: Open):
    run = baked("reverse-strings-deep")
    page = at(open_page, "deep-layers", "#a3-s5")
    series = run["series"]
    said = "(all) => all.map((one) => one.textContent)"
    notes = page.locator("#deep-layers .note:visible")

    expected = zip(series["argmax_share_by_layer"]["values"], series["mean_weight_by_layer"]["values"], strict=True)
    assert notes.evaluate_all(said) == [f"{share:.1%} on the source, weight {weight:.2f}" for share, weight in expected]
    page.locator("#deep-layers").get_by_role("button", name="head 5").click()
    assert notes.evaluate_all(said) == [
        f"{block(series['argmax_share_by_head'], layer=layer)[4]:.1%} on the source" for layer in (1, 2, 3, 4)
    ]
    page.locator("#deep-layers").get_by_role("button", name="what the encoder left").click()
    expect(page).to_have_url(re.compile(r"view=memory"))
    assert notes.evaluate_all(said) == [
        f"own letter {run['metrics'][f'own_letter_{model}']['value']:.2f}, "
        f"other half {run['metrics'][f'other_half_{model}']['value']:.2f}"
        for model in ("shallow", "deep")
    ]


def test_another_string_is_in_the_address_and_its_reverse_below_it(open_page: Open):
    page = at(open_page, "reversal", "#a3-s1")

    page.locator("#reversal").get_by_role("button", name="Another string").click()

    expect(page).to_have_url(re.compile(r"\?string=[a-p]{12}#a3-s1"))
    string = re.search(r"string=([a-p]{12})", page.url)[1]  # type: ignore[index]
    assert page.locator("#reversal .figure-live .box text").all_text_contents() == list(reversed(string))
    page.locator("#reversal .figure-live").get_by_role("button", name="letter 1 of the output").press("Enter")
    assert f"The 1st letter of the output, {string[-1]}, must read the 12th" in (
        page.locator("#reversal .readout").text_content() or ""
    )


def test_an_address_with_junk_draws_the_default_string(open_page: Open):
    page = at(open_page, "reversal", "?string=zzz&place=99#a3-s1")

    assert "".join(page.locator("#reversal .figure-live .box text").all_text_contents()) == "lacigolaeneg"
