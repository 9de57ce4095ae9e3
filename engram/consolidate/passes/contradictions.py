"""Contradiction pass: of two that disagree the newer supersedes, or the person is asked.

    memories, a Judge -> steps `supersede` and `merge` (the judge is sure), `dispute` (it suspects),
                         `settle`

Events stay as they are. A suspicion puts both into review, linked by `conflicts`; what has the
higher authority, or is the earlier correction, stays active, and only the other one waits. A pair
that is linked already, by `conflicts` or `supersedes`, or of which the person said that both hold
(`settled`, see `model.standing`), is never raised again: the person decides once, and the links
stay as the mark. A disputed memory whose every opponent is gone or out of the active set becomes
active again. A part that is replaced retires nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engram.consolidate.candidate_pairs import pairs
from engram.consolidate.context import PassContext
from engram.consolidate.duplicate_merging import SAID_SAME, merged_pair
from engram.language.rulings import assertion_of, outranked, ruling
from engram.model.change import Event
from engram.model.memory import Memory
from engram.model.standing import in_dispute, settled_with
from engram.model.step import Opinion, Step
from engram.model.succession import (
    CONTRADICTION,
    JUDGED,
    JUDGED_BY_MODEL,
    LOWER_AUTHORITY,
    disputed,
    settled,
    superseded,
)
from engram.model.trace import conflict

TASK = "contradictions"


def plan(context: PassContext) -> list[Step]:
    """The steps, each planned on the result of those before it."""
    now: dict[str, Memory] = {}
    steps: list[Step] = []
    waiting = [pair for pair in pairs(context) if _is_open(*pair)]
    for pair, said in zip(waiting, context.judge.compare_all(waiting), strict=True):
        older, newer = (now.get(memory.id, memory) for memory in pair)
        if not _is_open(older, newer):
            continue
        step = _step(older, newer, said, context)
        if step is not None:
            steps.append(step)
            now.update((after.id, after) for _, after in step.amended)
    steps += _settlements(context, now)
    return steps


def _is_open(older: Memory, newer: Memory) -> bool:
    return older.live and newer.live and not linked(older, newer)


def linked(older: Memory, newer: Memory) -> bool:
    """Whether this pair is decided already, or waits for a decision."""
    return (
        older.id in (*newer.conflicts, *newer.supersedes)
        or newer.id in (*older.conflicts, *older.supersedes)
        or older.id in settled_with(newer)
        or newer.id in settled_with(older)
    )  # fmt: skip


def _step(older: Memory, newer: Memory, said: Opinion, context: PassContext) -> Step | None:
    pair = (newer.id, older.id)
    if said.relation == "supersedes" and said.sure and not said.partial:
        if newer.status != "active":
            return None  # a memory in review replaces nothing
        code = JUDGED_BY_MODEL if said.code == "model" else JUDGED
        loser = superseded(older, newer, code, context.now)
        winner = replace(newer, supersedes=(*newer.supersedes, older.id))
        sides, rung = ((newer, winner), (older, loser)), ruling(older, assertion_of(newer)).rule
        return Step(TASK, "supersede", pair, said.why, amended=sides, rung=rung)
    if said.relation == "same" and said.sure:
        return merged_pair(older, newer, SAID_SAME)
    if said.relation != "contradicts":
        return None
    rung = ruling(older, assertion_of(newer)).rule
    events: tuple[Event, ...] = ()
    if code := outranked(older, newer):
        losers = [(newer, older, code)]
        events = (conflict(newer.id, older.id, rung),)
    elif rung == "authority":
        losers = [(older, newer, LOWER_AUTHORITY)]
    else:
        losers = [(newer, older, CONTRADICTION), (older, newer, CONTRADICTION)]
    amended = tuple((one, disputed(one, (by.id,), why, context.now)) for one, by, why in losers)
    return Step(TASK, "dispute", pair, said.why, amended=amended, events=events)


def _settlements(context: PassContext, now: dict[str, Memory]) -> Iterator[Step]:
    """Disputed memories whose opponents have all left."""

    def current(identifier: str) -> Memory | None:
        return now.get(identifier) or context.view.memory(identifier)

    for memory in _waiting(context, now):
        opponents = (current(name) for name in memory.conflicts)
        if not any(other is not None and other.live for other in opponents):
            why = "what it did not agree with is gone"
            yield Step(TASK, "settle", (memory.id,), why, amended=((memory, settled(memory)),))


def _waiting(context: PassContext, now: dict[str, Memory]) -> Iterable[Memory]:
    """The disputed memories to check in this run, with the opponents of changed ones."""
    if context.changed is None:
        names = [memory.id for memory in context.view.live()]
    else:
        changed = {*context.changed, *now}
        known = (now.get(name) or context.view.memory(name) for name in sorted(changed))
        against = {name for memory in known if memory is not None for name in memory.conflicts}
        names = sorted(changed | against)
    found = (now.get(name) or context.view.memory(name) for name in names)
    return [memory for memory in found if memory is not None and in_dispute(memory)]
