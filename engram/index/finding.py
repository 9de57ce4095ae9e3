"""Search of one collection: a query -> the best documents, whatever index gives the postings.

The query's words become terms (`language.tokens`), without stop-words; names of speakers leave the
words and count as speakers; prefixes become the terms they begin; a question for a time adds words
of time. Documents are read in the order of their scores until enough are admitted: a filter never
loses what lies behind the first page of results.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from engram.index.scoring import (
    COMPOUNDED,
    GERMAN,
    MARK,
    STEM,
    TIME_WORD,
    TIME_WORDS,
    Corpus,
    Span,
    TurnScores,
    best,
    german_end,
    german_term,
    memory_scores,
    speaker_term,
)
from engram.language.stop_words import QUERY
from engram.language.tokens import MAX_TERMS, beginning, query_terms
from engram.model.hit import Admit, Collection, Document, Found, Hints, place_in
from engram.model.text import words

if TYPE_CHECKING:
    from engram.model.instant import Day

#: terms that a prefix expands to
_EXPANSIONS = 32
#: letters of a German word that are looked for in compounds
_PART = 4
#: documents that are filtered in one call, the first time
_BATCH = 64
_EPOCH = date(1970, 1, 1).toordinal()
#: of the year 2149; a later day counts as this
_LATEST_DAY = 0xFFFF


def find(
    corpus: Corpus, query: str, collection: Collection, limit: int, hints: Hints,
    admit: Admit | None,
) -> list[Found]:  # fmt: skip
    """The best documents that hold any of the words, best first, equal ones by key."""
    if not corpus.count:
        return []
    names = _speakers(corpus, query) if collection == "turns" else []
    asked = _asked(corpus, query, names, hints)
    if collection != "turns":
        scores, turns = memory_scores(corpus, asked), None
    else:
        turns = TurnScores(corpus, asked, names, [_span(*span) for span in hints.spans])
        scores = turns.scores()
    first, last = number_of(hints.since), number_of(hints.before)
    if first or last:
        days, end = corpus.days, last if 0 < last < _LATEST_DAY else _LATEST_DAY + 1
        scores = {number: score for number, score in scores.items() if first <= days[number] < end}
    found = []
    for number, key, score in _let_through(corpus, scores, limit, admit):
        parts = turns.parts(number) if turns is not None else (("words", round(score, 3)),)
        found.append(Found(key, collection, score, parts))
    return found


def _let_through(
    corpus: Corpus, scores: dict[int, float], limit: int, admit: Admit | None
) -> Iterator[tuple[int, str, float]]:
    if admit is None:
        yield from best(scores, limit, corpus.key)
        return
    looked_at, left, size = 0, limit, max(_BATCH, limit)
    while left and looked_at < len(scores):
        # nearly always the first call will do; each further one is twice as deep
        ordered = best(scores, looked_at + size, corpus.key)[looked_at:]
        passed = frozenset(admit([key for _, key, _ in ordered]))
        for one in ordered:
            if left and one[1] in passed:
                left -= 1
                yield one
        looked_at, size = looked_at + len(ordered), size * 2


def _asked(corpus: Corpus, query: str, names: list[str], hints: Hints) -> dict[str, float]:
    """The terms to search for, each with its weight."""
    spoken = {term for name in names for term in query_terms(name)}
    told = query_terms(query)
    asked = {term: 1.0 for term in told if term not in spoken} or dict.fromkeys(told, 1.0)
    if corpus.expand(GERMAN, 1):
        for term, weight in _german(corpus, query):
            asked.setdefault(term, weight)
    for prefix in hints.prefixes:
        begun = beginning(prefix)
        # terms are stems: a long prefix stands for the whole word as well
        for term in (*query_terms(prefix), *(corpus.expand(begun, _EXPANSIONS) if begun else ())):
            asked.setdefault(term, 1.0)
    if hints.when:
        for term in query_terms(TIME_WORDS):
            asked.setdefault(term, TIME_WORD)
    return dict(list(asked.items())[: MAX_TERMS * 2])


def _german(corpus: Corpus, query: str) -> Iterator[tuple[str, float]]:
    """The stems of a query as German words, and the compounds that they begin or end."""
    # imported here: few vaults hold German
    from engram.language.german import german_stems

    for stem in dict.fromkeys(german_stems(query)[:MAX_TERMS]):
        yield german_term(stem), STEM
        if len(stem) >= _PART:
            for term in corpus.expand(german_term(stem), _EXPANSIONS):
                yield term, COMPOUNDED
            for term in corpus.expand(german_end(stem), _EXPANSIONS):
                yield german_term(term[1:][::-1]), COMPOUNDED


def _speakers(corpus: Corpus, query: str) -> list[str]:
    """The names in a query of people who speak in the collection."""
    if not corpus.expand(MARK, 1):
        return []
    spoken = dict.fromkeys(word.removesuffix("'s") for word in words(query))
    named = [word for word in spoken if word not in QUERY]
    return [word for word in named[:MAX_TERMS] if corpus.postings(speaker_term(word))]


def number_of(day: Day) -> int:
    """A day as days since 1970 in 16 bits; 0 for none, one before, and an invalid one."""
    try:
        return min(max(date.fromisoformat(day).toordinal() - _EPOCH, 0), _LATEST_DAY)
    except ValueError:
        return 0


def place_of(document: Document) -> int:
    """The place of a turn; without session and number it is a conversation of its own."""
    if document.place or document.collection != "turns":
        return document.place
    return place_in(document.key, 1)


def _span(first: Day, last: Day) -> Span:
    return number_of(first), number_of(last)
