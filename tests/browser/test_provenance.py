"""Where a figure comes from, on the built page: checked where it stands, linked to, and framed elsewhere."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.browser.browsing import served, settle

ROOT = Path(__file__).parents[2]
CHAPTER = "attention-and-transformers/index.html"
OWN = "figures/replay/index.html"
RUN = "reverse-digits"
RIGHT = re.compile(r"✓ 1,104 numbers, largest difference \d\.\de-1[4-9]; sha256 as stated\.")
Open = Callable[..., Any]


def opened(open_page: Open, path: str = OWN, **options: Any) -> Any:
    """The replay's provenance, open; `check` and its answer are there once the script is."""
    page = open_page(path, **options)
    page.locator("#replay .provenance > summary").click()
    page.locator("#replay .check button").wait_for()
    return page


def answer(page: Any) -> Any:
    return page.locator("#replay .check p")


def press(page: Any) -> str:
    """What the check says in the end."""
    page.locator("#replay .check button").click()
    page.locator("#replay .check p[class^=is-]").wait_for(timeout=30_000)
    return answer(page).inner_text()


def served_otherwise(page: Any, end: str, change: Callable[[bytes], bytes] | None, status: int = 200) -> None:
    """From now on the run's file arrives as `change` makes it, or not at all."""
    file = ROOT / "build" / "runs" / RUN / ("weights.bin" if end == ".bin" else "run.json")

    def fulfil(route: Any) -> None:
        body = change(file.read_bytes()) if change else b""
        route.fulfill(status=status, body=body)

    page.route(re.compile(rf"/data/{RUN}\.\w{{12}}{re.escape(end)}$"), fulfil)


# --------------------------------------------------------------------------------------------------- check it here


@pytest.mark.parametrize("path", [OWN, f"{CHAPTER}#a6-s3"])
def test_a_figure_is_recomputed_where_it_stands(open_page: Open, path: str):
    page = opened(open_page, path)

    assert RIGHT.fullmatch(press(page))
    expect(answer(page)).to_have_class("is-right")
    assert RIGHT.fullmatch(press(page)), "and again"


def test_nothing_of_the_engine_is_fetched_before_the_click(open_page: Open):
    page = opened(open_page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    loaded = "() => performance.getEntriesByType('resource').map((one) => one.name)"
    before = page.evaluate(loaded)

    press(page)

    assert [url for url in before if "/engine/" in url or url.endswith(("check.js", ".bin"))] == []
    assert any(url.endswith("/js/engine/probes.js") for url in asked)
    assert sum(url.endswith(".bin") for url in asked) == 1
    assert sum("/data/" in url and url.endswith(".json") for url in asked) == 1, "the run is fetched anew"


def every_offset(data: bytes) -> list[int]:
    return [0, len(data) // 2, len(data) - 1]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_changed_byte_of_the_weights_is_told(open_page: Open, place: int):
    page = opened(open_page)

    def change(data: bytes) -> bytes:
        at = every_offset(data)[place]
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    served_otherwise(page, ".bin", change)

    said = press(page)
    assert said.startswith("✗ Not as baked: the weights file is not the one that was baked: its sha256 is ")
    expect(answer(page)).to_have_class("is-wrong")
    expect(page.locator("#replay .figure-body")).to_be_visible()


def test_one_changed_digit_of_the_json_is_told(open_page: Open):
    page = opened(open_page)
    loss = json.loads((ROOT / "build/runs" / RUN / "run.json").read_text("utf-8"))["probe"]["outputs"]["logits"]
    number = repr(loss["values"][5]).encode()
    served_otherwise(page, ".json", lambda data: data.replace(number, number[:-1] + bytes([number[-1] ^ 1]), 1))

    said = press(page)

    assert said.startswith("✗ Not as baked: the JSON is not the one this page was made with: its sha256 is ")


@pytest.mark.parametrize(
    ("end", "change", "said"),
    [
        (".bin", lambda data: data[:1000], "the weights file is not the one that was baked: its sha256 is "),
        (".bin", lambda data: b"", "the weights file is not the one that was baked: its sha256 is "),
        (".json", lambda data: data[:1000], "the JSON is not the one this page was made with: its sha256 is "),
        (".json", lambda data: b"{}", "the JSON is not the one this page was made with: its sha256 is "),
        (".json", lambda data: b"\xff" + data, "the JSON is not the one this page was made with: its sha256 is "),
    ],
)
def test_what_does_not_arrive_as_baked_is_told_in_words(
    open_page: Open, end: str, change: Callable[[bytes], bytes], said: str
):
    page = opened(open_page)
    served_otherwise(page, end, change)

    assert press(page).startswith(f"✗ Not as baked: {said}")
    expect(answer(page)).to_have_class("is-wrong")


@pytest.mark.parametrize(
    ("end", "status", "what"),
    [(".bin", 404, "the weights file"), (".json", 404, "the JSON"), (".json", 500, "the JSON")],
)
def test_what_the_server_does_not_give_leaves_the_run_unchecked(open_page: Open, end: str, status: int, what: str):
    page = opened(open_page)
    served_otherwise(page, end, None, status)

    assert press(page) == f"Could not be checked: {what} did not come, the server answered {status}."
    expect(answer(page)).to_have_class("is-unchecked")
    page.complaints[:] = [one for one in page.complaints if f"{status}" not in one]  # the console tells it too


def test_another_run_of_the_same_kind_is_not_taken_for_this_one(open_page: Open):
    """Right by its own digest, but not by the one on the page."""
    page = opened(open_page)
    other = (ROOT / "build/runs/attention-heads/run.json").read_bytes()
    served_otherwise(page, ".json", lambda _: other)

    assert "the JSON is not the one this page was made with" in press(page)


@pytest.mark.parametrize("lost", ["check.js", "check-worker.js", "engine/probes.js"])
def test_an_engine_that_does_not_arrive_is_told(open_page: Open, lost: str):
    page = opened(open_page)
    page.route(re.compile(rf"/js/{re.escape(lost)}$"), lambda route: route.abort())

    assert re.fullmatch(r"Could not be checked: the engine could not (be loaded|start)\.", press(page))
    expect(answer(page)).to_have_class("is-unchecked")
    page.complaints[:] = [one for one in page.complaints if "ERR_FAILED" not in one]


def test_a_line_that_is_cut_is_told(open_page: Open):
    page = opened(open_page)
    page.route(re.compile(r"/data/.*\.bin$"), lambda route: route.abort())

    assert press(page) == "Could not be checked: the weights file could not be fetched."
    expect(answer(page)).to_have_class("is-unchecked")
    page.complaints[:] = [one for one in page.complaints if "ERR_FAILED" not in one]


def test_without_https_the_numbers_are_compared_and_the_rest_is_said(browser: Any, site: Path):
    """Browsers keep sha256 from pages of plain http; the same files under a name that is not this machine's."""
    context = browser.new_context()
    page = context.new_page()
    changed: list[bool] = []
    types = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}

    def serve(route: Any) -> None:
        path = site / route.request.url.split("/", 3)[3].split("?")[0]
        body = path.read_bytes()
        if changed and path.suffix == ".bin":
            body = body[:-80] + bytes(80)  # the bias of the output at the last checkpoint
        route.fulfill(body=body, content_type=types.get(path.suffix, "application/octet-stream"))

    context.route("http://plain.test/**", serve)
    page.goto(f"http://plain.test/{OWN}")
    page.locator("#replay .provenance > summary").click()

    assert press(page).endswith("; sha256 not compared, which a browser does only over https.")
    changed.append(True)
    assert re.fullmatch(r"✗ Not as baked: logits\[\d+\] differs by \S+, more than 1\.0e-9\.", press(page))
    context.close()


def test_a_check_by_keyboard_keeps_the_focus_and_moves_nothing(open_page: Open):
    page = opened(open_page)
    button = page.locator("#replay .check button")
    button.focus()
    below = page.locator("#replay .made > a").first
    before = below.bounding_box()

    page.keyboard.press("Enter")
    page.locator("#replay .check p.is-right").wait_for(timeout=30_000)

    expect(button).to_be_focused()
    expect(answer(page)).to_have_attribute("role", "status")
    assert below.bounding_box() == before


def test_without_a_script_no_button_is_dead(open_page: Open):
    page = open_page(OWN, java_script_enabled=False)
    page.locator("#replay .provenance > summary").click()

    assert page.locator("#replay .provenance button").count() == 0
    expect(page.locator("#replay .embed")).to_be_visible()


def test_only_runs_with_a_probe_can_be_checked(open_page: Open):
    page = open_page(CHAPTER)
    page.mouse.wheel(0, 100)
    page.locator("#replay .check button").wait_for(state="attached")

    found = page.evaluate(
        """() => [...document.querySelectorAll("figure[data-kind]")].map((figure) =>
          [figure.dataset.run?.match(/data\\/([^.]+)/)[1] ?? "", figure.querySelectorAll(".check button").length])"""
    )

    for run, buttons in found:
        path = ROOT / "build" / "runs" / run / "run.json"
        probed = run != "" and json.loads(path.read_text("utf-8"))["probe"] is not None
        assert buttons == int(probed), run


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_open_provenance_has_no_barrier(open_page: Open, scheme: str):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(open_page, color_scheme=scheme, bypass_csp=True)
    press(page)

    found = axe.Axe().run(page)

    assert found.response["violations"] == []


# ---------------------------------------------------------------------------------------------------------- sharing


def test_the_link_and_the_frame_carry_the_state_that_is_shown(open_page: Open):
    page = opened(open_page, f"{CHAPTER}?t=128#a6-s3")
    page.locator("#replay .provenance").hover()

    whole = f"{open_page.address}{OWN}?t=128"
    expect(page.locator("#replay a.share")).to_have_attribute("href", whole)
    expect(page.locator("#replay a.share")).to_have_text(whole)
    assert page.locator("#replay .embed").inner_text().startswith(f'<iframe src="{whole}" title="')


def test_link_and_frame_are_copied(open_page: Open):
    page = opened(open_page, permissions=["clipboard-read", "clipboard-write"])
    read = "() => navigator.clipboard.readText()"

    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate(read) == f"{open_page.address}{OWN}"
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_text("Copied.")).to_have_count(2)
    assert page.evaluate(read) == page.locator("#replay .embed").inner_text()


def test_without_a_clipboard_the_text_is_selected(open_page: Open):
    page = opened(open_page)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")

    page.get_by_role("button", name="Copy the code").click()

    expect(page.get_by_text("Selected: copy it with your keyboard.")).to_be_visible()
    assert page.evaluate("() => getSelection().toString()") == page.locator("#replay .embed").inner_text()


# ------------------------------------------------------------------------------------------------ a page of its own


@pytest.mark.parametrize(("figure", "width"), [("replay", 320), ("replay", 480), ("bottleneck", 280), ("heads", 280)])
def test_a_figure_in_a_narrow_frame_does_not_scroll_sideways(open_page: Open, figure: str, width: int):
    page = open_page(f"figures/{figure}/index.html", viewport={"width": width, "height": 720})
    page.locator(f"#{figure} .figure-body").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{figure}[data-live=yes]")
    settle(page)

    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_an_address_restores_the_state_and_a_change_is_written_into_it(open_page: Open):
    page = open_page(f"{OWN}?t=128&q=x")
    page.wait_for_selector("#replay[data-live=yes]")
    slider = page.locator("#replay input[type=range]")
    assert "step 128 of 600" in slider.get_attribute("aria-valuetext")

    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"index\.html\?t=192$"))
    page.get_by_role("button", name=re.compile("Reset")).click()
    page.wait_for_url(re.compile(r"index\.html$"))


def test_in_a_frame_the_way_back_leaves_the_frame_and_nothing_takes_the_focus(
    open_page: Open, browser: Any, site: Path
):
    with served(site) as address:
        context = browser.new_context(viewport={"width": 900, "height": 900})
        page = context.new_page()
        page.set_content(f'<input autofocus><iframe src="{address}{OWN}?t=128" width="800" height="720"></iframe>')
        frame = page.frame_locator("iframe")
        frame.locator("#replay[data-live=yes]").wait_for()

        assert page.evaluate("() => document.activeElement.tagName") == "INPUT"
        frame.get_by_role("link", name=re.compile("step 3 of")).click()
        page.wait_for_url(f"{address}{CHAPTER}#a6-s3")
        context.close()


def test_every_number_of_a_large_map_stands_on_the_figures_own_page(open_page: Open):
    run = json.loads((ROOT / "build/runs/kernel-pooling/run.json").read_text("utf-8"))
    table = tomllib.loads((ROOT / "templates/figures/pooling-map/figure.toml").read_text("utf-8"))["table"]
    series = run["series"][table["series"]]
    sizes = [size for axis, size in zip(series["axes"], series["shape"], strict=True) if axis not in table["at"]]

    page = open_page("figures/pooling/index.html", java_script_enabled=False)

    assert page.locator("#pooling .words td").count() == math.prod(sizes) > 300


def test_a_figure_without_a_script_has_its_still_its_words_and_its_way_back(open_page: Open):
    page = open_page(OWN, java_script_enabled=False)

    expect(page.locator("#replay img")).to_be_visible()
    assert page.locator("#replay .words table").count() > 0
    expect(page.get_by_role("link", name=re.compile("step 3 of"))).to_be_visible()
