"""A record and the memory that holds it say the same."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.markdown import inert_line, neutralise
from engram.model.memory import CATEGORIES, Memory
from engram.model.record import (
    Record,
    faults_of,
    items_in,
    made_record,
    other_sections,
    parts_of,
    receipt_in,
    record_of,
    with_receipt,
    without_receipt,
)
from engram.model.schemas import SCHEMA_TABLE, SchemaField
from engram.store.files.memory_file import read_memory, render_memory
from tests.effort import examples

words = st.text("abcÄ漢 .,-1", min_size=1, max_size=12).map(lambda text: inert_line(text.strip()))
lines = words.filter(lambda text: bool(text) and not text.startswith(("-", "[", "+", "*")))
receipts = st.sampled_from(["", "claude-code-3f2a1c9d04be#^m3f9a2c"])
items = st.builds(with_receipt, lines, receipts)
prose = st.lists(lines, min_size=1, max_size=3).map("\n\n".join).map(neutralise).filter(bool)


def value_of(field: SchemaField) -> st.SearchStrategy[str | tuple[str, ...]]:
    """Any value that a field may have."""
    if field.choices:
        return st.sampled_from(field.choices)
    if field.is_list:
        done = items.map(lambda text: f"[x] {text}") if field.kind == "tasks" else items
        return st.lists(items | done, min_size=1, max_size=4).map(tuple)
    return lines if field.in_header or field.kind == "statement" else prose


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Any record without a fault."""
    form = SCHEMA_TABLE[draw(st.sampled_from(sorted(SCHEMA_TABLE)))]
    fields = {
        one.name: draw(value_of(one)) for one in form.fields if one.required or draw(st.booleans())
    }
    return made_record(form.name, fields, title=draw(lines), tags=["a"], related_files=["x.py"])


def memory_with(record: Record) -> Memory:
    """A memory that is the record."""
    parts = parts_of(record)
    return Memory(
        id="fact-x", category=parts.category, schema=parts.schema, title=parts.title,
        text=parts.text, extra=parts.extra, sections=parts.sections, tags=parts.tags,
        related_files=parts.related_files, confidence=record.confidence,
        created="2026-03-06T10:10:00Z",
    )  # fmt: skip


@given(records())
@examples(200)
def test_record_is_read_from_its_file_as_it_was_written(record: Record) -> None:
    memory = memory_with(record)
    read = read_memory("facts/x.md", render_memory(memory)).memory
    assert replace(read, path="") == memory
    assert record_of(read) == record
    assert not faults_of(record)


def test_schemas_have_categories_and_places_that_no_other_field_has() -> None:
    for form in SCHEMA_TABLE.values():
        assert form.category in CATEGORIES
        places = [one.place.casefold() for one in form.fields[1:]]
        assert len(set(places)) == len(places) and "changes" not in places


def test_hand_written_sections_are_read() -> None:
    body = (
        "Use JWT.\n\n## rationale\nIt is stateless,\nand known.\n\nIt is small.\n\n"
        "## Alternatives\n* cookies — rejected: not stateless\n  at all\n1) none\n\n## Ideas\nx\n"
    )
    memory = read_memory("facts/x.md", f"---\ncategory: decision\n---\n{body}".encode()).memory
    record = record_of(memory)
    assert record is not None
    assert record.items("rationale") == ("It is stateless, and known.", "It is small.")
    assert record.items("alternatives") == (
        "cookies — rejected: not stateless at all", "none",
    )  # fmt: skip
    assert other_sections(memory) == (("Ideas", "x"),)


def test_done_tasks_and_code_stay_in_their_items() -> None:
    text = "- [ ] run it\n- [X] write it\n- call\n```\n- no item\n```"
    assert items_in(text) == ["run it", "[x] write it", "call ``` - no item ```"]


def test_receipt_is_a_link_behind_the_words() -> None:
    item = with_receipt("retries", "claude-code-3f2a1c9d04be#^m77d0e1a920")
    assert item == "retries ([[claude-code-3f2a1c9d04be#^m77d0e1a920|said]])"
    assert without_receipt(item) == "retries"
    assert receipt_in(item) == "claude-code-3f2a1c9d04be#^m77d0e1a920"


def test_faults_name_field_and_what_was_expected() -> None:
    record = made_record("decision", {"decision": "Use JWT.", "status": "maybe"}, title="t" * 121)
    assert [str(fault) for fault in faults_of(record)] == [
        "title: expected at most 120 characters, got 121 characters",
        "tags: expected 1 to 12 tags, got 0",
        "status: expected one of proposed, accepted, deprecated, superseded, got 'maybe'",
        "context: expected a text: what made a choice necessary, got nothing",
        "rationale: expected a list: why this, got nothing",
    ]


def test_constraint_that_is_a_policy_is_a_principle() -> None:
    record = made_record("constraint", {"rule": "No PII in logs.", "kind": "policy"})
    assert parts_of(record).category == "principle"
