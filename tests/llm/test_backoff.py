"""Trying again: only what may pass, four times, and after what the provider says."""

from __future__ import annotations

import pytest

from engram.llm.backoff import ATTEMPTS, LONGEST_WAIT, with_retries
from engram.llm.failure import RequestFailure


class Waited(list[float]):
    """A sleeper that writes down what it was told."""

    def sleep(self, seconds: float) -> None:
        self.append(seconds)


class Failing:
    """Raises what it is given, then answers."""

    def __init__(self, *troubles: Exception) -> None:
        self.troubles = list(troubles)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.troubles:
            raise self.troubles.pop(0)
        return "well"


def passing(retry_after: float | None = None) -> RequestFailure:
    return RequestFailure("rate-limited", "no", transient=True, retry_after=retry_after)


def test_what_may_pass_is_tried_four_times() -> None:
    waited, failing = Waited(), Failing(*(passing() for _ in range(9)))
    with pytest.raises(RequestFailure, match="no"):
        with_retries(failing, waited)
    assert failing.calls == ATTEMPTS and len(waited) == ATTEMPTS - 1
    assert all(0 <= seconds <= 30 for seconds in waited)


def test_it_ends_with_the_first_answer() -> None:
    waited, failing = Waited(), Failing(passing(), passing())
    assert with_retries(failing, waited) == "well" and len(waited) == 2


def test_the_providers_word_is_waited_out() -> None:
    waited = Waited()
    assert (
        with_retries(Failing(passing(7.5), passing(0.0), passing(LONGEST_WAIT)), waited) == "well"
    )
    assert waited == [7.5, 0.0, LONGEST_WAIT]


@pytest.mark.parametrize(
    "error",
    [
        passing(LONGEST_WAIT + 1),
        RequestFailure("auth", "no"),
        ValueError("no"),
        KeyboardInterrupt(),
    ],
)
def test_the_rest_is_tried_once(error: Exception) -> None:
    waited, failing = Waited(), Failing(error)
    with pytest.raises(type(error)):
        with_retries(failing, waited)
    assert failing.calls == 1 and waited == []
