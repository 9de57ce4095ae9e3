"""The same contract in memory: for searching the files when there is no index, and for tests.

Same terms, same formula, same order as the index on disk; nothing is written and nothing outlives
the object. A search costs time in proportion to the documents that hold a word of the query.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from engram.index.analysis import query_terms, terms
from engram.index.contract import COLLECTIONS, IndexState, IndexUnusable
from engram.index.scoring import FIELDS, best, rarity, saturation
from engram.model.hit import Collection, Document, Found


@dataclass(slots=True)
class _Field:
    """One field of one collection: term -> key -> count, and key -> length."""

    postings: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    lengths: dict[str, int] = field(default_factory=dict)

    def put(self, key: str, text: str) -> None:
        counted = Counter(terms(text))
        self.lengths[key] = counted.total()
        for term, count in counted.items():
            self.postings[term][key] = count

    def take(self, key: str) -> None:
        if self.lengths.pop(key, None) is not None:
            for holding in self.postings.values():
                holding.pop(key, None)

    def add_scores(self, term: str, boost: float, scores: defaultdict[str, float]) -> None:
        holding = self.postings.get(term)
        if not holding:
            return
        average = sum(self.lengths.values()) / len(self.lengths) or 1.0
        weight = boost * rarity(len(self.lengths), len(holding))
        for key, count in holding.items():
            scores[key] += weight * saturation(count, self.lengths[key], average)


class PlainFinder:
    """Documents in dictionaries; keeps the contract of `contract.Index`."""

    def __init__(self) -> None:
        """Unusable until the first `rebuild`."""
        self._generation = 0
        self._seen: int | None = None
        self._faults = 0
        self._usable = False
        self._fields = _empty()

    def update(
        self,
        documents: Iterable[Document],
        removed: Iterable[tuple[Collection, str]],
        *,
        seen: int | None = None,
    ) -> None:
        """Remove keys, then add or replace documents. Raises IndexUnusable before a rebuild."""
        come = list(documents)
        gone = list(removed)
        self._require_usable()
        for collection, key in gone:
            self._take(collection, key)
        for document in come:
            self._put(self._fields, document)
        self._seen = self._seen if seen is None else seen

    def find(self, query: str, collection: Collection, limit: int) -> list[Found]:
        """The best documents that hold any word of the query. Raises IndexUnusable."""
        asked = query_terms(query)
        if not asked or limit < 1:
            return []
        self._require_usable()
        scores: defaultdict[str, float] = defaultdict(float)
        for name, boost in FIELDS:
            for term in asked:
                self._fields[collection][name].add_scores(term, boost, scores)
        return [Found(key, collection, score) for key, score in best(scores, limit, str)]

    def rebuild(self, documents: Iterable[Document], *, seen: int | None = None) -> None:
        """Take these documents instead of all others."""
        fields = _empty()
        for document in documents:
            self._put(fields, document)
        self._fields = fields
        self._generation += 1
        self._usable = True
        self._seen = self._seen if seen is None else seen

    def state(self) -> IndexState:
        """How many documents of each collection there are."""
        if not self._usable:
            return IndexState(0, 0, 0, None, False, "there is no index yet", self._faults)
        memories, turns = (len(self._fields[name]["body"].lengths) for name in COLLECTIONS)
        return IndexState(self._generation, memories, turns, self._seen, True, "", self._faults)

    def drop(self) -> None:
        """Forget everything."""
        self._fields = _empty()
        self._usable = False
        self._seen = None

    def close(self) -> None:
        """There is nothing to let go."""

    def _put(self, fields: dict[Collection, dict[str, _Field]], document: Document) -> None:
        for name, text in (("title", document.title), ("body", document.body)):
            here = fields[document.collection][name]
            here.take(document.key)
            here.put(document.key, text)

    def _take(self, collection: Collection, key: str) -> None:
        for here in self._fields[collection].values():
            here.take(key)

    def _require_usable(self) -> None:
        if not self._usable:
            self._faults += 1
            raise IndexUnusable("there is no index yet")


def _empty() -> dict[Collection, dict[str, _Field]]:
    return {collection: {name: _Field() for name, _ in FIELDS} for collection in COLLECTIONS}
