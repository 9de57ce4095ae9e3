"""Four questions at a time through the real client: order, failures, budget, breaker, habits."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Sequence

import pytest

from engram.llm.parallel_questions import AT_ONCE, ask_all
from engram.llm.provider_habits import REST_MINUTES
from engram.model.errors import BadAnswer, BudgetExceeded, Locked, ModelAway, ModelError
from engram.model.model_request import Reply, Request, Usage, strict_object
from tests.conftest import NOW
from tests.fakes.model_server import (
    Asked,
    Behaviour,
    Handler,
    ModelServer,
    answers,
    fails,
    only,
    unless_sent,
)
from tests.llm.office import Moving, Office, usage_log

KEY = "said"
SCHEMA = strict_object({KEY: {"type": "string"}})
ECHO = answers(lambda asked: json.dumps({KEY: asked.text}))
Told = Sequence[Reply | ModelError | BudgetExceeded]


def questions(count: int) -> list[Request]:
    return [Request("test-v1", "Say it.", f"number {n}", SCHEMA, KEY) for n in range(count)]


def asked(office: Office, server: ModelServer, count: int, clock: Moving | None = None) -> Told:
    vault = office.cloud(server.base_url).open(clock=clock)
    return ask_all(vault.parts.model_for_run(), questions(count))


def said(told: Told) -> list[str]:
    """What was answered, or the code of the error, in order."""
    return [
        str(one.value[KEY]) if isinstance(one, Reply) and isinstance(one.value, dict)
        else type(one).__name__
        for one in told
    ]  # fmt: skip


class Together:
    """Answers only when four requests are here; knows how many there were at most."""

    def __init__(self, behaviour: Behaviour = ECHO) -> None:
        self._all = threading.Barrier(AT_ONCE, timeout=20)
        self._lock = threading.Lock()
        self._behaviour, self._here, self.most = behaviour, 0, 0

    def __call__(self, asked: Asked, handler: Handler) -> None:
        with self._lock:
            self._here += 1
            self.most = max(self.most, self._here)
        self._all.wait()
        with self._lock:
            self._here -= 1
        self._behaviour(asked, handler)


def test_four_are_asked_at_a_time_and_answered_in_the_order_of_the_questions(
    office: Office,
) -> None:
    together = Together()
    with ModelServer([together]) as server:
        told = asked(office, server, 12)
    assert together.most == AT_ONCE == 4
    assert said(told) == [f"number {n}" for n in range(12)]
    assert len(usage_log(office.open())) == 12


def test_one_that_fails_counts_and_the_others_go_on(office: Office) -> None:
    def answer(asked: Asked) -> str:
        return "no object" if asked.text == "number 5" else json.dumps({KEY: asked.text})

    with ModelServer([Together(answers(answer))]) as server:
        told = asked(office, server, 8)
    assert isinstance(told[5], BadAnswer)
    assert [one for n, one in enumerate(said(told)) if n != 5] == [
        f"number {n}" for n in range(8) if n != 5
    ]
    assert Counter(row["outcome"] for row in usage_log(office.open())) == {"ok": 7, "no-json": 1}


def test_the_budget_is_never_exceeded_by_several_at_once(office: Office) -> None:
    dear = answers(lambda asked: json.dumps({KEY: "word " * 200}))
    with ModelServer([dear]) as server:
        office.set(llm_run_tokens=20_000)
        told = asked(office, server, 60)
        spent = office.open().parts.budget().today()
    answered = sum(isinstance(one, Reply) for one in told)
    assert {type(one) for one in told} == {Reply, BudgetExceeded}
    assert answered == len(server.requests) == len(usage_log(office.open()))
    # every estimate was replaced by what was counted, and no call began past the cap
    assert spent.calls == answered and 0 < spent.tokens <= 20_000


def test_a_breaker_opens_once_and_lets_one_question_through(office: Office) -> None:
    clock = Moving(NOW)
    with ModelServer([fails(500)]) as server:
        told = asked(office, server, 12, clock)
        assert set(said(told)) == {"ModelAway"}
        # those that were under way, and one after the first of them failed; then nobody
        assert len(server.requests) <= 4 * (AT_ONCE + 1)
        assert [one.reason for one in told if isinstance(one, ModelAway)].count("resting") >= 7
        before = len(server.requests)
        clock.go_on(REST_MINUTES)
        told = asked(office, server, 12, clock)
        assert len(server.requests) == before + 4  # one question and its attempts
        clock.go_on(REST_MINUTES)
        server.behaviours[:] = [ECHO]
        assert said(asked(office, server, 12, clock)) == [f"number {n}" for n in range(12)]


@pytest.mark.parametrize(
    "behaviour",
    [
        only("chat-text", ECHO, fails(404)),
        only("chat-schema", ECHO, fails(404)),
        unless_sent("store", unless_sent("temperature", ECHO)),
    ],
)
def test_what_four_find_out_at_once_about_a_provider_is_learnt_once(
    behaviour: Behaviour, office: Office
) -> None:
    with ModelServer([*[Together(behaviour)] * 4, behaviour]) as server:
        assert said(asked(office, server, 8)) == [f"number {n}" for n in range(8)]
        before = len(server.requests)
        assert said(asked(office, server, 2)) == ["number 0", "number 1"]
        assert len(server.requests) == before + 2


class Numbered:
    """A model that answers at once; one question of it is interrupted."""

    def __init__(self, error: BaseException) -> None:
        self.error, self.asked = error, list[str]()

    def ask(self, request: Request) -> Reply:
        self.asked.append(request.text)
        if request.text == "number 3":
            raise self.error
        return Reply({KEY: request.text}, "test", "test", Usage())


@pytest.mark.parametrize("error", [Locked("taken"), KeyboardInterrupt()])
def test_what_is_no_answer_of_a_model_ends_the_questions(error: BaseException) -> None:
    model = Numbered(error)
    with pytest.raises(type(error)):
        ask_all(model, questions(400))
    assert len(model.asked) < 400
