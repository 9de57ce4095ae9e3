"""Whether a text is English, by its script and its function words.

What reads English words only (the rules tier, the gate's forms of speech) asks here first: in
another language those words mean something else or nothing. Cheap, pure, and no guess at which
other language it is; a text without function words of any is taken for English.
"""

from __future__ import annotations

from engram.language.stop_words import ENGLISH, letter_words

_FOREIGN = frozenset(
    ["der", "das", "und", "nicht", "ist", "ein", "eine", "einen", "einem", "einer", "ich", "wir",
     "mit", "auf", "für", "bitte", "immer", "sind", "nie", "dem", "den", "im", "zum", "zur",
     "bei", "von", "vom", "seit", "nur", "wird", "werden", "habe", "haben", "kein", "keine",
     "sich", "statt", "weil", "dass", "oder", "aber", "auch", "nach", "gegen", "ihrem", "meine",
     "ihren", "mein", "um", "unser", "unsere", "les", "est", "nous", "une", "pour", "pas", "que",
     "je", "dans", "avec", "toujours", "jamais", "el", "los", "las", "es", "una", "por", "para",
     "con", "pero", "siempre", "nunca", "usamos", "het", "een", "niet", "wij", "ik", "altijd",
     "voor", "che", "di", "il", "sono", "non", "sempre", "uma", "não", "com", "em", "jest", "się",
     "och", "inte", "vi", "som", "og", "ikke", "ve", "bir", "için", "nós", "você", "mais", "sur",
     "gebruiken"]
)  # fmt: skip
#: As much of a text as tells its language.
_TELLING = 400


def is_english(text: str) -> bool:
    """Whether the letters are Latin, and function words of other languages do not prevail."""
    head = text[:_TELLING]
    if not head.isascii():
        letters = [ch for ch in head if ch.isalpha()]
        if sum(ch.isascii() for ch in letters) < 0.7 * len(letters):
            return False
    words = letter_words(head)
    foreign = len(words & _FOREIGN)
    return foreign < 2 or foreign < len(words & ENGLISH)
