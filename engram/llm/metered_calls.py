"""Calls to a provider: checked, tried again, reserved, settled and logged, all in one place.

Whatever asks a model goes through `MeteredCalls`: no request leaves without a key that is one,
while the provider rests, or past the budget; each has its line in the usage log; and its failure
becomes a ModelError, remembered of the provider, whose message holds no secret.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from engram.llm.backoff import ATTEMPTS, with_retries
from engram.llm.budget import Budget
from engram.llm.failure import RequestFailure
from engram.llm.prices import Prices
from engram.llm.provider import Provider
from engram.llm.provider_habits import ProviderHabits
from engram.llm.usage_log import OK, Purpose, UsageLog
from engram.model.errors import BadAnswer, ModelAway, ModelError, ModelRefuses
from engram.model.model_request import Usage
from engram.model.ports import Sleeper

#: hint for errors that the user has to solve
_ACT = {
    "no-key": "set the environment variable that `llm.key_variable` names",
    "auth": "check the key in the variable that `llm.key_variable` names",
    "quota": "your account has no credit left; see your provider's billing page",
    "no-such-model": "check the model's name: `engram config show`",
    "bad-request": "the provider refuses the request; try another model",
}
#: hint for an answer that takes too long
_SLOW = "raise `llm.timeout_seconds` for a slow machine, or name a smaller model"
_WAIT = {"timeout": _SLOW, "slow": _SLOW}

Value = TypeVar("Value")


class Sent(NamedTuple, Generic[Value]):
    """What a request brought: tokens as the provider counted them, and why it is of no use."""

    value: Value
    usage: Usage | None
    fault: str = ""


def check_key(provider: Provider) -> None:
    """Raise ModelRefuses for a provider without a key, or with what can be none."""
    if not provider.key:
        raise ModelRefuses("no-key", f"{provider.name}: there is no key", _ACT["no-key"])
    if not (provider.key.isascii() and provider.key.isprintable()):
        raise ModelRefuses("auth", f"{provider.name}: the key is no key", _ACT["auth"])


class MeteredCalls:
    """The way to every provider, with one budget, one log and one memory of habits."""

    def __init__(
        self, habits: ProviderHabits, budget: Budget, prices: Prices, usage_log: UsageLog,
        redact: Callable[[str], str], sleeper: Sleeper, attempts: int = ATTEMPTS,
    ) -> None:  # fmt: skip
        """`attempts` is how often a provider is asked at most."""
        self.habits = habits
        self.redact = redact
        self._budget = budget
        self._prices = prices
        self._usage_log = usage_log
        self._sleeper = sleeper
        self._attempts = attempts

    def call(self, provider: Provider, once: Callable[[], Value]) -> Value:
        """What one of the attempts brings. Raises ModelError and BudgetExceeded."""
        check_key(provider)
        with self.habits.asking(provider):
            away = self.habits.resting(provider)
            if away is not None:
                raise ModelAway("resting", f"{provider.name} is left alone until {away.until}")
            try:
                told = with_retries(once, self._sleeper, self._attempts)
            except RequestFailure as failure:
                raise self._model_error(provider, failure) from failure
            self.habits.answered(provider)
        return told

    def metered(
        self, purpose: Purpose, provider: Provider, form: str, most: Usage,
        send: Callable[[], Sent[Value]],
    ) -> Sent[Value]:  # fmt: skip
        """One request: reserved, sent, settled, logged. `most` is the usage that it can have."""
        price = self._prices.of(provider)
        reservation = self._budget.reserve(most.tokens, price.of(most))
        usage, outcome = most, "timeout"
        try:
            sent = send()
            # usage that a provider does not report counts as the estimate
            usage, outcome = sent.usage or most, sent.fault or OK
            return sent
        except RequestFailure as failure:
            outcome = failure.reason
            usage = most if failure.charged else Usage()
            raise
        finally:
            usd = price.of(usage)
            self._budget.settle(reservation, usage.tokens, usd)
            self._usage_log.note(purpose, provider, form, outcome, usage, usd)

    def _model_error(self, provider: Provider, failure: RequestFailure) -> ModelError:
        """The ModelError for a failed request; the failure is remembered of the provider."""
        message = f"{provider.name}: {self.redact(str(failure))}"
        if failure.transient or failure.reason == "not-an-api":
            self.habits.failed(provider, failure.reason, failure.retry_after)
            return ModelAway(failure.reason, message, _WAIT.get(failure.reason))
        if failure.reason == "too-long":
            return BadAnswer(failure.reason, message)
        reason = failure.reason if failure.reason in _ACT else "bad-request"
        return ModelRefuses(reason, message, _ACT[reason])
