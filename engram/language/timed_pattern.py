"""A user's regular expression, matched within a time limit.

A backtracking engine can need longer than the universe for a pattern of a few characters on one
line of text; `regex` stops after a given time. It is imported with the first such pattern, because
that import takes 25 ms. The syntax is that of Python's `re`.

Raises BadInput for what is no regular expression, and for a pattern whose time is used up.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from time import perf_counter

from engram.model.errors import BadInput


@dataclass(slots=True)
class TimeLimit:
    """The seconds that are left for all matching under this limit."""

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
                self._compiled = regex.compile(text, regex.IGNORECASE if ignore_case else 0)
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
        matches, begun = False, perf_counter()
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
        limit.left -= perf_counter() - begun
        return tuple(spans) if matches else None
