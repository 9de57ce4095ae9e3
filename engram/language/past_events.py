"""Whether a statement says what is so, or tells of something that happened.

What happened stays as it was told: it cannot be contradicted, and the same words on another day
tell of another event. What is so can be said again, replaced and disputed, whatever its `kind`
(design 5.27). English; pure.
"""

from __future__ import annotations

from functools import lru_cache

from engram.language.any_case import AnyCase
from engram.model.memory import Memory, memory_type

#: of the semantic categories, those whose statements may be mere reports; the others are about what
#: somebody wants, decided, promised or can do, whenever it was said
_REPORTING = frozenset({"fact", "entity", "relationship"})
_EVENT = AnyCase(
    r"\b(?:yesterday|this (?:morning|afternoon)|earlier today|ago"
    r"|last (?:night|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?<!is )(?<!are )(?<!be )(?<!\ba )(?<!\bthe )(?:pushed|merged|reported"
    r"|happened|failed|completed|shipped|fixed|mentioned|said))\b"
)


def tells_event(memory: Memory) -> bool:
    """Whether a memory tells of something that happened: by its type, else by its words."""
    if memory_type(memory.category, memory.schema) == "episodic":
        return True
    return memory.category in _REPORTING and _reports(memory.text)


@lru_cache(maxsize=256)
def _reports(text: str) -> bool:
    return _EVENT.search(text) is not None
