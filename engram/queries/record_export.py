"""Export of records: the memories that have a schema -> seed 001's JSON objects, one a record.

Chosen by schema, project and status. Left out is what a session alone holds, and, counted, what the
redactor would change; what was forgotten is never among them. When a record was last changed, and
how often, is what the log tells, with what an import was told of the time before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from engram.model.change import Event
from engram.model.ids import is_id
from engram.model.instant import Instant
from engram.model.memory import LIVE, SESSION, Memory
from engram.model.record import faults_of, record_of
from engram.model.record_json import record_json
from engram.model.report import ExportedRecord, RecordExport
from engram.model.schemas import TITLE_MOST
from engram.model.text import first_line
from engram.model.trace import UNDONE, WRITE
from engram.recall.audience import audience_of

if TYPE_CHECKING:
    from engram.store.catalog.catalog import Catalog

#: the statuses that seed 001 has a word for
EXPORTED = (*sorted(LIVE), "retired", "archived")
#: what seed 001 writes where a record has no tags
_NO_TAGS = "untagged"
#: events that change what a record says, or where it stands
_CHANGING = ("memory_", "hand_edit")
_UPDATED = "memory_updated"


def exported_records(
    catalog: Catalog, clean: Callable[[str], bool], *,
    schemas: Collection[str] = (), projects: Collection[str] | None = None,
    statuses: Collection[str] = (),
) -> RecordExport:  # fmt: skip
    """The records of a vault, oldest first; `projects`: only of these, '' for those of none.

    `clean` tells whether the redactor would leave a text.
    """
    rows, withheld = list[ExportedRecord](), 0
    taken: set[tuple[str, str, str]] = set()
    wanted = statuses or EXPORTED
    # a live record keeps the name for which an older one stands too
    memories = sorted(catalog.memories(), key=lambda one: (not one.live, one.created, one.id))
    for memory in memories:
        record = record_of(memory)
        if record is None or (schemas and record.schema not in schemas):
            continue
        if memory.space == SESSION:
            continue
        if memory.status not in wanted or _is_forgotten(memory):
            continue
        if projects is not None and memory.project not in projects:
            continue
        if audience_of(memory, clean) == "nobody":
            withheld += 1
            continue
        name = _slug(memory, record.schema, taken)
        events = ((time, event) for _, time, event in catalog.log.events(memory.id))
        updated, times = _history(memory, events)
        data = record_json(memory, updated=updated, times_updated=times)
        data |= {
            "id": name,
            "title": data["title"] or first_line(memory.text, TITLE_MOST),
            "tags": data["tags"] or [_NO_TAGS],
        }
        path = f"{record.form.folder}/{name}.json"
        rows.append(ExportedRecord(path, memory.project, data, not faults_of(record)))
    rows.sort(key=lambda one: (str(one.data["created_at"]), one.path))
    return RecordExport(tuple(rows), withheld)


def _is_forgotten(memory: Memory) -> bool:
    return memory.status == "retired" and memory.status_reason == "forgotten"


def _slug(memory: Memory, schema: str, taken: set[tuple[str, str, str]]) -> str:
    """The name of a record's file: its slug, or its id where another record has that."""
    names = [one for one in memory.aliases if is_id(one) and not one.endswith("-")]
    for name in (*names, memory.id):
        place = (memory.project, schema, name)
        if place not in taken:
            taken.add(place)
            return name
    return memory.id


def _history(memory: Memory, events: Iterable[tuple[Instant, Event]]) -> tuple[Instant, int]:
    """When a record was last changed, and how often it was updated, by its events in order."""
    updated, times = memory.created, 0
    for time, event in events:
        if not event.name.startswith(_CHANGING):
            continue
        told = dict(event.details)
        claimed = told.get("times_updated", "")
        if event.name == WRITE and told.get("reason") != UNDONE:
            updated = told.get("updated", "") or memory.created
            times = int(claimed) if claimed.isdecimal() else 0
            continue
        updated = told.get("updated", "") or time
        if event.name == _UPDATED:
            times = max(times + 1, int(claimed) if claimed.isdecimal() else 0)
    return updated, times
