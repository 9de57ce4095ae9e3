"""German words -> stems that plurals, cases and both ways of writing umlauts share.

    Häuser, Hauses, haus -> haus     Bücher, Buecher, Buch -> buch     Servern, Server -> serv

Light rules for nouns, for search only: what they join too much (Küche, Kuchen) costs a rank, no
word. `is_german` of `stop_words` tells the texts for which it is worth it.
"""

from __future__ import annotations

import re
import unicodedata

from engram.language.stop_words import GERMAN_FILLERS

_WORD = re.compile(r"[^\W\d_]+")
_SPELT_OUT = re.compile(r"(?<![qae])ue|(?<!o)oe|ae")
#: after these letters an `s` may be an ending (Servers, but not Haus)
_BEFORE_S = frozenset("bdfghklmnrt")
_ENDINGS = ("ern", "em", "en", "er", "es", "e", "n")
_SHORTEST = 3


def german_stems(text: str) -> list[str]:
    """The stems of the words of a text that say something, with repeats."""
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    return [
        german_stem(word) for word in words if len(word) >= _SHORTEST and word not in GERMAN_FILLERS
    ]


def german_stem(word: str) -> str:
    """The stem of a word in small letters."""
    plain = unicodedata.normalize("NFD", word)
    if not plain.isascii():
        plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = _SPELT_OUT.sub(lambda found: found[0][0], plain)
    if plain.endswith("s") and plain[-2:-1] in _BEFORE_S and len(plain) > _SHORTEST + 1:
        plain = plain[:-1]
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= _SHORTEST:
            return plain[: -len(ending)]
    return plain
