"""A real Chromium and a server for a built site: what the browser tests and the screenshots share."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
    # no other host can be reached, however a page might ask for it
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
)


def chromium() -> str | None:
    """The browser to test with: $CHROMIUM, or the system's."""
    named = os.environ.get("CHROMIUM") or "/usr/bin/chromium"
    return named if Path(named).is_file() else shutil.which(named)


@contextmanager
def launched() -> Iterator[Any]:
    """A Chromium for a program that is no test; without one the program ends."""
    from playwright.sync_api import sync_playwright

    executable = chromium()
    if not executable:
        sys.exit("no Chromium: install it, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()


class _Handler(SimpleHTTPRequestHandler):
    """Serves `directory` below the server's prefix; everything else is not there."""

    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".woff2": "font/woff2"}

    def translate_path(self, path: str) -> str:
        prefix: str = self.server.prefix  # type: ignore[attr-defined]
        plain = unquote(urlsplit(path).path)
        if not plain.startswith(prefix):
            return str(Path(self.directory) / "not" / "here")
        return super().translate_path("/" + path[len(prefix) :])

    def end_headers(self) -> None:
        if "/assets/" in self.path or "/data/" in self.path:  # whose names change with what they hold
            self.send_header("Cache-Control", "max-age=3600")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Requests are not news."""

    def send_error(self, code: int, *rest: object) -> None:
        """As a host of static files does: what is not there is answered with the site's page for that."""
        told = Path(self.directory) / "404.html"
        if code != 404 or not told.is_file():
            super().send_error(code)
            return
        page = told.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page)


class _Server(ThreadingHTTPServer):
    """A browser that leaves hangs up in the middle of an answer, which is no news either."""

    daemon_threads = True

    def handle_error(self, *about: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*about)


@contextmanager
def served(folder: Path, prefix: str = "/") -> Iterator[str]:
    """The address under which `folder` is served, on a port of its own."""
    server = _Server(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
    server.prefix = prefix  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settle(page) -> None:
    """Waits until faces are there, figures that started have drawn, and two frames have passed."""
    page.evaluate(
        """async () => {
          await document.fonts.ready;
          const frame = () => new Promise(requestAnimationFrame);
          for (let k = 0; k < 300 && document.querySelector("[data-live=pending]"); k += 1) await frame();
          await frame(); await frame();
        }"""
    )


def scroll_through(page) -> None:
    """Scrolls the whole page once, so that every picture is loaded and every figure has started."""
    page.evaluate(
        """async () => {
          const frame = () => new Promise(requestAnimationFrame);
          for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight * 0.8) {
            scrollTo({ top: y, behavior: "instant" });
            await frame();
          }
          const pictures = [...document.images].filter((one) => one.offsetParent !== null);
          await Promise.all(pictures.map((one) => (one.loading = "eager", one.decode().catch(() => {}))));
          scrollTo({ top: 0, behavior: "instant" });
        }"""
    )
    settle(page)
