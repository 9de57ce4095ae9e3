"""Which memories a prompt is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engram.language.stem import stem
from engram.language.stop_words import FILLER
from engram.language.telling_names import telling_names
from engram.language.tokens import query_terms, terms
from engram.recall.match import PromptWords, matches
from engram.vault import Vault
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import hook, said_by
from tests.hooks.prompt_cases import (
    FITTING,
    LATER_FITTING,
    LATER_NOISY,
    MUSEUM,
    NOISY,
    Prompt,
)

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

    def names(number: int) -> set[str]:
        return telling_names(memories[number])

    return PromptWords(holders, sizes, len(memories), frozenset(map(stem, FILLER)), names)


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


# -- one rare name ---------------------------------------------------------------------------------


def test_one_rare_name_is_enough_and_noise_gets_nothing(tmp_path: Path) -> None:
    """Of prompts in a project of thirty memories, which are answered, and with which memory."""
    shop = Shop(tmp_path, {"ENGRAM_VAULT": "vault"})
    assert shop.run("init", "vault").code == 0
    environment = prompt_context(tmp_path)
    with Vault.open(tmp_path / "vault", environment=environment) as vault:
        for text in MUSEUM.values():
            vault.remember(text, project="kasse")

    def answered(prompt: Prompt) -> str:
        said = said_by("UserPromptSubmit", "/home/kim/kasse", prompt=prompt.words)
        told = hook(shop, "prompt", said, "--vault", str(tmp_path / "vault"))[0]
        keys = [key for key, text in MUSEUM.items() if text.rstrip(".") in told]
        return prompt.about if prompt.about in keys else ", ".join(keys)

    wrong = {
        one.words: found
        for one in (*FITTING, *NOISY, *LATER_FITTING, *LATER_NOISY)
        if (found := answered(one)) != one.about
    }
    assert wrong == {
        "show the visitor's name when the QR code is scanned": "",
        "the sum of the cart is off by one cent after the discount, find out why": "",
        # two telling words are shared, which was enough before
        "commit this with a good message": "commits",
        "translate the paragraph into English, but keep the tone": "i18n",
    }


def test_a_name_is_what_is_written_as_one() -> None:
    assert telling_names(
        "The counters are in Redis on port 6380, parseHeader in payments/webhook.py, KASSE-112."
    ) == {"redi", "6380", "parsehead", "payments/webhook.py", "webhook.py", "kasse-112"}
    plain = "Since May 2024 the CSV of the API takes 20ms for 500 rows (e.g. on Monday, 3rd try)."
    assert telling_names(plain) <= {"e.g"}
    assert telling_names("Wir haben für die Kasse einen Drucker von Epson gekauft.") == set()
    assert telling_names("") == set()


def test_a_name_in_a_log_that_was_pasted_is_not_enough() -> None:
    lines = " ".join(f"worker{number} started" for number in range(40))
    assert found(f"why does this end? {lines} redis closed") == []
