"""The protocols that flows and deciders are handed, so that they stay pure.

Time, disk, the vault's knowledge, the index, the extractors and the judges come in through these;
`vault.py` is the only place that knows what stands behind them.
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
    ConsolidationHistory,
    Conversations,
    CopyMerger,
    DerivedState,
    EditedFiles,
    Eraser,
    Finder,
    HandEdits,
    Index,
    PageWriter,
    TurnLog,
    TurnStore,
    Writer,
)
from engram.model.ports.thinking import (
    Asker,
    BoxWeaver,
    Embedder,
    EntityPage,
    Extractor,
    Heard,
    Judge,
    Model,
    NoRules,
    NothingHeard,
    PromptContext,
    RecordAsker,
    WrittenRules,
)

__all__ = [
    "Asker",
    "BoxWeaver",
    "ChangeDetector",
    "Clock",
    "Committer",
    "ConsolidationHistory",
    "Conversations",
    "CopyMerger",
    "Cursors",
    "DerivedState",
    "Disk",
    "EditedFiles",
    "Embedder",
    "EntityPage",
    "Eraser",
    "Extractor",
    "Finder",
    "ForeignRows",
    "HandEdits",
    "Heard",
    "Index",
    "Judge",
    "Model",
    "NoRules",
    "NothingHeard",
    "PageWriter",
    "PromptContext",
    "RecordAsker",
    "Sleeper",
    "Source",
    "SourceReading",
    "Tally",
    "TurnLog",
    "TurnStore",
    "Writer",
    "WrittenRules",
]
