"""Lines in, lines out: nothing else is written, nothing kills it, and it ends with its client."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from engram.surfaces.qmd import mcp_stdio
from engram.surfaces.qmd.mcp_protocol import MOST_MESSAGE
from tests.qmd.mcp_shelf import Desk


class Wire:
    """A client's end of two pipes, and the server in a thread at the other."""

    def __init__(self) -> None:
        self.machine = Desk()
        source, self.into = os.pipe()
        self.out, target = os.pipe()
        self.code: int | None = None

        def run() -> None:
            self.code = mcp_stdio.exchange(source, target, self.machine.endpoint.respond)
            os.close(target)
            os.close(source)

        self.server = threading.Thread(target=run, daemon=True)
        self.server.start()
        self._open = {self.into, self.out}

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.into, rest) :]

    def close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)

    def rest(self) -> list[Any]:
        """End the input; all that is still said, and the server has ended with 0."""
        self.close(self.into)
        pieces = []
        while piece := os.read(self.out, 65536):
            pieces.append(piece)
        self.server.join(5)
        assert self.code == 0
        *lines, last = b"".join(pieces).split(b"\n")
        assert last == b""
        return [json.loads(line.decode("utf-8")) for line in lines]


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.close(wire.into)
    wire.close(wire.out)
    wire.server.join(5)


def request(identity: object, method: str = "ping", **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def ids(answers: list[Any]) -> list[object]:
    return [answer["id"] for answer in answers]


def test_each_line_is_answered_in_its_order(wire: Wire) -> None:
    wire.write(b"".join(request(at) for at in range(200)))
    assert ids(wire.rest()) == list(range(200))


def test_lines_come_in_any_pieces(wire: Wire) -> None:
    for byte in request(1) + request("zwei ü"):
        wire.write(bytes([byte]))
    assert ids(wire.rest()) == [1, "zwei ü"]


def test_carriage_returns_and_empty_lines_are_nothing(wire: Wire) -> None:
    wire.write(b"\n\r\n  \n" + request(1).replace(b"\n", b"\r\n") + b"\n")
    assert ids(wire.rest()) == [1]


def test_a_last_line_without_its_end_is_answered(wire: Wire) -> None:
    wire.write(request(1).rstrip())
    assert ids(wire.rest()) == [1]


def test_garbage_is_answered_and_survived(wire: Wire) -> None:
    wire.write(b"nonsense\n\xff\xfe\n\0\0\n{\n" + request(1))
    answers = wire.rest()
    assert ids(answers) == [None] * 4 + [1]
    assert [answer["error"]["code"] for answer in answers[:4]] == [-32700] * 4


@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_of_ten_megabytes_is_refused_and_survived(wire: Wire, end: bytes) -> None:
    reader: list[Any] = []
    taking = threading.Thread(target=lambda: reader.extend(wire.rest()))
    wire.write(request("before"))
    long = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"y" * 10_000_000
    wire.write(long + end + (request("after") if end else b""))
    taking.start()
    taking.join(10)
    if end:
        assert ids(reader) == ["before", None, "after"]
        assert "too long" in reader[1]["error"]["message"]
    else:
        assert ids(reader) == ["before"]


def test_a_line_as_long_as_allowed_is_read(wire: Wire) -> None:
    line = request("long", "ping", x="")
    line = line.replace(b'""', b'"' + b"y" * (MOST_MESSAGE - len(line)) + b'"')
    wire.write(line)
    assert ids(wire.rest()) == ["long"]


def test_a_client_that_stops_reading_ends_it(wire: Wire) -> None:
    wire.close(wire.out)
    wire.write(request(1))
    wire.server.join(5)
    assert wire.code == 0


def test_an_input_that_cannot_be_read_is_its_end() -> None:
    source, into = os.pipe()
    os.close(source)
    os.close(into)
    assert mcp_stdio.exchange(source, 1, lambda line: None) == 0
