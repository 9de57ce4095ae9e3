"""German words -> stems that plurals, cases and both ways of writing umlauts share.

    Häuser, Hauses, haus -> haus     Bücher, Buecher, Buch -> buch     Servern, Server -> serv

Light rules for nouns, for search only: what they join too much (Küche, Kuchen) costs a rank, no
word. `is_german` tells the texts for which it is worth it; it needs a word or letter that no
English text has.
"""

from __future__ import annotations

import re
import unicodedata

from engram.language.english import ENGLISH

#: words that are no English ones
_TELLING = frozenset(
    ["aber", "alle", "als", "auch", "auf", "aus", "bei", "beim", "bis", "das", "dass", "dem",
     "den", "der", "des", "dich", "doch", "dort", "durch", "ein", "eine", "einem", "einen",
     "einer", "eines", "er", "es", "für", "gegen", "gibt", "haben", "habe", "hatte", "ich", "ihr",
     "ihre", "im", "immer", "ist", "ja", "jede", "jeden", "kann", "kein", "keine", "können",
     "mein", "meine", "meiner", "mich", "mir", "mit", "muss", "nach", "nicht", "noch", "nur",
     "oder", "ob", "ohne", "schon", "sehr", "seit", "sich", "sie", "sind", "sondern", "statt",
     "über", "um", "und", "uns", "unser", "unsere", "vom", "von", "vor", "wann", "warum", "wegen",
     "weil", "welche", "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werden", "wie",
     "wir", "wird", "wo", "wurde", "zu", "zum", "zur", "zwischen"]
)  # fmt: skip
#: words that say nothing in a German question
FILLERS = _TELLING | {
    "am", "an", "da", "die", "hat", "in", "man", "so", "war", "was", "wem", "wen",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_UMLAUTS = frozenset("äöüßÄÖÜ")
#: as much of a text as tells its language, characters
_HEAD = 400

_SPELT_OUT = re.compile(r"(?<![qae])ue|(?<!o)oe|ae")
#: after these letters an `s` may be an ending (Servers, but not Haus)
_BEFORE_S = frozenset("bdfghklmnrt")
_ENDINGS = ("ern", "em", "en", "er", "es", "e", "n")
_SHORTEST = 3


def is_german(text: str) -> bool:
    """Whether a text has German function words, and more than English ones; or an umlaut."""
    head = text[:_HEAD]
    words = set(_WORD.findall(head.casefold()))
    english = len(words & ENGLISH)
    german = len(words & _TELLING)
    return german > english or (not english and not _UMLAUTS.isdisjoint(head))


def german_stems(text: str) -> list[str]:
    """The stems of the words of a text that say something, with repeats."""
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold())
    return [german_stem(word) for word in words if len(word) >= _SHORTEST and word not in FILLERS]


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
