"""Consolidation plan: runs the passes in order, validates every step, and cuts them into parts.

Each pass sees what those before it planned. In a full run without a model those that decide about
memories are repeated until they find nothing, before the pages are made: what one of them ends can
bring two others together. A part holds a bounded number of steps, and the last one shares nothing
with the next; it is to be committed before the next part is asked for, and later passes look at the
vault as it then is. Every step is checked before it counts: its memories are as the vault has them,
distinct, and lose nothing but their place in the active set; what is superseded has a live
successor of no lower authority; nothing supersedes itself, not even over a chain; pages are as they
were read, and an active summary has the sources that its id is made of. What fails is refused with
a stable code. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from engram.consolidate.context import Pass, PassContext, StepKey
from engram.consolidate.step_events import events_of
from engram.consolidate.summary_sources import outdated
from engram.language.rulings import outranked
from engram.model.box import Box
from engram.model.change import Change, Plan
from engram.model.memory import Memory
from engram.model.overlay import Overlay
from engram.model.ports import PageWriter, Writer
from engram.model.step import Page, Step
from engram.model.summary import Summary
from engram.model.view import VaultView

#: the only fields that may change while a memory keeps its status
_OPEN = (
    "path", "status", "status_since", "status_reason", "valid_until", "expires", "confidence",
    "importance", "authority", "tags", "entities", "sources", "supersedes", "superseded_by",
    "conflicts", "extra",
)  # fmt: skip


#: how often at most the passes that decide are run
_MOST_ROUNDS = 4


@dataclass(slots=True)
class ConsolidationPlan:
    """The steps that hold, how many were refused by code, and the seconds of each pass."""

    steps: list[Step] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class ConsolidationPart(NamedTuple):
    """Steps of one transaction; `last`: all was looked at, and there may be none."""

    steps: list[Step]
    last: bool = False


class PartPlanner:
    """Plans a consolidation part by part. `found` has what was refused, and the seconds."""

    def __init__(
        self, view: Callable[[], VaultView], found: ConsolidationPlan,
        declined: frozenset[StepKey] = frozenset(), seconds: Callable[[], float] = lambda: 0.0,
        most: int = 0,
    ) -> None:  # fmt: skip
        """`view` is the vault as it is when it is called; a part has `most` steps, 0 for any."""
        self._view, self._found, self._declined = view, found, declined
        self._seconds, self._most = seconds, most
        self._refused: set[tuple[str, str, str, tuple[str, ...]]] = set()
        #: the subjects of the steps of this round
        self._touched: set[str] = set()

    def parts(
        self, context: PassContext, deciding: Sequence[Pass], showing: Sequence[Pass]
    ) -> Iterator[ConsolidationPart]:
        """The parts, each to be committed before the next is asked for.

        `deciding` passes change memories, `showing` ones the pages of them.
        """
        waiting: list[Step] = []
        planned, stale = Overlay(self._view()), False
        context = replace(context, view=planned, declined=self._declined)
        repeats = context.changed is None and context.model is None
        for plan, changed in self._in_turn(deciding, showing, repeats=repeats):
            if stale:
                planned, stale = Overlay(self._view()), False
                for step in waiting:
                    planned.take(step)
                context = replace(context, view=planned)
            began = self._seconds()
            seen = context if changed is None else replace(context, changed=changed)
            for step in map(named, plan(seen)):
                if not self._holds(step, planned):
                    continue
                if self._most and len(waiting) >= self._most:
                    cut, paused = _cut(waiting, step), self._seconds()
                    yield ConsolidationPart(waiting[:cut])
                    began += self._seconds() - paused  # what a commit takes is not the pass's
                    waiting, stale = waiting[cut:], True
                planned.take(step)
                waiting.append(step)
                self._touched.update(step.subjects)
                if context.changed is not None and step_key(step) is not None:
                    # pages that show these memories have to follow in the same run
                    context = replace(context, changed=context.changed | set(step.subjects))
            name = plan.__module__.rpartition(".")[2]
            taken = self._seconds() - began
            self._found.seconds[name] = self._found.seconds.get(name, 0.0) + taken
        yield ConsolidationPart(waiting, last=True)

    def _in_turn(
        self, deciding: Sequence[Pass], showing: Sequence[Pass], *, repeats: bool
    ) -> Iterator[tuple[Pass, frozenset[str] | None]]:
        """The passes, those that decide again while they find something.

        The second time they look at everything, for what is rare has changed; after that at what
        the time before changed, which comes beside them.
        """
        changed: frozenset[str] | None = None
        for number in range(_MOST_ROUNDS if repeats else 1):
            self._touched = set()
            for plan in deciding:
                yield plan, changed
            if not self._touched:
                break
            changed = frozenset(self._touched) if number else None
        for plan in showing:
            yield plan, None

    def _holds(self, step: Step, planned: VaultView) -> bool:
        """Whether a step may be done; one that may not is counted once."""
        code = "declined" if step_key(step) in self._declined else unsound(step, planned)
        if code:
            self._refused.add((code, step.task, step.action, step.subjects))
            self._found.refused = dict(Counter(code for code, *_ in sorted(self._refused)))
        return not code


def parts_of(steps: Sequence[Step], most: int) -> Iterator[ConsolidationPart]:
    """Steps that are planned already, in parts of so many."""
    waiting: list[Step] = []
    for step in steps:
        if len(waiting) >= most:
            cut = _cut(waiting, step)
            yield ConsolidationPart(waiting[:cut])
            waiting = waiting[cut:]
        waiting.append(step)
    yield ConsolidationPart(waiting, last=True)


def _cut(waiting: Sequence[Step], following: Step) -> int:
    """How many of the waiting steps a part has: the last one shares nothing with what follows."""
    after = set(following.subjects)
    for place in range(len(waiting), 0, -1):
        if after.isdisjoint(waiting[place - 1].subjects):
            return place
        after = set(waiting[place - 1].subjects)
    return len(waiting)


def named(step: Step) -> Step:
    """The step with everything that it changes among its subjects, so that undo names all of it."""
    touched = [memory.id for memory in step.born]
    touched += [before.id for before, _ in step.amended]
    touched += [page.id for pair in step.pages for page in pair if page is not None]
    prose = [change.path for change in step.prose]
    return replace(step, subjects=tuple(dict.fromkeys((*prose, *step.subjects, *touched))))


def still_sound(
    plan: ConsolidationPlan, view: VaultView, *, boxes: bool = True
) -> ConsolidationPlan:
    """An earlier plan with those steps that still hold: the vault may have changed since.

    Without `boxes` no new box holds: each tells the first words of its conversation, which may be
    forgotten by now.
    """
    planned = Overlay(view)
    found = ConsolidationPlan([], dict(plan.refused), plan.seconds)
    for step in plan.steps:
        code = "page_changed" if not boxes and _seals(step) else unsound(step, planned)
        if code:
            found.refused[code] = found.refused.get(code, 0) + 1
        else:
            planned.take(step)
            found.steps.append(step)
    return found


def _seals(step: Step) -> bool:
    return any(before is None and isinstance(after, Box) for before, after in step.pages)


def step_key(step: Step) -> StepKey | None:
    """The step as what a person may decline: of memories or summaries, or a merge of two things.

    Any other page only follows the memories that it shows: None.
    """
    summaries = any(isinstance(page, Summary) for pair in step.pages for page in pair)
    decides = step.amended or step.born or summaries or step.action == "merge"
    return (step.task, step.action, step.subjects) if decides else None


def unsound(step: Step, view: VaultView) -> str:
    """The code for which a step must not be done; '' when it may."""
    names = [before.id for before, _ in step.amended] + [memory.id for memory in step.born]
    if len(set(names)) != len(names):
        return "not_distinct"
    if any(view.memory(memory.id) is not None for memory in step.born):
        return "id_taken"
    after = {memory.id: memory for memory in (*step.born, *(after for _, after in step.amended))}
    for before, changed in step.amended:
        code = _amiss(before, changed, view)
        if not code and changed.status == "superseded" != before.status:
            code = _unreplaced(changed, after, view)
        if code:
            return code
    for old, new in step.pages:
        page = old or new
        if page is None or _page(page, view) != old:
            return "page_changed"
        if isinstance(new, Summary) and new.status == "active" and (code := outdated(new, view)):
            return code
    for change in step.prose:
        text = view.page(change.path)
        if change.before != (None if text is None else text.encode("utf-8")):
            return "page_changed"
    return ""


def _amiss(before: Memory, after: Memory, view: VaultView) -> str:
    """What is wrong with one amendment by itself, as a code."""
    known = view.memory(before.id)
    if known is None:
        return "unknown_memory"
    if known != before:
        return "memory_changed"
    kept = {name: getattr(before, name) for name in _OPEN}
    if replace(after, **kept) != before:
        return "content_changed"
    if not set(before.sources) <= set(after.sources):
        return "receipt_lost"
    if not before.live and not after.live and after.status != before.status:
        return "not_active"
    return ""


def _unreplaced(after: Memory, planned: dict[str, Memory], view: VaultView) -> str:
    """Why a superseded memory has no valid successor, as a code: missing, dead, or a circle."""
    if not after.superseded_by:
        return "no_replacement"
    for name in after.superseded_by:
        by = planned.get(name) or view.memory(name)
        if by is None or not by.live:
            return "no_replacement"
        if outranked(after, by):
            return "protected"
        if after.id in _superseders(by, planned, view):
            return "circle"
    return ""


def _superseders(memory: Memory, planned: dict[str, Memory], view: VaultView) -> set[str]:
    """Ids of all successors of a memory, over any number of steps, and its own."""
    seen: set[str] = set()
    waiting = [memory.id]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            found = planned.get(name) or view.memory(name)
            waiting += found.superseded_by if found is not None else ()
    return seen


def _page(page: Page, view: VaultView) -> Page | None:
    """A page as the vault has it."""
    if isinstance(page, Box):
        return view.box(page.id)
    if isinstance(page, Summary):
        return view.summary(page.id)
    return view.entity(page.id)


# -- steps as one plan ----------------------------------------------------------------------------


def plan_of(
    steps: Sequence[Step], writer: Writer, pages: PageWriter, batch: str = "", first: int = 1
) -> Plan:
    """The steps, numbered from `first`, as one transaction: a change a file, and their events."""
    born, amended = memories_of(steps)
    changes = (
        *writer.changes(born, amended),
        *pages.pages(pages_of(steps)),
        *prose_of(steps),
    )
    return Plan("consolidate", changes, tuple(events_of(steps, first)), batch=batch)


def memories_of(steps: Sequence[Step]) -> tuple[list[Memory], list[tuple[Memory, Memory]]]:
    """New memories, and amended ones as (before, after): one pair a memory."""
    born: dict[str, Memory] = {}
    first: dict[str, Memory] = {}
    last: dict[str, Memory] = {}
    for step in steps:
        born.update((memory.id, memory) for memory in step.born)
        for before, after in step.amended:
            if before.id in born:
                born[before.id] = after
            else:
                first.setdefault(before.id, before)
                last[before.id] = after
    return list(born.values()), [(before, last[name]) for name, before in first.items()]


def pages_of(steps: Sequence[Step]) -> list[tuple[Page | None, Page | None]]:
    """(before, after) of each page, one pair a page."""
    first: dict[str, Page | None] = {}
    last: dict[str, Page | None] = {}
    for before, after in (pair for step in steps for pair in step.pages):
        page = after or before
        if page is not None:
            first.setdefault(page.id, before)
            last[page.id] = after
    return [(before, last[name]) for name, before in first.items() if before != last[name]]


def prose_of(steps: Sequence[Step]) -> list[Change]:
    """One change a plain page."""
    found: dict[str, Change] = {}
    for change in (change for step in steps for change in step.prose):
        old = found.get(change.path)
        found[change.path] = change if old is None else replace(change, before=old.before)
    return [change for change in found.values() if change.before != change.after]
