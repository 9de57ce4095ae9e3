"""Contract of every index: the Finder port, the last transaction seen, its state, and closing.

Both finders of this package keep it, and the same tests are run on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from engram.model.hit import Admit, Collection, Document, Found, Hints

COLLECTIONS: tuple[Collection, ...] = ("memories", "turns", "pages")


class IndexUnusable(Exception):
    """The index is missing, foreign, too old or damaged; the message says which.

    Nothing is lost: the caller rebuilds the index, or searches the files.
    """


class IndexState(NamedTuple):
    """State of an index, known without opening it.

    `generation` is 0 when there is none; `memories`, `turns` and `pages` count documents; `seen` is
    the number of the last transaction whose documents are in it, None when unknown; `reason` says
    why it is not usable; `faults` counts the IndexUnusable errors of this object; `made_by` names
    the library, its version and our schema.
    """

    generation: int
    memories: int
    turns: int
    seen: int | None
    usable: bool
    reason: str = ""
    faults: int = 0
    made_by: str = ""
    pages: int = 0


class SearchIndex(Protocol):
    """A Finder that knows up to which transaction it is complete.

    Every method but `state`, `close` and `close_replaced` raises IndexUnusable. Before the first
    `rebuild` and after `drop` an index is unusable, so that no partial index is ever taken for a
    whole one.
    """

    def update(
        self,
        documents: Iterable[Document],
        removed: Iterable[tuple[Collection, str]],
        *,
        seen: int | None = None,
    ) -> None:
        """Remove keys, then add or replace documents (the last of a key wins): all or nothing.

        `seen` is published with them in the same step; None keeps the number.
        """
        ...

    def find(
        self, query: str, collection: Collection, limit: int, hints: Hints = Hints(),
        admit: Admit | None = None,
    ) -> list[Found]:  # fmt: skip
        """The best documents for the words of a query, best first, equal ones by key.

        A document matches when it holds any of the words; a turn also when one of its neighbours
        does. Stop-words count only in a query of nothing else. No text of a query is refused.
        `admit` filters keys, best first, until there are enough.
        """
        ...

    def terms_like(self, term: str, most: int) -> list[str]:
        """Terms of the memories that begin as a term does, as suggestions."""
        ...

    def surprises(self, terms: Sequence[str]) -> list[float]:
        """How telling each term is among turns: above 0, the more, the fewer of them hold it."""
        ...

    def rebuild(self, documents: Iterable[Document], *, seen: int | None = None) -> None:
        """Build anew from a stream of all documents (the last of a key wins) and swap it in.

        `seen` None keeps the number when the old index still tells it. The old index answers
        until the swap, and when the stream raises (its error passes through) it stays.
        """
        ...

    def state(self) -> IndexState:
        """The state; never raises."""
        ...

    def drop(self) -> None:
        """Remove everything that was indexed, older generations included."""
        ...

    def close_replaced(self) -> None:
        """Close open files of an older generation: what was removed from it is not kept open.

        For a moment without searches: the next one may have to read again what it reads.
        """
        ...

    def close(self) -> None:
        """Close open files; the next use opens them again."""
        ...
