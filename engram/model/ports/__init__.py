"""Ports: protocols through which use cases and deciders reach the outside, so that they stay pure.

Time, disk, the index, the extractors and the judges come in through these, what the vault knows as
a `VaultView`; `vault.wiring` is the only place that knows the adapters behind them.
"""

from __future__ import annotations

from engram.model.ports.outside import (
    ChangeDetector,
    Clock,
    Cursors,
    Disk,
    ForeignRows,
    Sleeper,
    Source,
    SourceReading,
    Tally,
)
from engram.model.ports.storage import (
    Committer,
    Finder,
    PageWriter,
    TurnLog,
    TurnStore,
    Writer,
)
from engram.model.ports.thinking import (
    Asker,
    BoxWeaver,
    EntityWeaver,
    Extractor,
    Judge,
    Model,
    PromptContext,
)

__all__ = [
    "Asker",
    "BoxWeaver",
    "ChangeDetector",
    "Clock",
    "Committer",
    "Cursors",
    "Disk",
    "EntityWeaver",
    "Extractor",
    "Finder",
    "ForeignRows",
    "Judge",
    "Model",
    "PageWriter",
    "PromptContext",
    "Sleeper",
    "Source",
    "SourceReading",
    "Tally",
    "TurnLog",
    "TurnStore",
    "Writer",
]
