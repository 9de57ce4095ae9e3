"""Undo: what a person names -> the plan that reverts it, or the reason why that cannot be.

The last change, a transaction, a step of a consolidation, or a whole import. Nothing is written
here. Refused: what was changed since, what was captured again, and a memory that would have two
files.
"""

from __future__ import annotations

import re

from engram.model.change import Plan
from engram.model.errors import BadInput, Conflict, NotFound
from engram.store.base import layout
from engram.store.commits.projections import Projections
from engram.store.commits.transaction_log import TransactionLog
from engram.store.files.content_file import read_content


class UndoPlanner:
    """Plans undos in one vault."""

    def __init__(self, transaction_log: TransactionLog, projections: Projections) -> None:
        self._transaction_log = transaction_log
        self._projections = projections

    def plan(self, what: str) -> Plan:
        """The plan: files, turns and transactions. Raises NotFound, BadInput, Conflict."""
        catalog = self._projections.catalog
        if re.fullmatch(r"[0-9]{1,15}\.[0-9]{1,6}", what):
            return self._undo_of_a_step(what)
        numbers, batch = self._transaction_log.to_undo(what, catalog)
        plan = self._transaction_log.undo_plan(numbers)
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
        return plan._replace(events=self._transaction_log.undo_events(plan))

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
        plan = self._transaction_log.part_plan(int(number), subjects)
        if not plan.changes:
            raise BadInput(f"there is nothing left of {what} to take back", "`engram log` shows it")
        label = f"{number}.{'+'.join(sorted(wanted, key=int))}"
        plan = plan._replace(batch=label)
        return plan._replace(events=self._transaction_log.undo_events(plan))

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
