"""Purge: destroys words wherever a vault holds them or what was made of them (design 4.2).

A plan (`purge_plan`) names memories, turns and whole conversations; committed, it leaves a vault
without the files of these memories, and boxes, entities, plain pages, transactions, turn journal,
transcripts, taken inbox files, titles, verdicts, and questions in the access log without their
words. What is to be looked for stands in
the transaction file only as long as it is applied, so that a crash repeats the whole; repeating
changes nothing. Catalog, index and views are made anew afterwards. Git history, backups, synced
copies and another program's files are not reached.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Transaction
from engram.store.base import layout
from engram.store.catalog.access_purge import purge_questions
from engram.store.commits import transaction
from engram.store.commits.digest_chain import Rechaining
from engram.store.commits.purge_remains import PurgeRemains
from engram.store.commits.purge_secrets import SECRETS_PURGED
from engram.store.commits.purge_words import ReasonEraser
from engram.store.commits.transaction import Purged
from engram.store.files.kept_verdicts import purge_verdicts
from engram.store.files.taken_copies import TakenCopies

if TYPE_CHECKING:
    from engram.model.ports import TurnLog
    from engram.model.turn import Turn
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.purge_secrets import SecretEraser
    from engram.store.commits.transaction_log import TransactionLog
    from engram.store.files.transcripts import Transcripts

#: the event that names purged turns; its other details are gone once the purge is done
WORDS_PURGED = "words_purged"
#: the event after which no title is stored for a conversation any more
TITLE_PURGED = "title_purged"
#: logs in `state/` with free words
_COPIED = frozenset({layout.VERDICTS, layout.ACCESS, layout.TRACE})
#: the details of `words_purged` that stay in the journal
_LASTING = frozenset({"turns", "messages"})


class PurgeWriter:
    """Erases in one vault; the writer lock must be held."""

    def __init__(
        self,
        disk: VaultDisk,
        transaction_log: TransactionLog,
        turn_log: TurnLog,
        transcripts: Transcripts,
        secrets: Callable[[], SecretEraser],
    ) -> None:
        self._disk = disk
        self._transaction_log = transaction_log
        self._turn_log = turn_log
        self._transcripts = transcripts
        self._secrets = secrets

    def erase(self, committed: Transaction) -> Transaction:
        """Remove what a transaction purges from everything that holds it; returns what may stay.

        That is the same transaction without what was to be looked for.
        """
        if any(event.name == SECRETS_PURGED for event in committed.plan.events):
            self._secrets().erase(committed)
            return committed
        changes = [change for change in committed.plan.changes if isinstance(change, Purged)]
        own = {change.path for change in changes if change.after is None}
        told = {name: details for name, _, details in map(_read, committed.plan.events)}
        details = told.get(WORDS_PURGED, {})
        remains = remains_of(committed.plan.events)
        for change in changes:
            if change.after is not None:
                self._put_without(remains, change.path)
        free = _free_words(details, remains)
        self._rewrite(remains, free, sorted(own))
        messages = details.get("messages", "").split()
        nameless = _Nameless(remains, committed.plan.events)
        self._turn_log.purge(messages, nameless.turn)
        self._transcripts.purge(
            details.get("turns", "").split(), nameless.untitled, remains.named_in
        )
        for name in details.get("conversations", "").split():
            self._transcripts.remove(name)
        texts = json.loads(details.get("texts") or "[]")
        self._remove_copies()
        purge_verdicts(self._disk, texts, remains)
        TakenCopies(self._disk).purge(messages, texts, remains.named_in)
        for path in own:
            # another memory may have its path by now; a conflict copy belongs to nothing else
            if layout.original_of(path) != path or self._identity(path) in remains.ids:
                self._disk.remove(path)
        purge_questions(self._disk, free.names, remains.cleaned)
        return _settled(committed, remains, free)

    def _put_without(self, remains: PurgeRemains, path: str) -> None:
        data = self._disk.read(path)
        kept = None if data is None else _without(remains, path, data)
        if kept is not None and kept != data:
            self._disk.put(path, kept)

    def _rewrite(self, remains: PurgeRemains, free: ReasonEraser, own: Sequence[str]) -> None:
        """Take what was purged out of the transactions of the journal, and out of the trace.

        The trace may have lines of transactions that the journal has lost.
        """
        chain, changed = Rechaining(), dict[int, str]()
        for earlier in self._transaction_log.all():
            without = _cleaned(transaction.purged(earlier, own), remains, free)
            linked = chain.follow(earlier, without)
            if without != earlier or linked != earlier.chain:
                changed[earlier.number] = linked
        # the last one first: after a crash the links before it are still those that held
        for number in reversed(changed):
            earlier = self._transaction_log.existing(number)
            without = _cleaned(transaction.purged(earlier, own), remains, free)
            path = layout.journal_path(number, earlier.time)
            self._disk.put(path, transaction.encode(without._replace(chain=changed[number])))
        trace = self._disk.read(layout.TRACE) or b""
        if (kept := free.without_in_trace(trace)) != trace:
            self._disk.put(layout.TRACE, kept)

    def _remove_copies(self) -> None:
        """Copies of these files that a sync tool left are read by nobody: they go as a whole."""
        for name in self._disk.names(layout.STATE):
            path = f"{layout.STATE}/{name}"
            if layout.is_conflict_copy(name) and layout.original_of(path) in _COPIED:
                self._disk.remove(path)

    def _identity(self, path: str) -> str:
        """The id of the file at a path now."""
        from engram.store.files.content_file import read_content

        data = self._disk.read(path)
        return "" if data is None else read_content(path, data).id


class _Nameless:
    """Which conversations lose their title, and which sessions their name."""

    def __init__(self, remains: PurgeRemains, events: Iterable[Event]) -> None:
        self._named_in = cache(remains.named_in)
        self._untitled = {event.subject for event in events if event.name == TITLE_PURGED}

    def turn(self, turn: Turn) -> Turn:
        """A turn that stays, without them."""
        if self._named_in(turn.session):
            return turn.nameless
        return replace(turn, title="") if self.untitled(turn.transcript, turn.title) else turn

    def untitled(self, transcript: str, title: str) -> bool:
        """Whether the title of a transcript is to be taken out."""
        return bool(title) and (transcript in self._untitled or self._named_in(title))


def remains_of(events: Iterable[Event]) -> PurgeRemains:
    """What the events of a purge that is being applied tell to look for."""
    read = list(map(_read, events))
    ids = {subject for name, subject, _ in read if name == "memory_purged"}
    details = next((found for name, _, found in read if name == WORDS_PURGED), {})
    texts = json.loads(details.get("texts") or "[]")
    every = frozenset(ids | set(details.get("ids", "").split()))
    return PurgeRemains(
        every,
        PurgeRemains.of([], texts).said,
        frozenset(details.get("words", "").split()),
        frozenset(details.get("rare", "").split()),
        details.get("phrase", ""),
        every - ids,
        tuple((path, name) for path, name in json.loads(details.get("names") or "[]")),
    )


def _read(event: Event) -> tuple[str, str, dict[str, str]]:
    return event.name, event.subject, dict(event.details)


def _free_words(details: Mapping[str, str], remains: PurgeRemains) -> ReasonEraser:
    """All that the purge names: memories, pages, items, turns, conversations."""
    named = " ".join(details.get(key, "") for key in ("turns", "conversations", "items"))
    return ReasonEraser(remains.ids.union(named.split()), remains.cleaned, remains.pages)


def _settled(committed: Transaction, remains: PurgeRemains, free: ReasonEraser) -> Transaction:
    """A purge that is done: which turns it took, and nothing of what they said."""
    events = [
        event._replace(details=tuple(one for one in event.details if one[0] in _LASTING))
        if event.name == WORDS_PURGED
        else event
        for event in committed.plan.events
    ]
    plan = committed.plan._replace(events=tuple(events))
    return _cleaned(committed._replace(plan=plan), remains, free)


def _cleaned(committed: Transaction, remains: PurgeRemains, free: ReasonEraser) -> Transaction:
    """A transaction whose bodies, events and names hold nothing of what was purged."""

    def body(path: str, data: bytes | None) -> bytes | None:
        if data is None:
            return None
        if layout.is_page(layout.original_of(path)):
            return _without(remains, path, data)
        return remains.cleaned_bytes(data)

    def change(one: Change) -> Change:
        before, after = body(one.path, one.before), body(one.path, one.after)
        # a page that went before has a word for its name: no memory's file may
        named = layout.is_page(one.path) and remains.names_file(one.path)
        if isinstance(one, Purged) or named or (before, after) == (None, None):
            return Purged(remains.cleaned_path(one.path), None, None if named else after, one.why)
        return replace(one, before=before, after=after)

    plan = committed.plan
    return committed._replace(
        plan=plan._replace(
            changes=tuple(map(change, plan.changes)),
            seen=tuple(map(change, plan.seen)),
            events=free.without(plan.events),
        )
    )


def _without(remains: PurgeRemains, path: str, data: bytes) -> bytes | None:
    """A page, or a conflict copy of one, without what was purged."""
    return remains.without(layout.original_of(path), data)
