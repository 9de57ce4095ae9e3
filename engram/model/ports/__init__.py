"""The protocols that flows and deciders are handed, so that they stay pure.

Time, disk, the vault's knowledge, the index, the extractors and the judges come in through these;
`vault.py` is the only place that knows what stands behind them.
"""

from __future__ import annotations

from engram.model.ports.outside import (
    Clock,
    Cursors,
    Database,
    Disk,
    Reading,
    Sentry,
    Sleeper,
    Source,
    Tally,
)
from engram.model.ports.storage import (
    Contents,
    Finder,
    Journal,
    Known,
    Ledger,
    PageWriter,
    TurnBook,
    Writer,
)
from engram.model.ports.thinking import (
    Asker,
    Biographer,
    Extractor,
    Judge,
    Model,
    Surroundings,
    Weaver,
)

__all__ = [
    "Asker",
    "Biographer",
    "Clock",
    "Contents",
    "Cursors",
    "Database",
    "Disk",
    "Extractor",
    "Finder",
    "Journal",
    "Judge",
    "Known",
    "Ledger",
    "Model",
    "PageWriter",
    "Reading",
    "Sentry",
    "Sleeper",
    "Source",
    "Surroundings",
    "Tally",
    "TurnBook",
    "Weaver",
    "Writer",
]
