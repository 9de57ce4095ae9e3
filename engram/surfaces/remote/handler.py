"""Command host of the daemon: executes command lines as `engram` itself would.

Turns a CommandRequest of the control socket into exit code and output of the very command that the
process would have run: same parser, same verbs, same errors, with the caller's environment in place
of the daemon's own. Vaults stay open in between. Refused: verbs that `client` does not send.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engram.daemon.rpc.server import CommandAnswer, CommandRequest
from engram.daemon.rpc.vault_pool import VaultPool
from engram.model.errors import EngramError
from engram.surfaces.cli.app import BUG, run
from engram.surfaces.remote import client
from engram.surfaces.remote.call_context import on_behalf_of
from engram.vault import Vault

#: after so many writes it is checked whether the caller is still there
_WORDS = 50


class RemoteCommands:
    """The CommandHost of a daemon: executes the command lines of its clients."""

    def __init__(self) -> None:
        self._vaults = VaultPool()

    def answer(self, request: CommandRequest) -> CommandAnswer | None:
        """As CommandHost says."""
        verb = client.verb_of(list(request.arguments))
        if verb not in client.HANDED:
            return None
        caller = _RemoteCaller(request, self._vaults)
        with on_behalf_of(caller):
            try:
                code = run(list(request.arguments))
            except _NotHere:
                return None
            except Exception as error:  # noqa: BLE001 - the daemon outlives a bug in one command
                caller.err.write("".join(traceback.format_exception(error)))
                caller.err.write(BUG)
                code = 70
        return CommandAnswer(code, caller.said, verb not in client.WRITING)

    def rest(self) -> None:
        """As CommandHost says."""
        self._vaults.rest()

    def close(self) -> None:
        """As CommandHost says."""
        self._vaults.close()


class _NotHere(Exception):
    """The caller has to run it: here the vault cannot be opened, or not be written."""


class _RemoteCaller:
    """The client of a request, as the Caller of its command."""

    def __init__(self, request: CommandRequest, vaults: VaultPool) -> None:
        self._request = request
        self._vaults = vaults
        self.said: list[tuple[str, str]] = []
        self.environment: Mapping[str, str] = request.environment
        self.folder = request.folder
        self.out = _RecordedStream("out", self.said, request.terminals[0], request.gone)
        self.err = _RecordedStream("err", self.said, request.terminals[1], request.gone)

    def columns(self) -> int:
        """As Caller says."""
        return self._request.columns

    @contextmanager
    def vault(self, path: Path) -> Iterator[Vault]:
        """As Caller says. What a service may not read or write is no reason to refuse its caller:
        raises _NotHere then, before anything is done."""
        with ExitStack() as stack:
            try:
                vault = stack.enter_context(self._vaults.lend(path, self.environment, self.folder))
            except EngramError as error:
                raise _NotHere from error
            if not vault.accessible:
                raise _NotHere
            yield vault

    def drop_output(self) -> None:
        """As Caller says: nothing is buffered."""

    def is_waiting(self) -> bool:
        """As Caller says."""
        return not self._request.gone()


class _RecordedStream:
    """Output of a command to one of its streams, in the order of both."""

    def __init__(
        self, name: str, said: list[tuple[str, str]], terminal: bool, gone: Callable[[], bool]
    ) -> None:
        self._name = name
        self._said = said
        self._terminal = terminal
        self._gone = gone
        self._words = 0

    def write(self, text: str, /) -> None:
        """Record it. Raises BrokenPipeError when the caller has gone: that ends the command."""
        self._words += 1
        if self._words % _WORDS == 0 and self._gone():
            raise BrokenPipeError
        self._said.append((self._name, text))

    def flush(self) -> None:
        """Nothing is buffered."""

    def isatty(self) -> bool:
        """Whether the caller's stream is a terminal."""
        return self._terminal
