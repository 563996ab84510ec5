"""Where a reader is: every step by its address, by jumps, by touch; and the same place and state by whichever way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.browser.browsing import settle
from tests.browser.living import ROOT, Open

CHAPTERS = [path.parent.name.partition("-")[2] for path in sorted((ROOT / "content").glob("*/chapter.toml"))]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCALES = (1, 1.25, 1.5, 2)
JUMPS = 26  # for each scale and chapter: 208 in all

# What the scripts below share: `seen(id)`, the words of a figure once it lives, but those that are only said when
# something changes; and `read()`, the place that the middle of the window is in, told from the geometry alone.
SHARED = """
  const { story } = await import(document.querySelector("script[type=module]").src);
  const frame = () => new Promise(requestAnimationFrame);
  const frames = async (count) => { while (count-- > 0) await frame(); };
  const current = () => [...document.querySelectorAll("[aria-current=step]")].map((step) => step.id);
  const seen = async (id) => {
    const figure = document.getElementById(id);
    for (let k = 0; k < 1200 && figure.dataset.live !== "yes"; k += 1) await frame();
    const live = figure.querySelector(".figure-live");
    const told = [...live.querySelectorAll("[role=status].visually-hidden")].map((one) => one.innerText);
    return told.reduce((text, one) => text.replace(one, ""), live.innerText).replace(/\\s+/g, " ").trim();
  };
  const read = () => {
    const begins = (place) => (place.matches(".scene .step:first-child") ? place.closest(".scene") : place);
    const passed = (place) => begins(place).getBoundingClientRect().top <= document.documentElement.clientHeight / 2;
    return [...document.querySelectorAll(".step[id], .section[id]")].filter(passed).at(-1) ?? null;
  };
"""

# Every step, its figure, and a query that changes one thing in it: "?t=128".
LINKS = """async () => {
  /* shared */
  const other = ([name, range], given) => {
    if (Array.isArray(range)) return range.find((value) => value !== given[name]);
    const { min = 0, max = min + 1 } = range;
    return given[name] === max ? min : max;
  };
  return story.steps.map((step) => {
    const figure = story.figures.get(step.dataset.figure);
    const given = { ...figure?.defaults, ...JSON.parse(step.dataset.state) };
    const [changed] = Object.entries(figure?.allowed ?? {})
      .map((entry) => [entry[0], other(entry, given)]).filter(([, value]) => value !== undefined);
    return { id: step.id, figure: figure?.id ?? null, changed: changed ?? null };
  });
}""".replace("/* shared */", SHARED)

ARRIVED = """async ({ id, figure, changed }) => {
  /* shared */
  for (let k = 0; k < 600 && document.readyState !== "complete"; k += 1) await frame();
  const before = history.length;
  const words = figure && (await seen(figure));
  await frames(3);
  const there = {
    active: current(), read: read()?.id ?? null, search: location.search, hash: location.hash, words,
    focus: document.activeElement.closest(".step")?.id ?? null,
    value: changed && story.state(figure)[changed[0]], reset: words,
  };
  if (changed) {
    story.reset(figure);
    await frames(2);
    there.reset = await seen(figure);
  }
  return { ...there, grown: history.length - before };
}""".replace("/* shared */", SHARED)

JUMP = """async (shares) => {
  /* shared */
  const found = [];
  for (const share of shares) {
    scrollTo({ top: share * (document.documentElement.scrollHeight - innerHeight), behavior: "instant" });
    await frames(3);
    const place = read();
    const step = place?.matches(".step") ? place : null;
    const figure = step?.dataset.figure ?? null;
    const near = figure && story.figures.get(figure).body.getBoundingClientRect();
    const comes = near && near.bottom > 0 && near.top < innerHeight;
    found.push({ active: current(), read: step ? [step.id] : [], words: comes ? await seen(figure) : null });
  }
  return found;
}""".replace("/* shared */", SHARED)


@pytest.fixture(scope="module")
def visits(browser: Any, address: str) -> Iterator[Callable[[str], dict[str, dict[str, Any]]]]:
    """`visits(chapter)`: step -> its link and what a direct visit by it shows; of every second step another state."""
    known: dict[str, dict[str, dict[str, Any]]] = {}
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    page = context.new_page()

    def of(chapter: str) -> dict[str, dict[str, Any]]:
        if chapter not in known:
            page.goto(f"{address}{chapter}/index.html")
            known[chapter] = {}
            for number, link in enumerate(page.evaluate(LINKS)):
                if number % 2 == 0:
                    link["changed"] = None
                name, value = link["changed"] or ("visit", number)  # a name that no figure knows makes the page load
                query = f"?{name}={str(value).lower() if isinstance(value, bool) else value}"
                page.goto(f"{address}{chapter}/index.html{query}#{link['id']}", wait_until="domcontentloaded")
                known[chapter][link["id"]] = {**link, "query": query, **page.evaluate(ARRIVED, link)}
        return known[chapter]

    yield of
    context.close()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_step_is_reached_by_its_address_with_its_state_and_the_focus(visits: Any, chapter: str):
    visited = visits(chapter)
    assert len(visited) > 15
    assert sum(one["changed"] is not None for one in visited.values()) > 5

    for step, one in visited.items():
        assert one["active"] == [one["read"]] == [step]
        assert one["focus"] == step
        assert one["hash"] == f"#{step}"
        assert one["grown"] == 0
        if one["changed"]:
            assert one["value"] == one["changed"][1], step
            assert one["search"] == one["query"].replace(" ", "+"), step
        else:
            assert one["search"] == "", "what no figure knows is no part of the address"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_jumps_at_any_scale_lead_to_one_step_in_the_state_of_a_direct_visit(open_page: Open, visits: Any, chapter: str):
    visited = visits(chapter)
    for scale in SCALES:
        page = open_page(f"{chapter}/index.html", device_scale_factor=scale, reduced_motion="reduce")
        before = page.evaluate("history.length")
        wander = Random(100 * scale)

        jumps = page.evaluate(JUMP, [wander.random() for _ in range(JUMPS)])

        assert sum(jump["words"] is not None for jump in jumps) > JUMPS / 4
        for jump in jumps:
            assert jump["active"] == jump["read"]
            if jump["words"] is not None:  # else its figure is above or below the window
                assert jump["words"] == visited[jump["read"][0]]["reset"], f"{jump['read']} at {scale}"
        assert page.evaluate("history.length") == before
        page.close()


# A place of the page, with its figure, and what a reader would see change there.
BAR = """async (figure) => {
  /* shared */
  await frames(3);
  const words = figure && (await seen(figure));
  const top = Math.round(document.querySelector("[aria-current=step]").getBoundingClientRect().top);
  return { active: current(), words, search: location.search, top, length: history.length };
}""".replace("/* shared */", SHARED)
# A bar of addresses takes room from the window, but not from what is laid out by its least height.
COVER = """(height) => {
  Object.defineProperty(window, "innerHeight", { value: height, configurable: true });
  dispatchEvent(new Event("resize"));
}"""
GO = """async (id) => {
  const { story } = await import(document.querySelector("script[type=module]").src);
  story.go(document.getElementById(id));
}"""
ACTIVE = "() => document.querySelector('[aria-current=step]')?.id"


def swipe(page: Any, by: int) -> None:
    """A finger that moves up by so many pixels."""
    touch = page.context.new_cdp_session(page)
    for kind, y in [("touchStart", 800), *(("touchMove", 800 - by * part // 8) for part in range(1, 9))]:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 8, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touch.detach()
    page.evaluate(
        """async () => {
          const frame = () => new Promise(requestAnimationFrame);
          for (let still = 0, y = scrollY; still < 5; y = scrollY) {
            await frame();
            still = scrollY === y ? still + 1 : 0;
          }
        }"""
    )


def test_a_bar_that_comes_and_goes_or_a_lower_window_changes_nothing_on_a_phone(open_page: Open):
    page = open_page(f"{CHAPTERS[0]}/index.html", **PHONE)
    links = page.evaluate(LINKS)
    for link in links[1 :: len(links) // 7]:
        page.evaluate(GO, link["id"])
        arrived = page.evaluate(BAR, link["figure"])
        assert arrived["active"] == [link["id"]]
        for height in (844 - 80, 844 + 80, 844):
            page.set_viewport_size({"width": 390, "height": height})
            now = page.evaluate(BAR, link["figure"])
            assert {**now, "top": arrived["top"]} == arrived
        assert abs(now["top"] - arrived["top"]) <= 2

        swipe(page, 230)
        moved = page.evaluate(BAR, link["figure"])
        assert moved["active"] != arrived["active"] or moved["top"] < arrived["top"]
        for height in (844 - 80, 844 + 80, 844):
            page.evaluate(COVER, height)
            now = page.evaluate(BAR, link["figure"])
            assert {**now, "top": moved["top"]} == moved
            assert abs(now["top"] - moved["top"]) <= 2


def test_what_is_changed_by_touch_at_the_end_of_act_two_opens_anywhere_from_its_address(open_page: Open):
    page = open_page(f"{CHAPTERS[0]}/index.html#a2-s1", **PHONE)
    steps = page.eval_on_selector_all("#a2 .step", "all => all.map((one) => one.id)")
    assert page.evaluate(ACTIVE) == steps[0]
    for step in steps[1:]:
        page.get_by_role("button", name="Next step").tap()
        page.wait_for_function("(id) => document.querySelector('[aria-current=step]')?.id === id", arg=step)
    page.wait_for_selector("#width[data-live=yes]")
    slider = page.locator("#width input[type=range]")
    slider.scroll_into_view_if_needed()
    settle(page)
    before = slider.get_attribute("aria-valuetext")
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    page.wait_for_function("() => location.search.startsWith('?width=')")
    state = "async (id) => { /* shared */ return [story.state(id), await seen(id), current()]; }"
    state = state.replace("/* shared */", SHARED)
    left = page.evaluate(state, "width")
    assert slider.get_attribute("aria-valuetext") != before
    assert left[2] == [steps[-1]]

    elsewhere = open_page(page.url.removeprefix(open_page.address), viewport=PHONE["viewport"])
    assert elsewhere.evaluate(state, "width") == left

    for _ in range(8):  # and on to the end of the act
        swipe(page, 600)
    bottom = page.evaluate("() => document.querySelector('#a2').getBoundingClientRect().bottom")
    assert bottom < 844 * 1.5
