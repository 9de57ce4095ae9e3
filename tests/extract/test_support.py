"""Support: honest items are supported, and what was changed in one is not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engram.extract.llm.answer_items import candidates_of
from engram.extract.llm.support import Shown
from engram.model.candidate import Candidate
from engram.model.model_request import Context
from engram.model.turn import turn_of
from tests.fakes.model_server import fact

NOW = "2026-03-06T12:00:00Z"
FIXTURE = Path(__file__).parents[1] / "fixtures" / "model" / "honest.toml"
PAIRS = tomllib.loads(FIXTURE.read_text(encoding="utf-8"))["pair"]


def read(pair: Mapping[str, Any]) -> Candidate:
    parts = [one.split(": ", 1) for one in pair["turns"]]
    turns = [
        turn_of("user" if role == "user" else "assistant", said, NOW, project="shop", message=said)
        for role, said in parts
    ]
    (found,) = candidates_of([{**fact("", ""), **pair["item"]}], turns, Context())
    return found


def test_honest_items_are_found_and_supported() -> None:
    assert len(PAIRS) == 60
    wrong = [
        (one.fault, one.support, pair)
        for pair in PAIRS
        if (one := read(pair)).fault or one.support != "full"
    ]
    assert wrong == []


def supported(text: str, said: str, before: str = "") -> str:
    return Shown([said, before], [NOW]).supports(text, said, NOW[:10])


@pytest.mark.parametrize(
    "text, said",
    [
        ("The pool holds at most 9999 connections.", "The pool holds at most 20 connections."),
        ("The check runs every 30 seconds.", "The check runs every 10 seconds."),
        ("The user wants mails at night.", "I don't want mails at night."),
        ("The user never deploys the gateway on Fridays.", "I deploy the gateway on Fridays."),
        ("The team uses Redis for sessions.", "I don't believe that we use Redis for sessions."),
        ("The team uses Kafka.", "We only have RabbitMQ here. Never Kafka!"),
        ("Das Team will Kafka für die Logs.", "Wir wollen kein Kafka für die Logs."),
        ("团队使用Redis保存会话。", "我们不使用Redis保存会话。"),
        ("The user's sister lives in Rome.", "定了，就这样吧"),
        ("The user's father died in spring 2025.", "my dad passed away in spring"),
    ],
)  # fmt: skip
def test_another_number_or_a_turned_denial_is_doubted(text: str, said: str) -> None:
    assert supported(text, said, before="The certificate is renewed every 30 days.") == "doubted"


def test_a_statement_that_the_conversation_does_not_speak_of_has_no_support() -> None:
    said = "Priya and I paired on the parser all day."
    made_up = "Priya leaves the company in June for a competitor."
    assert supported(made_up, said) == "none"
    assert supported(made_up, said, before="In June she leaves the company.") == "full"


@pytest.mark.parametrize(
    "text, said",
    [
        ("The limit is 10,000 requests a minute.", "limit is 10k requests/min"),
        ("The cache takes 50 % of the memory.", "the cache takes half of the memory"),
        ("The query takes 0.8 s.", "the query takes 800 ms"),
        ("The demo is on March 13, 2026.", "the demo is next friday"),
        ("The demo was in the week before 6 March 2026.", "the demo was last week"),
        ("The meeting is at 15:00.", "the meeting is at 3 pm"),
        ("日志保留90天。", "日志保留九十天"),
        ("The user likes integers, not floats.", "I like integers for money"),
        ("The user has not smoked since 2019.", "I quit smoking in 2019"),
    ],
)  # fmt: skip
def test_a_number_and_a_denial_may_be_told_in_other_words(text: str, said: str) -> None:
    assert supported(text, said) == "full"


def test_a_number_in_the_name_of_the_project_is_known() -> None:
    said = "The linter allows 2 blank lines."
    turn = turn_of("assistant", said, NOW, source="t", session="s", project="till2031")
    items = [
        fact(f"The linter of {name} allows 2 blank lines.", said) for name in ("till2031", "till7")
    ]
    found = [candidates_of([one], [turn], Context())[0].support for one in items]
    assert found == ["full", "doubted"]
