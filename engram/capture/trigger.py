"""Extraction trigger: when buffered turns are due: HIGH now, N turns, or T minutes after the first.

Pure: what is pending in a session, the settings and the time -> whether, and why (seed 003). Time
is measured from the oldest pending turn, by a caller with a clock, so that no new traffic is needed
(design 5.11). A turn is never dropped for being short: only delayed.
"""

from __future__ import annotations

from typing import Literal

from engram.model.instant import Instant, minutes_between, plus_minutes
from engram.model.settings import TriggerSettings
from engram.model.turn import Waiting

Reason = Literal["", "high", "count", "time"]


def due(waiting: Waiting, settings: TriggerSettings, now: Instant) -> Reason:
    """Why the session's turns are to be extracted now, or '' to keep buffering."""
    if not waiting.turns or (waiting.retry_at and now < waiting.retry_at):
        return ""
    if settings.mode == "smart" and waiting.high:
        return "high"
    if settings.mode != "time_based" and waiting.turns >= settings.buffer_max_turns:
        return "count"
    late = minutes_between(waiting.oldest, now) >= settings.buffer_max_minutes
    if settings.mode != "every_n" and late:
        return "time"
    return ""


def retry_at(attempts: int, settings: TriggerSettings, now: Instant) -> Instant:
    """When to try again after this many failures; '' once they go to the dead letter."""
    if attempts >= settings.max_attempts:
        return ""
    steps = settings.retry_minutes
    return plus_minutes(now, steps[min(attempts, len(steps)) - 1])


def postponed_to(settings: TriggerSettings, now: Instant) -> Instant:
    """When to retry turns that wait for a model or a new budget: after the longest delay."""
    return plus_minutes(now, settings.retry_minutes[-1])
