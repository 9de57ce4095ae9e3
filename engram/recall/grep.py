"""A person's regular expression and a text -> the lines that match, and where in them.

Guarantees that matching ends soon: the time that it may take is proportional to the text, and of
each line only the first 10,000 characters are looked at. Raises BadInput for what is no regular
expression, for one that is absurdly long and for one that takes too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engram.language.timed_pattern import TimedPattern, TimeLimit
from engram.model.errors import BadInput

MAX_PATTERN = 1_000
MAX_LINE = 10_000
#: A line with more matches than this is shown with these.
MAX_SPANS = 200
#: The seconds that a search may match at a stretch, and what each character that it reads gives
#: back of them: honest patterns take a twentieth of that, so that a vault of any size can be read.
#: A line counts for a few characters more than it has.
MATCHING_SECONDS = 2.0
_SECONDS_A_CHARACTER = 1e-6
_LINE_END = 10


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A matching line: its 1-based number, its (cut) text, and (start, end) offsets in that."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...]


class LineSearch:
    """One search, through as many texts as it is given."""

    def __init__(self, regex: str, *, ignore_case: bool = False) -> None:
        if len(regex) > MAX_PATTERN:
            raise BadInput(
                f"the pattern is longer than {MAX_PATTERN} characters",
                "search for a part of it, or use `engram search`",
            )
        self._pattern = TimedPattern(regex, ignore_case=ignore_case)
        self._limit = TimeLimit(MATCHING_SECONDS)

    def lines(self, text: str) -> Iterator[MatchingLine]:
        """The lines of `text` that match, in order; `\\n` and `\\r\\n` end a line.

        An empty match (`x*`) makes a line match and has no span.
        """
        for number, line in enumerate(text.split("\n"), start=1):
            shown = line[:MAX_LINE].removesuffix("\r")
            given = (len(shown) + _LINE_END) * _SECONDS_A_CHARACTER
            self._limit.left = min(self._limit.left + given, MATCHING_SECONDS)
            spans = self._pattern.spans(shown, self._limit, MAX_SPANS)
            if spans is not None:
                yield MatchingLine(number, shown, spans)
