"""`Chain.ask`: the one function through which every question to a model goes (the Model port).

Redacts what is sent and what comes back, refuses what is too long, finds out which form of request
a provider understands, and goes on to the next provider when one is unreachable or too expensive. A
wrong key never does: it is reported to the user instead. Cost, log and retries are those of every
call (`metered_calls`). Several threads may ask at once. Raises ModelError, BudgetExceeded, or
errors of the disk; the text of a bad answer is kept nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from engram.llm.failure import RequestFailure
from engram.llm.json_answer import value_of
from engram.llm.metered_calls import MeteredCalls, Sent
from engram.llm.prices import MAX_OUTPUT_TOKENS
from engram.llm.provider import Provider
from engram.llm.usage_log import Purpose
from engram.llm.wire import Wire
from engram.model.errors import BadAnswer, BudgetExceeded, ModelAway, ModelError, ModelRefuses
from engram.model.model_request import Reply, Request, Usage

_FALL_THROUGH = frozenset({"quota"})
#: nesting of lists and objects that an answer may have; ours has five
_DEEPEST = 20
#: invisible characters that could split a secret and hide it from the redactor
_HIDDEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: the object in an answer; None where there is none
_Answer = dict[str, object] | None


class Chain:
    """The configured providers behind one question."""

    def __init__(
        self, providers: Sequence[Provider], wire: Wire, calls: MeteredCalls, max_input_tokens: int
    ) -> None:  # fmt: skip
        self._providers = providers
        self._wire = wire
        self._calls = calls
        self._most = max_input_tokens

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
        request = replace(request, text=self._calls.redact(request.text))
        if request.tokens > self._most:
            raise BadAnswer("too-long", f"a question of more than {self._most:,} tokens")
        return request

    def _ask(self, provider: Provider, request: Request) -> Reply:
        sent = self._calls.call(provider, partial(self._once, provider, request))
        if sent.value is None:
            message = f"{provider.name}: {provider.model} gave no answer: {sent.fault}"
            raise BadAnswer(sent.fault, message)
        usage = sent.usage or self._most_of(request)
        return Reply(self._clean(sent.value), provider.name, provider.model, usage)

    def _once(self, provider: Provider, request: Request) -> Sent[_Answer]:
        """One request in a form that the provider understands, found by trying."""
        learnt = self._calls.habits
        while True:
            habits = learnt.of(provider)
            try:
                return self._send(provider, habits.form, request, habits.refused)
            except RequestFailure as failure:
                known = failure.parameter and learnt.refuses(provider, failure.parameter, habits)
                if not known and not (failure.form and learnt.other_form(provider, habits)):
                    raise

    def _send(
        self, provider: Provider, form: str, request: Request, without: tuple[str, ...]
    ) -> Sent[_Answer]:
        def send() -> Sent[_Answer]:
            answer = self._wire.send(provider, form, request, without)
            value = None if answer.fault else value_of(answer.text, request.key)
            fault = "" if value is not None else answer.fault or "no-json"
            return Sent(value, answer.usage, fault)

        purpose = Purpose(request.prompt, request.subject, request.turns)
        return self._calls.metered(purpose, provider, form, self._most_of(request), send)

    @staticmethod
    def _most_of(request: Request) -> Usage:
        """The usage that a request can have at most."""
        return Usage(request.tokens, MAX_OUTPUT_TOKENS, known=False)

    def _clean(self, value: object, deep: int = 0) -> object:
        """The answer's texts, redacted: a model may repeat or invent a secret."""
        if isinstance(value, str):
            return self._calls.redact(_HIDDEN.sub("", value))
        if deep == _DEEPEST:
            return None
        if isinstance(value, list):
            return [self._clean(item, deep + 1) for item in value]
        if isinstance(value, dict):
            return {
                self._calls.redact(str(key)): self._clean(item, deep + 1)
                for key, item in value.items()
            }
        return value
