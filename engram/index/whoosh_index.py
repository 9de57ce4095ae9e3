"""One collection as one Whoosh index in a folder: write it, read it. Nothing else imports Whoosh.

The schema is lean, because every field and every option costs at build time: a stored unique key,
and title and body as counted terms without positions. The terms come ready-made from `analysis`;
none of Whoosh's own analysis or query language is used, so no query text can be a syntax error.

Guarantees nothing about the files it opens: they hold pickles, and `generations` says whether they
may be opened. Raises whatever Whoosh raises (EOFError, struct.error, UnpicklingError, ...).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whoosh import fields, index, versionstring
from whoosh.formats import pack_uint

from engram.index.analysis import terms
from engram.index.scoring import FIELDS, best, rarity, saturation
from engram.model.hit import Document

#: Name and version, which tell the distributions of Whoosh apart as well: only Whoosh-Reloaded has
#: a 2.7.5. Indexes of another are rebuilt, not trusted to be alike.
MADE_BY = f"whoosh {versionstring()}"

#: Megabytes of postings held before they spill to disk: a laptop's daemon stays small.
_LIMIT_MB = 32
_LOCK = "MAIN_WRITELOCK"


class CountedTerms(fields.TEXT):  # type: ignore[misc]
    """A text field whose value is a Counter of terms."""

    def index(self, value: Counter[str], **_options: object) -> Iterator[tuple[Any, ...]]:
        """(term, frequency, weight, encoded frequency) of each term, as Whoosh asks for them."""
        for term, count in value.items():
            yield term.encode("utf-8"), count, float(count), pack_uint(count)


_FIELDS = fields.Schema(
    key=fields.ID(stored=True, unique=True),
    title=CountedTerms(phrase=False),
    body=CountedTerms(phrase=False),
)


class Writing:
    """One batch of changes to an index; visible in the folder after `commit`."""

    def __init__(self, folder: Path, *, new: bool) -> None:
        """Open the index in `folder`, or create one in it."""
        self._folder = folder
        self._new = new
        opened = index.create_in if new else index.open_dir
        self._index = opened(str(folder), schema=_FIELDS)
        self._writer = self._index.writer(limitmb=_LIMIT_MB, procs=1)

    def add(self, document: Document) -> None:
        """Add a document; one of that key that was committed before must have been removed."""
        self._writer.add_document(
            key=document.key,
            title=Counter(terms(document.title)),
            body=Counter(terms(document.body)),
        )

    def remove(self, key: str) -> None:
        """Remove the committed document of a key, if there is one."""
        self._writer.delete_by_term("key", key)

    def commit(self) -> int:
        """Make the changes visible; returns how many documents the index has.

        Of several documents of one key the last stays in a new index; in an old one the caller
        gives each key once, because looking for repeats costs a walk over all keys.
        """
        self._writer.commit()
        if self._new:
            self._drop_repeats()
        (self._folder / _LOCK).unlink(missing_ok=True)
        return int(self._index.doc_count())

    def cancel(self) -> None:
        """Give the changes up."""
        if not self._writer.is_closed:
            self._writer.cancel()

    def _drop_repeats(self) -> None:
        """Of documents added under one key keep the last: they are numbered in order."""
        reader = self._index.reader()
        try:
            repeated: list[int] = []
            for key, info in reader.iter_prefix("key", ""):
                if info.doc_frequency() > 1:
                    held = reader.postings("key", key).all_ids()
                    live = [number for number in held if not reader.is_deleted(number)]
                    repeated += live[:-1]
        finally:
            reader.close()
        if repeated:
            writer = self._index.writer(limitmb=_LIMIT_MB, procs=1)
            for number in repeated:
                writer.delete_document(number)
            writer.commit(merge=False)


class Reading:
    """An open index, as it was when it was opened."""

    def __init__(self, folder: Path) -> None:
        """Open the index in `folder`."""
        self._searcher = index.open_dir(str(folder), readonly=True, schema=_FIELDS).searcher()

    def find(self, asked: Sequence[str], limit: int) -> list[tuple[str, float]]:
        """(key, score) of the best documents that hold any of the terms; equal scores by key.

        Scores are summed here, term after term: Whoosh's tree of matchers takes 25 times as long
        for a pasted page, and cuts equal scores at the limit by its own numbering.
        """
        scores: defaultdict[int, float] = defaultdict(float)
        for field, boost in FIELDS:
            for term in asked:
                self._add_scores(field, term.encode("utf-8"), boost, scores)
        return best(scores, limit, lambda number: str(self._searcher.stored_fields(number)["key"]))

    def _add_scores(
        self, field: str, term: bytes, boost: float, scores: defaultdict[int, float]
    ) -> None:
        """Add what one term in one field says about each document that holds it."""
        reader = self._searcher.reader()
        holding = reader.doc_frequency(field, term)
        if not holding:
            return
        weight = boost * rarity(reader.doc_count_all(), holding)
        average = self._searcher.avg_field_length(field) or 1.0
        for leaf, first in reader.leaf_readers():
            if (field, term) not in leaf:
                continue
            postings = leaf.postings(field, term)
            while postings.is_active():
                number = postings.id()
                length = leaf.doc_field_length(number, field, 1)
                scores[first + number] += weight * saturation(postings.weight(), length, average)
                postings.next()

    def close(self) -> None:
        """Let the files go."""
        self._searcher.close()
