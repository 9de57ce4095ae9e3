"""One batch of changes to a collection -> the Whoosh indexes in its folder.

Memory is bounded: once so many postings are held, the index that holds most of them writes them as
a segment before the batch is complete. Guarantees nothing to who reads the folder meanwhile:
`generations` publishes it as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engram.index import bag
from engram.index.day_scores import number_of
from engram.index.finding import place_of
from engram.index.segment_writer import BagWriter
from engram.index.whoosh_index import CollectionReader, made_in, names_in, opened, segments_of

if TYPE_CHECKING:
    from engram.model.hit import Document

#: Postings that are held at most, of four bytes and what arrays have to spare. The number of a
#: document in its segment is smaller, and has 24 bits beside the weight.
_MOST_HELD = 10_000_000


class CollectionWriter:
    """One batch of changes to a collection; visible in the folder after `commit`."""

    def __init__(self, folder: Path, *, new: bool) -> None:
        """Change the collection in `folder`, or make one in it."""
        self._folder = folder
        self._new = new
        self._writers: dict[str, BagWriter] = {}
        self._held = 0
        self._known = set() if new else set(names_in(folder))
        #: the index of each key's last document, and the keys that came more than once
        self._homes: dict[bytes, str] = {}
        self._repeated: dict[bytes, None] = {}

    def add(self, document: Document) -> None:
        """Add a document; one of that key that was committed before must have been removed."""
        found = bag.bag_of(document)
        cells = {
            "length": found.length.to_bytes(2, "little"),
            "day": number_of(document.day).to_bytes(2, "little"),
            "place": place_of(document).to_bytes(8, "little"),
            "prior": found.prior.to_bytes(1, "little"),
        }
        name, key = _name(document), _encoded(document.key)
        if self._new:
            if key in self._homes:
                self._repeated[key] = None
            self._homes[key] = name
        writer = self._writer(name)
        self._held -= writer.held
        writer.add_bag(key, found.terms, cells)
        self._held += writer.held
        if self._held >= _MOST_HELD:
            most = max(self._writers, key=lambda one: self._writers[one].held)
            self._held -= self._writers[most].held
            self._writers.pop(most).commit(merge=False)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove the committed documents of some keys, where there are any."""
        unwanted = [_encoded(key) for key in keys]
        for name in sorted(self._known):
            with CollectionReader(self._folder, [name]) as reading:
                held = [number for key in unwanted for number in reading.documents_of(key)]
            for number in held:
                self._writer(name).delete_document(number)

    def commit(self) -> int:
        """Make the changes visible; returns how many documents the collection has.

        Of several documents of one key the last stays in a new collection; in an old one the
        caller gives each key once.
        """
        for writer in self._writers.values():
            writer.commit(merge=not self._new)
        if self._repeated:
            for name in sorted(self._known):
                self._drop_repeats(name)
        return sum(
            segment.doc_count()
            for name in self._known
            for segment in segments_of(self._folder, name)
        )

    def cancel(self) -> None:
        """Discard the changes."""
        for writer in self._writers.values():
            if not writer.is_closed:
                writer.cancel()

    def _writer(self, name: str) -> BagWriter:
        if name not in self._writers:
            known = name in self._known
            self._writers[name] = BagWriter((opened if known else made_in)(self._folder, name))
            self._known.add(name)
        return self._writers[name]

    def _drop_repeats(self, name: str) -> None:
        """Of documents added under one key keep the last: in an index they stand in order."""
        unwanted: list[int] = []
        with CollectionReader(self._folder, [name]) as reading:
            for key in self._repeated:
                held = reading.documents_of(key)
                unwanted += held[:-1] if self._homes[key] == name else held
        if unwanted:
            writer = BagWriter(opened(self._folder, name))
            for number in unwanted:
                writer.delete_document(number)
            writer.commit(merge=False)


def _name(document: Document) -> str:
    """The index that a document belongs to: of its collection, or of its quarter."""
    if document.collection != "turns":
        return document.collection
    if not number_of(document.day):
        return "undated"
    return f"y{document.day[:4]}q{(int(document.day[5:7]) + 2) // 3}"


def _encoded(key: str) -> bytes:
    """A key as bytes, also with file names that are no valid text."""
    return key.encode("utf-8", "surrogatepass")
