"""Phases of a vault: those of each store, what is live in them, and what changed between two.

From the page of phases and the catalog, and so from files alone; items and ticks come from the
transactions of this machine. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from engram.model.errors import BadInput
from engram.model.item import ItemId, Store, event_type_of, item_id, kind_of, store_of
from engram.model.item_view import dedup_key
from engram.model.phase import (
    ListedPhase,
    Phase,
    PhaseLine,
    PhasePage,
    phase_at,
    phase_named,
    store_words,
)
from engram.model.phase_diff import DiffedPhases, PhaseItem, phase_diff

if TYPE_CHECKING:
    from engram.model.given import GivenBlock
    from engram.model.instant import Instant
    from engram.store.catalog.catalog import Catalog
    from engram.store.catalog.phase_rows import LifeRow


class PhaseQueries:
    """Asked for one purpose: what the page said at first counts to the end."""

    def __init__(self, catalog: Catalog, read: Callable[[], PhasePage]) -> None:
        self._catalog = catalog
        self._read = read
        self._known: dict[Store, tuple[Phase, ...]] = {}
        self._first: dict[str, str] = {}

    @cached_property
    def page(self) -> PhasePage:
        """What the page says."""
        return self._read()

    def phases(self, store: Store) -> tuple[Phase, ...]:
        """The phases of a store, the first always."""
        if store not in self._known:
            # a page of very many stores is looked through once, not once for each of them
            self._known[store] = PhasePage((*self._lines.get(store, ()),)).phases(store)
        return self._known[store]

    @cached_property
    def _lines(self) -> Mapping[Store, Sequence[PhaseLine]]:
        found: dict[Store, list[PhaseLine]] = {}
        for line in self.page.lines:
            found.setdefault(line.store, []).append(line)
        return found

    def tick(self, store: Store, phase: Phase) -> int:
        """The tick at which a phase began; 0 of what another machine began."""
        if phase.start:
            return self._start_ticks.get((str(store), phase.start), 0)
        return self._catalog.phases.first_tick(str(store))

    @cached_property
    def _start_ticks(self) -> Mapping[tuple[str, Instant], int]:
        return self._catalog.phases.start_ticks()

    def meta(self, store: Store, instant: Instant) -> dict[str, object]:
        """The phase of a moment as an item's `meta` has it."""
        phase = phase_at(self.phases(store), instant)
        name = {"phase_name": phase.name} if phase.name else {}
        return {
            "phase_id": phase.id, **name, "phase_started_at": self.tick(store, phase),
            "phase_reason": phase.reason,
        }  # fmt: skip

    def is_first(self, item: ItemId) -> bool:
        """Whether an item is the first of its store."""
        store = str(item.store)
        if store not in self._first:
            self._first[store] = self._catalog.phases.first_item(store)
        return self._first[store] == str(item)

    def store_of_block(self, block: GivenBlock) -> Store:
        """The store that a block was given for: of the project, outside of any the person's."""
        named = filter(None, (item_id(one.item) for one in block.items))
        projects = (one.store for one in named if one.store.space == "project")
        project = next(projects, None)
        if project is not None:
            return project
        name = self._catalog.phases.project_of(block.session)
        return store_of("project" if name else "user", name)

    def listed(self, now: Instant, store: Store | None = None) -> list[ListedPhase]:
        """The phases of one store, or of each that has a memory or a line, in their order."""
        stores = [store] if store else self._stores()
        return [row for one in stores for row in self._listed(one, now)]

    def _stores(self) -> list[Store]:
        return list(dict.fromkeys((*self._catalog.phases.stores(), *self.page.stores)))

    def _listed(self, store: Store, now: Instant) -> list[ListedPhase]:
        lives, phases = self._catalog.phases.lives(store), self.phases(store)
        if not lives and len(phases) == 1:
            return []
        current = phase_at(phases, now)
        first = lives[0].created if lives else ""
        return [
            ListedPhase(
                store, one, one.start or (first if not one.end or first < one.end else ""),
                self.tick(store, one), len(_live(lives, one)), one == current,
            )
            for one in phases
        ]  # fmt: skip

    def diff(self, store: Store, names: tuple[str, str] | None, now: Instant) -> DiffedPhases:
        """What changed from one phase to another, by default of the last two that have begun.

        Raises BadInput for a phase that there is not, and for a store of one phase.
        """
        phases = self.phases(store)
        if names is None:
            begun = [one for one in phases if one.start <= now]
            if len(begun) == 1:
                named = "--project " + store.owner if store.space == "project" else ""
                raise BadInput(
                    f"{store_words(store)} has one phase: nothing to compare with {begun[0].id}",
                    f"`engram phases start NAME {named or '--space ' + store.space}` begins one",
                )
            before, after = begun[-2:]
        else:
            before, after = (phase_named(phases, name, store) for name in names)
        lives = self._catalog.phases.lives(store)
        olds, news = _live(lives, before), _live(lives, after)
        items = self._catalog.phases.items(store)
        told = self._items(olds ^ news, items)
        found = phase_diff(
            (told[name] for name in olds - news), (told[name] for name in news - olds)
        )
        files = {told[name].id: name for name in told}
        return DiffedPhases(store, before, after, found, files)

    def _items(self, names: Collection[str], items: Mapping[str, str]) -> dict[str, PhaseItem]:
        """The items of memories; one that has no number yet is called by its file's id."""
        return {
            one.id: PhaseItem(
                items.get(one.id, one.id), kind_of(one.key),
                dedup_key(event_type_of(one.category, one.schema), one.text, one.key, logged=True),
            )
            for one in self._catalog.phases.statements(names)
        }  # fmt: skip


def _live(lives: Collection[LifeRow], phase: Phase) -> set[str]:
    return {one.id for one in lives if phase.had(one.created, one.ended)}
