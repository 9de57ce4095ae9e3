"""The words around a time expression -> its role, and whether it lies ahead or back.

    "we ship by |Friday|"  deadline, ahead        "|on Friday| it broke"  point, back

Cues in the expression's own sentence count before those of the sentences around it, and the nearest
before it counts most. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from engram.language.irregular import PAST
from engram.model.time_span import Granularity, Role

if TYPE_CHECKING:
    from engram.language.calendar_spans import Days

#: how far from an expression prepositions and tense are looked for, characters
BEFORE, AFTER = 70, 40


class Reading(NamedTuple):
    """The days of an expression (first and last), how certain they are, and other readings.

    Without a `role` the words before the expression tell it; `rule` is the form's name.
    """

    days: Days
    granularity: Granularity = "day"
    confidence: float = 1.0
    also: tuple[Days, ...] = ()
    role: Role | None = None
    rule: str = ""


class TimeWords(NamedTuple):
    """One expression, the folded words before and after it, and the anchor's day.

    `read` resolves an expression within this one ("last month" of "the end of last month") and
    raises ValueError for none.
    """

    text: str
    before: str
    after: str
    today: date
    read: Callable[[str], Reading]

    @property
    def parts(self) -> list[str]:
        return re.findall(r"[a-z]+|\d+", self.text.casefold())


_DEADLINE = re.compile(
    r"\b(?:by|before|until|till|due(?: on| by|:)?|deadline(?:'?s| is| of|:)?) (?:the )?$"
)
_SINCE = re.compile(r"\b(?:since|as of|starting|from) (?:the )?$")
_AHEAD = re.compile(
    r"(?:\b(?:will|shall|going to|gonna|(?:need|have|has|want) to|must|let's|plan(?:ned|s)? to"
    r"|(?:re)?scheduled|slated|due|deadline|should|ships|launch(?:es)?|starts"
    r"|plans? for|planning|can't wait|looking forward|wanna|hoping to)|'ll)\b"
    r"|\b(?:planned|booked|postponed|delayed|moved|pushed|extended|set)(?: back)? (?:for|to) $"
)
#: without those that are more often another word ("a bit", "the ground")
_PAST_FORMS = {past for verb, past in PAST.items() if past != verb} - {"bit", "ground", "lay"}
_BACK = re.compile(
    rf"\b(?:(?!need)[a-z]{{2,}}ed|was|were|had|did|got|cut|{'|'.join(sorted(_PAST_FORMS))})\b"
)
#: what one does is arranged: "I'm heading to a reserve"
_ARRANGED = re.compile(
    r"\b(?:i['’]m|we['’]re|i am|we are) (?:\w+ )?"
    r"(?:going|heading|visiting|taking|meeting|flying|leaving|moving|starting|having|hosting)\b"
)
_SENTENCE_END = re.compile(r"[.!?\n]+(?:\s|$)")


def role_of(before: str) -> Role:
    """What the words before an expression make of it."""
    if _DEADLINE.search(before):
        return "deadline"
    return "since" if _SINCE.search(before) else "point"


def sentence_of(words: TimeWords) -> tuple[str, str]:
    """The words before and after, as far as their sentence goes."""
    ends = [match.end() for match in _SENTENCE_END.finditer(words.before)]
    end = _SENTENCE_END.search(words.after)
    return words.before[ends[-1] :] if ends else words.before, (
        words.after[: end.start()] if end else words.after
    )


def direction(words: TimeWords) -> int:
    """1 ahead, -1 back, 0 when neither the words before nor those after tell."""
    if (role := role_of(words.before)) != "point":
        return 1 if role == "deadline" else -1
    around = words.before, words.after
    own = sentence_of(words)
    return _told(*own) or (own != around and _told(*around)) or 0


def _told(before: str, after: str) -> int:
    ahead = max((match.end() for match in _AHEAD.finditer(before)), default=-1)
    back = max((match.end() for match in _BACK.finditer(before)), default=-1)
    if max(ahead, back) >= 0:
        return 1 if ahead >= back else -1
    if _AHEAD.search(after) or _ARRANGED.search(after) or _ARRANGED.search(before):
        return 1
    return -1 if _BACK.search(after) else 0


def nearest(words: TimeWords, candidates: list[Days]) -> Days:
    """Of the same date in several years or months (ascending), the one that is meant.

    Raises ValueError when there is none.
    """
    if len(candidates) == 1:
        return candidates[0]
    step = direction(words)
    ahead = [days for days in candidates if days[1] >= words.today]
    back = [days for days in candidates if days[0] <= words.today]
    if step > 0 and ahead:
        return ahead[0]
    if step < 0 and back:
        return back[-1]
    return min(candidates, key=lambda days: abs((days[0] - words.today).days))
