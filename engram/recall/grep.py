"""A person's regular expression and a text -> the lines that match, and where in them.

Guarantees that matching ends soon: a pattern that the judge finds explosive is refused before it is
tried, and of each line only the first 10,000 characters are looked at, which bounds what the judge
lets pass. Raises BadInput for a refused pattern and for what is no regular expression.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engram.model.errors import BadInput

MAX_PATTERN = 1_000
MAX_LINE = 10_000
#: A line with more matches than this is shown with these.
MAX_SPANS = 200

#: Pattern -> why it could take exponential time, or nothing. Raises re.error when it is none.
Judge = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A matching line: its 1-based number, its (cut) text, and (start, end) offsets in that."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...]


def compile_pattern(text: str, judge: Judge, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The pattern that a person wrote; raises BadInput, with a hint, when it cannot be used."""
    if len(text) > MAX_PATTERN:
        raise BadInput(
            f"the pattern is longer than {MAX_PATTERN} characters",
            "search for a part of it, or use `engram search`",
        )
    try:
        with warnings.catch_warnings():
            # a pattern that a later Python will read differently is not wrong today
            warnings.simplefilter("ignore")
            reason = judge(text)
            pattern = re.compile(text, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadInput(
            f"not a regular expression: {error}",
            r"escape what is meant as it stands: \( \[ \. \* \+ \?",
        ) from error
    if reason:
        raise BadInput(f"the pattern could take for ever: {reason}", "write it more plainly")
    return pattern


def matching_lines(pattern: re.Pattern[str], text: str) -> Iterator[MatchingLine]:
    """The lines of `text` that the pattern matches, in order; `\\n` and `\\r\\n` end a line.

    An empty match (`x*`) makes a line match and has no span.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        shown = line[:MAX_LINE].removesuffix("\r")
        found = pattern.search(shown)
        if found is not None:
            yield MatchingLine(number, shown, _spans(pattern, shown))


def _spans(pattern: re.Pattern[str], line: str) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for match in pattern.finditer(line):
        if match.end() > match.start():
            spans.append(match.span())
        if len(spans) == MAX_SPANS:
            break
    return tuple(spans)
