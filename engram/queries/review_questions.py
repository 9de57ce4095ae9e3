"""What waits for the person's review, with what was written lately or by a change they name.

Turns a day into `id -> instant` of what was written since, and names (`import-1`, `17`) into the
memories that these wrote, as the log tells; `health.review_queue` puts them in order. Guarantees:
what was undone counts as not written. Refused (NotFound): a name of no change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engram.health.review_queue import SOON, Written, queue
from engram.model.errors import NotFound
from engram.model.findings import ReviewItem
from engram.model.instant import Day, Instant, plus_days
from engram.model.trace import WRITE
from engram.queries.unheld_items import open_items
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.catalog_view import CatalogView
from engram.store.commits.transaction_log import undone_in


def waiting(
    view: CatalogView, catalog: Catalog, now: Instant, since: Day, of: Sequence[str]
) -> list[ReviewItem]:
    """The questions of the review: all of them, or those about what `of` names."""
    if of:
        written = Written(written_by(catalog, of), " ".join(of))
    else:
        written = Written(written_since(catalog, since or plus_days(now, -SOON)))
    return queue(view.live(), now, view.memory, since, open_items(view, now), written)


def written_since(catalog: Catalog, since: Day) -> dict[str, Instant]:
    """When each memory was written, of those that were since then: the last time of each."""
    return {event.subject: time for _, time, event in catalog.log.since(WRITE, since)}


def written_by(catalog: Catalog, names: Iterable[str]) -> dict[str, Instant]:
    """What transactions and imports wrote, without what the person has confirmed or done since."""
    rows = catalog.log.rows()
    undone, times = undone_in(rows), dict[int, Instant]()
    for name in names:
        meant = {row[0]: row[1] for row in rows if name in (row[3], str(row[0]))}
        if not meant and not (name.isascii() and catalog.turns.batch_range(name)):
            raise NotFound(f"there is no change {name!r}", "`engram log` shows the changes")
        times.update((number, time) for number, time in meant.items() if number not in undone)
    written = catalog.log.named_in(times, (WRITE, "hand_edit"))
    answered = {
        subject
        for event in ("memory_confirmed", "memory_fulfilled")
        for subject, details in catalog.log.named(event)
        if details.get("by") == "person"
    }
    return {subject: times[number] for number, subject in written if subject not in answered}
