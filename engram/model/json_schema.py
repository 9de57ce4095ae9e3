"""JSON Schema of a record in seed 001's JSON form, made from the one table (`model/schemas`).

`json_schema` gives the whole file: the common fields and `content`; `content_schema` the half that
a schema's own fields make, which a model's answer is shaped by too. What is optional may be null or
missing, for programs write both. Pure; `docs/schemas` holds the result.
"""

from __future__ import annotations

from typing import Any

from engram.model.record_json import VERSION
from engram.model.schemas import (
    CHANGES_MOST,
    ITEMS_MOST,
    TAGS_MOST,
    TEXT_MOST,
    TITLE_MOST,
    Schema,
    SchemaField,
)

#: one JSON Schema, or a part of one
JsonSchema = dict[str, Any]

#: `record_status`: the system's state of a record, beside what its content says of itself
RECORD_STATUSES = ("active", "retired", "archived")
#: characters of a reason, and of the summary of a change
REASON_MOST = 300
#: what an id of that form looks like: the record's slug
SLUG = r"^[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?$"
#: the two halves of an alternative
OPTION, REASON = "option", "rejected_reason"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(schema: Schema) -> JsonSchema:
    """The JSON Schema of a record's file."""
    return {
        "$schema": _DIALECT,
        "$id": f"{schema.seed_name}.json",
        "title": schema.seed_name,
        "description": schema.meaning,
        "type": "object",
        "properties": {
            "schema_version": {"const": VERSION},
            "category": {"const": schema.seed_name},
            "id": {
                "type": "string", "pattern": SLUG,
                "description": "the slug: the name of the file without .json",
            },
            "title": _text(TITLE_MOST, "a short name", least=1),
            "created_at": _time("when it was first known"),
            "updated_at": _time("when it was last changed"),
            "tags": _list(_text(TITLE_MOST), TAGS_MOST, "words it is found by", least=1),
            "related_files": _optional(
                _list(_text(TEXT_MOST), ITEMS_MOST, "paths in the project, relative to its root")
            ),
            "confidence": _optional({
                "type": "number", "minimum": 0, "maximum": 1, "description": "how sure it is",
            }),
            "record_status": _optional({
                "enum": list(RECORD_STATUSES), "default": RECORD_STATUSES[0],
                "description": "whether it is in use",
            }),
            "changes": _optional(_list(_change(), CHANGES_MOST, "what was changed, oldest first")),
            "times_updated": _optional({
                "type": "integer", "minimum": 0, "default": 0,
                "description": "how often it was updated",
            }),
            "retired_at": _optional(_time("when it was taken out of use")),
            "retired_reason": _optional(_text(REASON_MOST, "why it was taken out of use")),
            "archived_at": _optional(_time("when it was put away")),
            "archived_reason": _optional(_text(REASON_MOST, "why it was put away")),
            "content": content_schema(schema),
        },
        "required": [
            "schema_version", "category", "id", "title", "created_at", "updated_at", "tags",
            "content",
        ],
        "additionalProperties": False,
    }  # fmt: skip


def content_schema(schema: Schema) -> JsonSchema:
    """The JSON Schema of a record's `content`: the fields of its schema, by seed 001's names."""
    properties: JsonSchema = {}
    required: list[str] = []
    for one in schema.fields:
        if one.within:
            held = properties.setdefault(one.within, _optional(_object({}, [])))
            held["properties"][one.name] = _optional(_field(schema, one))
        else:
            wanted = _always(schema, one) and not is_ours(schema, one)
            properties[one.name] = _field(schema, one) if wanted else _optional(_field(schema, one))
            required += [one.name] if wanted else []
    return _object(properties, required)


def is_ours(schema: Schema, field: SchemaField) -> bool:
    """Whether a field is none of seed 001's: a runbook is led by a summary of its trigger."""
    return schema.name == "runbook" and field is schema.statement


def _always(schema: Schema, field: SchemaField) -> bool:
    """Whether seed 001 requires a field: of a session also the lists that may be empty."""
    return field.required or (schema.name, field.name) in _PRESENT


#: lists that seed 001 wants to be there, though nothing need be in them
_PRESENT = frozenset([("session", "completed"), ("session", "next_actions")])


def _field(schema: Schema, field: SchemaField) -> JsonSchema:
    if field.kind == "switch":
        return {
            "type": "boolean", "default": field.default == "true", "description": field.meaning,
        }  # fmt: skip
    if field.choices:
        chosen: JsonSchema = {"enum": list(field.choices)}
        if field.default:
            chosen["default"] = field.default
        return chosen | {"description": field.meaning}
    if field.kind == "pairs":
        pair = {
            OPTION: _text(TEXT_MOST, "what else could be done", least=1),
            REASON: _text(TEXT_MOST, "why it was rejected"),
        }
        return _list(_object(pair, [OPTION, REASON]), ITEMS_MOST, field.meaning)
    if field.is_list:
        least = int(field.required)
        return _list(_text(TEXT_MOST, least=1), ITEMS_MOST, field.meaning, least=least)
    return _text(TEXT_MOST, field.meaning, least=int(_always(schema, field)))


def _change() -> JsonSchema:
    value = {"type": ["string", "number", "boolean", "array", "object", "null"]}
    properties = {
        "date": _time("when"),
        "summary": _text(REASON_MOST, "what was changed, or why"),
        "field": _optional(_text(TITLE_MOST, "the field that was changed")),
        "old_value": value | {"description": "its value before"},
        "new_value": value | {"description": "its value since"},
    }
    return _object(properties, ["date", "summary"])


def _text(most: int, meaning: str = "", least: int = 0) -> JsonSchema:
    made: JsonSchema = {"type": "string", "maxLength": most}
    if least:
        made["minLength"] = least
    return made | ({"description": meaning} if meaning else {})


def _time(meaning: str) -> JsonSchema:
    return {"type": "string", "format": "date-time", "description": meaning}


def _list(item: JsonSchema, most: int, meaning: str, least: int = 0) -> JsonSchema:
    made: JsonSchema = {"type": "array", "items": item, "maxItems": most}
    if least:
        made["minItems"] = least
    return made | {"description": meaning}


def _object(properties: JsonSchema, required: list[str]) -> JsonSchema:
    made: JsonSchema = {"type": "object", "properties": properties}
    if required:
        made["required"] = required
    return made | {"additionalProperties": False}


def _optional(schema: JsonSchema) -> JsonSchema:
    """The same where null means that nothing is said."""
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    return schema | {"type": [schema["type"], "null"]}
