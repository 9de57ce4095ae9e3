"""Read-only catalog: the queries of a hook, within a deadline.

Turns the path of a vault's catalog into the headers of live memories, memories themselves and
the numbers of those that hold a term. Guarantees: nothing is written, made or repaired (a catalog
that is missing, damaged, of another schema or too busy raises CatalogUnusable, and the next command
rebuilds it); a query ends at the deadline. `is_fresh` tells whether a memory's file is still the
one that the catalog read, so that a hand edit counts before any command settled it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from engram.model.instant import Day, Instant
from engram.model.memory import Audience, Memory
from engram.store.catalog.database import CatalogUnusable, Row, sound
from engram.store.catalog.row_body import decode
from engram.store.catalog.schema import SCHEMA
from engram.store.catalog.turn_rows import WITHDRAWN
from engram.store.catalog.word_rows import holders

if TYPE_CHECKING:
    from engram.model.step import Access
    from engram.model.summary import Summary

#: how long to wait for a process that writes, seconds
_PATIENCE = 0.2
#: SQLite instructions between two checks of the deadline
_STEPS = 10_000
#: `(number, category, day, importance, audience, space, project, valid_until, expires, confidence,
#: settled, conversation)`
LiveRow = tuple[int, str, Day, float, Audience, str, str, Day, Day, float, bool, str]


class ReadOnlyCatalog:
    """A read-only connection; close it, or use it as a context."""

    #: whether it is read without those of other vaults
    alone = True

    def __init__(self, path: Path, vault: str, judged: str, deadline: float) -> None:
        """Open; `deadline` is a time of `time.monotonic()`. Raises CatalogUnusable."""
        with sound():
            self._db = sqlite3.connect(
                f"{path.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE, isolation_level=None
            )
        self._db.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            # one snapshot of the catalog for all queries, whoever writes meanwhile
            self._rows("begin")
            kept: dict[str, str] = dict(self._rows("select key, value from meta"))
            if [kept.get(key) for key in ("schema", "vault", "judged")] != [SCHEMA, vault, judged]:
                raise CatalogUnusable("the catalog in the cache is of another engram or vault")
        except CatalogUnusable:
            self.close()
            raise

        #: the number of the last transaction that the catalog has seen, and the policy of it
        self.last = int(kept.get("last") or 0)
        self.policy_mark = kept.get("policy", "")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def live(
        self, projects: Sequence[str], *, personal: bool, conversation: str = ""
    ) -> list[LiveRow]:
        """The headers of live memories for everyone and for these projects, but of sessions.

        With `personal` those for the person alone are among them, of whatever project; with a
        conversation what belongs to that session alone.
        """
        return self._live(
            f"({_meant_for(projects)} or space = 'session' and session = ?)",
            *_audiences(projects, personal),
            conversation,
        )

    def live_for_anybody(self) -> list[LiveRow]:
        """The same for whomever they are meant, but for nobody."""
        return self._live("audience != 'nobody'")

    def _live(self, condition: str, *values: object) -> list[LiveRow]:
        return self._rows(
            "select number, category, substr(created, 1, 10), ifnull(importance, 0), audience,"
            " space, project, valid_until, expires, ifnull(confidence, 0), settled,"
            " case space when 'session' then session else '' end from memories"
            f" where status in ('active', 'needs-review') and record != 'session' and {condition}",
            *values,
        )

    def reads(self) -> dict[int, Access]:
        """How the memories were read that ever were, as of the last time that this was counted."""
        found = self._rows("select number, count, last, days from accesses join memories using(id)")
        if not found:
            return {}
        from engram.model.step import Access

        return {number: Access(*read) for number, *read in found}

    def summarised(self) -> dict[str, list[int]]:
        """The ids of active summaries, each with the numbers of its live memories."""
        found: dict[str, list[int]] = {}
        for name, number in self._rows(
            "select summary, number from summary_sources join memories on id = source"
            " where memories.status in ('active', 'needs-review')"
        ):
            found.setdefault(name, []).append(number)
        return found

    def summary(self, identifier: str) -> Summary | None:
        """The summary of that id."""
        from engram.model.summary import Summary

        found = self._rows("select body from summaries where id = ?", identifier)
        return decode(Summary, found[0][0]) if found else None

    def told_by(self, conversation: str) -> frozenset[int]:
        """The numbers of memories whose first receipt points into a conversation."""
        found = self._rows("select number from memories where session = ?", conversation)
        return frozenset(row[0] for row in found)

    def last_said(self, links: Collection[str]) -> Instant:
        """When the last of these turns was said, '' for none."""
        # imported here: a vault has hardly ever phases
        from engram.store.catalog.age_rows import last_said

        return last_said(self._rows, links)

    def last_heard(self, memory: Memory) -> Instant:
        """When its conversation last went on, or the memory was written, confirmed or restored."""
        # imported here: hardly a memory belongs to a session
        from engram.store.catalog.age_rows import last_heard

        return last_heard(self._rows, memory)

    def last_sessions(self, projects: Sequence[str]) -> list[tuple[int, Memory, Audience, Day]]:
        """The active session records of these projects, for their agents: their numbers, and the
        days of their last turns; that of the conversation which was heard last comes first.
        """
        spoken = (
            "(select max(time) from turns where transcript = memories.session"
            f" and state < {WITHDRAWN})"
        )
        found = self._rows(
            f"select number, body, audience, coalesce({spoken}, created) as spoken from memories"
            " where status = 'active' and record = 'session' and audience = 'project'"
            f" and project in ({','.join('?' * len(projects))}) order by spoken desc, id desc",
            *projects,
        )
        return [(row[0], decode(Memory, row[1]), row[2], row[3][:10]) for row in found]

    def count(self) -> int:
        """How many memories there are."""
        return int(self._rows("select count(*) from memories")[0][0])

    def holders(self, projects: Sequence[str], personal: bool, term: str, most: int) -> list[int]:
        """The numbers of live memories for everyone and for these projects that hold a term, at
        most so many; with `personal` those for the person alone too. What one session was told
        is among them, records of sessions are not: they repeat what others say."""
        return self._holders(
            f"({_meant_for(projects)} or space = 'session')",
            _audiences(projects, personal), term, most,
        )  # fmt: skip

    def holders_for_anybody(self, term: str, most: int) -> list[int]:
        """The same for whomever they are meant, but for nobody."""
        return self._holders("audience != 'nobody'", (), term, most)

    def _holders(self, condition: str, values: Iterable[object], term: str, most: int) -> list[int]:
        found: list[int] = []
        for places in holders(self._rows, term):
            rows = self._rows(
                "select number from json_each(?) join memories indexed by memories_meant"
                f" on place = value where record != 'session' and {condition} limit ?",
                str(places), *values, most - len(found),
            )  # fmt: skip
            found += (row[0] for row in rows)
            if len(found) == most:
                break
        return found

    def sizes(self, numbers: Sequence[int]) -> dict[int, int]:
        """How many terms each of these memories has."""
        marks = ",".join("?" * len(numbers))
        asked = f"select number, terms from memories where number in ({marks}) and terms > 0"
        return dict(self._rows(asked, *numbers))

    def memories(self, numbers: Iterable[int]) -> Iterator[tuple[Memory, Audience]]:
        """The memories of these numbers, in their order, each read when it is iterated."""
        for number in numbers:
            for row in self._rows("select body, audience from memories where number = ?", number):
                yield decode(Memory, row[0]), row[1]

    def named(self, identifiers: Sequence[str]) -> list[tuple[Memory, Audience]]:
        """The memories of these ids."""
        marks = ",".join("?" * len(identifiers))
        found = self._rows(
            f"select body, audience from memories where id in ({marks}) order by id", *identifiers
        )
        return [(decode(Memory, row[0]), row[1]) for row in found]

    def saying(self, hashes: Sequence[str]) -> list[tuple[Memory, Audience]]:
        """The live memories of these content hashes."""
        marks = ",".join("?" * len(hashes))
        found = self._rows(
            f"select body, audience from memories where hash in ({marks})"
            " and status in ('active', 'needs-review') order by id",
            *hashes,
        )
        return [(decode(Memory, row[0]), row[1]) for row in found]

    def own_words(self, memory: Memory, projects: Sequence[str]) -> list[tuple[Memory, Audience]]:
        """What this vault says in the words of a memory of another one: nothing, read alone."""
        return []

    def read_again(
        self, memory: Memory, root: Path, read: Callable[[Memory, Path], tuple[Memory, Audience]]
    ) -> tuple[Memory, Audience]:  # fmt: skip
        """A memory as its file is now, by who reads one below the root of its vault."""
        return read(memory, root)

    def items(self, identifiers: Sequence[str]) -> dict[str, str]:
        """The item ids of those of these memories that have one; of several the newest."""
        marks = ",".join("?" * len(identifiers))
        return dict(
            self._rows(
                "select id, store || ':' || kind || ':' || number from items"
                f" where id in ({marks}) order by n, tick",
                *identifiers,
            )
        )

    def is_fresh(self, memory: Memory | Summary, root: Path) -> bool:
        """Whether the file of a memory or summary is still the regular file that was read."""
        known = self._rows(
            "select size, mtime_ns, ctime_ns from files where path = ? and id = ?",
            memory.path, memory.id,
        )  # fmt: skip
        try:
            now = os.lstat(root / memory.path)
        except (OSError, ValueError):
            return False
        seen = (now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        return stat.S_ISREG(now.st_mode) and known == [seen]

    def _rows(self, statement: str, *values: object) -> list[Row]:
        with sound():
            return self._db.execute(statement, values).fetchall()


def _meant_for(projects: Sequence[str]) -> str:
    """The condition that a memory is meant for whom `_audiences` names."""
    marks = ",".join("?" * len(projects))
    return f"audience in (?, ?) or audience = 'project' and project in ({marks})"


def _audiences(projects: Sequence[str], personal: bool) -> tuple[str, ...]:
    return "everyone", "person" if personal else "everyone", *projects
