"""The server on a socket of this machine: requests to answers, and news of the site as events that do not end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from sitegen.errors import SitegenError
from sitegen.serve import answers
from sitegen.serve.live import Live

HOST = "127.0.0.1"
_BEAT = 10.0  # seconds after which a silent stream is tried
_AGAIN = 500  # milliseconds after which a page that lost the server asks again


class ServeError(SitegenError):
    """The site cannot be served here."""


def server(live: Live, *, port: int = 0, rebake: Callable[[], None] = lambda: None) -> ThreadingHTTPServer:
    """A server of what is live, on this machine alone; `rebake` is called where a page asks for it."""
    try:
        return _Server((HOST, port), partial(_Handler, live=live, rebake=rebake))
    except OSError as error:
        hint = f"choose another one: sitegen serve --port {port + 1 if port < 65535 else 0}; 0 takes any that is free"
        raise ServeError(f"port {port} cannot be used: {error.strerror or error}", hint=hint) from None


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a stream does not hold up the end
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers have one port
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of this server."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds that a silent client keeps its thread

    def __init__(self, *arguments: object, live: Live, rebake: Callable[[], None]) -> None:
        self.live, self.rebake = live, rebake
        super().__init__(*arguments)  # type: ignore[arg-type]

    def version_string(self) -> str:
        return "sitegen"

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.close_connection = self.close_connection or self.command == "POST"  # what it brought is not read
        origin = self.headers.get("Origin") if self.command == "POST" else None
        if refused := answers.refusal(self.headers.get("Host"), origin):
            return self._send(refused)
        try:
            where = answers.place(self.path, self.live.state)
        except ValueError:  # "http://[/" is no address
            return self._send(answers.Answer(HTTPStatus.BAD_REQUEST, body=b"that is no address\n"))
        own = where.path.removeprefix(answers.OWN) if where and where.path.startswith(answers.OWN) else None
        match self.command, own:
            case "POST", answers.REBAKE:
                self.rebake()
                return self._send(answers.Answer(HTTPStatus.ACCEPTED))
            case "POST", _:
                allowed = {"Allow": "GET, HEAD"}
                return self._send(answers.Answer(HTTPStatus.METHOD_NOT_ALLOWED, headers=allowed))
            case "GET", answers.EVENTS:
                return self._stream(parse_qs(urlsplit(self.path).query).get("page", ["/"])[0])
            case _, answers.SCRIPT:
                return self._send(answers.script())
        return self._send(answers.page(self.path, self.live.state))

    def _send(self, answer: answers.Answer) -> None:
        self.send_response(answer.status)
        self._say(
            {
                "Content-Type": answer.type,
                "Content-Length": str(len(answer.body)),
                **answer.headers,
                **({"Connection": "close"} if self.close_connection else {}),
            }
        )
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def _stream(self, page: str) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self._say({"Content-Type": "text/event-stream", "Connection": "close"})
        self.wfile.write(f"retry: {_AGAIN}\n\n".encode())
        with closing(self.live.news(partial(answers.version, page), _BEAT)) as news:
            for told in news:
                line = ": here\n\n" if told is None else f"data: {json.dumps(told)}\n\n"
                self.wfile.write(line.encode())

    def _say(self, headers: dict[str, str]) -> None:
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Only what is printed by the edge is said."""
