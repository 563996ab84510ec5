"""The server of `sitegen serve`, asked over a socket of this machine."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from minimal_site import copied

from sitegen.build import publish
from sitegen.errors import Findings
from sitegen.serve import ServeError, serve, server

FILES = {
    "index.html": b"first",
    "404.html": b"lost",
    "a/index.html": b"chapter",
    "assets/x/js/site.js": b"export {};",
    "assets/x/fonts/f.woff2": b"font",
    "data/r.json": b"{}",
    "data/r.bin": b"\0",
}


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    publish(FILES, tmp_path / "site")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "site" / "way-out").symlink_to(tmp_path / "secret.txt")
    with server(tmp_path / "site", prefix="/minimal/") as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running.server_address[1]
        running.shutdown()
        thread.join()


def get(port: int, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request(method, path)
    answer = connection.getresponse()
    found = answer.status, answer.getheader("Location") or answer.getheader("Content-Type"), answer.read()
    connection.close()
    return found


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/", "text/html; charset=utf-8", b"first"),
        ("/a/", "text/html; charset=utf-8", b"chapter"),
        ("/a/index.html?t=4", "text/html; charset=utf-8", b"chapter"),
        ("/minimal/a/index.html", "text/html; charset=utf-8", b"chapter"),
        ("/minimal/", "text/html; charset=utf-8", b"first"),
        ("/assets/x/js/site.js", "text/javascript; charset=utf-8", b"export {};"),
        ("/assets/x/fonts/f.woff2", "font/woff2", b"font"),
        ("/data/r.json", "application/json", b"{}"),
        ("/data/r.bin", "application/octet-stream", b"\0"),
    ],
)
def test_a_file_comes_with_its_type(path: str, kind: str, body: bytes, port: int):
    assert get(port, path) == (200, kind, body)


@pytest.mark.parametrize(
    "path",
    ["/no", "/../secret.txt", "/%2e%2e/secret.txt", "/a/..%2f..%2fsecret.txt", "/way-out", "/a%00b", "//etc/passwd"],
)
def test_what_is_not_in_the_site_is_not_found(path: str, port: int):
    assert get(port, path) == (404, "text/html; charset=utf-8", b"lost")


def test_a_folder_is_moved_to_its_slash(port: int):
    assert get(port, "/a")[:2] == (301, "/a/")


def test_a_head_has_no_body(port: int):
    assert get(port, "/a/", "HEAD") == (200, "text/html; charset=utf-8", b"")


def test_a_port_in_use_is_told_with_another_one(port: int, tmp_path: Path):
    with pytest.raises(ServeError) as found:
        server(tmp_path / "site", port=port)

    assert str(found.value).startswith(f"port {port} of 127.0.0.1 cannot be used: ")
    assert found.value.hint == f"choose another one: sitegen serve --port {port + 1}"


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.invalid", "a" * 70, "::x"])
def test_a_host_that_is_not_here_is_told_as_the_host(host: str, tmp_path: Path):
    with pytest.raises(ServeError, match=r"^host '.*' cannot be used: ") as found:
        server(tmp_path / "site", host=host)

    assert found.value.hint == "choose an address of this machine: sitegen serve --host 127.0.0.1"


@pytest.mark.parametrize(
    ("path", "status"),
    [("/" + "a" * 300, 404), ("/a" * 5000, 404), ("/" + "a" * 70_000, 414), ("/%ff%zz", 404)],
)
def test_a_path_that_cannot_be_one_is_answered(path: str, status: int, port: int, capsys: pytest.CaptureFixture[str]):
    assert get(port, path)[0] == status
    assert capsys.readouterr().err == ""


def test_an_address_that_is_none_is_a_bad_request(port: int, capsys: pytest.CaptureFixture[str]):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as asking:
        asking.sendall(b"GET http://[/ HTTP/1.1\r\nConnection: close\r\n\r\n")

        assert asking.recv(99).startswith(b"HTTP/1.1 400 ")
    assert capsys.readouterr().err == ""


def test_a_client_that_went_away_is_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with server(tmp_path) as running:
        for error in (ConnectionResetError(), BrokenPipeError()):
            try:
                raise error
            except ConnectionError:
                running.handle_error(None, None)  # type: ignore[arg-type]

    assert capsys.readouterr().err == ""


def test_a_broken_site_is_not_served(tmp_path: Path):
    site = copied(tmp_path)
    (site / "content" / "site.toml").unlink()

    with pytest.raises(Findings):
        serve(site, port=0, report=print)
