"""What the tests of boxes and traces are made of: memories with topics, boxes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engram.model.box import Box
from engram.model.instant import plus_minutes
from engram.model.memory import Memory
from engram.weave.boxes import box_id

START = "2026-03-06T10:00:00Z"
SESSION = "test-000000000000"


def memory(number: int, *topics: str, minute: float = -1, **more: Any) -> Memory:
    """The memory of a number, said a minute after the one before it, in a message of its own."""
    message = more.pop("message", f"m{number:010d}")
    session = more.pop("session", SESSION)
    return Memory(
        id=f"fact-20260306-100000-{number:08x}",
        category="fact",
        text=f"Statement {number}.",
        created=plus_minutes(START, number if minute < 0 else minute),
        project=more.pop("project", "shop"),
        tags=topics,
        sources=(f"{session}#^{message}",),
        **more,
    )


def talk(*subjects: Sequence[str]) -> list[Memory]:
    """Memories with these topics, a minute apart."""
    return [memory(number, *topics) for number, topics in enumerate(subjects)]


def box(number: int, *topics: str, day: float = 0, **more: Any) -> Box:
    """A sealed box of one memory, so many days after the start."""
    one = memory(number, *topics, minute=day * 24 * 60 + number)
    return Box(
        id=box_id(SESSION, "shop", one.id),
        lines=((one.id, one.text),),
        created=one.created,
        sealed=one.created,
        session=SESSION,
        project="shop",
        topics=topics,
        seal="time_gap",
        **more,
    )
