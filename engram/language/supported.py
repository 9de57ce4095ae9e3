"""Support: a text that a model wrote, and the words it wrote it from -> what of it they do not say.

    "Mara leads finance since 2024."   from "Mara Holt leads finance."   the number 2024
    "Peter leads finance."             from "Mara Holt leads finance."   the name Peter
    "Mara no longer leads finance."    from "Mara Holt leads finance."   the negation

Numbers in figures are compared without leading zeros and marks of thousands; a date may be written
in another way, and what was given in words in figures. A name is a word with a capital that does
not begin its sentence, and the subject that begins one; German writes every noun so, and has none.
Words count by their stems, in every script. Time grows with both texts. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engram.language.calendar_words import MONTHS, WEEKDAYS
from engram.language.changes import changes_of
from engram.language.numerals import values_of
from engram.language.scripts import DENSE
from engram.language.sentences import sentences_of
from engram.language.stop_words import QUERY, TAG
from engram.language.tokens import telling_terms, terms
from engram.model.text import words

#: marks of thousands
_THOUSANDS = re.compile(r"(?<=\d)[,.' \u2019\u202f](?=\d{3}(?!\d))")
#: a digit between letters belongs to a name: k8s
_NUMBER = re.compile(r"(?<![A-Za-z])\d+(?:\.\d+)*|\d+(?![A-Za-z\d])")
_DAY = re.compile(r"\b(\d\d?)\.(\d\d?)\.(\d{4})\b")
_DATE = re.compile(r"\b\d{4}-(\d\d)(?:-\d\d)?\b")
#: share of its content words that a text, and each of its sentences, must have been given
LEAST_SHARED, LEAST_A_SENTENCE = 0.5, 0.3
#: so many words that were not given, and so many that were, tell a language
_NEW_WORDS, _TOLD_WORDS = 3, 8
#: share of stop words by which a text is English, and below which it is not
_ENGLISH, _OTHER = 0.2, 0.08
_DENSE = re.compile(f"[{DENSE}]")
_WORD = re.compile(r"[^\W_]+(?:['’.&+#/_-][^\W_]+)*")
_OWNER = re.compile(r"['’]s?$")
_NO_SUBJECT = re.compile(r"(?:ly|ing|ed)$")
_NO_NAMES = TAG - {*WEEKDAYS, *MONTHS} | {"may"}
#: how a line is marked that holds no longer
_ENDED = re.compile(r"\((?:superseded|expired|retired|archived)\)")
_GERMAN = re.compile(r"\b(?:der|das|und|ist|nicht|mit|für|auf|eine?|wird|werden|haben)\b", re.I)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|neither|nor|cannot|\w+n['’]t"
    r"|nicht|nie|niemals|kein\w{0,2}|ohne|weder)\b|[不没沒无無未]",
    re.IGNORECASE,
)
#: what is set against a statement and does not deny it ("integers, never floats"), a question
#: that asks to agree, and what only sounds like a denial
_NO_DENIAL = re.compile(
    r"(?<=\w), (?:and |but |und )?(?:not|never|no|without|nicht|nie|kein\w{0,2}|ohne) [^,;.]*"
    r"|, \w+n['’]t \w+\?|\b(?:no (?:problem|worries|matter)|not only|why not|nicht nur"
    r"|不过|不錯|不错)",
    re.IGNORECASE,
)


def new_numbers(text: str, given: str) -> set[str]:
    """The numbers in figures of a text that the given words do not have."""
    return set(_numbers(text)) - set(_numbers(given)) - values_of(given)


def shared_words(text: str, given: str) -> float:
    """The share of a text's content words that the given words have too, 0..1; 1 without any."""
    said = set(telling_terms(text))
    return len(said & set(terms(given))) / len(said) if said else 1.0


def new_names(text: str, given: str) -> set[str]:
    """The names in a text that the given words do not have; none where nouns have capitals."""
    if len(_GERMAN.findall(given)) > 1:
        return set()
    known = set(terms(given)) | _months(given)
    return {name for name in _names(text) if not known.intersection(terms(name))}


def negated(text: str) -> bool:
    """Whether a text denies something."""
    return _NEGATION.search(_NO_DENIAL.sub(" ", text)) is not None


def same_language(text: str, given: str) -> bool:
    """Whether two texts can be of one language: told by their scripts, and by English's stop words.

    What is short, or says little that is new, can be of any.
    """
    if _is_dense(text) != _is_dense(given):
        return False
    mine, others = _spoken(text), _spoken(given)
    if len(set(mine) - set(others)) < _NEW_WORDS or len(others) < _TOLD_WORDS:
        return True
    low, high = sorted((_english(mine), _english(others)))
    return low >= _OTHER or high < _ENGLISH


def unsupported(text: str, given: Sequence[str]) -> str:
    """Why a text is not to be believed to say what these lines say, as a code; '' when it may be.

    One sentence without support is enough: whoever invents once is not believed in the rest.
    """
    everything = "\n".join(given)
    if not same_language(text, everything):
        return "language"
    if new_numbers(text, everything):
        return "number"
    if new_names(text, everything):
        return "name"
    sentences = sentences_of(text)
    shares = [shared_words(one, everything) for one in sentences]
    if shared_words(text, everything) < LEAST_SHARED or min(shares, default=1) < LEAST_A_SENTENCE:
        return "words"
    denied = "\n".join(one for line in given for one in _over_in(line))
    alone = (one for one in sentences if negated(one) and not _shares_any(one, denied))
    return "negation" if any(alone) else ""


def _over_in(line: str) -> list[str]:
    """The sentences of a line that deny something, or tell of something that is left behind."""
    told = sentences_of(line)
    if _ENDED.search(line):
        return told
    return [one for one in told if negated(one) or any(changes_of(one))]


def _shares_any(text: str, given: str) -> bool:
    return bool(given) and shared_words(text, given) >= LEAST_A_SENTENCE


def _numbers(text: str) -> Iterator[str]:
    plain = _DAY.sub(r"\1 \2 \3", _THOUSANDS.sub("", text))
    for number in _NUMBER.findall(plain):
        yield ".".join(part.lstrip("0") or "0" for part in number.split("."))


def _months(text: str) -> set[str]:
    """The terms of the months that a text names as numbers."""
    numbers = {int(month) for month in _DATE.findall(text)}
    return {term for number in numbers if 0 < number <= 12 for term in terms(MONTHS[number - 1])}


def _names(text: str) -> Iterator[str]:
    for sentence in sentences_of(text):
        found = [_OWNER.sub("", word) for word in _WORD.findall(sentence)]
        for place, word in enumerate(found):
            if not word[:1].isupper() or word.casefold() in _NO_NAMES:
                continue
            if place or _is_subject(word, found[1:2]):
                yield word


def _is_subject(word: str, behind: list[str]) -> bool:
    """Whether the first word of a sentence can be a name: no adverb, and no plural."""
    plural = word.endswith("s") and not (behind and behind[0].endswith("s"))
    return not plural and _NO_SUBJECT.search(word) is None


def _is_dense(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return len(_DENSE.findall(text)) * 2 > letters


def _spoken(text: str) -> list[str]:
    return [word for word in words(text) if word.isalpha()]


def _english(spoken: Sequence[str]) -> float:
    return sum(word in QUERY for word in spoken) / len(spoken)
