"""HTTP on loopback: its answers, what it lets in, and what it does with those who misbehave."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd import mcp_http
from engram.surfaces.qmd.mcp_callers import Callers
from engram.surfaces.qmd.mcp_guard import Guard
from engram.surfaces.qmd.mcp_http import Server
from engram.surfaces.qmd.mcp_protocol import MODERN, MOST_MESSAGE, VERSION_KEY
from engram.surfaces.qmd.rows import Unusable
from tests.effort import examples
from tests.qmd.mcp_shelf import Desk

JSON = {"Content-Type": "application/json"}
MCP = JSON | {"Accept": "application/json, text/event-stream"}
LEX = [{"type": "lex", "query": "beans"}]


class Site:
    """A server on a port of its own."""

    def __init__(self, machine: Desk, callers: Callers = Callers()) -> None:
        self.machine = machine
        self.server = Server(
            ("localhost", 0), machine.endpoint, machine.lend, Guard(), callers,
            machine.complaints.append,
        )  # fmt: skip
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def ask(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str, Any]:
        """Status, kind and content of an answer; a value is sent as JSON, bytes as they are."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, data, headers or {})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8")
            kind = answer.headers.get("Content-Type") or ""
        finally:
            connection.close()
        if kind == "application/json":
            return answer.status, kind, json.loads(text)
        return answer.status, kind, text

    def rpc(self, method: str, more: dict[str, str] | None = None, **params: Any) -> Any:
        """Status, kind and answer of one MCP request."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        status, kind, said = self.ask("POST", "/mcp", message, MCP | (more or {}))
        if kind == "text/event-stream":
            name, data, *rest = said.split("\n")
            assert (name, rest) == ("event: message", ["", ""])
            said = json.loads(data.removeprefix("data: "))
        return status, kind, said

    def raw(self, data: bytes, patience: float = 5) -> bytes:
        """What comes back for bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience) as wire:
            wire.sendall(data)
            pieces = []
            while piece := wire.recv(65536):
                pieces.append(piece)
        return b"".join(pieces)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site(Desk())
    yield site
    site.close()


# -- the plain endpoints -----------------------------------------------------------------------


def test_health(site: Site) -> None:
    assert site.ask("GET", "/health") == (200, "application/json", {"status": "ok", "uptime": 0})


@pytest.mark.parametrize("path", ["/query", "/search"])
def test_a_search_without_mcp(site: Site, path: str) -> None:
    status, _, said = site.ask("POST", path, {"searches": LEX, "limit": 2, "rerank": False}, JSON)
    assert status == 200
    assert [(one["file"], one["score"]) for one in said["results"]] == [
        ("qmd://garden/beans.md", 1), ("qmd://kitchen/stew.md", 0.5),
    ]  # fmt: skip
    assert list(said["results"][0]) == [
        "docid", "file", "title", "score", "context", "line", "snippet",
    ]  # fmt: skip


def test_a_file_is_a_uri_here(site: Site) -> None:
    _, _, said = site.ask("POST", "/query", {"searches": [{"type": "vec", "query": "grün"}]})
    assert said["results"][0]["file"] == "qmd://garden/%C3%BCber%20uns%20%26%20mehr.md"


@pytest.mark.parametrize(
    "body, error",
    [
        ({"query": "beans"}, "Missing required field: searches (array)"),
        ({"searches": "beans"}, "Missing required field: searches (array)"),
        ([], "Missing required field: searches (array)"),
        (None, "Missing required field: searches (array)"),
        ({"searches": [1]}, "expected object, received number"),
        ({"searches": LEX, "limit": "many"}, "expected number, received string"),
        ({"searches": [{"type": "lex", "query": 'a "b'}]}, "unmatched double quote"),
    ],
)
def test_a_search_that_cannot_be_meant(site: Site, body: object, error: str) -> None:
    data = json.dumps(body).encode()
    status, kind, said = site.ask("POST", "/query", data, JSON)
    assert (status, kind) == (400, "application/json")
    assert error in said["error"]


def test_no_searches_find_nothing(site: Site) -> None:
    assert site.ask("POST", "/query", {"searches": []})[2] == {"results": []}
    assert site.machine.index_sync.calls == []


def test_what_is_no_json_is_answered_as_qmd_does(site: Site) -> None:
    assert site.ask("POST", "/query", b"{nope", JSON) == (500, "", "Internal Server Error")


@pytest.mark.parametrize(
    "method, path",
    [("GET", "/nope"), ("GET", "/query"), ("POST", "/health"), ("GET", "/health?x=1"),
     ("OPTIONS", "/query"), ("PUT", "/query"), ("GET", "/../etc/passwd"), ("DELETE", "/")],
)  # fmt: skip
def test_there_is_nothing_else(site: Site, method: str, path: str) -> None:
    assert site.ask(method, path) == (404, "", "Not Found")


def test_an_index_that_cannot_be_opened_is_told() -> None:
    site = Site(Desk(locked=Unusable("index.yml line 3")))
    try:
        assert site.ask("POST", "/query", {"searches": LEX})[::2] == (
            400, {"error": "index.yml line 3"},
        )  # fmt: skip
        assert site.rpc("tools/call", name="status")[2]["result"]["isError"] is True
    finally:
        site.close()


def test_a_bug_is_answered_and_logged_in_one_line() -> None:
    site = Site(Desk(broken=ZeroDivisionError("secret")))
    try:
        assert site.ask("POST", "/query", {"searches": LEX}) == (500, "", "Internal Server Error")
        assert site.machine.complaints == ["/query: ZeroDivisionError"]
        assert site.ask("GET", "/health")[0] == 200
    finally:
        site.close()


# -- mcp ---------------------------------------------------------------------------------------


def test_a_client_of_the_handshake_is_answered_with_one_event(site: Site) -> None:
    status, kind, said = site.rpc("initialize", protocolVersion="2025-06-18")
    assert (status, kind) == (200, "text/event-stream")
    assert said["result"]["protocolVersion"] == "2025-06-18"
    said = site.rpc("tools/call", {"MCP-Protocol-Version": "2025-06-18"}, name="query",
                    arguments={"query": "frost"})[2]  # fmt: skip
    assert said["result"]["structuredContent"]["results"][0]["file"] == "garden/beans.md"
    assert site.rpc("nobody/knows")[::2] == (
        200,
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
    )


def test_a_client_of_2026_is_answered_with_json_and_its_status(site: Site) -> None:
    headers = {"MCP-Protocol-Version": MODERN}
    meta = {VERSION_KEY: MODERN}
    status, kind, said = site.rpc("server/discover", headers, _meta=meta)
    assert (status, kind) == (200, "application/json")
    assert said["result"]["resultType"] == "complete"
    for method, more, expected in (
        ("nobody/knows", {}, 404),
        ("tools/call", {"name": "search"}, 400),
        ("tools/call", {"name": "get", "arguments": {}}, 200),
    ):
        assert site.rpc(method, headers, _meta=meta, **more)[0] == expected
    assert site.rpc("ping", {}, _meta={VERSION_KEY: "2031-01-01"})[0] == 400


@pytest.mark.parametrize(
    "headers, meta, code",
    [
        ({"MCP-Protocol-Version": "2025-06-18"}, {VERSION_KEY: MODERN}, -32020),
        ({"MCP-Protocol-Version": MODERN, "Mcp-Method": "ping"}, {VERSION_KEY: MODERN}, -32020),
        ({"MCP-Protocol-Version": "1999-01-01"}, {}, -32000),
    ],
)
def test_headers_that_say_something_else(
    site: Site, headers: dict[str, str], meta: dict[str, str], code: int
) -> None:
    status, _, said = site.rpc("tools/list", headers, _meta=meta)
    assert (status, said["error"]["code"]) == (400, code)


def test_who_asks_nothing_gets_202(site: Site) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert site.ask("POST", "/mcp", note, MCP) == (202, "", "")


def test_a_batch_is_one_event_each(site: Site) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    status, kind, said = site.ask("POST", "/mcp", [ping, ping], MCP)
    assert (status, kind, said.count("event: message\n")) == (200, "text/event-stream", 2)


def test_a_long_answer_is_no_event(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_http, "_MOST_EVENT", 100)
    assert site.rpc("tools/list")[1] == "application/json"
    assert site.rpc("ping")[1] == "text/event-stream"


@pytest.mark.parametrize(
    "headers, status",
    [
        (JSON, 406),
        (JSON | {"Accept": "*/*"}, 406),
        (JSON | {"Accept": "application/json"}, 406),
        (MCP | {"Content-Type": "text/plain"}, 415),
        (MCP | {"Content-Type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_kinds(site: Site, headers: dict[str, str], status: int) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert site.ask("POST", "/mcp", ping, headers)[0] == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_posts(site: Site, method: str) -> None:
    status, _, said = site.ask(method, "/mcp", headers=MCP)
    assert (status, said["error"]["message"]) == (405, "Method not allowed.")


def test_a_body_that_is_no_json(site: Site) -> None:
    status, _, said = site.ask("POST", "/mcp", b"{nope", MCP)
    assert (status, said["error"]["code"]) == (400, -32700)


# -- who is let in -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health", "/query", "/mcp", "/nope"])
@pytest.mark.parametrize(
    "headers, name",
    [
        ({"Origin": "http://evil.example"}, "Origin not allowed: http://evil.example"),
        ({"Origin": "null"}, "Origin not allowed: null"),
        ({"Host": "evil.example:8181"}, "Host not allowed: evil.example:8181"),
        ({"Host": "0.0.0.0"}, "Host not allowed: 0.0.0.0"),
    ],
)
def test_a_page_from_elsewhere_is_refused_unread(
    site: Site, path: str, headers: dict[str, str], name: str
) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        status, _, said = site.ask(method, path, {"searches": LEX}, MCP | headers)
        assert status == 403
        assert said == {
            "jsonrpc": "2.0",
            "error": {"code": -32003, "message": f"Forbidden: {name}"},
            "id": None,
        }
    assert site.machine.index_sync.calls == []


def test_a_page_from_this_machine_is_let_in(site: Site) -> None:
    headers = {"Origin": "http://localhost:3000", "Host": f"127.0.0.1:{site.port}"}
    assert site.ask("GET", "/health", headers=headers)[0] == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.2", "example.org"])
def test_it_listens_on_this_machine_only(host: str) -> None:
    machine = Desk()
    with pytest.raises(ValueError):
        Server((host, 0), machine.endpoint, machine.lend, Guard(), Callers(), print)


# -- who misbehaves ----------------------------------------------------------------------------


def test_a_body_that_is_too_large_is_refused_and_the_client_hears_it(site: Site) -> None:
    status, _, said = site.ask("POST", "/mcp", b"x" * (MOST_MESSAGE + 1), MCP)
    assert status == 413
    assert "Too Large" in said["error"]["message"]
    assert site.ask("POST", "/query", b" " * 12_000_000, JSON)[0] == 413
    assert site.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize(
    "length, status",
    [("-1", 400), ("ten", 400), ("1e3", 400), ("\xb2", 400), ("9" * 40, 413)],
)
def test_a_length_that_is_none(site: Site, length: str, status: int) -> None:
    head = f"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
    assert site.raw(head.encode("latin-1")).split()[1] == str(status).encode()


def test_two_lengths_and_none(site: Site) -> None:
    head = b"POST /query HTTP/1.1\r\nHost: localhost\r\n"
    two = site.raw(head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}")
    assert two.split()[1] == b"400"
    assert site.raw(head + b"\r\n").split()[1] == b"411"
    same = site.raw(head + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}")
    assert same.split()[1] == b"400"
    chunked = site.raw(head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
    assert chunked.split()[1] == b"411"


@pytest.mark.parametrize(
    "head",
    [
        b"GET /health HTTP/1.1\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nno header\r\nOrigin: http://evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n Origin: x\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rOrigin: http://evil.example\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n",
        b"GET /health HTTP/1.1\r\nHost : localhost\r\n",
        b"GET /health\r\nHost: localhost\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"x" * 60_000 + b"\r\nY: "
        + b"y" * 60_000 + b"\r\n",
    ],
)  # fmt: skip
def test_a_head_that_is_not_what_it_seems_is_refused(site: Site, head: bytes) -> None:
    status = site.raw(head + b"\r\n").split()[1]
    assert status in (b"400", b"403", b"431")


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
        b"BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 500 + b"\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_http(site: Site, data: bytes) -> None:
    said = site.raw(data)
    assert b"<html" not in said.lower()
    assert said.split()[1][:1] in (b"4", b"5")
    assert site.ask("GET", "/health")[0] == 200


def test_a_client_that_dawdles_is_dropped(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_http, "_HEAD_TIME", 0.2)
    monkeypatch.setattr(mcp_http, "_BODY_TIME", 0.2)
    head = b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
    assert site.raw(head) == b""
    assert site.raw(b"POST /que") == b""
    assert site.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize("head", [b"GET /health HTTP/1.1\r\nX: ", b"GET /", b""])
def test_a_client_that_goes_on_sending_is_dropped_too(
    site: Site, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(mcp_http, "_HEAD_TIME", 0.3)
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as wire:
        wire.sendall(head)
        with pytest.raises(OSError):
            while True:  # no pause is as long as a head may take
                wire.sendall(b"x")
                time.sleep(0.05)


def test_a_request_that_is_cut_short_is_none(site: Site) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as wire:
        wire.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\n")
        wire.shutdown(socket.SHUT_WR)
        assert wire.recv(100) == b""
    assert site.machine.index_sync.calls == []


def test_the_head_of_an_answer_has_no_body(site: Site) -> None:
    said = site.raw(b"HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 404") and said.endswith(b"\r\n\r\n")


def test_many_at_once_are_all_answered(site: Site) -> None:
    def one(at: int) -> int:
        said = site.rpc("tools/call", name="query", arguments={"query": "beans", "limit": at % 3})
        return len(said[2]["result"]["structuredContent"]["results"])

    with ThreadPoolExecutor(24) as clients:
        counts = list(clients.map(one, range(240)))
    assert counts == [at % 3 for at in range(240)]
    assert site.machine.complaints == []


def test_clients_that_take_their_time_do_not_keep_others_out(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_http, "_HEAD_TIME", 600.0)
    monkeypatch.setattr(mcp_http, "_DROPPED_AFTER", 0.2)
    idle = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(100)]
    try:
        for wire in idle[::2]:
            wire.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        assert site.ask("GET", "/health")[0] == 200
    finally:
        for wire in idle:
            wire.close()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
bodies = (
    st.fixed_dictionaries(
        {"searches": values},
        optional={"collections": values, "limit": values, "minScore": values, "intent": values},
    )
    | values
)


@examples(10, shared_fixture=True)
@given(bodies)
def test_any_body_of_a_search_is_answered(site: Site, body: object) -> None:
    status, _, said = site.ask("POST", "/query", json.dumps(body).encode(), JSON)
    assert (status, "results" in said) in ((200, True), (400, False))


@examples(10, shared_fixture=True)
@given(values)
def test_any_message_is_answered(site: Site, body: object) -> None:
    status, _, said = site.ask("POST", "/mcp", json.dumps(body).encode(), MCP)
    assert status in (200, 202)
    assert "error" in said or status == 202 or not said
