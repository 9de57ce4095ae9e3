"""Batch: turns of one conversation that are extracted together, and their record on failure.

Turns a failed batch into the plan that lets it wait, longer each time, and in the end puts it aside
(the dead letter); one that only waits for a model or a budget costs no attempt. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engram.capture.trigger import postponed_to, retry_at
from engram.model.candidate import Candidate
from engram.model.change import Change, Event, Plan, Range
from engram.model.errors import EngramError
from engram.model.instant import Instant
from engram.model.settings import TriggerSettings
from engram.model.turn import Turn, Waiting


@dataclass(frozen=True, slots=True)
class Batch:
    """The leased turns of one transcript and what was extracted from them, or why it failed."""

    transcript: str
    ranges: tuple[Range, ...]
    turns: tuple[Turn, ...]
    batch: str
    costly: bool = False
    candidates: tuple[Candidate, ...] = ()
    error: EngramError | None = None

    @property
    def fault(self) -> str:
        """The code of what went wrong, '' when nothing did."""
        return self.error.code if self.error is not None else ""


def failure(
    batch: Batch, waiting: Sequence[Waiting], trigger: TriggerSettings, now: Instant
) -> Plan:
    """What records a failed extraction, or its last one: the dead letter."""
    attempts = next(one for one in waiting if one.transcript == batch.transcript).attempts + 1
    again = retry_at(attempts, trigger, now)
    if again:
        details = (("attempt", str(attempts)), ("retry_at", again), ("error", batch.fault))
        return Plan("extract", events=(Event("extraction_failed", batch.transcript, details),))
    letter = {
        "transcript": batch.transcript,
        "turns": [list(pair) for pair in batch.ranges],
        "attempts": attempts,
        "error": batch.fault,
        "time": now,
    }
    path = f"state/dead-letter/{batch.transcript}-{batch.ranges[0][0]:08d}.json"
    body = json.dumps(letter, indent=1).encode("ascii") + b"\n"
    event = Event(
        "dead_letter", batch.transcript, (("attempt", str(attempts)), ("error", batch.fault))
    )
    return Plan("extract", (Change(path, None, body, "dead letter"),), (event,), dead=batch.ranges)


def postponement(
    batches: Sequence[Batch], waiting: Sequence[Waiting], trigger: TriggerSettings, now: Instant
) -> Plan:
    """What records why turns wait for a model or a budget, however often."""
    attempts = {one.transcript: one.attempts for one in waiting}
    again = postponed_to(trigger, now)
    events = tuple(
        Event(
            "extraction_postponed",
            batch.transcript,
            (
                ("attempt", str(attempts[batch.transcript])),
                ("retry_at", again),
                ("error", batch.fault),
            ),
        )
        for batch in batches
        if batch.transcript in attempts
    )
    return Plan("extract", events=events)
