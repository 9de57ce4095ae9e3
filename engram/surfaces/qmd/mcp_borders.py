"""Borders of an MCP client: which documents of a vault it may be given, by where its server runs.

A server on standard streams has one client, that started it in a folder: in that of a project the
client is given what belongs to the project, to none, to the person and to the system, and never
what is of another project; elsewhere what is of any. A server that serves several (HTTP) knows no
folder, and has no project. What belongs to a session is given to that session alone, and a space
that the policy does not read to nobody. Other collections than vaults have no borders. A vault that
cannot be asked, or whose policy is not understood, gives nothing. One object serves one call; close
it. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.qmd.folder import Unread, read


class Borders:
    """Of the client of a server in a folder; None for one that has no folder of its own."""

    def __init__(self, environment: Mapping[str, str], folder: Path | None) -> None:
        self._environment = environment
        self.folder = folder
        self._vaults: dict[str, Callable[[str, bytes], bool]] = {}
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def admit(self, root: str, path: str) -> bool:
        """Whether a document of the vault at a path may be given, as its file says now."""
        if root not in self._vaults:
            self._vaults[root] = self._open(root)
        found = read(root, path)
        if isinstance(found, Unread):
            return False
        return self._vaults[root](path, found.text.encode("utf-8", "replace"))

    def _open(self, root: str) -> Callable[[str, bytes], bool]:
        # imported here: most that is asked is about other notes
        from engram.model.errors import EngramError
        from engram.vault import Vault

        try:
            vault = self._opened.enter_context(Vault.open(root, environment=self._environment))
            if self.folder is None:
                return vault.open_documents(())
            session = reader_in(self._environment).session
            return vault.open_documents(vault.projects_in(self.folder), session)
        except EngramError:
            return lambda path, data: False
