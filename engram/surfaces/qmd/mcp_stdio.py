"""MCP over standard streams: one line in, at most one line out, until the client goes.

Guarantees: nothing but answers is ever written where the client reads, because stdout is
redirected first (a stray print goes to stderr); lines are UTF-8 whatever the locale;
what is no JSON, and a line longer than any message, is answered with an error and survived; when
the client closes its end, or stops reading, the server ends with 0 (an orphan is the classic leak).
Messages are answered in their order. Refuses nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from engram.surfaces.qmd.mcp_protocol import (
    INVALID_REQUEST,
    MOST_MESSAGE,
    Refused,
    error_answer,
    render,
)

_PIECE: Final = 1 << 16

#: answers one line without its end
Respond = Callable[[bytes], "bytes | None"]


def serve(respond: Respond) -> int:
    """Serve this process's standard streams to their end; the exit code is 0."""
    return exchange(0, _own_stdout(), respond)


def exchange(source: int, target: int, respond: Respond) -> int:
    """Answer the lines of one descriptor on another until the first has no more."""
    for line in _lines(source):
        if line is None:
            said: bytes | None = render(error_answer(_TOO_LONG))
        else:
            said = respond(line) if line.strip() else None
        if said is not None and not _write(target, said + b"\n"):
            break
    return 0


_TOO_LONG = Refused(INVALID_REQUEST, f"Message too long: more than {MOST_MESSAGE} bytes")


def _lines(source: int) -> Iterator[bytes | None]:
    """Each line; None for one that is too long, and its bytes are not kept."""
    held = bytearray()
    too_long = False
    while piece := _read(source):
        *ends, rest = piece.split(b"\n")
        for end in ends:
            held += end
            whole = not too_long and len(held) <= MOST_MESSAGE
            yield bytes(held) if whole else None
            held.clear()
            too_long = False
        held += rest
        if len(held) > MOST_MESSAGE:
            held.clear()
            too_long = True
    if held and not too_long:
        yield bytes(held)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _PIECE)
    except OSError:  # closed, or gone: the same as its end
        return b""


def _write(target: int, data: bytes) -> bool:
    """Write it all; False when the reader has gone."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(target, rest) :]
    except OSError:
        return False
    return True


def _own_stdout() -> int:
    """A private descriptor of stdout; other prints go to stderr from now on."""
    mine = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
    for descriptor in (0, mine):
        with suppress(OSError):
            os.set_blocking(descriptor, True)
    return mine
