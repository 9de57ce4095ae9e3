"""The published JSON schemas say what the table of records says, and seed 001's form of it."""

from __future__ import annotations

import json

import pytest

from engram.model.json_schema import JsonSchema, content_schema, json_schema
from engram.model.record_json import VERSION
from engram.model.schemas import CHANGES_MOST, ITEMS_MOST, SCHEMA_TABLE, TITLE_MOST
from tests.schema_files import differing, schema_files

#: seed 001's fields of `content`, those that it requires first (specs of that form)
CONTENT = {
    "session_summary": (
        "goal outcome completed next_actions", "in_progress blockers key_changes",
    ),
    "decision": ("status context decision rationale", "alternatives consequences"),
    "runbook": ("trigger steps verification", "summary symptoms root_cause environment"),
    "constraint": ("kind rule impact severity active", "workarounds expires"),
    "tech_debt": (
        "status priority description reason_deferred",
        "impact suggested_fix acceptance_criteria",
    ),
    "preference": ("topic value reason strength", "examples"),
}  # fmt: skip


def _allows_null(schema: JsonSchema) -> bool:
    return None in schema.get("enum", ()) or "null" in schema.get("type", ())


def test_schema_files_equal_what_the_table_makes() -> None:
    assert differing() == [], "python -m tests.schema_files --write"
    assert {name.removesuffix(".json") for name in schema_files()} == CONTENT.keys()


@pytest.mark.parametrize("name", SCHEMA_TABLE)
def test_content_has_the_fields_of_seed_001_and_optional_ones_may_be_null(name: str) -> None:
    schema = SCHEMA_TABLE[name]
    made = content_schema(schema)
    required, optional = (text.split() for text in CONTENT[schema.seed_name])
    assert sorted(made["required"]) == sorted(required)
    assert sorted(made["properties"]) == sorted(required + optional)
    assert made["additionalProperties"] is False
    for field in required:
        assert not _allows_null(made["properties"][field]), field
    for field in optional:
        assert _allows_null(made["properties"][field]), field


@pytest.mark.parametrize("name", SCHEMA_TABLE)
def test_limits_choices_and_meanings_come_from_the_table(name: str) -> None:
    schema = SCHEMA_TABLE[name]
    made = json_schema(schema)
    common = made["properties"]
    assert common["title"]["maxLength"] == TITLE_MOST
    assert common["changes"]["maxItems"] == CHANGES_MOST
    assert common["schema_version"] == {"const": VERSION}
    assert common["category"] == {"const": schema.seed_name}
    fields = common["content"]["properties"]
    for one in schema.fields:
        found = (fields[one.within]["properties"] if one.within else fields)[one.name]
        assert found["description"] == one.meaning
        if one.is_list:
            assert found["maxItems"] == ITEMS_MOST
        if one.kind == "choice":
            assert [value for value in found["enum"] if value is not None] == list(one.choices)


def test_alternatives_are_objects_and_active_is_a_boolean() -> None:
    pair = content_schema(SCHEMA_TABLE["decision"])["properties"]["alternatives"]["items"]
    assert pair["required"] == ["option", "rejected_reason"]
    active = content_schema(SCHEMA_TABLE["constraint"])["properties"]["active"]
    assert active["type"] == "boolean"
    assert json.loads(schema_files()["constraint.json"])["$id"] == "constraint.json"
