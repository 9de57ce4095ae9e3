"""Ports of the use cases, as one value that `vault.wiring` fills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engram.model.ports import (
    BoxWeaver,
    Clock,
    Committer,
    EntityWeaver,
    Extractor,
    Judge,
    PageWriter,
    TurnLog,
    TurnStore,
    Writer,
)
from engram.model.settings import Settings
from engram.model.view import VaultView

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.capture.signals import Signals


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports that the flows work through."""

    clock: Clock
    settings: Settings
    redactor: Redactor
    signals: Signals
    turn_log: TurnLog
    turns: TurnStore
    view: VaultView
    writer: Writer
    committer: Committer
    extractor: Extractor
    judge: Judge
    box_weaver: BoxWeaver
    entity_weaver: EntityWeaver
    pages: PageWriter
    #: for turns that an import brought, when it is another: history is dear (decision 0010)
    backlog: Extractor | None = None
    #: takes up hand edits; called under the writer lock
    take_up: Callable[[], None] = lambda: None
    #: what one run may spend is counted from here
    begin_run: Callable[[], None] = lambda: None
