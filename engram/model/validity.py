"""Validity of a memory: the half-open span in which its statement is true.

It begins with `valid_from`, else with `created`; it ends with `valid_until`, else, when it was
superseded, at the time of that. A beginning that is no time is never reached; an end that is none
is no end. Times are compared as moments, whatever zone they are written in. A day, also one in a
header, begins at midnight of the zone in which the time asked about is written: UTC, unless
`last_moment` wrote it in the vault's. Pure. Source: seed 003 (supersession), lifecycle 9.2.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from engram.model.instant import zone_of
from engram.model.memory import LIVE

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant
    from engram.model.memory import Memory

#: what may have been true once; what the person forgot, and what was never confirmed, is not shown
ONCE_TRUE = LIVE | {"superseded", "archived"}

#: `2026-03-06`, and not a time of that day
_DAY = 10
_TO_ITS_END = timedelta(days=1) - timedelta.resolution
_ASKED = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d.*)?", re.ASCII)


def effective_valid_from(memory: Memory) -> Instant | Day:
    """When it begins to be true, as it is written."""
    return memory.valid_from.strip() or memory.created


def effective_valid_until(memory: Memory) -> Instant | Day:
    """When it ceases to be true, as it is written; '' for one without an end."""
    ended = memory.status_since if memory.status == "superseded" else ""
    return memory.valid_until.strip() or ended


def is_valid_as_of(memory: Memory, when: Instant | Day) -> bool:
    """Whether it is true at an Instant, or at the end of a Day."""
    asked = _asked(when)
    if asked is None or not _is_past(effective_valid_from(memory), asked):
        return False
    return not _is_past(effective_valid_until(memory), asked)


def was_by(time: Instant | Day, when: Instant | Day) -> bool:
    """Whether a time had come at an Instant, or at the end of a Day; not for what is no time."""
    asked = _asked(when)
    return asked is not None and _is_past(time, asked)


def last_moment(when: Instant | Day, timezone: str) -> str:
    """An Instant, or the last moment of a Day in an IANA time zone, as that zone writes it.

    An Instant without a zone is taken as UTC. Raises ValueError for what is neither, for years
    outside 1970..9999, and for a time zone that there is none of.
    """
    written, zone = when.strip(), zone_of(timezone)
    if not _ASKED.fullmatch(written) or written < "1970":
        raise ValueError(f"{when!r} is no day from 1970 to 9999")
    moment = datetime.fromisoformat(written)
    if len(written) == _DAY:
        moment = moment.replace(tzinfo=zone) + _TO_ITS_END
    try:
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(zone).isoformat()
    except OverflowError as error:
        raise ValueError(f"no time from 1970 to 9999: {when!r}") from error


def _asked(when: Instant | Day) -> datetime | None:
    """The moment that is asked about, of a day its last; None for what is no time."""
    asked = _moment(when, UTC)
    if asked is not None and len(when.strip()) == _DAY:
        asked += _TO_ITS_END
    return asked


def _is_past(time: Instant | Day, asked: datetime) -> bool:
    moment = _moment(time, asked.tzinfo or UTC)
    return moment is not None and moment <= asked


def _moment(text: str, zone: tzinfo) -> datetime | None:
    """A time with its fraction of a second, of a day its first in a zone; None for what is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or (zone if len(text.strip()) == _DAY else UTC))
