"""A question to the person: only a yes is a yes, and an interrupt ends the waiting at once.

Python only notes a signal when it comes, and handles it between two of its own steps. One that
comes after the last step before a read would be handled after that read: at an answer, which the
person who pressed Ctrl-C is not going to give. So the input and the signals are waited for
together. For the main thread, as signals are; nothing else has read from stdin before.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engram.surfaces.cli.output import talk


def agreed(question: str) -> bool:
    """Whether the person says yes; no answer is a no."""
    talk(f"{question} [y/N]")
    return _line().strip().lower() in (b"y", b"yes")


def _line() -> bytes:
    """The next line of stdin, bytes as they are: what cannot be decoded is no yes either."""
    stream = sys.stdin.buffer
    try:
        source = stream.fileno()
    except OSError:  # in memory
        return stream.readline()
    if sys.platform == "win32":  # only sockets can be waited for
        return stream.readline()
    line = b""
    with _signals() as signals:
        # byte by byte, so that half a line is never waited for by a read alone
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([source, signals], [], [])
            if signals in ready:
                os.read(signals, 1)  # its handler has run by now, and did not raise
            elif byte := os.read(source, 1):
                line += byte
            else:
                break
    return line


@contextmanager
def _signals() -> Iterator[int]:
    """A descriptor that can be read as soon as a signal has come."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)  # as `set_wakeup_fd` demands
    before = signal.set_wakeup_fd(theirs)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(before)
        os.close(ours)
        os.close(theirs)
