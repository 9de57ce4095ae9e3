"""German words and the stems that they share."""

from __future__ import annotations

import pytest

from engram.language.german import german_stem
from engram.language.stop_words import is_german
from engram.language.tokens import query_terms


@pytest.mark.parametrize(
    "words",
    ["häuser hauses haus", "bücher buecher buch", "server servern servers", "liste listen",
     "preis preise", "haselnuss haselnüsse haselnuesse", "hüxstraße huexstrasse"],
)  # fmt: skip
def test_forms_of_one_word_share_a_stem(words: str) -> None:
    assert len({german_stem(word) for word in words.casefold().split()}) == 1


def test_german_is_told_from_english() -> None:
    assert is_german("wo steht der Server") and is_german("Büroschlüssel")
    assert not is_german("the dice die on the table") and not is_german("postgres index")


def test_a_german_question_asks_for_no_function_word() -> None:
    assert query_terms("wo stehen die Server") == ["stehen", "server"]
    assert "die" in query_terms("die cast models")
