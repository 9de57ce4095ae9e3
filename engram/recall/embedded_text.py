"""Memories, turns and questions -> the texts that a model makes vectors of.

A memory without its receipts and sections; a turn with the turn before it in front, which often
asks what it answers; neither with the name of a speaker, which would bring together whatever one
person said. A question also as the statement that would answer it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.turn import Turn

#: small models read no more than some hundred words; characters of a text, and of the turn before
_MOST, _MOST_BEFORE = 1_500, 500
_ASKING = re.compile(
    r"(?:what|when|where|which|who|whom|whose|why|how(?:\s+(?:many|much|long|often|old|far))?)\b\s*",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should)\b\s*",
    re.IGNORECASE,
)


def text_of_memory(memory: Memory) -> str:
    """What of a memory is embedded."""
    title = "" if memory.text.startswith(memory.title) else memory.title
    return _cut("\n".join(filter(None, (title, memory.text))), _MOST)


def text_of_turn(turn: Turn, before: Turn | None) -> str:
    """What of a turn is embedded; empty where nothing is said in it."""
    said = _cut(turn.text, _MOST)
    if not said or before is None:
        return said
    return "\n".join(filter(None, (_cut(before.text, _MOST_BEFORE, end=True), said)))


def texts_of_question(question: str) -> list[str]:
    """A question as it stands, and as a statement: without the word that asks."""
    asked = _cut(question, _MOST)
    said = asked.rstrip("?！？ ")
    for pattern in (_ASKING, _AUXILIARY):
        match = pattern.match(said)
        said = said[match.end() :] if match else said
    return [asked, said] if said and said != asked else [asked]


def _cut(text: str, most: int, *, end: bool = False) -> str:
    """The beginning of a text, or its end, in one piece."""
    plain = " ".join(text.split())
    if len(plain) <= most:
        return plain
    if end:
        return plain[-most:].partition(" ")[2] or plain[-most:]
    return plain[:most].rpartition(" ")[0] or plain[:most]
