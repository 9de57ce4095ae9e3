"""Undo: what a person names -> the plan that reverts it, or the reason why that cannot be.

The last change of which something is left, a transaction, a step of a consolidation, or a whole
import; and the plan that queues the dead letter again. Memories become what the transactions that
stay in force make of them (`replay`); later ones about nothing but what goes count as undone too.
What was purged is passed over and named in the events. Pages that were written on since are left to
whoever folds them. Nothing is written here. Refused: what a person changed since, what was captured
again, and a memory that would have two files.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence

from engram.model.box import Box
from engram.model.change import PART, Change, Event, Plan, Range, Transaction
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.link_targets import stem_of
from engram.model.memory import Memory
from engram.model.report import Reverted
from engram.model.trace import taken_back
from engram.model.turn import Turn
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.consolidation_rows import KIND as CONSOLIDATION
from engram.store.catalog.turn_rows import DEAD, DONE, WITHDRAWN, ranges_of
from engram.store.commits.linked_history import RELINK, LinkedHistory, unlinked
from engram.store.commits.projections import Projections
from engram.store.commits.replay import (
    Replayed,
    Side,
    Version,
    carried,
    changed_since,
    replayed,
)
from engram.store.commits.subjects import subjects_of
from engram.store.commits.transaction import Purged
from engram.store.commits.transaction_log import TransactionLog, undone_in
from engram.store.files.box_file import box_changes
from engram.store.files.content_file import read_content
from engram.store.files.phases_file import without_lines

#: kinds that cannot be undone: they follow the person, destroy, or only retry
_FINAL = frozenset({"settle", "purge", "retry"})
#: kinds that a plain `undo` skips
_UNASKED = _FINAL | {"undo", "seal", "close", "expire", RELINK}
#: kinds that never go along with another: they settle turns, or follow the person
_APART = _FINAL | {"undo", "import", "capture", "extract", "remember", RELINK}

#: a row of the catalog's log
_Row = tuple[int, str, str, str, int, str, str]


class UndoPlanner:
    """Plans undos in one vault."""

    def __init__(
        self, disk: VaultDisk, transaction_log: TransactionLog, projections: Projections
    ) -> None:
        self._disk = disk
        self._transaction_log = transaction_log
        self._projections = projections
        self._history = LinkedHistory(projections.names())

    def plan(self, what: str) -> Reverted:
        """The plan: files, turns and transactions. Raises NotFound, BadInput, Conflict."""
        if re.fullmatch(r"[0-9]{1,15}\.[0-9]{1,6}", what):
            plan = self._undo_of_a_step(what)
        elif what:
            plan = self._undo_of(what)
        else:
            plan = self._undo_of_the_last()
        now, then = _memories(plan.changes)
        return Reverted(
            plan,
            {name: memory for name, memory in now.items() if name not in then},
            {
                name: (memory, then[name])
                for name, memory in now.items()
                if name in then and memory.text != then[name].text
            },
            frozenset(self._projections.catalog.turns.links_in(plan.withdraw)),
        )

    def _undo_of_the_last(self) -> Plan:
        """The plan for the last change of which something is left, with those above it."""
        passed: list[int] = []
        for numbers, batch in self._standing():
            passed += (number for number in numbers if number not in passed)
            plan, purged = self._without(passed, batch)
            if _does_something(plan):
                return self._told(plan, purged)
        raise NotFound("there is nothing to undo", "`engram log` shows the changes")

    def _undo_of(self, what: str) -> Plan:
        """The plan for a transaction, or an import."""
        numbers, batch = self._named(what)
        plan, purged = self._without(numbers, batch)
        if purged and not _does_something(plan):
            raise Conflict(
                f"{what} cannot be undone: {purged[0]} was purged",
                "purged content is gone for good; that is what purge is for",
            )
        if self._projections.catalog.turns.captured_again(plan.readmit):
            raise Conflict(
                "those turns were captured again meanwhile, so they cannot come back a second time",
                "undo the newer import first, or leave it as it is",
            )
        return self._told(plan, purged)

    def _without(self, numbers: Sequence[int], batch: str) -> tuple[Plan, list[str]]:
        """The plan for transactions, with what came of them since, and the paths purged since."""
        catalog = self._projections.catalog
        targets = [self._transaction_log.existing(number) for number in sorted(numbers)]
        if all(target.plan.kind == RELINK for target in targets):
            return unlinked(targets, self._disk), []
        taken = catalog.turns.batch_range(batch) if batch else []
        withdraw = tuple(catalog.turns.in_force((*_withdrawn_by(targets), *taken)))
        readmit = tuple(pair for target in targets for pair in target.plan.withdraw)
        found = self._replayed(numbers, withdraw, readmit)
        targets = sorted(
            (*targets, *self._wholly_about(found, targets)), key=lambda target: target.number
        )
        pages, purged = self._swapped(targets)
        rows = catalog.log.rows()
        out = _out_of_force(rows)
        out_then = _out_of_force(rows, [target.number for target in targets])
        plan = Plan(
            "undo",
            (*self._memories(found), *map(self._ungoaled(readmit), pages)),
            withdraw=withdraw,
            readmit=readmit,
            ack=self._forgotten(out - out_then),
            requeue=(
                *(pair for target in targets for pair in target.plan.dead),
                *self._forgotten(out_then - out),
            ),
            undoes=tuple(target.number for target in targets),
        )
        again = self._said_again(plan, catalog.turns.links_in(withdraw))
        return plan._replace(requeue=(*plan.requeue, *again)), purged

    def _told(self, plan: Plan, purged: Sequence[str]) -> Plan:
        """A plan with its events. Raises BadInput for one that does nothing, and Conflict."""
        if not _does_something(plan):
            raise BadInput(
                "there is nothing left of that to take back", "`engram log` shows the changes"
            )
        if elsewhere := self._second_homes(plan):
            raise Conflict(
                f"what would come back stands in {elsewhere[0]} already",
                "a memory has one file; remove that one first, or leave it as it is",
            )
        return plan._replace(events=self._events(plan, purged))

    def _undo_of_a_step(self, what: str) -> Plan:
        """The plan for one step of a consolidation, and later steps on the same subjects."""
        number, _, step = what.partition(".")
        consolidations = self._projections.catalog.consolidations
        steps = consolidations.steps(int(number))
        if step not in steps:
            raise NotFound(f"there is no step {what!r}", f"`engram log {number}` shows the steps")
        wanted, subjects = {step}, set(steps[step])
        while more := {one for one in steps if subjects & set(steps[one])} - wanted:
            wanted |= more
            subjects.update(*(steps[one] for one in more))

        def concerned(path: str) -> bool:
            return path in subjects or stem_of(path) in subjects

        parts = consolidations.parts(int(number))
        found = self._replayed(parts, only=subjects)
        pages, purged = self._swapped(list(map(self._transaction_log.existing, parts)), concerned)
        label = f"{number}.{'+'.join(sorted(wanted, key=int))}"
        return self._told(Plan("undo", (*self._memories(found), *pages), batch=label), purged)

    def _second_homes(self, plan: Plan) -> list[str]:
        """Files that have the id of a file that the plan would restore: people move files."""
        leaving = {change.path for change in plan.changes if change.after is None}
        found = []
        for change in plan.changes:
            if change.before is None and change.after and layout.content_type(change.path):
                read = read_content(change.path, change.after)
                home = self._projections.catalog.home(read.kind, read.id)
                if home and home not in leaving | {change.path}:
                    found.append(home)
        return found

    def _standing(self) -> Iterator[tuple[list[int], str]]:
        """The changes that a plain undo may mean, newest first: an import is one of them."""
        rows = self._projections.catalog.log.rows()
        undone = undone_in(rows)
        for row in rows:
            # a transaction without file changes (a failure, turns without memories) needs no undo
            if row[0] in undone or row[2] in _UNASKED or not (row[4] or row[3]):
                continue
            night = row[2] == CONSOLIDATION
            if row[3] and not (night and row[3].startswith(PART)):
                yield _of_batch(rows, row[3], undone), row[3]
            if night:
                yield self._parts(row[0], undone), ""
            elif not row[3]:
                yield [row[0]], ""

    def _parts(self, number: int, undone: Container[int]) -> list[int]:
        """The transactions of a consolidation that stand: a large one has several."""
        parts = self._projections.catalog.consolidations.parts(number)
        return [one for one in parts if one not in undone]

    def _named(self, what: str) -> tuple[list[int], str]:
        """The transactions that `N` or `import-N` means, and the import.

        Raises NotFound and BadInput.
        """
        catalog = self._projections.catalog
        rows = catalog.log.rows()
        undone = undone_in(rows)
        if re.fullmatch(r"[0-9]{1,15}", what):
            return self._one(int(what), rows, undone), ""
        known = any(row[3] == what for row in rows)
        if not known and not (what.isascii() and catalog.turns.batch_range(what)):
            raise NotFound(f"there is no change {what!r}", "`engram log` shows the changes")
        return _of_batch(rows, what, undone), what

    def _one(self, number: int, rows: Sequence[_Row], undone: Container[int]) -> list[int]:
        kind = next((row[2] for row in rows if row[0] == number), "")
        if not kind:
            raise NotFound(f"there is no transaction {number}", "`engram log` shows the changes")
        if number in undone:
            raise BadInput(
                f"transaction {number} is undone already", "undo its undo to have it again"
            )
        if kind in _FINAL:
            raise BadInput(
                f"transaction {number} ({kind}) cannot be undone",
                "your own edits are yours to take back; `engram restore ID` brings a file back",
            )
        return self._parts(number, undone) if kind == CONSOLIDATION else [number]

    # -- memories ------------------------------------------------------------------------------

    def _replayed(
        self,
        numbers: Collection[int],
        withdraw: Sequence[Range] = (),
        readmit: Sequence[Range] = (),
        only: Collection[str] = (),
    ) -> Replayed:
        """What the memories would be without these transactions, or (`only`) their part in some."""
        rows, turns = self._projections.catalog.log.rows(), self._projections.catalog.turns
        out = _out_of_force(rows)
        then_out = out if only else _out_of_force(rows, numbers)
        away = turns.links_in(ranges_of(turns.in_state(WITHDRAWN))) - turns.all_links()
        away_then = away - turns.links_in(readmit) | turns.links_in(withdraw)

        first = _first_that_counts({*(out ^ then_out), *numbers}, rows)
        return replayed(
            self._history.read(self._transaction_log.all(first - 1)),
            Side(lambda number, name: number in out, frozenset(away)),
            Side(
                lambda number, name: number in then_out or (number in numbers and name in only),
                frozenset(away_then),
            ),
        )

    def _memories(self, found: Replayed) -> list[Change]:
        """The changes of the memories' files. Raises Conflict where one is not as it should be."""
        changes: list[Change] = []
        for name, (now, then) in found.different.items():
            home = self._projections.catalog.home(Memory, name)
            body = self._disk.read(home) if home else None
            if body is None or now is None:
                if now is not None and then is not None:
                    raise changed_since(now.path, body, now.body)
                if then is not None:
                    changes.append(Change(then.path, None, then.body, "undo"))
            else:
                read = self._history.ids(home, body)
                after = carried(now, then, Version(home, read or b""))
                if after is None or after.path != home:
                    changes.append(Change(home, body, None, "undo"))
                    home, body, read = "", None, None
                if after is not None and after.body != read:
                    changes.append(Change(after.path, body, after.body, "undo"))
        return changes

    def _wholly_about(self, found: Replayed, targets: Sequence[Transaction]) -> list[Transaction]:
        """Later transactions in force that are about nothing but memories that go."""
        gone = found.missing - found.missed
        if not gone:
            return []
        rows = self._projections.catalog.log.rows()
        out = _out_of_force(rows, [target.number for target in targets])
        return [
            one
            for one in self._history.read(self._transaction_log.all(targets[0].number))
            if one.number not in out
            and one.plan.kind not in _APART
            and gone & (subjects := subjects_of(one))
            and subjects <= found.missing
        ]

    def _forgotten(self, numbers: Collection[int]) -> tuple[Range, ...]:
        """The pending turns that these transactions forgot, as far as they are there."""
        found = map(self._transaction_log.read, sorted(numbers))
        ranges = (
            pair for one in found if one and one.plan.kind == "forget" for pair in one.plan.ack
        )
        return tuple(self._projections.catalog.turns.in_force(ranges))

    def _said_again(self, plan: Plan, links: Collection[str]) -> list[Range]:
        """The settled turns that confirmed a memory which goes: they are to be extracted anew."""
        turns, numbers = self._projections.catalog.turns, set[int]()
        now, then = _memories(plan.changes)
        for memory in now.values() if links else ():
            if memory.id in then:
                continue
            kept = [link for link in memory.sources if link not in links and memory.live]
            rows = turns.behind_links(kept).values()
            numbers.update(row.seq for row in rows if row.seq > 0 and row.state == DONE)
        return ranges_of(sorted(numbers))

    def _ungoaled(self, readmit: Sequence[Range]) -> Callable[[Change], Change]:
        """Takes the goal out of a box that comes back, where its turn is still taken back."""
        rows, log = self._projections.catalog.turns, self._projections.turn_log
        back = {row[0] for row in rows.places_of(readmit)}

        def ungoaled(change: Change) -> Change:
            if change.before is not None or change.after is None:
                return change
            box = read_content(change.path, change.after).content
            if not (isinstance(box, Box) and box.goal):
                return change
            found = rows.withdrawn_of(box.session)
            here, away = (
                [row[1:] for row in found if (row[0] in back) is side] for side in (True, False)
            )
            if _opens(log.read(here), box.goal) or not _opens(log.read(away), box.goal):
                return change
            bare = box_changes(change.after, box, dataclasses.replace(box, goal=""))
            return dataclasses.replace(change, after=bare)

        return ungoaled

    # -- files ---------------------------------------------------------------------------------

    def _swapped(
        self, targets: Sequence[Transaction], only: Callable[[str], bool] = lambda path: True
    ) -> tuple[list[Change], list[str]]:
        """What brings the other files back as before the targets, and the paths purged since.

        `only` selects paths. A file that an editor rewrote with the same meaning gets its older
        bytes all the same; one that was changed in between or since stays: pages are folds.
        """
        before: dict[str, bytes | None] = {}
        after: dict[str, bytes | None] = {}
        left: set[str] = set()
        purged: dict[str, None] = {}
        for target in targets:
            for change in target.plan.changes:
                path = change.path
                if path in target.left or not only(path):
                    continue
                if isinstance(change, Purged):
                    purged[path] = None
                elif layout.kind_of(path) != "memory":
                    if not self._history.same(path, after.get(path, change.before), change.before):
                        left.add(path)
                    before.setdefault(path, change.before)
                    after[path] = change.after
        changes, same = [], self._history.same
        for path in after.keys() - purged.keys() - left:
            now = self._disk.read(path)
            if path == layout.PHASES and now is not None and now != after[path]:
                # what began since stays: each line is a phase of its own
                changes.append(Change(path, now, without_lines(now, before[path], after[path])))
            elif same(path, now, after[path]) and not same(path, now, before[path]):
                older = self._history.ids(path, before[path])
                changes.append(Change(path, now, older, "undo"))
        return sorted(changes, key=lambda change: change.path), list(purged)

    def _events(self, plan: Plan, purged: Iterable[str]) -> tuple[Event, ...]:
        """One event for each memory, box and entity whose file the undo touches, or cannot; then
        which memories leave the active set by it, and which return.
        """
        numbers = " ".join(map(str, plan.undoes)) or plan.batch
        named: dict[str, str] = {}
        for change in plan.changes:
            body = change.after if change.after is not None else change.before
            if layout.content_type(change.path) and body is not None:
                what = "taken back" if change.after is None else "changed back"
                named[read_content(change.path, body).id] = what
        for path in purged:
            if layout.kind_of(path) != "memory":
                continue
            named[stem_of(path)] = "purged"
        sides = _memories(plan.changes)
        crossed = (taken_back(*(side.get(name) for side in sides)) for name in named)
        return (
            *(
                Event("undone", name, (("what", what), ("undoes", numbers)))
                for name, what in named.items()
            ),
            *(event for event in crossed if event is not None),
        )


def _opens(turns: Iterable[Turn], goal: str) -> bool:
    return any(" ".join(turn.text.split()).startswith(goal) for turn in turns)


def _does_something(plan: Plan) -> bool:
    return bool(plan.changes or plan.withdraw or plan.readmit or plan.requeue)


def _of_batch(rows: Sequence[_Row], batch: str, undone: Container[int]) -> list[int]:
    """The transactions of an import that stand.

    A consolidation after it is about the whole vault: what of that goes is seen later.
    """
    return [
        row[0]
        for row in rows
        if row[3] == batch and row[0] not in undone and row[2] != CONSOLIDATION
    ]


def _out_of_force(rows: Sequence[_Row], undoes: Collection[int] = ()) -> set[int]:
    """The transactions that are out of force, as if others were undone too.

    The undo of a step is so with its consolidation.
    """
    more = [(0, "", "undo", "", 0, "", " ".join(map(str, undoes)))]
    out = undone_in([*more, *rows])
    steps = (row for row in rows if row[2] == "undo" and not row[6])
    return out | {row[0] for row in steps if int(row[3].partition(".")[0] or 0) in out}


def _first_that_counts(numbers: Collection[int], rows: Sequence[_Row]) -> int:
    """The transaction before which two histories that differ in these were the same.

    An undo since then may have changed what came earlier.
    """
    first = min(numbers, default=1)
    for row in rows:  # newest first: an undo is made after what it undoes
        if row[2] == "undo" and row[0] > first:
            first = min((first, *map(int, row[6].split())))
    return first


def _withdrawn_by(targets: Iterable[Transaction]) -> tuple[Range, ...]:
    """The turns that go with transactions: readmitted by them, or said to be remembered."""
    return tuple(
        pair
        for target in targets
        for pair in (*target.plan.readmit, *(target.plan.ack if _is_said(target) else ()))
    )


def _is_said(target: Transaction) -> bool:
    return target.plan.kind == "remember"


def _memories(changes: Iterable[Change]) -> tuple[dict[str, Memory], dict[str, Memory]]:
    """The memories that changes find, and those that they leave, by id."""
    sides: tuple[dict[str, Memory], dict[str, Memory]] = ({}, {})
    for change in changes:
        for side, body in zip(sides, (change.before, change.after), strict=True):
            if body is not None and layout.kind_of(change.path) == "memory":
                content = read_content(change.path, body).content
                assert isinstance(content, Memory)
                side[content.id] = content
    return sides


def retry_plan(disk: VaultDisk, catalog: Catalog) -> tuple[Plan, int]:
    """The plan that queues the dead letter again, and how many turns it holds."""
    numbers = catalog.turns.in_state(DEAD)
    ranges: list[Range] = ranges_of(numbers)
    letters = [
        Change(path, disk.read(path), None, "queued again")
        for name in disk.names(layout.DEAD_LETTER)
        for path in (f"{layout.DEAD_LETTER}/{name}",)
        if name.endswith(".json")
    ]
    names = catalog.turns.transcripts_in(ranges)
    events = tuple(Event("requeued", name) for name in names)
    return Plan("retry", tuple(letters), events, requeue=tuple(ranges)), len(numbers)
