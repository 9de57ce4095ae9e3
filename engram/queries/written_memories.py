"""Which memories were written since a day, or by a transaction or an import, as the log tells.

Turns a day into `id -> instant` of what was written since, and names (`import-1`, `17`) into the
memories that these wrote. Guarantees: what was undone counts as not written. Refused (NotFound): a
name of no change.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.model.errors import NotFound
from engram.model.instant import Day, Instant
from engram.model.trace import WRITE
from engram.store.catalog.catalog import Catalog
from engram.store.commits.transaction_log import undone_in


def written_since(catalog: Catalog, since: Day) -> dict[str, Instant]:
    """When each memory was written, of those that were since then: the last time of each."""
    return {event.subject: time for _, time, event in catalog.log.since(WRITE, since)}


def written_by(catalog: Catalog, names: Iterable[str]) -> dict[str, Instant]:
    """What transactions and imports wrote, without what the person has confirmed since."""
    rows = catalog.log.rows()
    undone, times = undone_in(rows), dict[int, Instant]()
    for name in names:
        meant = {row[0]: row[1] for row in rows if name in (row[3], str(row[0]))}
        if not meant and not (name.isascii() and catalog.turns.batch_range(name)):
            raise NotFound(f"there is no change {name!r}", "`engram log` shows the changes")
        times.update((number, time) for number, time in meant.items() if number not in undone)
    written = catalog.log.named_in(times, (WRITE, "hand_edit"))
    told = catalog.log.named("memory_confirmed")
    confirmed = {subject for subject, details in told if details.get("by") == "person"}
    return {subject: times[number] for number, subject in written if subject not in confirmed}
