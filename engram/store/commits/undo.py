"""Undo: what a person names -> the plan that reverts it, or the reason why that cannot be.

The last change, a transaction, a step of a consolidation, or a whole import; and the plan that
queues the dead letter again. What was made of it since goes along: consolidations about nothing
else, and what other memories took over from it. What was purged is passed over and named in the
events. Pages that were written on since are left to whoever folds them. Nothing is written here.
Refused: what a person changed since, what was captured again, and a memory that would have two
files.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import NamedTuple

from engram.model.box import Box
from engram.model.change import Change, Event, Plan, Range, Transaction
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.memory import Memory
from engram.model.report import Reverted
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.turn_rows import DEAD, DONE, ranges_of
from engram.store.commits.later_changes import LaterChanges, born_in, later_changes, without
from engram.store.commits.projections import Projections
from engram.store.commits.transaction import Purged
from engram.store.commits.transaction_log import TransactionLog, undone_in
from engram.store.files.box_file import box_changes
from engram.store.files.content_file import read_content
from engram.store.files.meaning import same_meaning
from engram.store.files.render import FileRenderer

#: kinds that cannot be undone: they follow the person, destroy, or only retry
_FINAL = frozenset({"settle", "purge", "retry"})
#: kinds that a plain `undo` skips
_UNASKED = _FINAL | {"undo", "seal"}
#: events by which a person made a memory theirs
_DECIDED = frozenset({"hand_edit", "memory_restored", "contradiction_settled"})
#: lines of each version that a refused undo shows
_SHOWN_LINES = 4


class _Swap(NamedTuple):
    """The plan that swaps some transactions; the paths that it passes over because of a purge."""

    plan: Plan
    purged: tuple[str, ...]


class UndoPlanner:
    """Plans undos in one vault."""

    def __init__(
        self, disk: VaultDisk, transaction_log: TransactionLog, projections: Projections
    ) -> None:
        self._disk = disk
        self._transaction_log = transaction_log
        self._projections = projections

    def plan(self, what: str) -> Reverted:
        """The plan: files, turns and transactions. Raises NotFound, BadInput, Conflict."""
        step = re.fullmatch(r"[0-9]{1,15}\.[0-9]{1,6}", what)
        plan = self._undo_of_a_step(what) if step else self._undo_of(what)
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

    def _undo_of(self, what: str) -> Plan:
        """The plan for transactions, with what came of them since."""
        catalog = self._projections.catalog
        numbers, batch = self._named(what, catalog)
        targets = [self._transaction_log.existing(number) for number in sorted(numbers)]
        taken = catalog.turns.batch_range(batch) if batch else []
        withdraw = tuple(catalog.turns.in_force((*_withdrawn_by(targets), *taken)))
        links = catalog.turns.links_in(withdraw)
        gone = born_in(targets)
        later = self._later(targets, gone, links)
        if later.whole:
            numbers = sorted({*numbers, *later.whole})
            targets = [self._transaction_log.existing(number) for number in numbers]
        plan, purged = self._swapped(targets, gone)
        plan = plan._replace(
            changes=tuple(map(self._ungoaled(plan.readmit), plan.changes)), withdraw=withdraw
        )
        plan = plan._replace(
            changes=(*plan.changes, *self._uncited(later, plan)),
            requeue=(*plan.requeue, *self._said_again(plan, links)),
        )
        if not (plan.changes or plan.withdraw or plan.readmit or plan.requeue):
            if purged:
                raise Conflict(
                    f"{what or numbers[0]} cannot be undone: {purged[0]} was purged",
                    "purged content is gone for good; that is what purge is for",
                )
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
        return plan._replace(events=self._events(plan, purged))

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
        plan, purged = self._part(int(number), subjects)
        if not plan.changes:
            raise BadInput(f"there is nothing left of {what} to take back", "`engram log` shows it")
        label = f"{number}.{'+'.join(sorted(wanted, key=int))}"
        plan = plan._replace(batch=label)
        return plan._replace(events=self._events(plan, purged))

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
        # a consolidation after an import is about the whole vault: what of it goes is seen later
        return [
            row[0]
            for row in rows
            if row[3] == batch and row[0] not in undone and row[2] != "consolidate"
        ], batch

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

    # -- what came since -----------------------------------------------------------------------

    def _later(
        self, targets: Sequence[Transaction], gone: Collection[str], links: Collection[str]
    ) -> LaterChanges:
        """What later transactions that are in force did with what goes."""
        if not targets or not (gone or links):
            return LaterChanges()
        undone = undone_in(self._projections.catalog.log.rows())
        out = undone | {target.number for target in targets}
        later = (
            one
            for one in self._transaction_log.all(targets[0].number)
            if one.number not in out and one.plan.kind not in _FINAL
        )
        return later_changes(later, gone, links)

    def _uncited(self, later: LaterChanges, plan: Plan) -> list[Change]:
        """The other memories without what they took over; those that are reverted are left out."""
        catalog = self._projections.catalog
        done = {change.path for change in plan.changes}
        pairs = []
        for name, versions in later.citing.items():
            now = catalog.memory(name)
            if now is not None and now.path not in done:
                after = without(now, versions)
                if after != now:
                    pairs.append((now, after))
        return FileRenderer(self._disk).changes([], pairs)

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
            away = [row[1:] for row in rows.withdrawn_of(box.session) if row[0] not in back]
            if not any(" ".join(turn.text.split()).startswith(box.goal) for turn in log.read(away)):
                return change
            bare = box_changes(change.after, box, dataclasses.replace(box, goal=""))
            return dataclasses.replace(change, after=bare)

        return ungoaled

    # -- files ---------------------------------------------------------------------------------

    def _swapped(
        self,
        targets: Sequence[Transaction],
        gone: Collection[str] = (),
        only: Callable[[Change], bool] = lambda change: True,
    ) -> _Swap:
        """The plan that undoes transactions: before and after swapped over all of them.

        `gone` are the memories that they brought, `only` selects changes of them; the others stay.
        A file that an editor rewrote with the same meaning gets its older bytes all the same, and
        a page that shows memories which are taken back stays as it is by now. Raises Conflict (both
        versions in its hint) when a person changed a file since.
        """
        before: dict[str, bytes | None] = {}
        after: dict[str, bytes | None] = {}
        purged: dict[str, None] = {}
        between: set[str] = set()
        for target in targets:
            for change in target.plan.changes:
                if change.path in target.left or not only(change):
                    continue
                if isinstance(change, Purged):
                    purged[change.path] = None
                    continue
                earlier = after.get(change.path, change.before)
                if not same_meaning(change.path, earlier, change.before):
                    between.add(change.path)
                before.setdefault(change.path, change.before)
                after[change.path] = change.after
        pages = any(layout.kind_of(path) == "memory" for path in (*after, *purged))
        changes: list[Change] = []
        for path, final in after.items():
            now = self._disk.read(path)
            if path in purged:
                continue
            if same_meaning(path, now, before[path]) and not self._elsewhere(path, final, gone):
                continue  # it has the older meaning already
            if path not in between and same_meaning(path, now, final):
                changes.append(Change(path, now, before[path], "undo"))
            elif not (pages and layout.is_page(path)):
                found = (before[path], final)
                changes += self._despite(path, found, targets, gone, same=path not in between)
        plan = Plan(
            "undo",
            tuple(changes),
            withdraw=_withdrawn_by(targets),
            readmit=tuple(pair for target in targets for pair in target.plan.withdraw),
            requeue=tuple(pair for target in targets for pair in target.plan.dead),
            undoes=tuple(target.number for target in targets),
        )
        return _Swap(plan, tuple(purged))

    def _elsewhere(self, path: str, final: bytes | None, gone: Collection[str]) -> bool:
        """Whether a memory that is to go was moved from where the transactions left it."""
        if final is None or not gone or layout.kind_of(path) != "memory":
            return False
        name = read_content(path, final).id
        return name in gone and bool(self._projections.catalog.home(Memory, name))

    def _despite(
        self,
        path: str,
        versions: tuple[bytes | None, bytes | None],
        targets: Sequence[Transaction],
        gone: Collection[str],
        *,
        same: bool,
    ) -> list[Change]:
        """How a file is reverted that is not as the transactions left it.

        A file that was moved is reverted where it is; what the program did to a memory since does
        not hold up its end. Raises Conflict for a person's changes. Not `same`: another changed it
        between the transactions.
        """
        catalog, (before, final) = self._projections.catalog, versions
        body = before if final is None else final
        if body is not None and layout.kind_of(path) == "memory":
            read = read_content(path, body)
            home = catalog.home(Memory, read.id)
            now = self._disk.read(home) if home else None
            if same and home and now is not None and same_meaning(path, now, final):
                return [Change(home, now, before, "undo")]
            if now is None and (read.id in gone or self._is_undone(read.id, targets[0].number)):
                return []  # the person took it away already, or another undo did
            if now is not None and not self._vouched(read.id, targets, final):
                if read.id in gone:
                    return [Change(home, now, None, "undo")]
                known = catalog.memory(read.id)
                if before is not None and final is not None and known is not None:
                    old, new = (read_content(path, one).content for one in (before, final))
                    if isinstance(old, Memory) and isinstance(new, Memory):
                        reverted = without(known, [(old, new)])
                        return FileRenderer(self._disk).changes([], [(known, reverted)])
        when = "since" if same else "in between"
        raise Conflict(
            f"{path} was changed {when}; it is left as it is",
            _versions(self._disk.read(path), final),
        )

    def _is_undone(self, identifier: str, number: int) -> bool:
        """Whether an undo in force, after a transaction, removed a memory."""
        log = self._projections.catalog.log
        out = undone_in(log.rows())
        return any(
            ("what", "taken back") in event.details and later > number and later not in out
            for later, _, event in log.events(identifier)
        )

    def _vouched(
        self, identifier: str, targets: Sequence[Transaction], final: bytes | None
    ) -> bool:
        """Whether a person changed a memory, or confirmed it, after the first of transactions.

        To move its file as they left it (`final`) is no change.
        """
        log = self._projections.catalog.log
        out = undone_in(log.rows()) | {target.number for target in targets}
        return any(
            (event.name in _DECIDED or dict(event.details).get("by") == "person")
            and number > targets[0].number
            and number not in out
            and not (("what", "moved") in event.details and self._saw(number, identifier, final))
            for number, _, event in log.events(identifier)
        )

    def _saw(self, number: int, identifier: str, version: bytes | None) -> bool:
        """Whether a transaction found a memory's file with the meaning of a version."""
        found = self._transaction_log.read(number)
        return found is not None and any(
            same_meaning(change.path, change.after, version)
            for change in found.plan.seen
            if change.after is not None
            and layout.kind_of(change.path) == "memory"
            and read_content(change.path, change.after).id == identifier
        )

    def _events(self, plan: Plan, purged: Iterable[str]) -> tuple[Event, ...]:
        """One event for each memory, box and entity whose file the undo touches, or cannot."""
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
            named[path.rpartition("/")[2].removesuffix(".md")] = "purged"
        return tuple(
            Event("undone", name, (("what", what), ("undoes", numbers)))
            for name, what in named.items()
        )

    def _part(self, number: int, subjects: Container[str]) -> _Swap:
        """The plan that undoes what a transaction did to these ids (or plain pages)."""

        def concerned(change: Change) -> bool:
            stem = change.path.rpartition("/")[2].removesuffix(".md")
            if change.path in subjects or stem in subjects:
                return True
            body = change.after if change.after is not None else change.before
            if body is None or layout.kind_of(change.path) != "memory":
                return False
            return read_content(change.path, body).id in subjects

        plan, purged = self._swapped([self._transaction_log.existing(number)], (), concerned)
        return _Swap(plan._replace(undoes=()), purged)


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
