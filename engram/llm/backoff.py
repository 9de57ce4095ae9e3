"""Retry with backoff: jittered waits, and the provider's `retry-after`.

Four attempts within three minutes, 1 to 30 seconds apart and random, so that many clients do not
come back together; a `retry-after` of up to a minute is waited out instead, for a longer one the
request is given up. Nothing else in the program retries a request: the client's own retries are
off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_after_delay,
    wait_random_exponential,
)

from engram.llm.failure import RequestFailure
from engram.model.ports import Sleeper

ATTEMPTS = 4
_SECONDS = 180
#: the longest `retry-after` that is waited for
LONGEST_WAIT = 60.0
_jittered = wait_random_exponential(multiplier=1, max=30)

Result = TypeVar("Result")


def with_retries(
    attempt: Callable[[], Result], sleeper: Sleeper, attempts: int = ATTEMPTS
) -> Result:
    """The result of the first attempt that succeeds; raises the RequestFailure of the last."""
    retrying = Retrying(
        stop=stop_after_attempt(attempts) | stop_after_delay(_SECONDS),
        wait=_wait,
        retry=retry_if_exception(_may_pass),
        sleep=sleeper.sleep,
        reraise=True,
    )
    return retrying(attempt)


def _may_pass(error: BaseException) -> bool:
    return (
        isinstance(error, RequestFailure)
        and error.transient
        and (error.retry_after is None or error.retry_after <= LONGEST_WAIT)
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, RequestFailure) and error.retry_after is not None:
        return error.retry_after
    return float(_jittered(state))
