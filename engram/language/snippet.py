"""A text and a query -> the one stretch that shows best why the text was found.

One line of plain text, at most as wide as asked on a terminal (an East Asian character takes two
columns), cut between words and marked with `…` where it was cut. Where the words of the query stand
is told as offsets; colouring them is the surface's job. Words are compared by their terms, so that
an excerpt shows what the index matched (`decided` for `deciding`, and `vehicle` where that stood
for `car`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from engram.language.scripts import DENSE
from engram.language.tokens import query_terms
from engram.model.display import columns, plain

WIDTH = 160
#: Only this much of a text is looked at: a turn may be a pasted log file.
MAX_TEXT = 50_000
_CUT = "…"
#: Narrower than this nothing can be shown.
_NARROWEST = 12

_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


class Excerpt(NamedTuple):
    """`spans` are (start, end) offsets of matches in `text`; `line`, 1-based, has the first.

    `others` are words of the whole text that stand for those of the query, without capitals.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    line: int
    others: tuple[str, ...] = ()


class _Piece(NamedTuple):
    """A word, or a character of a dense script: where it stands, how wide, what it matches."""

    start: int
    end: int
    columns: int
    terms: frozenset[str]


def excerpt(
    text: str, query: str, *, width: int = WIDTH, instead: Iterable[str] = ()
) -> Excerpt:  # fmt: skip
    """The stretch of `text` with the most different words of `query`; its beginning without any.

    `width` is in columns, at least 12. `instead` are terms that stand for words of the query: of
    stretches with as many of those the one with the most of these.
    """
    width = max(width, _NARROWEST)
    source = plain(text[:MAX_TEXT])
    asked = _asked(query)
    others = frozenset(instead) - asked
    pieces = _pieces(source, asked | others, width)
    if not pieces:
        return Excerpt("", (), 1)
    first, last = _window(source, pieces, asked, width - 2 * len(_CUT))
    head = _CUT if first > 0 else ""
    tail = _CUT if last < len(pieces) - 1 or len(text) > MAX_TEXT else ""
    shown, spans = _joined(source, pieces[first : last + 1], head)
    matched = [piece for piece in pieces[first : last + 1] if piece.terms]
    line = 1 + source.count("\n", 0, (matched or pieces[first:])[0].start)
    return Excerpt(shown + tail, spans, line, _words_of(source, pieces, others))


def _words_of(source: str, pieces: list[_Piece], terms: frozenset[str]) -> tuple[str, ...]:
    """The first word of a text for each of these terms that it holds."""
    found: dict[str, str] = {}
    for piece in pieces if terms else ():
        for term in piece.terms & terms:
            if term not in found:
                word = source[piece.start : piece.end]
                start, end = _without_edges(word)
                found[term] = word[start:end].casefold()
    return tuple(dict.fromkeys(found.values()))


#: every hit of an answer is shown for the same query
@lru_cache(maxsize=2)
def _asked(query: str) -> frozenset[str]:
    return frozenset(query_terms(query))


def _pieces(source: str, asked: frozenset[str], width: int) -> list[_Piece]:
    """The pieces of a text, none wider than the narrowest window, with the asked terms in each."""
    longest = max(1, min(60, (width - 2) // 2))
    cutter = re.compile(f"[{DENSE}]|[^\\s{DENSE}]{{1,{longest}}}")
    dense = _dense_matches(source, asked)
    pieces: list[_Piece] = []
    for match in cutter.finditer(source):
        piece = match.group()
        terms = _asked_in(piece, asked) if asked else asked
        if dense:
            terms |= dense.get(match.start(), frozenset())
        pieces.append(_Piece(match.start(), match.end(), columns(piece), terms))
    return pieces


@lru_cache(maxsize=512)
def _asked_in(word: str, asked: frozenset[str]) -> frozenset[str]:
    """The asked terms in a word; the hits of one question have most of their words in common."""
    return asked & frozenset(query_terms(word))


def _dense_matches(source: str, asked: frozenset[str]) -> dict[int, frozenset[str]]:
    """Offset of a character -> the asked terms of a dense script that it is part of."""
    found: dict[int, frozenset[str]] = {}
    for term in sorted(term for term in asked if re.fullmatch(f"[{DENSE}]+", term)):
        at = source.find(term)
        while at >= 0:
            for offset in range(at, at + len(term)):
                found[offset] = found.get(offset, frozenset()) | {term}
            at = source.find(term, at + 1)
    return found


def _gap(source: str, left: _Piece, right: _Piece) -> int:
    """Columns between two neighbours: one for white space, none where a word was cut."""
    return int(left.end < right.start)


def _window(
    source: str, pieces: list[_Piece], asked: frozenset[str], width: int
) -> tuple[int, int]:
    """First and last piece of the stretch to show: the most terms, those asked for first, then the
    most matches."""
    first = used = matches = 0
    counts: Counter[str] = Counter()
    best, chosen = (0, 0, 0), (0, 0)
    for last, piece in enumerate(pieces):
        used += piece.columns + (_gap(source, pieces[last - 1], piece) if last > first else 0)
        if piece.terms:
            counts.update(piece.terms)
            matches += 1
        while used > width:
            gone = pieces[first]
            used -= gone.columns + _gap(source, gone, pieces[first + 1])
            if gone.terms:
                counts -= Counter(gone.terms)
                matches -= 1
            first += 1
        if piece.terms:
            held = (len(asked & counts.keys()), len(counts), matches)
            if held > best:
                best, chosen = held, (first, last)
    return _centred(source, pieces, chosen, width)


def _centred(
    source: str, pieces: list[_Piece], chosen: tuple[int, int], width: int
) -> tuple[int, int]:
    """From the first to the last match of a stretch, and what there is room for on either side."""
    matched = [at for at in range(chosen[0], chosen[1] + 1) if pieces[at].terms] or [0]
    first, last = matched[0], matched[-1]
    used = sum(piece.columns for piece in pieces[first : last + 1])
    used += sum(_gap(source, pieces[at], pieces[at + 1]) for at in range(first, last))
    grown = True
    while grown:
        grown = False
        for step in (-1, 1):
            edge, beyond = (first, first - 1) if step < 0 else (last, last + 1)
            if 0 <= beyond < len(pieces):
                pair = sorted((edge, beyond))
                more = pieces[beyond].columns + _gap(source, pieces[pair[0]], pieces[pair[1]])
                if used + more <= width:
                    used, grown = used + more, True
                    first, last = min(first, beyond), max(last, beyond)
    return first, last


def _joined(
    source: str, pieces: list[_Piece], head: str
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The pieces as one line, and where the matches stand in it; touching ones are one."""
    line = head
    spans: list[tuple[int, int]] = []
    before: _Piece | None = None
    for piece in pieces:
        line += " " if before and _gap(source, before, piece) else ""
        word = source[piece.start : piece.end]
        if piece.terms:
            start, end = _without_edges(word)
            span = (len(line) + start, len(line) + end)
            if spans and spans[-1][1] == span[0]:
                span = (spans.pop()[0], span[1])
            spans.append(span)
        line += word
        before = piece
    return line, tuple(spans)


def _without_edges(word: str) -> tuple[int, int]:
    """Offsets of a word without the punctuation around it; all of it when there is nothing else."""
    bare = _EDGES.sub("", word)
    if not bare:
        return 0, len(word)
    start = word.index(bare)
    return start, start + len(bare)
