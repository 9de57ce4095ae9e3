"""Memories of the vault that is asked, and of the vaults that are read beside it, as one.

What is found in several is one answer: by the words of all, ranked together. A memory of a vault
beside has its label before its id (`@shop/ID`), lies at a whole path and counts as `recall/beside`
says. Guarantees: nothing is copied, and nothing is written outside of the cache; of what two vaults
say alike the first one's is found, and that is the vault that is asked; a vault beside that fails
is told of once and left out, and the one that is asked answers as if it were alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from engram.model.errors import BadInput, EngramError, NotFound
from engram.model.text import content_hash
from engram.model.vault_label import labelled_id, split_id
from engram.recall.beside import audience_beside, seen_beside

if TYPE_CHECKING:
    from engram.model.hit import Admit, Found, Hints
    from engram.model.instant import Instant
    from engram.model.memory import Audience, Memory
    from engram.model.tier import MemoryTier
    from engram.queries.index_sync import IndexSync
    from engram.queries.lookup import Lookup
    from engram.queries.tier_queries import TierQueries
    from engram.recall.beside import Beside
    from engram.recall.filter import Filter
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.projections import Projections

_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")


class VaultMemories(NamedTuple):
    """The memories of one vault, by their ids there."""

    disk: VaultDisk
    projections: Projections
    lookup: Lookup
    index_sync: IndexSync
    tiers: TierQueries


class Memories:
    """Those of the vault that is asked, `others` beside it while they are read."""

    def __init__(self, own: VaultMemories) -> None:
        self._own = own
        self.others: dict[str, tuple[Beside, VaultMemories]] = {}

    def find(self, words: str, most: int, hints: Hints, admit: Admit) -> list[Found]:
        """Raw answers for the words of a query, best first, by the ids that `admit` is asked for.

        How rare a word is counts in the vault that has it.
        """
        found = self._own.index_sync.find(words, "memories", most, hints, admit)

        def beside(vault: Beside, there: VaultMemories) -> list[Found]:
            def admitted(keys: list[str]) -> list[str]:
                names = admit([labelled_id(vault.label, key) for key in keys])
                return [split_id(name)[1] for name in names]

            return there.index_sync.find(words, "memories", most, hints, admitted)

        for vault, more in self._each(beside):
            found += (hit._replace(key=labelled_id(vault.label, hit.key)) for hit in more)
        return sorted(found, key=lambda hit: -hit.score) if self.others else found

    def memories(self, names: Iterable[str] | None = None) -> Iterator[Memory]:
        """These memories in the order asked for, or all."""
        catalog = self._own.projections.catalog
        if not self.others:
            yield from catalog.memories(names)
        elif names is None:
            yield from catalog.memories()
            for _, found in self._each(lambda vault, there: self._seen(vault, there, None)):
                yield from found
        else:
            for name in names:
                label, there = split_id(name)
                if not label:
                    yield from catalog.memories([there])
                for _, found in self._of(label, there):
                    yield from found

    def _of(self, label: str, name: str) -> Iterator[tuple[Beside, list[Memory]]]:
        return self._each(lambda vault, there: self._seen(vault, there, [name]), label)

    @staticmethod
    def _seen(vault: Beside, there: VaultMemories, names: list[str] | None) -> list[Memory]:
        found = there.projections.catalog.memories(names)
        return [
            seen_beside(one, vault) for one in found if vault.shares or one.space in vault.spaces
        ]

    def memory(self, name: str) -> Memory | None:
        """The memory of that id, if there is one."""
        return next(self.memories([name]), None)

    def audience(self, name: str) -> Audience:
        """To whom a memory may be given; one that there is not to nobody."""
        label, there = split_id(name)
        if not label:
            return self._own.projections.catalog.audience(there)
        for vault, audience in self._each(
            lambda _, one: one.projections.catalog.audience(there), label
        ):
            return audience_beside(audience, vault)
        return "nobody"

    def tiers(self, names: Iterable[str], now: Instant) -> Mapping[str, MemoryTier]:
        """The tier of each of these memories that there is."""
        every = list(names)
        found = self._own.tiers.of((one for one in every if not split_id(one)[0]), now)
        for vault, more in self._each(
            lambda vault, there: there.tiers.of(_local(every, vault.label), now)
        ):
            found |= {labelled_id(vault.label, name): tier for name, tier in more.items()}
        return found

    def listing(self, wanted: Filter, most: int) -> list[Memory]:
        """The memories that pass, the newest of each vault first."""
        found = self._own.lookup.listing(wanted, most)
        for vault, more in self._each(lambda _, there: there.lookup.listing(wanted, most)):
            found += (seen_beside(one, vault) for one in more)
        return found

    def line_of(self, memory: Memory, words: str, heading: str = "") -> int:
        """The line of a memory's file with the first words of a text, below a heading; else 1."""
        label, name = split_id(memory.id)
        if not label:
            return self._own.lookup.line_of(memory, words, heading)

        def line(vault: Beside, there: VaultMemories) -> int:
            path = memory.path[len(vault.root) + 1 :]
            return there.lookup.line_of(replace(memory, id=name, path=path), words, heading)

        return next((found for _, found in self._each(line, label)), 1)

    def named(
        self, reference: str, ask: Callable[[VaultMemories, str], _Answer]
    ) -> tuple[_Answer, Beside | None]:  # fmt: skip
        """What a vault says of a reference, and which one: the first that has it.

        A label before it (`@shop/ID`) names the vault; None stands for the one that is asked.
        Raises NotFound, and BadInput for a name of several memories.
        """
        label, name = split_id(reference.strip())
        missing = NotFound(f"there is no memory {reference!r}")
        if not label:
            try:
                return ask(self._own, reference), None
            except NotFound as error:
                missing = error

        def answer(_: Beside, there: VaultMemories) -> _Answer | NotFound | BadInput:
            try:
                return ask(there, name)
            except (NotFound, BadInput) as error:
                return error

        for vault, said in self._each(answer, label):
            if isinstance(said, BadInput):
                raise said
            if not isinstance(said, NotFound):
                return said, vault
        raise missing

    def said_once(self, found: Iterable[Memory]) -> set[str]:
        """The ids of those whose words no other of them says in a vault that comes before."""
        order = ["", *self.others]
        first: dict[tuple[str, bool], str] = {}
        kept = []
        for one in sorted(found, key=lambda one: order.index(split_id(one.id)[0])):
            label, _ = split_id(one.id)
            if first.setdefault((content_hash(one.text), one.live), label) == label:
                kept.append(one.id)
        return {*kept}

    def _each(
        self, ask: Callable[[Beside, VaultMemories], _Answer], label: str = ""
    ) -> Iterator[tuple[Beside, _Answer]]:
        """What each vault beside answers, or the one of a label."""
        for name in [label] if label else list(self.others):
            if name in self.others:
                vault, there = self.others[name]
                try:
                    answer = ask(vault, there)
                except EngramError as error:
                    del self.others[name]
                    _log.warning("%s is not read: %s", name, error)
                else:
                    yield vault, answer


def _local(names: Sequence[str], label: str) -> list[str]:
    """The ids, in the vault of a label, of those of these names that are of it."""
    return [there for of, there in map(split_id, names) if of == label]
