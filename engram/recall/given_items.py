"""What stands in a block -> the items of its line in the access log, and the hash of their words.

    memories and summaries, in order  ->  GivenItem: file id, item id, kind, space, reasons

A reason is why it was given, as the order of the block has it: words of a prompt or question that
it matches, that it is recent, that it matters; a standing rule where none of these holds. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple

from engram.model.given import GivenItem, Reason, content_hash
from engram.model.instant import Day, day_of
from engram.model.memory import SESSION, Memory, kind_of

#: days in which what is new counts half (`rank`, `injection`): so old a memory is recent
_RECENT = 60
#: from here on a memory matters: `high`
_MATTERS = 0.7


class ShownSummary(NamedTuple):
    """A summary in a block: its line, the space of its memories, and those that it stands for."""

    id: str
    text: str
    space: str
    tells: tuple[str, ...]


Shown = Memory | ShownSummary
#: why one memory was given
Why = Callable[[Memory], tuple[Reason, ...]]


def matched(memory: Memory) -> tuple[Reason, ...]:
    """Given beside a prompt: by its words alone."""
    return ("matches_query",)


def chosen(today: Day) -> Why:
    """Given at the start of a session: by its age and weight."""
    return partial(_weighed, today)


def found(today: Day) -> Why:
    """Given as the answer to a question: by its words, age and weight."""
    return lambda memory: ("matches_query", *_of_rank(memory, today))


def given_items(
    shown: Iterable[Shown], why: Why, items: Mapping[str, str]
) -> tuple[GivenItem, ...]:
    """The items of a block; `items` are the item ids of the memories that have one."""
    return tuple(_items(shown, why, items))


def hash_of(shown: Sequence[Shown]) -> str:
    """The `content_hash` of a block."""
    return content_hash((one.id, one.text) for one in shown)


def _items(shown: Iterable[Shown], why: Why, items: Mapping[str, str]) -> Iterator[GivenItem]:
    for one in shown:
        if isinstance(one, ShownSummary):
            yield GivenItem(one.id, "", kind_of(""), one.space, ("active_rule",), one.tells)
        else:
            name = items.get(one.id, "")
            # a file that was moved by hand a moment ago has the item of its old place
            space, _, kind = (
                name.rpartition(":")[0].split(":") if name else (one.space, "", kind_of(one.key))
            )
            yield GivenItem(one.id, name, kind, space, why(one))


def _weighed(today: Day, memory: Memory) -> tuple[Reason, ...]:
    # where the last session stopped is told because it is the last one
    if memory.schema == SESSION:
        return ("recency",)
    return _of_rank(memory, today) or ("active_rule",)


def _of_rank(memory: Memory, today: Day) -> tuple[Reason, ...]:
    found: list[Reason] = ["recency"] if _is_recent(memory, today) else []
    return (*found, "importance") if memory.importance >= _MATTERS else tuple(found)


def _is_recent(memory: Memory, today: Day) -> bool:
    try:
        age = date.fromisoformat(today) - date.fromisoformat(day_of(memory.created))
    except ValueError:
        return False
    return age.days <= _RECENT
