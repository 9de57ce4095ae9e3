"""Two texts -> whether they can be of one language, by their scripts and most frequent words.

Told apart are dense scripts, Cyrillic and Latin, and seven languages of the latter; a text without
a frequent word is of any language of its script. Pure, linear in both texts.
"""

from __future__ import annotations

import re
from collections import Counter

from engram.language.scripts import DENSE

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPT = re.compile(rf"(?P<dense>[{DENSE}])|(?P<cyrillic>[\u0400-\u052f])|(?P<latin>[a-zà-ɏ])")
#: words that most texts of a language have; some belong to several
_FREQUENT = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the and is are was of to with for that this has have not i we my our by it",
        "de": "der die das und ist nicht ein eine mit für auf wird sind zu dem den wir ich im",
        "fr": "le les et est une des du avec pour pas dans sur nous je il elle",
        "es": "el los las y es una del con para por está se lo que",
        "it": "il gli di è una della con per non che si lo ogni",
        "pt": "o os e é uma do da com para não em que",
        "nl": "de het een en is van niet met voor op wordt we ik",
    }.items()
}
#: a character of a dense script is worth so many letters
_DENSE_LETTERS = 3


def same_language(one: str, other: str) -> bool:
    """Whether two texts are of one script, and have frequent words of one language."""
    if _script_of(one) != _script_of(other):
        return False
    first, second = (_languages_of(text) for text in (one, other))
    return not first or not second or bool(first & second)


def _script_of(text: str) -> str:
    counts = Counter(found.lastgroup for found in _SCRIPT.finditer(text.casefold()))
    counts["dense"] *= _DENSE_LETTERS
    return max(sorted(filter(None, counts)), key=counts.__getitem__, default="")


def _languages_of(text: str) -> set[str]:
    """The languages that most of the frequent words of a text belong to."""
    said = set(_WORD.findall(text.casefold()))
    counts = {language: len(said & words) for language, words in _FREQUENT.items()}
    most = max(counts.values())
    return {language for language, count in counts.items() if most and count == most}
