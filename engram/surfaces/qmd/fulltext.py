"""Full-text search as qmd has it, and its fusion of several queries: questions -> ranked documents.

    search    all words, scored raw/(1+raw); several collections are merged by score
    lex:      the same as one list of a fusion; vec: and hyde: any of their words
    query     a plain question: the list of all words, fused with the list of any word
    vsearch   any of the words, scored as `search` does

Lists are fused by reciprocal rank (k = 60, the first list twice, a bonus for the first three
places) and scored 1/rank, as qmd does without its reranker. Raises BadQuery.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engram.surfaces.qmd.index import DocumentIndex, IndexedDocument
from engram.surfaces.qmd.rows import BadQuery, Kind, Typed
from engram.surfaces.qmd.terms import asked, lexical_fault, semantic_fault

_K = 60
_FIRST, _LATER = 2.0, 1.0
#: of one list, and of all lists together
_LIST, _CANDIDATES = 20, 40

_TYPED = re.compile(r"(lex|vec|hyde):\s*(.*)", re.IGNORECASE | re.DOTALL)
_INTENT = re.compile(r"intent:\s*(.*)", re.IGNORECASE | re.DOTALL)
_EXPAND = re.compile(r"expand:\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """What a query document says: typed lines, or one plain question; and its intent."""

    typed: tuple[Typed, ...] = ()
    plain: str = ""
    intent: str = ""

    @property
    def shown(self) -> str:
        """The words by which a snippet is chosen."""
        for kind in ("lex", "vec"):
            for one in self.typed:
                if one.kind == kind:
                    return one.query
        return self.typed[0].query if self.typed else self.plain


class RankedDocument(NamedTuple):
    """One document with its score; `traces` say what gave it its place in a fusion."""

    document: IndexedDocument
    score: float
    explain: dict[str, object] | None = None


@dataclass(slots=True)
class _Standing:
    """What the lists of a fusion give to one document."""

    document: IndexedDocument
    base: float = 0.0
    top: int = _LIST + 1
    traces: list[dict[str, object]] = field(default_factory=list)

    @property
    def bonus(self) -> float:
        return 0.05 if self.top == 1 else 0.02 if self.top <= 3 else 0.0

    @property
    def total(self) -> float:
        return self.base + self.bonus


class _ResultList(NamedTuple):
    """One ranked list: who asked for it, and the documents with their scores."""

    kind: str
    query: str
    hits: list[tuple[float, IndexedDocument]]


def question_of(text: str) -> Question:
    """A query document: typed lines with at most one intent, or one plain line."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line]
    typed: list[Typed] = []
    intent: str | None = None
    for number, line in lines:
        if match := _EXPAND.fullmatch(line):
            if len(lines) > 1:
                raise BadQuery(
                    f"Line {number} starts with expand:, but query documents cannot mix expand with"
                    " typed lines. Submit a single expand query instead."
                )
            if not match[1].strip():
                raise BadQuery("expand: query must include text.")
            return Question(plain=match[1].strip())
        if match := _INTENT.fullmatch(line):
            if intent is not None:
                raise BadQuery(
                    f"Line {number}: only one intent: line is allowed per query document."
                )
            intent = match[1].strip()
            if not intent:
                raise BadQuery(f"Line {number}: intent: must include text.")
        elif match := _TYPED.fullmatch(line):
            kind, said = _kind(match[1]), match[2].strip()
            if not said:
                raise BadQuery(f"Line {number} ({kind}:) must include text.")
            typed.append(Typed(kind, said, number))
        elif len(lines) == 1:
            return Question(plain=line)
        else:
            raise BadQuery(
                f"Line {number} is missing a lex:/vec:/hyde:/intent: prefix. Each line in a query"
                " document must start with one."
            )
    if intent is not None and not typed:
        raise BadQuery("intent: cannot appear alone. Add at least one lex:, vec:, or hyde: line.")
    return Question(tuple(typed), intent=intent or "")


def check(searches: Sequence[Typed]) -> None:
    """Raise BadQuery for invalid sub-queries."""
    for one in searches:
        where = f"Line {one.line}" if one.line else "Structured search"
        if "\n" in one.query or "\r" in one.query:
            raise BadQuery(
                f"{where} ({one.kind}): queries must be single-line. Remove newline characters."
            )
        fault = (lexical_fault if one.kind == "lex" else semantic_fault)(one.query)
        if fault:
            raise BadQuery(f"{where} ({one.kind}): {fault}")


def by_score(
    index: DocumentIndex, query: str, names: Sequence[str], fetch: int, *, relaxed: bool = False
) -> list[RankedDocument]:
    """The best of some collections (all, if none is named) with qmd's scores."""
    units = asked(query)
    expression = units.relaxed() if relaxed else units.strict()
    hits = _of_collections(index, expression, names, fetch)
    best = sorted((hit for found in hits for hit in found), key=lambda hit: -_score(hit[0]))
    return [RankedDocument(document, _score(raw)) for raw, document in best[:fetch]]


def fused(
    index: DocumentIndex, question: Question, names: Sequence[str], *, explain: bool = False
) -> list[RankedDocument]:
    """The documents of all lists of a question, scored by their place."""
    standings: dict[int, _Standing] = {}
    for number, ranking in enumerate(_lists(index, question, names)):
        weight = _LATER if number else _FIRST
        for rank, (raw, document) in enumerate(ranking.hits, 1):
            share = weight / (_K + rank)
            standing = standings.setdefault(document.id, _Standing(document))
            standing.base += share
            standing.top = min(standing.top, rank)
            standing.traces.append({
                "listIndex": number, "source": "fts", "queryType": ranking.kind,
                "query": ranking.query, "rank": rank, "weight": weight,
                "backendScore": _score(raw), "rrfContribution": share,
            })  # fmt: skip
    best = sorted(standings.values(), key=lambda one: -one.total)[:_CANDIDATES]
    return [
        RankedDocument(one.document, 1 / rank, _explained(one, rank) if explain else None)
        for rank, one in enumerate(best, 1)
    ]


def _lists(index: DocumentIndex, question: Question, names: Sequence[str]) -> list[_ResultList]:
    """The lists of a question, the ones that count most first."""
    wanted: list[tuple[str, str, str | None]] = []
    for one in question.typed:
        if one.kind == "lex":
            wanted.append(("lex", one.query, asked(one.query).strict()))
    for one in question.typed:
        if one.kind != "lex":
            wanted.append((one.kind, one.query, asked(one.query).relaxed()))
    if question.plain:
        units = asked(question.plain)
        wanted.append(("original", question.plain, units.strict()))
        wanted.append(("original", question.plain, units.relaxed()))
    return [
        _ResultList(kind, query, hits)
        for kind, query, expression in wanted
        for hits in _of_collections(index, expression, names, _LIST)
        if hits
    ]


def _of_collections(
    index: DocumentIndex, expression: str | None, names: Sequence[str], most: int
) -> list[list[tuple[float, IndexedDocument]]]:
    """The best of each collection apart, in the order they were named; one list if none was."""
    if expression is None:
        return []
    if not names:
        return [index.matches(expression, most)]
    # as qmd: some of the best are of other collections, so more are asked for
    found = index.matches(expression, most * 10)
    apart: dict[str, list[tuple[float, IndexedDocument]]] = {name: [] for name in names}
    for hit in found:
        of_one = apart.get(hit[1].collection)
        if of_one is not None and len(of_one) < most:
            of_one.append(hit)
    return list(apart.values())


def _score(raw: float) -> float:
    return abs(raw) / (1 + abs(raw))


def _kind(text: str) -> Kind:
    lower = text.lower()
    return "lex" if lower == "lex" else "vec" if lower == "vec" else "hyde"


def _explained(one: _Standing, rank: int) -> dict[str, object]:
    return {
        "ftsScores": [trace["backendScore"] for trace in one.traces],
        "vectorScores": [],
        "rrf": {
            "rank": rank, "positionScore": 1 / rank, "weight": 1, "baseScore": one.base,
            "topRankBonus": one.bonus, "totalScore": one.total, "contributions": one.traces,
        },
        "rerankScore": 0,
        "blendedScore": 1 / rank,
    }  # fmt: skip
