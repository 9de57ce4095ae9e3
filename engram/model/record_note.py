"""RecordNote: a record of another store as the text of one turn, and back.

The text is what a person reads in the transcript, and what the memory is made of, whenever that is:
`key: value` lines, the statement, then a section a field. It holds real line ends, so that the
redactor sees what the record says. `note_of(note_text(note))` is that note; a text that a redaction
or a private part has changed is read as far as it goes, and not at all without its first lines.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engram.model.instant import instant_of
from engram.model.record import FieldValue, Record, made_record
from engram.model.record_changes import change_line, change_of
from engram.model.record_json import CommonFields, seed_schema
from engram.model.schemas import CHANGES, SCHEMA_TABLE, SchemaField

#: the source of such turns
STORE = "claude-memory"
_TAGS, _FILES = "Tags", "Files"
_HEADINGS = "|".join(
    dict.fromkeys(
        [one.place for schema in SCHEMA_TABLE.values() for one in schema.sections]
        + [_TAGS, _FILES, CHANGES]
    )
)
#: a line that begins a section; in a text it has one blank more
_HEADING = re.compile(rf"^({_HEADINGS}):$", re.MULTILINE)
_LIKE_HEADING = re.compile(rf"^( *(?:{_HEADINGS}):)$", re.MULTILINE)
_KEPT_FROM = re.compile(rf"^ ( *(?:{_HEADINGS}):)$", re.MULTILINE)
_BULLET = "- "


class RecordNote(NamedTuple):
    """A record, and what its store says of it beside its fields."""

    record: Record
    common: CommonFields


def is_stored_record(transcript: str) -> bool:
    """Whether the turns of a transcript are such notes, by its name."""
    return transcript.startswith(f"{STORE}-")


def note_text(note: RecordNote) -> str:
    """The text of a note."""
    record, common = note
    form = record.form
    header = {
        "category": form.seed_name,
        "id": common.id,
        "title": " ".join(record.title.split()),
        "created": common.created,
        "updated": common.updated,
        "record_status": common.status if common.status != "active" else "",
        "since": common.since,
        "because": " ".join(common.reason.split()),
        "confidence": f"{record.confidence:g}" if record.confidence else "",
        "times_updated": str(common.times_updated or ""),
        **{one.place: record.text(one.name) for one in form.scalars},
    }  # fmt: skip
    blocks = ["\n".join(f"{key}: {value}" for key, value in header.items() if value)]
    blocks.append(_kept_apart(record.statement))
    for one in form.sections:
        if value := record.fields.get(one.name):
            blocks.append(_section(one.place, value))
    if record.tags:
        blocks.append(_section(_TAGS, record.tags))
    if record.related_files:
        blocks.append(_section(_FILES, record.related_files))
    if common.changes:
        blocks.append("\n".join((f"{CHANGES}:", *map(change_line, common.changes))))
    return "\n\n".join(blocks)


def note_of(text: str) -> RecordNote | None:
    """The note that a text is; None for one that does not say its category and its statement."""
    head, _, rest = text.partition("\n\n")
    header = {
        key: value
        for line in head.split("\n")
        for key, mark, value in (line.partition(": "),)
        if mark
    }
    form = seed_schema(header.get("category", ""))
    if form is None:
        return None
    said, sections = _parted(rest)
    fields: dict[str, FieldValue] = {form.statement.name: said}
    for one in form.fields[1:]:
        value = header.get(one.place, "") if one.in_header else sections.get(one.place, "")
        fields[one.name] = _items(value) if one.is_list else value
    record = made_record(
        form.name, fields, title=header.get("title", ""),
        tags=_items(sections.get(_TAGS, "")), related_files=_items(sections.get(_FILES, "")),
        confidence=_share(header.get("confidence", "")),
    )  # fmt: skip
    if not record.statement:
        return None
    times = header.get("times_updated", "")
    common = CommonFields(
        header.get("id", ""), _time(header.get("created", "")), _time(header.get("updated", "")),
        header.get("record_status", "active"), _time(header.get("since", "")),
        header.get("because", ""),
        tuple(change_of(line) for line in sections.get(CHANGES, "").split("\n") if line),
        int(times) if times.isdecimal() else 0,
    )  # fmt: skip
    return RecordNote(record, common)


def telling_fields(record: Record) -> list[tuple[SchemaField, FieldValue]]:
    """The fields of a record beside its statement, in the order of the schema."""
    fields = record.fields
    return [(one, fields[one.name]) for one in record.form.fields[1:] if one.name in fields]


def _section(heading: str, value: FieldValue) -> str:
    if isinstance(value, str):
        return f"{heading}:\n{_kept_apart(value)}"
    return "\n".join((f"{heading}:", *(f"{_BULLET}{item}" for item in value)))


def _kept_apart(text: str) -> str:
    """A text in which no line is read as a heading."""
    return _LIKE_HEADING.sub(r" \1", text.strip())


def _parted(text: str) -> tuple[str, dict[str, str]]:
    """The text before the first heading, and the texts of the sections by their headings."""
    said, *parts = _HEADING.split(text)
    sections: dict[str, str] = {}
    for heading, value in zip(parts[::2], parts[1::2], strict=True):
        sections.setdefault(heading, _read(value))
    return _read(said), sections


def _read(text: str) -> str:
    return _KEPT_FROM.sub(r"\1", text.strip("\n")).strip()


def _items(text: str) -> tuple[str, ...]:
    items = (line.removeprefix(_BULLET).strip() for line in text.split("\n"))
    return tuple(item for item in items if item)


def _time(text: str) -> str:
    try:
        return instant_of(text) if text else ""
    except ValueError:
        return ""


def _share(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0
