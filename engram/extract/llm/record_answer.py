"""A model's answer about records -> drafts with receipts, and a code for each thing left out.

Tolerant in form: unknown fields, choices and schemas are left out one by one, a text counts as a
list of one, a flat list with `schema` in its items is read too, nulls are empty. Strict in
substance: a draft has a statement and a quote that stands in a turn which was shown (the captured
words are taken), and names as its target only a known record that the question showed. What is left
out is told by code, without words. Whether a draft is true is for `verified_fields` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from engram.extract.llm.answer_items import known_as, tags_in
from engram.extract.llm.quotes import Words, quoted
from engram.extract.llm.record_prompt import ACTIONS, CONFIDENCE, EVENTS, KEY, RecordQuestion
from engram.extract.receipt import receipt_of
from engram.language.hidden_text import without_hidden_signs
from engram.model.candidate import Receipt
from engram.model.errors import BadAnswer
from engram.model.memory import Memory
from engram.model.record import FieldValue, Record, made_record, pair_text, record_of
from engram.model.record_draft import DraftAction, LifecycleEvent
from engram.model.records_found import (
    FLOOD,
    MALFORMED,
    NO_RECEIPT,
    NO_STATEMENT,
    UNKNOWN_SCHEMA,
    UNKNOWN_TARGET,
    RecordFault,
)
from engram.model.schemas import ITEMS_MOST, SCHEMA_TABLE, TEXT_MOST, SchemaField
from engram.model.text import first_line
from engram.model.turn import Turn

#: records of one answer, receipts of one record
MOST_RECORDS, _MOST_RECEIPTS = 15, 4
#: the reason of a BadAnswer that is neither lists by schema nor a list
NO_LIST = "no-list"
UNKNOWN_FIELD, UNKNOWN_CHOICE, TOO_LONG = "unknown_field", "unknown_choice", "too_long"
_LONGEST_TITLE, _LONGEST_WHY = 120, 300
_COMMON = frozenset(
    ["action", "target", "event", "why", "quotes", "confidence", "title", "tags", "files", "schema"]
)
_SEED_NAMES = {one.seed_name: name for name, one in SCHEMA_TABLE.items()}


class AnsweredRecord(NamedTuple):
    """One item of an answer that can be used; `known` is the record it updates or retires."""

    record: Record
    action: DraftAction
    receipts: tuple[Receipt, ...]
    event: LifecycleEvent
    known: Memory | None
    why: str


def answered(
    value: object, asked: RecordQuestion, turns: Sequence[Turn]
) -> tuple[list[AnsweredRecord], list[RecordFault]]:
    """The items of an answer in order, and what of it was left out. Raises BadAnswer."""
    given = value.get(KEY) if isinstance(value, Mapping) else None
    if not isinstance(given, Mapping | list):
        raise BadAnswer(NO_LIST, "the model gave no list of records")
    shown = set(asked.excerpt.turns)
    texts = [Words(turn.text if at in shown else "") for at, turn in enumerate(turns)]
    found: list[AnsweredRecord] = []
    faults: list[RecordFault] = []
    for number, (schema, item) in enumerate(_items(given)):
        if number == MOST_RECORDS:
            faults.append(RecordFault("", FLOOD))
            break
        name = _SEED_NAMES.get(schema, schema)
        if name not in asked.schemas:
            faults.append(RecordFault("", UNKNOWN_SCHEMA))
        elif not isinstance(item, Mapping):
            faults.append(RecordFault(name, MALFORMED))
        else:
            one, own = _read(name, item, asked, turns, texts)
            faults += own
            found += [one] if one else []
    return found, faults


def _items(given: Mapping[str, object] | list[object]) -> Iterator[tuple[str, object]]:
    """Each item with the name of its schema."""
    if isinstance(given, Mapping):
        for name, items in given.items():
            for item in items if isinstance(items, list) else [items] if items else []:
                yield str(name), item
        return
    for item in given:
        named = item.get("schema") if isinstance(item, Mapping) else None
        yield named if isinstance(named, str) else "", item


def _read(
    schema: str, item: Mapping[str, object], asked: RecordQuestion, turns: Sequence[Turn],
    texts: Sequence[Words],
) -> tuple[AnsweredRecord | None, list[RecordFault]]:  # fmt: skip
    faults = [
        RecordFault(schema, UNKNOWN_FIELD)
        for name in item
        if name not in _COMMON and SCHEMA_TABLE[schema].field(str(name)) is None
    ]
    receipts = _receipts(schema, item.get("quotes"), turns, texts, faults)
    if not receipts:
        return None, [*faults, RecordFault(schema, NO_RECEIPT)]
    otherwise = "update" if "action" in item else "create"
    action = cast(DraftAction, _one_of(item.get("action"), ACTIONS, otherwise))
    known = _target(schema, item.get("target"), action, asked)
    if known is None and action != "create":
        faults.append(RecordFault(schema, UNKNOWN_TARGET))
        if action == "retire":
            return None, faults
    fields = _fields(schema, item, faults, new=action == "create")
    held = record_of(known) if known else None
    statement = SCHEMA_TABLE[schema].statement.name
    if held and not fields.get(statement):
        fields[statement] = held.statement
    if not fields.get(statement):
        return None, [*faults, RecordFault(schema, NO_STATEMENT)]
    title = _text(item.get("title")) or (held.title if held else "")
    record = made_record(
        schema, fields, title=first_line(title or str(fields[statement]), _LONGEST_TITLE),
        tags=tags_in(item.get("tags")), related_files=_texts(item.get("files")),
        confidence=CONFIDENCE[_one_of(item.get("confidence"), tuple(CONFIDENCE), "medium")],
    )  # fmt: skip
    event = cast(LifecycleEvent, _one_of(item.get("event"), EVENTS, ""))
    why = first_line(_text(item.get("why")), _LONGEST_WHY)
    return AnsweredRecord(record, action, receipts, event, known, why), faults


def _receipts(
    schema: str, value: object, turns: Sequence[Turn], texts: Sequence[Words],
    faults: list[RecordFault],
) -> tuple[Receipt, ...]:  # fmt: skip
    found: list[Receipt] = []
    items = value if isinstance(value, list) else [value] if isinstance(value, Mapping) else []
    for one in items[:_MOST_RECEIPTS]:
        words = one.get("quote") if isinstance(one, Mapping) else one
        number = one.get("turn") if isinstance(one, Mapping) else 0
        if not isinstance(words, str):
            continue
        turn, said, code = quoted(words, number if type(number) is int else 0, turns, texts)
        if turn is None:
            faults.append(RecordFault(schema, code))
        else:
            found.append(receipt_of(turn, said))
    return tuple(dict.fromkeys(found))


def _target(schema: str, value: object, action: str, asked: RecordQuestion) -> Memory | None:
    memory = known_as(value, asked.known) if isinstance(value, str) else None
    record = record_of(memory) if memory else None
    return memory if record and record.schema == schema and action != "create" else None


def _fields(
    schema: str, item: Mapping[str, object], faults: list[RecordFault], *, new: bool
) -> dict[str, FieldValue]:
    found: dict[str, FieldValue] = {}
    for one in SCHEMA_TABLE[schema].fields:
        value = _value(one, item.get(one.name))
        if one.choices and value:
            value = _one_of(value, one.choices, "")
            if not value:
                faults.append(RecordFault(schema, UNKNOWN_CHOICE, one.name))
        if any(len(text.encode("utf-8", "replace")) > TEXT_MOST for text in _all(value)):
            faults.append(RecordFault(schema, TOO_LONG, one.name))
            value = ""
        found[one.name] = value or (one.default if new else "")
    return found


def _value(field: SchemaField, value: object) -> FieldValue:
    if field.is_list:
        items = value if isinstance(value, list) else [value]
        return tuple(text for item in items[:ITEMS_MOST] if (text := _item(item)))
    if isinstance(value, list):
        return " ".join(text for item in value[:ITEMS_MOST] if (text := _text(item)))
    return _text(value)


def _item(value: object) -> str:
    """An item of a list; an alternative may come as an object."""
    if not isinstance(value, Mapping):
        return _text(value)
    option, reason = _text(value.get("option")), _text(value.get("rejected_reason"))
    return pair_text(option, reason) if option else ""


def _text(value: object) -> str:
    """A text without signs that nobody sees; truth values and numbers as one, else none."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return without_hidden_signs(value).strip() if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(dict.fromkeys(text for item in items[:ITEMS_MOST] if (text := _text(item))))


def _all(value: FieldValue) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def _one_of(value: object, words: Sequence[str], otherwise: str) -> str:
    said = str(value).strip().casefold().replace(" ", "_") if value is not None else ""
    return said if said in words else otherwise
