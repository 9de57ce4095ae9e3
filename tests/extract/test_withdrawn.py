"""What the person takes back, says laughing or plays is no memory."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from engram.extract.rules.rules_tier import RulesTier
from engram.extract.withdrawn import let_stand
from engram.model.turn import turn_of

#: the table is compiled in one process only
pytestmark = pytest.mark.xdist_group("rules")
AT = "2026-03-04T10:00:00Z"


@cache
def rules() -> RulesTier:
    table = Path(__file__).parents[2] / "config" / "rules.toml"
    return RulesTier(tomllib.loads(table.read_text(encoding="utf-8")))


def heard(*said: str) -> list[str]:
    """The quotes of what stands when a person says this, turn by turn, and an agent answers."""
    turns = []
    for number, text in enumerate(said):
        turns.append(turn_of("user", text, AT, message=f"{number}"))
        turns.append(turn_of("assistant", "Understood.", AT, message=f"a{number}"))
    return [one.receipt.quote for one in let_stand(rules().extract(turns), turns)]


@pytest.mark.parametrize(
    "later",
    [
        "scratch that",
        "hm, never mind, let's keep mysql",
        "no wait, keep mysql",
        "ok forget what i said about postgres, too much work",
        "on second thought, postgres is too heavy for us",
        "just kidding",
        "no, never mind, forget that",
    ],
)
def test_a_decision_taken_back_in_the_next_turn_is_not_heard(later: str) -> None:
    assert "let's go with postgres" not in heard("let's go with postgres", later)


def test_what_takes_its_place_is_heard() -> None:
    said = heard("let's go with postgres", "scratch that, we decided to use sqlite")
    assert said == ["scratch that, we decided to use sqlite"]


def test_a_turn_that_only_waits_lies_not_between_a_statement_and_its_end() -> None:
    assert heard("let's go with postgres", "hm", "scratch that") == []
    said = heard("let's go with postgres", "now look at the cart test", "scratch that")
    assert said == ["let's go with postgres"]


def test_a_statement_taken_back_in_the_same_turn_is_not_heard() -> None:
    said = heard("we decided to use redis. scratch that. we decided to use memcached")
    assert said == ["scratch that. we decided to use memcached"]
    assert heard("we use oak. we decided to use pine. scratch that.") == ["we use oak."]


def test_the_turn_after_the_next_takes_back_what_it_names() -> None:
    first, between = "let's go with postgres", "how long will that take?"
    assert heard(first, between, "never mind, postgres is too heavy") == []
    assert heard(first, between, "never mind") == [first]
    assert heard(first, between, between, "never mind, postgres is too heavy") == [first]


@pytest.mark.parametrize("later", ["never mind, fix the failing test", "no wait, run it again"])
def test_turning_to_something_else_takes_nothing_back(later: str) -> None:
    assert heard("let's go with postgres", later) == ["let's go with postgres"]


def test_a_plan_that_comes_back_after_all_ends_the_statement_against_it() -> None:
    said = heard("we decided against the marble counter", "we take the marble counter after all")
    assert said == ["we take the marble counter after all"]


def test_a_plan_that_is_off_then_is_no_plan() -> None:
    first = "we decided to fly to Malta in May"
    assert heard(first, "trains are nice. Malta is off then, maybe next year") == []
    assert heard(first, "the heating is off then, right?") == [first]


def test_a_joke_about_oneself_is_no_fact_and_a_rule_told_laughing_is_one() -> None:
    assert heard("haha I live in the sea now") == []
    assert heard("lol from now on every release gets a cake") != []
    assert heard("I am now officially the queen of Tyrol and I live on dumplings") == []
    assert heard("my back is on strike and I work from bed") == []
    assert heard("my brother moved to Bremen and I work from home") != []


def test_a_role_lasts_until_it_is_ended_and_a_story_one_turn() -> None:
    play = ["let's role-play, you are the innkeeper", "I live in Arnoth"]
    assert heard(*play, "I work at the mill") == []
    assert heard("let's do a role play, you are the innkeeper", "I live in Arnoth") == []
    assert heard("you are the miller and I am the smith. I work at the forge") == []
    assert heard(*play, "ok stop the role-play. I work at the mill") == ["I work at the mill"]
    assert heard("write me a story: I live in Arnoth", "I live in Graz") == ["I live in Graz"]
