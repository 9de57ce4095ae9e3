"""Status: counts of one vault, from catalog and index. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from engram.model.instant import Instant, day_of, plus_days
from engram.model.memory import SCHEMAS, Memory, schema_name
from engram.model.record import items_in, sections_by_name
from engram.model.report import IndexStatus, ModelStatus, RecordCounts, Status, VectorStatus
from engram.model.schemas import CHANGES
from engram.model.tier import MemoryTier
from engram.model.turn import Waiting
from engram.model.view import VaultView
from engram.queries.refusal_log import recent, refusal_counts, refusals
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.turn_rows import DEAD, PENDING, WITHDRAWN

#: a record with more lines under `## Changes` is updated often; days that count as just now
_OFTEN, _DAYS = 5, 7


def status_of(
    root: Path, trusted: bool, catalog: Catalog, waiting: Sequence[Waiting],
    index: IndexStatus, model: ModelStatus | None, vectors: VectorStatus | None, now: Instant,
    records: Mapping[str, RecordCounts], tiers: Mapping[MemoryTier, int],
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
        records=records,
        tiers=tiers,
        model=model,
        index=index,
        vectors=vectors,
    )


def record_counts(view: VaultView, most: int, now: Instant) -> dict[str, RecordCounts]:
    """The records of each schema that there are any of, in the order of the schemas."""
    since = plus_days(now, -_DAYS)
    retired = Counter(
        schema_name(memory) for memory in view.retired() if day_of(memory.status_since) >= since
    )
    found = {}
    for schema in SCHEMAS:
        records = view.records(schema)
        often = sum(_times_updated(memory) > _OFTEN for memory in records)
        counts = RecordCounts(len(records), often, retired[schema], len(records) > most)
        if counts != RecordCounts():
            found[schema] = counts
    return found


def _times_updated(memory: Memory) -> int:
    told = sections_by_name(memory.sections).get(CHANGES.casefold(), ())
    return sum(len(items_in(text)) for text in told)
