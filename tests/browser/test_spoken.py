"""What a screen reader is given and keys alone reach: a map, a scrubber, a formula, and what an alignment says."""

from __future__ import annotations

import re

from tests.browser.browsing import settle
from tests.browser.living import Open, alive, baked, block

# Before training the scorer is nought, so every weight is a quarter.
MAP = """\
- 'grid "Attention: rows are the French words being written, columns the English words read"':
  - row "the red car <eos>":
    - columnheader "the"
    - columnheader "red"
    - columnheader "car"
    - columnheader "<eos>"
""" + "".join(
    f"""\
  - 'row "{query} {"".join(f"query {query}, key {key}: 0.25" for key in ("the", "red", "car", "<eos>"))}"':
    - rowheader "{query}"
    - 'gridcell "query {query}, key the: 0.25"'
    - 'gridcell "query {query}, key red: 0.25"'
    - 'gridcell "query {query}, key car: 0.25"'
    - 'gridcell "query {query}, key <eos>: 0.25"'
"""
    for query in ("la", "voiture", "rouge", "<eos>")
)
SCRUBBER = """\
- button "Play the training"
- slider "Training step": "0"
- status"""
FORMULA = """\
- group "Equation 4.1":
  - math: c t = ∑ i α ( s t − 1 , h i ) h i"""
FOCUSED = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"


def test_a_map_a_scrubber_and_a_formula_are_given_in_words_and_by_keys_alone_one_learns_what_each_word_reads(
    open_page: Open,
):
    page = alive(open_page, "alignment", "a4-s3")
    figure = page.locator("#alignment")
    assert figure.locator(".heat-map").aria_snapshot() == MAP.strip()
    assert figure.locator(".scrub").aria_snapshot() == SCRUBBER
    assert page.locator("#a4-s2 .equation").aria_snapshot() == FORMULA
    assert "voiture reads all alike (0.25)" in figure.aria_snapshot()
    assert page.evaluate("document.activeElement.closest('.step').id") == "a4-s3"

    page.keyboard.press("f")
    page.wait_for_function(f"() => ({FOCUSED})() === 'Play the training'")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Training step"
    page.keyboard.press("End")
    settle(page)
    assert page.evaluate("document.activeElement.ariaValueText").startswith("step 100 of 100, loss 0.0")

    # from what is given to a screen reader alone: the source word with the largest weight, for each target word
    run = baked("bahdanau-alignment")["series"]["attention"]
    target, source = run["coordinates"]["query"], run["coordinates"]["key"]
    tree = figure.aria_snapshot()
    told = re.findall(r'gridcell "query (\S+), key (\S+): ([\d.]+)"', tree)
    assert len(told) == len(target) * len(source)
    for word in target:
        weights = block(run, checkpoint=100, query=word)
        best = source[weights.index(max(weights))]
        row = {key: float(weight) for query, key, weight in told if query == word}
        assert max(row, key=row.__getitem__) == best
        assert f"{word} reads {best} most ({max(weights):.2f})" in tree

    # and by going there: down the first column, then along the last row
    page.keyboard.press("Tab")
    walked = [page.evaluate(FOCUSED)]
    for key in ["ArrowDown"] * (len(target) - 1) + ["ArrowRight"] * (len(source) - 1):
        page.keyboard.press(key)
        walked.append(page.evaluate(FOCUSED))
    rows = {word: block(run, checkpoint=100, query=word) for word in target}
    path = [(word, 0) for word in target] + [(target[-1], column) for column in range(1, len(source))]
    assert walked == [f"query {word}, key {source[column]}: {rows[word][column]:.2f}" for word, column in path]
    assert figure.locator(".readout").inner_text() == f"Writing <eos>, reading <eos>: {rows['<eos>'][-1]:.3f}."

    page.keyboard.press("f")
    page.wait_for_function("() => document.activeElement.id === 'a4-s3-title'")
    assert page.evaluate("document.querySelector('[aria-current=step]').id") == "a4-s3"
