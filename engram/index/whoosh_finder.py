"""The Finder port on Whoosh: generations on disk, one searcher for each collection.

Every update is a new generation that shares the unchanged files of the last, so documents and the
number of the last transaction seen are published together (design 4.2). Whatever Whoosh or the disk
raises is logged, counted in `state().faults` and becomes IndexUnusable; an error of the stream of
documents itself is raised as it is. Whoosh is imported at the first real use.

One object may be used by many threads: searches wait for one another, and not for a writer.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Some
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engram.index.contract import COLLECTIONS, IndexState, IndexUnusable
from engram.index.finding import find
from engram.index.generations import FileMark, Generation, Generations, Manifest
from engram.index.scoring import surprises
from engram.language.tokens import ANALYSIS
from engram.model.hit import Admit, Collection, Document, Found, Hints

if TYPE_CHECKING:
    from engram.index.whoosh_index import CollectionReader

_log = logging.getLogger(__name__)

#: An index must have been made with this to be opened; raise the first number with the fields of
#: `whoosh_index`.
_SCHEMA = f"8.{ANALYSIS}"
#: letters that a misspelt word mostly shares with the intended one
_SAME_BEGINNING = 2
#: retries when a generation is replaced between reading the pointer and opening it
_ATTEMPTS = 5

Answer = TypeVar("Answer")


class WhooshFinder:
    """One index folder; keeps `contract.SearchIndex`."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made 0700 by the first `rebuild`; nothing in it is read before it is used."""
        self._generations = Generations(folder)
        self._searching = threading.Lock()
        self._writing = threading.Lock()
        self._readings: dict[Collection, CollectionReader] = {}
        self._read_at: FileMark | None = None
        self._broken: tuple[FileMark | None, str] | None = None
        self._faults = 0

    def update(
        self,
        documents: Iterable[Document],
        removed: Iterable[tuple[Collection, str]],
        *,
        seen: int | None = None,
    ) -> None:
        """Remove keys, then add or replace documents, and publish them with `seen` in one step.

        One Whoosh commit for each collection touched. Raises IndexUnusable; then nothing changed.
        """
        gone: dict[Collection, dict[str, None]] = {name: {} for name in COLLECTIONS}
        come: dict[Collection, dict[str, Document]] = {name: {} for name in COLLECTIONS}
        for collection, key in removed:
            gone[collection][key] = None
        for document in documents:
            come[document.collection][document.key] = document
            gone[document.collection][document.key] = None
        with self._writing, self._reporting("be updated"):
            base = self._current()
            before = base.manifest
            if seen is None:
                seen = before.seen
            if not any(gone.values()) and seen == before.seen:
                return
            counts: dict[Collection, int] = {
                "memories": before.memories, "turns": before.turns, "pages": before.pages,
            }  # fmt: skip
            with self._generations.building(base) as build:
                for collection in COLLECTIONS:
                    if gone[collection]:
                        counts[collection] = _revised(
                            build / collection, gone[collection], come[collection].values()
                        )
                self._generations.publish(build, _manifest(counts, seen), base)

    def find(
        self, query: str, collection: Collection, limit: int, hints: Hints = Hints(),
        admit: Admit | None = None,
    ) -> list[Found]:  # fmt: skip
        """The best documents that hold any word of the query, best first, equal ones by key.

        Never raises on any text of a query; raises IndexUnusable when the index is, and what
        `admit` raises.
        """
        if limit < 1:
            return []
        if admit is not None:
            admit = _Admitting(admit)
        return self._asked(
            lambda reading: find(reading, query, collection, limit, hints, admit), collection, admit
        )

    def terms_like(self, term: str, most: int) -> list[str]:
        """Terms of the memories that begin as a term does. Raises IndexUnusable."""
        return self._asked(lambda reading: reading.expand(term[:_SAME_BEGINNING], most), "memories")

    def surprises(self, terms: Sequence[str]) -> list[float]:
        """How telling each term is among turns. Raises IndexUnusable."""
        return self._asked(lambda reading: surprises(reading, terms), "turns")

    def _asked(
        self, ask: Callable[[CollectionReader], list[Answer]], collection: Collection,
        outside: Admit | None = None,
    ) -> list[Answer]:  # fmt: skip
        """The answer of the current generation; asked again when it changed meanwhile."""
        with self._searching, self._reporting("search", outside):
            for _ in range(_ATTEMPTS):
                try:
                    return ask(self._reading(collection))
                except Exception as error:
                    if isinstance(outside, _Admitting) and error is outside.failure:
                        raise
                    stale = self._read_at
                    self._close()
                    if self._generations.pointer() == stale:
                        self._broken = (stale, _reason(error))
                        raise
                    # A newer generation was published while this one was being opened.
            return ask(self._reading(collection))

    def rebuild(self, documents: Iterable[Document], *, seen: int | None = None) -> None:
        """Build a generation from all documents, aside, and swap it in; bounded memory.

        `seen` None keeps the number if the old generation still tells it. Raises IndexUnusable,
        or what the stream raises; then the old generation stays current.
        """
        stream = _Stream(documents)
        with self._writing, self._reporting("be rebuilt", stream):
            from engram.index.collection_writer import CollectionWriter

            if seen is None:
                seen = self.state().seen
            with self._generations.building(None) as build:
                writings = {name: CollectionWriter(build / name, new=True) for name in COLLECTIONS}
                try:
                    for document in stream:
                        writings[document.collection].add(document)
                    counts = {name: writing.commit() for name, writing in writings.items()}
                except BaseException:
                    for writing in writings.values():
                        writing.cancel()
                    raise
                self._generations.publish(build, _manifest(counts, seen), None)

    def state(self) -> IndexState:
        """The manifest's data, after all checks but without opening the index; never raises.

        `usable` is False also when a search of this generation has failed.
        """
        try:
            pointer = self._generations.pointer()
            generation = self._current()
        except (IndexUnusable, OSError, ImportError) as error:
            return IndexState(0, 0, 0, None, False, _reason(error), self._faults)
        broken = self._broken[1] if self._broken and self._broken[0] == pointer else ""
        held = generation.manifest
        return IndexState(
            generation.number, held.memories, held.turns, held.seen, not broken, broken,
            self._faults, f"{held.made_by}, schema {held.schema}", held.pages,
        )  # fmt: skip

    def drop(self) -> None:
        """Remove all generations; raises IndexUnusable when something could not be removed."""
        with self._writing, self._searching, self._reporting("be removed"):
            self._close()
            self._generations.drop()

    def close_replaced(self) -> None:
        """Close the files of a generation that was replaced; a search that runs does so itself.

        Of the current one only the memory is given back that its files are mapped to.
        """
        if self._readings and self._searching.acquire(blocking=False):
            try:
                if self._generations.pointer() != self._read_at:
                    self._close()
                for reading in self._readings.values():
                    reading.forget_pages()
            finally:
                self._searching.release()

    def close(self) -> None:
        """Close the files of the searchers; the next use opens them again."""
        with self._searching:
            self._close()

    def _current(self) -> Generation:
        """The current generation, if this program made it."""
        from engram.index.whoosh_index import MADE_BY

        generation = self._generations.current()
        made = (generation.manifest.made_by, generation.manifest.schema)
        if made != (MADE_BY, _SCHEMA):
            raise IndexUnusable(f"the index was made by {made[0]} (schema {made[1]})")
        return generation

    def _reading(self, collection: Collection) -> CollectionReader:
        """The open index of a collection in the current generation."""
        from engram.index.whoosh_index import CollectionReader

        pointer = self._generations.pointer()
        if pointer != self._read_at:
            self._close()
            self._read_at = pointer
        reading = self._readings.get(collection)
        if reading is None:
            reading = CollectionReader(self._current().folder / collection)
            self._readings[collection] = reading
        return reading

    def _close(self) -> None:
        for reading in self._readings.values():
            reading.close()
        self._readings.clear()
        self._read_at = None

    @contextmanager
    def _reporting(self, doing: str, stream: _Stream | Admit | None = None) -> Iterator[None]:
        """Turn whatever Whoosh and the disk raise into a logged and counted IndexUnusable.

        Whoosh raises four unrelated exceptions for one kind of damage, so all are caught.
        """
        try:
            yield
        except Exception as error:
            if isinstance(stream, _Stream | _Admitting) and error is stream.failure:
                raise
            self._faults += 1
            _log.info("the index cannot %s: %s", doing, _reason(error))
            if isinstance(error, IndexUnusable):
                raise
            raise IndexUnusable(_reason(error)) from error


class _Stream:
    """The documents of a rebuild; `failure` is what reading them raised."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = documents
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[Document]:
        try:
            yield from self._documents
        except Exception as error:
            self.failure = error
            raise


class _Admitting:
    """The caller's filter of keys; `failure` is what it raised: no fault of the index."""

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self.failure: Exception | None = None

    def __call__(self, keys: list[str]) -> Some[str]:
        try:
            return self._admit(keys)
        except Exception as error:
            self.failure = error
            raise


def _revised(folder: Path, gone: Iterable[str], come: Iterable[Document]) -> int:
    """Remove keys and add documents in one commit; returns how many documents there are now."""
    from engram.index.collection_writer import CollectionWriter

    writing = CollectionWriter(folder, new=False)
    try:
        writing.remove(gone)
        for document in come:
            writing.add(document)
        return writing.commit()
    except BaseException:
        writing.cancel()
        raise


def _manifest(counts: Mapping[Collection, int], seen: int | None) -> Manifest:
    from engram.index.whoosh_index import MADE_BY

    held = (counts["memories"], counts["turns"])
    return Manifest(MADE_BY, _SCHEMA, *held, seen, pages=counts["pages"])


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, IndexUnusable) else f"{type(error).__name__}: {error}"
