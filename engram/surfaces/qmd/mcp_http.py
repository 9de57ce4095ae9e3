"""HTTP server of the qmd face, on this machine only: `/health`, `/query` = `/search`, `/mcp`.

`/query` takes typed sub-queries and gives results as plain JSON; `/mcp` is MCP's streamable HTTP
without sessions: every POST is complete in itself, and answered as one server-sent event to clients
of the handshake, as JSON to those of 2026. Guarantees: binds loopback addresses and nothing else;
each request passes Callers and Guard before its body is read; head and body are read up to a limit
and within a time, however slowly they come, and who keeps others waiting is dropped; what fails
inside is logged in one line and answered with 500. Refuses strangers (401), a malformed head (400),
chunked bodies (411), larger ones (413), another Accept or Content-Type on `/mcp`.
"""

from __future__ import annotations

import io
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from engram.model.display import plain_line
from engram.surfaces.qmd import mcp_tools
from engram.surfaces.qmd.mcp_callers import Callers
from engram.surfaces.qmd.mcp_guard import Guard, is_loopback
from engram.surfaces.qmd.mcp_offer import TOOLS, BadArguments
from engram.surfaces.qmd.mcp_protocol import (
    HANDSHAKES,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MODERN,
    MOST_MESSAGE,
    NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Answer,
    Endpoint,
    Lender,
    Refused,
    error_answer,
    parse,
    render,
    version_of,
)
from engram.surfaces.qmd.rows import BadQuery

FORBIDDEN: Final = -32003
BAD_REQUEST: Final = -32000
#: of 2026: a header says something else than the message
HEADER_MISMATCH: Final = -32020
#: status of an error in an answer to a client of 2026; older ones get 200
_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, INVALID_PARAMS: 400,
           UNSUPPORTED_VERSION: 400, HEADER_MISMATCH: 400, NOT_FOUND: 404}  # fmt: skip
_JSON, _EVENTS = "application/json", "text/event-stream"
#: a longer answer is no event any more, bytes: clients limit those
_MOST_EVENT = 900_000
#: how long a client may take for the head of a request, for its body, for the answer, seconds
_HEAD_TIME, _BODY_TIME, _ANSWER_TIME = 10.0, 60.0, 30.0
#: bytes of a head: a line of 64 kB is refused by its length, and cookies need a tenth of this
_MOST_HEAD = 96 << 10
#: connections that are served at one time; more wait in the socket's queue
_AT_ONCE = 64
#: after so long a client that is still sending, or reading, is dropped for one that waits, seconds
_DROPPED_AFTER = 1.0
#: how much, and how long, is read of a body that is refused, so that the refusal arrives
_DRAINED, _DRAINING = 64 << 20, 1.0
_PIECE = 1 << 16
_BODIED = ("Content-Length", "Transfer-Encoding")


class Server(ThreadingHTTPServer):
    """Listens on one loopback address; with port 0 the system chooses, see `server_port`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = hasattr(socket, "SO_REUSEPORT")  # on Windows it would share the port

    def __init__(
        self,
        address: tuple[str, int],
        endpoint: Endpoint,
        lend: Lender,
        guard: Guard,
        callers: Callers,
        complain: Callable[[str], None],
    ) -> None:
        """Raises ValueError for a host that is not loopback, OSError when the port is taken."""
        host, port = address
        if not is_loopback(host):
            raise ValueError(host)
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.endpoint, self.lend, self.guard, self.complain = endpoint, lend, guard, complain
        self.callers = callers
        self.started = time.monotonic()
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._transfers: dict[socket.socket, float] = {}
        self._lock = threading.Lock()
        named = host.lower().endswith("localhost")
        super().__init__(("127.0.0.1" if named else host, port), _Request)

    def server_bind(self) -> None:
        """Bind, and ask no name server who we are, as http.server would."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, once a slot is free."""
        while not self._places.acquire(timeout=_DROPPED_AFTER / 4):
            self._drop_slow()
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread available
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """The thread's work; its slot is free afterwards."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def transfers(self, connection: socket.socket, now: bool) -> None:
        """Note whether a connection waits for its client, from now on."""
        with self._lock:
            self._transfers.pop(connection, None)
            if now:
                self._transfers[connection] = time.monotonic()

    def _drop_slow(self) -> None:
        """End the connections whose clients take long: others wait for their slots."""
        late = time.monotonic() - _DROPPED_AFTER
        with self._lock:
            for connection, since in self._transfers.items():
                if since < late:
                    with suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response; without a kind there is no Content-Type."""

    status: int
    body: bytes = b""
    kind: str = ""
    allow: str = ""


_ERROR = _Reply(500, b"Internal Server Error")
_LOST = _Reply(404, b"Not Found")


def _json(status: int, value: Any) -> _Reply:
    return _Reply(status, render(value), _JSON)


def _refusal(status: int, code: int, message: str) -> _Reply:
    return _json(status, error_answer(Refused(code, message)))


class _HeadTooLong(Exception):
    """More bytes than a head may have."""


class _Received(io.RawIOBase):
    """What a client sends, until a time and up to a number of bytes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.allow(_HEAD_TIME, _MOST_HEAD)

    def allow(self, seconds: float, most: int) -> None:
        """Allow for so long, and so many bytes, from now on."""
        self._until, self._left = time.monotonic() + seconds, most

    def readable(self) -> bool:
        """As RawIOBase says."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """As RawIOBase says. Raises TimeoutError, _HeadTooLong, ConnectionError."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if not self._left:
            raise _HeadTooLong
        self._connection.settimeout(left)
        with memoryview(buffer) as view:
            count = self._connection.recv_into(view[: self._left])
        if not count:
            raise ConnectionResetError  # a request is complete by itself
        self._left -= count
        return count


class _Request(BaseHTTPRequestHandler):
    """One request, one answer, and the connection is closed."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "qmd", ""

    def setup(self) -> None:
        """As StreamRequestHandler says."""
        super().setup()
        self._received = _Received(self.connection)
        self.rfile = io.BufferedReader(self._received)
        self.server.transfers(self.connection, now=True)

    def finish(self) -> None:
        """As StreamRequestHandler says."""
        self.server.transfers(self.connection, now=False)
        super().finish()

    def parse_request(self) -> bool:
        """As BaseHTTPRequestHandler says."""
        try:
            return super().parse_request()
        except _HeadTooLong:
            self.send_error(431)
            return False

    def _serve(self) -> None:
        self.close_connection = True
        self._unread = any(self.headers.get(name) for name in _BODIED)
        try:
            reply = self._answer()
        except (ConnectionError, TimeoutError):
            return
        except Exception as error:  # noqa: BLE001 - a server outlives what one request runs into
            self.server.complain(f"{plain_line(self.path)[:80]}: {type(error).__name__}")
            reply = _ERROR
        with suppress(OSError):
            self._send(reply)
            if self._unread:
                self._drain()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve

    def _answer(self) -> _Reply:
        if self._is_malformed():
            return _refusal(400, BAD_REQUEST, "Bad Request: head")
        here, shown = self.connection.getsockname(), self.headers.get_all("Authorization", [])
        if not self.server.callers.may_ask(here, self.client_address, shown):
            return _STRANGER
        hosts, origins = (self.headers.get_all(name, []) for name in ("Host", "Origin"))
        if objection := self.server.guard.objection(hosts, origins):
            return _refusal(403, FORBIDDEN, f"Forbidden: {objection}")
        if self.path == "/mcp":
            return self._mcp() if self.command == "POST" else _NOT_ALLOWED
        if self.command == "POST" and self.path in ("/query", "/search"):
            body = self._body()
            return body if isinstance(body, _Reply) else self._search(body)
        if self.command == "GET" and self.path == "/health":
            up = time.monotonic() - self.server.started
            return _json(200, {"status": "ok", "uptime": int(up)})
        return _LOST

    def _is_malformed(self) -> bool:
        """Whether the head is not what it seems: headers that the parser gave up on or joined."""
        headers = self.headers
        return (
            self.request_version == "HTTP/0.9"
            or bool(headers.defects or headers.get_payload())
            or (self.request_version == "HTTP/1.1" and "Host" not in headers)
            or any(sign in value for value in headers.values() for sign in "\r\n\0")
        )

    def _search(self, body: bytes) -> _Reply:
        try:
            given = parse(body)
        except Refused:
            return _ERROR  # as qmd answers it
        if not isinstance(given, dict) or not isinstance(given.get("searches"), list):
            return _json(400, {"error": "Missing required field: searches (array)"})
        try:
            asked = TOOLS["query"].checked({**given, "query": None})
            if not asked["searches"]:
                return _json(200, {"results": []})
            with self.server.lend() as face:
                _, rows = mcp_tools.rows(face, asked)
        except (BadArguments, BadQuery, *mcp_tools.EXPLAINED) as error:
            return _json(400, {"error": str(error)})
        found = [mcp_tools.result(row, mcp_tools.uri_of(row.display)) for row in rows]
        return _json(200, {"results": found})

    def _mcp(self) -> _Reply:
        accepted = self.headers.get("Accept", "")
        if _JSON not in accepted or _EVENTS not in accepted:
            text = f"Not Acceptable: Client must accept both {_JSON} and {_EVENTS}"
            return _refusal(406, BAD_REQUEST, text)
        if self.headers.get_content_type() != _JSON:
            text = f"Unsupported Media Type: Content-Type must be {_JSON}"
            return _refusal(415, BAD_REQUEST, text)
        body = self._body()
        if isinstance(body, _Reply):
            return body
        try:
            message = parse(body)
            modern = self._is_modern(message)
        except Refused as refused:
            return _json(400, error_answer(refused))
        answer = self.server.endpoint.answer(message)
        if answer is None:
            return _Reply(202)
        if modern:
            return _json(_status(answer), answer)
        answers = answer if isinstance(answer, list) else [answer]
        lines = [render(one) for one in answers]
        if max(map(len, lines)) > _MOST_EVENT:
            return _json(200, answer)
        events = b"".join(b"event: message\ndata: " + line + b"\n\n" for line in lines)
        return _Reply(200, events, _EVENTS)

    def _is_modern(self, message: object) -> bool:
        """Whether the client is of 2026. Raises Refused when its headers say something else."""
        version, said = version_of(message), self.headers.get("MCP-Protocol-Version")
        if version is None:
            if said is not None and said not in (*HANDSHAKES, MODERN):
                raise Refused(BAD_REQUEST, "Bad Request: Unsupported protocol version")
            return said == MODERN
        if said is not None and said != version:
            raise Refused(HEADER_MISMATCH, "MCP-Protocol-Version is not that of the message")
        method = self.headers.get("Mcp-Method")
        if method is not None and isinstance(message, dict) and method != message.get("method"):
            raise Refused(HEADER_MISMATCH, "Mcp-Method is not that of the message")
        return True

    def _body(self) -> bytes | _Reply:
        """The whole body, or why it is not read."""
        lengths = self.headers.get_all("Content-Length", [])
        if self.headers.get("Transfer-Encoding") or not lengths:
            return _refusal(411, BAD_REQUEST, "Length Required")
        if len(lengths) > 1 or not (lengths[0].isascii() and lengths[0].isdigit()):
            return _refusal(400, BAD_REQUEST, "Bad Request: Content-Length")
        if len(lengths[0]) > 12 or int(lengths[0]) > MOST_MESSAGE:
            return _refusal(413, BAD_REQUEST, f"Payload Too Large: more than {MOST_MESSAGE} bytes")
        self._received.allow(_BODY_TIME, int(lengths[0]))
        body = self.rfile.read(int(lengths[0]))
        self._unread = False
        self.server.transfers(self.connection, now=False)
        return body

    def _send(self, reply: _Reply) -> None:
        self.server.transfers(self.connection, now=True)
        self.connection.settimeout(_ANSWER_TIME)
        self.request_version = self.protocol_version  # with HTTP/0.9 there would be no status
        self.send_response(reply.status)
        if reply.kind:
            self.send_header("Content-Type", reply.kind)
        if reply.allow:
            self.send_header("Allow", reply.allow)
        if reply.status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Length", str(len(reply.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
        self.wfile.flush()

    def _drain(self) -> None:
        """Read what is still being sent: closed at once, the client would lose our answer."""
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(_DRAINING)
        late, left = time.monotonic() + 2 * _DRAINING, _DRAINED
        while left > 0 and time.monotonic() < late and (piece := self.connection.recv(_PIECE)):
            left -= len(piece)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses (no HTTP, an unknown method), in plain words."""
        self.close_connection = True
        self.command = self.command or "GET"
        with suppress(OSError):
            self._send(_Reply(int(code), b"Bad Request" if code == 400 else b"Refused"))

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: they hold what people look for."""


_STRANGER = _refusal(
    401, FORBIDDEN,
    "Unauthorized: a process of another user has to send the server's token",
)  # fmt: skip
_NOT_ALLOWED = _Reply(
    405, render(error_answer(Refused(BAD_REQUEST, "Method not allowed."))), _JSON, "POST"
)


def _status(answer: Answer | list[Answer]) -> int:
    error = answer.get("error") if isinstance(answer, dict) else None
    return _STATUS.get(error["code"], 200) if error else 200
