"""A vault that somebody has lived in for a while, of any size, made by the product itself.

Memories of conversations, in which one project and a few subjects are talked about, are committed
by the vault's own ledger, in large transactions: with tags, entities, slots, days of expiry, due
days, repeats (in the same words and in others) and questions asked. Equal numbers, equal vaults.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from engram.model.change import Event, Plan
from engram.model.ids import memory_id
from engram.model.instant import day_of
from engram.model.memory import Memory
from engram.model.retention import Terms, expiry
from engram.model.settings import RetentionSettings
from engram.store.catalog.access_log import AccessLog
from engram.vault import Vault
from tests.benchmarks.invented import Invented

#: the end of the last conversation, and so many memories come of a day
END = datetime(2026, 3, 6, 12, tzinfo=UTC)
_A_DAY, _MOST_DAYS = 25, 790
_IN_A_SESSION, _SUBJECTS = 8, 4
#: memories in one transaction
_AT_ONCE = 2_000
_TYPES = ("tool", "person", "project", "concept")
#: one memory in so many says again what another says: in the same words, or in others
_VERBATIM, _REWORDED = 200, 50


class LivedIn:
    """The memories of a vault of `count`."""

    def __init__(self, count: int) -> None:
        self._invented = Invented()
        self._count = count
        self._terms = Terms(RetentionSettings())
        self._days = min(_MOST_DAYS, max(1, count // _A_DAY))
        self._names = [
            f"{_TYPES[number % len(_TYPES)]}-{name}" for number, name in enumerate(self._words())
        ]

    def _words(self) -> Sequence[str]:
        """What the vault is about: a subject for each twenty memories."""
        draw = random.Random("subjects")
        drawn = self._invented.words(draw, max(40, self._count // 5))
        words = [word for word in dict.fromkeys(drawn) if word.isalpha() and len(word) > 3]
        return words[: max(10, self._count // 20)]

    def memory(self, number: int) -> Memory:
        """One of them; the higher the number, the newer."""
        session, place = divmod(number, _IN_A_SESSION)
        talk, draw = random.Random(f"talk {session}"), random.Random(f"lived {number}")
        subjects = [talk.choice(self._names) for _ in range(_SUBJECTS)]
        told = self._invented.memory(number)
        share = 1 - session * _IN_A_SESSION / max(self._count, 1)
        when = END - timedelta(days=self._days * share, minutes=-2 * place)
        created = when.strftime("%Y-%m-%dT%H:%M:%SZ")
        entities = tuple(dict.fromkeys(draw.sample(subjects, draw.choice((0, 1, 1, 2)))))
        memory = replace(
            told,
            id=memory_id(told.category, created, f"{number} {told.text}"),
            text=self._said(number, told.text),
            created=created,
            project=self._invented.memory(session).project,
            kind="episode" if told.category == "moment" else "note",
            confidence=draw.choice((0.3, 0.5, 0.7, 0.8, 0.9)),
            importance=draw.choice((0.2, 0.3, 0.5, 0.5, 0.8)),
            authority=draw.choice(("ai_inferred", "ai_inferred", "user_asserted")),
            entities=entities,
            tags=tuple(subject.partition("-")[2] for subject in draw.sample(subjects, 2)),
            key=f"setting-{number % 997}" if draw.random() < 0.03 else "",
            sources=(f"bench-{session:012x}#^m{number:010x}",),
            extra=(("due", day_of(created)),) if told.category == "commitment" else (),
        )
        # every other one was heard of again of late
        heard = END.strftime("%Y-%m-%dT%H:%M:%SZ") if draw.random() < 0.5 else created
        return replace(memory, expires=expiry(memory, heard, self._terms))

    def _said(self, number: int, text: str) -> str:
        """What it says: now and then what the one before it said."""
        if number and number % _VERBATIM == 0:
            return self._invented.memory(number - 1).text
        if number % _REWORDED == _REWORDED - 1:
            return f"Currently {self._invented.memory(number - 1).text}"
        return text

    def memories(self, first: int, last: int) -> list[Memory]:
        """Those from one number to before another."""
        return list(map(self.memory, range(first, last)))


def live_in(vault: Vault, lived: LivedIn, first: int, last: int) -> None:
    """Commit memories to a vault, and ask for every tenth of them as often as four times."""
    log = AccessLog(vault.parts.disk)
    for start in range(first, last, _AT_ONCE):
        told = lived.memories(start, min(start + _AT_ONCE, last))
        events = tuple(Event("memory_write", memory.id) for memory in told)
        changes = tuple(vault.parts.writer.changes(told, ()))
        vault.parts.committer.commit(Plan("extract", changes, events))
        for number, memory in enumerate(told[::10]):
            for _ in range(number % 5):
                log.note([memory.id], vault.clock.now())
