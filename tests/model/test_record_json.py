"""Seed 001's JSON of a record says what the record says, and refuses what it does not know."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.record import Record, faults_of, pair_of, pair_text, record_of
from engram.model.record_changes import RecordChange, change_line, change_of, changes_text
from engram.model.record_json import content_json, record_from_json, record_json
from engram.model.schemas import CHANGES_MOST, SCHEMA_TABLE
from tests.effort import examples
from tests.model.test_record import lines, memory_with, records

DECISION = {
    "schema_version": "1.0", "category": "decision", "id": "use-jwt", "title": "Use JWT",
    "created_at": "2026-01-15T10:00:00Z", "updated_at": "2026-02-10T10:00:00Z", "tags": ["auth"],
    "related_files": ["src/auth.py"], "confidence": 0.9, "record_status": "active",
    "changes": [
        {"date": "2026-02-10T10:00:00Z", "summary": "agreed in review", "field": "status",
         "old_value": "proposed", "new_value": "accepted"},
    ],
    "times_updated": 1,
    "content": {
        "status": "accepted", "context": "sessions do not scale", "decision": "JWT for an hour",
        "alternatives": [{"option": "cookies", "rejected_reason": "they hold state"}],
        "rationale": ["stateless"], "consequences": None,
    },
}  # fmt: skip


def changed(**content: Any) -> dict[str, Any]:
    """The decision with other fields."""
    return DECISION | {"content": {**DECISION["content"], **content}}  # type: ignore[dict-item]


def without_pair_receipts(record: Record) -> Record:
    """A record whose alternatives are what an option and a reason can say."""
    values = tuple(
        (name, tuple(pair_text(*pair_of(one)) for one in value))
        if name == "alternatives" and isinstance(value, tuple) else (name, value)
        for name, value in record.values
    )  # fmt: skip
    return replace(record, values=values)


@examples(150)
@given(records())
def test_a_record_comes_back_from_its_json(record: Record) -> None:
    memory = memory_with(record)
    told = json.loads(json.dumps(record_json(memory)))
    found = record_from_json(told)
    known = record_of(memory)
    assert known is not None
    assert not found.faults
    assert found.record == without_pair_receipts(known)
    assert content_json(found.record) == told["content"]


@examples(150)
@given(
    st.builds(
        RecordChange,
        st.sampled_from(["2026-02-10", "2026-02-10T10:00:00Z"]),
        st.sampled_from(["", "rationale", "in_progress"]),
        st.just(""), st.just(""), lines,
    )
    | st.builds(RecordChange, st.just("2026-02-10"), st.just("status"), lines, lines, lines)
)  # fmt: skip
def test_a_change_comes_back_from_its_line(change: RecordChange) -> None:
    assert change_of(change_line(change)) == change


def test_a_value_with_the_signs_of_a_line_stays_one_value() -> None:
    change = RecordChange("2026-02-10", "topic", "a · b → c", "d → e", "why · not")
    assert change_of(change_line(change)) == RecordChange(
        "2026-02-10", "topic", "a - b -> c", "d -> e", "why - not"
    )
    assert change_of("2026-02-10 we talked about it") == RecordChange(
        "", reason="2026-02-10 we talked about it"
    )
    assert change_of("- agreed") == RecordChange("", reason="agreed")


def test_json_of_seed_001_is_read_and_written() -> None:
    found = record_from_json(DECISION)
    assert found.record is not None
    assert not found.faults
    assert not faults_of(found.record)
    assert found.record.items("alternatives") == ("cookies — rejected: they hold state",)
    assert found.common.id == "use-jwt"
    assert found.common.times_updated == 1
    told = replace(
        memory_with(found.record), aliases=("use-jwt",), created=found.common.created,
        confidence=0.9, sections=(
            *memory_with(found.record).sections, ("Changes", changes_text(found.common.changes)),
        ),
    )  # fmt: skip
    again = record_json(told, updated="2026-02-10T10:00:00Z", times_updated=1)
    assert again | {"content": {**DECISION["content"]}} == DECISION  # type: ignore[dict-item]
    kept = {key: value for key, value in DECISION["content"].items() if value}  # type: ignore[attr-defined]
    assert again["content"] == kept


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (changed(rationale="stateless"), "rationale"),
        (changed(rationale=["stateless", 3]), "rationale"),
        (changed(context=["a"]), "context"),
        (changed(alternatives=[{"option": "a", "why": "b"}]), "alternatives.why"),
        (changed(alternatives=[7]), "alternatives"),
        (changed(mood="good"), "mood"),
        (DECISION | {"colour": "red"}, "colour"),
        (DECISION | {"category": "poem"}, "category"),
        (DECISION | {"category": None}, "category"),
        (DECISION | {"schema_version": "2.0"}, "schema_version"),
        (DECISION | {"id": "../index"}, "id"),
        (DECISION | {"id": "nul"}, "id"),
        (DECISION | {"created_at": "2026-02-30"}, "created_at"),
        (DECISION | {"created_at": 7}, "created_at"),
        (DECISION | {"record_status": "gone"}, "record_status"),
        (DECISION | {"confidence": "high"}, "confidence"),
        (DECISION | {"confidence": float("nan")}, "confidence"),
        (DECISION | {"confidence": True}, "confidence"),
        (DECISION | {"tags": "auth"}, "tags"),
        (DECISION | {"content": None}, "content"),
        (DECISION | {"content": [1]}, "content"),
        (DECISION | {"changes": [1]}, "changes"),
        (DECISION | {"changes": [{"date": "soon", "summary": "x"}]}, "changes.date"),
        (DECISION | {"times_updated": -1}, "times_updated"),
    ],
)
def test_what_is_no_record_is_named(data: dict[str, Any], field: str) -> None:
    assert field in [one.field for one in record_from_json(data).faults]


def test_a_value_without_limits_is_moved_into_them() -> None:
    most = record_from_json(DECISION | {"confidence": 10**400})
    assert most.record is not None
    assert most.record.confidence == 1.0
    many = [{"date": "2026-02-10", "summary": str(number)} for number in range(70)]
    kept = record_from_json(DECISION | {"changes": many}).common.changes
    assert [one.reason for one in kept] == [str(number) for number in range(20, 70)]
    assert len(kept) == CHANGES_MOST


def test_a_runbook_of_seed_001_leads_with_its_trigger() -> None:
    runbook = {
        "category": "runbook", "title": "Pool", "tags": ["db"],
        "content": {
            "trigger": "The pool is exhausted.\n\nAll workers wait.", "steps": ["restart"],
            "verification": "it answers",
        },
    }  # fmt: skip
    found = record_from_json(runbook).record
    assert found is not None
    assert found.statement == "The pool is exhausted."
    assert content_json(found) == runbook["content"]
    own = record_from_json(runbook | {"content": {"summary": "Restart it", "trigger": "Pool"}})
    assert own.record is not None
    assert content_json(own.record) == {"summary": "Restart it", "trigger": "Pool"}


def test_examples_of_a_preference_stand_within_one_object() -> None:
    content = {
        "topic": "commits", "value": "small ones", "strength": "strong", "reason": "review",
        "examples": {"prefer": ["one subject"], "avoid": []},
    }  # fmt: skip
    found = record_from_json({"category": "preferences", "content": content})
    assert not found.faults
    assert found.record is not None
    assert content_json(found.record) == content
    wrong = record_from_json({"content": {"examples": {"like": []}}}, "preference")
    assert [one.field for one in wrong.faults] == ["examples.like"]


@examples(100)
@given(
    st.dictionaries(
        st.sampled_from([*DECISION, "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=8), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    ),
    st.sampled_from(["", *SCHEMA_TABLE]),
)
def test_any_object_is_read_without_an_error(data: dict[str, Any], schema: str) -> None:
    found = record_from_json(data, schema)
    assert found.record is not None or found.faults
