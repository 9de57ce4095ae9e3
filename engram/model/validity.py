"""Validity of a memory: the half-open span in which its statement is true.

It begins with `valid_from`, else with `created`; it ends with `valid_until`, else, when it was
superseded, at the time of that. A beginning that is no time is never reached; an end that is none
is no end. Times are compared as moments, whatever zone they are written in; a day begins at
midnight UTC. Pure. Source: seed 003 (supersession), lifecycle 9.2.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant
    from engram.model.memory import Memory

#: `2026-03-06`, and not a time of that day
_DAY = 10


def effective_valid_from(memory: Memory) -> Instant | Day:
    """When it begins to be true, as it is written."""
    return memory.valid_from.strip() or memory.created


def effective_valid_until(memory: Memory) -> Instant | Day:
    """When it ceases to be true, as it is written; '' for one without an end."""
    ended = memory.status_since if memory.status == "superseded" else ""
    return memory.valid_until.strip() or ended


def is_valid_as_of(memory: Memory, when: Instant | Day) -> bool:
    """Whether it is true at an Instant, or at the end of a Day."""
    asked, begins = _moment(when), _moment(effective_valid_from(memory))
    if asked is None or begins is None:
        return False
    if len(when.strip()) == _DAY:
        asked += timedelta(days=1) - timedelta.resolution
    ends = _moment(effective_valid_until(memory))
    return begins <= asked and (ends is None or asked < ends)


def _moment(text: str) -> datetime | None:
    """A time with its fraction of a second; None for what is none, or too far off to compare."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
