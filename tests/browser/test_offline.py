"""The site without a network: kept whole after one visit, never mixed, never stale, and not where a site is made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from minimal_site import copied

from sitegen.build import build
from tests.browser.browsing import scroll_through, served, settle

PREFIX = "/any/prefix/"
KEPT = ".offline-note:not([hidden])"
Visit = Callable[..., Any]


def at_home(address: str) -> str:
    """The same server by a name that no workshop has, but that browsers trust without TLS."""
    return address.replace("127.0.0.1", "reader.localhost")


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """`visit(address)` opens a page; all of a test share one profile. No page may complain, but of the network."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(60_000)
    complaints: list[str] = []

    def visited(address: str) -> Any:
        page = context.new_page()
        page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        return page

    visited.context = context  # type: ignore[attr-defined]
    yield visited
    context.close()
    assert [one for one in complaints if "ERR_INTERNET_DISCONNECTED" not in one] == []


def until(page: Any, condition: str) -> None:
    """Waits for what an async function of the page says to come true."""
    page.evaluate(
        f"""async () => {{
          for (let k = 0; k < 1200; k += 1) {{
            if (await ({condition})()) return;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }}
          throw new Error("in vain");
        }}"""
    )


CACHES = "async () => (await caches.keys()).map((name) => name.split(' '))"
REGISTRATIONS = "async () => (await navigator.serviceWorker.getRegistrations()).map((one) => one.scope)"
KEEP = """async () => {
  const entry = document.querySelector("script[type=module]").src;
  const { keepForOffline } = await import(new URL("offline.js", entry));
  await keepForOffline(null);
}"""


def test_after_one_visit_every_page_reads_and_every_figure_lives_without_a_network(visit: Visit, site: Path):
    later = json.loads((site / "worker.js").read_text("utf-8").removeprefix("self.SITE=").partition(";\n")[0])["later"]
    with served(site, PREFIX) as address:
        home = at_home(address)
        page = visit(f"{home}index.html")
        page.wait_for_selector(KEPT, state="attached")
        page.goto(f"{home}colophon/")
        asked, never = later[:1], later[1:]
        page.evaluate(
            "(paths) => Promise.all(paths.map((path) => fetch(`../${path}`).then((one) => one.blob())))", asked
        )
        is_kept = "async (path) => Boolean(await caches.match(new URL(`../${path}`, location.href)))"
        until(page, f"async () => (await Promise.all({json.dumps(asked)}.map({is_kept}))).every(Boolean)")
        assert [path for path in never if page.evaluate(is_kept, path)] == []
        page.close()

    visit.context.set_offline(True)
    page = visit(home)
    every = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    of_figures = [path for path in every if path.startswith("figures/")]
    answers = """async (paths) => {
      const answers = await Promise.all(paths.map((path) => fetch(path)));
      return Promise.all(answers.map(async (answer) => answer.ok && (await answer.arrayBuffer()).byteLength));
    }"""
    assert page.evaluate(answers, every) == [(site / path).stat().st_size for path in every]
    for path in [path for path in every if path not in of_figures[2:]]:
        answer = page.goto(home + path.removesuffix("index.html"))
        scroll_through(page)

        assert answer.from_service_worker
        lives = page.eval_on_selector_all("figure[data-script]", "all => all.map((one) => [one.id, one.dataset.live])")
        folded = page.eval_on_selector_all("details:not([open]) figure", "all => all.map((one) => one.id)")
        assert [figure for figure, live in lives if live != "yes" and figure not in folded] == []
        pictures = "all => all.filter((one) => one.offsetParent && !one.naturalWidth).map((one) => one.src)"
        assert page.eval_on_selector_all("img", pictures) == []

    page.goto(f"{home}colophon?x=1")
    assert page.url == f"{home}colophon/?x=1"


def test_the_worker_answers_for_its_own_site_alone(visit: Visit, tmp_path: Path):
    out = build(copied(tmp_path), out=tmp_path / "out").out
    with served(out, PREFIX) as address:
        home = at_home(address)
        page = visit(f"{home}index.html")
        page.wait_for_selector(KEPT, state="attached")
        page.goto(f"{home}about/")
        assert page.evaluate(CACHES) == [[home, page.evaluate(CACHES)[0][1]]]

        visit.context.set_offline(True)
        asked = """async (address) => {
          const answer = await fetch(address, { mode: "no-cors" }).catch(() => null);
          return answer && (await answer.text()).length > 0;
        }"""
        assert page.evaluate(asked, f"{home}straight-lines/") is True
        for elsewhere in (f"{home}nowhere/", home.replace(PREFIX, "/other/")):
            assert page.evaluate(asked, elsewhere) is None


def test_a_new_version_is_read_at_once_and_takes_the_place_of_the_old_one(visit: Visit, tmp_path: Path):
    site = copied(tmp_path)
    out = build(site, out=tmp_path / "out").out
    about = site / "content" / "pages" / "about.md"

    with served(out, PREFIX) as address:
        home = at_home(address)
        page = visit(f"{home}about/")
        page.wait_for_selector(KEPT, state="attached")
        (first,) = page.evaluate(CACHES)

        about.write_text(about.read_text("utf-8") + "\nNews of today.\n", "utf-8")
        build(site, out=out)
        page.goto(f"{home}about/")
        assert "News of today." in page.inner_text("main")

        until(page, "async () => (await navigator.serviceWorker.getRegistration()).waiting")
        both = page.evaluate(CACHES)
        assert len(both) == 2
        page.close()  # the last page under the old version
        page = visit(f"{home}index.html")
        until(page, "async () => (await caches.keys()).length === 1")
        (second,) = page.evaluate(CACHES)

    assert second in both
    assert second != first
    visit.context.set_offline(True)
    page.goto(f"{home}about/")
    assert "News of today." in page.inner_text("main")


def test_without_a_network_no_page_is_of_another_version_than_its_files(visit: Visit, tmp_path: Path):
    site = copied(tmp_path)
    out = build(site, out=tmp_path / "out").out
    with served(out, PREFIX) as address:
        home = at_home(address)
        page = visit(f"{home}index.html")
        page.wait_for_selector(KEPT, state="attached")
        (site / "templates" / "css").mkdir()
        (site / "templates" / "css" / "more.css").write_text("main { color: rebeccapurple; }", "utf-8")
        build(site, out=out)
        page.goto(f"{home}straight-lines/")
        new = page.evaluate("getComputedStyle(document.querySelector('main')).color")

    visit.context.set_offline(True)
    page.goto(f"{home}straight-lines/")
    settle(page)

    assert new == "rgb(102, 51, 153)"
    assert page.evaluate("getComputedStyle(document.querySelector('main')).color") != new
    assert page.evaluate("[...document.styleSheets].every((sheet) => sheet.cssRules.length > 10)")


def test_where_a_site_is_made_no_worker_comes_and_one_that_is_there_goes(visit: Visit, tmp_path: Path):
    out = build(copied(tmp_path), out=tmp_path / "out").out
    with served(out) as address:
        page = visit(f"{address}index.html")
        page.evaluate(KEEP)
        assert page.evaluate(REGISTRATIONS) == []

        page.goto(f"{address}robots.txt")  # which has no script that would be quicker
        page.evaluate(
            "async () => { await navigator.serviceWorker.register('worker.js'); await navigator.serviceWorker.ready; }"
        )
        assert page.evaluate(REGISTRATIONS) == [address]
        page.goto(f"{address}index.html")
        page.evaluate(KEEP)
        assert page.evaluate(REGISTRATIONS) == []
        assert page.evaluate(CACHES) == []


@pytest.mark.parametrize("wish", ["saveData", "frame"])
def test_a_reader_who_saves_data_and_a_frame_keep_nothing(visit: Visit, tmp_path: Path, wish: str):
    out = build(copied(tmp_path), out=tmp_path / "out").out
    with served(out) as address:
        home = at_home(address)
        if wish == "saveData":
            visit.context.add_init_script(
                "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });"
            )
            page = frame = visit(f"{home}index.html")
        else:
            page = visit(f"{home}robots.txt")
            page.evaluate(
                """() => new Promise((done) => {
                  const frame = document.createElement("iframe");
                  frame.onload = done;
                  frame.src = "about/";
                  document.body.append(frame);
                })"""
            )
            frame = page.frames[1]
        frame.evaluate(KEEP)

        assert page.evaluate(REGISTRATIONS) == []


def test_a_page_opened_from_a_file_reads_and_says_what_it_lacks(browser: Any, site: Path):
    page = browser.new_page()
    page.goto((site / "attention-and-transformers/index.html").as_uri())
    page.wait_for_selector(".theme-switch", state="visible")

    assert "a page that comes from a server" in page.inner_text(".opening")
    stills = page.locator(":is(.figure-still, .step-still):not(details *)")
    assert stills.count() > 20
    assert [one for one in stills.all() if not one.is_visible()] == []
    assert page.evaluate("document.querySelector('link[rel=stylesheet]').sheet !== null")
    page.click("details.answer summary")
    assert page.is_visible("details.answer p")
    page.click(".masthead-home")
    assert page.inner_text("h1")
    page.close()
