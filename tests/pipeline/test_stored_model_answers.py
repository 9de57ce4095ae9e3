"""Twenty conversations with answers of a model written by hand: what has to come of them."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.benchmarks.model_tier import FIXTURES, measure


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("answers") / "model"
    hostile = shutil.ignore_patterns("hostile.toml")  # tests/llm has a test of each
    shutil.copytree(FIXTURES, folder, ignore=hostile)
    return measure(folder)


def test_every_conversation_has_its_answer(figures: dict[str, Any]) -> None:
    assert figures["missed"]["open"] == []


def test_nothing_is_kept_that_the_conversations_do_not_say(figures: dict[str, Any]) -> None:
    assert figures["missed"]["absent"] == []
    assert figures["admission"]["untrue ones admitted"][0] == 0


def test_true_items_are_refused_at_most_once_in_thirty(figures: dict[str, Any]) -> None:
    assert figures["admission"]["share"] <= 0.03, figures["missed"]["refused"]


def test_what_is_told_anew_later_is_replaced(figures: dict[str, Any]) -> None:
    replaced, told = figures["replaced"]
    assert replaced >= 0.9 * told, figures["missed"]["changes"]


def test_what_three_conversations_say_has_three_receipts(figures: dict[str, Any]) -> None:
    assert figures["missed"]["receipts"] == []


def test_commitments_that_were_carried_out_are_done(figures: dict[str, Any]) -> None:
    assert figures["missed"]["fulfilled"] == []


def test_recall_answers_from_the_memories_what_the_rules_alone_do_not(
    figures: dict[str, Any],
) -> None:
    assert figures["answered by recall"] >= 0.9 * figures["questions"]
    # what turns tell both have
    assert figures["answered by memories of the rules"] < figures["answered by memories"] * 2 / 3
