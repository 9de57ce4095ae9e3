"""VaultView: what a vault knows, as the questions that admission, weaving and consolidation ask.

The catalog answers them of the vault as it is (`store/catalog/catalog_view.py`), an `Overlay` of
the vault as it would be. Guarantees: a question changes nothing that another answers from, and
sequences are oldest first where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engram.model.box import Box
    from engram.model.candidate import Candidate
    from engram.model.entity import Entity
    from engram.model.instant import Day, Instant
    from engram.model.memory import Memory
    from engram.model.step import Access
    from engram.model.summary import Summary
    from engram.model.turn import Turn


class VaultView(Protocol):
    """The memories, boxes, entities and plain pages of one vault."""

    # -- memories by what they are -------------------------------------------------------------

    def memory(self, identifier: str) -> Memory | None:
        """The memory of that id, whatever its status."""
        ...

    def taken(self, names: Iterable[str]) -> set[str]:
        """Those of the given ids or file stems that exist already."""
        ...

    def owners(self, content_hash: str) -> Sequence[Memory]:
        """Every memory, of any status, whose scoped content hash this is."""
        ...

    def called(self, alias: str) -> Sequence[Memory]:
        """Every memory, of any status, that has this alias."""
        ...

    def holders(self, slot: str, space: str, project: str) -> Sequence[Memory]:
        """Live memories whose header key is this slot, in that space and project."""
        ...

    def purged(self, since: Instant) -> Sequence[str]:
        """Ids of the memories that were purged at or after a time."""
        ...

    def live(self) -> Sequence[Memory]:
        """Every active or needs-review memory."""
        ...

    def due(self, day: Day) -> Sequence[Memory]:
        """Live memories whose `expires` is that day or before."""
        ...

    def aged(self, before: Instant, importance: float) -> Sequence[Memory]:
        """Active memories created at or before a time, of an importance below that."""
        ...

    def overdue(self, day: Day) -> Sequence[Memory]:
        """Active commitments whose header `due` is a day before that one."""
        ...

    def records(self, schema: str, space: str = "", project: str = "") -> Sequence[Memory]:
        """Every live memory that has this schema, by its header or by its category.

        With `space` those of that space; of the space "project" those of that project.
        """
        ...

    def retired(self) -> Sequence[Memory]:
        """Retired memories whose files do not lie in the archive."""
        ...

    def accesses(self, identifiers: Iterable[str] | None = None) -> Mapping[str, Access]:
        """How often these memories, or all, were asked for; those that never were are absent."""
        ...

    # -- memories by their words ---------------------------------------------------------------

    def terms(self, text: str) -> frozenset[str]:
        """The words (stems) that a text is found by; words that tell nothing are left out."""
        ...

    def frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """How many live memories hold each of these terms; a term that none holds is absent."""
        ...

    def holding(self, terms: Iterable[str]) -> Sequence[str]:
        """Ids of live memories that hold at least one of these terms (text, title, quote, tags)."""
        ...

    def around(self, candidate: Candidate) -> Sequence[Memory]:
        """A few live memories of a candidate's space and project that share its rarest words.

        The nearest first.
        """
        ...

    # -- boxes, entities, pages, conversations -------------------------------------------------

    def unboxed(self) -> Sequence[Memory]:
        """Memories with a source that no box holds, but those that the person forgot."""
        ...

    def boxes(self, since: Instant = "", until: Instant = "") -> Sequence[Box]:
        """Sealed boxes, of those whose last memory is not before `since` nor after `until`."""
        ...

    def box(self, identifier: str) -> Box | None:
        """The sealed box of that id."""
        ...

    def box_of(self, memory: str) -> Box | None:
        """The sealed box that holds a memory; the oldest, where a person put it into several."""
        ...

    def entities(self) -> Sequence[Entity]:
        """Every entity that has a file, those that were merged too, by id."""
        ...

    def entity(self, identifier: str) -> Entity | None:
        """The entity of that id."""
        ...

    def summaries(self) -> Sequence[Summary]:
        """Every summary that has a file, those that were superseded too, by id."""
        ...

    def summary(self, identifier: str) -> Summary | None:
        """The summary of that id."""
        ...

    def mentioned(self) -> Mapping[str, int]:
        """Entity names (`tool-postgres`) that memories link to, and how many live ones do."""
        ...

    def mentions_of(self, identifiers: Iterable[str]) -> Mapping[str, int]:
        """What some memories link to, and how many of them do."""
        ...

    def about(self, entity: str) -> Sequence[Memory]:
        """Memories of any status that link to this entity name."""
        ...

    def page(self, path: str) -> str | None:
        """The text of a plain page of the vault (`profile.md`), None when there is none."""
        ...

    def spoken(self, links: Iterable[str]) -> Mapping[str, int]:
        """A number for each of these links of turns that is known, in the order of speech."""
        ...

    def beginning(self, session: str, without: Iterable[str] = ()) -> Iterator[Turn]:
        """The first turns of the user in a conversation that are not hidden, a few, in order.

        Each is read when it is asked for.

        `without`: links of turns (`transcript#^block`) that are about to be hidden.
        """
        ...
