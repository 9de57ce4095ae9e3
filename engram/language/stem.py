"""English words -> stems: Porter's rules (1980) and a table of irregular forms.

One rule departs from Porter: `y` after a vowel stays, so that `deploy` meets `deployment`. Only
words of the letters a-z are changed. Stems are keys for comparing, not words for reading:
`memories` and `memory` give `memori`. Irregular forms take the stem of their lemma (`went`, `go`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from engram.language.irregular import LEMMA

_VOWELS = "aeiou"
_C = "[^aeiou][^aeiouy]*"
_V = "[aeiouy][aeiou]*"
#: Porter's m > 0, m > 1, "m = 1", "has a vowel" and "ends consonant, vowel, consonant"
_M_OVER_0 = re.compile(f"(?:{_C})?{_V}{_C}")
_M_OVER_1 = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}")
_M_IS_1 = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?")
_HAS_VOWEL = re.compile(f"(?:{_C})?[aeiouy]")
_CVC = re.compile(f"{_C}[aeiouy][^aeiouwxy]")

#: Longest ending first, as the rules are tried: ending -> replacement when m > 0.
_STEP_2 = (
    ("ational", "ate"), ("ization", "ize"), ("iveness", "ive"), ("fulness", "ful"),
    ("ousness", "ous"), ("tional", "tion"), ("biliti", "ble"), ("entli", "ent"), ("ousli", "ous"),
    ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("iviti", "ive"), ("enci", "ence"),
    ("anci", "ance"), ("izer", "ize"), ("abli", "able"), ("alli", "al"), ("ator", "ate"),
    ("logi", "log"), ("bli", "ble"), ("eli", "e"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"),
    ("ness", ""), ("ful", ""),
)  # fmt: skip
_ENDINGS_2, _ENDINGS_3 = (tuple(ending for ending, _ in step) for step in (_STEP_2, _STEP_3))
#: dropped when m > 1
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=1_024)
def stem(word: str) -> str:
    """The stem of a lower-case word of a-z; words of one or two letters are their own."""
    word = LEMMA.get(word, word)
    if len(word) < 3:
        return word
    word = _plural(word)
    word = _past_and_gerund(word)
    if word.endswith("y") and word[-2:-1] not in _VOWELS and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    # most words have none of these endings, which `endswith` tells of all of them at once
    if word.endswith(_ENDINGS_2):
        word = _replace(word, _STEP_2)
    if word.endswith(_ENDINGS_3):
        word = _replace(word, _STEP_3)
    if word.endswith(_STEP_4):
        word = _drop(word)
    return _final_e(word)


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _M_OVER_0.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return _mended(rest) if _HAS_VOWEL.match(rest) else word
    return word


def _mended(rest: str) -> str:
    """What `-ed` or `-ing` was put to: `hop` of `hopp`, `file` of `fil`, `create` of `creat`."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1:] == rest[-2:-1] and rest[-1] not in _VOWELS + "lsz":
        return rest[:-1]
    if _M_IS_1.fullmatch(rest) and _CVC.fullmatch(rest):
        return rest + "e"
    return rest


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in rules:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + instead if _M_OVER_0.match(rest) else word
    return word


def _drop(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            kept = not _M_OVER_1.match(rest) or (ending == "ion" and rest[-1] not in "st")
            return word if kept else rest
    return word


def _final_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _M_OVER_1.match(rest) or (_M_IS_1.fullmatch(rest) and not _CVC.fullmatch(rest)):
            word = rest
    if word.endswith("ll") and _M_OVER_1.match(word):
        word = word[:-1]
    return word
