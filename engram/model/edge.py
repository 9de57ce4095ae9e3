"""Edge: a typed, directed link of two memories, or of a summary to its sources (seed 004)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.ids import is_memory_id

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.step import Page

#: a link in a memory's text, without its heading and the name it is shown by
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")
#: newer -> older; either way; summary -> source; memory -> what its text links to
EdgeKind = Literal["supersedes", "contradicts", "consolidates", "references"]


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` and `target` are ids. `reason` is why it was made, `confidence` how sure that was.

    `transaction` is the number of the transaction that made it. All three are empty (0 for the
    number) where the files say the link and no event does.
    """

    kind: EdgeKind
    source: str
    target: str
    reason: str = ""
    confidence: Literal["", "high", "medium", "low"] = ""
    transaction: int = 0


class Link(NamedTuple):
    """One link as a person reads it: `relation` to `target`, an id or the link of a turn.

    `edge` is what it was read from; None for sources, entities, boxes and conversations. `content`
    is the memory or page of the target; None where it is a turn or a conversation, or is not there.
    """

    relation: str
    target: str
    edge: Edge | None = None
    content: Memory | Page | None = None


def edges_of(memory: Memory) -> Iterator[Edge]:
    """The edges that a memory's header and text tell; a pair may come twice, from either side."""
    for older in memory.supersedes:
        yield Edge("supersedes", memory.id, older)
    for newer in memory.superseded_by:
        yield Edge("supersedes", newer, memory.id)
    for other in memory.conflicts:
        yield Edge("contradicts", memory.id, other)
    texts = (memory.text, *(text for _, text in memory.sections))
    for text in texts if any("[[" in text for text in texts) else ():
        for name in _LINK.findall(text):
            if is_memory_id(name) and name != memory.id:
                yield Edge("references", memory.id, name)
