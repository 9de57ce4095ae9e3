"""Borders of an MCP client: which documents of a vault it may be given, by where its server runs.

A server on standard streams has one client, that started it in a folder: in that of a project the
client is given what belongs to the project, to none, to the person and to the system, and never
what is of another project; elsewhere what is of any. A server that serves several (HTTP) knows no
folder, and has no project. What belongs to a session is given to that session alone, and a space
that the policy does not read to nobody. Other collections than vaults have no borders. A vault that
cannot be asked, or whose policy is not understood, gives nothing. One object serves one call; close
it. Within a call each vault is opened once, for borders and access log; a server whose calls come
one after the other keeps it open between them (`VaultPool`). Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from engram.model.errors import EngramError
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.qmd.folder import Unread, read

if TYPE_CHECKING:
    from engram.daemon.rpc.vault_pool import VaultPool
    from engram.vault import Vault


class Borders:
    """Of the client of a server in a folder; None for one that has no folder of its own.

    `pool` is the server's, where all of its calls are made by one thread.
    """

    def __init__(
        self, environment: Mapping[str, str], folder: Path | None, pool: VaultPool | None = None
    ) -> None:
        self._environment = environment
        self.folder = folder
        self._pool = pool
        self._vaults: dict[str, Vault] = {}
        self._open_to: dict[str, Callable[[str, bytes], bool]] = {}
        self._failed: EngramError | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if error is None and self._failed is not None:
            kind, error = type(self._failed), self._failed  # the pool lets go of what failed
        self._opened.__exit__(kind, error, trace)

    def admit(self, root: str, path: str) -> bool:
        """Whether a document of the vault at a path may be given, as its file says now."""
        if root not in self._open_to:
            self._open_to[root] = self._border(root)
        found = read(root, path)
        if isinstance(found, Unread):
            return False
        return self._open_to[root](path, found.text.encode("utf-8", "replace"))

    def vault(self, root: str) -> Vault:
        """The vault, open until the end of the call. Raises EngramError."""
        # imported here: most that is asked is about other notes
        from engram.vault import Vault

        if root not in self._vaults:
            if self._pool is None:
                lent = Vault.open(root, environment=self._environment)
                self._vaults[root] = self._opened.enter_context(lent)
            else:
                lend = self._pool.lend(Path(root), self._environment, Path())
                self._vaults[root] = self._opened.enter_context(lend)
        return self._vaults[root]

    def _border(self, root: str) -> Callable[[str, bytes], bool]:
        try:
            vault = self.vault(root)
            if self.folder is None:
                return vault.open_documents(())
            session = reader_in(self._environment).session
            return vault.open_documents(vault.projects_in(self.folder), session)
        except EngramError as error:
            self._failed = error
            return lambda path, data: False
