"""What a person or a program gives as a record -> its fields, and what is wrong with them.

A form (`model/record_form`, which is a memory's file without its id) or seed 001's JSON, told apart
by the first sign. Refused (BadInput, INPUT_ERROR): what is too long, no text, or no JSON object.
Keys and sections that are no field are faults, so that nothing is left out in silence; what only
the program writes (id, status, created, authority) is none of a form.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from engram.model.errors import BadInput
from engram.model.record import FieldFault, Record, made_record, record_of, sections_by_name
from engram.model.record_form import without_comments
from engram.model.record_json import CommonFields, RecordFromJson, record_from_json
from engram.model.schemas import RECORD_MOST, SCHEMA_TABLE, Schema, categories_of, written_schema
from engram.store.files.memory_file import read_memory

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: JSON escapes signs, and says the names of fields
MOST = 4 * RECORD_MOST
_OF_A_FORM = frozenset(["schema", "category", "title", "tags", "related_files", "aliases"])
_HINT = "`engram new decision` without --from shows the form of one"
_NAMED = 10


class RecordInput(NamedTuple):
    """A record as it was given, what was said beside its fields, and what is wrong with it."""

    record: Record
    common: CommonFields
    faults: tuple[FieldFault, ...]


def read_record(
    data: bytes, schema: str, *, title: str = "", tags: Sequence[str] = ()
) -> RecordInput:  # fmt: skip
    """The record of that schema that bytes say. Raises BadInput for bytes that say none.

    `title` counts instead of its own, `tags` beside its own.
    """
    found = _read(data, schema)
    record = found.record or made_record(schema, {})
    title, every = title or record.title, dict.fromkeys((*record.tags, *tags))
    record = replace(record, title=title, tags=tuple(every))
    return RecordInput(record, found.common, found.faults)


def _read(data: bytes, schema: str) -> RecordFromJson:
    if len(data) > MOST:
        raise BadInput(f"a record of more than {MOST // 1024} kB", _HINT, code="INPUT_ERROR")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput("this is no UTF-8 text", _HINT, code="INPUT_ERROR") from error
    if not text.strip():
        raise BadInput("there is nothing in it: nothing was written", _HINT, code="INPUT_ERROR")
    if text.lstrip()[0] in "{[":
        return record_from_json(_object(text), schema)
    return _from_form(text, SCHEMA_TABLE[schema])


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"this is no JSON: {error}", _HINT, code="INPUT_ERROR") from error
    if not isinstance(found, dict):
        raise BadInput("this is JSON, but no object", _HINT, code="INPUT_ERROR")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands in it twice")
    return made


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _from_form(text: str, form: Schema) -> RecordFromJson:
    read = read_memory("new.md", without_comments(text).encode("utf-8"))
    header = read.document.header
    faults = list(_of_header(read.document.problem, header, form))
    memory, aliases = read.memory, read.memory.aliases
    if memory.quote:
        faults.append(FieldFault(form.statement.name, "no quote: you say it yourself", "a quote"))
    faults += _of_sections(memory.sections, form)
    category = form.category
    if memory.text.startswith("##"):  # no statement: what is read in its place is all the rest
        memory = replace(memory, text="")
    schema = written_schema(category, form.name)
    found = record_of(replace(memory, category=category, schema=schema))
    return RecordFromJson(found, CommonFields(id="".join(aliases[:1])), tuple(faults))


def _of_header(
    problem: str | None, header: Mapping[str, Value], form: Schema
) -> Iterable[FieldFault]:
    if problem:
        yield FieldFault("header", "keys and values", problem)
    scalars = {one.place for one in form.scalars}
    for key in [key for key in header if key not in _OF_A_FORM | scalars][:_NAMED]:
        yield FieldFault(key, "no field of this name", str(header[key])[:40])
    if header.get("schema", form.name) not in ("", form.name):
        yield FieldFault("schema", form.name, str(header["schema"]))
    if header.get("category", "") not in ("", *categories_of(form)):
        yield FieldFault("category", form.category, str(header["category"]))


def _of_sections(sections: Iterable[tuple[str, str]], form: Schema) -> Iterable[FieldFault]:
    known = {one.place.casefold() for one in form.sections}
    counted = Counter(heading.casefold() for heading, _ in sections)
    for heading, times in list(counted.items())[: 2 * _NAMED]:
        if heading not in known:
            yield FieldFault(f"## {heading[:40]}", "no section of this name", "one")
        elif times > 1 and len(sections_by_name(sections)[heading]) > 1:
            yield FieldFault(f"## {heading}", "one section", f"{times}")
