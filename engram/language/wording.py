"""Words of statements as the judge compares them: the stems of those that name something.

Only for comparing two statements with each other. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.language.stem import stem
from engram.language.stop_words import EMPTY, LIGHT
from engram.model.text import words

Terms = frozenset[str]

_ENDINGS = re.compile(r"(?:'s|s')$")
_COMPOUND = re.compile(r"[a-z]{3,}(?:-[a-z]{3,})+|(?:on|per|re|in|up)-[a-z]{3,}")


def terms_of(text: str) -> Terms:
    """The stems of a text's words that name something."""
    return frozenset(_stem(part) for part in _parts(text) if part not in EMPTY)


def telling(terms: Terms) -> Terms:
    """Those of some terms that are no mere words of having and changing."""
    return terms - _LIGHT


def _parts(text: str) -> Iterator[str]:
    """The words; `per-key` is two of them, `us-east-1` is one."""
    for word in words(text):
        yield from word.split("-") if _COMPOUND.fullmatch(word) else (word,)


def _stem(word: str) -> str:
    """The stem of a word without its owner's ending; what has digits or signs stays."""
    word = _ENDINGS.sub("", word)
    return stem(word) if word.isascii() and word.isalpha() else word


_LIGHT = frozenset(map(_stem, LIGHT))
