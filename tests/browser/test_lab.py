"""The lab: four instruments that compute in the page what the runs say, take any input, and need no mouse."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import settle
from tests.browser.living import CHAPTER, PHONE, Open, baked, own, put, wake

INSTRUMENTS = ("lab-pooling", "lab-position", "lab-reverser", "lab-training")
KERNELS = ("gaussian", "boxcar", "constant", "epanechnikov", "triangular")
AXE = "axe_playwright_python.sync_playwright"


def lab(open_page: Open, query: str = "", **options: Any) -> Any:
    """The page at the lab, its reader having moved: an address holds its place only until then."""
    page = open_page(f"{CHAPTER}{query}#lab", **options)
    page.set_default_timeout(20_000)  # the reverser also fetches its weights
    page.keyboard.press("Shift")
    return page


def instrument(open_page: Open, figure: str, query: str = "", **options: Any) -> Any:
    """The instrument's own page, where it is alive."""
    return own(open_page, figure, query, **options)


def module(page: Any, figure: str, name: str, script: str, *arguments: Any) -> Any:
    """Evaluates `script` with what a module beside the figure's own exports, as the page loads it."""
    return page.evaluate(
        f"""async ([id, name, given]) => {{
          const address = new URL(document.getElementById(id).dataset.script, document.baseURI);
          return ({script})(await import(new URL(name, address).href), ...given);
        }}""",
        [figure, name, list(arguments)],
    )


# --------------------------------------------------------------------------------------------- all four instruments


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_lab_has_no_fault_that_axe_finds(open_page: Open, theme: str):
    axe = pytest.importorskip(AXE).Axe()
    page = lab(open_page, color_scheme=theme)
    for figure in INSTRUMENTS:
        wake(page, figure)

    found = axe.run(page, context="#lab").response["violations"]

    assert [(one["id"], node["target"]) for one in found for node in one["nodes"]] == []


def test_a_finger_drawn_along_a_slider_moves_it_and_not_the_page(open_page: Open):
    page = instrument(open_page, "lab-position", **PHONE)
    page.locator("#lab-position input").first.evaluate("(range) => range.scrollIntoView({ block: 'center' })")
    settle(page)
    box = page.locator("#lab-position input").first.bounding_box()
    y, before = box["y"] + box["height"] / 2, page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: float) -> None:
        at = [{"x": x, "y": y + dy} for x, dy in zip(points[::2], points[1::2], strict=True)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    touch("touchStart", box["x"] + 30, 0)
    for step in range(1, 12):
        touch("touchMove", box["x"] + 30 + 16 * step, step)
    touch("touchEnd")

    assert page.evaluate("scrollY") == before
    assert int(page.locator("#lab-position input").first.input_value()) > 20


def test_a_setting_is_in_the_address_and_reset_takes_it_back(open_page: Open):
    page = wake(lab(open_page, "?kernel=boxcar&width=0.0792&i=25&j=32&q=380527&lr=0.03&heads=4"), "lab-position")
    assert page.locator("#lab-position input").evaluate_all("(all) => all.map((one) => one.value)") == ["25", "32"]
    wake(page, "lab-pooling")
    expect(page.locator("#lab-pooling .lab-verdict")).to_contain_text("gaps")
    wake(page, "lab-training")
    assert page.locator("#lab-training input").get_attribute("aria-valuetext") == "0.03"
    wake(page, "lab-reverser")
    expect(page.locator("#lab-reverser .lab-ask")).to_contain_text("Target 7\u00a02\u00a05\u00a00\u00a08\u00a03")

    page.locator("#lab-reverser .figure-reset").click()

    expect(page.locator("#lab-reverser .lab-field")).to_have_value("725083")
    expect(page).to_have_url(re.compile(r"kernel=boxcar.*#lab$"))
    expect(page).not_to_have_url(re.compile("q="))


def test_a_nonsensical_address_breaks_no_instrument(open_page: Open):
    page = lab(open_page, "?kernel=cube&width=-3&x=99&i=-5&j=1e9&q=x&place=77&lr=0&heads=3&clip=-1&copies=9")

    for figure in INSTRUMENTS:
        wake(page, figure)
    assert page.locator("#lab .figure-problem").count() == 0


# ------------------------------------------------------------------------------------------------ pool by similarity


def test_at_half_a_unit_each_kernel_reads_the_error_of_the_run(open_page: Open):
    page = instrument(open_page, "lab-pooling")
    metrics = baked("kernel-pooling")["metrics"]

    for kernel in KERNELS:
        put(page, "lab-pooling", kernel=kernel, width=0.5)
        assert page.locator("#lab-pooling .lab-number").text_content() == f"{metrics[f'{kernel}_error']['value']:.2f}"
        assert page.get_by_role("slider", name="width").is_disabled() == (kernel == "constant")


def judge(error: float, defined: list[int], fit: list[float], width: float, curve: dict[str, Any]) -> str:
    """The verdict from the run alone, by the thresholds that the caption states."""
    values = [value for value, known in zip(fit, defined, strict=True) if known]
    if max(values) - min(values) < 1e-6:
        return "Averages everything."
    if not all(defined):
        stretches = sum(not known and (k == 0 or defined[k - 1]) for k, known in enumerate(defined))
        return f"Leaves {stretches} gap{'s' if stretches > 1 else ''}."
    least, best = min(
        (e, w) for e, w, c in zip(curve["error"], curve["width"], curve["coverage"], strict=True) if c == 1
    )
    if error <= 1.03 * least:
        return "Near the best width."
    near = error <= 1.15 * least
    if width < best:
        return "A bit narrow." if near else "Follows the noise."
    if near:
        return "A bit wide."
    return "Flattens the wave." if error < 0.97 * curve["mean"] else "Averages nearly everything."


def test_every_kernel_at_every_width_of_the_run_gets_its_own_true_verdict_and_error(open_page: Open):
    run = baked("kernel-pooling")
    series = run["series"]
    widths, kernels = (series["error"]["coordinates"][axis] for axis in ("width", "kernel"))
    queries = len(series["truth"]["values"])
    mean = run["metrics"]["constant_error"]["value"]
    page = instrument(open_page, "lab-pooling")

    found = page.evaluate(
        """async ({ kernels, widths }) => {
          const element = document.getElementById("lab-pooling");
          const { mount } = await import(new URL(element.dataset.script, document.baseURI).href);
          const run = await (await fetch(element.dataset.run)).json();
          const root = element.querySelector(".figure-body").appendChild(document.createElement("div"));
          root.className = "figure-live";
          const mounted = mount(root, { run, options: {}, alt: "", base: "", weights: null }, () => {});
          const read = (selector) => root.querySelector(selector).textContent;
          return kernels.map((kernel) => widths.map((width) => {
            mounted.show({ kernel, width, x: 2.5 });
            return [read(".lab-verdict strong"), read(".lab-number")];
          }));
        }""",
        {"kernels": kernels, "widths": widths},
    )

    verdicts = set()
    for k, kernel in enumerate(kernels):
        row = slice(k * len(widths), (k + 1) * len(widths))
        curve = {"width": widths, "mean": mean, **{n: series[n]["values"][row] for n in ("error", "coverage")}}
        for w, width in enumerate(widths):
            at = slice((k * len(widths) + w) * queries, (k * len(widths) + w + 1) * queries)
            error = curve["error"][w]
            expected = judge(error, series["defined"]["values"][at], series["fit"]["values"][at], width, curve)
            assert found[k][w] == [expected, f"{error:.2f}"], (kernel, width)
            verdicts.add(expected.rstrip("s.").rstrip("0123456789 gap"))
    assert len(verdicts) >= 7


def test_a_gap_is_drawn_as_a_gap(open_page: Open):
    page = instrument(open_page, "lab-pooling", "?kernel=boxcar&width=0.05")
    defined = baked("kernel-pooling")["series"]["defined"]["values"]
    start = (1 * 21 + 0) * 101
    pieces = sum(
        bool(v) and not before for before, v in zip([0, *defined[start:]], defined[start : start + 101], strict=False)
    )

    path = page.locator("#lab-pooling .scatter .is-fit").get_attribute("d")

    assert path.count("M") == pieces > 5
    assert page.locator("#lab-pooling .gap-strokes").get_attribute("d").count("M") == 101 - sum(
        defined[start : start + 101]
    )


def test_width_and_query_answer_the_arrow_keys(open_page: Open):
    page = instrument(open_page, "lab-pooling")
    page.get_by_role("slider", name="width").focus()

    page.keyboard.press("Home")
    assert page.locator("#lab-pooling .lab-verdict strong").text_content() == "Follows the noise."
    page.get_by_role("slider", name="query").focus()
    page.keyboard.press("ArrowRight")

    assert page.locator("#lab-pooling .readout").text_content().startswith("At 2.51 ")
    expect(page).to_have_url(re.compile(r"width=0\.05&x=2\.51$"))


# -------------------------------------------------------------------------------------------- the shape of a position


def test_five_and_twelve_are_as_alike_as_twenty_five_and_thirty_two(open_page: Open):
    page = instrument(open_page, "lab-position")

    assert page.locator("#lab-position .lab-number").all_text_contents() == ["0.71", "7"]
    assert page.locator("#lab-position .lab-verdict").text_content().startswith("Elsewhere, 25 → 32: 0.71.")
    for name, value in (("i", "25"), ("j", "32")):
        page.get_by_role("slider", name=name, exact=True).fill(value)
    assert page.locator("#lab-position .lab-number").all_text_contents() == ["0.71", "7"]


def test_all_pairs_of_positions_agree_with_the_table_of_the_run(open_page: Open):
    page = instrument(open_page, "lab-position")
    expected = baked("position-code")["series"]["similarity"]["values"]

    found = module(
        page,
        "lab-position",
        "../../js/engine/positions.js",
        """({ cosineSimilarity, sinusoidalPositions }) => {
          const code = sinusoidalPositions(64, 32);
          return Array.from({ length: 64 * 64 }, (_, k) => cosineSimilarity(code, Math.floor(k / 64), k % 64));
        }""",
    )

    assert len(found) == len(expected) == 64 * 64
    # the run keeps six significant digits of each
    assert all(math.isclose(one, two, rel_tol=6e-6) for one, two in zip(found, expected, strict=True))


def test_what_is_measured_elsewhere_has_the_same_gap_and_another_start(open_page: Open):
    page = instrument(open_page, "lab-position")

    starts = module(
        page,
        "lab-position",
        "figure.js",
        "({ elsewhere }) => Array.from({ length: 64 }, (_, gap) => "
        "Array.from({ length: 64 - gap }, (_, start) => elsewhere(start, gap, 64)))",
    )

    assert starts[7][5] == 25
    assert starts[63] == [None]
    for gap, row in enumerate(starts[:63]):
        assert all(0 <= other < 64 - gap and other != start for start, other in enumerate(row)), gap


# ---------------------------------------------------------------------------------------------- reverse it yourself


def test_the_default_digits_are_reversed_and_shown(open_page: Open):
    page = instrument(open_page, "lab-reverser")

    told = page.locator("#lab-reverser .lab-ask .lab-verdict").text_content().replace("\u00a0", " ")

    assert page.locator("#lab-reverser .lab-field").input_value() == "725083"
    assert told == "Reversed. Target 3 8 0 5 2 7, output 3 8 0 5 2 7."
    assert page.locator("#lab-reverser .token-query").all_text_contents() == list("380527")
    assert page.locator("#lab-reverser .heat-map").count() == 3


def test_the_probabilities_and_maps_are_those_of_the_run(open_page: Open):
    run = baked("reverse-digits")
    page = instrument(open_page, "lab-reverser", "?place=3")
    row = run["series"]["decode_probabilities"]["values"][20:30]
    best = sorted(range(10), key=lambda digit: -row[digit])[:3]

    assert page.locator("#lab-reverser .bar-name").all_text_contents() == [str(digit) for digit in best]
    shown = page.locator("#lab-reverser .bar-value").all_text_contents()
    assert shown[0] == f"{row[best[0]]:.2%}"
    maps = run["series"]["decode_attention"]["values"]
    for head in range(2):
        texts = page.locator("#lab-reverser .heat-map").nth(head).locator(".map-value").all_text_contents()
        values = [float(text) if text else 0 for text in texts[:18]]
        assert values == pytest.approx(maps[head * 36 : head * 36 + 18], abs=0.0051)
        assert set(texts[18:]) == {"–"}  # not written yet


def test_digits_are_understood_however_they_are_written(open_page: Open):
    page = instrument(open_page, "lab-reverser")
    field = page.locator("#lab-reverser .lab-field")
    verdict = page.locator("#lab-reverser .lab-ask .lab-verdict")

    for pasted in ("380527", "3 8 0 5 2 7", "3-8-0-5-2-7", " 380 527\n", "3,8,0,5,2,7", "３８０５２７"):
        put(page, "lab-reverser", q="725083")
        expect(verdict).to_contain_text("output 3\u00a08\u00a00\u00a05\u00a02\u00a07")
        field.focus()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(pasted)
        expect(verdict).to_contain_text("output 7\u00a02\u00a05\u00a00\u00a08\u00a03")
        expect(page).to_have_url(re.compile(r"\?q=380527$"))
        page.keyboard.press("Tab")
        expect(field).to_have_value("380527")


def test_what_is_no_input_gets_a_friendly_word_and_breaks_nothing(open_page: Open):
    page = instrument(open_page, "lab-reverser")
    field, word = page.locator("#lab-reverser .lab-field"), page.locator("#lab-reverser .lab-word")

    for typed, told in (
        ("7250a3", "the model has never seen “a”"),
        ("7250831", "That is 7 digits"),
        ("725", "3 to go."),
        ("", "6 digits, please."),
        ("☃", "the model has never seen “☃”"),
        ("<b>1</b>", "the model has never seen “<”"),
    ):
        field.fill(typed)
        expect(word).to_contain_text(told)
        expect(word).to_contain_text("Below still stands 725083.")
        assert page.locator("#lab-reverser .token-query").all_text_contents() == list("380527")
        field.fill("111111")
        expect(word).to_have_text("")
        assert page.locator("#lab-reverser .token-key").all_text_contents() == list("111111")
        field.fill("725083")
        expect(word).to_have_text("")


def test_the_hunt_tries_10000_inputs_beside_the_page_and_tells_what_it_found(open_page: Open):
    page = instrument(open_page, "lab-reverser")
    hunt = page.locator("#lab-reverser .lab-hunt")

    hunt.get_by_role("button", name="Hunt through 10,000").click()
    expect(hunt.get_by_role("progressbar")).to_be_visible()
    page.locator("#lab-reverser .scrub-range").fill("2")  # the page stays free meanwhile
    assert page.locator("#lab-reverser .scrub-read, #lab-reverser .scrub-reads").first.text_content()
    expect(hunt.get_by_role("status")).to_contain_text("of 10,000 come", timeout=120_000)

    told = hunt.get_by_role("status").text_content()
    [digits] = re.findall(r"\b\d{6}\b", told)[:1]
    hunt.get_by_role("button", name="Look at it").click()
    expect(page.locator("#lab-reverser .lab-field")).to_have_value(digits)


def test_the_hunt_can_be_stopped(open_page: Open):
    page = instrument(open_page, "lab-reverser")
    hunt = page.locator("#lab-reverser .lab-hunt")

    hunt.get_by_role("button", name="Hunt through 10,000").click()
    hunt.get_by_role("button", name="Stop").click()

    expect(hunt.get_by_role("status")).to_contain_text("Stopped after")
    expect(hunt.get_by_role("progressbar")).to_be_hidden()


def test_the_hunt_agrees_with_writing_digit_by_digit_also_where_the_model_fails(open_page: Open):
    """With the weights before training nearly every input fails; the hunt must see each failure, and only those."""
    page = instrument(open_page, "lab-reverser")

    found = page.evaluate(
        """async () => {
          const { script, run: at, weights: bin } = document.getElementById("lab-reverser").dataset;
          const address = new URL(script, document.baseURI);
          const { hunted } = await import(new URL("hunt.js", address).href);
          const { readWeights } = await import(new URL("../../js/engine/tensor.js", address).href);
          const { greedyDecode } = await import(new URL("../../js/engine/transformer.js", address).href);
          const run = await (await fetch(at)).json();
          const bytes = await (await fetch(bin)).arrayBuffer();
          return [0, 600].map((checkpoint) => {
            const weights = readWeights(bytes, run.weights, checkpoint);
            const told = [...hunted(weights, { seed: 0, numHeads: 2, length: 6, first: 0, count: 150 })];
            const alike = told.filter(({ digits, written, right }) => {
              const tokens = greedyDecode(weights, digits, 6, 2).tokens;
              return String(tokens) === String(written) && right === (String(tokens) === String([...digits].reverse()));
            });
            return [alike.length, told.filter(({ right }) => right).length];
          });
        }"""
    )

    assert [alike for alike, _ in found] == [150, 150]
    assert found[0][1] < 10
    assert found[1][1] > 140


# ------------------------------------------------------------------------------------------------- train it yourself


def train(page: Any) -> Any:
    page.locator("#lab-training .lab-button.is-main").click()
    return page.locator("#lab-training .lab-side > .lab-verdict")


def test_the_training_in_the_browser_lies_on_the_baked_one_to_the_last_step(open_page: Open):
    page = instrument(open_page, "lab-training")

    status = train(page)
    expect(status).to_contain_text("601 losses, largest difference", timeout=300_000)

    told = status.text_content()
    assert float(re.search(r"difference ([\d.]+(?:e−\d+)?)\.", told)[1].replace("−", "-")) <= 1e-9
    ys = [
        float(y)
        for y in re.findall(r"[ML][\d.]+ ([\d.]+)", page.locator("#lab-training .is-now").first.get_attribute("d"))
    ]
    baked_ys = re.findall(r"[ML][\d.]+ ([\d.]+)", page.locator("#lab-training .is-baked").get_attribute("d"))
    assert ys == pytest.approx([float(y) for y in baked_ys], abs=0.11)
    assert len(ys) == 601
    assert page.locator("#lab-training .lab-map .readout").text_content() == "Writes 380527 for 725083."


def test_it_never_starts_by_itself_and_stops_when_told(open_page: Open):
    page = instrument(open_page, "lab-training", "?lr=0.03&copies=2")
    assert page.locator("#lab-training .is-now").first.get_attribute("d") == ""

    status = train(page)
    expect(page.locator("#lab-training .lab-where")).not_to_have_text("step 0 of 600", timeout=60_000)
    page.get_by_role("button", name="Stop", exact=True).click()

    expect(status).to_contain_text("Stopped at step")
    done = page.locator("#lab-training .lab-where").text_content()
    page.wait_for_timeout(400)
    assert page.locator("#lab-training .lab-where").text_content() == done


def test_a_training_goes_on_and_keeps_its_line_while_one_reads_elsewhere(open_page: Open):
    page = wake(lab(open_page, "?lr=0.03"), "lab-training")
    status = train(page)
    expect(page.locator("#lab-training progress")).not_to_have_js_property("value", 0, timeout=60_000)

    page.locator("#a6-s3").scroll_into_view_if_needed()
    expect(page).to_have_url(re.compile(r"/index\.html#a6-s\d$"))
    page.evaluate("document.getElementById('lab-training').scrollIntoView({ block: 'center' })")
    expect(page).to_have_url(re.compile(r"\?lr=0\.03#lab$"))

    expect(status).to_have_text("Training with rate 0.03, falling, clip 1, 2 heads.")
    page.locator("#lab-training .lab-button.is-main").click()
    expect(status).to_contain_text("Stopped at step")
    assert page.locator("#lab-training .is-now").first.get_attribute("d").startswith("M")


def test_another_setting_ends_a_training_and_keeps_its_line(open_page: Open):
    page = instrument(open_page, "lab-training")
    status = train(page)
    expect(page.locator("#lab-training progress")).not_to_have_js_property("value", 0, timeout=60_000)

    page.locator("#lab-training").get_by_role("button", name="4", exact=True).click()

    expect(status).to_contain_text("Press Train to see what rate 0.007, falling, clip 1, 4 heads does.")
    assert page.locator("#lab-training .is-now").first.get_attribute("d") == ""
    assert page.locator("#lab-training .is-before").get_attribute("d").startswith("M")
    page.locator("#lab-training").get_by_role("button", name="Clear").click()
    assert page.locator("#lab-training .is-before").get_attribute("d") == ""


def test_after_several_settings_the_status_names_all_of_them_as_they_are(open_page: Open):
    page = instrument(open_page, "lab-training")
    status = train(page)
    expect(status).to_contain_text("Training with")

    for group, name in (("schedule", "constant"), ("heads", "4"), ("copies", "two")):
        page.locator("#lab-training").get_by_role("group", name=group).get_by_role("button", name=name).click()

    expect(status).to_have_text("Press Train to see what rate 0.007, constant, clip 1, 4 heads, two copies does.")
    page.locator("#lab-training .figure-reset").click()
    expect(status).to_have_text("Press Train to see what rate 0.007, falling, clip 1, 2 heads does.")


SESSION = """async ([settings, steps, twins]) => {
  const { script, run: at, weights: bin } = document.getElementById("lab-training").dataset;
  const address = new URL(script, document.baseURI);
  const { Session, parted } = await import(new URL("session.js", address).href);
  const { readWeights } = await import(new URL("../../js/engine/tensor.js", address).href);
  const run = await (await fetch(at)).json();
  const weights = readWeights(await (await fetch(bin)).arrayBuffer(), run.weights, 0);
  const given = { steps: 600, batchSize: 128, maxNorm: 1, numHeads: 2, seed: run.seed, length: 6, decay: false };
  const session = new Session(weights, { ...given, ...settings }, twins);
  const found = [];
  for (const step of session.steps()) {
    found.push({ ...step, parted: twins && parted(step.loss, step.twin) });
    if (found.length > steps) break;
  }
  return found;
}"""


def test_two_copies_one_bit_apart_part_at_a_high_rate_and_stay_together_at_the_baked_one(open_page: Open):
    page = instrument(open_page, "lab-training")

    high = page.evaluate(SESSION, [{"learningRate": 0.07}, 110, True])
    low = page.evaluate(SESSION, [{"learningRate": 0.007, "decay": True}, 110, True])

    assert 0 < high[0]["distance"] < 1e-15
    assert 10 < next(step for step, one in enumerate(high) if one["parted"]) < 110
    assert high[-1]["distance"] > 1e-2
    assert not any(one["parted"] for one in low)
    assert low[-1]["distance"] < 1e-9


def test_other_heads_are_the_same_weights_cut_otherwise(open_page: Open):
    page = instrument(open_page, "lab-training")
    baked_losses = baked("reverse-digits")["series"]["loss"]["values"]

    losses = {
        heads: [one["loss"] for one in page.evaluate(SESSION, [{"learningRate": 0.007, "numHeads": heads}, 3, False])]
        for heads in (1, 2, 4)
    }

    assert losses[2][0] == pytest.approx(baked_losses[0], abs=1e-12)
    for heads in (1, 4):
        assert losses[heads][0] != losses[2][0]
        assert losses[heads][0] == pytest.approx(losses[2][0], abs=0.5)


def test_a_training_without_weights_says_so_and_can_be_tried_again(open_page: Open):
    page = instrument(open_page, "lab-training")
    page.context.route("**/*.bin", lambda route: route.fulfill(status=200, body=b"short"))

    status = train(page)

    expect(status).to_contain_text("The training broke off: weights end before")
    expect(page.locator("#lab-training .lab-button.is-main")).to_have_text("Train")


def test_the_whole_lab_can_be_used_by_keyboard_alone(open_page: Open):
    page = lab(open_page)
    for figure in INSTRUMENTS:
        wake(page, figure)
    settle(page)
    names = set()
    page.locator("#lab-pooling .choice").first.focus()

    for _ in range(80):
        names.add(
            page.evaluate(
                "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.slice(0, 40)"
            )
        )
        page.keyboard.press("Tab")

    for wanted in ("Gaussian", "width", "query", "i", "j", "Six digits to reverse", "Another six", "Digits written"):
        assert wanted in names, wanted
    for wanted in ("Hunt through 10,000", "learning rate", "constant", "none", "Train"):
        assert wanted in names, wanted


def test_the_caption_and_the_code_agree_on_the_thresholds(open_page: Open):
    page = lab(open_page)

    near, off = module(page, "lab-pooling", "verdict.js", "({ NEAR, OFF }) => [NEAR, OFF]")
    share = module(page, "lab-training", "session.js", "({ PARTED }) => PARTED")

    captions = page.locator("#lab figcaption .caption").all_text_contents()
    assert f"near up to {near - 1:.0%}".replace("%", " %") in captions[0]
    assert f"a bit off up to {off - 1:.0%}".replace("%", " %") in captions[0]
    assert f"differ by {share:.0%}".replace("%", " %") in captions[3]


def test_the_run_has_what_the_first_address_of_the_reverser_needs():
    state = json.dumps(baked("reverse-digits")["examples"]["tokens"]["source"])

    assert state == "[7, 2, 5, 0, 8, 3]"
