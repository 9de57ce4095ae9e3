"""Episodes, notes and importance, decided on raw words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.extract.classify import memory_kind, score_importance
from engram.extract.rules.rules_tier import RulesTier
from engram.model.memory import CATEGORIES, importance_level
from engram.model.turn import turn_of
from engram.settings.load import shipped

SAID = "2026-03-06T10:10:00Z"
#: turns of invented conversations, labelled for the rules tier
SAMPLE = Path(__file__).parents[1] / "benchmarks" / "data" / "rules_turns.jsonl"


@pytest.mark.parametrize(
    ("category", "content", "tags", "kind"),
    [
        ("decision", "We chose oak yesterday", (), "episode"),
        ("preference", "Lately, I mean recently, oak is preferred", (), "episode"),
        ("relationship", "On Tuesday Bo joined", (), "episode"),
        ("fact", "It rained last week", (), "episode"),
        ("decision", "We fixed on oak", (), "note"),
        ("anything", "Oak grows", ("Habit", "bug"), "note"),
        ("moment", "We always win", (), "episode"),
        ("observation", "Oak must dry", (), "episode"),
        ("fact", "Oak grows", ("incident",), "episode"),
        ("fact", "The shelf was shipped and must stand", (), "episode"),
        ("fact", "Oak must dry", (), "note"),
        ("fact", "Conventions differ", (), "note"),
        ("fact", "Oak grows", (), "episode"),
        ("fact", "the mustard tasted of yesteryear", (), "episode"),
    ],
)
def test_the_first_of_six_rules_decides(
    category: str, content: str, tags: tuple[str, ...], kind: str
) -> None:
    assert memory_kind(category, content, tags) == kind


@pytest.mark.parametrize(
    "text", ["", "hi", "Thanks!", "ok", "ha ha", "hmm", "see you later", "oak table"]
)
def test_chatter_and_very_short_lines_are_trivial(text: str) -> None:
    assert score_importance(text, "correction") == 0.10


def test_two_short_lines_are_not_trivial() -> None:
    assert score_importance("oak\npine", "fact") > 0.10


@pytest.mark.parametrize(
    ("content", "category", "level"),
    [
        ("The table stands in the hall", "fact", "normal"),
        ("Perhaps the table is crooked", "fact", "low"),
        ("The table is crooked for now", "fact", "low"),
        ("Perhaps the table is crooked", "correction", "normal"),
        ("The deadline for the table is Friday", "commitment", "high"),
        ("I hate pine and I want oak", "principle", "critical"),
        ("The table must never get wet", "fact", "high"),
    ],
)
def test_markers_move_the_level(content: str, category: str, level: str) -> None:
    assert importance_level(score_importance(content, category)) == level


def test_a_fact_of_level_low_lies_below_the_archival_threshold() -> None:
    assert score_importance("Perhaps the table is crooked", "fact") < 0.30
    assert score_importance("Perhaps the table is crooked", "skill") >= 0.30


def test_weighty_tags_and_length_add_to_it() -> None:
    plain = score_importance("Bo likes jazz records", "preference")
    assert score_importance("Bo likes jazz records", "preference", ["Important"]) > plain
    assert score_importance("Bo likes jazz records " * 20, "preference") > plain


def test_some_ordinary_facts_fall_below_the_threshold_and_most_do_not() -> None:
    tier = RulesTier(shipped("rules"), 6)
    turns = [json.loads(line)["text"] for line in SAMPLE.read_text("utf-8").splitlines()]
    found = [one for text in turns for one in tier.extract([turn_of("user", text, SAID)])]
    facts = [one.importance for one in found if one.category == "fact"]
    assert len(facts) > 20
    assert 0.05 <= sum(importance < 0.30 for importance in facts) / len(facts) <= 0.15


@pytest.mark.parametrize(
    ("passing", "lasting"),
    [
        ("The build is stuck on Java 11", "The build runs on Java 11"),
        ("The printer is apparently broken", "The printer is broken"),
        ("The harbour run was amazing", "The harbour run starts at six"),
    ],
)
def test_what_is_rough_or_passing_or_mere_feeling_matters_less(passing: str, lasting: str) -> None:
    assert score_importance(passing, "fact") < 0.30 <= score_importance(lasting, "fact")


def test_a_moment_may_be_amazing() -> None:
    plain = score_importance("We opened the harbour run", "moment")
    assert score_importance("We opened the amazing harbour run", "moment") == plain


@given(
    st.text(max_size=300), st.sampled_from(CATEGORIES), st.lists(st.text(max_size=8), max_size=4)
)
def test_any_text_has_a_kind_and_a_score_in_range(
    text: str, category: str, tags: list[str]
) -> None:
    assert memory_kind(category, text, tags) in ("episode", "note")
    score = score_importance(text, category, tags)
    assert 0.10 <= score <= 1.0
    assert round(score, 2) == score
