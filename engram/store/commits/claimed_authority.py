"""Claimed authority: the header of a shared memory -> what counts of it on this machine.

A file counts in full as it was written or confirmed here, and up to what the registry says as git
brought it (`model/authority`, `model/trace`). Whose bytes they are the journal tells. Reads only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.authority import AUTHORITIES, counted_authority
from engram.model.trace import vouched_authority
from engram.store.commits.last_known import LastKnown

if TYPE_CHECKING:
    from engram.model.change import Event
    from engram.model.memory import Memory
    from engram.store.commits.transaction_log import TransactionLog


class ClaimedAuthority:
    """Of the files of one vault; `most` is the most that a header may claim by itself."""

    def __init__(self, log: TransactionLog, most: str) -> None:
        self._log = log
        self._most = most
        self._known = LastKnown(log)
        self._until = 0

    def counted(self, memory: Memory, sha: str, events: Iterable[Event]) -> Memory:
        """A memory with the authority that counts; `events` are those about it, oldest first.

        `sha` is the digest of its file: who only reads finds one before anybody records that it was
        changed.
        """
        known = self._sha(memory.path) == sha
        vouched = vouched_authority(events) if known else AUTHORITIES[0]
        return replace(memory, authority=counted_authority(memory.authority, self._most, vouched))

    def _sha(self, path: str) -> str:
        """The digest of a file as the last transaction knows it; '' where none does."""
        if self._log.sha_of(self._until + 1):
            for committed in self._log.all(self._until):
                self._until = committed.number
                self._known.follow(committed)
        return self._known.sha(path)
