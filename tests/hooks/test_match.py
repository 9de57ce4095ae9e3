"""Which memories a prompt is about."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engram.language.stem import stem
from engram.language.stop_words import FILLER
from engram.language.tokens import query_terms, terms
from engram.recall.match import PromptWords, matches

MEMORIES = [
    "The staging server listens on port 8443.",
    "We decided to use Postgres instead of SQLite because two writers need it.",
    "The user prefers small commits with one topic each.",
    "The till in the store runs on a Raspberry Pi 4.",
    "Invoices are rounded to five rappen.",
    "Anna owns the deployment pipeline.",
    "The nightly backup goes to the Hetzner box in Helsinki.",
    "Release notes are written before the release branch is cut.",
]  # fmt: skip


def words(memories: Sequence[str]) -> PromptWords:
    known = [set(terms(text)) for text in memories]

    def holders(term: str, most: int) -> list[int]:
        return [number for number, held in enumerate(known) if term in held][:most]

    def sizes(numbers: Sequence[int]) -> dict[int, int]:
        return {number: len(known[number]) for number in numbers}

    return PromptWords(holders, sizes, len(memories), frozenset(map(stem, FILLER)))


def found(prompt: str, memories: Sequence[str] = MEMORIES) -> list[int]:
    return [match.number for match in matches(query_terms(prompt), words(memories), 5)]


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("which port does the staging server use?", 0),
        ("why not sqlite?", 1),
        ("should this be Postgres or SQLite", 1),
        ("how small should commits be", 2),
        ("what hardware does the till run on? a raspberry?", 3),
        ("round the invoice amounts", 4),
        ("where does the nightly backup go", 6),
    ],
)
def test_a_prompt_finds_what_it_is_about(prompt: str, number: int) -> None:
    assert found(prompt)[:1] == [number]


@pytest.mark.parametrize(
    "prompt",
    [
        "", "?!", "continue", "yes please", "fix the bug", "run the tests again", "ok thanks",
        "try again and look at the error", "what do you think?", "write a function that does it",
        "make the font of the headline larger and move the logo to the left side of the page",
        "add a unit test for the parser, it should cover nested lists, tables and code blocks",
    ],
)  # fmt: skip
def test_better_nothing_than_noise(prompt: str) -> None:
    assert found(prompt) == []


def test_a_word_that_everybody_holds_says_nothing() -> None:
    many = [f"The valve {number} of the boiler is open." for number in range(200)]
    assert found("valve boiler open", many) == []
    assert found("valve 117 boiler", many) == [117]


def test_of_a_long_prompt_one_shared_word_is_not_enough() -> None:
    prompt = "please refactor the template engine so that the server renders partial pages lazily"
    assert found(prompt) == []


def test_equal_prompts_give_equal_answers_best_first() -> None:
    prompt = "server port for the nightly backup of the staging server in Helsinki, Hetzner box"
    assert found(prompt) == found(prompt)
    assert found(prompt)[0] == 6
