"""Reconciliation of two states of one memory, box, entity or summary, neither older.

For what two machines made of the same file, without the common ancestor. Pure, and the same
whichever comes first; merging a state twice changes nothing. No receipt, tag or link is lost. None
where that is a question for a person: another id, two values of which neither is more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from engram.model.authority import AUTHORITIES
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.instant import Day
from engram.model.memory import LIVE, Memory
from engram.model.summary import Summary

_Item = TypeVar("_Item", bound=Hashable)
#: the identity of a memory: where these differ, nothing is decided here
_ITSELF = ("id", "category", "kind", "schema", "created", "project", "space", "key")
_SENSITIVITIES = ("public", "internal", "secret")
#: order of statuses of the same time: a person's actions first, and an end before a question
_STATUSES = ("active", "needs-review", "expired", "archived", "superseded", "retired")
#: writers of a synthesis, the least first
_WRITERS = ("", "listed", "model", "person")


class Undecided(Exception):
    """Two values between which only a person can choose."""


def memories(one: Memory, other: Memory) -> Memory | None:
    """One memory of two states of it; words, path and `extra` are those of the first.

    Status: an end before a live one, then the later `status_since`. The later expiry (none is for
    ever), the higher confidence, importance, authority and sensitivity, every list united.
    """
    if any(getattr(one, name) != getattr(other, name) for name in _ITSELF):
        return None
    if one.entities and other.entities and one.entities[0] != other.entities[0]:
        return None
    both = (one, other)
    told = max(both, key=_standing)
    same = one.status == other.status
    ends = [memory.valid_until for memory in both if memory.valid_until]
    try:
        return replace(
            one,
            title=_either(one.title, other.title),
            valid_from=_either(one.valid_from, other.valid_from),
            status=told.status,
            status_since=told.status_since,
            status_reason=told.status_reason,
            superseded_by=united(one.superseded_by, other.superseded_by)
            if same else told.superseded_by,
            valid_until=min(ends, default="") if same else told.valid_until,
            expires=max((memory.expires for memory in both), key=lambda day: (not day, day)),
            confidence=max(one.confidence, other.confidence),
            importance=max(one.importance, other.importance),
            authority=_more(AUTHORITIES, one.authority, other.authority),
            sensitivity=_more(_SENSITIVITIES, one.sensitivity, other.sensitivity),
            aliases=united(one.aliases, other.aliases),
            tags=united(one.tags, other.tags),
            entities=united(one.entities, other.entities),
            sources=united(one.sources, other.sources),
            supersedes=united(one.supersedes, other.supersedes),
            conflicts=united(one.conflicts, other.conflicts),
        )  # fmt: skip
    except Undecided:
        return None


def boxes(one: Box, other: Box) -> Box | None:
    """One box of two: the memories of both, the other fields of the fuller one."""
    if (one.id, one.session, one.project) != (other.id, other.session, other.project):
        return None
    fuller = max((one, other), key=lambda box: (len(box.lines), box.sealed, _told(box)))
    return replace(
        fuller,
        lines=_by_first(one.lines, other.lines, fuller.lines),
        created=min(one.created, other.created),
        sealed=max(one.sealed, other.sealed),
        topics=united(one.topics, other.topics),
        path=one.path,
    )


def entities(one: Entity, other: Entity) -> Entity | None:
    """One page of two: every dated line and relation, and the synthesis of the fuller one.

    A person's synthesis goes before the program's.
    """
    if (one.id, one.type, one.name) != (other.id, other.type, other.name):
        return None
    if one.synthesis_by == other.synthesis_by == "person" and one.synthesis != other.synthesis:
        return None
    fuller = max(
        (one, other),
        key=lambda page: (_WRITERS.index(page.synthesis_by), len(page.timeline), page.synthesis),
    )
    try:
        return replace(
            fuller,
            aliases=united(one.aliases, other.aliases),
            timeline=_dated(one.timeline, other.timeline, fuller.timeline),
            relations=tuple(sorted({*one.relations, *other.relations})),
            activity=_dated(one.activity, other.activity, fuller.activity)[::-1],
            merged_into=_either(one.merged_into, other.merged_into),
            path=one.path,
        )
    except Undecided:
        return None


def summaries(one: Summary, other: Summary) -> Summary | None:
    """One page of two: the lines of the one with fewer sources, for a source that went stays away.

    Of equal sources those that a person edited, else those written last. A page is superseded where
    one of them is.
    """
    if (one.id, one.space, one.project) != (other.id, other.space, other.project):
        return None
    sources = set(one.consolidates), set(other.consolidates)
    if not (sources[0] <= sources[1] or sources[1] <= sources[0]):
        return None
    same = sources[0] == sources[1]
    if one.edited and other.edited and not (same and [*one.lines] == [*other.lines]):
        return None
    told = max(
        (one, other),
        key=lambda page: (-len(page.consolidates), page.edited, page.created, repr([*page.lines])),
    )
    ended = "superseded" in (one.status, other.status)
    try:
        return replace(
            told,
            status="superseded" if ended else "active",
            supersedes=united(one.supersedes, other.supersedes),
            superseded_by=_either(one.superseded_by, other.superseded_by),
            path=one.path,
        )
    except Undecided:
        return None


def united(one: tuple[_Item, ...], other: tuple[_Item, ...]) -> tuple[_Item, ...]:
    """Every item once: as far as both begin alike in that order, then sorted."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    rest: list[Any] = [item for item in {*one, *other} if item not in one[:count]]
    if not one or not other:
        return one or other
    return (*one[:count], *sorted(rest))


def _by_first(
    one: Iterable[tuple[str, str]], other: Iterable[tuple[str, str]],
    preferred: Iterable[tuple[str, str]],
) -> tuple[tuple[str, str], ...]:  # fmt: skip
    """Pairs by their first half, each once; where the second differs, that of `preferred`."""
    said = {**dict(one), **dict(other), **dict(preferred)}
    names = united(tuple(name for name, _ in one), tuple(name for name, _ in other))
    return tuple((name, said[name]) for name in names)


def _dated(*lists: tuple[tuple[Day, str, str], ...]) -> tuple[tuple[Day, str, str], ...]:
    """Lines by day and memory, oldest first; where texts differ, that of the last list."""
    said = {line[:2]: line for lines in lists for line in lines}
    return tuple(sorted(said.values()))


def _standing(memory: Memory) -> tuple[Hashable, ...]:
    return (
        memory.status not in LIVE, memory.status_since, _STATUSES.index(memory.status),
        memory.status_reason, memory.superseded_by, memory.valid_until,
    )  # fmt: skip


def _told(box: Box) -> tuple[str, ...]:
    return (box.seal, box.title, box.goal, box.outcome, box.trace, box.previous, box.next)


def _either(one: str, other: str) -> str:
    """The one that is not empty. Raises Undecided for two."""
    if one and other and one != other:
        raise Undecided
    return one or other


def _more(order: tuple[str, ...], one: str, other: str) -> str:
    """The one that comes later in a given order."""
    rank: Callable[[str], int] = order.index
    return max(one, other, key=rank)
