"""Texts and the slugs of a name -> how the name is spelt in them.

A slug has lost case, accents and punctuation; the texts have them. Names in other scripts, and with
letters that are no accented ones of English (Łukasz, Straße), are looked for word by word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from engram.language.scripts import HAN, HANGUL, KANA
from engram.model.entity_ids import SYNONYMS
from engram.model.ids import slug

_DIGEST = re.compile(r"(?:^|-)[0-9a-f]{8}$")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
#: a word as slugs count words, but that `++` and `#` belong to it
_PART = re.compile(r"[^\W_]+(?:\+\+|#)?")
#: letters that a slug writes as they are read
_READ_ALOUD = re.compile("[ßæœøłđðþıÆŒØŁĐÐÞ\u0370-\u052f\u1f00-\u1fff]")
#: what may stand between the words of one name
_BETWEEN = " \t.,'’&_-"
_WIDEST_GAP = 3
#: scripts that put no blanks between words
_UNSPACED = re.compile(f"[{KANA}{HAN}{HANGUL}]{{2,}}")
_LONGEST_UNSPACED = 6
_MOST_WORDS = 4


def spellings(texts: Iterable[str], stems: Sequence[str]) -> Counter[str]:
    """How often each spelling of the names with these slugs stands in the texts."""
    other = [stem for stem in stems if _DIGEST.search(stem)]
    plain = [stem for stem in stems if stem not in other]
    plain += [short for short, long in sorted(SYNONYMS.items()) if long in plain]
    wanted: defaultdict[str, list[list[str]]] = defaultdict(list)
    for stem in plain:
        words = stem.replace("-plus-plus", "++").replace("-sharp", "#").split("-")
        wanted[words[0]].append(words)
    found: Counter[str] = Counter()
    for text in texts:
        here = Counter(_spelt(text, wanted)) if plain else Counter()
        if not text.isascii() and (other or _READ_ALOUD.search(text)):
            names = [name for name in _candidates(text) if name not in here]
            here.update(name for name in names if slug(name) in stems)
        found.update(here)
    return found


def preferred(found: Counter[str], former: str) -> str:
    """The most used spelling; of equals the former one, then the one with the most capitals."""
    return min(
        found,
        key=lambda name: (-found[name], name != former, -sum(map(str.isupper, name)), name),
        default="",
    )


def _spelt(text: str, wanted: Mapping[str, list[list[str]]]) -> Iterator[str]:
    """Where the words of a name follow one another; `wanted` are names by their first word."""
    folded = _folded(text)
    if not any(first in folded for first in wanted):
        return
    parts = [(match.group(), match.start(), match.end()) for match in _PART.finditer(folded)]
    for place, (first, start, _) in enumerate(parts):
        for words in wanted.get(first, ()):
            here = parts[place : place + len(words)]
            if [word for word, _, _ in here] == words and _is_whole(folded, here):
                yield " ".join(text[start : here[-1][2]].split())


def _is_whole(text: str, parts: Sequence[tuple[str, int, int]]) -> bool:
    """Whether words that follow one another are one name, and not a part of a longer one."""
    gaps = [text[one[2] : two[1]] for one, two in pairwise(parts)]
    joined = all(len(gap) <= _WIDEST_GAP and not gap.strip(_BETWEEN) for gap in gaps)
    around = text[parts[0][1] - 1 : parts[0][1]], text[parts[-1][2] : parts[-1][2] + 1]
    return joined and "-" not in around


def _folded(text: str) -> str:
    """The text in small letters without accents, every character in its place."""
    if text.isascii():
        return text.lower()
    return "".join(map(_bare, text))


def _bare(character: str) -> str:
    folded = unicodedata.normalize("NFKD", character)[0].casefold()
    return folded if len(folded) == 1 else character


def _candidates(text: str) -> Iterable[str]:
    """Everything in a text that could be a name in another script."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    for first, (start, _) in enumerate(words):
        for _, end in words[first : first + _MOST_WORDS]:
            yield text[start:end]
    for run in _UNSPACED.findall(text):
        for start in range(len(run)):
            for end in range(start + 2, min(start + _LONGEST_UNSPACED, len(run)) + 1):
                if (start, end) != (0, len(run)):
                    yield run[start:end]
