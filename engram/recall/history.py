"""A memory -> the memories that it replaced and that replaced it, newest first, each with its days.

Guarantees: each is told once, whatever circle the links make; a link to a file that is gone, and
what may not be told, is left out, and what lies behind it is told; a memory that neither replaced
anything nor was replaced has no history. Pure: memories and reasons are handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from engram.model.hit import HistoryStep
from engram.model.instant import Day, local_day
from engram.model.trace import DELETED
from engram.model.validity import effective_valid_from, effective_valid_until

if TYPE_CHECKING:
    from engram.model.change import Event
    from engram.model.memory import Memory

#: memories of one chain that are looked at
_MOST = 50
#: why a memory was superseded, by the codes of `status_reason` and of events
REASONS = {
    "by_hand": "replaced by hand",
    "resolved": "a contradiction was resolved",
    "newer_value": "a newer value took its place",
    "older_than_holder": "a newer value was known already",
    "named": "a newer one names it as replaced",
    "judged": "by rules, a newer one replaces it",
    "judged_by_model": "a model judged that a newer one replaces it",
    "restated": "recorded anew",
}
#: what a consolidation does when one memory takes the place of another
_REPLACING = frozenset({"supersede", "merge"})


def history_of(
    memory: Memory,
    known: Callable[[Iterable[str]], Iterable[Memory]],
    told: Callable[[Memory], bool],
    reason: Callable[[Memory], str],
    timezone: str = "UTC",
) -> tuple[HistoryStep, ...]:
    """The chain of a memory, itself in its place; empty where it would stand alone.

    `known` gives the memories of some ids, `told` says which may be told, `reason` why one was
    replaced. Days are those of `timezone`.
    """
    found = {memory.id: memory}
    for after in (False, True):
        waiting = [memory]
        while waiting and len(found) < _MOST:
            one = waiting.pop(0)
            for other in known(one.superseded_by if after else one.supersedes):
                if other.id not in found:
                    found[other.id] = other
                    waiting.append(other)
    chain = [one for one in found.values() if one is memory or told(one)]
    if len(chain) == 1:
        return ()
    steps = [
        HistoryStep(
            one.id, one.text, one.status, _day(effective_valid_from(one), timezone),
            _day(effective_valid_until(one), timezone),
            reason(one) if one.superseded_by or one.status == "superseded" else "",
        )
        for one in chain
    ]  # fmt: skip
    return tuple(sorted(steps, key=lambda step: (step.since, step.until or "9", step.id))[::-1])


def why_replaced(memory: Memory, events: Iterable[Event]) -> str:
    """Why a memory was replaced, in words: of its last consolidation, else of its header's code."""
    why = ""
    for event in events:
        details = dict(event.details)
        if event.name == "consolidated" and details.get("action") in _REPLACING:
            why = details.get("why", "")
        elif event.name == "memory_restored" or (event.name == DELETED and "step" not in details):
            why = ""
    code = memory.status_reason
    return why or REASONS.get(code, code.replace("_", " "))


def _day(time: str, timezone: str) -> Day:
    """A Day as it is, an Instant as its day there; what is no time as it is written."""
    try:
        return local_day(time, timezone) if "T" in time else time[:10]
    except ValueError:
        return time[:10]
