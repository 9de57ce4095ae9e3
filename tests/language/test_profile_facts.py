"""Sixty sentences of `fixtures/profile_statements.jsonl`, written before the rules were read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engram.extract.rules.rules_tier import RulesTier
from engram.language.profile_facts import fact_of, settled_fact
from engram.model.turn import turn_of
from engram.settings.shipped import shipped

_ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "profile_statements.jsonl")
    .read_bytes()
    .splitlines()
]
#: labels that a vault decides otherwise: a nickname replaces no name (it has a slot of its own),
#: and whose native language is Finnish may want answers in another one
_OTHERWISE = {
    "Please call me Jo.": "called", "You can call me Wendell.": "called",
    "My native language is Finnish.": "",
}  # fmt: skip
#: no slot is set though one could be: a reading that limits the value, or a way of saying it that
#: no rule knows
_MISSED = {"For editing I use Sublime Text.", "Use imperial units in all reports."}


def _keys(text: str, project: str = "shop") -> list[str]:
    said = turn_of("user", text, "2026-03-06T10:10:00Z", project=project)
    slots = [found.slot for found in RulesTier(shipped("rules")).extract([said])]
    return [slot.rpartition("::")[2] for slot in slots if slot]


def test_a_statement_sets_the_slot_of_its_key_and_what_only_looks_like_one_sets_none() -> None:
    wrong = []
    for row in _ROWS:
        key = "" if row["text"] in _MISSED else _OTHERWISE.get(row["text"], row["key"])
        if _keys(row["text"]) != ([key] if key else []):
            wrong.append((row["text"], key, _keys(row["text"])))
    assert wrong == []


def test_the_value_of_a_settled_fact_is_what_was_said() -> None:
    wrong = []
    for row in _ROWS:
        fact = settled_fact(row["text"].removesuffix(" btw"))
        if fact is not None and fact != (row["key"], row["value"]):
            wrong.append((row["text"], fact))
    assert wrong == []


def test_the_sentences_are_of_all_six_keys() -> None:
    keys = {row["key"] for row in _ROWS if row["key"]}
    assert keys == {"name", "timezone", "language", "project", "editor", "units"}


@pytest.mark.parametrize(
    ("text", "project", "keys"),
    [
        ("no, my timezone is Europe/Lisbon, not Europe/Madrid", "shop", ["timezone"]),
        ("My project is called Atlas.", "", ["project"]),
        # which project that is, nobody knows without a folder
        ("The project is called Redwood.", "", []),
        # it replaces no whole name
        ("My last name is Solheim.", "shop", []),
    ],
)
def test_slots_of_corrections_and_projects(text: str, project: str, keys: list[str]) -> None:
    assert _keys(text, project) == keys


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("the till is red. My name is “Ada  Holt”", ("name", "Ada Holt")),
        ("working on the parser", ("project", "the parser")),
        ("I'm in UTC+2.", ("timezone", "UTC+2")),
        ("my editor is", None),
        ("Call me Al. My name is Ada.", ("name", "Ada")),
        ("My name is " + "x" * 70, ("name", "x" * 60)),
    ],
)
def test_the_fact_of_a_turn_is_read_up_to_the_next_stop(
    text: str, fact: tuple[str, str] | None
) -> None:
    assert fact_of(text) == fact
