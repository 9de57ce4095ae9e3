"""Extraction prompt: turns and what the vault knows around them -> one question to a model.

    instructions (config/prompts/extract.toml, versioned) + fenced data: known memories, numbered
    `[k1]`, known names, what was said just before, who speaks where people are named, then the
    messages with number, role, speaker and time

Guarantees: the fence cannot be closed from inside, for its name is a digest of what it holds; the
question fits `max_input_tokens`; the same turns give the same bytes. The number of a message is its
place in the portion, of which reports of progress are left out (`portions`); that of a memory is
its place in the context that `fitting` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from engram.extract.llm.long_message import shown
from engram.extract.llm.portions import MOST_READ, MOST_SHOWN, Piece, cut, piece_of, shown_in
from engram.model.instant import weekday_of
from engram.model.memory import CATEGORIES, DECISION_STATES, Memory
from engram.model.model_request import Context, Request, fenced, prompt_of, strict_object
from engram.model.speaker import shown_name
from engram.model.text import tokens_of
from engram.model.turn import Turn

KEY = "facts"
CONFIRMS: Final = "confirms"
FULFILS: Final = "fulfils"
#: the category of what was found out in the conversation; `answer_items` files it as another one
FINDING = "finding"
#: as much of one message is shown (lifecycle 4.4: extractionMaxTurnChars)
TURN_CHARACTERS = 4000
#: what known memories, names and earlier messages may take of a question, tokens
_CONTEXT_TOKENS = 1200
#: what memories leave of it to names
_NAMES_TOKENS = 150
_EARLIER_CHARACTERS = 200
#: the most known memories in one question
MOST_KNOWN = 30
#: overhead of one message, the speaker's name included, tokens
_FRAME_TOKENS = 150
#: as much of a message is always shown, characters
_SHORTEST = 200
#: room for the fence, the schema's own form and what redaction makes longer
_SPARE_TOKENS = 300
ENTITY_TYPES = ("person", "company", "project", "tool", "place", "thing")

_Item = TypeVar("_Item")
_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_ITEM: dict[str, Any] = {
    "category": {"type": "string", "enum": [*CATEGORIES, FINDING]},
    "text": _TEXT,
    "quote": _TEXT,
    "turn": _NUMBER,
    "state": {"type": "string", "enum": ["", *DECISION_STATES]},
    "agreed": _NUMBER,
    "lasting": {"type": "string", "enum": ["passing", "lasting", "standing"]},
    "importance": {"type": "string", "enum": ["low", "normal", "high"]},
    "due": _TEXT,
    "since": _TEXT,
    "scope": {"type": "string", "enum": ["user", "project", "session"]},
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
        pieces = (self.piece(turn) for turn in turns)
        return cut(pieces, self.room >> attempts, max(MOST_SHOWN >> attempts, 1))

    def piece(self, turn: Turn) -> Piece:
        """What decides how many turns make one question."""
        # whoever has a name may stand in the list of speakers for the first time
        listed = tokens_of(_introduced(turn)) + 1 if turn.speaker else 0
        return piece_of(turn, tokens_of(self._message(turn, MOST_READ)) + listed + 1)

    def fitting(self, context: Context) -> Context:
        """As much of a context as there is room for: what a question about it shows, in order."""
        room = self._context
        earlier, room = _fitting(context.earlier, _before, room)
        names_room = min(_NAMES_TOKENS, room // 4)
        memories, left = _fitting(context.memories, _memory, room - names_room)
        entities, _ = _fitting(context.entities, str, left + names_room)
        return Context(memories, entities, earlier)

    def request(self, turns: Sequence[Turn], context: Context) -> Request:
        """The question about these turns (at least one)."""
        parts = [
            *_known(self.fitting(context)),
            f"Conversation{_where(turns[0])}:",
            *self.messages(turns),
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

    def messages(self, turns: Sequence[Turn]) -> list[str]:
        """The messages of these turns as a question shows them, below who speaks in them."""
        told = shown_in([piece_of(turn) for turn in turns])
        speakers = _speakers([turns[at] for at in told])
        return [*speakers, *(self._message(turns[at], at + 1) for at in told)]

    def _message(self, turn: Turn, number: int) -> str:
        said = shown(turn.text, self._longest)
        return f"[{number}] {label_of(turn)}, {turn.local_time} ({weekday_of(turn.day)}):\n{said}"


def label_of(turn: Turn) -> str:
    """Who says a turn, as a question tells it: role, and name where there is one."""
    return f"{turn.role} {shown_name(turn.speaker)}".strip()


#: how the list of speakers tells what each is, behind a name and without one
_INTRODUCED = {
    "user": ('{} ("the user")', 'the owner ("the user")'),
    "participant": ("{} (participant)", "a participant without a name"),
    "assistant": ("{} (AI agent)", "an AI agent"),
}


def _introduced(turn: Turn) -> str:
    name = shown_name(turn.speaker)
    named, nameless = _INTRODUCED[turn.role]
    return named.format(name) if name else nameless


def _speakers(turns: Sequence[Turn]) -> list[str]:
    """Who speaks and who of them is the user; nothing where nobody but the owner could be."""
    if not any(turn.speaker or turn.role == "participant" for turn in turns):
        return []
    listed = ", ".join(dict.fromkeys(map(_introduced, turns)))
    nobody = "" if any(turn.role == "user" for turn in turns) else ' None of them is "the user".'
    return [f"Speakers: {listed}.{nobody}"]


def _where(turn: Turn) -> str:
    return f" in the project {turn.project}" if turn.project else ""


def _fitting(
    items: Iterable[_Item], line: Callable[[_Item], str], room: int
) -> tuple[tuple[_Item, ...], int]:
    """Those of some items whose lines there is room for, in order, and the room that is left."""
    kept = []
    for item in items:
        size = tokens_of(line(item)) + 1
        if size <= room:
            room -= size
            kept.append(item)
    return tuple(kept), room


def _known(context: Context) -> list[str]:
    """What the vault knows, by kind."""
    memories = [_memory(memory, number) for number, memory in enumerate(context.memories, 1)]
    parts = (
        ("Known memories:\n", "\n", memories),
        ("Known names:\n", ", ", context.entities),
        ("Said before, for understanding only:\n", "\n", [*map(_before, context.earlier)]),
    )
    return [title + apart.join(lines) for title, apart, lines in parts if lines]


def _memory(memory: Memory, number: int = MOST_KNOWN) -> str:
    """Whole: in one that was written by hand half a secret would not be known as one."""
    return f"[k{number}] {' '.join(memory.text.split())}"


def _before(turn: Turn) -> str:
    return f"- {label_of(turn)}: {' '.join(shown(turn.text, _EARLIER_CHARACTERS).split())}"
