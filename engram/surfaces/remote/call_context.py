"""Call context of a command: streams, environment, folder, width and vaults of its caller.

The caller is this process, or one that sent its command line to the daemon. Commands ask `caller()`
and never `sys.stdout`, `os.environ` or the working directory: the daemon serves several callers and
has streams of its own. A caller is set for one thread.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engram.vault import Vault


class Stream(Protocol):
    """A text stream."""

    def write(self, text: str, /) -> object:
        """Write text. Raises BrokenPipeError when the reader has gone."""
        ...

    def flush(self) -> None:
        """Write buffered text."""
        ...

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        ...


class Caller(Protocol):
    """The environment of a command."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables."""
        ...

    @property
    def folder(self) -> Path:
        """The base of relative paths; `Path()` is the working directory."""
        ...

    @property
    def out(self) -> Stream:
        """Stream for data."""
        ...

    @property
    def err(self) -> Stream:
        """Stream for messages."""
        ...

    def columns(self) -> int:
        """Width of the terminal that data goes to, 0 where there is none."""
        ...

    def vault(self, path: Path) -> AbstractContextManager[Vault]:
        """The vault at a path, open."""
        ...

    def drop_output(self) -> None:
        """Discard buffered output of `out`, whose reader has gone."""
        ...

    def is_waiting(self) -> bool:
        """Whether it still waits for what the command finds."""
        ...


class Process:
    """This process as the caller: the present values of `sys` and `os`."""

    folder = Path()

    @property
    def environment(self) -> Mapping[str, str]:
        """As Caller says."""
        return os.environ

    @property
    def out(self) -> Stream:
        """As Caller says."""
        return sys.stdout

    @property
    def err(self) -> Stream:
        """As Caller says."""
        return sys.stderr

    def columns(self) -> int:
        """As Caller says."""
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns
        except (OSError, ValueError):
            return 0

    def vault(self, path: Path) -> AbstractContextManager[Vault]:
        """As Caller says."""
        from engram.vault import Vault

        return Vault.open(path, environment=os.environ)

    def drop_output(self) -> None:
        """Redirect it to nothing, or Python would flush again at its end."""
        with open(os.devnull, "wb") as nowhere, suppress(OSError, ValueError):
            os.dup2(nowhere.fileno(), sys.stdout.fileno())

    def is_waiting(self) -> bool:
        """As Caller says: it would be interrupted."""
        return True


_PROCESS = Process()
_here: ContextVar[Caller | None] = ContextVar("caller", default=None)


def caller() -> Caller:
    """The caller of the running command."""
    return _here.get() or _PROCESS


@contextmanager
def on_behalf_of(other: Caller) -> Iterator[None]:
    """Run the block for another caller, on this thread."""
    token = _here.set(other)
    try:
        yield
    finally:
        _here.reset(token)
