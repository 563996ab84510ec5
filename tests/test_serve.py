"""The server of `sitegen serve`, asked over a socket of this machine."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest

from sitegen.errors import ContentError
from sitegen.schema import Location
from sitegen.serve import ServeError, is_prefix
from sitegen.serve.live import Baking, Live
from sitegen.serve.sockets import server

FILES = {
    "index.html": b"<head></head>first",
    "404.html": b"<head></head>lost",
    "a/index.html": b"<head></head>chapter",
    "assets/x/js/site.js": b"export {};",
    "assets/x/fonts/f.woff2": b"font",
    "data/r.json": b"{}",
    "data/r.bin": b"\0",
    "feed.xml": b"<feed/>",
    "site.webmanifest": b"{}",
    "media/b c.WEBP": b"picture",
    ".nojekyll": b"",
}


class Asked:
    """A server of a state that a test may change; `rebakes` counts what was asked for."""

    def __init__(self) -> None:
        self.live = Live()
        self.live.change(files=FILES)
        self.rebakes = 0
        self.opened: list[http.client.HTTPConnection | HTTPResponse] = []

    def rebake(self) -> None:
        self.rebakes += 1

    def ask(self, path: str, method: str = "GET", **headers: str) -> HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        self.opened += [connection, answer]
        return answer

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str | None, bytes]:
        answer = self.ask(path, method, **headers)
        return answer.status, answer.getheader("Location") or answer.getheader("Content-Type"), answer.read()

    @property
    def port(self) -> int:
        return self.address[1]


@pytest.fixture
def asked() -> Iterator[Asked]:
    site = Asked()
    with server(site.live, rebake=site.rebake) as running:
        site.address = running.server_address
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield site
        for one in site.opened:
            one.close()
        site.live.end()
        running.shutdown()
        thread.join()


@pytest.fixture
def prefixed(asked: Asked) -> Asked:
    asked.live.change(prefixes=("/repo/",))
    return asked


def news(answer: HTTPResponse) -> dict[str, object]:
    """The next that a stream tells."""
    while not (line := answer.readline()).startswith(b"data: "):
        assert line, "the stream goes on"
    return json.loads(line.removeprefix(b"data: "))


# ------------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/assets/x/js/site.js", "text/javascript; charset=utf-8", b"export {};"),
        ("/assets/x/js/site.js?v=1", "text/javascript; charset=utf-8", b"export {};"),
        ("/./assets//x/js/site.js", "text/javascript; charset=utf-8", b"export {};"),
        ("/assets/x/fonts/f.woff2", "font/woff2", b"font"),
        ("/data/r.json", "application/json", b"{}"),
        ("/data/r.bin", "application/octet-stream", b"\0"),
        ("/feed.xml", "application/xml; charset=utf-8", b"<feed/>"),
        ("/site.webmanifest", "application/manifest+json", b"{}"),
        ("/media/b%20c.WEBP", "image/webp", b"picture"),
        ("/.nojekyll", "application/octet-stream", b""),
    ],
)
def test_a_file_comes_with_its_type(path: str, kind: str, body: bytes, asked: Asked):
    assert asked.get(path) == (200, kind, body)


@pytest.mark.parametrize("path", ["/", "/index.html", "/?t=4"])
def test_a_page_comes_with_the_script_that_keeps_it_up_to_date(path: str, asked: Asked):
    version = asked.live.state.version("")

    script = f'<script type="module" src="/__sitegen/live.js?version={version}"></script>\n'
    assert asked.get(path) == (200, "text/html; charset=utf-8", f"<head>{script}</head>first".encode())


def test_that_script_is_served_and_stands_in_no_file(asked: Asked):
    status, kind, body = asked.get("/__sitegen/live.js?version=1")

    assert (status, kind) == (200, "text/javascript; charset=utf-8")
    assert b"EventSource" in body
    assert FILES["index.html"] == b"<head></head>first"


def test_nothing_is_kept_by_a_browser(asked: Asked):
    told = {
        asked.ask(path).getheader("Cache-Control") for path in ("/", "/data/r.json", "/no", "/a", "/__sitegen/events")
    }

    assert told == {"no-store"}


LOST = ("/no", "/no/", "/a/index", "/index.html/", "/../x", "/%2e%2e/x", "/a/..%2f..%2fx", "/a%00b", "/a\\b", "//etc/x")


@pytest.mark.parametrize("path", LOST)
def test_what_is_not_in_the_site_is_not_found_and_shows_its_page_for_that(path: str, asked: Asked):
    status, kind, body = asked.get(path)

    assert (status, kind) == (404, "text/html; charset=utf-8")
    assert body.startswith(b'<head><script type="module" src="/__sitegen/')
    assert body.endswith(b"</head>lost")


def test_a_site_without_a_page_for_lost_addresses_says_it_plainly(asked: Asked):
    asked.live.change(files={"index.html": b"first"})

    status, _, body = asked.get("/no")

    assert status == 404
    assert body.startswith(b"not found\n")


def test_a_folder_is_moved_to_its_slash(asked: Asked):
    assert asked.get("/a")[:2] == (302, "/a/")
    assert asked.get("/a?t=4")[:2] == (302, "/a/?t=4")


def test_a_head_has_the_length_of_its_page_and_no_body(asked: Asked):
    page, head = asked.ask("/a/"), asked.ask("/a/", "HEAD")

    assert head.status == 200
    assert head.getheader("Content-Length") == str(len(page.read()))
    assert head.read() == b""


def test_before_the_first_good_build_a_page_waits_for_it(asked: Asked):
    asked.live.change(files={})

    status, _, body = asked.get("/a/")

    assert status == 503
    assert b"The site is not built yet" in body
    assert b"/__sitegen/live.js" in body


@pytest.mark.parametrize(
    ("path", "status"),
    [("/" + "a" * 300, 404), ("/a" * 5000, 404), ("/" + "a" * 70_000, 414), ("/%ff%zz", 404)],
)
def test_a_path_that_cannot_be_one_is_answered(
    path: str, status: int, asked: Asked, capsys: pytest.CaptureFixture[str]
):
    assert asked.get(path)[0] == status
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("target", ["http://[/", "/__sitegen/events?page=http://["])
def test_an_address_that_is_none_is_no_error_of_the_server(
    target: str, asked: Asked, capsys: pytest.CaptureFixture[str]
):
    with socket.create_connection(("127.0.0.1", asked.port), timeout=20) as asking:
        asking.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())

        assert asking.recv(99).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 200 "))
    assert capsys.readouterr().err == ""


def test_a_client_that_went_away_is_not_told(asked: Asked, capsys: pytest.CaptureFixture[str]):
    with server(asked.live) as running:
        for error in (ConnectionResetError(), BrokenPipeError()):
            try:
                raise error
            except ConnectionError:
                running.handle_error(None, None)  # type: ignore[arg-type]

    assert capsys.readouterr().err == ""


# ----------------------------------------------------------------------------------------------------- prefix


def test_under_a_prefix_everything_stands_below_it_and_nothing_elsewhere(prefixed: Asked):
    assert prefixed.get("/repo/data/r.json")[0] == 200
    assert b'src="/repo/__sitegen/live.js?' in prefixed.get("/repo/a/")[2]
    assert prefixed.get("/repo/a")[:2] == (302, "/repo/a/")
    assert prefixed.get("/data/r.json")[0] == 404
    assert prefixed.get("/__sitegen/live.js")[0] == 404
    assert prefixed.get("/repo/__sitegen/live.js")[0] == 200


def test_the_root_leads_to_the_prefix(prefixed: Asked):
    assert prefixed.get("/")[:2] == (302, "/repo/")
    assert prefixed.get("/repo")[:2] == (302, "/repo/")


def test_a_site_may_stand_at_the_root_and_where_it_will_be_published(asked: Asked):
    asked.live.change(prefixes=("/", "/repo/"))

    assert asked.get("/data/r.json") == asked.get("/repo/data/r.json") == (200, "application/json", b"{}")
    assert b'src="/__sitegen/' in asked.get("/a/")[2]
    assert b'src="/repo/__sitegen/' in asked.get("/repo/a/")[2]


def test_a_prefix_is_a_path_between_slashes():
    assert all(map(is_prefix, ("/", "/repo/", "/a/b-c_d.e/")))
    assert not any(map(is_prefix, ("", "repo", "/repo", "//", "/a b/", "/a?/", '/"/', "/ü/", "/a/\n")))


# ---------------------------------------------------------------------------------------------- who may ask


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000", "lesson.localhost:80"])
def test_names_of_this_machine_are_answered(host: str, asked: Asked):
    assert asked.get("/data/r.json", Host=host)[0] == 200


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "127.0.0.1.nip.io", "", "[", "notlocalhost"])
def test_another_name_that_leads_here_is_refused(host: str, asked: Asked):
    status, _, body = asked.get("/data/r.json", Host=host)

    assert (status, body) == (403, b"this server answers to localhost and 127.0.0.1 alone\n")


def test_a_page_of_the_site_may_ask_to_rebake(asked: Asked):
    status = asked.get("/__sitegen/rebake", "POST", Host="localhost:8000", Origin="http://localhost:8000")[0]

    assert (status, asked.rebakes) == (202, 1)


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://localhost:8000", "http://localhost:1"])
def test_a_page_of_another_site_may_not(origin: str, asked: Asked):
    status = asked.get("/__sitegen/rebake", "POST", Host="localhost:8000", Origin=origin)[0]

    assert (status, asked.rebakes) == (403, 0)


def test_nothing_else_can_be_posted(asked: Asked):
    assert asked.get("/a/", "POST")[0] == 405
    assert asked.get("/__sitegen/rebake")[0] == 404
    assert asked.rebakes == 0


def test_only_this_machine_is_listened_to(asked: Asked):
    assert asked.address[0] == "127.0.0.1"


def test_a_port_in_use_is_told_with_another_one(asked: Asked):
    with pytest.raises(ServeError) as found:
        server(Live(), port=asked.port)

    assert str(found.value).startswith(f"port {asked.port} cannot be used: ")
    assert found.value.hint == f"choose another one: sitegen serve --port {asked.port + 1}; 0 takes any that is free"


# -------------------------------------------------------------------------------------------------- what is told


def test_a_page_is_told_its_version_at_once_and_again_when_it_is_another_page(asked: Asked):
    stream = asked.ask("/__sitegen/events?page=%2Fa%2F")
    first = news(stream)

    asked.live.change(files={**FILES, "a/index.html": b"rewritten"})
    second = news(stream)

    assert stream.getheader("Content-Type") == "text/event-stream"
    assert first == {"version": first["version"], "problems": [], "stale": [], "baking": None}
    assert f"live.js?version={second['version']}".encode() in asked.get("/a/")[2]
    assert first["version"] != second["version"]


def test_a_page_is_not_told_of_another_page(asked: Asked):
    stream = asked.ask("/__sitegen/events?page=/a/")
    first = news(stream)

    asked.live.change(files={**FILES, "index.html": b"rewritten"})
    asked.live.change(stale=("fit",))

    assert news(stream) == {**first, "stale": ["fit"]}


def test_a_page_that_went_and_one_that_came_are_told(asked: Asked):
    gone, come = asked.ask("/__sitegen/events?page=/a/"), asked.ask("/__sitegen/events?page=/b/")
    before = news(gone), news(come)

    asked.live.change(files={"404.html": FILES["404.html"], "b/index.html": FILES["404.html"]})

    after = news(gone), news(come)
    assert after[0]["version"] == before[1]["version"], "both are lost"
    assert after[1]["version"] not in (before[0]["version"], before[1]["version"]), "one that reads like it is another"


def test_each_mistake_is_told_with_its_place_and_the_way_out(asked: Asked):
    stream = asked.ask("/__sitegen/events?page=/")
    whole = news(stream)

    placed = ContentError("no such figure", at=Location("content/1.md", 7), hint="did you mean 'a'?")
    asked.live.change(problems=(placed,), failures=(ContentError("it failed"),))

    assert news(stream) == {
        **whole,
        "problems": [
            {"place": "content/1.md:7", "message": "no such figure", "hint": "did you mean 'a'?"},
            {"place": "", "message": "it failed", "hint": ""},
        ],
    }


def test_a_bake_is_told_as_it_goes_on(asked: Asked):
    stream = asked.ask("/__sitegen/events?page=/")
    whole = news(stream)

    asked.live.change(baking=Baking("fit", 3, 60))

    assert news(stream) == {**whole, "baking": {"run": "fit", "step": 3, "total": 60}}


def test_who_comes_back_is_told_what_was_missed(asked: Asked):
    asked.ask("/__sitegen/events?page=/a/").close()
    asked.live.change(files={**FILES, "a/index.html": b"rewritten"})

    assert news(asked.ask("/__sitegen/events?page=/a/"))["version"] == asked.live.state.version("a/")


def test_a_silent_stream_shows_that_it_is_there(asked: Asked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sitegen.serve.sockets._BEAT", 0.01)
    stream = asked.ask("/__sitegen/events?page=/")
    news(stream)

    assert [stream.readline() for _ in range(3)] == [b"\n", b": here\n", b"\n"]


def test_streams_end_with_the_server(asked: Asked):
    stream = asked.ask("/__sitegen/events?page=/")
    news(stream)

    asked.live.end()

    assert stream.read() == b"\n"
    assert asked.live.listening == 0
