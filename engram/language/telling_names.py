"""Telling names: a statement -> the terms by which one word alone says that it is meant.

    The counters are kept in Redis on port 6380.    redi 6380
    The handler in payments/webhook.py is slow.     payments/webhook.py webhook.py
    SEAT_MAP stays off until KASSE-112 is done.     seat_map kasse-112

A name is a word with a capital within a sentence (German writes every noun so, and has none), a
number of three digits, a word with a digit, an underscore or a dot in it. No name is what stands in
prompts about anything: a day or a month, a year, a round number, a quantity with its unit, an
abbreviation in capitals alone (`CSV`, `API`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.language.calendar_words import MONTHS
from engram.language.stop_words import TAG, is_german
from engram.language.tokens import terms
from engram.model.sentences import sentences_of

_WORD = re.compile(r"[^\s\"“”„«»`(),;:!?\[\]{}<>|*=]+")
_AROUND = "'’.-–/\\"
_OWNER = re.compile(r"['’]s$")
_NUMBER, _NO_NUMBER = re.compile(r"\d{3,}"), re.compile(r"(?:19|20)\d\d|\d+00")
_MADE = re.compile(r"\d|_|\w\.\w|[a-z][A-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_QUANTITY = re.compile(r"[\d.]+[^\W\d]{1,3}")
_SHORTEST = 3
#: weekdays are among the former
_NO_NAMES = TAG | {*MONTHS, "may"}


def telling_names(text: str) -> set[str]:
    """The terms of the names in a text."""
    return {term for name in _names(text) for term in _terms_of(name)}


def _names(text: str) -> Iterator[str]:
    capitals_tell = not is_german(text)
    for sentence in sentences_of(text):
        for place, token in enumerate(_WORD.findall(sentence)):
            word = _OWNER.sub("", token.strip(_AROUND))
            if len(word) < _SHORTEST:
                continue
            if _NUMBER.fullmatch(word):
                if not _NO_NUMBER.fullmatch(word):
                    yield word
            elif _MADE.search(word):
                if _LETTER.search(word) and not _QUANTITY.fullmatch(word):
                    yield word
            elif capitals_tell and place and _is_capital(word):
                yield word


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and not word.isupper() and word.casefold() not in _NO_NAMES


def _terms_of(name: str) -> Iterator[str]:
    """The term of a name as a whole, and of a path that of its file."""
    file = name.rpartition("/")[2]
    for whole in (name, file) if "." in file else (name,):
        yield from terms(whole)[:1]
