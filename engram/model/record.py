"""Record: the fields of a memory that has a schema; statement, header and sections <-> fields.

`record_of` reads a memory as its schema says: what it holds in other ways is read as far as that is
sure (a list as prose, two sections of one name, other bullets). `parts_of` gives what the memory of
a record is made of, and reads back as that record, if its texts are inert; foreign text is
neutralised. `faults_of` says what a record lacks or has too much of; it is asked where records are
made, never where a person's file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engram.model.markdown import code_lines, inert_line, neutralise
from engram.model.memory import SESSION, Memory
from engram.model.schemas import (
    CHANGES,
    ITEMS_MOST,
    POLICY,
    REJECTED,
    SCHEMA_TABLE,
    TAGS_MOST,
    TEXT_MOST,
    TITLE_MOST,
    Schema,
    SchemaField,
    schema_of,
    written_schema,
)

#: one text, or the items of a list
FieldValue = str | tuple[str, ...]
#: heading and text of a section, in the order of the file; the text has no blank lines around it
MemorySection = tuple[str, str]

_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,4}[.)])[ \t]+(?:(\[[ xX]\])[ \t]+)?(.*)")
#: a task that is done begins so, as a value
DONE = "[x] "


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one record by seed 001's names; what is empty is left out.

    `values` are in the order of the schema; a switch is "true" or "false".
    """

    schema: str
    title: str = ""
    values: tuple[tuple[str, FieldValue], ...] = ()
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    confidence: float = 0.0

    @property
    def form(self) -> Schema:
        """Its row of the table."""
        return SCHEMA_TABLE[self.schema]

    @property
    def fields(self) -> Mapping[str, FieldValue]:
        """The values by name."""
        return dict(self.values)

    @property
    def statement(self) -> str:
        """What leads the body."""
        value = self.fields.get(self.form.statement.name, "")
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> tuple[str, ...]:
        """The items of a list; of a text the text alone; nothing where it is empty."""
        value = self.fields.get(name, ())
        return ((value,) if value else ()) if isinstance(value, str) else value

    def text(self, name: str) -> str:
        """A text; of a list its items on one line."""
        value = self.fields.get(name, "")
        return value if isinstance(value, str) else "; ".join(value)


class RecordParts(NamedTuple):
    """What the memory of a record is made of."""

    category: str
    schema: str
    title: str
    text: str
    extra: tuple[tuple[str, str], ...]
    sections: tuple[MemorySection, ...]
    tags: tuple[str, ...]
    related_files: tuple[str, ...]


class FieldFault(NamedTuple):
    """One thing that is wrong with a field, and what to write instead."""

    field: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, got {self.got}"


def made_record(
    schema: str, fields: Mapping[str, FieldValue], *, title: str = "", tags: Iterable[str] = (),
    related_files: Iterable[str] = (), confidence: float = 0.0,
) -> Record:  # fmt: skip
    """A record of these fields in the schema's order, without those that are empty or unknown."""
    form = SCHEMA_TABLE[schema]
    known = {one.name: _shaped(one, fields.get(one.name, "")) for one in form.fields}
    if form.name == "runbook" and known["summary"] and not known["trigger"]:
        known["trigger"] = known["summary"]
    values = tuple((name, value) for name, value in known.items() if value)
    return Record(schema, title, values, tuple(tags), tuple(related_files), confidence)


def record_of(memory: Memory) -> Record | None:
    """The record that a memory is; None for one without a schema."""
    form = schema_of(memory.category, memory.schema)
    if form is None:
        return None
    extras, found = memory.extras, sections_by_name(memory.sections)
    fields: dict[str, FieldValue] = {form.statement.name: memory.text}
    for one in form.fields[1:]:
        if one.in_header:
            fields[one.name] = extras.get(one.place, "").strip()
        else:
            told = found.get(one.place.casefold(), ())
            fields[one.name] = (
                tuple(item for text in told for item in items_in(text))
                if one.is_list
                else "\n\n".join(told)
            )
    return made_record(
        form.name, fields, title=memory.title, tags=memory.tags,
        related_files=memory.related_files, confidence=memory.confidence,
    )  # fmt: skip


def parts_of(record: Record) -> RecordParts:
    """What the memory of a record is made of; texts are made inert."""
    form, fields = record.form, record.fields
    scalars = [(one.place, record.text(one.name)) for one in form.scalars if one.name in fields]
    sections = []
    for one in form.sections:
        value = fields.get(one.name, "")
        if value and not _said_already(one, value, record):
            sections.append((one.place, section_text(one, value)))
    category = form.category
    if form.name == "constraint" and fields.get("kind") == POLICY:
        category = "principle"
    return RecordParts(
        category, written_schema(category, form.name), record.title, record.statement,
        tuple(scalars), tuple(sections), record.tags, record.related_files,
    )  # fmt: skip


def section_text(field: SchemaField, value: FieldValue) -> str:
    """The text of a section that says a value."""
    if isinstance(value, str):
        return neutralise(value)
    return "\n".join(item_line(field, item, number) for number, item in enumerate(value, 1))


def item_line(field: SchemaField, item: str, number: int = 1) -> str:
    """The line of one item; `number` is its place, from 1, for numbered steps."""
    if field.kind == "steps":
        return f"{number}. {inert_item(item)}"
    if field.kind == "tasks":
        done = item.startswith(DONE)
        return f"- [{'x' if done else ' '}] {inert_item(item.removeprefix(DONE))}"
    return f"- {inert_item(item)}"


#: the receipt at the end of an item: a link to the turn that says it
_RECEIPT = re.compile(r" \(\[\[([a-z0-9-]+#\^[a-z0-9]+)\|said\]\]\)$")


def with_receipt(item: str, link: str) -> str:
    """An item with a link (`transcript#^block`) to the turn that says it."""
    return f"{item} ([[{link}|said]])" if link else item


def without_receipt(item: str) -> str:
    """The words of an item."""
    return _RECEIPT.sub("", item)


def receipt_in(item: str) -> str:
    """The link to the turn that says an item; empty where it has none."""
    found = _RECEIPT.search(item)
    return found[1] if found else ""


def inert_item(item: str) -> str:
    """An item on one line as inert Markdown, with its receipt as a link."""
    words, link = without_receipt(item), receipt_in(item)
    return with_receipt(inert_line(words), link)


def items_in(text: str) -> list[str]:
    """The items of a section: its bullets with the lines below them, else its paragraphs."""
    lines = text.split("\n")
    code = code_lines(lines)
    items: list[str] = []
    listed = False
    for number, line in enumerate(lines):
        found = None if code[number] or line[:1] in (" ", "\t") else _BULLET.fullmatch(line)
        if found:
            listed = True
            done = DONE if (found[1] or "")[1:2] in ("x", "X") else ""
            items.append(done + found[2].strip())
        elif listed and line.strip() and (code[number] or line[:1] in (" ", "\t")):
            items[-1] = f"{items[-1]} {line.strip()}".strip()
    if listed:
        return [item for item in items if item]
    return [" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", text) if part.strip()]


def sections_by_name(sections: Iterable[MemorySection]) -> dict[str, list[str]]:
    """The texts of sections by casefolded heading; of one name there may be several."""
    found: dict[str, list[str]] = {}
    for heading, text in sections:
        if text:
            found.setdefault(heading.casefold(), []).append(text)
    return found


def other_sections(memory: Memory) -> tuple[MemorySection, ...]:
    """The sections of a memory that are no field of its schema: what a person added."""
    form = schema_of(memory.category, memory.schema)
    known = {one.place.casefold() for one in form.sections} if form else set()
    return tuple(
        (heading, text)
        for heading, text in memory.sections
        if heading.casefold() not in known | {CHANGES.casefold()}
    )


def faults_of(record: Record, *, whole: bool = True) -> list[FieldFault]:
    """What is wrong with a record; with `whole` also which required fields it lacks (seed 001)."""
    found: list[FieldFault] = []
    fields = record.fields
    if whole and not record.title.strip():
        found.append(FieldFault("title", f"1 to {TITLE_MOST} characters", "nothing"))
    if len(record.title) > TITLE_MOST:
        got = f"{len(record.title)} characters"
        found.append(FieldFault("title", f"at most {TITLE_MOST} characters", got))
    if len(record.tags) > TAGS_MOST or (whole and not record.tags):
        found.append(FieldFault("tags", f"1 to {TAGS_MOST} tags", f"{len(record.tags)}"))
    if len(record.related_files) > ITEMS_MOST:
        got = f"{len(record.related_files)}"
        found.append(FieldFault("related_files", f"at most {ITEMS_MOST}", got))
    for one in record.form.fields:
        value = fields.get(one.name)
        if value is None:
            if whole and one.required and not (one.is_list and record.schema == SESSION):
                found.append(FieldFault(one.name, f"{_expected(one)}: {one.meaning}", "nothing"))
            continue
        found.extend(_value_faults(one, value))
    return found


def _value_faults(field: SchemaField, value: FieldValue) -> list[FieldFault]:
    texts: Sequence[str] = (value,) if isinstance(value, str) else value
    if field.choices and value not in field.choices:
        return [FieldFault(field.name, f"one of {', '.join(field.choices)}", repr(value))]
    found = []
    if len(texts) > ITEMS_MOST:
        found.append(FieldFault(field.name, f"at most {ITEMS_MOST} items", f"{len(texts)}"))
    if any(len(text.encode("utf-8", "replace")) > TEXT_MOST for text in texts):
        found.append(FieldFault(field.name, "texts of at most 8 kB", "a longer one"))
    return found


def _expected(field: SchemaField) -> str:
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    return "a list" if field.is_list else "a text"


def _shaped(field: SchemaField, value: FieldValue) -> FieldValue:
    """A value as its field holds it; a text for a list is its one item."""
    if field.is_list:
        items = (value,) if isinstance(value, str) else value
        return tuple(one for item in items if (one := " ".join(item.split())))
    text = value if isinstance(value, str) else "\n\n".join(value)
    return " ".join(text.split()) if field.in_header else text.strip()


def _said_already(field: SchemaField, value: FieldValue, record: Record) -> bool:
    """Whether the lead says a runbook's trigger, word for word."""
    return field.name == "trigger" and value == record.statement


def pair_of(item: str) -> tuple[str, str]:
    """Option and reason of an alternative; the reason is empty where none is said."""
    option, _, reason = without_receipt(item).partition(REJECTED)
    return option.strip(), reason.strip()


def pair_text(option: str, reason: str) -> str:
    """An alternative as an item."""
    return f"{option}{REJECTED}{reason}" if reason else option
