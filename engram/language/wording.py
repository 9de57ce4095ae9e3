"""Words of statements as the judge compares them: the stems of those that name something.

Only for comparing two statements with each other. English, but for `beginnings`; scripts without
blanks between words are cut into pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engram.language.scripts import DENSE, dense_characters
from engram.language.stem import stem
from engram.language.stop_words import EMPTY, LIGHT, TOPIC
from engram.language.tokens import query_terms
from engram.model.text import words

Terms = frozenset[str]

_TOLD = re.compile(rf"[{DENSE}]+|(?:(?![{DENSE}])\w)+")
_DENSE_RUN = re.compile(f"[{DENSE}]")
_ENDINGS = re.compile(r"(?:'s|s')$")
#: what stands on both sides of a sign does not stand side by side
_BREAK = re.compile(r"[,;:()!?](?:\s|$)|[.](?:\s|$)|\s[-–—]\s")
_BETWEEN = EMPTY | TOPIC
_VALUE = re.compile(r"(?<!\S)\d[\d.,]*(?: ?[A-Za-z%]{1,2})?(?=[\s,;.]|$)")
_OF = re.compile(r"(?<=\w) of (?:the |a |an |our |my |each |every )?", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?!(?:for|of|in|on|to|the|at|by|with|from|and|or|our|my|your|his|her|its|their|all)\b)(\w+)"
    r" [a-z]+(?:s|ed)(?= (?:on|to|in|at|for|from|by|with|off|after|up|out|down|over|back|the"
    r"|a|an|our|my|its|his|her)\b|[,;.:]|$)"
)
_COMPOUND = re.compile(r"[a-z]{3,}(?:-[a-z]{3,})+|(?:on|per|re|in|up)-[a-z]{3,}")


def terms_of(text: str) -> Terms:
    """The stems of a text's words that name something."""
    return frozenset(_stem(part) for part in _parts(text) if part not in EMPTY)


def cut_words(text: str) -> Iterator[str]:
    """The words of a text as they stand; of a script without blanks pairs of characters."""
    for word in words(text):
        if not word.isascii() and dense_characters(word):
            yield from query_terms(word)
        else:
            yield word


def telling(terms: Terms) -> Terms:
    """Those of some terms that are no mere words of having and changing."""
    return terms - _LIGHT


def phrases_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The stems of telling words that stand side by side, or in "the limit of free accounts".

    A number, and what looks like a verb behind a noun ("the job runs on"), ends a run of words.
    """
    found: list[tuple[str, ...]] = []
    for part in _BREAK.split(_VERB.sub(r"\1 ,", _OF.sub(" ", _VALUE.sub(",", text)))):
        run: list[str] = []
        for word in (*_parts(part), ""):
            stemmed = _stem(word)
            if word and word not in _BETWEEN and stemmed not in _LIGHT and not word[0].isdigit():
                run.append(stemmed)
            elif run:
                found.append(tuple(run))
                run = []
    return tuple(found)


def beginnings(text: str) -> list[str]:
    """How the words begin that say something, in order: endings differ when it is told again.

    Of a script without blanks each pair of characters is one; of any language.
    """
    found: list[str] = []
    for word in _TOLD.findall(text.casefold()):
        if _DENSE_RUN.match(word):
            found += [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
        elif len(word) > 2 and word not in TOPIC:
            found.append(word[:4])
    return found


def _parts(text: str) -> Iterator[str]:
    """The words; `per-key` is two of them, `us-east-1` is one."""
    for word in cut_words(text):
        yield from word.split("-") if _COMPOUND.fullmatch(word) else (word,)


def _stem(word: str) -> str:
    """The stem of a word without its owner's ending; what has digits or signs stays."""
    word = _ENDINGS.sub("", word)
    return stem(word) if word.isascii() and word.isalpha() else word


_LIGHT = frozenset(map(_stem, LIGHT))
