"""A user's regular expression, matched within a time limit.

A backtracking engine can need longer than the universe for a pattern of a few characters on one
line of text; `regex` stops after a given time, and lets other threads run meanwhile. It is imported
with the first such pattern, because that import takes 25 ms. The syntax is that of Python's `re`.

Raises BadInput for what is no regular expression, for one that repeats a part so often that already
compiling it would fill the memory (`(a{60000}){60000}`), and for a pattern whose time is used up.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]
from time import thread_time
from typing import Any

from engram.model.errors import BadInput

#: the least repeats of a pattern, written out; compiling takes a microsecond and 280 bytes of each
MAX_LENGTH = 10_000
#: what is a brace to `re` and the beginning of an approximate match to `regex`: `{e}`
_LONE_BRACE = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d+(?:,\d*)?\}|,\d*\})", re.DOTALL)
_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT, _parser.POSSESSIVE_REPEAT)


@dataclass(slots=True)
class TimeLimit:
    """The seconds of processor time that are left for all matching under this limit."""

    left: float


class TimedPattern:
    """One compiled pattern; `text` is its source."""

    def __init__(self, text: str, *, ignore_case: bool = False) -> None:
        import regex

        self.text = text
        try:
            with warnings.catch_warnings():
                # a pattern that a later Python will read differently is not wrong today
                warnings.simplefilter("ignore")
                re.compile(text)  # the messages of `re` are better known
                if _length(_parser.parse(text)) > MAX_LENGTH:
                    raise BadInput(
                        f"too large a pattern: it asks for more than {MAX_LENGTH:,} repeats",
                        "give smaller numbers in its braces, or + and *",
                    )
                plain = _LONE_BRACE.sub(lambda brace: brace[1] or r"\{", text)
                self._compiled = regex.compile(plain, regex.IGNORECASE if ignore_case else 0)
        except (re.error, regex.error, RecursionError, OverflowError) as error:
            raise BadInput(
                f"not a regular expression: {error}",
                r"escape what is meant as it stands: \( \[ \. \* \+ \?",
            ) from error

    def spans(self, line: str, limit: TimeLimit, most: int) -> tuple[tuple[int, int], ...] | None:
        """The first `most` (start, end) offsets that match; None for a line that does not match.

        An empty match (`x*`) makes a line match and has no span.
        """
        spans: list[tuple[int, int]] = []
        matches, begun = False, thread_time()
        try:
            for match in self._compiled.finditer(line, timeout=max(limit.left, 0.0)):
                matches = True
                if match.end() > match.start():
                    spans.append(match.span())
                if len(spans) == most:
                    break
        except TimeoutError as error:
            raise BadInput(
                f"{self.text!r} takes too long to match",
                "write it more plainly: repeat the outer or the inner part of (a+)+, not both",
            ) from error
        limit.left -= thread_time() - begun
        return tuple(spans) if matches else None


def _length(part: Any) -> int:
    """How many signs and groups a parsed pattern has with its least repeats written out."""
    total = 0
    for operation, operand in part:
        if operation in _REPEATS:
            least, _, repeated = operand
            total += max(least, 1) * _length(repeated)
        else:
            total += sum(map(_length, _parts(operand))) or 1
    return total


def _parts(operand: Any) -> list[Any]:
    """The parsed patterns in an operand: of a group, of a choice, of what is looked ahead for."""
    if isinstance(operand, _parser.SubPattern):
        return [operand]
    if isinstance(operand, tuple | list):
        return [part for one in operand for part in _parts(one)]
    return []
