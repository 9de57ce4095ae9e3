"""What holds for a session: whether a candidate is asked for one, and whether that is over.

A person's standing order for a session need not outlast it, so that what a lasting memory has to be
(no order for now, no passing word, a score) is not asked of it. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engram.language.own_statements import statements
from engram.language.session_orders import is_for_session, order_in
from engram.model.candidate import Candidate
from engram.model.instant import Instant
from engram.model.memory import SESSION, is_silent


def is_asked_for(candidate: Candidate) -> bool:
    """Whether the person asks, in so many words, that it holds for the session."""
    if candidate.space != SESSION or not candidate.in_own_words:
        return False
    return _orders(candidate.sentence or candidate.receipt.quote)


def order_of(candidate: Candidate) -> Candidate:
    """A candidate that is asked for a session without "This time, ...": that leans on nothing."""
    if not is_asked_for(candidate):
        return candidate
    return replace(candidate, text=order_in(candidate.text))


@lru_cache(maxsize=16)
def _orders(said: str) -> bool:
    return any(is_for_session(one.said) for one in statements(said))


def is_of_past(candidate: Candidate, last: Instant, now: Instant) -> bool:
    """Whether it belongs to a session that is over, whose last turn is of that time at least."""
    return candidate.space == SESSION and is_silent(max(candidate.receipt.time, last), now)
