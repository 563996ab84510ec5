"""One browser and one built site for all browser tests; every page must keep its console clean and stay at home."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import FLAGS, chromium, served

ROOT = Path(__file__).parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # A browser that was waited for in vain is asked once more, and told of: on a machine with much else to do that says
    # nothing of the page. Whatever else fails, fails at once.
    once_more = pytest.mark.flaky(reruns=1, only_rerun=["TimeoutError", "Locator expected"])
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(once_more)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository's own site, built afresh."""
    from sitegen.build import build

    out = tmp_path_factory.mktemp("built") / "site"
    build(ROOT, out=out)
    return out


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    executable = chromium()
    if not executable:
        message = "no Chromium: install it, or set CHROMIUM to its path"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    import playwright.sync_api as playwright

    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """`open_page(path, **context)` opens a page. At the end of the test no page may have complained or left home."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(path: str = "", *, at: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        contexts.append(context)
        context.set_default_timeout(60_000)  # a machine with much else to do is no failure
        page = context.new_page()
        home = (at or address).split("/")[2]
        page.on("console", lambda message: _note(message, complaints))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: _stays(request.url, home, complaints))
        page.on("response", lambda response: _found(response, complaints))
        page.complaints = complaints
        page.goto((at or address) + path)
        return page

    opened.address = address  # type: ignore[attr-defined]
    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _note(message: Any, complaints: list[str]) -> None:
    if message.type in ("error", "warning"):
        complaints.append(f"{message.type}: {message.text}")


def _stays(url: str, home: str, complaints: list[str]) -> None:
    if not url.startswith(("data:", "blob:")) and url.split("/")[2] != home:
        complaints.append(f"left home: {url}")


def _found(response: Any, complaints: list[str]) -> None:
    if response.status >= 400:
        complaints.append(f"{response.status}: {response.url}")


@pytest.fixture(scope="session")
def engine(browser: Any, address: str, site: Path) -> Iterator[Callable[..., Any]]:
    """`engine("({ erf }, x) => erf(x)", 0.5)`: a function of all that the published engine exports, run in the page.

    The first argument also has `published(run)`, the run's JSON and the bytes of its weights as the site has them, and
    `packed(numbers)`, float64s as base64.
    """
    assets = f"{address}assets/{next((site / 'assets').iterdir()).name}/js/engine/"
    modules = sorted(path.name for path in (site / "assets").glob("*/js/engine/*.js"))
    data = {path.name.split(".")[0]: path.name[: -len(".json")] for path in (site / "data").glob("*.json")}
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + "404.html")

    def called(function: str, *arguments: Any) -> Any:
        script = """async ({ assets, modules, base, data, given }) => {
          const parts = await Promise.all(modules.map((name) => import(assets + name)));
          const published = async (name) => {
            const fetched = async (end) => {
              const answer = await fetch(`${base}data/${data[name]}${end}`);
              if (!answer.ok) throw new Error(`${name}${end} is not published`);
              return answer;
            };
            const run = await (await fetched(".json")).json();
            const bytes = run.weights ? await (await fetched(".bin")).arrayBuffer() : null;
            return { run, bytes };
          };
          const packed = (numbers) => {
            const bytes = new Uint8Array(Float64Array.from(numbers).buffer);
            return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
          };
          return (/* function */)({ ...Object.assign({}, ...parts), published, packed }, ...given);
        }""".replace("/* function */", function)
        given = {"assets": assets, "modules": modules, "base": address, "data": data, "given": list(arguments)}
        return page.evaluate(script, given)

    yield called
    context.close()
