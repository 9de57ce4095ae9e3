"""Undo: what a person names -> the plan that reverts it, or the reason why that cannot be.

The last change, a transaction, a step of a consolidation, or a whole import; and the plan that
queues the dead letter again. Nothing is written here. Refused: what was changed since, what was
captured again, and a memory that would have two files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from engram.model.change import Change, Event, Plan, Range
from engram.model.errors import BadInput, Conflict, NotFound
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.turn_rows import DEAD, ranges_of
from engram.store.commits.projections import Projections
from engram.store.commits.transaction import Purged
from engram.store.commits.transaction_log import TransactionLog, undone_in
from engram.store.files.content_file import read_content
from engram.store.files.meaning import same_meaning

#: kinds that cannot be undone: they follow the person, destroy, or only retry
_FINAL = frozenset({"settle", "purge", "retry"})
#: kinds that a plain `undo` skips
_UNASKED = _FINAL | {"undo", "seal"}
#: lines of each version that a refused undo shows
_SHOWN_LINES = 4


class UndoPlanner:
    """Plans undos in one vault."""

    def __init__(
        self, disk: VaultDisk, transaction_log: TransactionLog, projections: Projections
    ) -> None:
        self._disk = disk
        self._transaction_log = transaction_log
        self._projections = projections

    def plan(self, what: str) -> Plan:
        """The plan: files, turns and transactions. Raises NotFound, BadInput, Conflict."""
        catalog = self._projections.catalog
        if re.fullmatch(r"[0-9]{1,15}\.[0-9]{1,6}", what):
            return self._undo_of_a_step(what)
        numbers, batch = self._named(what, catalog)
        plan = self._swapped(numbers)
        if batch:
            plan = plan._replace(withdraw=(*plan.withdraw, *catalog.turns.batch_range(batch)))
        if plan.empty or not (plan.changes or plan.withdraw or plan.readmit or plan.requeue):
            raise BadInput(
                "there is nothing left of that to take back", "`engram log` shows the changes"
            )
        if catalog.turns.captured_again(plan.readmit):
            raise Conflict(
                "those turns were captured again meanwhile, so they cannot come back a second time",
                "undo the newer import first, or leave it as it is",
            )
        if elsewhere := self._second_homes(plan):
            raise Conflict(
                f"what would come back stands in {elsewhere[0]} already",
                "a memory has one file; remove that one first, or leave it as it is",
            )
        return plan._replace(events=self._events(plan))

    def _undo_of_a_step(self, what: str) -> Plan:
        """The plan for one step of a consolidation, and later steps on the same subjects."""
        number, _, step = what.partition(".")
        steps = self._projections.catalog.consolidations.steps(int(number))
        if step not in steps:
            raise NotFound(f"there is no step {what!r}", f"`engram log {number}` shows the steps")
        wanted, subjects = {step}, set(steps[step])
        while more := {one for one in steps if subjects & set(steps[one])} - wanted:
            wanted |= more
            subjects.update(*(steps[one] for one in more))
        plan = self._part(int(number), subjects)
        if not plan.changes:
            raise BadInput(f"there is nothing left of {what} to take back", "`engram log` shows it")
        label = f"{number}.{'+'.join(sorted(wanted, key=int))}"
        plan = plan._replace(batch=label)
        return plan._replace(events=self._events(plan))

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

    def _named(self, what: str, catalog: Catalog) -> tuple[list[int], str]:
        """The transactions that an `undo` means, and the import that it includes, if any.

        '' is the last change that stands, with all of its import; `N` that transaction alone;
        `import-N` that import. Raises NotFound and BadInput.
        """
        rows = catalog.log.rows()
        undone = undone_in(rows)
        if re.fullmatch(r"[0-9]{1,15}", what):
            return [self._one(int(what), rows, undone)], ""
        if what:
            batch = what
            known = any(row[3] == batch for row in rows)
            if not known and not (batch.isascii() and catalog.turns.batch_range(batch)):
                raise NotFound(f"there is no change {what!r}", "`engram log` shows the changes")
        else:
            # a transaction without file changes (a failure, turns without memories) needs no undo
            standing = [
                row
                for row in rows
                if row[0] not in undone and row[2] not in _UNASKED and (row[4] or row[3])
            ]
            if not standing:
                raise NotFound("there is nothing to undo", "`engram log` shows the changes")
            batch = standing[0][3]
            if not batch:
                return [standing[0][0]], ""
        numbers = [row[0] for row in rows if row[3] == batch and row[0] not in undone]
        consolidations = [
            row[0] for row in rows if row[2] == "consolidate" and row[0] not in undone
        ]
        return self._with_consolidations(sorted(numbers), sorted(consolidations)), batch

    def _with_consolidations(self, numbers: list[int], consolidations: Sequence[int]) -> list[int]:
        """Transactions, and the later consolidations that changed the same files."""
        paths = {
            change.path
            for number in numbers
            for change in self._transaction_log.existing(number).plan.changes
        }
        found = list(numbers)
        for run in consolidations:
            if not numbers or run <= numbers[0] or run in found:
                continue
            touched = {change.path for change in self._transaction_log.existing(run).plan.changes}
            if touched & paths:
                found.append(run)
                paths |= touched
        return sorted(found)

    def _one(self, number: int, rows: Sequence[tuple], undone: set[int]) -> int:  # type: ignore[type-arg]
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
        return number

    def _swapped(
        self, numbers: Sequence[int], only: Callable[[Change], bool] = lambda change: True
    ) -> Plan:
        """The plan that undoes transactions: before and after swapped over all of them.

        `only` selects changes of them; the others stay. A file that an editor rewrote with the same
        meaning gets its older bytes all the same. Raises Conflict (both versions in its hint)
        when a file was changed since, or was purged.
        """
        targets = [self._transaction_log.existing(number) for number in sorted(numbers)]
        before: dict[str, bytes | None] = {}
        after: dict[str, bytes | None] = {}
        for target in targets:
            for change in target.plan.changes:
                if isinstance(change, Purged):
                    raise Conflict(
                        f"transaction {target.number} cannot be undone: {change.path} was purged",
                        "purged content is gone for good; that is what purge is for",
                    )
                if change.path in target.left or not only(change):
                    continue
                earlier = after.get(change.path, change.before)
                if not same_meaning(change.path, earlier, change.before):
                    raise Conflict(
                        f"{change.path} was changed in between; it is left as it is",
                        _versions(change.before, after[change.path]),
                    )
                before.setdefault(change.path, change.before)
                after[change.path] = change.after
        changes = []
        for path, final in after.items():
            now = self._disk.read(path)
            if same_meaning(path, now, before[path]):
                continue  # it has the older meaning already
            if not same_meaning(path, now, final):
                raise Conflict(
                    f"{path} was changed since; it is left as it is", _versions(now, final)
                )
            changes.append(Change(path, now, before[path], "undo"))
        return Plan(
            "undo",
            tuple(changes),
            withdraw=tuple(pair for target in targets for pair in target.plan.readmit),
            readmit=tuple(pair for target in targets for pair in target.plan.withdraw),
            requeue=tuple(pair for target in targets for pair in target.plan.dead),
            undoes=tuple(target.number for target in targets),
        )

    def _events(self, plan: Plan) -> tuple[Event, ...]:
        """One event for each memory, box and entity whose file the undo touches."""
        numbers = " ".join(map(str, plan.undoes)) or plan.batch
        named: dict[str, str] = {}
        for change in plan.changes:
            body = change.after if change.after is not None else change.before
            if layout.content_type(change.path) and body is not None:
                what = "taken back" if change.after is None else "changed back"
                named[read_content(change.path, body).id] = what
        return tuple(
            Event("undone", name, (("what", what), ("undoes", numbers)))
            for name, what in named.items()
        )

    def _part(self, number: int, subjects: Container[str]) -> Plan:
        """The plan that undoes what a transaction did to these ids (or plain pages)."""

        def concerned(change: Change) -> bool:
            stem = change.path.rpartition("/")[2].removesuffix(".md")
            if change.path in subjects or stem in subjects:
                return True
            body = change.after if change.after is not None else change.before
            if body is None or layout.kind_of(change.path) != "memory":
                return False
            return read_content(change.path, body).id in subjects

        return self._swapped([number], concerned)._replace(undoes=())


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


def _versions(now: bytes | None, expected: bytes | None) -> str:
    """Where two versions of a file differ, in short lines, for the person to compare."""

    def lines(body: bytes | None) -> list[str]:
        return ["(no file)"] if body is None else body.decode("utf-8", "replace").splitlines()

    here, there = lines(now), lines(expected)
    mine = [line for line in here if line not in there][:_SHOWN_LINES]
    ours = [line for line in there if line not in here][:_SHOWN_LINES]
    return f"on disk: {_shown(mine)} | expected: {_shown(ours)}"


def _shown(lines: Sequence[str]) -> str:
    return " / ".join(line[:100] for line in lines if line.strip()) or "(nothing more)"
