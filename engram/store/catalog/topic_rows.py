"""Running totals of words in the catalog, from which `topics.json` is made in milliseconds.

Live memories are added and subtracted as they come and go; the numbers are integers, so the totals
equal a new count. Changes are gathered and written once, by `write`, before the catalog's
transaction ends: a word costs one statement however many memories hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.memory import LIVE

if TYPE_CHECKING:
    from engram.language.topics import Topic
    from engram.store.catalog.database import CacheDatabase


class TopicRows:
    """Word totals of the live memories. Called inside the catalog's transaction."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database
        self._held: dict[str, int] = {}
        self._weights: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Count the words of a new live memory."""
        self._count(text, 1)

    def subtract(self, text: str) -> None:
        """Discount the words of a memory that is no longer live."""
        self._count(text, -1)

    def _count(self, text: str, times: int) -> None:
        from engram.language.topics import topic_terms

        held, weights = self._held, self._weights
        for term, weight in topic_terms(text).items():
            held[term] = held.get(term, 0) + times
            weights[term] = weights.get(term, 0) + times * weight

    def write(self) -> None:
        """Write the gathered changes to the table."""
        if not self._held:
            return
        self._db.many(
            "insert into topics values(?,?,?) on conflict(term) do update"
            " set held = held + excluded.held, weight = weight + excluded.weight",
            [
                (term, held, self._weights[term])
                for term, held in sorted(self._held.items())
                if held or self._weights[term]
            ],
        )
        self._db.many(
            "delete from topics where term = ? and held = 0",
            [(term,) for term, held in self._held.items() if held < 0],
        )
        self.forget()

    def forget(self) -> None:
        """Discard the gathered changes: the transaction failed."""
        self._held.clear()
        self._weights.clear()

    def totals(self) -> list[tuple[str, int, int]]:
        """`(word, memories that hold it, sum of its weights)`, sorted."""
        self.write()
        rows = self._db.rows("select term, held, weight from topics order by term")
        return [(row[0], row[1], row[2]) for row in rows]

    def best(self) -> list[Topic]:
        """The topics of the live memories."""
        from engram.language.topics import top_topics

        marks = ",".join("?" * len(LIVE))
        count = f"select count(*) from memories where status in ({marks})"
        return top_topics(self.totals(), self._db.number(count, *sorted(LIVE)))
