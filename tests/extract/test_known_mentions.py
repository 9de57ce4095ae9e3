"""Known memories that an answer names: what is read of it, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from engram.extract.llm.known_mentions import mentions_of
from engram.extract.receipt import verify
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.turn import Turn, turn_of

NOW = "2026-03-06T12:00:00Z"
SAID = "As I said, the shop runs on MySQL, and the importer is shipped."


def turn(text: str, message: str, role: Any = "user") -> Turn:
    return turn_of(role, text, NOW, source="t", session="s", project="shop", message=message)


TURNS = (turn(SAID, "1"), turn("Noted.", "2", "assistant"))
SHOWN = (
    Memory("fact-1", "fact", "The shop runs on MySQL.", created="2026-03-01T00:00:00Z"),
    Memory("commitment-1", "commitment", "The user ships the importer.", space="user"),
)


def mention(**more: object) -> dict[str, object]:
    return {"memory": "k1", "quote": "the shop runs on MySQL", "turn": 1, **more}


def confirmed(*named: object) -> list[Candidate]:
    return mentions_of("confirms", list(named), TURNS, SHOWN)


def test_a_mention_is_the_memory_with_another_receipt() -> None:
    (found,) = confirmed(mention())
    assert (found.confirms, found.fulfils, found.text) == ("fact-1", "", SHOWN[0].text)
    assert found.receipt.quote == "the shop runs on MySQL" and verify(found, TURNS) == ""
    assert (found.origin, found.sentence) == ("model", SAID)
    done = mention(memory="k2", quote="the importer is shipped")
    (kept,) = mentions_of("fulfils", [done], TURNS, SHOWN)
    assert (kept.confirms, kept.fulfils, kept.space) == ("", "commitment-1", "user")


def test_a_memory_is_mentioned_once_a_message() -> None:
    assert len(confirmed(*[mention()] * 30)) == 1
    assert len(confirmed(mention(), mention(quote="Noted.", turn=2))) == 2


@pytest.mark.parametrize(
    "wrong, code",
    [
        ({"memory": "k3"}, "unknown_memory"), ({"memory": "k0"}, "unknown_memory"),
        ({"memory": "fact-1"}, "unknown_memory"), ({"memory": ""}, "unknown_memory"),
        ({"memory": 1}, "malformed"), ({"quote": None}, "malformed"), ({"turn": "1"}, "malformed"),
        ({"quote": ""}, "no-quote"), ({"quote": "the shop runs on Oracle"}, "quote-not-found"),
    ],
)  # fmt: skip
def test_a_mention_is_refused_with_a_code(wrong: dict[str, object], code: str) -> None:
    (refused,) = confirmed(mention(**wrong))
    assert (refused.fault, refused.confirms) == (code, "")


@pytest.mark.parametrize("named", [None, 7, "k1", {"memory": "k1"}, {}])
def test_an_answer_without_a_list_mentions_nothing(named: object) -> None:
    assert mentions_of("confirms", named, TURNS, SHOWN) == []
    assert [one.fault for one in confirmed(named)] == ["malformed"]
