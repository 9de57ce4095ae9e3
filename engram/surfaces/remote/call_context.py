"""Whom a command is run for: this process, or one that handed its command line to the daemon.

Turns what a command asks of its surroundings (streams, environment, folder, width, a vault) into
those of its caller. Commands ask `caller()` and never `sys.stdout`, `os.environ` or the working
directory: the daemon does other things meanwhile, and has those of its own. A caller holds for one
thread.
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
    """Where text goes."""

    def write(self, text: str, /) -> object:
        """Take it. Raises BrokenPipeError when nobody reads it any more."""
        ...

    def flush(self) -> None:
        """Hand over what is kept back."""
        ...

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        ...


class Caller(Protocol):
    """The surroundings of a command."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables."""
        ...

    @property
    def folder(self) -> Path:
        """What relative paths are seen from; `Path()` is the working directory."""
        ...

    @property
    def out(self) -> Stream:
        """Data."""
        ...

    @property
    def err(self) -> Stream:
        """Talk."""
        ...

    def columns(self) -> int:
        """The width of the terminal that data goes to, 0 where there is none."""
        ...

    def vault(self, path: Path) -> AbstractContextManager[Vault]:
        """The vault at a path, open."""
        ...

    def drop_output(self) -> None:
        """Nobody takes what is still kept back for `out`."""
        ...


class Process:
    """This process as the caller: what `sys` and `os` say at the moment."""

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
        """It goes nowhere, or Python would try again at its end."""
        with open(os.devnull, "wb") as nowhere, suppress(OSError, ValueError):
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


_PROCESS = Process()
_here: ContextVar[Caller | None] = ContextVar("caller", default=None)


def caller() -> Caller:
    """Whom the command that is running is run for."""
    return _here.get() or _PROCESS


@contextmanager
def on_behalf_of(other: Caller) -> Iterator[None]:
    """Run what is inside for another, on this thread."""
    token = _here.set(other)
    try:
        yield
    finally:
        _here.reset(token)
