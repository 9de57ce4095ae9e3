"""Row bodies: a value of the model <-> one JSON text.

Memories, boxes, entities and summaries are decoded equal to what was put, tuples and the lines of
summaries included. Field names are not written: a catalog of another shape has another schema
version, and is rebuilt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from operator import attrgetter
from typing import Any, TypeVar

from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.memory import Memory
from engram.model.summary import ReplacedFact, Summary, SummaryDecision, SummaryLine

Kept = TypeVar("Kept", Memory, Box, Entity, Summary)
_KINDS = (Memory, Box, Entity, Summary)
#: fields of a summary whose items are values themselves
_PARTS: dict[str, Callable[..., object]] = {
    "summary": SummaryLine, "facts": SummaryLine, "decisions": SummaryDecision,
    "replaced": ReplacedFact,
}  # fmt: skip


def _shape(kind: type[Memory | Box | Entity | Summary]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of its fields, and the indexes of those that are tuples."""
    names = fields(kind)
    return (
        tuple(field.name for field in names),
        tuple(place for place, one in enumerate(names) if str(one.type).startswith("tuple")),
    )


_SHAPES = {kind.__name__: _shape(kind) for kind in _KINDS}
_VALUES = {name: attrgetter(*names) for name, (names, _) in _SHAPES.items()}
#: without the check for spaces around: a body is exactly what was encoded
_encoded = json.JSONEncoder(separators=(",", ":"), default=astuple, check_circular=False).encode
_decoded = json.JSONDecoder().raw_decode


def encode(value: Memory | Box | Entity | Summary) -> str:
    """The value as a row's `body`."""
    return _encoded(_VALUES[type(value).__name__](value))


def decode(kind: type[Kept], body: str) -> Kept:
    """The value of that kind that a row's `body` holds."""
    names, tuples = _SHAPES[kind.__name__]
    values: list[Any] = _decoded(body)[0]
    for place in tuples:
        values[place] = _items(values[place]) if values[place] else ()
    if kind is Summary:
        for place in tuples:
            if made := _PARTS.get(names[place]):
                values[place] = tuple(made(*_items(item)) for item in values[place])
    return kind(*values)


def _items(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in values)
