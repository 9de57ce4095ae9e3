"""Rulings: two memories about one thing -> which of them stands, by the one ladder.

A memory that comes is a correction also where its words tell a change ("we moved to X", "X now"):
who says that something is other than before need not say "actually". One that holds is a correction
by its category alone, for what changed once may change again. Of two that were said at one second
the one that is judged last was said last. English only, as `changes` is. Pure.
"""

from __future__ import annotations

from engram.language.changes import speaks_of_change
from engram.model.authority import Assertion, Ruling, contest
from engram.model.memory import Memory
from engram.model.succession import STANDS

#: behind an instant: later than the same instant, and earlier than the next
_JUDGED_LAST = "~"


def ruling(existing: Memory, incoming: Assertion) -> Ruling:
    """Which stands: a memory, or what is said or judged after it."""
    held = Assertion(
        existing.authority, existing.category == "correction", existing.created, existing.importance
    )
    return contest(held, incoming._replace(since=f"{incoming.since}{_JUDGED_LAST}"))


def assertion_of(memory: Memory) -> Assertion:
    """What a memory claims beside one that holds."""
    corrects = memory.category == "correction"
    corrects = corrects or speaks_of_change(f"{memory.text}\n{memory.quote}")
    return Assertion(memory.authority, corrects, memory.created, memory.importance)


def stands_before(existing: Memory, incoming: Assertion) -> str:
    """Why a memory stands whatever comes later than it, as a code of `succession`; else ''."""
    found = ruling(existing, incoming)
    return STANDS.get(found.rule, "") if found.winner == "existing" else ""


def outranked(older: Memory, newer: Memory) -> str:
    """Why the newer of two memories may not replace the older, as a code; '' where it may."""
    return stands_before(older, assertion_of(newer))
