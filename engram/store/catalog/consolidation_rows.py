"""Consolidation history: what changed since the last consolidation, and which steps were undone.

A large one is several transactions: parts, and the last one, which alone says that it is done. The
parts of one that was stopped belong to the next that comes to its end; steps are numbered through.
Read from the catalog's rows of transactions and events: counted on disk, so that a restart forgets
nothing (seed 003: every N extractions).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engram.model.change import IMPORT, PART

if TYPE_CHECKING:
    from engram.store.catalog.database import CacheDatabase

#: the event of one step of a consolidation, and the kind of its transaction
STEP, KIND = "consolidated", "consolidate"


class ConsolidationRows:
    """What the catalog knows of consolidations."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    def last(self) -> int:
        """The number of the last consolidation that came to its end, 0 when there was none."""
        return int(
            self._db.number(
                "select coalesce(max(n), 0) from transactions"
                " where kind = ? and batch not like ? || '%'",
                KIND, PART,
            )
        )  # fmt: skip

    def unfinished(self) -> tuple[int, int]:
        """How many parts of the next consolidation are committed, and how many steps they have."""
        parts = self._parts_after(self.last())
        if not parts:
            return 0, 0
        numbers = (int(details["step"]) for details, _ in self._steps(parts[-1]))
        return len(parts), max(numbers, default=0)

    def parts(self, number: int) -> list[int]:
        """The transactions of the consolidation that one belongs to, in order; none of another."""
        last = self._db.row(
            "select min(n) from transactions where n >= ? and kind = ? and batch not like ? || '%'",
            number, KIND, PART,
        )  # fmt: skip
        before = self._db.number(
            "select coalesce(max(n), 0) from transactions"
            " where n < ? and kind = ? and batch not like ? || '%'",
            number, KIND, PART,
        )  # fmt: skip
        end = last[0] if last and last[0] is not None else None
        found = [*self._parts_after(before, end), *([] if end is None else [end])]
        return found if number in found else []

    def _parts_after(self, after: int, until: int | None = None) -> list[int]:
        rows = self._db.rows(
            "select n from transactions where n > ? and n < ? and kind = ? and batch like ? || '%'"
            " order by n",
            after, 1 << 62 if until is None else until, KIND, PART,
        )  # fmt: skip
        return [row[0] for row in rows]

    def extractions(self) -> int:
        """How many extractions have changed something since."""
        return int(
            self._db.number(
                "select count(*) from transactions"
                " where n > ? and kind = 'extract' and changes > 0",
                self.last(),
            )
        )

    def imported(self) -> bool:
        """Whether imported turns were extracted since: no model reads history unasked."""
        return bool(
            self._db.number(
                "select count(*) from transactions"
                " where n > ? and kind = 'extract' and batch like ? || '%'",
                self.last(), IMPORT,
            )
        )  # fmt: skip

    def changed(self, after: int | None = None) -> frozenset[str]:
        """Subjects of all events since then, or after a transaction; also those that are gone."""
        rows = self._db.rows(
            "select distinct subject from events where n > ? and subject != ''",
            self.last() if after is None else after,
        )
        return frozenset(row[0] for row in rows)

    def purged(self, after: int) -> bool:
        """Whether words were destroyed after a transaction."""
        sql = "select count(*) from transactions where n > ? and kind = 'purge'"
        return bool(self._db.number(sql, after))

    def born(self, after: int) -> int:
        """How many memories of now had their first event after a transaction."""
        return int(
            self._db.number(
                "select count(*) from (select distinct subject from events where n > ?)"
                " join memories on id = subject where not exists"
                " (select 1 from events where subject = id and n <= ?)",
                after, after,
            )
        )  # fmt: skip

    def declined(self) -> frozenset[tuple[str, str, tuple[str, ...]]]:
        """`(task, action, subjects)` of the steps that the person undid, and left so."""
        found = set()
        for number, step in self._undone():
            for part in self.parts(number) if step else [number]:
                for details, subjects in self._steps(part):
                    if not step or details["step"] == step:
                        found.add((details["task"], details["action"], subjects))
        found.update(("gc", "collect", (name,)) for name in self._brought_back())
        return frozenset(found)

    def _brought_back(self) -> Iterator[str]:
        """The memories that `engram gc` moved, by itself, and that the person moved back."""
        undone: set[int] = set()
        for number, kind, undoes in self._db.rows(
            "select n, kind, undoes from transactions where kind in ('undo', 'gc') order by n desc"
        ):
            if kind == "undo" and number not in undone:
                undone.update(map(int, undoes.split()))
            elif kind == "gc" and number in undone:
                yield from (
                    row[0]
                    for row in self._db.rows("select subject from events where n = ?", number)
                )

    def steps(self, number: int) -> dict[str, tuple[str, ...]]:
        """The subjects of each step of a consolidation, by the step's number."""
        return {
            details["step"]: subjects
            for part in self.parts(number)
            for details, subjects in self._steps(part)
        }

    def _steps(self, number: int) -> Iterator[tuple[dict[str, str], tuple[str, ...]]]:
        """The details of each step, and its subjects: those of its events, in their order."""
        subjects: dict[str, list[str]] = {}
        for subject, details in self._db.rows(
            "select subject, details from events where n = ? and name = ? order by rowid",
            number, STEP,
        ):  # fmt: skip
            subjects.setdefault(details, []).append(subject)
        for details, names in subjects.items():
            yield json.loads(details), tuple(names)

    def _undone(self) -> Iterator[tuple[int, str]]:
        """`(consolidation, step)` that are undone at present; '' for all of its steps."""
        rows = self._db.rows(
            "select n, kind, undoes, batch from transactions where kind in ('undo', ?)"
            " order by n desc",
            KIND,
        )
        undone: set[int] = set()
        consolidations = {row[0] for row in rows if row[1] == KIND}
        for number, kind, undoes, part in rows:
            if kind == KIND or number in undone:
                continue
            reverted = set(map(int, undoes.split()))
            undone |= reverted
            if not reverted <= consolidations:
                # it went along with what it was about: nobody declined it
                consolidations -= reverted
            run, _, steps = part.partition(".")
            if steps and int(run) not in undone:
                yield from ((int(run), step) for step in steps.split("+"))
        yield from ((number, "") for number in sorted(undone & consolidations))
