"""Row bodies: a value of the model <-> one JSON text.

Memories, boxes and entities are decoded equal to what was put, tuples included. Field names are not
written: a catalog of another shape has another schema version, and is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.memory import Memory

Kept = TypeVar("Kept", Memory, Box, Entity)


def _shape(kind: type[Memory | Box | Entity]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of its fields, and the indexes of those that are tuples."""
    names = fields(kind)
    return (
        tuple(field.name for field in names),
        tuple(place for place, one in enumerate(names) if str(one.type).startswith("tuple")),
    )


_SHAPES = {kind.__name__: _shape(kind) for kind in (Memory, Box, Entity)}
#: without the check for spaces around: a body is exactly what was encoded
_decoded = json.JSONDecoder().raw_decode


def encode(value: Memory | Box | Entity) -> str:
    """The value as a row's `body`."""
    names, _ = _SHAPES[type(value).__name__]
    return json.dumps([getattr(value, name) for name in names], separators=(",", ":"))


def decode(kind: type[Kept], body: str) -> Kept:
    """The value of that kind that a row's `body` holds."""
    _, tuples = _SHAPES[kind.__name__]
    values: list[Any] = _decoded(body)[0]
    for place in tuples:
        values[place] = _items(values[place]) if values[place] else ()
    return kind(*values)


def _items(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in values)
