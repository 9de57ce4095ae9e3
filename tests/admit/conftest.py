"""A real catalog for each admission test, and the shipped redactor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engram.admit.admission_context import AdmissionContext
from engram.admit.draft import AdmissionDraft
from engram.capture.redact.redactor import Redactor, compile_redactor
from engram.model.memory import Memory
from engram.model.retention import Terms
from engram.settings.load import shipped
from engram.store.catalog.catalog import Catalog
from tests.admit.cases import NOW, admission


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    """The redactor as it is shipped."""
    return compile_redactor(shipped("redaction"), ())


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """An empty catalog: what the deciders know of a vault."""
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    yield made
    made.close()


@pytest.fixture
def knowing(catalog: Catalog, redactor: Redactor) -> Callable[..., AdmissionContext]:
    """The court of a vault that has the given memories."""

    def make(*known: Memory, now: str = NOW) -> AdmissionContext:
        return admission(catalog, redactor, known, now)

    return make


@pytest.fixture
def drafting(
    knowing: Callable[..., AdmissionContext],
) -> Callable[..., tuple[AdmissionDraft, AdmissionContext]]:
    """A draft over a vault that has the given memories, and the court that sees the draft."""

    def make(*known: Memory, now: str = NOW) -> tuple[AdmissionDraft, AdmissionContext]:
        base = knowing(*known, now=now)
        draft = AdmissionDraft(base.view, Terms(base.settings.retention, base.policy), now)
        return draft, AdmissionContext(draft.view, base.clean, base.settings, now)

    return make
