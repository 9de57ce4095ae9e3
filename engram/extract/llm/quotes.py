"""Words that a model quotes -> the turn that says them, and its captured words.

White space and case are folded; what is stored are the words of the turn, never the model's. A
wrong message number is forgiven when exactly one message holds the words. Refuses with a code:
`no-quote`, `quote-not-found`, `thin_quote`, `long_quote`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.extract.receipt import NO_QUOTE, QUOTE_NOT_FOUND
from engram.model.turn import Turn

THIN_QUOTE = "thin_quote"
LONG_QUOTE = "long_quote"
#: length of a quote in characters: one word says nothing, and two sentences are asked for
_SHORTEST, _LONGEST = 8, 1000


def quoted(
    quote: str, number: int, turns: Sequence[Turn], texts: Sequence[str]
) -> tuple[Turn | None, str, str]:
    """The turn that a quote stands in and its captured words; or None and a refusal code.

    `number` is the message that is named, from 1; `texts` are the turns' texts, `folded`.
    """
    words = folded(quote.strip().strip("\"'“”«»"))
    if not words:
        return None, "", NO_QUOTE
    found = [at for at, text in enumerate(texts, 1) if words in text]
    if number in found:
        found = [number]
    if len(found) != 1:
        return None, "", QUOTE_NOT_FOUND
    turn, text = turns[found[0] - 1], texts[found[0] - 1]
    start = text.index(words)
    words_said = _captured(turn.text, start, start + len(words))
    if len(words_said) < _SHORTEST and len(words_said) < len(turn.text.strip()):
        return None, "", THIN_QUOTE
    if len(words_said) > _LONGEST:
        return None, "", LONG_QUOTE
    return turn, words_said, ""


def folded(text: str) -> str:
    """Text as receipts compare it: white space and case folded."""
    return " ".join(text.casefold().split())


def _captured(text: str, start: int, end: int) -> str:
    """The words of a text at `start` to `end` of its folded form."""
    begin, at = -1, 0
    for word in re.finditer(r"\S+", text):
        length = len(word[0].casefold())
        if begin < 0 and start < at + length:
            begin = word.start() + _letters(word[0], start - at)
        if end <= at + length:
            return text[begin : word.start() + _letters(word[0], end - at, whole=True)]
        at += length + 1
    return ""


def _letters(word: str, folded: int, *, whole: bool = False) -> int:
    """How many letters of a word make so many folded ones; `whole` counts a partial one."""
    made = 0
    for number, letter in enumerate(word):
        size = len(letter.casefold())
        if made >= folded or (made + size > folded and not whole):
            return number
        made += size
    return len(word)
