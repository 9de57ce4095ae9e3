"""Collection pass: what was retired `retention.grace_days` ago or longer moves to the archive.

The file keeps its name, its status and every byte: it moves to `archive/`, in the folder of its
day, and the log gets a tombstone (`memory_collected`): its content hash, the digest of its slug,
the day it was retired and the day it was moved, no words (design 5.15). `undo` and `restore` bring
it back. Where nobody wrote down since when a memory is retired, its time counts from now on: then
it is dated, and nothing stays for ever. Archived memories are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from engram.consolidate.context import PassContext
from engram.model.change import Event
from engram.model.instant import Instant, day_of, plus_minutes
from engram.model.memory import ARCHIVE, Memory
from engram.model.step import Step
from engram.model.text import content_hash, sha256_text

TASK = "gc"
#: the event that is the tombstone
COLLECTED = "memory_collected"
_DAY = 24 * 60

#: what is to become of a memory, and since when it is retired
Pair = tuple[Memory, Memory, Instant]


@dataclass(frozen=True, slots=True)
class GracePeriods:
    """Memories that are retired and not collected, by what is to become of them, oldest first.

    `over`: they are to be moved; `undated`: nobody knows since when they are retired; `waiting`:
    their time is not up.
    """

    over: tuple[Pair, ...]
    undated: tuple[Pair, ...]
    waiting: int


def plan(context: PassContext) -> list[Step]:
    """A step for every memory that is to be moved, or dated."""
    days = context.settings.retention.grace_days
    found = grace_periods(context.view.retired(), context.now, days)
    steps = [
        Step(
            TASK, "collect", (before.id,), f"it was retired on {day_of(since)}",
            amended=((before, after),), events=(tombstone(before, since, context.now),),
        )
        for before, after, since in found.over
    ]  # fmt: skip
    why = "nobody wrote down since when it is retired: its time counts from now"
    steps += [
        Step(TASK, "date", (before.id,), why, amended=((before, after),))
        for before, after, _ in found.undated
    ]
    return steps


def grace_periods(
    retired: Iterable[Memory], now: Instant, days: int,
    since: Callable[[Memory], Instant] = lambda memory: "",
) -> GracePeriods:  # fmt: skip
    """What is to become of retired memories; `since` tells when one was retired, if known.

    It is asked where the header does not say it.
    """
    end = plus_minutes(now, -days * _DAY)
    over: list[Pair] = []
    undated: list[Pair] = []
    waiting = 0
    for memory in retired:
        begun = memory.status_since or since(memory)
        if not begun:
            undated.append((memory, replace(memory, status_since=now), now))
        elif begun <= end:
            over.append((memory, replace(memory, path=archived_path(memory)), begun))
        else:
            waiting += 1
    return GracePeriods(tuple(over), tuple(undated), waiting)


def archived_path(memory: Memory) -> str:
    """Where the file of a memory goes: its folder and name, in the archive."""
    return f"{ARCHIVE}/{memory.path.partition('/')[2]}"


def tombstone(memory: Memory, since: Instant, now: Instant) -> Event:
    """What the log keeps of a memory that was moved away."""
    slug = memory.aliases[0] if memory.aliases else ""
    details = (
        ("content_hash", content_hash(memory.text, memory.scope)),
        ("slug_digest", sha256_text(slug) if slug else ""),
        ("retired", day_of(since)),
        ("collected", day_of(now)),
    )
    return Event(COLLECTED, memory.id, details)
