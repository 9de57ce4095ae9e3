"""Jokes, plays, fiction, half sentences and orders for one answer leave nothing; what looks alike
and is meant stays.

Rows of `tests/fixtures/unmeant/said.jsonl`: `turns` of a person, `words` of the memory in question,
whether a friend would `keep` it. `half` tells which rows were tuned on; `missed` those that the
rules do not get right.
"""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engram.admit.gate.bearing import bearing
from engram.extract.rules.rules_tier import RulesTier
from engram.extract.withdrawn import let_stand
from engram.language.jokes import is_joke
from engram.model.turn import turn_of

#: the table is compiled in one process only
pytestmark = pytest.mark.xdist_group("rules")
TESTS = Path(__file__).parents[1]
AT = "2026-03-04T10:00:00Z"


def rows() -> list[dict[str, Any]]:
    said = TESTS / "fixtures" / "unmeant" / "said.jsonl"
    return [json.loads(line) for line in said.read_text(encoding="utf-8").splitlines()]


@cache
def rules() -> RulesTier:
    table = TESTS.parent / "config" / "rules.toml"
    return RulesTier(tomllib.loads(table.read_text(encoding="utf-8")))


def remembered(*said: str) -> list[str]:
    """What is left of these turns of a person, each answered by an agent."""
    turns = []
    for number, text in enumerate(said):
        turns.append(turn_of("user", text, AT, message=f"{number}"))
        turns.append(turn_of("assistant", "Understood.", AT, message=f"a{number}"))
    stand = let_stand(rules().extract(turns), turns)
    return [one.text for one in stand if not bearing(one)]


def test_what_is_not_meant_leaves_nothing_and_what_looks_alike_stays() -> None:
    wrong = [
        row["turns"]
        for row in rows()
        if any(row["words"] in text for text in remembered(*row["turns"])) != row["keep"]
    ]
    assert wrong == [row["turns"] for row in rows() if row.get("missed")]


def test_a_bracket_stays_with_the_statement_that_opened_it() -> None:
    told = remembered("My son is allergic to nuts (properly, we carry a pen) so nothing with those")
    assert told == ["The user's son is allergic to nuts (properly, we carry a pen)."]
    assert remembered("1) our staging database is Postgres :)") != []


@pytest.mark.parametrize(
    ("said", "joke"),
    [
        ("I live on Guernsey and work from home", False),
        ("the service's back end moved to Rust", False),
        ("my back has got worse since I moved to Linz", False),
        ("we live on the coast", False),
        ("I live on 1200 euro a month", False),
        ("I am now officially the king of Styria and I live on Guinness", True),
        ("my brain has gone on strike", True),
    ],
)
def test_a_joke_is_told_by_what_nobody_can_be_or_do(said: str, joke: bool) -> None:
    assert is_joke(said) is joke
