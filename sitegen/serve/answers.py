"""A request and the state of the site to what is answered: as a host on the web would, but never kept by a browser."""

from __future__ import annotations

import mimetypes
import posixpath
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct, field

from sitegen.serve.live import LOST, State

OWN = "__sitegen/"  # below a prefix: what the server itself has to say
SCRIPT, EVENTS, REBAKE = "live.js", "events", "rebake"

_TEXT = {".css", ".html", ".js", ".json", ".svg", ".txt", ".xml", ".webmanifest"}
_TYPES = {
    ".bin": "application/octet-stream",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
}
_NOWHERE = "/"  # is no file
_KNOWN = mimetypes.MimeTypes()  # Python's own table: a machine's may say anything
_UNBUILT = (
    b"<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<title>Not built yet</title>\n"
    b"<meta name=viewport content='width=device-width'>\n</head>\n<body>\n<h1>The site is not built yet</h1>\n"
    b"<p>It will show here once it is.</p>\n</body>\n</html>\n"
)


class Answer(Struct, frozen=True):
    status: HTTPStatus
    type: str = "text/plain; charset=utf-8"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Place(Struct, frozen=True):
    """An address, taken apart: the prefix it stands under, and the path in the site; "" is its first page."""

    prefix: str
    path: str


def refusal(host: str | None, origin: str | None = None) -> Answer | None:
    """Another name may lead here too, and another site's page may ask: neither is answered.

    A name of somebody else's that leads to this machine would make the page of a stranger one of this site's own.
    """
    if not host or not _is_local(host):
        return Answer(HTTPStatus.FORBIDDEN, body=b"this server answers to localhost and 127.0.0.1 alone\n")
    if origin is not None and origin != f"http://{host}":
        return Answer(HTTPStatus.FORBIDDEN, body=b"only a page of this server may ask for that\n")
    return None


def _is_local(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # a bracket that is not closed
        return False
    return name in ("localhost", "127.0.0.1", "::1") or name.endswith(".localhost")


def place(target: str, state: State) -> Place | None:
    """Where in the site an address leads; None for one that leaves it. Raises ValueError for what is no address."""
    path = unquote(urlsplit(target).path, errors="replace")
    if "\0" in path or "\\" in path or ".." in path.split("/"):
        return None
    for prefix in sorted(state.prefixes, key=len, reverse=True):
        if path.startswith(prefix):
            parts = [part for part in path.removeprefix(prefix).split("/") if part not in ("", ".")]
            return Place(prefix, "/".join(parts) + "/" * bool(parts and path.endswith("/")))
    return None


def version(target: str, state: State) -> str:
    """What the page of an address is now."""
    try:
        where = place(target, state)
    except ValueError:  # is no address
        where = None
    return state.version(where.path if where else _NOWHERE)


def page(target: str, state: State) -> Answer:
    """A file of the site; its page for lost addresses, if there is none; the way to it, if only a slash is missing."""
    where = place(target, state)
    prefix = where.prefix if where else state.prefixes[0]
    if not state.files:
        return _html(HTTPStatus.SERVICE_UNAVAILABLE, _UNBUILT, prefix, state.version(""))
    if where and (name := state.found(where.path)):
        if name.endswith(".html"):
            return _html(HTTPStatus.OK, state.files[name], prefix, state.version(where.path))
        return Answer(HTTPStatus.OK, type_of(name), state.files[name])
    if where and state.found(f"{where.path}/"):
        query = urlsplit(target).query
        return _moved(prefix + where.path + "/", query)
    if not where and f"{target.rstrip('/')}/" in ("/", prefix):
        return _moved(prefix)
    lost = state.files.get(LOST, b"not found\n")
    return _html(HTTPStatus.NOT_FOUND, lost, prefix, version(target, state))


def _moved(path: str, query: str = "") -> Answer:
    address = quote(path) + (query and f"?{query}")
    return Answer(HTTPStatus.FOUND, headers={"Location": address})


def _html(status: HTTPStatus, html: bytes, prefix: str, version: str) -> Answer:
    """A page with the script that keeps it up to date: it is in no file of the site, and in no size of a page."""
    script = f'<script type="module" src="{quote(prefix)}{OWN}{SCRIPT}?version={version}"></script>\n'.encode()
    before, head, after = html.partition(b"</head>")
    return Answer(status, type_of(LOST), before + script + head + after if head else html + script)


def type_of(name: str) -> str:
    """What a host on the web says of a file with that name."""
    suffix = posixpath.splitext(name)[1].lower()
    found = _TYPES.get(suffix) or _KNOWN.guess_type(name)[0] or "application/octet-stream"
    return f"{found}; charset=utf-8" if suffix in _TEXT and not found.endswith("json") else found


def script() -> Answer:
    return Answer(HTTPStatus.OK, type_of(SCRIPT), Path(__file__).with_name(SCRIPT).read_bytes())
