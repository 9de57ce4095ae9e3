"""A question to the person: only a yes is a yes, one key is one key, and an interrupt ends it.

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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from engram.surfaces.cli.output import talk
from engram.surfaces.cli.terminal import paragraph

#: within so many seconds comes all that one key sends
_REST = 0.02
#: a blank at which no line is broken
_HELD = "\N{NO-BREAK SPACE}"


def agreed(question: str) -> bool:
    """Whether the person says yes; no answer is a no."""
    talk(f"{question} [y/N]")
    return _line().strip().lower() in (b"y", b"yes")


def pressed(question: str, keys: str) -> str:
    """The key of `keys` that the person presses; '' when nothing more comes.

    On a terminal a key is enough; elsewhere each answer is a line, whose first sign counts.
    """
    talk(question)
    while answer := _key() if sys.stdin.isatty() else _line():
        sign = answer.decode("utf-8", "replace").strip().lower()[:1]
        if sign and sign in keys:
            return sign
        talk(f"press one of {' '.join(keys)}")
    return ""


def chosen_key(keys: Mapping[str, str]) -> str:
    """The key that the person presses of those that are shown, each with what it does."""
    # a key and its words stay on one line
    words = "  ".join(f"{key} {word}".replace(" ", _HELD) for key, word in keys.items())
    return pressed(paragraph(words, 0).replace(_HELD, " "), "".join(keys))


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
            byte = _byte(source, signals)
            if not byte:
                break
            line += byte
    return line


def _key() -> bytes:
    """The next key on a terminal, without waiting for a whole line; b'' at the end of input."""
    if sys.platform == "win32":
        import msvcrt

        return msvcrt.getwch().encode("utf-8")
    source = sys.stdin.fileno()
    with _at_once(source), _signals() as signals:
        byte = _byte(source, signals)
        if byte == b"\x1b":
            _finish_escape(source)
    return b"" if byte == b"\x04" else byte


def _finish_escape(source: int) -> None:
    """Read the rest of what a key such as an arrow sends: its last sign is a letter, and no key."""
    sign = os.read(source, 1) if select.select([source], [], [], _REST)[0] else b""
    if sign in (b"[", b"O"):
        while select.select([source], [], [], _REST)[0]:
            if b"@" <= os.read(source, 1) <= b"~":
                break


def _byte(source: int, signals: int) -> bytes:
    """The next byte, b'' at the end; a signal that comes meanwhile is handled first."""
    while True:
        ready, _, _ = select.select([source, signals], [], [])
        if signals not in ready:
            return os.read(source, 1)
        os.read(signals, 1)  # its handler has run by now, and did not raise


@contextmanager
def _at_once(source: int) -> Iterator[None]:
    """A terminal that hands over each key as it is pressed; as it was again, whatever happens."""
    import termios
    import tty

    before = termios.tcgetattr(source)
    try:
        tty.setcbreak(source, termios.TCSADRAIN)  # what was typed ahead stays
        yield
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)


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
