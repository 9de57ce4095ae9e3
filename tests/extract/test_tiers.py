"""Rules and model behind one extractor: what becomes of turns while no model answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engram.extract.llm.answer_items import MALFORMED
from engram.extract.llm.model_tier import FLOOD, MOST_ITEMS, ModelTier
from engram.extract.llm.prompt import KEY, ExtractionPrompt
from engram.extract.receipt import receipt_of
from engram.extract.tiers import Tiers
from engram.model.candidate import Candidate
from engram.model.errors import (
    BadAnswer,
    BudgetExceeded,
    EngramError,
    ModelAway,
    ModelRefuses,
)
from engram.model.model_request import Context, Reply, Request, Usage
from engram.model.turn import Turn, turn_of
from tests.fakes.model_server import fact
from tests.kit import Cheap

SAID = "We use Postgres for the shop."
TURN = turn_of("user", SAID, "2026-03-06T12:00:00Z", source="t", session="s", message="1")
REPLY = turn_of("assistant", "Noted.", TURN.time, source="t", session="s", message="2")
PROMPT = ExtractionPrompt({"version": "test-1", "instructions": "List."}, 12_000)


class Fake:
    """A model that answers one value, or cannot; what it was asked."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        if isinstance(self.value, EngramError):
            raise self.value
        return Reply(self.value, "fake", "m", Usage())


class Nowhere:
    """A vault that knows nothing."""

    def near(self, turns: Sequence[Turn]) -> Context:
        return Context()


class Rules(Cheap):
    """One candidate a turn."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return [
            Candidate("fact", "By rules.", receipt_of(turn, turn.text), 0.8, rule="r")
            for turn in turns
        ]


def tier(value: object) -> tuple[ModelTier, Fake]:
    model = Fake(value)
    return ModelTier(PROMPT, model, Nowhere()), model


def texts(value: object, when_away: str = "wait", turns: Sequence[Turn] = (TURN,)) -> list[str]:
    return [one.text for one in Tiers(Rules(), tier(value)[0], when_away).extract(turns)]


def test_both_are_merged() -> None:
    assert texts({KEY: [fact("The shop uses Postgres.", SAID)]}) == ["The shop uses Postgres."]
    assert texts({KEY: []}) == []


def test_what_the_model_is_not_shown_counts_as_unread() -> None:
    filling = "And so it goes on. " * 500
    long = turn_of("user", f"{filling}{SAID} {filling}", TURN.time, source="t", session="s")

    class OneSentence(Cheap):
        def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
            return [Candidate("fact", "By rules.", receipt_of(turns[0], SAID), 0.8, rule="r")]

    asked = tier({KEY: []})[0]
    assert Tiers(OneSentence(), asked, "wait").extract([TURN]) == []
    assert [one.text for one in Tiers(OneSentence(), asked, "wait").extract([long])] == [
        "By rules."
    ]
    assert Tiers(Rules(), asked, "wait").extract([REPLY])


@pytest.mark.parametrize("error", [ModelAway("timeout", "no"), BudgetExceeded("no")])
def test_while_the_model_is_away_it_is_as_the_person_chose(error: EngramError) -> None:
    with pytest.raises(type(error)):
        texts(error, "wait")
    assert texts(error, "rules") == ["By rules."]


@pytest.mark.parametrize("error", [ModelRefuses("auth", "no"), BadAnswer("no-json", "no")])
@pytest.mark.parametrize("when_away", ["wait", "rules"])
def test_what_the_person_should_know_is_never_passed_over(
    error: EngramError, when_away: str
) -> None:
    with pytest.raises(type(error)):
        texts(error, when_away)


@pytest.mark.parametrize("value", [{KEY: None}, {KEY: "x"}, {KEY: {}}, {}, [], None, 7])
def test_an_answer_without_a_list_is_a_bad_one(value: object) -> None:
    with pytest.raises(BadAnswer) as caught:
        texts(value)
    assert caught.value.code == "no-list" and "fake" in str(caught.value)


def test_nothing_is_asked_where_no_person_speaks() -> None:
    asker, model = tier({KEY: []})
    assert asker.extract([REPLY]) == [] and model.asked == []
    assert asker.extract([REPLY, TURN]) == [] and len(model.asked) == 1
    assert model.asked[0] == asker.request([REPLY, TURN])


def test_a_flood_is_cut_and_told_once() -> None:
    items = [None] * (MOST_ITEMS + 9)
    found = tier({KEY: items})[0].extract([TURN])
    assert len(found) == MOST_ITEMS + 1 and [one.fault for one in found[-2:]] == [MALFORMED, FLOOD]
    assert tier({KEY: items[:MOST_ITEMS]})[0].extract([TURN])[-1].fault == MALFORMED
