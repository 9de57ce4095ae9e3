"""Catalogs of several vaults -> the queries of a hook on all of them, the person's own first.

What others than the own vault hold is called by their label (`recall/beside`). Guarantees: nothing
is written, made or waited for; a vault beside whose catalog is missing, old, damaged or too slow
gives nothing, and the own one gives as if it were alone. The own vault's answer alone is asked for
everything that only a person's own vault has: sessions, summaries, reads, item ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from engram.model.memory import SPACES, Audience, Memory, scope_of
from engram.model.text import content_hash
from engram.model.vault_label import split_id
from engram.recall.beside import Beside, audience_beside, project_beside, seen_beside
from engram.settings.shared_vaults import projects_apart
from engram.settings.vault_folders import cache_folder, reading_folder
from engram.settings.vaults_read import ReadVault, vaults_read
from engram.store.catalog.database import CatalogUnusable
from engram.store.catalog.readonly import LiveRow, ReadOnlyCatalog

if TYPE_CHECKING:
    from engram.model.summary import Summary
    from engram.settings.paths import UserPaths
    from engram.settings.registry import Registered

_Answer = TypeVar("_Answer")
#: a number in a catalog is lower; behind it stands which vault it is of, from 1
_NUMBER_BITS = 56
_NUMBER = (1 << _NUMBER_BITS) - 1


class CatalogFile(NamedTuple):
    """The catalog of a vault that is read beside the own one."""

    path: Path
    vault_id: str
    vault: Beside


def catalogs_beside(
    own: Registered, entries: Sequence[Registered], folder: str, projects: Sequence[str],
    places: UserPaths,
) -> list[CatalogFile]:  # fmt: skip
    """The catalogs of the vaults that are read beside the own one in a folder of these projects.

    One without a project (of none, or excluded) is as good as no folder.
    """
    here = folder if projects else ""
    found = vaults_read(own, own.path, entries, here, projects, places.home)[1:]
    return [_catalog_file(one, projects, places) for one in found]


def _catalog_file(one: ReadVault, projects: Sequence[str], places: UserPaths) -> CatalogFile:
    cache, sharing = cache_folder(places, one.path, one.id), one.sharing
    project = next(iter(projects), "")
    apart = projects_apart(one.path, sharing.serves, projects, places.home)
    vault = Beside(one.label, str(one.path), one.spaces, sharing.space, project, apart)
    folder = reading_folder(cache) if sharing.space else cache
    return CatalogFile(folder / "catalog.sqlite", one.id, vault)


class CatalogsBeside(ReadOnlyCatalog):
    """The own catalog with those of other vaults beside it."""

    alone = False

    def __init__(
        self, path: Path, vault: str, judged: str, deadline: float, others: Iterable[CatalogFile]
    ) -> None:  # fmt: skip
        """Open all of them. Raises CatalogUnusable where the own one cannot be read."""
        self._others: list[tuple[Beside, ReadOnlyCatalog]] = []
        super().__init__(path, vault, judged, deadline)
        for one in others:
            with suppress(CatalogUnusable):
                opened = ReadOnlyCatalog(one.path, one.vault_id, judged, deadline)
                self._others.append((one.vault, opened))

    def close(self) -> None:
        """Close all files."""
        super().close()
        for _, other in self._others:
            other.close()

    def live(
        self, projects: Sequence[str], *, personal: bool, conversation: str = ""
    ) -> list[LiveRow]:
        """Also what the vaults beside hold for anybody: their border is judged by its row."""
        found = super().live(projects, personal=personal, conversation=conversation)
        for vault, base, rows in self._each(lambda _, other: other.live_for_anybody()):
            found += (
                (row[0] + base, *row[1:4], audience_beside(row[4], vault),
                 vault.shares or row[5], project_beside(row[6], vault), *row[7:])
                for row in rows
                if vault.shares or row[5] in vault.spaces
            )  # fmt: skip
        return found

    def count(self) -> int:
        """How many memories there are in all of them."""
        return super().count() + sum(
            rows for *_, rows in self._each(lambda _, other: other.count())
        )

    def holders(self, projects: Sequence[str], personal: bool, term: str, most: int) -> list[int]:
        """The numbers of memories that hold a term, at most so many of each vault."""
        found = super().holders(projects, personal, term, most)
        for _, base, numbers in self._each(lambda _, other: other.holders_for_anybody(term, most)):
            found += (number + base for number in numbers)
        return found

    def sizes(self, numbers: Sequence[int]) -> dict[int, int]:
        """How many terms each of these memories has."""
        found = super().sizes([number for number in numbers if number <= _NUMBER])

        def sizes(base: int, other: ReadOnlyCatalog) -> dict[int, int]:
            return other.sizes([one - base for one in numbers if 0 <= one - base <= _NUMBER])

        for _, base, counts in self._each(sizes):
            found |= {number + base: count for number, count in counts.items()}
        return found

    def memories(self, numbers: Iterable[int]) -> Iterator[tuple[Memory, Audience]]:
        """The memories of these numbers, in their order."""
        for number in numbers:
            place = number >> _NUMBER_BITS
            if not place:
                yield from super().memories([number])
            elif place <= len(self._others):
                vault, other = self._others[place - 1]
                with suppress(CatalogUnusable):
                    yield from _seen(other.memories([number & _NUMBER]), vault)

    def named(self, identifiers: Sequence[str]) -> list[tuple[Memory, Audience]]:
        """The memories of these ids, those of other vaults by their labels."""
        here = [name for name in identifiers if not split_id(name)[0]]
        found = super().named(here)
        for vault, other in self._others if len(here) < len(identifiers) else ():
            there = [one for label, one in map(split_id, identifiers) if label == vault.label]
            with suppress(CatalogUnusable):
                found += _seen(other.named(there), vault)
        return found

    def is_fresh(self, memory: Memory | Summary, root: Path) -> bool:
        """Whether the file of a memory, of whatever vault, is the one that its catalog read."""
        label, name = split_id(memory.id)
        if not (label and isinstance(memory, Memory)):
            return super().is_fresh(memory, root)
        for vault, other in self._others:
            if vault.label == label:
                with suppress(CatalogUnusable):
                    return other.is_fresh(_there(memory, name, vault), Path(vault.root))
        return False

    def own_words(self, memory: Memory, projects: Sequence[str]) -> list[tuple[Memory, Audience]]:
        """What the own vault says of these projects, or of none, in the words of another one."""
        if not split_id(memory.id)[0]:
            return []
        scopes = {
            scope_of(space, project, memory.entities)
            for space in SPACES
            for project in ("", *projects)
        }
        return self.saying([content_hash(memory.text, scope) for scope in sorted(scopes)])

    def read_again(
        self, memory: Memory, root: Path, read: Callable[[Memory, Path], tuple[Memory, Audience]]
    ) -> tuple[Memory, Audience]:  # fmt: skip
        """A memory, of whatever vault, as its file is now."""
        label, name = split_id(memory.id)
        if not label:
            return super().read_again(memory, root, read)
        vault = next(vault for vault, _ in self._others if vault.label == label)
        now, audience = read(_there(memory, name, vault), Path(vault.root))
        return seen_beside(now, vault), audience_beside(audience, vault)

    def _each(
        self, ask: Callable[[int, ReadOnlyCatalog], _Answer]
    ) -> Iterator[tuple[Beside, int, _Answer]]:  # fmt: skip
        """Each vault beside that answers, what is added to its numbers, and its answer."""
        for place, (vault, other) in enumerate(self._others, 1):
            base = place << _NUMBER_BITS
            with suppress(CatalogUnusable):
                yield vault, base, ask(base, other)


def _seen(
    found: Iterable[tuple[Memory, Audience]], vault: Beside
) -> Iterator[tuple[Memory, Audience]]:
    for memory, audience in found:
        yield seen_beside(memory, vault), audience_beside(audience, vault)


def _there(memory: Memory, name: str, vault: Beside) -> Memory:
    """A memory as its own vault calls it."""
    return replace(memory, id=name, path=memory.path[len(vault.root) + 1 :])
