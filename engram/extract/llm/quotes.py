"""Words that a model quotes -> the turn that says them, and its captured words.

Compared are words without their signs (`_folded`): curly and straight quotes, dashes, full-width
letters, marks of Markdown, white space and case do not count. A word or two may deviate as typos
and articles do where the quote is long enough; a number, a denial or a name does not. What is left
out at "..." is stored with the rest. Stored are whole words of the turn, never the model's, so that
a receipt stands verbatim in it. A wrong message number is forgiven when exactly one message holds
the words. Time is linear in the turns. Refuses with a code: `no-quote`, `quote-not-found`,
`thin_quote`, `long_quote`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from engram.extract.receipt import NO_QUOTE, QUOTE_NOT_FOUND
from engram.language.denial import turns_round
from engram.language.numerals import is_number
from engram.language.scripts import DENSE, latin_length
from engram.model.turn import Turn

THIN_QUOTE = "thin_quote"
LONG_QUOTE = "long_quote"
#: length of a quote in characters: one word says nothing, and two sentences are asked for
_SHORTEST, _LONGEST = 8, 1000
#: what is longer is not even looked for: with all marks no quote is
_MOST_LOOKED_FOR = 10 * _LONGEST
#: a quote of so many words may deviate in one, or in two
_ONE_DEVIATES, _TWO_DEVIATE, _MOST_WORDS = 6, 12, 200
#: of the places where a part of a quote stands so many are looked at
_MOST_PLACES = 20
#: each part of a quote with an ellipsis has so many words, and so many characters lie between
_LEAST_OF_PART, _MOST_LEFT_OUT = 3, 300

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ´′", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys('"“”„‟«»「」『』*_#>~|\u00ad\u200b\u200c\u200d\u2060\ufeff', None),
    }
)
_TICK_WITHIN = re.compile(r"(?<=[^\W\d_])`(?=[^\W\d_])")
#: a dash that joins two words without blanks: a long one, or two short ones
_JOINED = re.compile(r"(?<=[^\W\d_])(?:[–—―]|--+)(?=[^\W\d_])")
_WORD = re.compile(r"\S+")
_DENSE = re.compile(f"[{DENSE}]")
#: marks that close what a word is set off by
_CLOSING = re.compile(r"[*_`~]*")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:…|\.{3,})(?:\s*\])?\s*")
#: a quote's last stop is often the model's
_STOPS = ".,;:。，、…"
Span = tuple[int, int]
#: words that come and go when a sentence is copied
_LOOSE = frozenset(
    ["a", "an", "the", "that", "is", "are", "to", "of", "so", "and", "just", "really"]
)


class Words:
    """The words of a text without their signs, and where they stand in it."""

    def __init__(self, text: str) -> None:
        self.raw = text
        self._words = list(_words_of(text))
        #: the same with one blank between them
        self.folded = " ".join(word for word, _, _ in self._words)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each word begins in the folded text."""
        sizes = (len(word) + 1 for word, _, _ in self._words)
        return list(accumulate(sizes, initial=0))[:-1]

    def exact(self, words: str) -> Span | None:
        """Where in the text some folded words stand first, as whole words."""
        at = self.folded.find(words)
        while at >= 0:
            end = at + len(words)
            if _is_whole(self.folded, at, end):
                return self._span(at, end)
            at = self.folded.find(words, at + 1)
        return None

    def nearly(self, words: Sequence[str]) -> Span | None:
        """Where they stand but for a word or two; None when at several places, or at none."""
        count = len(words)
        allowed = (count >= _ONE_DEVIATES) + (count >= _TWO_DEVIATE)
        if not allowed or count > _MOST_WORDS:
            return None
        found = set()
        for first, last in _parts(count, allowed + 1):
            part = " ".join(words[first:last])
            for at in _occurrences(f" {self.folded} ", f" {part} "):
                place = bisect_right(self._starts, at) - 1
                before = self._told(words[:first][::-1], place - 1, -1, allowed)
                if before is None:
                    continue
                behind = self._told(words[last:], place + last - first, 1, allowed - before[0])
                if behind is not None:
                    found.add((before[1] + 1, behind[1]))
        if len(found) != 1:
            return None
        ((first, end),) = found
        return self._words[first][1], self._words[end - 1][2]

    def _told(
        self, words: Sequence[str], place: int, step: int, allowed: int
    ) -> tuple[int, int] | None:
        """How many of the words deviate from a place on, and the place behind them."""
        for number, word in enumerate(words):
            here = self._words[place][0] if 0 <= place < len(self._words) else ""
            if here.rstrip(_STOPS) == word.rstrip(_STOPS):
                place += step
                continue
            ways = []
            if here and _is_typo(word, here) and not self._is_name(place):
                ways.append((number + 1, place + step))
            if word in _LOOSE and number + 1 < len(words):
                ways.append((number + 1, place))
            if here in _LOOSE:
                ways.append((number, place + step))
            tried = (
                self._told(words[at:], there, step, allowed - 1) for at, there in ways if allowed
            )
            found = [(count + 1, end) for count, end in filter(None, tried)]
            return min(found, default=None)
        return 0, place

    def _is_name(self, place: int) -> bool:
        """Whether a word has a capital within its sentence."""
        _, start, end = self._words[place]
        letter = next(filter(str.isalpha, self.raw[start:end]), "")
        before = self.raw[self._words[place - 1][1] : start].rstrip() if place else ""
        return letter.isupper() and before[-1:] not in ("", ".", "!", "?", ":")

    def _span(self, at: int, end: int) -> Span:
        """Where a stretch of the folded text stands, with the marks around its words."""
        first, last = (bisect_right(self._starts, place) - 1 for place in (at, end - 1))
        _, start, stop = self._words[first]
        if at > self._starts[first]:
            start += _letters(self.raw[start:stop], at - self._starts[first])
        word, last_start, stop = self._words[last]
        size = end - self._starts[last]
        if size < len(word):
            stop = last_start + _letters(self.raw[last_start:stop], size, whole=True)
            stop = _CLOSING.match(self.raw, stop).end()  # type: ignore[union-attr]
        return start, stop


def quoted(
    quote: str, number: int, turns: Sequence[Turn], texts: Sequence[Words]
) -> tuple[Turn | None, str, str]:
    """The turn that a quote stands in and its captured words; or None and a refusal code.

    `number` is the message that is named, from 1; `texts` are the words of the turns.
    """
    if len(quote) > _MOST_LOOKED_FOR:
        return None, "", QUOTE_NOT_FOUND
    if not _folded_words(quote):
        return None, "", NO_QUOTE
    for find in _ways(quote):
        found = {at: span for at, text in enumerate(texts, 1) if (span := find(text))}
        if number in found:
            found = {number: found[number]}
        if len(found) > 1:
            break
        for at, (start, end) in found.items():
            return _sized(turns[at - 1], turns[at - 1].text[start:end])
    return None, "", QUOTE_NOT_FOUND


_Find = Callable[[Words], Span | None]


def _ways(quote: str) -> Iterator[_Find]:
    """How a quote is looked for, the strictest way first."""
    whole = _folded_words(quote)
    yield lambda text: text.exact(" ".join(whole))
    bare = _folded_words(_ELLIPSIS.sub(" ", quote.strip(" \n\t\"'“”«»").strip(_STOPS)))
    parts = [_folded_words(part) for part in _ELLIPSIS.split(quote)]
    parts = [part for part in parts if part]
    if len(parts) > 1:
        yield lambda text: _with_left_out(parts, text)
    elif bare:
        yield lambda text: text.exact(" ".join(bare))
        yield lambda text: text.nearly(whole) or text.nearly(bare)


def _with_left_out(parts: Sequence[Sequence[str]], text: Words) -> Span | None:
    """From the first part of a quote to its last, with what it leaves out."""
    if any(len(part) < _LEAST_OF_PART for part in parts):
        return None
    spans = [text.exact(" ".join(part)) for part in parts]
    found = [span for span in spans if span is not None]
    pairs = pairwise(found)
    near = all(0 <= after[0] - before[1] <= _MOST_LEFT_OUT for before, after in pairs)
    return (found[0][0], found[-1][1]) if near and len(found) == len(parts) else None


def _sized(turn: Turn, said: str) -> tuple[Turn | None, str, str]:
    if latin_length(said) < _SHORTEST and len(said) < len(turn.text.strip()):
        return None, "", THIN_QUOTE
    if len(said) > _LONGEST:
        return None, "", LONG_QUOTE
    return turn, said, ""


def _folded_words(text: str) -> list[str]:
    return [word for word, _, _ in _words_of(text)]


def _words_of(text: str) -> Iterator[tuple[str, int, int]]:
    """Each word without its signs, and where it stands; what is nothing but signs is left out."""
    joined = _JOINED.sub(lambda dash: " " * len(dash[0]), text)
    for found in _WORD.finditer(joined):
        if word := _folded(found[0]):
            yield word, found.start(), found.end()


def _folded(word: str) -> str:
    """A word as it is compared."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word.translate(_SIGNS)).replace(" ", "")
    if "`" in word:
        word = _TICK_WITHIN.sub("'", word).replace("`", "")
    word = word.translate(_SIGNS).casefold().strip("'")
    return "" if word.strip("-") == "" else word


def _letters(word: str, size: int, *, whole: bool = False) -> int:
    """How many letters of a word make so many folded ones; `whole` counts a partial one."""
    made = 0
    for number, letter in enumerate(word):
        length = len(_folded(letter))
        if made >= size or (made + length > size and not whole):
            return number
        made += length
    return len(word)


#: a sign within a number: 1.5, 1,000, 10:30, 3/4, 10-20
_WITHIN_NUMBER = ".,:/-"


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word and no number is cut at either end of a stretch."""
    before, behind = text[max(start - 2, 0) : start], text[end : end + 2][::-1]
    return not (_is_cut(before, text[start]) or _is_cut(behind, text[end - 1]))


def _is_cut(beside: str, sign: str) -> bool:
    """Whether what stands beside a sign, nearest last, belongs to the same word."""
    if not beside or not sign.isalnum() or _DENSE.match(sign) or _DENSE.match(beside[-1]):
        return False
    if beside[-1].isalnum():
        return True
    if beside[-1] == "'" and sign.isalpha():
        return len(beside) > 1 and beside[0].isalnum()
    return sign.isdigit() and beside[-1] in _WITHIN_NUMBER and beside[0].isdigit()


def _parts(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """`count` words in so many parts of about one length: one of them holds no deviation."""
    ends = [count * number // parts for number in range(parts + 1)]
    yield from pairwise(ends)


def _occurrences(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(words, at + 1)


def _is_typo(one: str, other: str) -> bool:
    """Whether two words are one, of which a copy puts right how it is spelled."""
    one, other = (word.strip(_STOPS + "()") for word in (one, other))
    if one.replace("'", "") == other.replace("'", ""):
        return True
    if any(is_number(word) or turns_round(word) for word in (one, other)):
        return False
    if not (one.isalpha() and other.isalpha()) or one[0] != other[0]:
        return False
    if sorted(one) == sorted(other):
        return len(one) > 2
    least = min(len(one), len(other))
    return least >= 5 and _one_letter_apart(one, other)


def _one_letter_apart(one: str, other: str) -> bool:
    """Whether one letter is put in, left out or changed."""
    short, long = sorted((one, other), key=len)
    pairs = enumerate(zip(short, long, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), len(short))
    if len(short) == len(long):
        return short[at + 1 :] == long[at + 1 :]
    return len(long) == len(short) + 1 and short[at:] == long[at + 1 :]
