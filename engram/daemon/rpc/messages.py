"""Wire format of the control socket, and the path at which a client finds it.

    daemon   -> greeting: which program it is  the client may still leave, nothing has happened
    client   -> request: a whole command line;  from here on it is the daemon's to execute
    daemon   -> answer: what to print, and the exit code; or that it did nothing

Each is one frame of fields: `9\n3:one2:of`. Guarantees: a frame arrives whole or not at all. A
client has no time to lose, so nothing is imported here but what Python itself has loaded.
"""

from __future__ import annotations

import os
import sys
import time

import engram

TYPE_CHECKING = False  # `typing` takes longer to import than a daemon to answer
if TYPE_CHECKING:
    from _socket import socket as Socket
    from collections.abc import Iterable, Iterator, Mapping

#: the first field of every greeting; the number changes with the protocol
HELLO = "engram door 1"
#: the longest path of a socket, bytes without the final NUL (Linux 108, macOS 104)
LONGEST_PATH = 103
#: the most bytes of a request
LARGEST_REQUEST = 1_000_000
#: the first field of an answer
DONE, REFUSED = b"done", b"refused"
#: the client's variables that a command reads, beside those that begin with ENGRAM_; those of
#: agents tell in whose shell it runs (`surfaces/hooks/agents`)
VARIABLES = (
    "ANDROID_DATA", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "COLUMNS",
    "GEMINI_CLI", "HOME", "NO_COLOR", "TERM", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
)  # fmt: skip
_DIGITS = 9


def place(environment: Mapping[str, str]) -> str:
    """Path of this user's control socket, or '' where there is none.

    With ENGRAM_HOME it lies below that, as everything does; else in the runtime folder of the login
    session, else in the state folder. A path that is too long for a socket counts as none.
    """
    moved = environment.get("ENGRAM_HOME", "")
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if not hasattr(os, "getuid"):
        return ""  # Windows: Python has no such sockets there
    if not moved and os.path.isabs(runtime):
        folder = os.path.join(runtime, "engram")
    elif os.path.isabs(moved):
        folder = os.path.join(moved, "daemon")
    elif sys.platform == "linux" and not moved:
        state = environment.get("XDG_STATE_HOME", "")
        below = state if state.strip() else os.path.expanduser("~/.local/state")
        folder = os.path.join(below, "engram", "daemon")
    else:
        from engram.settings.paths import places_of

        folder = str(places_of(environment).state_dir / "daemon")
    path = os.path.join(folder, "control.sock")
    return path if len(os.fsencode(path)) <= LONGEST_PATH else ""


def greeting() -> tuple[str, str, str]:
    """Identity of this program: only the very same build gives the very same answers."""
    return HELLO, engram.__version__, os.path.dirname(engram.__file__)


def identity(folder: str) -> str:
    """Device and inode of a folder: a daemon may have a private `/tmp`. Raises OSError."""
    found = os.stat(folder)
    return f"{found.st_dev}:{found.st_ino}"


def framed(fields: Iterable[bytes]) -> bytes:
    """One frame that holds these fields."""
    body = b"".join(b"%d:%b" % (len(field), field) for field in fields)
    return b"%d\n%b" % (len(body), body)


def receive(stream: Socket, seconds: float, largest: int | None = None) -> list[bytes] | None:
    """The fields of the next frame; None when the peer closes, sends no frame, or too large a one.

    Raises OSError when the frame takes longer than so many seconds in all, or the stream breaks.
    """
    until, head = time.monotonic() + seconds, b""
    while not head.endswith(b"\n"):
        sign = _received(stream, 1, until)
        if not sign or len(head) > _DIGITS:
            return None
        head += sign
    if not head[:-1].isdigit() or (largest is not None and int(head) > largest):
        return None
    wanted, pieces = int(head), []
    while wanted:
        piece = _received(stream, min(wanted, 1 << 16), until)
        if not piece:
            return None
        pieces.append(piece)
        wanted -= len(piece)
    return _fields(b"".join(pieces))


def _received(stream: Socket, most: int, until: float) -> bytes:
    """What the peer sends next; in all it has no longer than until then."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    stream.settimeout(left)
    return stream.recv(most)


def _fields(body: bytes) -> list[bytes] | None:
    found, at = [], 0
    while at < len(body):
        colon = body.find(b":", at, at + _DIGITS + 1)
        if colon < 0 or not body[at:colon].isdigit():
            return None
        at = colon + 1 + int(body[at:colon])
        if at > len(body):
            return None
        found.append(body[colon + 1 : at])
    return found


def said(fields: list[bytes]) -> Iterator[tuple[str, str]]:
    """The fields of an answer behind its exit code: ("out" or "err", text), in their order."""
    rest = iter(fields)
    for stream, text in zip(rest, rest, strict=True):
        yield stream.decode("ascii"), text.decode("utf-8")
