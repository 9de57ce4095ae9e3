"""One JSON document in a stream -> its value, or None and a count.

For files that are rewritten as a whole: they are read from the start each time. The document is
held in memory, so one of more bytes than a line may have is counted and skipped. A byte order mark
and zero bytes around it are no part of it, other objects glued on behind it are. What is torn,
because it is just being written, is counted: the next reading finds it whole.
"""

from __future__ import annotations

import json
import re
from typing import BinaryIO

from engram.model.ports import SourceReading

_GAP = re.compile(r"[\s\0\ufeff]*")
_decode = json.JSONDecoder().raw_decode


def documents(stream: BinaryIO, reading: SourceReading, most: int) -> list[object]:
    """The JSON values of a stream, one as a rule; counts what is too long, torn or no JSON."""
    if stream.seekable():
        stream.seek(0)
    data = stream.read(most + 1)
    if len(data) > most:
        reading.tally.unparsed_lines += 1
        return []
    values, whole = _values(data.decode("utf-8", "replace"))
    reading.tally.unparsed_lines += not whole
    return values


def _values(text: str) -> tuple[list[object], bool]:
    found: list[object] = []
    at = _behind_gap(text, 0)
    while at < len(text):
        try:
            value, at = _decode(text, at)
        except (ValueError, RecursionError):
            return found, False
        found.append(value)
        at = _behind_gap(text, at)
    return found, True


def _behind_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def decoded(column: object) -> object:
    """The value of a database column that holds JSON; None for what is none."""
    text = column.decode("utf-8", "replace") if isinstance(column, bytes) else column
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> dict[str, object]:
    """A JSON object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[object]:
    """A JSON array, or an empty one in place of anything else."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A JSON string, or an empty one in place of anything else."""
    return value if isinstance(value, str) else ""
