"""Steps of a consolidation -> the events of their transaction.

    each step        consolidated, one a subject, and what the step logs beside
    what is born     memory_write
    what leaves      memory_conflict and memory_deleted, or memory_forget and memory_deleted

All that is forgotten is named before any of it is deleted (seed 002). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engram.model.change import Event
from engram.model.item import kind_of, store_of_memory
from engram.model.memory import Memory
from engram.model.step import Step
from engram.model.trace import KIND, STORE, WRITE, conflict, deleted, forgetting


def events_of(steps: Sequence[Step], first: int = 1) -> Iterator[Event]:
    """The events of steps, which are numbered from `first`.

    An event names its own subject only: with all of them a profile's events would grow squared.
    """
    numbered = [(str(number), step) for number, step in enumerate(steps, first)]
    for number, step in numbered:
        details = (
            ("step", number), ("task", step.task), ("action", step.action), ("why", step.why),
        )  # fmt: skip
        for subject in step.subjects:
            yield Event("consolidated", subject, details)
        yield from step.events
    for number, step in numbered:
        yield from (_written(memory, number, step.task) for memory in step.born)
    ended = []
    for number, step in numbered:
        for after in _gone(step):
            if after.status == "expired":
                ended.append((number, after))
                continue
            if step.rung and after.superseded_by:
                yield conflict(after.id, after.superseded_by[0], step.rung, step=number)
            yield deleted(after, step=number)
    yield from (forgetting(after) for _, after in ended)
    yield from (deleted(after, step=number) for number, after in ended)


def _written(memory: Memory, number: str, task: str) -> Event:
    about = ((STORE, str(store_of_memory(memory))), (KIND, kind_of(memory.key)))
    made = (("origin", "consolidation"), ("task", task), ("step", number))
    return Event(WRITE, memory.id, (*made, ("category", memory.category), *about))


def _gone(step: Step) -> list[Memory]:
    """What a step takes out of the active set, as it is afterwards."""
    return [after for before, after in step.amended if before.live and not after.live]
