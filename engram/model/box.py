"""Memory Box and trace: memories of one stretch of a conversation, and threads of boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.model.instant import Instant

#: why a box was closed (seed 003, design 5.9); '' while it is open
SEALS = ("topic_shift", "time_gap", "max_memories", "shutdown", "consolidation")

#: how many topics a trace has at most: the rarest of a long thread say nothing of it
TRACE_TOPICS = 16


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
    """A topic thread: boxes of one trace id, oldest first."""

    id: str
    boxes: tuple[str, ...]
    topics: tuple[str, ...]
    first: Instant
    last: Instant


def traces_of(boxes: Iterable[Box]) -> list[Trace]:
    """The traces of boxes, by id: a pure fold, whatever their order.

    A trace has two boxes at least: one alone came up once. Its topics are those that two of its
    boxes share, those of most boxes first, then by name, at most TRACE_TOPICS; where no two share
    one, all of them.
    """
    members: dict[str, list[Box]] = {}
    for box in sorted(boxes, key=lambda box: (box.created, box.id)):
        if box.trace:
            members.setdefault(box.trace, []).append(box)
    return [_trace(name, found) for name, found in sorted(members.items()) if len(found) > 1]


def _trace(name: str, boxes: list[Box]) -> Trace:
    counts = Counter(topic for box in boxes for topic in dict.fromkeys(box.topics))
    shared = [topic for topic in counts if counts[topic] > 1] or list(counts)
    topics = sorted(shared, key=lambda topic: (-counts[topic], topic))[:TRACE_TOPICS]
    last = max(box.sealed for box in boxes)
    return Trace(name, tuple(box.id for box in boxes), tuple(topics), boxes[0].created, last)
