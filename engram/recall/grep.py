"""A user's regular expression and a text -> the lines that match, and the offsets of the matches.

Guarantees that matching ends soon: its time limit is proportional to the text, and of each line
only the first 10,000 characters are searched. Raises BadInput for what is no regular expression,
for one of more than 1,000 characters and for one that takes too long.
"""

from __future__ import annotations

from collections.abc import Iterator

from engram.language.timed_pattern import TimedPattern, TimeLimit
from engram.model.errors import BadInput
from engram.model.hit import MatchingLine

MAX_PATTERN = 1_000
MAX_LINE = 10_000
#: A line with more matches than this is shown with these.
MAX_SPANS = 200
#: The time limit of a search in seconds of the processor, and what each character that is searched
#: adds to what is left of it: ordinary patterns take a twentieth of that, so that a vault of any
#: size can be searched. A line counts as its characters and a few more.
MATCHING_SECONDS = 1.0
_SECONDS_A_CHARACTER = 1e-6
_LINE_END = 10


class LineSearch:
    """One search, through as many texts as it is given."""

    def __init__(self, regex: str, *, ignore_case: bool = False) -> None:
        if len(regex) > MAX_PATTERN:
            raise BadInput(
                f"the pattern is longer than {MAX_PATTERN} characters",
                "search for a part of it, or use `engram search WORDS`",
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
