"""Free words in events: the reasons of a person or a model -> marks, where they tell of a purge.

All else in an event is ids, codes and numbers. An event that names what was purged (a memory, its
item, a page, a turn, a conversation) loses its free words, and so does whatever else of its
transaction was given the same: one reason was written for all. In other events the purged words
alone go. Pure; idempotent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, get_args

from engram.model.change import Event
from engram.model.numbering import without_name
from engram.model.trace import FROM, ITEM, TICK, DeletionReason
from engram.store.commits.purge_remains import MARK
from engram.store.commits.views import trace_line

#: the details of events in which a person or a model speaks
FREE = frozenset({"reason", "why", "explanation"})
#: codes that stand where a person gave no reason
_CODES = frozenset({"", MARK, "by_hand", "decay", *get_args(DeletionReason)})
#: the keys of a line of the trace that are no details
_HEAD = ("n", "time", "event", "subject")
#: details that are no words
_PLAIN = frozenset({"turns", "messages", "attempt", "retry_at", TICK})


class ReasonEraser(NamedTuple):
    """What was purged: its `names`, the `pages` that went with it, what cleans any other text.

    The id of a page that went is made of a name, and says it.
    """

    names: Collection[str]
    cleaned: Callable[[str], str]
    pages: Collection[str] = ()

    def without(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The events of one transaction without them."""
        every = tuple(events)
        told = {one for event in every if self._is_named(event) for one in _free(event)}
        return tuple(self._event(event, told) for event in every)

    def _is_named(self, event: Event) -> bool:
        texts = (event.subject, *(value for key, value in event.details if key not in FREE))
        tokens = (token for text in texts for token in text.split())
        return any(one in self.names or one.partition("#")[0] in self.names for one in tokens)

    def _event(self, event: Event, told: Collection[tuple[str, str]]) -> Event:
        step = _step(event)
        details = tuple(
            (key, value if key in _PLAIN
             else without_name(value, self.cleaned) if key in (ITEM, FROM)
             else MARK if key in FREE and (step, value) in told
             else self.cleaned(value))
            for key, value in event.details
        )  # fmt: skip
        subject = MARK if event.subject in self.pages else self.cleaned(event.subject)
        return event._replace(subject=subject, details=details)

    def without_in_trace(self, data: bytes) -> bytes:
        """The bytes of a trace without them; a line that cannot be read is left out."""
        found: dict[int, list[Event]] = {}
        order: list[tuple[int, str, int]] = []
        for number, time, event in _lines(data):
            events = found.setdefault(number, [])
            order.append((number, time, len(events)))
            events.append(event)
        kept = {number: self.without(events) for number, events in found.items()}
        return b"".join(trace_line(number, time, kept[number][at]) for number, time, at in order)


def _lines(data: bytes) -> Iterator[tuple[int, str, Event]]:
    for line in data.splitlines():
        try:
            row = json.loads(line)
            number, time, name = row["n"], row["time"], row["event"]
            details = tuple((key, value) for key, value in row.items() if key not in _HEAD)
            subject = row.get("subject", "")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        texts = (time, name, subject, *(value for _, value in details))
        if type(number) is int and all(isinstance(one, str) for one in texts):
            yield number, time, Event(name, subject, details)


def _free(event: Event) -> Iterator[tuple[str, str]]:
    """The free words of an event, with the step that they were given for."""
    step = _step(event)
    return ((step, value) for key, value in event.details if key in FREE and value not in _CODES)


def _step(event: Event) -> str:
    return dict(event.details).get("step", "")
