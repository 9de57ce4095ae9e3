"""What a model states -> whether the conversation it read supports it.

Every number stands in what the model was shown, dates in brackets aside, and none stands in the
place of another one of the quoted sentence, or has another unit; no two names or numbers change
places, and no condition is left out; text and quoted sentence agree in what they deny; a third of
the words that say something stand in what was shown. Between two languages words are not counted,
but something has to be in common. Whether a statement takes up the very words that it quotes is for
admission to say, and whose words those are for `voice`. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from engram.language.denial import is_turned
from engram.language.numerals import (
    Number,
    has_other_numbers,
    is_number,
    number_words_of,
    numbers_of,
    values_of,
)
from engram.language.same_language import same_language
from engram.language.supported import LINK
from engram.language.swapped import is_reversed
from engram.language.when import find_times
from engram.language.wording import beginnings
from engram.model.candidate import Support
from engram.model.instant import Day

#: so much of a sentence is read: a page may be one
_MOST_READ = 4_000
#: this share of a statement's words stands in the conversation
_LEAST_SHARE = 3
_DATED = re.compile(r"\([^()]*\d{4}[^()]*\)")
#: how a sentence begins that holds under a condition, or is a wish
_CONDITION = re.compile(
    r"\W*(?:(?:and|but|so) )?"
    r"(?:if (?!(?:you|possible|so|not|needed|i)\b)|i wish\b|if only\b|suppose\b|falls )"
    r"|.*\bonly if\b",
    re.IGNORECASE | re.DOTALL,
)
_CONDITIONAL = re.compile(
    r"\b(?:if|when\w*|once|unless|case|until|after|as soon|would|wish\w*|falls|wenn|sobald)\b",
    re.IGNORECASE,
)
#: a number with a unit of time, and of size
_MEASURES = tuple(
    re.compile(rf"\b(?P<number>\d[\d.,]*|[a-z]+(?=[ -]))[ -]?(?:{units})\b")
    for units in (
        "(?P<ms>ms|millise\\w+)|(?P<s>s|secs?|seconds?|sekunden?)|(?P<min>mins?|minutes?|minuten)"
        "|(?P<h>h|hrs?|hours?|stunden?)|(?P<d>days?|tage?n?)|(?P<w>weeks?|wochen?)"
        "|(?P<mon>months?|monate?n?)|(?P<y>years?|jahre?n?)",
        "(?P<kb>ki?b)|(?P<mb>mi?b)|(?P<gb>gi?b)|(?P<tb>ti?b)",
    )
)


class Shown:
    """What a model was shown: messages, known memories, what was said before."""

    def __init__(self, texts: Iterable[str], days: Iterable[Day]) -> None:
        self._texts = "\n".join(texts)
        self._years = {day[:4] for day in days}

    @cached_property
    def _values(self) -> set[str]:
        return values_of(self._texts) | self._years

    @cached_property
    def _beginnings(self) -> set[str]:
        return set(beginnings(self._texts))

    def supports(self, text: str, sentence: str, day: Day) -> Support:
        """How far a statement is supported that rests on a sentence, said on a day."""
        sentence = sentence[:_MOST_READ]
        stated = {word for word in beginnings(text) if not word.isdigit()}
        common = len(stated & self._beginnings)
        same = same_language(text, sentence)
        if any(link not in self._texts for link in LINK.findall(text)):
            return "none"
        if same and _LEAST_SHARE * common < len(stated):
            return "none"
        turned = same and is_turned(text, sentence)
        invented = self._has_other_numbers(text, sentence, day)
        if turned and invented:
            return "none"
        unlike = bool(stated) and not common and not self._has_number_of(text)
        changed = unlike or is_reversed(text, sentence) or _drops_condition(text, sentence)
        return "doubted" if turned or invented or changed else "full"

    def _has_other_numbers(self, text: str, sentence: str, day: Day) -> bool:
        """Whether a number of a statement was never shown, or replaces one of its sentence."""
        text = _DATED.sub(" ", text)
        counted = list(number_words_of(text))
        if not (counted or any(map(str.isdigit, text))):
            return False
        spans = [(span.start, span.end) for span in find_times(sentence, day)]
        for span in find_times(text, day):
            if (span.start, span.end) in [*spans, (day, day)]:
                text = text.replace(span.expression, " ")
        told = list(numbers_of(text))
        days = (one for span in spans for one in span)
        known = self._values | {part.lstrip("0") for one in days for part in one.split("-")}
        if has_other_numbers(text, known):
            return True
        said, stated = values_of(sentence), values_of(text)
        if _has_other_unit(text, sentence):
            return True
        heard = (*numbers_of(sentence), *number_words_of(sentence))
        things = {one.unit.casefold() for one in heard} - {""}
        if any(one.unit.casefold() in things and not one.said & said for one in counted):
            return True
        left_out = (one for one in numbers_of(sentence) if not one.called & stated)
        units = {_unit(one) for one in left_out} - {""}
        return any(_unit(number) in units and not number.said & said for number in told)

    def _has_number_of(self, text: str) -> bool:
        return any(number.said & self._values for number in numbers_of(text))


def _unit(number: Number) -> str:
    """How the word behind a number begins: s, sec and seconds are no three units."""
    return number.unit[:1].casefold() if number.unit.isascii() else number.unit[:1]


def _drops_condition(text: str, sentence: str) -> bool:
    """Whether what was said of a condition, or as a wish, is told as a fact."""
    return _CONDITION.match(sentence) is not None and _CONDITIONAL.search(text) is None


def _measures(text: str) -> Iterator[tuple[int, str, str]]:
    """Each measure of a text: whether it is of time or size, its number, its unit."""
    for family, measure in enumerate(_MEASURES):
        for found in measure.finditer(text.casefold()):
            if is_number(found["number"]) and found.lastgroup:
                yield family, found["number"], found.lastgroup


def _has_other_unit(text: str, sentence: str) -> bool:
    """Whether a number that was said with one unit of time or of size is told with another one."""
    said = set(_measures(sentence))
    numbers = {(family, number) for family, number, _ in said}
    return any(one[:2] in numbers and one not in said for one in _measures(text))
