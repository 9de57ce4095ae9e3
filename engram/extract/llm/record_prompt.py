"""The question about records: one a conversation, for all schemas that triage found together.

    instructions (config/prompts/records.toml, versioned) + each schema with its fields
    + fenced data: schemas with scores, known records `[k1]`, excerpts around what was hit

The answer's form is made from `model/schemas`. Guarantees: the question fits `max_input_tokens`; of
schemas that do not all fit, those with the higher scores are asked about; the same turns give the
same bytes. Sessions are not asked about: they need no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engram.extract.excerpt import TriageExcerpt, excerpt_of, headings
from engram.model.errors import ConfigError
from engram.model.memory import SESSION, Memory
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.record import record_of
from engram.model.record_draft import DraftAction, LifecycleEvent
from engram.model.schema_score import SchemaScore
from engram.model.schemas import SCHEMA_TABLE, Schema, SchemaField
from engram.model.text import tokens_of
from engram.model.turn import Turn

KEY = "records"
ACTIONS: tuple[DraftAction, ...] = ("create", "update", "retire")
EVENTS: tuple[LifecycleEvent, ...] = (
    "", "resolved", "removed", "reversed", "superseded", "deprecated",
)  # fmt: skip
CONFIDENCE: Mapping[str, float] = {"low": 0.4, "medium": 0.7, "high": 0.8}
#: known records in one question, and the share of its room that they may take
MOST_KNOWN, _KNOWN_SHARE = 20, 3
#: a field of a known record that is longer is left out: half a secret would not be known as one
_LONGEST_FIELD = 200
#: room for the fence and for what redaction makes longer; the least for an excerpt, tokens
_SPARE_TOKENS, _LEAST_ROOM = 300, 400
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
#: beside the fields of its schema
_COMMON: dict[str, Any] = {
    "action": {"type": "string", "enum": list(ACTIONS)},
    "target": _TEXT,
    "event": {"type": "string", "enum": list(EVENTS)},
    "why": _TEXT,
    "quotes": {
        "type": "array",
        "items": strict_object({"quote": _TEXT, "turn": {"type": "integer"}}),
    },
    "confidence": {"type": "string", "enum": list(CONFIDENCE)},
    "title": _TEXT,
    "tags": _TEXTS,
    "files": _TEXTS,
}


class RecordQuestion(NamedTuple):
    """One question: the request, which turns and known records it shows, and of which schemas."""

    request: Request
    excerpt: TriageExcerpt
    known: tuple[Memory, ...]
    schemas: tuple[str, ...]


class RecordPrompt:
    """The prompt of one version. Raises ConfigError when `table` is no prompt."""

    def __init__(self, table: Mapping[str, Any], max_input_tokens: int) -> None:
        self.version, self._instructions = prompt_of(table, "records")
        hints = table.get("hints")
        if not isinstance(hints, dict) or set(hints) != set(SCHEMA_TABLE) - {SESSION}:
            raise ConfigError("config/prompts/records.toml: needs a hint for each schema")
        self._hints: Mapping[str, str] = hints
        self._most = max_input_tokens

    def question(
        self, scores: Sequence[SchemaScore], turns: Sequence[Turn], known: Sequence[Memory]
    ) -> RecordQuestion | None:
        """The question about what these scores hit; None where nothing is, or nothing fits."""
        wanted = [one for one in scores if one.schema != SESSION and one.hits]
        while wanted and self._room(wanted) < _LEAST_ROOM:
            wanted.remove(min(wanted, key=lambda one: one.score))
        if not wanted:
            return None
        names = tuple(one.schema for one in wanted)
        room = self._room(wanted)
        shown = _fitting([one for one in known if _schema(one) in names], room // _KNOWN_SHARE)
        told = [_known(memory, number) for number, memory in enumerate(shown, 1)]
        above = [f"Look for:\n{headings(wanted)}"]
        above += ["Known records:\n" + "\n".join(told)] if told else []
        above += [f"Excerpts of a conversation{_where(turns[0])}:"]
        excerpt = excerpt_of(wanted, turns, room - tokens_of("\n\n".join(above)))
        if excerpt is None:
            return None
        request = Request(
            prompt=self.version, instructions=self._told(names),
            text=fenced("\n\n".join([*above, excerpt.text])), schema=answer_schema(names), key=KEY,
            subject=turns[0].transcript, turns=len(excerpt.turns),
        )  # fmt: skip
        return RecordQuestion(request, excerpt, tuple(shown), names)

    def _room(self, wanted: Sequence[SchemaScore]) -> int:
        names = [one.schema for one in wanted]
        own = tokens_of(self._told(names)) + tokens_of(str(answer_schema(names)))
        return self._most - own - tokens_of(headings(wanted)) - _SPARE_TOKENS

    def _told(self, names: Sequence[str]) -> str:
        """The instructions, and each schema with its fields."""
        schemas = (SCHEMA_TABLE[name] for name in names)
        return "\n".join([self._instructions, "", *(self._schema(one) for one in schemas)])

    def _schema(self, schema: Schema) -> str:
        fields = "; ".join(f"{one.name}: {one.meaning}" for one in schema.fields)
        return f"{schema.name}: {schema.meaning}; {self._hints[schema.name]}. Fields: {fields}."


def answer_schema(names: Sequence[str]) -> dict[str, Any]:
    """The strict JSON schema of an answer: a list of records under the name of each schema."""
    lists = {
        name: {"type": "array", "items": strict_object(_COMMON | _fields(SCHEMA_TABLE[name]))}
        for name in names
    }
    return strict_object({KEY: strict_object(lists)})


def _fields(schema: Schema) -> dict[str, Any]:
    return {one.name: _form(one) for one in schema.fields}


def _form(field: SchemaField) -> dict[str, Any]:
    if field.kind == "pairs":
        pair = strict_object({"option": _TEXT, "rejected_reason": _TEXT})
        return {"type": "array", "items": pair}
    if field.is_list:
        return _TEXTS
    return {"type": "string", "enum": ["", *field.choices]} if field.choices else _TEXT


def _fitting(known: Sequence[Memory], room: int) -> list[Memory]:
    """As many known records as there is room for, in order."""
    kept: list[Memory] = []
    for memory in known[:MOST_KNOWN]:
        size = tokens_of(_known(memory, MOST_KNOWN)) + 1
        if size <= room:
            room -= size
            kept.append(memory)
    return kept


def _schema(memory: Memory) -> str:
    record = record_of(memory)
    return record.schema if record else ""


def _known(memory: Memory, number: int) -> str:
    """A known record on one line: its schema, its statement, what tells it apart."""
    record = record_of(memory)
    assert record is not None  # `_schema` has found one
    told = [(name, record.text(name)) for name in record.form.told_by]
    more = [
        f"{name}: {' '.join(text.split())}"
        for name, text in told
        if text and text != record.statement and len(text) <= _LONGEST_FIELD
    ]
    statement = " ".join(record.statement.split())
    return " | ".join([f"[k{number}] {record.schema}: {statement}", *more])


def _where(turn: Turn) -> str:
    return f" in the project {turn.project}" if turn.project else ""
