"""Replay: transactions and the numbers that are out of force -> each memory as it is, and would be.

The one meaning of an undo: a memory becomes what the transactions that stay in force make of it.
Both histories are gone through side by side, now and then, from the first transaction in which they
differ. What was done to a memory that is no more does nothing; what made a memory cite one that is
no more, or a turn that is taken back, is left out. A change that no longer finds what it found is
applied to the header, key by key. Nothing is read from the vault or written here. Raises Conflict
where a person edited by hand, or vouched for, what the undo would take away or change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from engram.model.errors import Conflict
from engram.model.memory import Memory
from engram.store.base import layout
from engram.store.commits.transaction import Purged
from engram.store.files.content_file import read_content, same_meaning
from engram.store.files.links import LINK, target_of
from engram.store.files.meaning import said_in
from engram.store.files.memory_file import id_in, memory_changes

if TYPE_CHECKING:
    from engram.model.change import Transaction

#: fields that cite memories and turns
_CITING = ("sources", "supersedes", "superseded_by", "conflicts")
#: what stands in the header, and not in the path or the body
_HEADER = tuple(one.name for one in fields(Memory) if one.name not in ("path", "text", "quote"))
#: events by which a person made a memory theirs
_RESTORED = "memory_restored"
_DECIDED = frozenset({"hand_edit", _RESTORED, "contradiction_settled"})
#: lines of each version that a refused undo shows
_SHOWN_LINES = 4


class Version(NamedTuple):
    """A memory's file: where it is, and its bytes."""

    path: str
    body: bytes


class _Delta(NamedTuple):
    """What a transaction did to one memory. `by_hand`: found as a person left it; `theirs`: the
    person vouched for the memory. `restored`: brought back by them, with whatever it cites.
    """

    number: int
    before: Version | None
    after: Version | None
    by_hand: bool = False
    theirs: bool = False
    restored: bool = False


@dataclass(slots=True)
class _Chain:
    """What happened to one memory: `first` is how it was before, `last` how it was left."""

    first: Version | None
    last: Version | None
    deltas: list[_Delta] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two histories: what is out of force, and the links to turns that are taken back.

    `missing`, known later: the memories that are not there because what brought them is out of
    force.
    """

    out: Callable[[int, str], bool]
    links: frozenset[str]
    missing: frozenset[str] = frozenset()


class Difference(NamedTuple):
    """How a memory is now, and how it would be then."""

    now: Version | None
    then: Version | None


class Replayed(NamedTuple):
    """The memories that differ, by id; those that are missing then, and those that are so now."""

    different: dict[str, Difference]
    missing: frozenset[str]
    missed: frozenset[str]


def replayed(transactions: Iterable[Transaction], now: Side, then: Side) -> Replayed:
    """Every memory that the two histories leave in different states. Raises Conflict."""
    chains = _chains(transactions)
    now, then = (
        replace(side, missing=frozenset(_missing(chains, side.out))) for side in (now, then)
    )
    cited = (now.missing ^ then.missing) | (now.links ^ then.links)
    found = {}
    for name, chain in chains.items():
        if _concerned(name, chain, now, then, cited):
            difference = _Run(name, now, then).through(chain)
            if not _same(*difference):
                found[name] = difference
    return Replayed(found, then.missing, now.missing)


def _concerned(name: str, chain: _Chain, now: Side, then: Side, cited: Collection[str]) -> bool:
    for one in chain.deltas:
        if not one.by_hand and now.out(one.number, name) != then.out(one.number, name):
            return True
        if cited and one.after is not None:
            linked = LINK.findall(one.after.body.decode("utf-8", "replace"))
            if any(target_of(link) in cited for link in linked):
                return True
    return False


def carried(now: Version, then: Version | None, here: Version) -> Version | None:
    """A file with the difference of two states, where its header is not as the first has it.

    Raises Conflict where its words are not.
    """
    if _words(here) != _words(now):
        if then is not None and same_meaning(here.path, here.body, then.body):
            return here
        raise changed_since(here.path, here.body, now.body)
    if then is not None and then.path == now.path:
        now, then = now._replace(path=here.path), then._replace(path=here.path)
    return _applied(_Delta(0, now, then), here)


# -- what happened to each memory -----------------------------------------------------------------


def _chains(transactions: Iterable[Transaction]) -> dict[str, _Chain]:
    chains: dict[str, _Chain] = {}
    owners: dict[str, str] = {}
    for one in transactions:
        replays = one.plan.kind == "undo" and bool(one.plan.undoes)
        for name, before, after, by_hand in (*_found(one, chains, owners), *_done(one)):
            chain = chains.setdefault(name, _Chain(before, before))
            if not replays:
                events = [event for event in one.plan.events if event.subject == name]
                theirs = any(
                    event.name in _DECIDED or dict(event.details).get("by") == "person"
                    for event in events
                )
                restored = any(event.name == _RESTORED for event in events)
                chain.deltas.append(_Delta(one.number, before, after, by_hand, theirs, restored))
            chain.last = after
            if after is not None:
                owners[after.path] = name
    return chains


_Told = tuple[str, Version | None, Version | None, bool]


def _done(one: Transaction) -> Iterator[_Told]:
    """What a transaction wrote, by memory: an archived one has two changes."""
    sides: tuple[dict[str, Version], dict[str, Version]] = ({}, {})
    for change in one.plan.changes:
        if change.path in one.left or not _is_memory(change.path) or isinstance(change, Purged):
            continue
        for side, body in zip(sides, (change.before, change.after), strict=True):
            if body is not None:
                side[id_in(change.path, body)] = Version(change.path, body)
    for name in dict.fromkeys((*sides[0], *sides[1])):
        yield name, sides[0].get(name), sides[1].get(name), False


def _found(one: Transaction, chains: dict[str, _Chain], owners: dict[str, str]) -> Iterator[_Told]:
    """What a transaction found of a person's: files edited, moved and removed, not copies."""
    seen = [change for change in one.plan.seen if _is_memory(change.path)]
    left = {change.path for change in seen if change.after is None}
    versions: dict[str, Version] = {}
    for change in seen:
        if change.after is None or isinstance(change, Purged):
            continue
        name = id_in(change.path, change.after)
        known = chains[name].last if name in chains else None
        if known is None or known.path == change.path or known.path in left:
            versions[name] = Version(change.path, change.after)
        if owners.get(change.path, name) != name:
            left.add(change.path)  # the file continues under another id
    taken = {owners[path] for path in left if path in owners}
    for name in dict.fromkeys((*taken, *versions)):
        known = chains[name].last if name in chains else None
        if name in versions or (known is not None and known.path in left):
            yield name, known, versions.get(name), True


def _is_memory(path: str) -> bool:
    return layout.kind_of(path) == "memory"


def _missing(chains: dict[str, _Chain], out: Callable[[int, str], bool]) -> Iterator[str]:
    """The memories that are not there because a transaction that brought them is out of force."""
    for name, chain in chains.items():
        there, unborn = chain.first is not None, False
        for one in chain.deltas:
            if not one.by_hand and out(one.number, name):
                unborn = unborn or one.before is None
            elif one.after is None:
                there = False
            elif one.before is None:
                there = True
        if unborn and not there:
            yield name


# -- going through it -----------------------------------------------------------------------------


class _Run:
    """One memory, gone through on both sides.

    `_torn`: a file before and after a person's edit that only the present has room for.
    """

    def __init__(self, name: str, now: Side, then: Side) -> None:
        self._name = name
        self._now = now
        self._then = then
        self._torn: tuple[Version | None, Version] | None = None

    def through(self, chain: _Chain) -> Difference:
        """Its two states in the end. Raises Conflict."""
        now = then = chain.first
        for one in chain.deltas:
            if one.by_hand:
                now, then = self._edited(one, now, then)
                continue
            first, second = self._in_force(one, self._now), self._in_force(one, self._then)
            known = now
            alike = now == then and first == second
            if first is not None:
                try:
                    now = _applied(first, now)
                except Conflict:
                    now = first.after  # the present is what was done, and not in question
            if alike:
                then = now
            elif second is not None:
                then = _applied(second, then)
            if one.theirs and first and second and now and not then:
                raise changed_since(now.path, now.body, known and known.body)
        if self._torn is not None:
            before, edited = self._torn
            raise changed_since(edited.path, edited.body, before and before.body)
        return Difference(now, then)

    def _edited(
        self, one: _Delta, now: Version | None, then: Version | None
    ) -> tuple[Version | None, Version | None]:
        """What a person made of a file holds on both sides, if both had what it was made of."""
        before, after = one.before, one.after
        if after is None or _same(now, then) or _same(after, then):
            self._torn = None
            return after, after
        if self._torn is not None and _same(after, self._torn[0]):  # typed back
            self._torn = None
            return after, then
        if before is not None and same_meaning(before.path, before.body, after.body):  # moved
            return now and now._replace(path=after.path), _moved(then, after.path)
        self._torn = self._torn[0] if self._torn else now, after
        return after, then

    def _in_force(self, one: _Delta, side: Side) -> _Delta | None:
        """A change as far as it is in force, and cites nothing that is not there."""
        if side.out(one.number, self._name):
            return None
        away = side.missing | side.links
        if one.after is None or one.restored or not away:
            return one
        after = _memory(one.after)
        if one.before is not None:
            cited = _cited(after) - _cited(_memory(one.before))
            return None if cited & away else one
        bare = _uncited(after, away)
        if bare == after:
            return one
        return one._replace(after=_patched(one.after, after, bare))


def _applied(one: _Delta, state: Version | None) -> Version | None:
    """A state with a change, which may have been made of another. Raises Conflict."""
    before, after = one.before, one.after
    if after is None:
        return None
    if before is None:
        return state or after
    if state is None:
        return None
    if same_meaning(state.path, state.body, before.body):
        return after if before.path != after.path else Version(state.path, after.body)
    here, old, new = _memory(state), _memory(before), _memory(after)
    if _words(before) == _words(after):
        merged, result = _merged(here, old, new), state
    elif _words(before) == _words(state):
        merged, result, here = _merged(new, old, here), after, new
    else:
        raise changed_since(state.path, after.body, state.body)
    archived = merged.status == "archived"
    path = next(
        (one.path for one in (state, after, before) if _in_archive(one.path) == archived),
        state.path,
    )
    return _patched(result, here, merged)._replace(path=path)


def _merged(memory: Memory, old: Memory, new: Memory) -> Memory:
    """A memory with what became of another's header, key by key; its own changes stay."""
    values: dict[str, Any] = {}
    for name in _HEADER:
        was, is_now, value = (getattr(one, name) for one in (old, new, memory))
        if was != is_now:
            changed = _sections_changed if name == "sections" else _changed
            values[name] = changed(value, was, is_now)
    return replace(memory, **values)


def _changed(value: object, old: object, new: object) -> object:
    if isinstance(value, tuple) and isinstance(old, tuple) and isinstance(new, tuple):
        kept = [item for item in value if item in new or item not in old]
        return tuple(dict.fromkeys((*kept, *(item for item in new if item not in old))))
    return new if value == old else value


def _sections_changed(value: Any, old: Any, new: Any) -> object:
    """Sections with what became of others, heading by heading; a person's own stay."""
    was, is_now, result = dict(old), dict(new), list(value)
    for heading in dict.fromkeys((*was, *is_now)):
        before, after = was.get(heading), is_now.get(heading)
        if before == after:
            continue
        if before is None:
            if all(one != heading for one, _ in result):
                result.append((heading, after))
        elif (heading, before) in result:
            at = result.index((heading, before))
            result[at : at + 1] = [(heading, after)] if after is not None else []
    return tuple(result)


def _uncited(memory: Memory, away: Collection[str]) -> Memory:
    kept: dict[str, Any] = {
        name: tuple(cited for cited in getattr(memory, name) if cited not in away)
        for name in _CITING
    }
    return replace(memory, **kept)


def _cited(memory: Memory) -> set[str]:
    return {name for field_name in _CITING for name in getattr(memory, field_name)}


def _memory(version: Version) -> Memory:
    content = read_content(version.path, version.body).content
    assert isinstance(content, Memory)
    return content


def _words(version: Version) -> str:
    return said_in(read_content(*version).document.body)


def _patched(version: Version, before: Memory, after: Memory) -> Version:
    return Version(version.path, memory_changes(version.body, before, after))


def _moved(version: Version | None, path: str) -> Version | None:
    """A version at another place; what is not archived does not get into the archive by that."""
    if version is None or _in_archive(version.path) != _in_archive(path):
        return version
    return version._replace(path=path)


def _in_archive(path: str) -> bool:
    return path.startswith(f"{layout.ARCHIVE}/")


def _same(one: Version | None, other: Version | None) -> bool:
    """Whether two versions are at one place, and mean the same."""
    if one is None or other is None:
        return one is other
    return one.path == other.path and same_meaning(one.path, one.body, other.body)


# -- what is refused ------------------------------------------------------------------------------


def changed_since(path: str, now: bytes | None, expected: bytes | None) -> Conflict:
    """The refusal to touch a file that is not as it was left: where the two versions differ."""

    def lines(body: bytes | None) -> list[str]:
        return ["(no file)"] if body is None else body.decode("utf-8", "replace").splitlines()

    here, there = lines(now), lines(expected)
    mine = [line for line in here if line not in there][:_SHOWN_LINES]
    ours = [line for line in there if line not in here][:_SHOWN_LINES]
    return Conflict(
        f"{path} was changed since; it is left as it is",
        f"`engram log` says by what; on disk: {_shown(mine)} | expected: {_shown(ours)}",
    )


def _shown(lines: Sequence[str]) -> str:
    return " / ".join(line[:100] for line in lines if line.strip()) or "(nothing more)"
