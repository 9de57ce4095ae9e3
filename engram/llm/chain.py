"""`Chain.ask`: the one function through which every call to a model goes (the Model port).

Redacts what is sent and what comes back, refuses what is too long, reserves and settles the cost,
writes a usage line for each request, finds out which form of request a provider understands,
retries what may succeed later, and goes on to the next provider when one is unreachable or too
expensive. A wrong key never does: it is reported to the user instead. Raises ModelError,
BudgetExceeded, or errors of the disk; the text of a bad answer is kept nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from engram.llm.backoff import ATTEMPTS, with_retries
from engram.llm.budget import Budget
from engram.llm.failure import RequestFailure
from engram.llm.json_answer import value_of
from engram.llm.prices import MAX_OUTPUT_TOKENS, Prices
from engram.llm.provider import Provider
from engram.llm.provider_habits import ProviderHabits
from engram.llm.usage_log import OK, UsageLog
from engram.llm.wire import Wire
from engram.model.errors import BadAnswer, BudgetExceeded, ModelAway, ModelError, ModelRefuses
from engram.model.model_request import Reply, Request, Usage
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
_FALL_THROUGH = frozenset({"quota"})
#: nesting of lists and objects that an answer may have; ours has five
_DEEPEST = 20
#: invisible characters that could split a secret and hide it from the redactor
_HIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Chain:
    """The configured providers behind one question."""

    def __init__(
        self,
        providers: Sequence[Provider],
        wire: Wire,
        learnt: ProviderHabits,
        budget: Budget,
        prices: Prices,
        usage_log: UsageLog,
        redact: Callable[[str], str],
        sleeper: Sleeper,
        max_input_tokens: int,
        attempts: int = ATTEMPTS,
    ) -> None:
        """`attempts` is how often a provider is asked at most."""
        self._providers = providers
        self._wire = wire
        self._habits = learnt
        self._budget = budget
        self._prices = prices
        self._usage_log = usage_log
        self._redact = redact
        self._sleeper = sleeper
        self._most = max_input_tokens
        self._attempts = attempts

    def ask(self, request: Request) -> Reply:
        """The JSON answer, from the first provider that gives one."""
        request = self._redacted(request)
        missed: list[ModelError | BudgetExceeded] = []
        for provider in self._providers:
            try:
                return self._ask(provider, request)
            except (ModelAway, BudgetExceeded) as error:
                missed.append(error)
            except ModelRefuses as error:
                if error.reason not in _FALL_THROUGH:
                    raise
                missed.append(error)
        # an error that the user can solve is raised before one that only passes
        unset = ModelRefuses("no-key", "no model is configured", "set llm.model")
        raise min(missed, key=lambda error: isinstance(error, ModelAway), default=unset)

    def _redacted(self, request: Request) -> Request:
        """The request as it may leave: redacted, and within the limit of a call."""
        request = replace(request, text=self._redact(request.text))
        if request.tokens > self._most:
            raise BadAnswer("too-long", f"a question of more than {self._most:,} tokens")
        return request

    def _ask(self, provider: Provider, request: Request) -> Reply:
        if not provider.key:
            raise ModelRefuses("no-key", f"{provider.name}: there is no key", _ACT["no-key"])
        if not (provider.key.isascii() and provider.key.isprintable()):
            raise ModelRefuses("auth", f"{provider.name}: the key is no key", _ACT["auth"])
        away = self._habits.resting(provider)
        if away is not None:
            raise ModelAway("resting", f"{provider.name} is left alone until {away.until}")
        try:
            told = with_retries(
                partial(self._once, provider, request), self._sleeper, self._attempts
            )
        except RequestFailure as failure:
            raise self._model_error(provider, failure) from failure
        self._habits.answered(provider)
        if told.value is None:
            message = f"{provider.name}: {provider.model} gave no answer: {told.fault}"
            raise BadAnswer(told.fault, message)
        return Reply(self._clean(told.value), provider.name, provider.model, told.usage)

    def _once(self, provider: Provider, request: Request) -> _Outcome:
        """One request in a form that the provider understands, found by trying."""
        while True:
            habits = self._habits.of(provider)
            try:
                return self._send(provider, habits.form, request, habits.refused)
            except RequestFailure as failure:
                known = failure.parameter and self._habits.refuses(provider, failure.parameter)
                if not known and not (failure.form and self._habits.other_form(provider)):
                    raise

    def _send(
        self, provider: Provider, form: str, request: Request, without: tuple[str, ...]
    ) -> _Outcome:
        """One request: reserved, sent, settled, logged."""
        price = self._prices.of(provider)
        most = Usage(request.tokens, MAX_OUTPUT_TOKENS, known=False)
        reservation = self._budget.reserve(most.tokens, price.of(most))
        usage, outcome = most, "timeout"
        try:
            answer = self._wire.send(provider, form, request, without)
            # usage that a provider does not report counts as the estimate
            usage = answer.usage or most
            value = None if answer.fault else value_of(answer.text, request.key)
            fault = "" if value is not None else answer.fault or "no-json"
            outcome = fault or OK
            return _Outcome(value, fault, usage)
        except RequestFailure as failure:
            outcome = failure.reason
            usage = most if failure.charged else Usage()
            raise
        finally:
            usd = price.of(usage)
            self._budget.settle(reservation, usage.tokens, usd)
            self._usage_log.note(request, provider, form, outcome, usage, usd)

    def _model_error(self, provider: Provider, failure: RequestFailure) -> ModelError:
        """The ModelError for a failed request; the failure is remembered of the provider."""
        message = f"{provider.name}: {self._redact(str(failure))}"
        if failure.transient or failure.reason == "not-an-api":
            self._habits.failed(provider, failure.reason, failure.retry_after)
            return ModelAway(failure.reason, message, _WAIT.get(failure.reason))
        if failure.reason == "too-long":
            return BadAnswer(failure.reason, message)
        reason = failure.reason if failure.reason in _ACT else "bad-request"
        return ModelRefuses(reason, message, _ACT[reason])

    def _clean(self, value: object, deep: int = 0) -> object:
        """The answer's texts, redacted: a model may repeat or invent a secret."""
        if isinstance(value, str):
            return self._redact(_HIDDEN.sub("", value))
        if deep == _DEEPEST:
            return None
        if isinstance(value, list):
            return [self._clean(item, deep + 1) for item in value]
        if isinstance(value, dict):
            return {
                self._redact(str(key)): self._clean(item, deep + 1) for key, item in value.items()
            }
        return value


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Outcome of one request: the object in its answer, or why there is none; its tokens."""

    value: dict[str, object] | None
    fault: str
    usage: Usage
