"""Difference of two phases of a store: what each had at its end -> what came, went and changed.

    (id, kind, dedup key) of either phase  ->  added, deleted, replaced; the first changes; lines

What both have is no change. Of the rest, two items of one dedup key are one that replaced the
other; what has no key is never paired (seed 002). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engram.model.instant import Instant
from engram.model.item import Store
from engram.model.phase import Phase

#: changes that are told one by one
MOST_CHANGES = 8
#: colons in the id of an item
_PARTS = 3


class PhaseItem(NamedTuple):
    """An item that a phase had; `key` is '' where it has none."""

    id: str
    kind: str
    key: str


class Replaced(NamedTuple):
    """An item of one key that is another one in the later phase."""

    key: str
    before: PhaseItem
    after: PhaseItem


class PhaseDiff(NamedTuple):
    """The items of the later phase alone, of the earlier one alone, and the pairs of one key."""

    added: tuple[PhaseItem, ...] = ()
    deleted: tuple[PhaseItem, ...] = ()
    replaced: tuple[Replaced, ...] = ()

    @property
    def top_changes(self) -> list[dict[str, str]]:
        """The first changes: replaced by key, then added and deleted by id."""
        rows = [
            {"change": "replaced", "dedupe_key": one.key, "from_id": one.before.id,
             "to_id": one.after.id, "from_kind": one.before.kind, "to_kind": one.after.kind}
            for one in self.replaced[:MOST_CHANGES]
        ]  # fmt: skip
        for change, items in (("added", self.added), ("deleted", self.deleted)):
            rows += [
                {"change": change, "memory_id": one.id, "kind": one.kind}
                for one in items[:MOST_CHANGES]
            ]
        return rows[:MOST_CHANGES]

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many were added, deleted and replaced."""
        return len(self.added), len(self.deleted), len(self.replaced)

    @property
    def summary_lines(self) -> list[str]:
        """The three counts in words."""
        return lines_of(*self.counts)


class DiffedPhases(NamedTuple):
    """What changed in a store from one phase to another; `files` are the memories by item."""

    store: Store
    before: Phase
    after: Phase
    diff: PhaseDiff
    files: Mapping[str, str]


class AskedDiff(NamedTuple):
    """A difference that somebody asked for: when, who, in which session, under which policy.

    `last` is the last transaction that was seen. `store` is named as in an item's id. `refused` is
    why it was not told, else ''.
    """

    time: Instant
    by: str
    session: str
    last: int
    policy: str
    store: str
    from_id: str = ""
    to_id: str = ""
    counts: tuple[int, int, int] = (0, 0, 0)
    changes: tuple[Mapping[str, str], ...] = ()
    refused: str = ""


def lines_of(added: int, deleted: int, replaced: int) -> list[str]:
    """Counts of a difference in words."""
    return [f"Added {added} items", f"Deleted {deleted} items", f"Replaced {replaced} items"]


def phase_diff(before: Iterable[PhaseItem], after: Iterable[PhaseItem]) -> PhaseDiff:
    """What is different in the later of two phases."""
    olds = {one.id: one for one in before}
    news = {one.id: one for one in after}
    gone = _in_order(one for name, one in olds.items() if name not in news)
    came = _in_order(one for name, one in news.items() if name not in olds)
    keyed = _by_key(came)
    pairs = [
        Replaced(key, one, other)
        for key, items in sorted(_by_key(gone).items())
        for one, other in zip(items, keyed.get(key, ()), strict=False)
    ]
    paired = {one.before.id for one in pairs} | {one.after.id for one in pairs}
    return PhaseDiff(
        tuple(one for one in came if one.id not in paired),
        tuple(one for one in gone if one.id not in paired),
        tuple(pairs),
    )


def _in_order(items: Iterable[PhaseItem]) -> list[PhaseItem]:
    return sorted(items, key=lambda one: _place(one.id))


def _place(name: str) -> tuple[str, int]:
    """Items of a store and kind by their number, whatever else by its name."""
    head, _, number = name.rpartition(":")
    numbered = name.count(":") == _PARTS and number.isdecimal()
    return (head, int(number)) if numbered else (name, 0)


def _by_key(items: Sequence[PhaseItem]) -> Mapping[str, Sequence[PhaseItem]]:
    found: dict[str, list[PhaseItem]] = {}
    for one in items:
        if one.key:
            found.setdefault(one.key, []).append(one)
    return found
