"""Reuse pass: what is used lives longer, and a moment that is used becomes a lasting fact.

    opened, or cited in an answer, since its days were counted  -> `expires` counts from that time
    a moment, opened on two days, told in two conversations, or
    of high confidence                                          -> a fact with `promoted_from`

Nobody asked for what a hook injects, or a search lists: that renews nothing (the access log leaves
it out). Written at most once a day; never a sooner day than before. Guesses and promises are left
alone: only a confirmation keeps those. A promoted moment goes to the archive, its words and
receipts to the fact, its place in its box too; a session record stays what it is. What the policy
keeps out is refused, once (`fact_denied`), and stays a moment. Source: seed 000 (retention), design
4.1, seed 002.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engram.consolidate.context import PassContext
from engram.consolidate.passes.commitments import is_commitment
from engram.consolidate.passes.end_of_life import ended
from engram.model.change import Event
from engram.model.ids import memory_id
from engram.model.instant import day_of
from engram.model.memory import Memory, confidence_level, kind_of, speculative_days
from engram.model.numbering import place_of
from engram.model.policy import Policy
from engram.model.promotion import FACT_DENIED, PROMOTED_FROM
from engram.model.retention import expiry, renewed
from engram.model.step import Access, Step
from engram.model.trace import DENIED
from engram.model.write_rules import AFTER_PRIVACY, Attempt, border

TASK = "reuse"
#: so many days, or conversations, are more than once
_REPEATED = 2


def plan(context: PassContext) -> list[Step]:
    """A step for each memory that is promoted or renewed, in the order of their ids."""
    reads = context.view.accesses()
    return [
        step
        for memory in _concerned(context, reads)
        if (step := _step(context, memory, reads.get(memory.id, Access()))) is not None
    ]


def _concerned(context: PassContext, reads: Iterable[str]) -> list[Memory]:
    """What was read, and what changed since the last consolidation: active, no guess."""
    if context.changed is None:
        changed = [memory.id for memory in context.view.live() if memory.category == "moment"]
    else:
        changed = list(context.changed)
    found = (context.view.memory(name) for name in sorted({*reads, *changed}))
    return [
        memory
        for memory in found
        if memory is not None
        and memory.status == "active"
        and speculative_days(memory.confidence) is None
    ]


def _step(context: PassContext, memory: Memory, read: Access) -> Step | None:
    if memory.category == "moment" and not memory.schema and (why := _proof(memory, read)):
        code = _denied(context.policy, memory)
        if not code:
            return _promotion(context, memory, why)
        if memory.extras.get(FACT_DENIED) != code:
            return _refusal(memory, code, why)
    if not read.last or is_commitment(memory):
        return None
    until = renewed(memory, memory, read.last, context.terms)
    if until == memory.expires:
        return None
    why = f"it was asked for on {day_of(read.last)}"
    return Step(
        TASK, "renew", (memory.id,), why, amended=((memory, replace(memory, expires=until)),)
    )


def _proof(memory: Memory, read: Access) -> str:
    """Why a moment is more than one; empty when nothing says so."""
    if read.days >= _REPEATED:
        return f"it was asked for on {read.days} days"
    told = len({source.partition("#")[0] for source in memory.sources})
    if told >= _REPEATED:
        return f"it was told in {told} conversations"
    return "its confidence is high" if confidence_level(memory.confidence) == "high" else ""


def _denied(policy: Policy, memory: Memory) -> str:
    """The code with which the policy denies the fact that a moment would be; else ''."""
    attempt = Attempt(memory.space, kind_of(memory.key), "fact", memory.key)
    steps = [border(policy, attempt)]
    steps += [step(policy.of_space(memory.space), attempt) for step in AFTER_PRIVACY]
    return next((one.said for one in steps if not one.passed), "")


def _refusal(memory: Memory, code: str, why: str) -> Step:
    """The moment as it is, and that no fact is made of it."""
    told = (
        ("code", code), ("origin", "consolidation"), *place_of(memory), ("type", "fact"),
        ("length", str(len(memory.text))),
    )  # fmt: skip
    after = replace(memory, extra=(*_undenied(memory), (FACT_DENIED, code)))
    return Step(
        TASK, "refuse", (memory.id,), why, amended=((memory, after),),
        events=(Event(DENIED, "", told),),
    )  # fmt: skip


def _undenied(memory: Memory) -> tuple[tuple[str, str], ...]:
    """The header fields of a moment without an earlier refusal."""
    return tuple(pair for pair in memory.extra if pair[0] != FACT_DENIED)


def _promotion(context: PassContext, memory: Memory, why: str) -> Step | None:
    """The moment as a fact, with its place in its box."""
    identifier = memory_id("fact", memory.created, memory.text)
    if context.view.taken([identifier]):
        return None
    mark = (PROMOTED_FROM, f"[[{memory.id}]]")
    fact = replace(
        memory, id=identifier, category="fact", path="", extra=(*_undenied(memory), mark),
        conflicts=(),
    )  # fmt: skip
    fact = replace(fact, expires=expiry(fact, context.now, context.terms))
    step = ended(context, TASK, memory, "archived", "promoted", why)
    box = context.view.box_of(memory.id)
    pages = () if box is None else ((box, replace(box, lines=_lines(box.lines, memory, fact))),)
    return replace(step, action="promote", born=(fact,), pages=pages)


def _lines(
    lines: tuple[tuple[str, str], ...], old: Memory, new: Memory
) -> tuple[tuple[str, str], ...]:
    return tuple((new.id if name == old.id else name, said) for name, said in lines)
