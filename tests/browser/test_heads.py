"""Act five and the last step of act six on the page: heads, a shuffle, codes of positions, and garments in patches."""

from __future__ import annotations

import re
from math import tau
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import Open, baked, block, own


@pytest.fixture(scope="module")
def heads() -> dict[str, Any]:
    return baked("attention-heads")


@pytest.fixture(scope="module")
def code() -> dict[str, Any]:
    return baked("position-code")


@pytest.fixture(scope="module")
def garments() -> dict[str, Any]:
    return baked("garment-vit")


# ------------------------------------------------------------------------------------------------------ one head


def test_the_head_prints_the_run_s_map_and_a_chosen_row_stays_lit(open_page: Open, heads: dict[str, Any]):
    page = own(open_page, "one-head", "?query=0")
    values = block(heads["series"]["maps"], attention="encoder", head=heads["examples"]["one_head"]["head"])

    printed = page.locator("#one-head .map-value").all_text_contents()
    page.locator("#one-head .map-query").nth(4).click()
    page.mouse.move(5, 5)

    assert [float(text or 0) for text in printed] == pytest.approx(values, abs=0.0051)
    expect(page).to_have_url(re.compile(r"\?query=5"))
    expect(page.locator("#one-head .readout")).to_have_text("The 8 reads itself most, 0.63, then the 3, 0.30.")
    assert page.locator("#one-head .arc:not(.is-trace)").count() == 6


def test_a_cell_tells_what_its_two_digits_read_of_each_other(open_page: Open):
    page = own(open_page, "one-head")

    page.locator("#one-head .map-cell[data-query='3'][data-key='4']").hover()

    expect(page.locator("#one-head .readout")).to_have_text("The 0 reads the 8 with 0.26; the 8 reads the 0 with 0.01.")


def test_a_row_is_chosen_with_the_keyboard_alone(open_page: Open):
    page = own(open_page, "one-head", "?query=0")

    page.locator("#one-head .heat-map [tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"\?query=2"))


# ------------------------------------------------------------------------------------------------------ all heads


def test_the_share_of_a_formula_is_the_mean_of_the_cells_it_frames(open_page: Open, heads: dict[str, Any]):
    page = own(open_page, "heads")

    cells = page.evaluate(
        """async () => {
          const entry = document.querySelector("script[type=module]").src;
          const { FORMULAS, asked } = await import(new URL("formulas.js", entry));
          const names = Object.keys(FORMULAS);
          const all = (attention) => Object.fromEntries(names.map((name) => [name, asked(name, attention, 6)]));
          return Object.fromEntries(["encoder", "decoder", "cross"].map((attention) => [attention, all(attention)]));
        }"""
    )

    series = heads["series"]
    formulas = series["share"]["coordinates"]["formula"]
    for attention, formula_cells in cells.items():
        for head in (1, 2):
            shares = block(series["share"], attention=attention, head=head)
            weights = block(series["mean_maps"], attention=attention, head=head)
            for name, share in zip(formulas, shares, strict=True):
                framed = [weights[6 * cell["query"] + cell["key"]] for cell in formula_cells[name]]
                assert sum(framed) / max(1, len(framed)) == pytest.approx(share, abs=1e-5), (attention, head, name)


def test_every_head_carries_the_tag_that_the_formula_gives_it(open_page: Open, heads: dict[str, Any]):
    page = own(open_page, "heads")
    series, expected = heads["series"], []
    for head in (1, 2):
        for attention in ("encoder", "decoder", "cross"):
            shares = block(series["share"], attention=attention, head=head)
            above = [s - c for s, c in zip(shares, block(series["chance"], attention=attention), strict=True)]
            best = above.index(max(above))
            expected.append(f"{series['share']['coordinates']['formula'][best]} {shares[best]:.2f}")

    assert page.locator("#heads .head-tag").all_text_contents() == expected


def test_a_formula_can_be_asked_of_all_heads_and_what_is_masked_has_no_share(open_page: Open):
    page = own(open_page, "heads")

    page.locator("#heads").get_by_role("button", name="next", exact=True).click()

    expect(page).to_have_url(re.compile(r"\?formula=next"))
    tags = page.locator("#heads .head-tag").all_text_contents()
    assert [tag for tag in tags if "masked" in tag] == ["next: masked", "next: masked"]
    assert page.locator("#heads .head-asked").nth(1).get_attribute("d") == ""


# ------------------------------------------------------------------------------------------------------ shuffle


def test_the_baked_shuffle_prints_rounding_without_positions_and_more_with_them(open_page: Open, heads: dict[str, Any]):
    page = own(open_page, "shuffle")
    difference = heads["series"]["shuffle_difference"]
    without, placed = max(block(difference, positions="without")), max(block(difference, positions="with"))

    mantissa, exponent = f"{without:.1e}".split("e")
    result = page.locator("#shuffle .shuffle-result")
    assert result.text_content() == f"Largest difference: {mantissa} × 10−{-int(exponent)}"
    page.locator("#shuffle").get_by_role("button", name="with position codes").click()

    expect(result).to_have_text(f"Largest difference: {placed:.2f}")
    assert without <= 1e-12
    assert placed > 1e-2


def test_other_shuffles_are_computed_here_and_obey_the_same_bounds(open_page: Open, heads: dict[str, Any]):
    page = own(open_page, "shuffle", "?order=234561&positions=with")
    result = page.locator("#shuffle .shuffle-result b")
    metrics = {name: metric["value"] for name, metric in heads["metrics"].items()}

    expect(page.locator("#shuffle svg[role=img]")).to_have_attribute("aria-label", "7 2 5 0 8 3 becomes 2 5 0 8 3 7")
    expect(result).to_have_text(re.compile(r"^\d\.\d\d$"))
    placed = float(result.text_content())
    assert metrics["shuffle_with_smallest"] - 0.01 <= placed <= metrics["shuffle_with_largest"] + 0.01
    page.locator("#shuffle").get_by_role("button", name="without position codes").click()

    expect(result).to_have_text(re.compile(r"^(0|\d\.\d × 10−1[4-9])$"))


def test_shuffle_again_writes_an_order_into_the_address(open_page: Open):
    page = own(open_page, "shuffle")

    page.locator("#shuffle").get_by_role("button", name="Shuffle again").click()

    expect(page).to_have_url(re.compile(r"\?order=[1-6]{6}"))


def test_an_order_that_is_none_falls_back_to_the_run_s(open_page: Open):
    page = own(open_page, "shuffle", "?order=112233")

    expect(page.locator("#shuffle svg[role=img]")).to_have_attribute("aria-label", "7 2 5 0 8 3 becomes 0 3 7 8 2 5")


# ------------------------------------------------------------------------------------------------------ positions


def test_hands_point_where_sine_and_cosine_of_their_pair_lead(open_page: Open, code: dict[str, Any]):
    page = own(open_page, "position-code", "?position=12")
    row = block(code["series"]["code"], position=12)

    hands = page.locator("#position-code .dial").evaluate_all(
        """(dials) => dials.map((dial) => {
          const [face, hand] = [dial.querySelector("circle"), dial.querySelector("line")];
          const at = (element, name) => Number(element.getAttribute(name));
          const length = at(face, "r") - 1;
          return [(at(hand, "x2") - at(face, "cx")) / length, (at(face, "cy") - at(hand, "y2")) / length];
        })"""
    )

    assert [value for hand in hands for value in hand] == pytest.approx(row, abs=0.01)


def test_the_map_has_a_pixel_for_every_number_and_follows_the_theme(open_page: Open, code: dict[str, Any]):
    page = own(open_page, "position-code")
    read = """(canvas) => {
      const copy = Object.assign(document.createElement("canvas"), { width: 32, height: 64 });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, 2, 1);
      return [canvas.width, canvas.height, [data[0], data[4]]];
    }"""
    canvas = page.locator("#position-code canvas")

    width, tall, light = canvas.evaluate(read)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    dark = canvas.evaluate(read)[2]

    assert [tall, width] == code["series"]["code"]["shape"]
    assert light[0] > light[1], "position 0 has a sine of 0 and a cosine of 1, which is ink"
    assert dark[0] < dark[1]


def test_gap_seven_reads_the_same_from_every_start(open_page: Open):
    page = own(open_page, "position-gap")
    scrub = page.locator("#position-gap .scrub .scrub-range")
    read = page.locator("#position-gap .gap-alike")

    seen = set()
    for start in (25, 0, 13, 56, 63):
        scrub.fill(str(start))
        seen.update(read.all_text_contents())

    assert seen == {"0.71"}
    assert page.locator("#position-gap .gap-pair").all_text_contents() == ["5 → 12", "56 → 63"]


def test_both_rows_of_dials_turn_by_the_angle_above_them(open_page: Open, code: dict[str, Any]):
    page = own(open_page, "position-gap", "?gap=11&start=30")

    turns = page.locator("#position-gap .dial").evaluate_all(
        """(dials) => dials.map((dial) => {
          const face = dial.querySelector("circle");
          const angle = (hand) => Math.atan2(
            hand.getAttribute("x2") - face.getAttribute("cx"), face.getAttribute("cy") - hand.getAttribute("y2"));
          const [from, to] = [...dial.querySelectorAll("line")].map(angle);
          return to - from;
        })"""
    )

    pairs = code["series"]["phase"]["coordinates"]["shown_pair"]
    expected = [11 * tau / code["series"]["wavelength"]["values"][pair] % tau for pair in pairs]
    assert [turn % tau for turn in turns] == pytest.approx(expected * 2, abs=0.01)
    degrees = [f"{11 * 360 / code['series']['wavelength']['values'][pair]:.0f}°" for pair in pairs]
    assert page.locator("#position-gap .gap-turn").all_text_contents() == degrees


# ------------------------------------------------------------------------------------------------------ pictures


def test_a_garment_shows_its_weights_and_what_the_model_says(open_page: Open, garments: dict[str, Any]):
    page = own(open_page, "vision", "?garment=3&block=2&head=4")
    series = garments["series"]
    garment = series["images"]["coordinates"]["garment"][2]

    weights = block(series["cls_attention"], garment=garment, block=2, head=4)[1:]
    printed = page.locator("#vision .map-value").all_text_contents()
    chances = block(series["probabilities"], garment=garment)
    said = page.locator("#vision .bar-value").all_text_contents()

    assert [float(text or 0) for text in printed] == pytest.approx(weights, abs=0.0051)
    assert said == [f"{chance:.0%}" for chance in sorted(chances, reverse=True)[:3]]


def test_every_mistake_shown_is_marked_and_named(open_page: Open, garments: dict[str, Any]):
    page = own(open_page, "vision")

    labels = page.locator("#vision .vision-choice.is-wrong").evaluate_all(
        "(all) => all.map((one) => one.getAttribute('aria-label'))"
    )

    wrong = [each for each in garments["examples"]["garments"] if not each["right"]]
    assert labels == [f"{each['true']}, taken for {each['predicted']}" for each in wrong]
    page.locator("#vision .vision-choice").nth(1).click()
    expect(page.locator("#vision .vision-title").first).to_have_text("trouser, recognised")


def test_the_confusions_are_a_table_with_headers_and_the_commonest_is_framed(open_page: Open, garments: dict[str, Any]):
    page = own(open_page, "vision", "?view=all")
    table = page.locator("#vision table.confusion")

    cells = table.locator("tbody tr").evaluate_all(
        "(rows) => rows.flatMap((row) => [...row.querySelectorAll('td')].slice(0, 10).map((cell) => +cell.textContent))"
    )

    assert cells == garments["series"]["confusion"]["values"]
    assert sum(cells) == garments["metrics"]["test_garments"]["value"]
    assert table.locator("tbody th[scope=row]").all_text_contents() == garments["examples"]["classes"]["names"]
    commonest = garments["examples"]["confusions"][0]
    assert table.locator("td.is-commonest").text_content() == str(commonest["count"])


def test_a_patch_and_its_weight_are_framed_together(open_page: Open):
    page = own(open_page, "vision")

    page.locator("#vision .vision-cut svg").hover(position={"x": 70, "y": 10})

    frames = page.locator("#vision .map-band").evaluate_all(
        "(all) => all.map((one) => [one.getAttribute('visibility'), one.getAttribute('x'), one.getAttribute('y')])"
    )
    assert frames == [["visible", "46", "0"], ["visible", "46", "0"]]
    series = baked("garment-vit")["series"]["cls_attention"]
    shown = series["coordinates"]["garment"][10]  # the step shows the eleventh garment
    weight = block(series, garment=shown, block=1, head=1)[series["coordinates"]["key"].index("1 2")]
    expect(page.locator("#vision .readout")).to_contain_text(f"This patch has the weight {weight:.3f}.")
