"""Build a site and serve it on this machine, as a host on the web would: `build/site` and nothing else."""

from __future__ import annotations

import errno
import posixpath
import socket
import sys
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sitegen import content
from sitegen.build import build
from sitegen.errors import SitegenError
from sitegen.render import prefix_of

_TYPES = {
    ".bin": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


class ServeError(SitegenError):
    """The site cannot be served here."""


def serve(site_dir: Path, *, host: str = "127.0.0.1", port: int = 8000, report: Callable[[str], None]) -> None:
    """Build, then answer until interrupted; raises Findings as a build does, and ServeError where the port is taken."""
    report(str(build(site_dir)))
    prefix = prefix_of(content.read(site_dir))
    with server(site_dir / "build" / "site", host=host, port=port, prefix=prefix) as running:
        report(f"serving http://{host}:{running.server_address[1]}/ until Ctrl-C")
        report("what you edit is shown after another sitegen build")
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            report("stopped")


def server(folder: Path, *, host: str = "127.0.0.1", port: int = 0, prefix: str = "/") -> ThreadingHTTPServer:
    """A server of one folder, at the root and also under `prefix`, the path of the site where it is published."""
    try:
        return _Server((host, port), partial(_Handler, folder=folder, prefix=prefix))
    except UnicodeError:
        raise _bad_host(host, "that is no name of a host") from None
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise _bad_host(host, error.strerror) from None
        hint = f"choose another one: sitegen serve --port {port + 1 if port < 65535 else 0}"
        raise ServeError(f"port {port} of {host} cannot be used: {error.strerror}", hint=hint) from None


def _bad_host(host: str, why: str | None) -> ServeError:
    hint = "choose an address of this machine: sitegen serve --host 127.0.0.1"
    return ServeError(f"host {host!r} cannot be used: {why}", hint=hint)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of this server."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: object, folder: Path, prefix: str) -> None:
        self.folder, self.prefix = folder, prefix
        super().__init__(*arguments)  # type: ignore[arg-type]

    def version_string(self) -> str:
        return "sitegen"

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        try:
            path = self._file()
        except ValueError:  # "http://[/" is no address
            return self.send_error(HTTPStatus.BAD_REQUEST)
        if path and path.is_dir():
            if not urlsplit(self.path).path.endswith("/"):
                return self._move(urlsplit(self.path).path + "/")
            path = path / "index.html"
        status = HTTPStatus.OK
        if not path or not path.is_file():
            status, path = HTTPStatus.NOT_FOUND, self.folder / "404.html"
        try:
            data = path.read_bytes()
        except OSError:  # the site is being built anew
            data = b"not found"
        self.send_response(status)
        self.send_header("Content-Type", _TYPES.get(path.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        if with_body:
            self.wfile.write(data)
        return None

    def _file(self) -> Path | None:
        """The file of a request, or None for one that leaves the folder."""
        path = unquote(urlsplit(self.path).path)
        if path.startswith(self.prefix):
            path = path[len(self.prefix) - 1 :]
        parts = posixpath.normpath(path).strip("/").split("/")
        if "\0" in path or "\\" in path or ".." in path.split("/"):
            return None
        found = self.folder.joinpath(*parts)
        try:
            found.stat()  # what is too long for the disk, or not there, cannot be asked for more
        except OSError:
            return None
        return found if found.resolve().is_relative_to(self.folder.resolve()) else None

    def _move(self, path: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        self.send_header("Location", "/" + path.lstrip("/"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Only what is printed by the edge is said."""
