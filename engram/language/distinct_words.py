"""Distinct words: which words some texts have and all others lack, and texts without these words.

A word here is a run of letters and digits, NFKC and casefolded, of three characters at least; of a
script without spaces each pair of characters counts as one too, and a word with accents counts as
the one that names of files write for it. Stop-words are none. Two words are one when they have one
stem, so that `codenames` tells of `codename`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from engram.language.scripts import DENSE
from engram.language.stem import stem
from engram.language.stop_words import QUERY
from engram.model.ids import slug

#: a shorter word stands by chance in other words, names and numbers
SHORTEST = 3
_WORD = re.compile(r"[^\W_]+")
_SPACED = re.compile(r"\S+")
_ACCENT = re.compile("([a-z])[\u0300-\u036f]+")
_UNDOTTED = {ord("ı"): "i", ord("ø"): "o", ord("ł"): "l", ord("đ"): "d"}
_DENSE_RUN = re.compile(f"[{DENSE}]{{2,}}")


class DistinctWords:
    """The words that the given texts have, as far as no other text has them.

    Takes time in proportion to the other texts; each word is looked at once.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._brought = {
            form for text in texts for found in _WORD.findall(text) for form in _forms(found)
        }
        self._seen: set[str] = set()
        self._shared: dict[str, frozenset[str]] = {}
        self._counts: Counter[str] = Counter()

    def other(self, text: str) -> None:
        """Take note of a text that stays."""
        found = set(_WORD.findall(text))
        for word in found - self._seen:
            if shared := self._brought.intersection(_forms(word)):
                self._shared[word] = frozenset(shared)
        self._seen |= found
        self._counts.update({form for word in found & self._shared.keys()
                             for form in self._shared[word]})  # fmt: skip

    @property
    def left(self) -> frozenset[str]:
        """The words that no other text has."""
        return frozenset(self._brought.difference(self._counts))

    def seldom(self, text: str, most: int, without: frozenset[str]) -> list[str]:
        """The words of a text that 1 to `most` of the other texts have, as they stand in it."""
        return [
            word
            for word in dict.fromkeys(_WORD.findall(text))
            if (forms := _forms(word))
            and not without.intersection(forms)
            and 0 < max(self._counts[form] for form in forms) <= most
        ]


def words_in(text: str) -> set[str]:
    """The words of a text, as they are compared."""
    return {form for found in set(_WORD.findall(text)) for form in _forms(found)}


def found_in(text: str, words: frozenset[str]) -> set[str]:
    """Those of the words that stand in a text, as they stand in it."""
    return {found for found in set(_WORD.findall(text)) if words.intersection(_forms(found))}


def tells(text: str, words: frozenset[str], phrase: str = "") -> bool:
    """Whether a text holds one of these words, or a phrase (normalised)."""
    if not text:
        return False
    if phrase and phrase in _plain(text):
        return True
    return bool(words) and any(
        form in words for found in _WORD.findall(text) for form in _forms(found)
    )


def unspoken(text: str, words: frozenset[str], phrase: str, mark: str) -> str:
    """A text with a mark in the place of a phrase and of each of these words."""
    if phrase and phrase in _plain(text):
        text = _pattern(phrase).sub(mark, text)
        if phrase in _plain(text):  # with accents, or over the end of a line
            parts = frozenset(phrase.split())
            text = _SPACED.sub(lambda hit: mark if _is_of(hit[0], parts) else hit[0], text)
    if not words:
        return text
    return _WORD.sub(lambda hit: mark if words.intersection(_forms(hit[0])) else hit[0], text)


def phrase_of(text: str) -> str:
    """What a person looks for, as it is compared: without case, accents and extra white space."""
    return _plain(text)


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase, whatever the case, the accents and the spaces."""
    return phrase in _plain(text)


def _plain(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    if folded.isascii():
        return folded
    # accents of Latin letters alone: in other scripts marks are letters
    return _ACCENT.sub(r"\1", unicodedata.normalize("NFD", folded)).translate(_UNDOTTED)


def _is_of(word: str, parts: frozenset[str]) -> bool:
    """Whether a word, with the signs around it, is one of a phrase or holds it."""
    plain = _plain(word)
    return plain in parts or any(part in plain for part in parts if len(part) >= SHORTEST)


@lru_cache(maxsize=8)
def _pattern(phrase: str) -> re.Pattern[str]:
    """A phrase in any case and with any white space."""
    return re.compile(r"\s+".join(map(re.escape, phrase.split())), re.IGNORECASE)


@lru_cache(maxsize=65_536)
def _forms(found: str) -> tuple[str, ...]:
    """A word as it is compared; nothing for one that is too short, or says nothing."""
    word = unicodedata.normalize("NFKC", found).casefold()
    if word.isascii():
        if len(word) < SHORTEST or word in QUERY:
            return ()
        return (stem(word) if word.isalpha() else word,)
    runs = _DENSE_RUN.findall(word)
    pairs = [run[at : at + 2] for run in runs for at in range(len(run) - 1)]
    named = slug(word, fallback="")
    whole = [one for one in (word, named) if len(one) >= SHORTEST and "-" not in one]
    return tuple(dict.fromkeys((*whole, *pairs)))
