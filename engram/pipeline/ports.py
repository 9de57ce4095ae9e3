"""The house: the ports that the flows work through, as one value that `furnishing` fills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engram.model.ports import (
    Biographer,
    Clock,
    Contents,
    Extractor,
    Journal,
    Judge,
    Known,
    Ledger,
    PageWriter,
    TurnBook,
    Weaver,
    Writer,
)
from engram.model.settings import Settings

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.capture.signals import Signals


@dataclass(frozen=True, slots=True)
class House:
    """The ports that the flows work through."""

    clock: Clock
    settings: Settings
    redactor: Redactor
    signals: Signals
    journal: Journal
    turns: TurnBook
    known: Known
    writer: Writer
    ledger: Ledger
    extractor: Extractor
    contents: Contents
    judge: Judge
    weaver: Weaver
    biographer: Biographer
    pages: PageWriter
    #: for turns that an import brought, when it is another: history is dear (decision 0010)
    backlog: Extractor | None = None
    #: takes up hand edits; called under the writer lock
    take_up: Callable[[], None] = lambda: None
    #: what one run may spend is counted from here
    begin_run: Callable[[], None] = lambda: None
