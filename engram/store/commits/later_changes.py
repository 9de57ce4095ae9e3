"""Later changes: what happened, after some transactions, to the memories that those brought.

Tells an undo which consolidations concern nothing else, so that they go with it, and which changes
of other memories cite what goes, so that those alone are taken out. Nothing is written here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from engram.model.box import Box
from engram.model.change import Change
from engram.model.entity import Entity
from engram.model.memory import Memory
from engram.store.base import layout
from engram.store.commits.transaction import Purged
from engram.store.files.content_file import read_content
from engram.store.files.links import LINK, target_of

if TYPE_CHECKING:
    from engram.model.change import Transaction

#: transactions in which no person decides: they may go along as a whole
_BY_ITSELF = frozenset({"consolidate", "seal"})
#: fields that cite memories and turns
_CITING = ("sources", "supersedes", "superseded_by", "conflicts")
#: what stands in the header, and not in the path or the body
_HEADER = tuple(one.name for one in fields(Memory) if one.name not in ("path", "text", "quote"))
#: an id that no memory has: a change that is about something else
_OTHER = ""

Versions = tuple[Memory, Memory]


@dataclass(slots=True)
class LaterChanges:
    """`whole`: numbers of the transactions that go along.

    `citing`: the changes of other memories that made them cite what goes, by id, oldest first.
    """

    whole: list[int] = field(default_factory=list)
    citing: dict[str, list[Versions]] = field(default_factory=lambda: defaultdict(list))


def born_in(transactions: Iterable[Transaction]) -> set[str]:
    """The ids of the memories that these transactions, in order, brought and left there."""
    known: set[str] = set()
    born: set[str] = set()
    for one in transactions:
        before, after = _ids(one, after=False), _ids(one, after=True)
        known |= before - born
        born |= after - known
        born -= before - after
    return born


def later_changes(
    transactions: Iterable[Transaction], gone: Collection[str], links: Collection[str]
) -> LaterChanges:
    """What transactions in force did with memories that go, and with turns that are taken back."""
    found = LaterChanges()
    for one in transactions:
        if one.plan.kind in _BY_ITSELF and one.plan.changes and _about(one) <= set(gone):
            found.whole.append(one.number)
            continue
        for name, before, after in _changed(one, {*gone, *links}):
            cited = _cited(after) - _cited(before)
            if name not in gone and (not cited.isdisjoint(gone) or not cited.isdisjoint(links)):
                found.citing[name].append((before, after))
    return found


def without(now: Memory, changes: Sequence[Versions]) -> Memory:
    """A memory without what some changes did to its header; what came since stays.

    Its words are not touched: they are no matter of the header.
    """
    for before, after in reversed(changes):
        values: dict[str, Any] = {}
        for name in _HEADER:
            old, new, value = (getattr(one, name) for one in (before, after, now))
            if old != new:
                values[name] = _taken_out(value, old, new)
        now = replace(now, **values)
    return now


def _taken_out(value: object, old: object, new: object) -> object:
    if isinstance(value, tuple) and isinstance(old, tuple) and isinstance(new, tuple):
        kept = [item for item in value if item in old or item not in new]
        return tuple(dict.fromkeys((*kept, *(item for item in old if item not in new))))
    return old if value == new else value


def _cited(memory: Memory) -> set[str]:
    return {name for field_name in _CITING for name in getattr(memory, field_name)}


def _changed(one: Transaction, gone: Collection[str]) -> Iterator[tuple[str, Memory, Memory]]:
    """`(id, before, after)` of the memories that a transaction changed or brought.

    Of a new one `before` is what it would be without its links to what is gone.
    """
    sides: tuple[dict[str, Memory], dict[str, Memory]] = ({}, {})
    for change in one.plan.changes:
        for side, body in zip(sides, (change.before, change.after), strict=True):
            memory = _memory(change, body)
            if memory is not None:
                side[memory.id] = memory
    for name, after in sides[1].items():
        yield name, sides[0].get(name) or _uncited(after, gone), after


def _uncited(memory: Memory, gone: Collection[str]) -> Memory:
    kept: dict[str, Any] = {
        name: tuple(cited for cited in getattr(memory, name) if cited not in gone)
        for name in _CITING
    }
    return replace(memory, **kept)


def _ids(one: Transaction, *, after: bool) -> set[str]:
    bodies = ((each, each.after if after else each.before) for each in one.plan.changes)
    found = (_memory(change, body) for change, body in bodies)
    return {memory.id for memory in found if memory is not None}


def _memory(change: Change, body: bytes | None) -> Memory | None:
    if body is None or isinstance(change, Purged) or layout.kind_of(change.path) != "memory":
        return None
    content = read_content(change.path, body).content
    return content if isinstance(content, Memory) else None


# -- what a transaction is about ------------------------------------------------------------------


def _about(one: Transaction) -> set[str]:
    """The ids of the memories that a transaction changed, or whose lines on pages it changed."""
    found: set[str] = set()
    for change in one.plan.changes:
        if isinstance(change, Purged):
            return {_OTHER}
        found.update(_told(change))
    return found


def _told(change: Change) -> Iterator[str]:
    bodies = [body for body in (change.before, change.after) if body is not None]
    if change.path in layout.PROSE:
        yield from _linked(change)
    elif layout.kind_of(change.path) == "memory":
        yield from (read_content(change.path, body).id for body in bodies)
    elif layout.is_page(change.path):
        pages = [read_content(change.path, body).content for body in bodies]
        lines = [set(_lines(page)) for page in pages] + [set[tuple[str, ...]]()]
        yield from (line[0] for line in lines[0] ^ lines[1])
    else:
        yield _OTHER


def _lines(page: object) -> Iterator[tuple[str, ...]]:
    """The lines of a page, the id of its memory first."""
    if isinstance(page, Box):
        yield from page.lines
    elif isinstance(page, Entity):
        yield from ((name, day, text) for day, name, text in (*page.timeline, *page.activity))
        yield from ((name, other, label) for other, label, name in page.relations)


def _linked(change: Change) -> Iterator[str]:
    """The ids that the changed lines of a plain page link to."""
    bodies = (change.before or b"", change.after or b"")
    before, after = (set(body.decode("utf-8", "replace").splitlines()) for body in bodies)
    for line in before ^ after:
        if line.startswith(("- ", "* ")):
            yield from [target_of(link) for link in LINK.findall(line)] or [_OTHER]
