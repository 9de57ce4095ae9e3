"""Texts and the slugs of a name -> how the name is spelt in them.

A slug has lost case, accents and punctuation; the texts have them. Names in other scripts, of which
a slug holds a digest, are looked for word by word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engram.model.ids import slug
from engram.model.naming import SYNONYMS

_DIGEST = re.compile(r"(?:^|-)[0-9a-f]{8}$")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
#: scripts that put no blanks between words
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_LONGEST_UNSPACED = 6
_MOST_WORDS = 4


def spellings(texts: Iterable[str], stems: Sequence[str]) -> Counter[str]:
    """How often each spelling of the names with these slugs stands in the texts."""
    other = [stem for stem in stems if _DIGEST.search(stem)]
    plain = [stem for stem in stems if stem not in other]
    plain += [short for short, long in sorted(SYNONYMS.items()) if long in plain]
    pattern = _pattern(tuple(plain))
    found: Counter[str] = Counter()
    for text in texts:
        if plain:
            folded = _folded(text)
            found.update(text[match.start() : match.end()] for match in pattern.finditer(folded))
        if other and not text.isascii():
            found.update(name for name in _candidates(text) if slug(name) in other)
    return found


def preferred(found: Counter[str], former: str) -> str:
    """The most used spelling; of equals the former one, then the one with the most capitals."""
    return min(
        found,
        key=lambda name: (-found[name], name != former, -sum(map(str.isupper, name)), name),
        default="",
    )


@lru_cache(maxsize=1024)
def _pattern(stems: tuple[str, ...]) -> re.Pattern[str]:
    names = []
    for stem in sorted(stems, key=lambda one: (-len(one), one)):
        shown = stem.replace("-plus-plus", "++").replace("-sharp", "#")
        words = (re.escape(word) for word in shown.split("-"))
        names.append(r"[ \t.,'’&_-]{1,3}".join(words))
    # a single letter is not the name before ++ or #
    return re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w+#-])")


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
