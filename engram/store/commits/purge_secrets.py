"""Purge of secrets: what the redactor knows is taken out of all that a vault keeps of its past.

A secret that a person typed into a file, or that an older redactor did not know, stands in files,
transactions, the turn journal, transcripts and questions of the access log. Finds where, and
replaces it there by the redactor's placeholder; the rest of each text stays. Part of applying the
transaction, so a crash repeats it; repeating changes nothing. Links to memories are no secrets,
whatever their digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import BadInput, StorageError
from engram.store.base import layout
from engram.store.catalog.access_purge import holds_questions, purge_questions
from engram.store.commits import transaction
from engram.store.commits.purge_words import FREE
from engram.store.commits.transaction import Purged
from engram.store.files.taken_copies import TakenCopies

if TYPE_CHECKING:
    from engram.model.ports import TurnLog
    from engram.model.turn import Turn
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog

SECRETS_PURGED = "secrets_purged"
#: where a link leads to a memory, a conversation or a turn: its digits look like a secret where
#: "token" stands nearby, as in the title of a box. The words of a link are looked at.
_LINK = re.compile(
    r"\[\[(?:[a-z]+-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}(?:-[0-9]{1,4})?"
    r"|[a-z]+(?:-[a-z]+)*-[0-9a-f]{12}(?:#\^m[0-9a-f]{7,12})?)(?=\]\]|\|)"
)
_HELD = re.compile(r"\[\[([0-9]{1,6})(?=\]\]|\|)")


def unlinked(text: str) -> str:
    """A text in which links to memories, conversations and turns lead nowhere."""
    return _LINK.sub("[[", text)


def without_secrets(text: str, redact: Callable[[str], str]) -> str:
    """A text with placeholders for its secrets; what `unlinked` leaves out stays whole."""
    links: list[str] = []

    def hold(hit: re.Match[str]) -> str:
        links.append(hit[0])
        return f"[[{len(links) - 1}"

    held = _LINK.sub(hold, text)
    redacted = redact(held)
    if redacted == held:
        return text
    return _HELD.sub(
        lambda hit: links[int(hit[1])] if int(hit[1]) < len(links) else hit[0], redacted
    )


class SecretEraser:
    """Finds and erases secrets in one vault; to erase, the writer lock must be held."""

    def __init__(
        self,
        disk: VaultDisk,
        projections: Projections,
        transaction_log: TransactionLog,
        turn_log: TurnLog,
        redact: Callable[[str], str],
    ) -> None:
        self._disk = disk
        self._projections = projections
        self._transaction_log = transaction_log
        self._turn_log = turn_log
        self._redact = redact

    def holding(self) -> list[str]:
        """The files that hold something that looks like a secret, in order."""
        found = [path for path in self._files() if self._has(self._read(path))]
        for earlier in self._transaction_log.all():
            if self._without(earlier) != earlier:
                found.append(layout.journal_path(earlier.number, earlier.time))
        if holds_questions(self._disk, self.cleaned):
            found.append(layout.ACCESS)
        segments = {
            entry.segment for entry in self._turn_log.entries()
            if self._turn(entry.turn) != entry.turn
        }  # fmt: skip
        return sorted([*found, *segments])

    def plan(self) -> Plan:
        """The transaction; nothing is written."""
        pages = [path for path in self._files() if layout.kind_of(path) != "transcript"]
        changes = []
        for path in pages:
            data = self._read(path)
            if (kept := self._bytes(data)) != data:
                changes.append(Purged(path, None, kept, "redacted"))
        return Plan("purge", tuple(changes), (Event(SECRETS_PURGED),))

    def erase(self, committed: Transaction) -> None:
        """Put placeholders wherever a secret stands."""
        for change in committed.plan.changes:
            data = self._disk.read(change.path)
            if data is not None and (kept := self._bytes(data)) != data:
                self._disk.put(change.path, kept)
        for earlier in self._transaction_log.all():
            if (without := self._without(earlier)) != earlier:
                path = layout.journal_path(earlier.number, earlier.time)
                self._disk.put(path, transaction.encode(without))
        transcripts = self._projections.transcripts
        # first, so that a crash leaves what tells of the blocks to be written
        transcripts.redact(
            {
                entry.turn: other
                for entry in self._turn_log.entries()
                if (other := self._turn(entry.turn)) != entry.turn
            },
            self.cleaned,
        )
        self._turn_log.rewrite(self._turn)
        purge_questions(self._disk, (), self.cleaned)

    def cleaned(self, text: str) -> str:
        """A text with placeholders for its secrets."""
        return without_secrets(text, self._redact)

    # -- where they stand ----------------------------------------------------------------------

    @cached_property
    def _clean(self) -> set[bytes]:
        """The bodies that were looked at and hold none: a journal has each of them twice."""
        return set()

    def _files(self) -> list[str]:
        shown = [*self._projections.catalog.files(), *self._projections.transcripts.paths()]
        taken = [path for path, _ in TakenCopies(self._disk).bodies()]
        # home.md and whatever else a person keeps above the folders
        notes = [path.name for path in self._disk.root.glob("*.md")]
        return [*sorted(shown), *sorted(notes), *taken]

    def _read(self, path: str) -> bytes:
        try:
            return self._disk.read(path) or b""
        except (BadInput, StorageError):
            return b""

    def _has(self, data: bytes) -> bool:
        return self._bytes(data) != data

    def _bytes(self, data: bytes) -> bytes:
        if data in self._clean:
            return data
        text = data.decode("utf-8", "surrogateescape")
        cleaned = self.cleaned(text)
        if cleaned == text:
            self._clean.add(data)
            return data
        return cleaned.encode("utf-8", "surrogateescape")

    def _turn(self, turn: Turn) -> Turn:
        texts = (turn.text, turn.title, turn.speaker, *turn.tools)
        text, title, speaker, *tools = map(self.cleaned, texts)
        return replace(turn, text=text, title=title, speaker=speaker, tools=tuple(tools))

    def _without(self, committed: Transaction) -> Transaction:
        """A transaction without secrets in the bodies of files and in the details of events."""

        def body(data: bytes | None) -> bytes | None:
            return None if data is None else self._bytes(data)

        def change(one: Change) -> Change:
            return replace(one, before=body(one.before), after=body(one.after))

        def event(one: Event) -> Event:
            return one._replace(details=tuple(self._detail(*pair) for pair in one.details))

        plan = committed.plan
        return committed._replace(
            plan=plan._replace(
                changes=tuple(map(change, plan.changes)),
                seen=tuple(map(change, plan.seen)),
                events=tuple(map(event, plan.events)),
            )
        )

    def _detail(self, key: str, value: str) -> tuple[str, str]:
        return key, self.cleaned(value) if key in FREE else value
