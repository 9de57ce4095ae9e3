"""Support: a text that a model wrote, and the words it wrote it from -> what of it they do not say.

    "Mara leads finance since 2024."   from "Mara Holt leads finance."   the number 2024
    "Peter leads finance."             from "Mara Holt leads finance."   the name Peter
    "Mara no longer leads finance."    from "Mara Holt leads finance."   the negation

A name is a word with a capital that does not begin its sentence, and the subject that begins one;
German writes every noun so, and has none. Time grows with both texts. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.language.changes import changes_of
from engram.language.denial import denies, is_turned
from engram.language.numerals import has_other_numbers, number_words_of, values_of
from engram.language.same_language import same_language
from engram.language.stop_words import TAG, is_german
from engram.language.swapped import is_reversed
from engram.language.tokens import terms
from engram.language.wording import beginnings
from engram.model.sentences import sentences_of

_DATE = re.compile(r"\b\d{4}-(\d\d)(?:-\d\d)?\b")
#: share of its content words that a text, and each of its sentences, must have been given
LEAST_SHARED, LEAST_A_SENTENCE = 0.5, 0.3
_WORD = re.compile(r"[^\W_]+(?:['’.&+#/_-][^\W_]+)*")
_OWNER = re.compile(r"['’]s?$")
_NO_SUBJECT = re.compile(r"(?:ly|ing|ed)$")
_NO_NAMES = TAG - {*WEEKDAYS, *MONTHS} | {"may"}
#: how a line is marked that holds no longer
_ENDED = re.compile(r"\((?:superseded|expired|retired|archived)\)")
#: what stands in place of the denied
_SET_RIGHT = re.compile(r"\b(?:sondern|but|sino)\b", re.IGNORECASE)
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
#: a path, a file, a flag, an identifier, what stands in back-ticks
PATH = re.compile(
    r"(?<![\w/.])(?:~|\.{1,2})?/[\w.@/*-]*\w|\b[\w.@-]+(?:/[\w.@*-]+){2,}"
    r"|\b[\w-]{2,}/[\w/-]*\.[a-z]\w{0,4}\b|\b[\w-]{2,}\.[a-z]{1,5}\b(?!\()"
    r"|(?<![\w-])--[a-z][\w-]+|\b[A-Za-z]\w*_\w+\b|\b[a-z]+[A-Z]\w+\b|`[^`\n]{2,80}`"
)
LINK = re.compile(r"\w+://[^\s()\[\]<>]*[^\s()\[\]<>.,;:!?'\"`]")


def shared_words(text: str, given: str) -> float:
    """The share of a text's content words that the given words have too, 0..1; 1 without any."""
    said = set(beginnings(text))
    return len(said.intersection(beginnings(given))) / len(said) if said else 1.0


def new_names(text: str, given: str) -> set[str]:
    """The names in a text that the given words do not have; none where nouns have capitals."""
    if is_german(given):
        return set()
    known = set(terms(given)) | _months(given)
    begun = set(beginnings(given))
    return {
        name
        for name, leads in _names(text)
        if not known.intersection(terms(name))
        # "Verification takes 2 ms" of "verifying took 2 ms": no name, but the subject
        and not (leads and begun.intersection(beginnings(name)))
    }


def unsupported(text: str, given: Sequence[str]) -> str:
    """Why a text is not to be believed to say what these lines say, as a code; '' when it may be.

    One sentence without support is enough: whoever invents once is not believed in the rest.
    """
    everything = "\n".join(given)
    if not same_language(text, everything):
        return "language"
    values = values_of(everything)
    counted = (one for one in number_words_of(text) if one.said.isdisjoint(values))
    if has_other_numbers(text, values) or any(counted):
        return "number"
    if any(link not in everything for link in LINK.findall(text)):
        return "link"
    if any(is_reversed(text, line) for line in given):
        return "roles"
    if new_names(text, everything):
        return "name"
    sentences = sentences_of(text)
    shares = [shared_words(one, everything) for one in sentences]
    if shared_words(text, everything) < LEAST_SHARED or min(shares, default=1) < LEAST_A_SENTENCE:
        return "words"
    denied = "\n".join(one for line in given for one in _over_in(line))
    alone = (one for one in sentences if denies(one) and not _shares_any(one, denied))
    if any(alone) or any(_drops_denial(one, given) for one in sentences):
        return "negation"
    return ""


def _drops_denial(text: str, given: Sequence[str]) -> bool:
    """Whether a sentence says what a line denies, and no other line says more of it."""
    if denies(text):
        return False
    turned, others = [0.0], [0.0]
    for line in given:
        denied = is_turned(text, line) and not _SET_RIGHT.search(line)
        (turned if denied else others).append(shared_words(text, line))
    return max(turned) > 0 and max(turned) >= max(others)


def _over_in(line: str) -> list[str]:
    """The sentences of a line that deny something, or tell of something that is left behind."""
    told = sentences_of(line)
    if _ENDED.search(line):
        return told
    return [one for one in told if denies(one) or any(changes_of(one))]


def _shares_any(text: str, given: str) -> bool:
    return bool(given) and shared_words(text, given) >= LEAST_A_SENTENCE


def _months(text: str) -> set[str]:
    """The terms of the months that a text names as numbers."""
    numbers = {int(month) for month in _DATE.findall(text)}
    return {term for number in numbers if 0 < number <= 12 for term in terms(MONTHS[number - 1])}


def _names(text: str) -> Iterator[tuple[str, bool]]:
    """The names in a text, and whether they begin a sentence."""
    for sentence in sentences_of(text):
        found = [_OWNER.sub("", word) for word in _WORD.findall(sentence)]
        for place, word in enumerate(found):
            if not word[:1].isupper() or word.casefold() in _NO_NAMES:
                continue
            if place or _is_subject(word, found[1:2]):
                yield word, not place


def _is_subject(word: str, behind: list[str]) -> bool:
    """Whether the first word of a sentence can be a name: no adverb, and no plural."""
    plural = word.endswith("s") and not (behind and behind[0].endswith("s"))
    return not plural and _NO_SUBJECT.search(word) is None
