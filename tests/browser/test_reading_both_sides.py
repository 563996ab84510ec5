"""Chapter two, act 2, and its instrument: what is drawn and said is the run's, and the model answers in the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.living import baked, faults, wake

RUN = "masked-characters"
KINDS = {  # figure -> its kind
    "late-letter": "late-letter",
    "masked-window": "masked-window",
    "by-position": "by-position",
    "fill-in": "fill-in",
    "reading-replay": "reading-replay",
    "mask-it": "lab-mask",
}
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return baked(RUN)


def figure(open_page: Open, name: str, query: str = "", **options: Any) -> Any:
    return wake(open_page(f"figures/{name}/{query}", **options), name)


@pytest.mark.parametrize("name", KINDS)
def test_each_is_legible_on_a_phone_and_says_its_kind(open_page: Open, name: str):
    page = figure(open_page, name, viewport={"width": 360, "height": 800}, has_touch=True)

    assert page.locator(f"#{name}").get_attribute("data-kind") == KINDS[name]
    assert faults(page, name) == []


def test_under_the_causal_mask_nothing_before_the_change_moves(open_page: Open, run: dict[str, Any]):
    late = run["examples"]["late_token"]["place"]
    page = figure(open_page, "late-letter", f"?place={late - 1}")
    read = page.locator("#late-letter .readout")

    expect(read).to_contain_text("from the left alone by exactly 0")
    page.get_by_role("slider", name="Letter").press("End")
    expect(read).not_to_contain_text("exactly 0")
    bars = page.eval_on_selector_all(
        ".letter-bar.is-below", "bars => bars.map((bar) => Number(bar.getAttribute('height')))"
    )
    moved = run["series"]["moved_causal"]["values"]
    assert [height > 0 for height in bars] == [value > 0 for value in moved]


def test_every_hidden_letter_has_its_term(open_page: Open, run: dict[str, Any]):
    told = run["examples"]["terms"]
    page = figure(open_page, "masked-window", "?term=1")
    term = told["terms"][1]

    expect(page.locator("#masked-window .readout")).to_contain_text(f"= {term['loss']:.2f}.")
    expect(page.locator("#masked-window .terms-sum")).to_contain_text(f"{len(told['terms'])} terms, {told['mean']:.2f}")
    expect(page.locator("#masked-window .letter-box.is-hidden")).to_have_count(len(told["terms"]))


def test_the_loss_at_a_position_is_read_out_for_all_three_models(open_page: Open, run: dict[str, Any]):
    page = figure(open_page, "by-position", "?place=0")
    names = ("loss_by_position", "light_masked_by_position", "light_causal_by_position")
    large, small, left = (f"{run['series'][name]['values'][0]:.2f}" for name in names)

    expect(page.locator("#by-position .readout")).to_have_text(
        f"Position 0: large model, both sides {large}; small model, both sides {small}; "
        f"small model, left side alone {left}."
    )
    expect(page.locator("#by-position .band")).to_have_count(3)


def test_a_gap_is_filled_from_both_sides_and_from_the_left(open_page: Open, run: dict[str, Any]):
    sentence = run["examples"]["sentences"][1]
    page = figure(open_page, "fill-in", "?sentence=1")

    expect(page.locator("#fill-in .readout")).to_contain_text(f"from both sides {sentence['probability']:.2f}")
    assert page.locator("#fill-in .bar-name").all_text_contents() == [
        "space" if guess["letter"] == " " else guess["letter"] for guess in [*sentence["top"], *sentence["left_top"]]
    ]


def test_the_training_is_replayed_with_its_gaps(open_page: Open, run: dict[str, Any]):
    page = figure(open_page, "reading-replay", "?t=0")
    track = page.get_by_role("slider", name="Training step")

    expect(page.locator("#reading-replay .scrub-read")).to_have_text("step 0 of 2000")
    track.press("End")
    trained, held_out = run["series"]["accuracy_by_checkpoint"]["values"][-2:]
    expect(page.locator("#reading-replay .readout")).to_contain_text(f"{trained:.0%} of hidden letters")
    expect(page.locator("#reading-replay .readout")).to_contain_text(f"{held_out:.0%} in text held out")


def test_text_is_brought_into_the_models_alphabet(open_page: Open):
    page = figure(open_page, "mask-it")

    found = page.evaluate(
        """async () => {
          const kind = document.querySelector("#mask-it").dataset.script;
          const text = await import(new URL("text.js", new URL(kind, document.baseURI)).href);
          const { cleaned, readPlaces, whatChanged, wordAround } = text;
          return {
            plain: cleaned("  Hällo,  WÖRLD… Straße 12!", 64),
            cut: cleaned("abcdef", 4),
            none: [cleaned("注意力 ✓ 12", 64), whatChanged("注意力", "", 64)],
            quiet: whatChanged("Some Words", "some words", 64),
            long: whatChanged("abcdef", "abcd", 4),
            places: ["14,9 9 3 700", "", "-1", "1e0", "14, 9", "3x"].map((written) => readPlaces(written, 64)),
            word: wordAround("a traveller so", [2, 5], 5),
          };
        }"""
    )

    assert found == {
        "plain": "hallo world strasse ",
        "cut": "abcd",
        "none": ["", "The model knows the letters a to z and the space. Some letters, please."],
        "quiet": "",
        "long": "It reads 4 letters; the rest is cut off.",
        "places": [[3, 9, 14], [], [], [], [], []],
        "word": "_ra_eller",
    }


def test_one_question_is_computed_and_the_newest_alone_waits(open_page: Open):
    page = figure(open_page, "mask-it", "?hidden=-1&text=%E0%A4%A")
    page.wait_for_url("**/figures/mask-it/")  # what an address cannot mean is left out of it
    expect(page.locator("#mask-it .mask-letter[aria-pressed=true]")).to_have_count(3)

    found = page.evaluate(
        """async () => {
          const kind = document.querySelector("#mask-it").dataset.script;
          const { newestOnly } = await import(new URL("model.js", new URL(kind, document.baseURI)).href);
          const posted = [];
          const { ask, answered } = newestOnly((question) => posted.push(question));
          const questions = { ask, answered };
          const told = [];
          for (const question of ["a", "b", "c", "d"]) questions.ask(question);
          told.push([...posted]);
          told.push(questions.answered(), [...posted]); // to a, while d waited
          told.push(questions.answered(), [...posted]); // to d
          questions.ask("e"), questions.ask("f"), questions.ask(null);
          told.push(questions.answered(), [...posted]); // nothing is asked any more
          questions.ask("g");
          told.push(questions.answered(), [...posted]);
          return told;
        }"""
    )

    through_d, through_e = ["a", "d"], ["a", "d", "e"]
    assert found == [["a"], False, through_d, True, through_d, False, through_e, True, [*through_e, "g"]]


# What is posted to the worker, and what the verdict says at once, as eight letters are pressed and all are shown again.
HURRY = """() => {
  const post = Worker.prototype.postMessage;
  window.posted = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    window.posted.push(message.hidden.length);
    return post.call(this, message, ...rest);
  };
  const verdict = document.querySelector("#mask-it .mask-verdict");
  const said = [];
  for (const letter of [...document.querySelectorAll("#mask-it .mask-letter")].slice(15, 23)) {
    letter.click();
    said.push([verdict.textContent, verdict.querySelector("[role=status]").textContent]);
  }
  return said;
}"""


def test_the_model_comes_on_demand_and_agrees_with_torch_on_the_same_weights(
    open_page: Open, run: dict[str, Any], address: str
):
    asked: list[str] = []
    page = open_page("figures/mask-it/")
    page.on("request", lambda request: asked.append(request.url))
    wake(page, "mask-it")
    assert not any(url.endswith(".bin") for url in asked), "no weight arrives before a reader asks for it"

    page.get_by_role("button", name="Load the model").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#mask-it .mask-guesses tbody tr")).to_have_count(3, timeout=30_000)
    expect(page.locator("#mask-it .mask-letter:focus")).to_have_count(1)
    expect(page.locator("#mask-it .mask-verdict")).to_contain_text("of 3 right at the first guess")

    far = page.evaluate(
        """async () => {
          const figure = document.querySelector("#mask-it");
          const home = new URL(figure.dataset.script, document.baseURI);
          const { readWeights } = await import(new URL("../../js/engine/tensor.js", home).href);
          const { tokenEncoder } = await import(new URL("../../js/engine/wirings.js", home).href);
          const run = await (await fetch(figure.dataset.run)).json();
          const bytes = await (await fetch(figure.dataset.weights)).arrayBuffer();
          const weights = readWeights(bytes, run.weights, run.probe.checkpoint);
          const { tokens, num_heads: heads } = run.probe.inputs;
          const wanted = run.probe.outputs.logits.values;
          const found = tokens.flatMap((row) => [...tokenEncoder(weights, row, heads).logits.data]);
          const gaps = found.map((value, k) => Math.abs(value - wanted[k]));
          return { count: found.length, wanted: wanted.length, largest: Math.max(...gaps) };
        }"""
    )
    assert far["count"] == far["wanted"] > 0
    assert far["largest"] <= 1e-5

    # in a hurry: what is out of date is neither computed nor said
    assert page.evaluate(HURRY) == [[f"{hidden} hidden: computing…", ""] for hidden in range(4, 12)]
    expect(page.locator("#mask-it .mask-guesses tbody tr")).to_have_count(11, timeout=30_000)
    expect(page.locator("#mask-it .mask-verdict")).to_contain_text("of 11 right at the first guess")
    page.get_by_role("button", name="Hide none").click()
    expect(page.locator("#mask-it .mask-verdict")).to_have_text("Nothing is hidden: press a letter.")
    assert page.evaluate("window.posted") == [4, 11]
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#mask-it .mask-guesses tbody tr")).to_have_count(3, timeout=30_000)

    # keys: one stop for Tab, the arrows lead on, and the address follows
    first = page.locator("#mask-it .mask-letter").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#mask-it .mask-guesses tbody tr")).to_have_count(4, timeout=30_000)
    expect(page.locator("#mask-it .mask-letter:focus")).to_have_attribute("aria-label", "h, letter 2, hidden")
    page.locator("#mask-it .mask-field").fill("It was, at last, Thursday")
    page.wait_for_url("**/figures/mask-it/?*text=it+was+at+last+thursday*")
    expect(page.locator("#mask-it .mask-letter")).to_have_count(len("it was at last thursday"))


def test_a_model_that_does_not_arrive_is_told_and_can_be_asked_for_again(open_page: Open):
    page = figure(open_page, "mask-it", "?hidden=3")
    page.route("**/*.bin", lambda route: route.abort())
    button = page.get_by_role("button", name="Load the model")
    button.click()
    expect(page.get_by_role("alert")).to_have_text("The model did not arrive: is there a network?")

    page.unroute("**/*.bin")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#mask-it .mask-guesses tbody tr")).to_have_count(1, timeout=30_000)
    page.complaints[:] = [one for one in page.complaints if "ERR_FAILED" not in one]
