"""A sentence -> its canonical words: the first step to its phrasing.

Contractions, hyphens and fixed phrases are resolved, numbers and days are written in one way,
filler is left out, every other word is replaced by the one that stands for it. Of words that mean
nothing by themselves only their marks are left: lists, owners, pauses.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engram.language.calendar_words import MONTHS
from engram.language.paraphrase.tables import (
    AMERICAN,
    AND,
    BREAK,
    DONE,
    ONESELF,
    OPENERS,
    OWNER,
    PARTICIPLE,
    PAST,
    PHRASES,
    PRESENT,
    SAME,
    STARTS,
)
from engram.language.stop_words import SILENT
from engram.model.text import words

_MONTH = "|".join(MONTHS)
_DAY = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})"
    rf"|({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?),? (\d{{4}})\b",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_UNIT = re.compile(
    r"(?<=\d) (?=(?:%|[kmgt]i?b|ms|s|sec|min|h|kg|g|mg|km|cm|mm|m|ml|l|px|k|am|pm|eur|usd)\b"
    r"|%|percent\b)",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,:()\[\]](?=\s|$)|(?<=\s)[(\[]| [-–—] |[、，]")
_HYPHEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+|\d{1,3}-[^\W\d_]+")
_CONTRACTED = {
    **{word: (instead,) for word, instead in ONESELF.items()}, "my": ("user", OWNER),
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"),
    "shan't": ("shall", "not"), "it's": ("it", "is"), "that's": ("that", "is"),
    "there's": ("there", "is"), "i'm": ("i", "am"), "let's": ("let", "us"),
    "never": ("not",), "and": (AND,), "y": (AND,), "und": (AND,), "et": (AND,), "that": (),
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ve": "have", "'ll": "will"}
#: words before the comma of a phrase at the head
_LONGEST_HEAD = 8
_PHRASE_HEADS = frozenset(phrase[0] for phrase in PHRASES)
_LONGEST_PHRASE = max(map(len, PHRASES))


def tokens_of(sentence: str) -> list[str]:
    """Its canonical words; contractions, hyphens and fixed phrases are resolved first."""
    found: list[str] = []
    for piece in _PAUSE.split(sentence):
        if found:
            found.append(BREAK)
        for word in words(piece):
            found += _parts(word)
    found = _rephrased(found)
    if found and found[0] in OPENERS:
        ends = [at for at, word in enumerate(found) if at > 1 and word in STARTS]
        if ends and BREAK not in found[:_LONGEST_HEAD]:
            found.insert(ends[0], BREAK)
    return [
        canonical(word)
        for at, word in enumerate(found)
        if word not in SILENT or (at and found[at - 1] == "not")
    ]


def _rephrased(found: list[str]) -> list[str]:
    """With one word for each phrase of the table, longest first."""
    if _PHRASE_HEADS.isdisjoint(found):
        return found
    done: list[str] = []
    at = 0
    while at < len(found):
        longest = min(_LONGEST_PHRASE, len(found) - at) if found[at] in _PHRASE_HEADS else 1
        sizes = range(longest, 1, -1)
        known = next((size for size in sizes if tuple(found[at : at + size]) in PHRASES), 1)
        done += PHRASES.get(tuple(found[at : at + known]), found[at : at + known])
        at += known
    return done


@lru_cache(maxsize=512)
def _parts(word: str) -> tuple[str, ...]:
    if word in _CONTRACTED:
        return _CONTRACTED[word]
    if word in SAME:
        return (word,)
    for ending, instead in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (*_parts(word[: -len(ending)]), instead)
    if word.endswith("'s") and len(word) > 2:
        return (*_parts(word[:-2]), OWNER)
    return tuple(word.split("-")) if _HYPHEN.fullmatch(word) else (word,)


@lru_cache(maxsize=1_024)
def canonical(word: str) -> str:
    """What stands for a word: its singular or its verb, spelt American, first of its synonyms.

    A form of the past is marked.
    """
    if word in SAME:
        return SAME[word]
    if word not in PRESENT and word not in PAST and word not in PARTICIPLE:
        word = _american(word)
    if word not in PRESENT and (word in PAST or word in PARTICIPLE):
        return (PAST.get(word) or PARTICIPLE[word]) + DONE
    word = PRESENT.get(word) or _singular(word)
    return SAME.get(word, word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _american(word: str) -> str:
    if len(word) < 5 or not word.isascii():
        return word
    for british, american in AMERICAN:
        word = british.sub(american, word)
    return word


def plain(text: str) -> str:
    """With days as they are written in a header, and numbers in one piece with their unit."""

    def day(found: re.Match[str]) -> str:
        number, month = (found[1], found[2]) if found[1] else (found[4], found[3])
        return f"{found[5]}-{MONTHS.index(month.casefold()) + 1:02d}-{int(number):02d}"

    return _UNIT.sub("", _THOUSANDS.sub("", _DAY.sub(day, text)))


def names_in(sentence: str) -> set[str]:
    """Canonical words with a capital that they do not owe to the beginning."""
    return {
        canonical(word).rstrip(DONE)
        for raw in sentence.split()[1:]
        if raw[:1].isupper()
        for word in words(raw.removesuffix("'s").removesuffix("’s"))
        if word not in _CONTRACTED
    }
