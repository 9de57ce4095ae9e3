"""Client of the control socket: lets a running daemon execute this process's command line.

Turns arguments into the exit code of the command, with all that it printed. Guarantees: the result
is as if the command had run here; whatever is in doubt (no daemon, another program, a busy one,
another environment) is run here, and nothing is ever done twice: once a command is sent, it is not
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

#: commands that may be sent: they ask nothing, read no standard input and need no key
READING = frozenset({
    "search", "grep", "recall", "today", "list", "show", "why", "tiers", "links", "entities",
    "boxes", "traces", "summaries", "log", "events",
})  # fmt: skip
#: the same of commands that would write twice if they were run twice
WRITING = frozenset({
    "remember", "forget", "restore", "confirm", "retire", "archive", "supersede", "resolve", "undo",
})  # fmt: skip
HANDED = READING | WRITING
#: how long a daemon may take to greet, seconds; after that it is quicker to run here
_PATIENCE = 0.25
#: how long it may take for a read, and for a write, seconds
_READING, _CHANGING = 60.0, 600.0
_ALONE = frozenset({"-h", "--help", "--version"})


def handed_over(arguments: list[str]) -> int | None:
    """The exit code of what a daemon executed; None when the command has to be run here."""
    verb = verb_of(arguments)
    if verb not in HANDED or os.environ.get("ENGRAM_NO_DAEMON", "0") not in ("", "0"):
        return None
    # stdin is this process's; and a model costs, takes long, and must not be asked twice
    if "-" in arguments or "--reason" in arguments:
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
    """The command that arguments name, '' where full parsing is needed."""
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
    """A connection to a daemon of this very build that is free now."""
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
        wanted = [os.fsencode(one) for one in messages.greeting()]
        if _is_of_user(stream) and messages.receive(stream, _PATIENCE) == wanted:
            return stream
    except OSError:
        pass  # no daemon, or a busy one
    stream.close()
    return None


def _is_ours(path: str) -> bool:
    """Whether this is a socket of this user in a folder that only this user can write to."""
    socket, folder = os.lstat(path), os.lstat(os.path.dirname(path))
    mine = socket.st_uid == folder.st_uid == os.getuid()
    return mine and stat.S_ISSOCK(socket.st_mode) and not folder.st_mode & 0o077


def _is_of_user(stream: Socket) -> bool:
    """Whether this user listens at the other end: what lies at a path can have been changed."""
    import _socket

    if not hasattr(_socket, "SO_PEERCRED"):
        return True
    told = stream.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)  # pid, uid, gid
    return int.from_bytes(told[4:8], sys.byteorder) == os.getuid()


def _answer(stream: Socket, arguments: list[str], patience: float) -> list[bytes]:
    """The daemon's answer; [] when it did not get the request, or its result is unknown.

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
        return messages.receive(stream, patience) or []
    except OSError:
        return []


def _request(arguments: list[str]) -> list[str]:
    """The fields that `rpc.server` reads. Raises OSError without a working directory."""
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
                    pass  # flushed again at the end of the process
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
