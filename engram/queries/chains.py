"""Chains of replaced memories of a vault, with days and reasons, as far as they may be told.

What was forgotten is in no chain; nor is a secret, nor what may not be given to who asks. A reason
that a model gave may have words of each memory that it was about: where one of them may not be
told, the code of the reason stands alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.recall.borders import is_memory_open_to
from engram.recall.history import history_of, why_replaced

if TYPE_CHECKING:
    from engram.model.hit import HistoryStep
    from engram.model.memory import Memory
    from engram.queries.memories import Memories
    from engram.recall.borders import Recipient
    from engram.store.commits.projections import Projections


def chains(
    memories: Memories, projections: Projections, recipient: Recipient, timezone: str
) -> Callable[[Memory], tuple[HistoryStep, ...]]:
    """What tells the chain of a memory to who asks."""

    def told(memory: Memory) -> bool:
        audience = memories.audience(memory.id)
        return memory.status != "retired" and is_memory_open_to(recipient, audience, memory)

    def reason(memory: Memory) -> str:
        linked = {*memory.supersedes, *memory.superseded_by}
        open_to_all = linked == {one.id for one in memories.memories(linked) if told(one)}
        events = projections.catalog.log.events(memory.id) if open_to_all else ()
        return why_replaced(memory, (event for *_, event in events))

    return lambda memory: history_of(memory, memories.memories, told, reason, timezone)
