"""What the admission tests are made of: candidates, memories, and a court that knows some."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engram.admit.decide import AdmissionContext
from engram.capture.redact.redactor import Redactor
from engram.extract.receipt import receipt_of
from engram.model.candidate import Candidate
from engram.model.ids import memory_id
from engram.model.memory import Memory
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
