"""A command line that a running daemon carries out for this process, in no time.

Turns arguments into the exit code of the command, with all that it printed. Guarantees: it is as if
the command had run here; whatever is in doubt (no daemon, another program, a busy one, other
surroundings) is run here, and nothing is ever done twice: once a command is handed over, it is not
run here unless it only reads. Loaded before everything else, so it imports next to nothing.
"""

from __future__ import annotations

import os
import stat
import sys

from engram.daemon.rpc import messages
from engram.surfaces.streams import prepare_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket

#: what may be handed over: it neither asks anything nor reads standard input nor needs a key
READING = frozenset({
    "search", "grep", "recall", "today", "list", "show", "why", "links", "entities", "boxes",
    "traces", "log",
})  # fmt: skip
#: the same of what would do something twice if it were run twice
WRITING = frozenset({
    "remember", "forget", "restore", "confirm", "retire", "archive", "supersede", "resolve", "undo",
})  # fmt: skip
HANDED = READING | WRITING
#: how long a daemon may take to say that it is free, seconds; then it is quicker to do it here
_PATIENCE = 0.25
#: how long it may take over a question, and over a change, seconds
_READING, _CHANGING = 60.0, 600.0
_ALONE = frozenset({"-h", "--help", "--version"})


def handed_over(arguments: list[str]) -> int | None:
    """The exit code of what a daemon carried out; None when the command has to be run here."""
    verb = verb_of(arguments)
    if verb not in HANDED or os.environ.get("ENGRAM_NO_DAEMON", "0") not in ("", "0"):
        return None
    try:
        return _handed_over(arguments, verb in WRITING)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what was captured before is kept\n")
        return 130


def _handed_over(arguments: list[str], writing: bool) -> int | None:
    stream = None if sys.stdout is None or sys.stderr is None else _free_daemon()
    if stream is None:
        return None
    try:
        answer = _answer(stream, arguments, _CHANGING if writing else _READING)
    finally:
        stream.close()
    if answer == [messages.REFUSED] or not (answer or writing):
        return None
    prepare_streams()
    return _print(answer) if answer else _unknown()


def verb_of(arguments: list[str]) -> str:
    """The command that arguments name, '' where that takes a closer look."""
    if not _ALONE.isdisjoint(arguments):
        return ""
    rest = iter(arguments)
    for word in rest:
        if word == "--vault":
            next(rest, None)
        elif not (word == "--json" or word.startswith("--vault=")):
            return word
    return ""


def _free_daemon() -> Socket | None:
    """A connection to a daemon that is this very program and has time now."""
    path = messages.place(os.environ)
    try:
        if not path or not _is_ours(path):
            return None
    except OSError:
        return None
    import _socket  # `socket` takes as long to import as Python to start

    stream = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        stream.settimeout(_PATIENCE)
        stream.connect(path)
        if messages.receive(stream) == [os.fsencode(one) for one in messages.greeting()]:
            return stream
    except OSError:
        pass  # nobody is there, or nobody has time
    stream.close()
    return None


def _is_ours(path: str) -> bool:
    """Whether this is a socket of this user in a folder where nobody else can put one."""
    socket, folder = os.lstat(path), os.lstat(os.path.dirname(path))
    mine = socket.st_uid == folder.st_uid == os.getuid()
    return mine and stat.S_ISSOCK(socket.st_mode) and not folder.st_mode & 0o077


def _answer(stream: Socket, arguments: list[str], patience: float) -> list[bytes]:
    """What the daemon says; [] when it did not get the request, or nobody knows what it did.

    The first of these is `REFUSED` too: half a request is none.
    """
    try:
        request = messages.framed(map(os.fsencode, _request(arguments)))
        if len(request) > messages.LARGEST_REQUEST:
            return [messages.REFUSED]
        stream.sendall(request)
    except OSError:
        return [messages.REFUSED]
    try:
        stream.settimeout(patience)
        return messages.receive(stream) or []
    except OSError:
        return []


def _request(arguments: list[str]) -> list[str]:
    """The fields that `door` reads. Raises OSError where there is no working directory."""
    out, err = sys.stdout.isatty(), sys.stderr.isatty()
    width = os.get_terminal_size(sys.stdout.fileno()).columns if out else 0
    numbers = (int(out), int(err), width, len(arguments))
    seen = [
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("ENGRAM_") or name in messages.VARIABLES
    ]
    here = os.getcwd()
    return [here, messages.identity(here), *map(str, numbers), *arguments, *seen]


def _print(answer: list[bytes]) -> int:
    """Print an answer as the command would have; returns its exit code."""
    before = sys.stdout
    try:
        for name, text in messages.said(answer[2:]):
            stream = sys.stdout if name == "out" else sys.stderr
            if stream is not before:
                try:  # noqa: SIM105 - contextlib takes longer to import than all of this
                    before.flush()
                except OSError:
                    pass  # it is asked again at the end
            stream.write(text)
            before = stream
        sys.stderr.flush()
        sys.stdout.flush()
    except OSError as error:
        from engram.surfaces.cli.app import untaken

        return untaken(error)
    return int(answer[1])


def _unknown() -> int:
    sys.stderr.write(
        "error: the daemon ended before it said whether that is done\n"
        "hint: `engram log` shows what was done; if it was not, run the command again\n"
    )
    sys.stderr.flush()
    return 1
