"""Status: counts of one vault, from catalog and index. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engram.model.instant import Instant
from engram.model.report import IndexStatus, ModelStatus, Status
from engram.model.turn import Waiting
from engram.queries.refusal_log import recent, refusal_counts, refusals
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.turn_rows import DEAD, PENDING, WITHDRAWN


def status_of(
    root: Path, trusted: bool, catalog: Catalog, waiting: Sequence[Waiting],
    index: IndexStatus, model: ModelStatus | None, now: Instant,
) -> Status:  # fmt: skip
    """What is captured, pending, refused in the last 30 days, and put aside."""
    states, memories = catalog.turns.counts(), catalog.status_counts()
    return Status(
        vault=str(root),
        trusted=trusted,
        memories=memories,
        transcripts=catalog.turns.transcripts(),
        turns=sum(count for state, count in states.items() if state != WITHDRAWN),
        pending=states.get(PENDING, 0),
        dead_letter=states.get(DEAD, 0),
        waiting=list(waiting),
        refused=refusal_counts(refusals(catalog, recent(now))),
        failures=catalog.log.event_counts("extraction_failed", "error"),
        transactions=catalog.last,
        to_review=memories.get("needs-review", 0),
        model=model,
        index=index,
    )
