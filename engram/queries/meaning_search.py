"""Search by meaning: a question -> what lies near it, beside what its words found.

Guarantees: only what the caller's filter admits is found; a question is sent once, whatever
collections are looked at; where no vector of it is to be had within `PATIENCE` seconds the words
stand alone, `told` says why, and nobody is asked again for a minute. Nothing is sent while there is
nothing to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from engram.index.vector_store import (
    Nearness,
    OtherDimensions,
    VectorStore,
    VectorsUnusable,
    require_numpy,
)
from engram.model.errors import EngramError
from engram.model.instant import plus_minutes
from engram.recall.embedded_text import texts_of_question
from engram.recall.fused_scores import with_meaning

if TYPE_CHECKING:
    from engram.model.hit import Admit, Collection, Found
    from engram.model.instant import Instant
    from engram.model.ports import Clock, Embedder

#: how long a search waits for the vector of a question, seconds
PATIENCE = 2.0
#: minutes in which nobody is asked again who did not answer
_REST = 1.0
#: of the nearest, so many are looked at for enough that a filter admits
_DEEPEST = 2_000


class MeaningSearch:
    """The vectors of one vault, and who makes one of a question."""

    def __init__(
        self, vectors: VectorStore, embedder: Embedder, clock: Clock, last_purge: Callable[[], int]
    ) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._clock = clock
        self._last_purge = last_purge
        self._asked: tuple[str, Sequence[float]] = ("", ())
        self._rests_until: Instant = ""
        self._reason = ""
        #: why the last question was answered by words alone; empty where it was not
        self.told = ""

    def beside(
        self, found: list[Found], question: str, collection: Collection, most: int, admit: Admit
    ) -> list[Found]:
        """What the words found, and at most so many that lie near, in one order."""
        self.told = ""
        if not question.strip():
            return found
        try:
            return self._fused(found, question, collection, most, admit)
        except OtherDimensions as reason:
            self.told = f"the model makes vectors of another length ({reason}): `engram embed`"
        except (VectorsUnusable, EngramError) as reason:
            self.told = str(reason)
        return found

    def _fused(
        self, found: list[Found], question: str, collection: Collection, most: int, admit: Admit
    ) -> list[Found]:
        if self._vectors.made_by() != (self._embedder.model, self._last_purge()):
            raise VectorsUnusable("there are no vectors yet: `engram embed` makes them")
        if not self._vectors.holds(collection):
            return found
        require_numpy()
        nearness = self._vectors.near(collection, self._vector(question))
        near = nearness.of([one.key for one in found])
        near.update(_admitted(nearness, most, admit))
        return with_meaning(found, near, nearness.spread, collection)

    def _vector(self, question: str) -> Sequence[float]:
        if self._asked[0] == question:
            return self._asked[1]
        now = self._clock.now()
        if self._rests_until and now < self._rests_until <= plus_minutes(now, _REST):
            raise VectorsUnusable(self._reason)
        try:
            vectors = self._embedder.embed(texts_of_question(question))
        except EngramError as error:
            self._rests_until, self._reason = plus_minutes(now, _REST), str(error)
            raise
        from engram.index.unit_vectors import average_of

        self._asked = (question, average_of(vectors))
        return self._asked[1]


def _admitted(nearness: Nearness, most: int, admit: Admit) -> dict[str, float]:
    """The nearest that a filter lets through, with their cosines; none as far as the average."""
    found: dict[str, float] = {}
    looked_at, (_, mean, _) = 0, nearness.spread
    for portion in nearness.nearest():
        near = [one for one in portion if one[1] >= mean]
        passed = frozenset(admit([key for key, _ in near]))
        found.update(one for one in near if one[0] in passed)
        looked_at += len(portion)
        if len(found) >= most or looked_at >= _DEEPEST or len(near) < len(portion):
            break
    return dict(islice(found.items(), most))
