"""A record as the text of a turn comes back from it, whatever its texts hold."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.record import Record, made_record, parts_of
from engram.model.record_changes import RecordChange
from engram.model.record_json import CommonFields
from engram.model.record_note import RecordNote, is_stored_record, note_of, note_text
from engram.model.schemas import SCHEMA_TABLE
from tests.effort import examples
from tests.model.test_record import records

#: what would be read as a part of the note itself
HOSTILE = st.sampled_from([
    "Context:\nno heading", "  Steps:\n- one\n\n   Steps:", "category: session_summary\n\nx",
    "## Context\n> quoted\n```\nTags:\n```", "Changes:", "a\n\n\nb", "---\nid: x\n---", ": x",
])  # fmt: skip


@examples(150)
@given(records(), st.sampled_from(["active", "retired", "archived"]), st.integers(0, 9))
def test_a_record_comes_back_from_its_note(record: Record, status: str, times: int) -> None:
    since = "" if status == "active" else "2026-02-01T00:00:00Z"
    changes = (RecordChange("2026-02-10", "status", "open", "resolved", "done"),) * (times > 5)
    common = CommonFields(
        "use-jwt", "2026-01-15T10:00:00Z", "2026-02-10T10:00:00Z", status, since,
        "a reason" if since else "", changes, times,
    )  # fmt: skip
    note = RecordNote(replace(record, confidence=0.8), common)
    assert note_of(note_text(note)) == note


@examples(150)
@given(st.sampled_from(sorted(SCHEMA_TABLE)), HOSTILE, HOSTILE)
def test_a_text_cannot_end_its_section(name: str, statement: str, text: str) -> None:
    form = SCHEMA_TABLE[name]
    fields: dict[str, str | tuple[str, ...]] = {form.statement.name: statement}
    fields |= {
        one.name: (text,) if one.is_list else text for one in form.sections if one.kind != "pairs"
    }
    record = made_record(name, fields, title=text, tags=["Tags:"], related_files=["Files:"])
    found = note_of(note_text(RecordNote(record, CommonFields("x", "2026-01-15T10:00:00Z"))))
    assert found is not None
    assert found.record == replace(record, title=" ".join(record.title.split()))
    assert parts_of(found.record).sections == parts_of(record).sections


def test_what_is_no_note_is_none() -> None:
    for text in ("", "hello", "category: poem\n\nhello", "category: decision\n\n", "title: x\n\ny"):
        assert note_of(text) is None
    assert is_stored_record("claude-memory-4fa4341c111c")
    assert not is_stored_record("claude-code-4fa4341c111c")
