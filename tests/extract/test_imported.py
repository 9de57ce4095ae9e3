"""Turns that are memories of another store: each is proposed whole."""

from __future__ import annotations

from functools import cache

import pytest

from engram.extract.imported import ImportedTier
from engram.extract.receipt import verify
from engram.extract.rules.rules_tier import RulesTier
from engram.model.candidate import Candidate
from engram.model.turn import Turn, turn_of
from engram.settings.load import shipped

TIME = "2026-03-06T10:00:00Z"

#: the table of the rules is compiled in one process only
pytestmark = pytest.mark.xdist_group("rules")


@cache
def tier() -> ImportedTier:
    """Beside the rules that are shipped."""
    return ImportedTier(RulesTier(shipped("rules")))


def stated(text: str, source: str = "mem0", session: str = "kim") -> Turn:
    return turn_of("user", text, TIME, source=source, session=session)


def one(turn: Turn) -> Candidate:
    [candidate] = tier().extract([turn])
    return candidate


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("User prefers dark roast in the morning", "preference"),
        ("The team decided to stay on Postgres", "decision"),
        ("Promised to send the invoice to Rosa", "commitment"),
        ("Never deploys on Saturdays", "principle"),
        ("Works at Lindqvist Bakery", "relationship"),
        ("Fluent in Danish and Swedish", "skill"),
        ("The oven has two doors", "fact"),
    ],
)
def test_the_category_is_what_the_words_show(text: str, category: str) -> None:
    assert one(stated(text)).category == category


def test_a_statement_is_quoted_by_itself_and_an_ai_inferred_it() -> None:
    turn = stated("User prefers\ndark roast")
    candidate = one(turn)
    assert candidate.text == "User prefers dark roast"
    assert verify(candidate, [turn]) == ""
    assert candidate.authority == "ai_inferred" and candidate.confidence == 0.7


def test_an_observation_is_about_its_entity_and_a_relation_is_one() -> None:
    observed = one(stated("Ada Berg (person): runs the kitchen", "mcp-memory"))
    assert (observed.category, observed.entities[0]) == ("entity", "person-ada-berg")
    assert one(stated("Ada works at Acme.", "mcp-memory")).category == "relationship"
    assert one(stated("Vim (app): is quick", "mcp-memory")).entities[0] == "other-vim"


def test_saved_memories_of_an_export_are_statements_and_its_conversations_are_not() -> None:
    assert one(stated("Has two cats", "chatgpt", "memories")).text == "Has two cats"
    assert tier().extract([stated("Has two cats", "chatgpt", "c1")]) == []


def test_other_turns_are_left_to_the_rules() -> None:
    said = turn_of("user", "I prefer small commits with one topic each.", TIME)
    assert [candidate.rule != "stated" for candidate in tier().extract([said])] == [True]
    assert tier().extract([said, stated("Has two cats")])[-1].text == "Has two cats"


def test_the_answer_of_an_assistant_is_never_a_statement() -> None:
    turn = turn_of("assistant", "User prefers tea", TIME, source="mem0", session="kim")
    assert tier().extract([turn]) == []
