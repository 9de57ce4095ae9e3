"""Activity rows: how many turns and memories there are of each minute and project.

Rows of `turns` and `memories` -> counts. What was taken back, purged or forgotten is not counted;
a memory counts when it was said. No body is decoded. Raises CatalogUnusable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from engram.store.catalog.turn_rows import WITHDRAWN

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.store.catalog.database import Row

_TURNS = f"turns where state < {WITHDRAWN}"
_MEMORIES = "memories where forgotten = 0"
#: names that are asked for at once
_PORTION = 400


class ActivityRows:
    """Of one catalog, of which `rows` asks a statement with values."""

    def __init__(self, rows: Callable[..., list[Row]]) -> None:
        self._rows = rows

    def turns(self, since: Instant, before: Instant) -> list[tuple[str, str, int]]:
        """`(minute, project, count)` of the turns that were said in this time."""
        return self._counts(_TURNS, "time", since, before)

    def memories(self, since: Instant, before: Instant) -> list[tuple[str, str, int]]:
        """The same of the memories, of any status."""
        return self._counts(_MEMORIES, "created", since, before)

    def earliest(self) -> Instant:
        """When the oldest turn or memory was said; empty where there is none."""
        found = [
            self._rows(f"select min({column}) from {table} and {column} > ''")[0][0]
            for table, column in ((_TURNS, "time"), (_MEMORIES, "created"))
        ]
        return min((time for time in found if time), default="")

    def said(self, links: Iterable[str]) -> dict[str, tuple[Instant, str]]:
        """Link -> time and project of each of these turns that there is."""
        return {
            link: (time, project or "")
            for marks, some in _portions(links)
            for link, time, project in self._rows(
                f"select link, time, project from turns where link in ({marks})", *some
            )
        }

    def projects(self, transcripts: Iterable[str]) -> dict[str, str]:
        """Conversation -> the project of its turns, for those that have one."""
        return {
            name: project
            for marks, some in _portions(transcripts)
            for name, project in self._rows(
                "select transcript, max(project) from turns"
                f" where transcript in ({marks}) and project != '' group by transcript",
                *some,
            )
        }

    def _counts(
        self, table: str, column: str, since: Instant, before: Instant
    ) -> list[tuple[str, str, int]]:
        """Local midnight is a whole minute of UTC in every time zone."""
        return self._rows(
            f"select substr({column}, 1, 16), coalesce(project, ''), count(*) from {table}"
            f" and {column} >= ? and {column} < ? group by 1, 2",
            since, before,
        )  # fmt: skip


def _portions(names: Iterable[str]) -> Iterable[tuple[str, list[str]]]:
    """So many distinct names at a time, each with their marks in a statement."""
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), _PORTION):
        some = wanted[start : start + _PORTION]
        yield ",".join("?" * len(some)), some
