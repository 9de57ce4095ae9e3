"""Output of the qmd commands: data on stdout, messages on stderr, and how a command ends.

On a terminal control characters are made harmless; anywhere else every byte is as qmd prints it,
because programs compare it.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys


class Ended(Exception):
    """End of a command with an exit code; its lines go to stderr."""

    def __init__(self, code: int, *lines: str) -> None:
        super().__init__(*lines)
        self.code = code
        self.lines = lines


def say(text: str = "") -> None:
    """A line of data."""
    sys.stdout.write(_shown(text, sys.stdout.isatty()) + "\n")


def tell(text: str) -> None:
    """A line of messages, after the data that was printed before it."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.write(_shown(text, sys.stderr.isatty()) + "\n")
        sys.stderr.flush()


def as_json(data: object) -> str:
    """JSON as JavaScript prints it: two blanks a level, whole numbers without a point."""
    return json.dumps(_whole(data), ensure_ascii=False, indent=2)


def csv_cell(value: str) -> str:
    """A CSV cell, quoted if needed."""
    if any(sign in value for sign in ',"\n'):
        return '"' + value.replace('"', '""') + '"'
    return value


def fixed(number: float, digits: int) -> str:
    """A number with so many decimals, halves away from zero."""
    return f"{rounded(number, digits):.{digits}f}"


def rounded(number: float, digits: int) -> float:
    """A number of 0 or more, rounded as JavaScript does."""
    scale = 10.0**digits
    return float(math.floor(number * scale + 0.5) / scale)


def size_of(count: int) -> str:
    """`135 B`, `95.9 KB`, `1.2 MB`."""
    if count < 1024:
        return f"{count} B"
    number = float(count)
    for unit in ("KB", "MB"):
        number /= 1024
        if number < 1024:
            return f"{fixed(number, 1)} {unit}"
    return f"{fixed(number / 1024, 1)} GB"


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _shown(text: str, terminal: bool) -> str:
    if not terminal:
        return text
    from engram.model.display import plain

    return plain(text)
