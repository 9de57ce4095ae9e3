"""Memory Boxes: what was learnt in one stretch of one conversation, and the trace it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from engram.model.instant import Instant

#: why a box was closed (seed 003, design 5.9); '' while it is open
SEALS = ("topic_shift", "time_gap", "max_memories", "shutdown", "consolidation")


@dataclass(frozen=True, slots=True)
class Box:
    """A box as its file says it; `path` is relative to the vault, empty while there is none.

    `lines` are `(memory id, its first line)` in the order in which things were said; `created` and
    `sealed` are the times of the first and the last of them; `session` is a transcript's name.
    `topics` are capped, the most frequent first. `trace`, `previous` and `next` are ids: the thread
    of boxes on the same topics, and the neighbours in it. An open box has no `seal`.
    """

    id: str
    lines: tuple[tuple[str, str], ...]
    created: Instant
    sealed: Instant
    session: str
    project: str = ""
    topics: tuple[str, ...] = ()
    seal: str = ""
    title: str = ""
    goal: str = ""
    outcome: str = ""
    trace: str = ""
    previous: str = ""
    next: str = ""
    path: str = ""

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids of its memories."""
        return tuple(identifier for identifier, _ in self.lines)


@dataclass(frozen=True, slots=True)
class Trace:
    """A topic that came up again: boxes of one trace id, oldest first."""

    id: str
    boxes: tuple[str, ...]
    topics: tuple[str, ...]
    first: Instant
    last: Instant
