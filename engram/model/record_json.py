"""Seed 001's JSON object of a record <-> a record, and what the object says besides its fields.

`record_from_json` reads any object: nulls count as absent, unknown keys, texts in the place of
lists, wrong types, bad dates and bad ids are faults, never guesses; whether the record is whole is
asked of `faults_of`. `record_json` writes what seed 001's programs read: its names for schema,
fields and status. One key is ours: `summary` of a runbook, where its trigger does not say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engram.model.ids import is_id
from engram.model.instant import Day, Instant, instant_of
from engram.model.memory import Memory
from engram.model.record import FieldFault, FieldValue, Record, made_record, pair_of, pair_text
from engram.model.record import record_of as _record_of
from engram.model.record_changes import RecordChange, changes_of
from engram.model.schemas import CHANGES_MOST, SCHEMA_TABLE, Schema, SchemaField

Shape = dict[str, object]

VERSION = "1.0"
#: ours -> seed 001's `record_status`; nothing else of ours is in use
_STATUS = {
    "active": "active", "needs-review": "active", "retired": "retired", "superseded": "retired",
    "archived": "archived", "expired": "archived",
}  # fmt: skip
#: what an id is to be
ID_FORM = "1 to 80 small letters, digits and hyphens"
_STATUSES = ("active", "retired", "archived")
#: the keys of every object; all but the first five may be absent
_KEYS = (
    "schema_version", "category", "id", "title", "content", "created_at", "updated_at", "tags",
    "related_files", "confidence", "record_status", "changes", "times_updated", "retired_at",
    "retired_reason", "archived_at", "archived_reason",
)  # fmt: skip
_CHANGE_KEYS = ("date", "summary", "field", "old_value", "new_value")
#: as many unknown keys are named, and so much of a value is shown
_NAMED, _SHOWN = 10, 40


class CommonFields(NamedTuple):
    """What the object says of the record as a whole; empty where it says nothing.

    `id` is seed 001's slug. `since` and `reason` belong to a status other than active.
    """

    id: str = ""
    created: Instant = ""
    updated: Instant = ""
    status: str = "active"
    since: Instant = ""
    reason: str = ""
    changes: tuple[RecordChange, ...] = ()
    times_updated: int = 0


class RecordFromJson(NamedTuple):
    """What an object is read as; no record where it names no schema."""

    record: Record | None
    common: CommonFields
    faults: tuple[FieldFault, ...]


def seed_schema(name: str) -> Schema | None:
    """The schema of that name: ours, seed 001's category or its folder."""
    for schema in SCHEMA_TABLE.values():
        if name in (schema.name, schema.seed_name, schema.folder):
            return schema
    return None


def record_from_json(data: Mapping[str, object], schema: str = "") -> RecordFromJson:
    """The record of an object; of `schema`, where the object need not say it itself."""
    reader = _Reader()
    reader.unknown("", data, _KEYS)
    named = reader.text(data, "category")
    form = seed_schema(schema or named)
    if form is None:
        expected = "one of " + ", ".join(one.seed_name for one in SCHEMA_TABLE.values())
        reader.fault("category", expected, schema or named)
    elif named and seed_schema(named) is not form:
        reader.fault("category", form.seed_name, named)
    if data.get("schema_version") not in (None, VERSION):
        reader.fault("schema_version", VERSION, data["schema_version"])
    common = _common(data, reader)
    title, tags = reader.text(data, "title"), reader.texts(data, "tags")
    files, confidence = reader.texts(data, "related_files"), reader.number(data, "confidence")
    content = data.get("content")
    if not isinstance(content, Mapping):
        reader.fault("content", "an object with the fields", content)
        content = {}
    if form is None:
        return RecordFromJson(None, common, tuple(reader.faults))
    fields = _fields(form, content, reader)
    record = made_record(
        form.name, fields, title=title, tags=tags, related_files=files, confidence=confidence
    )
    return RecordFromJson(record, common, tuple(reader.faults))


def record_json(memory: Memory, *, updated: Instant = "", times_updated: int = 0) -> Shape:
    """A memory with a schema as seed 001's object; raises ValueError for one without.

    `updated` and `times_updated` are the journal's.
    """
    record = _record_of(memory)
    if record is None:
        raise ValueError(f"{memory.id} has no schema")
    status = _STATUS.get(memory.status, "active")
    made: Shape = {
        "schema_version": VERSION,
        "category": record.form.seed_name,
        "id": memory.aliases[0] if memory.aliases else memory.id,
        "title": record.title,
        "created_at": memory.created,
        "updated_at": updated or memory.created,
        "tags": list(record.tags),
        "related_files": list(record.related_files),
        "confidence": record.confidence,
        "record_status": status,
        "changes": [_change_json(one) for one in changes_of(memory)],
        "times_updated": times_updated,
    }
    if status != "active":
        made[f"{status}_at"] = memory.status_since
        made[f"{status}_reason"] = memory.status_reason or memory.status
    made["content"] = content_json(record)
    return made


def content_json(record: Record) -> Shape:
    """The fields of a record by seed 001's names; what is empty is left out."""
    made: Shape = {}
    for one in record.form.fields:
        value = record.fields.get(one.name, "")
        if one.name == "summary" and value == _summary(record.text("trigger")):
            continue
        target = made
        if one.within and value:
            inner = made.setdefault(one.within, {"prefer": [], "avoid": []})
            assert isinstance(inner, dict)
            target = inner
        if one.kind == "switch" and value:
            target[one.name] = value == "true"
        elif one.kind == "pairs" and value:
            pairs = map(pair_of, record.items(one.name))
            target[one.name] = [
                {"option": option, "rejected_reason": reason} for option, reason in pairs
            ]
        elif one.is_list and (value or one.name in ("completed", "next_actions")):
            target[one.name] = list(record.items(one.name))
        elif value:
            target[one.name] = value
    return made


class _Reader:
    """Values of an object, and what is wrong with those that are none."""

    def __init__(self) -> None:
        self.faults: list[FieldFault] = []

    def fault(self, field: str, expected: str, got: object) -> None:
        self.faults.append(FieldFault(field, expected, _shown(got)))

    def unknown(self, within: str, data: Mapping[str, object], known: tuple[str, ...]) -> None:
        """A fault for each key that nobody knows."""
        others = [key for key in data if key not in known]
        for key in others[:_NAMED]:
            self.fault(within + _clipped(key), "no field of this name", data[key])

    def text(self, data: Mapping[str, object], key: str, within: str = "") -> str:
        value = data.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self.fault(within + key, "a text", value)
        return ""

    def texts(self, data: Mapping[str, object], key: str, within: str = "") -> tuple[str, ...]:
        value = data.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.fault(within + key, "a list", value)
            return ()
        for item in value:
            if not isinstance(item, str):
                self.fault(within + key, "a list of texts", item)
                return ()
        return tuple(value)

    def number(self, data: Mapping[str, object], key: str) -> float:
        """A number between 0 and 1, as seed 001 takes it: what lies outside is moved there."""
        value = data.get(key)
        if value is None:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            self.fault(key, "a number from 0 to 1", value)
            return 0.0
        return float(min(max(value, 0), 1))

    def time(self, data: Mapping[str, object], key: str) -> Instant:
        value = self.text(data, key)
        try:
            return instant_of(value) if value else ""
        except ValueError:
            self.fault(key, "a time such as 2026-03-06T10:10:00Z", value)
            return ""


def _common(data: Mapping[str, object], reader: _Reader) -> CommonFields:
    name = reader.text(data, "id")
    if name and not is_id(name):
        reader.fault("id", ID_FORM, name)
        name = ""
    status = reader.text(data, "record_status") or "active"
    if status not in _STATUSES:
        reader.fault("record_status", f"one of {', '.join(_STATUSES)}", status)
        status = "active"
    times = data.get("times_updated")
    if times is not None and (isinstance(times, bool) or not isinstance(times, int) or times < 0):
        reader.fault("times_updated", "a number", times)
        times = 0
    since = {one: reader.time(data, f"{one}_at") for one in _STATUSES[1:]}
    reasons = {one: reader.text(data, f"{one}_reason") for one in _STATUSES[1:]}
    return CommonFields(
        name, reader.time(data, "created_at"), reader.time(data, "updated_at"), status,
        since.get(status, ""), reasons.get(status, ""), tuple(_changes(data, reader)),
        int(times or 0),
    )  # fmt: skip


def _changes(data: Mapping[str, object], reader: _Reader) -> Iterator[RecordChange]:
    """The newest changes, as many as a record holds."""
    found = data.get("changes")
    if found is None:
        return
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        reader.fault("changes", "a list of objects", found)
        return
    for one in found[-CHANGES_MOST:]:
        reader.unknown("changes.", one, _CHANGE_KEYS)
        when = reader.text(one, "date", "changes.")
        try:
            date: Day | Instant = (
                (instant_of(when)[: 10 if len(when) == 10 else 20]) if when else ""
            )
        except ValueError:
            reader.fault("changes.date", "a time such as 2026-03-06T10:10:00Z", when)
            continue
        yield RecordChange(
            date, reader.text(one, "field", "changes."), _any_text(one.get("old_value")),
            _any_text(one.get("new_value")), reader.text(one, "summary", "changes."),
        )  # fmt: skip


def _fields(
    form: Schema, content: Mapping[str, object], reader: _Reader
) -> dict[str, FieldValue]:  # fmt: skip
    holders = dict.fromkeys(one.within for one in form.fields if one.within)
    known = tuple(one.name for one in form.fields if not one.within) + tuple(holders)
    reader.unknown("", content, known)
    inner: dict[str, Mapping[str, object]] = {"": content}
    for holder in holders:
        value = content.get(holder)
        if value is not None and not isinstance(value, Mapping):
            reader.fault(holder, "an object", value)
        inner[holder] = value if isinstance(value, Mapping) else {}
        own = tuple(one.name for one in form.fields if one.within == holder)
        reader.unknown(f"{holder}.", inner[holder], own)
    fields = {one.name: _value(one, inner[one.within], reader) for one in form.fields}
    trigger = fields.get("trigger")
    if form.name == "runbook" and not fields["summary"] and isinstance(trigger, str):
        fields["summary"] = _summary(trigger)
    return fields


def _value(field: SchemaField, data: Mapping[str, object], reader: _Reader) -> FieldValue:
    within = f"{field.within}." if field.within else ""
    value = data.get(field.name)
    if field.kind == "switch" and isinstance(value, bool):
        return "true" if value else "false"
    if field.kind != "pairs" or not isinstance(value, list):
        return (reader.texts if field.is_list else reader.text)(data, field.name, within)
    pairs = []
    for one in value:
        if isinstance(one, str):
            pairs.append(one)
        elif isinstance(one, Mapping):
            reader.unknown(f"{field.name}.", one, ("option", "rejected_reason"))
            parts = (
                reader.text(one, key, f"{field.name}.") for key in ("option", "rejected_reason")
            )
            pairs.append(pair_text(*parts))
        else:
            reader.fault(field.name, "a list of {option, rejected_reason}", one)
    return tuple(pairs)


def _summary(trigger: str) -> str:
    """What leads a runbook of seed 001: the first paragraph of its trigger, on one line."""
    return " ".join(trigger.strip().partition("\n\n")[0].split())


def _change_json(change: RecordChange) -> Shape:
    made: Shape = {"date": change.date, "summary": change.reason}
    if change.field:
        made["field"] = change.field
    if change.old or change.new:
        made |= {"old_value": change.old, "new_value": change.new}
    return made


def _any_text(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "; ".join(value)
    return _shown(value)


def _shown(value: object) -> str:
    """What was found in the place of a value, short."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return _clipped(value if isinstance(value, str) else str(value))


def _clipped(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
