"""Plain view: nested data -> one `key: value` a line, without brackets (Studio, seed 002).

    {"policy": {"profile": False}, "recalled": [{"id": "a"}]}
        ->  policy.profile: false
            recalled.count: 1
            recalled.1.id: a

Keys are sorted, nested ones joined by dots, list entries counted from 1; an empty object has no
line, an empty list its count. Line breaks and tabs inside a text are escaped: one value is one
line. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

_ESCAPED = str.maketrans({"\r": "\\r", "\n": "\\n", "\t": "\\t"})


def plain_view(value: object) -> str:
    """The lines of a value, without an end of the last; empty for an empty object."""
    return "\n".join(_lines("", value))


def _lines(prefix: str, value: object) -> Iterator[str]:
    dot = f"{prefix}." if prefix else ""
    if isinstance(value, Mapping):
        for key in sorted(value):
            yield from _lines(f"{dot}{key.translate(_ESCAPED)}", value[key])
    elif isinstance(value, list | tuple):
        yield f"{dot}count: {len(value)}"
        for number, one in enumerate(value, 1):
            yield from _lines(f"{dot}{number}", one)
    else:
        said = value.translate(_ESCAPED) if isinstance(value, str) else json.dumps(value)
        yield f"{prefix or 'value'}: {said}"
