"""Embedding: keeps the vectors in step with what a vault remembers and what was said.

Turns memories, then turns, into vectors, in batches that a model takes at once, and forgets those
of what is no longer in sight. Guarantees: what is done stays done when the model goes away, the
budget ends or the process is killed; a memory that nobody may be given is never sent, nor a turn
that was taken back, hidden or purged. Writes nothing but the cache and the usage log.

One process at a time, under a lock of its own. It knows a memory's vector by a digest of the text,
a turn's by the turn before: a turn itself never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from engram.index.vector_store import OtherDimensions, VectorStore, VectorsUnusable, require_numpy
from engram.model.errors import BadAnswer, BudgetExceeded, ConfigError, ModelError, StorageError
from engram.model.report import Embedded
from engram.model.text import sha256_text, tokens_of
from engram.recall.embedded_text import text_of_memory, text_of_turn

if TYPE_CHECKING:
    from engram.model.hit import Collection
    from engram.model.ports import Embedder
    from engram.queries.lookup import Lookup
    from engram.store.base.lock import WriterLock
    from engram.store.commits.projections import Projections

#: texts of one request: more make an answer of many megabytes
_BATCH = 64
#: To find the one text of a batch that a model makes no vector of takes 7 requests that bring
#: nothing; so many in a row are the model's fault.
_MOST_FRUITLESS = 16
#: why an answer brought nothing that may be due to one of the texts
_OF_A_TEXT = ("too-long", "no-vectors")
#: turns that are read at once
_READ = 256


class Wanted(NamedTuple):
    """One text that has no vector yet; `stamp` tells what its vector is made from."""

    collection: Collection
    key: str
    stamp: str
    text: str


class Embedding:
    """The vectors of one vault, brought up."""

    def __init__(
        self, projections: Projections, lookup: Lookup, vectors: VectorStore, embedder: Embedder,
        lock: Callable[[], WriterLock], most_tokens: int,
    ) -> None:  # fmt: skip
        """`most_tokens` is what one request may hold; `lock()` is held by the one who works."""
        self._projections = projections
        self._lookup = lookup
        self._vectors = vectors
        self._embedder = embedder
        self._lock = lock
        self._most_tokens = most_tokens
        #: requests in a row that brought no vectors
        self._fruitless = 0

    def left(self) -> tuple[int, int]:
        """How many texts have no vector yet, and about how many tokens they are."""
        state = self._vectors.state()
        usable = (state.model, state.purge) == (self._embedder.model, self._last_purge())
        texts = [one.text for one in self._wanted(remove=False, anew=not usable)]
        return len(texts), sum(tokens_of(text, typical=True) for text in texts)

    def bring_up(self, progress: Callable[[int], None], most: int | None = None) -> Embedded:
        """Make what is missing, at most so many vectors, and say how many they are.

        Raises ConfigError without numpy, StorageError where the cache cannot be written.
        """
        try:
            require_numpy()
        except VectorsUnusable as error:
            hint = 'install it, or `engram config set llm.embedding_model ""`'
            raise ConfigError(str(error), hint) from error
        with self._lock().hold(0.0):
            try:
                self._vectors.begin(self._embedder.model, self._last_purge())
                try:
                    return self._made(progress, most)
                except OtherDimensions:
                    # the model behind the name is another one now: nothing old can be compared
                    self._vectors.drop()
                    self._vectors.begin(self._embedder.model, self._last_purge())
                    return self._made(progress, most)
            except VectorsUnusable as error:
                raise StorageError(str(error)) from error
            except OtherDimensions as error:
                return self._told(f"sent vectors of length {error}")

    def _last_purge(self) -> int:
        return self._projections.catalog.log.last_of("purge")

    def _made(self, progress: Callable[[int], None], most: int | None) -> Embedded:
        made = self._fruitless = 0
        wanted = islice(self._wanted(remove=True), most)
        try:
            for batch in _batches(wanted, self._most_tokens):
                made += self._put(batch)
                progress(len(batch))
        except (ModelError, BudgetExceeded) as error:
            return Embedded(made, error.code, str(error), error.hint)
        if self._fruitless and not made:
            return self._told("sent no vectors")
        return Embedded(made)

    def _told(self, what: str) -> Embedded:
        error = BadAnswer("no-vectors", f"{self._embedder.model} {what}")
        return Embedded(0, error.code, str(error), error.hint)

    def _put(self, batch: Sequence[Wanted]) -> int:
        """Embed a batch; what the model cannot embed in two parts, and then left out."""
        try:
            vectors = self._embedder.embed([one.text for one in batch])
        except BadAnswer as error:
            # of some texts a model makes zeros, and a very long answer is cut off
            self._fruitless += error.reason == "no-vectors"
            if error.reason not in _OF_A_TEXT or self._fruitless >= _MOST_FRUITLESS:
                raise
            half = len(batch) // 2
            return self._put(batch[:half]) + self._put(batch[half:]) if half else 0
        self._fruitless = 0
        self._vectors.put(batch[0].collection, [one[1:3] for one in batch], vectors)
        return len(batch)

    def _wanted(self, *, remove: bool, anew: bool = False) -> Iterator[Wanted]:
        """What has no vector, memories first; with `remove` those go that are not in sight."""
        memories = {} if anew else self._vectors.stamps("memories")
        found, seen = [], set()
        withheld = self._projections.catalog.withheld()
        for memory in self._projections.catalog.memories():
            text = text_of_memory(memory) if memory.id not in withheld else ""
            if text:
                seen.add(memory.id)
                stamp = sha256_text(text)
                if memories.get(memory.id) != stamp:
                    found.append(Wanted("memories", memory.id, stamp, text))
        if remove:
            self._vectors.remove("memories", memories.keys() - seen)
        yield from found
        yield from self._wanted_turns({} if anew else self._vectors.stamps("turns"), remove)

    def _wanted_turns(self, stamps: dict[str, str], remove: bool) -> Iterator[Wanted]:
        before = dict(self._turns_in_order())
        if remove:
            self._vectors.remove("turns", stamps.keys() - before.keys())
        missing = iter([link for link, stamp in before.items() if stamps.get(link) != stamp])
        while some := list(islice(missing, _READ)):
            turns = self._lookup.turns([*some, *(before[link] for link in some if before[link])])
            for link in some:
                turn = turns.get(link)
                text = text_of_turn(turn, turns.get(before[link])) if turn else ""
                if text:
                    yield Wanted("turns", link, before[link], text)

    def _turns_in_order(self) -> Iterator[tuple[str, str]]:
        """`(link, link of the turn before)` of every turn in sight."""
        catalog = self._projections.catalog
        there = catalog.turns.all_links() - catalog.hidden()
        for name in sorted(catalog.turns.transcript_names()):
            previous = ""
            for link in catalog.turns.links_of(name):
                if link in there:
                    yield link, previous
                    previous = link


def _batches(wanted: Iterable[Wanted], most_tokens: int) -> Iterator[list[Wanted]]:
    """Texts of one collection that one request may hold."""
    batch: list[Wanted] = []
    tokens = 0
    for one in wanted:
        more = tokens_of(one.text)
        full = len(batch) == _BATCH or tokens + more > most_tokens
        if batch and (full or one.collection != batch[0].collection):
            yield batch
            batch, tokens = [], 0
        batch.append(one)
        tokens += more
    if batch:
        yield batch
