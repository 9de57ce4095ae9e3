"""Control socket of the daemon: executes command lines of the same user's other processes.

Turns requests (`rpc.messages`) into calls of a `CommandHost` and its answers into frames, one after
the other, on one thread of the daemon that everything the host keeps belongs to. Guarantees: only
this user can connect (a folder of mode 0700, a socket of 0600, and the kernel's peer credentials);
nothing is started for a client that has disconnected or is slow to ask; an answer is sent whole,
when the command has ended, and never waits for a slow reader. Refuses: a folder of another user, a
path too long, a request larger than 1 MB or with another user's environment, an answer that is too
large, if nothing was written for it.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from engram.daemon.rpc import messages
from engram.model.errors import StorageError

_log = logging.getLogger(__name__)
#: how long a client may take to send its request, and to read the answer, seconds
_REQUEST_TIME = 1.0
_ANSWER_TIME = 5.0
#: how long a command may run before its next output ends it, seconds
DEADLINE = 60.0
#: how long the last answer may take when the server closes, seconds
_CLOSE_TIME = 0.5
#: how often the host is called while idle, seconds
_REST = 0.5
#: the most bytes of an answer to a read
LARGEST_ANSWER = 1_000_000
#: must be equal for client and daemon: these variables decide where the user's files lie
_SAME_VARIABLES = (
    "ANDROID_DATA", "ENGRAM_HOME", "HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """A command line and its environment; `columns` is 0 where the width is unknown.

    `identity` is device and inode of `folder` as the client sees it, `terminals` whether its
    standard output and standard error are terminals, `gone` tells whether it has disconnected.
    """

    arguments: Sequence[str]
    folder: Path
    identity: str
    environment: Mapping[str, str]
    terminals: tuple[bool, bool]
    columns: int
    gone: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What a command printed, ("out" or "err", text) in its order, and its exit code.

    `repeatable` when running it again would write nothing twice.
    """

    code: int
    said: Sequence[tuple[str, str]]
    repeatable: bool


class CommandHost(Protocol):
    """Executes command lines. All methods are called on the server's thread."""

    def answer(self, request: CommandRequest) -> CommandAnswer | None:
        """Execute it; None when the client has to do so itself, as nothing was done."""
        ...

    def rest(self) -> None:
        """Called while idle: time to prepare the next answer."""
        ...

    def close(self) -> None:
        """The server is closing."""
        ...


class ControlServer:
    """The control socket of one daemon. Use as a context, or `open` and `close`."""

    def __init__(self, host: CommandHost, environment: Mapping[str, str]) -> None:
        self._host = host
        self._environment = dict(environment)
        self.path = messages.place(environment)
        self._listener: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, name="control socket", daemon=True)
        self._ours, self._theirs = os.pipe()

    def open(self) -> Self:
        """Start to listen. Raises StorageError where there can be no such socket."""
        if not self.path:
            raise StorageError(
                "there is no place for the daemon's socket", "set ENGRAM_HOME to a shorter path"
            )
        self._listener = _listener(Path(self.path))
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop listening and remove the socket; a slow answer is not waited for."""
        os.write(self._theirs, b".")
        if self._thread.is_alive():
            self._thread.join(_CLOSE_TIME)
        if not self._thread.is_alive():
            os.close(self._ours)
            os.close(self._theirs)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- on the server's thread -----------------------------------------------------------------

    def _serve(self) -> None:
        assert self._listener is not None
        try:
            with self._listener:
                waiting = select.poll()
                waiting.register(self._listener, select.POLLIN)
                waiting.register(self._ours, select.POLLIN)
                while True:
                    ready = {handle for handle, _ in waiting.poll(_REST * 1000)}
                    if self._ours in ready:
                        break
                    if ready:
                        self._accept(self._listener)
                    else:
                        self._host.rest()
        finally:
            with suppress(OSError):
                os.unlink(self.path)
            self._host.close()

    def _accept(self, listener: socket.socket) -> None:
        """Serve one client from greeting to answer; its errors end no other connection."""
        try:
            caller, _ = listener.accept()
            with caller:
                caller.settimeout(_REQUEST_TIME)
                if _is_ours(caller):
                    self._serve_client(caller)
                else:
                    _log.warning("the control socket was called by another user")
        except OSError as error:
            _log.info("a caller at the control socket has gone: %s", error)

    def _serve_client(self, caller: socket.socket) -> None:
        caller.sendall(messages.framed(map(os.fsencode, messages.greeting())))
        fields = messages.receive(caller, _REQUEST_TIME, messages.LARGEST_REQUEST)
        request = None if fields is None else _request(fields, lambda: _is_gone(caller))
        if request is None:
            return
        answer = self._host.answer(request) if self._sees_same_files(request) else None
        caller.settimeout(_ANSWER_TIME)
        caller.sendall(_framed(answer))

    def _sees_same_files(self, request: CommandRequest) -> bool:
        """Whether client and daemon see the same files: a service can have private folders."""
        if any(
            request.environment.get(name) != self._environment.get(name) for name in _SAME_VARIABLES
        ):
            return False
        try:
            return messages.identity(str(request.folder)) == request.identity
        except OSError:
            return False


def _framed(answer: CommandAnswer | None) -> bytes:
    if answer is None:
        return messages.framed([messages.REFUSED])
    fields = [messages.DONE, b"%d" % answer.code]
    for stream, text in answer.said:
        fields += (stream.encode(), text.encode("utf-8", "backslashreplace"))
    frame = messages.framed(fields)
    if answer.repeatable and len(frame) > LARGEST_ANSWER:
        return messages.framed([messages.REFUSED])
    return frame


def _request(fields: Sequence[bytes], gone: Callable[[], bool]) -> CommandRequest | None:
    """The request of a client; None for anything else.

    The fields: folder, its identity, is stdout a terminal, is stderr, columns, how many arguments,
    the arguments, `NAME=VALUE` of variables.
    """
    if len(fields) < 6 or not all(field.isdigit() and len(field) < 7 for field in fields[2:6]):
        return None
    folder, identity = os.fsdecode(fields[0]), os.fsdecode(fields[1])
    if not os.path.isabs(folder):
        return None
    out, err, columns, count = map(int, fields[2:6])
    words = [os.fsdecode(field) for field in fields[6:]]
    pairs = (word.partition("=") for word in words[count:])
    until = time.monotonic() + DEADLINE
    return CommandRequest(
        words[:count], Path(folder), identity, {name: value for name, _, value in pairs},
        (bool(out), bool(err)), columns, lambda: gone() or time.monotonic() > until,
    )  # fmt: skip


# -- access ----------------------------------------------------------------------------------------


def _listener(path: Path) -> socket.socket:
    """A socket at that path in a folder that only this user may enter. Raises StorageError."""
    _own_folder(path.parent)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if _is_listening(path):
            raise StorageError(f"another daemon listens at {path}", "stop it: `engram daemon stop`")
        path.unlink(missing_ok=True)  # left by a daemon that was killed
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(16)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise StorageError(
            f"cannot listen at {path}: {error.strerror or error}",
            "remove what is there, and start the daemon again",
        ) from error
    except StorageError:
        listener.close()
        raise
    return listener


def _own_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise StorageError(
            f"cannot make {folder}: {error.strerror or error}", "check who may write there"
        ) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise StorageError(f"{folder} is no folder of yours", "remove it")
    if found.st_mode & 0o077:
        raise StorageError(f"others may look into {folder}", f"`chmod 700 {folder}`")


def _is_listening(path: Path) -> bool:
    """Whether a process listens at a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.settimeout(_REQUEST_TIME)
        return caller.connect_ex(str(path)) in (0, errno.EAGAIN)


def _is_ours(caller: socket.socket) -> bool:
    """Whether the peer belongs to this user, as the kernel says; elsewhere the folder decides."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", told)
    return bool(user == os.getuid())


def _is_gone(caller: socket.socket) -> bool:
    """Whether the client has disconnected."""
    waiting = select.poll()
    waiting.register(caller, select.POLLIN)
    return bool(waiting.poll(0))
