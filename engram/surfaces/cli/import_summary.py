"""The end of an import: what it taught, what to do next, and how to take it back.

Batch and outcomes of all its sources -> one summary. What was learnt is data; the commands that
follow are talk, and each can be run as it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from engram.model.memory import SESSION
from engram.surfaces.cli.arguments import program
from engram.surfaces.cli.extract import refusals_told
from engram.surfaces.cli.memory_line import memory_line
from engram.surfaces.cli.output import plural, say, talk

if TYPE_CHECKING:
    from engram.model.intake import ExtractionResult, Learnt
    from engram.model.memory import Memory

#: so many memories are shown; the rest is a number
_SHOWN = 3


def say_learnt(learnt: Learnt, outcomes: Sequence[ExtractionResult]) -> None:
    """How much was learnt and the best of it, then what was refused, with the reasons."""
    say(_counted(learnt.memories, outcomes))
    for memory in learnt.memories[:_SHOWN]:
        say(memory_line(memory, "  "), raw=True)
    if len(learnt.memories) > _SHOWN:
        say(f"  and {len(learnt.memories) - _SHOWN:,} more")
    refused: Counter[str] = Counter()
    for one in outcomes:
        refused.update(one.refused)
    if refused:
        say(refusals_told(refused), raw=True)


def _counted(memories: Sequence[Memory], outcomes: Sequence[ExtractionResult]) -> str:
    records = sum(one.schema == SESSION for one in memories)
    said = len(memories) - records
    learnt = [plural(said, "memory", "memories")] if said else [] if records else ["nothing"]
    if records:
        learnt.append(f"where {plural(records, 'session')} stopped")
    counts = {
        "confirmed": sum(one.confirmed for one in outcomes),
        "superseded": sum(one.superseded for one in outcomes),
        "updated": sum(one.updated for one in outcomes),
    }
    told = ", ".join(f"{name} {count}" for name, count in counts.items() if count)
    return f"learnt {' and '.join(learnt)}{f'; {told}' if told else ''}"


def talk_next(learnt: Learnt, batch: str) -> None:
    """Commands that show what was learnt, and the one that takes it back."""
    asks = ["list"] if learnt.memories else []
    if learnt.asked:
        asks.append(f'{learnt.verb} "{learnt.asked}"')
    if any(one.schema != SESSION for one in learnt.memories):
        asks.append(f"review {batch}")
    if not asks:
        asks.append("search WORDS")
    for label, command in zip_longest(["next:"], asks, fillvalue=""):
        talk(f"{label:<6}{program()} {command}")
    talk(f"take it back with: {program()} undo {batch}")
