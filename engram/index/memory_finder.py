"""Index in memory: for searching the files when there is no index on disk, and for tests.

Same bags, same formula, same order as the index on disk; nothing is written and nothing outlives
the object. After a change the next search counts everything again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from engram.index.bag import Bag, bag_of
from engram.index.contract import COLLECTIONS, IndexState, IndexUnusable
from engram.index.day_scores import documents_of_days, number_of
from engram.index.finding import find, place_of
from engram.index.scoring import Postings, surprises
from engram.index.turn_order import TurnOrder, turn_order
from engram.model.hit import Admit, Collection, Document, Found, Hints

#: key -> the document and its bag
_Held = dict[str, tuple[Document, Bag]]


class _Counted:
    """One collection with its counts: the `Corpus` of a search."""

    def __init__(self, held: _Held) -> None:
        rows = [held[key] for key in sorted(held)]
        self._keys = [document.key for document, _ in rows]
        self.lengths = [bag.length for _, bag in rows]
        self.priors = [bag.prior for _, bag in rows]
        self.days = [number_of(document.day) for document, _ in rows]
        self._places = [place_of(document) for document, _ in rows]
        self.count = len(rows)
        self.average = sum(self.lengths) / (self.count or 1)
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        for number, (_, bag) in enumerate(rows):
            for term, weight in bag.terms.items():
                documents, weights = self._postings.setdefault(term, ([], []))
                documents.append(number)
                weights.append(min(weight, 255))

    @cached_property
    def on_day(self) -> Mapping[int, Sequence[int]]:
        """The documents of each day."""
        return documents_of_days(self.days)

    @cached_property
    def order(self) -> TurnOrder:
        """The order of turns."""
        return turn_order(self._places, self.lengths)

    def postings(self, term: str) -> list[Postings]:
        """The postings of a term."""
        held = self._postings.get(term)
        return [] if held is None else [(0, *held)]

    def expand(self, prefix: str, most: int) -> list[str]:
        """The first terms that begin with a prefix."""
        return sorted(term for term in self._postings if term.startswith(prefix))[:most]

    def key(self, document: int) -> str:
        """The key of a document."""
        return self._keys[document]


class MemoryFinder:
    """Documents in dictionaries; keeps `contract.SearchIndex`."""

    def __init__(self) -> None:
        """Unusable until the first `rebuild`."""
        self._generation = 0
        self._seen: int | None = None
        self._faults = 0
        self._usable = False
        self._held: dict[Collection, _Held] = {name: {} for name in COLLECTIONS}
        self._counted: dict[Collection, _Counted] = {}

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
            self._held[collection].pop(key, None)
        for document in come:
            self._held[document.collection][document.key] = (document, bag_of(document))
        self._counted.clear()
        self._seen = self._seen if seen is None else seen

    def find(
        self, query: str, collection: Collection, limit: int, hints: Hints = Hints(),
        admit: Admit | None = None,
    ) -> list[Found]:  # fmt: skip
        """The best documents that hold any word of the query. Raises IndexUnusable."""
        if limit < 1:
            return []
        self._require_usable()
        return find(self._corpus(collection), query, collection, limit, hints, admit)

    def terms_like(self, term: str, most: int) -> list[str]:
        """Terms of the memories that begin as a term does. Raises IndexUnusable."""
        self._require_usable()
        return self._corpus("memories").expand(term[:_SAME_BEGINNING], most)

    def surprises(self, terms: Sequence[str]) -> list[float]:
        """How telling each term is among turns. Raises IndexUnusable."""
        self._require_usable()
        return surprises(self._corpus("turns"), terms)

    def rebuild(self, documents: Iterable[Document], *, seen: int | None = None) -> None:
        """Replace all documents."""
        held: dict[Collection, _Held] = {name: {} for name in COLLECTIONS}
        for document in documents:
            held[document.collection][document.key] = (document, bag_of(document))
        self._held = held
        self._counted.clear()
        self._generation += 1
        self._usable = True
        self._seen = self._seen if seen is None else seen

    def state(self) -> IndexState:
        """How many documents of each collection there are."""
        if not self._usable:
            return IndexState(0, 0, 0, None, False, "there is no index yet", self._faults)
        memories, turns, pages = (len(self._held[name]) for name in COLLECTIONS)
        return IndexState(
            self._generation, memories, turns, self._seen, True, "", self._faults, pages=pages
        )

    def drop(self) -> None:
        """Remove everything."""
        self._held = {name: {} for name in COLLECTIONS}
        self._counted.clear()
        self._usable = False
        self._seen = None

    def close_replaced(self) -> None:
        """Nothing to close."""

    def close(self) -> None:
        """Nothing to close."""

    def _corpus(self, collection: Collection) -> _Counted:
        if collection not in self._counted:
            self._counted[collection] = _Counted(self._held[collection])
        return self._counted[collection]

    def _require_usable(self) -> None:
        if not self._usable:
            self._faults += 1
            raise IndexUnusable("there is no index yet")


#: letters that a misspelt word mostly shares with the intended one
_SAME_BEGINNING = 2
