"""Background HTTP server of the qmd face: start, status, stop.

Guarantees: one for each index; that it runs is known by a lock which it holds for life, never by
the pid in its file alone, so that `stop` signals no other process that got the pid later; a server
that died leaves nothing that is in the way. Its files lie beside qmd's own, under names of ours.
Refused where a process cannot fork or a file not be locked (Windows): run it in the foreground.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engram.model.file_lock import take_lock

SUFFIX: Final = ".engram"
#: serves until it is ended, and calls what it is given when it listens; its exit code
Serve = Callable[[Callable[[], None]], int]
#: how long a server may take to begin or to end, seconds
_BEGINS, _ENDS = 10.0, 5.0
#: written by the new process when it listens
_SIGN: Final = b"+"
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Busy(Exception):
    """A server runs already; the text is its pid."""


@dataclass(frozen=True, slots=True)
class Files:
    """The pid file, the log, and the token of the server."""

    number: Path
    log: Path
    token: Path

    @classmethod
    def of(cls, cache: Path, index: str = "") -> Files:
        """Those of an index; the default one has no name."""
        stem = f"mcp-{index.replace('/', '_')}" if index else "mcp"
        return cls(*(cache / f"{stem}.{kind}{SUFFIX}" for kind in ("pid", "log", "token")))


def start(files: Files, serve: Serve, say: Callable[[str], None], where: str) -> int:
    """Fork a process that serves; the exit code of the parent.

    `serve` runs in the new process, with its output in the log. Raises Busy.
    """
    if sys.platform == "win32" or not hasattr(os, "fork"):
        say("--daemon is not for this system: run `mcp --http` in the foreground")
        return 1
    files.number.parent.mkdir(parents=True, exist_ok=True)
    lock = _open(files.number)
    if not take_lock(lock):
        raise Busy(_number(files.number))
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        _live(files, lock, tell, serve)
    os.close(lock)
    os.close(tell)
    began = _wait(told)
    os.close(told)
    if not began:
        say(f"It did not begin; see {files.log}")
        return 1
    print(f"Started on {where} (PID {child})")
    print(f"Logs: {files.log}")
    return 0


def stop(files: Files) -> int:
    """End the server that runs, if one does; the exit code."""
    if sys.platform == "win32" or not files.number.exists():
        print("Not running (no PID file).")
        return 0
    lock = _open(files.number)
    try:
        if take_lock(lock):
            files.number.unlink(missing_ok=True)
            print("Cleaned up stale PID file (server was not running).")
            return 0
        number = _number(files.number)
        if not number.isdigit():
            print("It is just starting; try again.", file=sys.stderr)
            return 1
        with suppress(ProcessLookupError):
            os.kill(int(number), signal.SIGTERM)
        ended = take_lock(lock, _ENDS)
    finally:
        os.close(lock)
    if not ended:
        print(f"It does not end (PID {number}).", file=sys.stderr)
        return 1
    files.number.unlink(missing_ok=True)
    print(f"Stopped QMD MCP server (PID {number}).")
    return 0


def _live(files: Files, lock: int, tell: int, serve: Serve) -> None:
    """Run the new process; never returns."""
    code = 70
    try:
        os.setsid()
        os.ftruncate(lock, 0)
        os.write(lock, b"%d\n" % os.getpid())
        nothing = os.open(os.devnull, os.O_RDONLY)
        log = os.open(files.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o600)
        for descriptor, of in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(descriptor, of)
        code = serve(lambda: _sign(tell))
    finally:
        with suppress(OSError):
            files.number.unlink(missing_ok=True)
        os._exit(code)


def _sign(tell: int) -> None:
    with suppress(OSError):
        os.write(tell, _SIGN)
        os.close(tell)


def _wait(told: int) -> bool:
    ready, _, _ = select.select([told], [], [], _BEGINS)
    return bool(ready) and os.read(told, 1) == _SIGN


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)


def _number(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
