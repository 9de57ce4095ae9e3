"""The texts of which vectors are made."""

from __future__ import annotations

from dataclasses import replace

from engram.model.memory import Memory
from engram.model.turn import Turn, turn_of
from engram.recall.embedded_text import text_of_memory, text_of_turn, texts_of_question
from tests.conftest import NOW
from tests.kit import failing


def said(text: str, speaker: str = "") -> Turn:
    return replace(turn_of("user", text, NOW, source="s", session="t"), speaker=speaker)


def test_a_memory_is_its_statement_without_receipts() -> None:
    memory = Memory(
        "id", "decision", "The shop uses Postgres.", quote="we need two writers",
        title="Database", sources=("t#^1",), sections=(("Context", "SQLite locks."),),
    )  # fmt: skip
    assert text_of_memory(memory) == "Database The shop uses Postgres."
    told = replace(memory, title="The shop uses Postgres")
    assert text_of_memory(told) == "The shop uses Postgres."


def test_a_turn_has_the_end_of_the_one_before_in_front_and_no_name() -> None:
    ask = said("How was it? " * 100 + "And where?", "Kim")
    told = said("  In\n Oslo. ", "Ana")
    text = text_of_turn(told, ask)
    assert text.endswith("And where?\nIn Oslo.") and len(text) < 520
    assert "Ana" not in text and "Kim" not in text
    assert text_of_turn(told, None) == "In Oslo."
    assert text_of_turn(said(" \n"), ask) == ""


def test_a_long_text_is_cut_between_words() -> None:
    text = text_of_turn(said("palaver " * 1000), None)
    assert 1_400 < len(text) <= 1_500 and text.endswith("palaver")
    assert len(text_of_turn(said("x" * 9_000), None)) == 1_500


#: question -> the statement beside it; empty for none
STATEMENTS = {
    "When did Ana move to Oslo?": "Ana move to Oslo",
    "How many cats does she have": "cats does she have",
    "Is the shop open?": "the shop open",
    "what is": "",
    "postgres writers": "",
    "Whatever she said": "",
    "Where?": "",
    "": "",
}


def test_a_question_is_also_a_statement() -> None:
    def check(row: tuple[str, str]) -> None:
        question, statement = row
        assert texts_of_question(question) == [question, *filter(None, [statement])]

    assert failing(STATEMENTS.items(), check) == ""
