"""Extraction prompt: turns and what the vault knows around them -> one question to a model.

    instructions (config/prompts/extract.toml, versioned) + fenced data: known memories with their
    ids, known names, what was said just before, then the messages, numbered, with speaker and time

Guarantees: the fence cannot be closed from inside, for its name is a digest of what it holds; the
question fits `max_input_tokens`; the same turns give the same bytes. A long message is shown with
its beginning and its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engram.model.instant import weekday_of
from engram.model.memory import CATEGORIES, DECISION_STATES, Memory
from engram.model.model_request import Context, Request, fenced, prompt_of, strict_object
from engram.model.text import tokens_of
from engram.model.turn import Turn

KEY = "facts"
CONFIRMS: Final = "confirms"
FULFILS: Final = "fulfils"
#: the category of what was found out in the conversation; `answer_items` files it as another one
FINDING = "finding"
#: as much of one message is shown (lifecycle 4.4: extractionMaxTurnChars)
TURN_CHARACTERS = 4000
#: the most messages in one question: attention is finite
MOST_TURNS = 40
#: what known memories, names and earlier messages may take of a question, tokens
_CONTEXT_TOKENS = 1200
_EARLIER_CHARACTERS = 400
#: overhead of one message, the speaker's name included, tokens
_FRAME_TOKENS = 150
#: as much of a message is always shown, characters
_SHORTEST = 200
#: room for the fence, the schema's own form and what redaction makes longer
_SPARE_TOKENS = 300
ENTITY_TYPES = ("person", "company", "project", "tool", "place", "thing")

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_ITEM: dict[str, Any] = {
    "category": {"type": "string", "enum": [*CATEGORIES, FINDING]},
    "text": _TEXT,
    "quote": _TEXT,
    "turn": _NUMBER,
    "state": {"type": "string", "enum": ["", *DECISION_STATES]},
    "agreed": _NUMBER,
    "confidence": {"type": "string", "enum": ["low", "medium", "high"]},
    "lasting": {"type": "string", "enum": ["passing", "lasting", "standing"]},
    "importance": {"type": "string", "enum": ["low", "normal", "high"]},
    "due": _TEXT,
    "since": _TEXT,
    "scope": {"type": "string", "enum": ["user", "project"]},
    "tags": {"type": "array", "items": _TEXT},
    "entities": {
        "type": "array",
        "items": strict_object(
            {"name": _TEXT, "type": {"type": "string", "enum": list(ENTITY_TYPES)}}
        ),
    },
    "replaces": {"type": "array", "items": _TEXT},
}
_HEARD = {
    "type": "array",
    "items": strict_object({"memory": _TEXT, "quote": _TEXT, "turn": _NUMBER}),
}
SCHEMA = strict_object(
    {
        KEY: {"type": "array", "items": strict_object(_ITEM)},
        CONFIRMS: _HEARD,
        FULFILS: _HEARD,
    }
)


class ExtractionPrompt:
    """The prompt of one version. Raises ConfigError when `table` is no prompt."""

    def __init__(self, table: Mapping[str, Any], max_input_tokens: int) -> None:
        self.version, self.instructions = prompt_of(table, "extract")
        own = tokens_of(self.instructions) + tokens_of(str(SCHEMA)) + _SPARE_TOKENS
        self._context = min(_CONTEXT_TOKENS, max(max_input_tokens - own, 0) // 4)
        #: the most that a question takes beside its messages
        self.own_tokens = own + self._context
        #: what is left for messages
        self.room = max_input_tokens - self.own_tokens
        # a character takes four bytes at most, and one message alone always fits
        fits = (self.room - _FRAME_TOKENS) * 3 // 4
        self._longest = min(TURN_CHARACTERS, max(fits, _SHORTEST))

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """How many of the first turns make one question; after each failure half as many."""
        most, room = max(MOST_TURNS >> attempts, 1), self.room >> attempts
        for count, turn in enumerate(turns[:most]):
            room -= self.size_of(turn)
            if room < 0:
                return max(count, 1)
        return min(len(turns), most)

    def size_of(self, turn: Turn) -> int:
        """Tokens that a message takes at most."""
        return tokens_of(self._message(turn, MOST_TURNS)) + 1

    def request(self, turns: Sequence[Turn], context: Context) -> Request:
        """The question about these turns (at least one)."""
        parts = [
            *_known(context, self._context),
            f"Conversation{_where(turns[0])}:",
            *(self._message(turn, number) for number, turn in enumerate(turns, 1)),
        ]
        return Request(
            prompt=self.version,
            instructions=self.instructions,
            text=fenced("\n\n".join(parts)),
            schema=SCHEMA,
            key=KEY,
            subject=turns[0].transcript,
            turns=len(turns),
        )

    def _message(self, turn: Turn, number: int) -> str:
        said = shown(turn.text, self._longest)
        name = f" {turn.speaker}" if turn.speaker else ""
        return f"[{number}] {turn.role}{name}, {turn.time} ({weekday_of(turn.day)}):\n{said}"


def _where(turn: Turn) -> str:
    return f" in the project {turn.project}" if turn.project else ""


def shown(text: str, most: int = TURN_CHARACTERS) -> str:
    """As much of a message as is shown: its beginning and its end when it is long."""
    if len(text) <= most:
        return text
    head, tail = most * 3 // 4, most // 4
    return f"{text[:head]}\n[... {len(text) - most:,} characters ...]\n{text[-tail:]}"


def _known(context: Context, room: int) -> list[str]:
    """What the vault knows, nearest first, as far as there is room for it."""
    parts = []
    for title, apart, lines in (
        ("Known memories:\n", "\n", [_memory(memory) for memory in context.memories]),
        ("Known names:\n", ", ", list(context.entities)),
        (
            "Said before, for understanding only:\n",
            "\n",
            [_before(turn) for turn in context.earlier],
        ),
    ):
        kept = []
        for line in lines:
            size = tokens_of(line) + 1
            if size <= room:
                room -= size
                kept.append(line)
        if kept:
            parts.append(title + apart.join(kept))
    return parts


def _memory(memory: Memory) -> str:
    """Whole: in one that was written by hand half a secret would not be known as one."""
    return f"- {memory.id}: {' '.join(memory.text.split())}"


def _before(turn: Turn) -> str:
    return f"- {turn.role}: {' '.join(shown(turn.text, _EARLIER_CHARACTERS).split())}"
