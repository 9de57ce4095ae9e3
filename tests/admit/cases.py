"""What the admission tests are made of: candidates, memories, and a court that knows some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engram.admit.admission_context import AdmissionContext
from engram.capture.redact.redactor import Redactor
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.ids import memory_id
from engram.model.memory import Memory
from engram.model.record import FieldValue, made_record, parts_of
from engram.model.record_draft import DraftAction, RecordDraft
from engram.model.settings import Settings
from engram.model.turn import turn_of
from engram.store.catalog.catalog import Catalog
from tests.kit import view_of

NOW = "2026-03-06T12:00:00Z"
SAID = "2026-03-06T10:10:00Z"
EARLIER = "2026-03-05T09:00:00Z"
POSTGRES = "The shop uses Postgres."


def candidate(
    text: str = POSTGRES, *, time: str = SAID, session: str = "s", message: str = "", **more: Any
) -> Candidate:
    """A fact of the project `shop`, said by the user in a session."""
    turn = turn_of("user", text, time, source="test", session=session, message=message)
    made = Candidate("fact", text, receipt_of(turn, text), 0.8, project="shop")
    return replace(made, **more)


def memory(text: str = POSTGRES, *, created: str = EARLIER, **more: Any) -> Memory:
    """A memory that the vault has, of the project `shop`."""
    category = str(more.get("category", "fact"))
    made = Memory(
        id=memory_id(category, created, text),
        category=category,
        text=text,
        created=created,
        expires="2026-09-01",
        confidence=0.8,
        project="shop",
        sources=("test-000000000000#^m0123456789",),
    )
    return replace(made, **more)


def admission(
    catalog: Catalog, redactor: Redactor, known: Iterable[Memory] = (), now: str = NOW
) -> AdmissionContext:
    """The court of a vault that has these memories."""
    with catalog.transaction():
        for one in known:
            catalog.put_memory(one)
    return AdmissionContext(view_of(catalog), redactor.clean, Settings(), now)


#: a whole record of each schema, as a draft says it
FIELDS: dict[str, dict[str, Any]] = {
    "session": {
        "goal": "Make the till retry its sync without double bookings.",
        "outcome": "partial",
        "completed": ("retries with a key per order",),
        "next_actions": ("run it against the staging till",),
    },
    "decision": {
        "decision": "We use Postgres instead of SQLite because two writers are needed.",
        "status": "accepted",
        "context": "The till and the back office write at the same time.",
        "rationale": ("SQLite locks the whole file for one writer.",),
    },
    "runbook": {
        "summary": "When `make sync` fails with error 429, always lower SYNC_BATCH to 50.",
        "trigger": "`make sync` fails with error 429",
        "steps": ("Set SYNC_BATCH to 50", "Run `make sync`"),
        "verification": "`make sync` ends with 0 retries",
    },
    "constraint": {
        "rule": "The payment API never allows more than 100 requests per minute.",
        "kind": "limitation",
        "severity": "high",
        "active": "true",
        "impact": ("bulk refunds take hours",),
    },
    "tech_debt": {
        "description": "The retries of `sync.py` must get a jitter before every release.",
        "status": "open",
        "priority": "medium",
        "reason_deferred": "the fair is next week",
    },
    "preference": {
        "value": "I always prefer tabs over spaces in Go code.",
        "topic": "indentation",
        "strength": "strong",
        "reason": "gofmt writes them",
    },
}  # fmt: skip


def record_draft(
    schema: str = "decision", *, action: DraftAction = "create", time: str = SAID,
    session: str = "s", message: str = "", title: str = "Postgres for the shop",
    tags: tuple[str, ...] = ("postgres",), files: tuple[str, ...] = (), quote: str = "",
    fields: Mapping[str, FieldValue] | None = None, **more: Any,
) -> RecordDraft:  # fmt: skip
    """A draft of a record of the project `shop`, typed by the user; `fields` instead of all."""
    told = FIELDS[schema] if fields is None else fields
    record = made_record(schema, told, title=title, tags=tags, related_files=files)
    said = quote or record.statement or "about it"
    turn = turn_of("user", said, time, source="test", session=session, message=message)
    made = RecordDraft(record, action, (receipt_of(turn, said),), "shop")
    return replace(made, **more)


def record_memory(schema: str = "decision", *, created: str = EARLIER, **more: Any) -> Memory:
    """The memory of a whole record, by a draft that the vault took in."""
    given = {key: more.pop(key) for key in ("title", "tags", "files", "fields") if key in more}
    record = record_draft(schema, **given).record
    parts = parts_of(record)
    made = memory(
        parts.text, created=created, category=parts.category, schema=parts.schema,
        title=parts.title, tags=parts.tags, extra=parts.extra, sections=parts.sections,
        related_files=parts.related_files, quote=parts.text, authority="user_asserted",
    )  # fmt: skip
    return replace(made, **more)
