"""Pasted turns make no memory, and what the person types beside them does.

The turns are data, `pasted_turns.toml`; the half that is called "held" was not looked at while the
rules were written.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engram.extract.rules.rules_tier import RulesTier
from engram.language.own_ranges import is_said
from engram.model.turn import turn_of

HERE = Path(__file__).parent
TURNS = tomllib.loads((HERE / "pasted_turns.toml").read_text(encoding="utf-8"))["turn"]
TABLE = tomllib.loads((HERE.parents[1] / "config/rules.toml").read_text(encoding="utf-8"))
TIER = RulesTier(TABLE, max_per_turn=20)


def quotes(text: str) -> list[str]:
    turn = turn_of("user", text, "2026-05-04T10:00:00Z", project="shop")
    return [candidate.receipt.quote for candidate in TIER.extract([turn])]


@pytest.mark.parametrize("half", ["tuned", "held"])
def test_no_pasted_word_is_taken_for_the_persons(half: str) -> None:
    for row in (row for row in TURNS if row["half"] == half):
        foreign: list[str] = row.get("foreign", [])
        assert [words for words in foreign if is_said(row["text"], words)] == [], row["text"]
        kept = [quote for quote in quotes(row["text"]) for words in foreign if words in quote]
        assert kept == [], row["text"]


@pytest.mark.parametrize("half", ["tuned", "held"])
def test_nearly_all_that_the_person_types_becomes_a_memory(half: str) -> None:
    def lost(row: dict[str, Any]) -> list[str]:
        made = quotes(row["text"])
        return [one for one in row["own"] if not any(one in quote for quote in made)]

    own = [row for row in TURNS if row["half"] == half and row.get("own")]
    stated = sum(len(row["own"]) for row in own)
    missed = [one for row in own for one in lost(row)]
    assert stated >= 35 and len(missed) <= 0.05 * stated, missed
