"""Recall answers: which questions, from what, and what of it counts as read."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from engram.model.answer import AnswerSource, ReasonedAnswer
from engram.model.errors import BadInput
from engram.model.memory import Memory
from engram.model.time_span import TimeSpan
from engram.queries.recalling import Recalling
from engram.recall.answer_item import FoundTurn
from engram.recall.borders import Recipient
from engram.recall.question_words import QuestionWords
from engram.recall.rank import Setting
from engram.store.base import layout
from engram.surfaces import json as shapes
from engram.vault import Vault
from tests.kit import LIGHT, reopened

WHEN = "when did the shop move to the new payment provider?"


class Answers:
    """In place of Answering: one answer, the turns that it rests on, and what was asked."""

    def __init__(self, answer: ReasonedAnswer) -> None:
        self.given = answer
        self.asked: list[tuple[str, Recipient | None]] = []
        self.of_a_model = False

    def answer(
        self, question: str, *, setting: Setting, recipient: Recipient | None = None, **more: object
    ) -> ReasonedAnswer:
        self.asked.append((question, recipient))
        self.of_a_model = bool(more.get("ask_model"))
        return self.given

    def turns(
        self, question: str, words: QuestionWords, *, setting: Setting,
        recipient: Recipient | None = None, **more: object,
    ) -> Iterator[FoundTurn]:  # fmt: skip
        return (FoundTurn(one) for one in self.given.source_memories if one.kind == "turn")


def source(memory: Memory) -> AnswerSource:
    return AnswerSource("memory", memory.id, memory.path, 20, memory.text, "2026-03-04")


SAID = AnswerSource(
    "turn", "test-0a1b2c3d4e5f#^m1", "transcripts/a.md", 7, "We moved last week.", "2026-03-04"
)
SPAN = TimeSpan("2026-02-23", "2026-03-01", "last week", 9, granularity="week")


@pytest.fixture
def shop(vault: Vault) -> Vault:
    """A vault with two memories of one subject."""
    reopened(vault, finder=LIGHT.finder)
    vault.remember("The payment provider of the shop is Adyen.", project="shop")
    vault.remember("The payment provider of the shop was Stripe.", project="shop")
    return vault


def answering(vault: Vault, *sources: AnswerSource, confidence: float = 0.9) -> Answers:
    """Let a vault answer so; returns what was asked."""
    found = ReasonedAnswer(
        "in the week before 4 March 2026" if confidence else "not found", confidence, "a\nb",
        (SPAN,) if confidence else (), sources, bool(confidence),
        *(("2026-02-23", "2026-03-01") if confidence else ()),
    )  # fmt: skip
    answers = Answers(found)
    vault.parts.recalling = Recalling(vault.parts.search, answers)  # type: ignore[arg-type]
    return answers


def reads(vault: Vault) -> list[list[str]]:
    data = vault.parts.disk.read(layout.ACCESS) or b""
    return [json.loads(line)["ids"] for line in data.splitlines()]


def test_a_question_of_time_is_answered_by_itself_and_any_or_none_on_demand(shop: Vault) -> None:
    answers = answering(shop, SAID)
    for question, reason, answered in (
        (WHEN, None, True), (WHEN, True, True), (WHEN, False, False),
        ("payment provider", None, False), ("payment provider", True, True),
        ("payment provider", False, False),
    ):  # fmt: skip
        answers.asked.clear()
        block = shop.recall(question, reason=reason)
        assert (block.answer is not None) == answered == bool(answers.asked), (question, reason)
        assert ("- answer (confidence 0.90): in the week" in block.text) == answered
        assert not answered or answers.of_a_model == (reason is True)
        assert len(block.shown) == 2


def test_when_does_is_answered_by_itself_with_a_day_only(shop: Vault) -> None:
    for answer in (
        ReasonedAnswer("with each deploy", 0.5),
        ReasonedAnswer("9 May", 0.9, start="2026-05-09", end="2026-05-09"),
    ):
        recalling = Recalling(shop.parts.search, Answers(answer))  # type: ignore[arg-type]
        block = recalling.block(
            "when does the shop move?",
            budget=500,
            limit=5,
            setting=Setting("2026-03-20T12:00:00Z"),
            recipient=Recipient(person=True),
        )
        assert (block.answer is None) == (not answer.start)


def test_an_empty_question_cannot_be_answered(shop: Vault) -> None:
    for empty in ("", " \n"):
        with pytest.raises(BadInput, match="no question") as refused:
            shop.recall(empty, reason=True)
        assert refused.value.hint
        assert shop.recall(empty).answer is None


def test_the_memory_that_an_answer_rests_on_stands_first(shop: Vault) -> None:
    first, second = shop.recall("payment provider").shown
    answering(shop, source(shop.memory(second)))
    assert shop.recall(WHEN).shown == (second, first)
    answering(shop, source(shop.memory(second)), confidence=0.0)
    assert shop.recall(WHEN).shown[0] == first


def test_what_an_answer_quotes_counts_as_read_and_a_turn_does_not(shop: Vault) -> None:
    old, new = shop.recall("payment provider").shown
    shop.retire([old])
    answering(shop, source(shop.memory(old)), SAID)
    shown = shop.recall(WHEN).shown
    assert set(shown) == {old, new}
    assert reads(shop)[-1] == list(shown)


def test_a_turn_answers_where_there_is_no_memory(vault: Vault) -> None:
    answering(vault, SAID)
    block = vault.recall(WHEN)
    assert "We moved last week." in block.text and f"[[{SAID.id}]]" in block.text
    assert (block.shown, reads(vault)) == ((), [])
    assert "- 2026-03-04 turn: We moved last week." in vault.recall("provider").text
    assert "We moved last week." not in vault.recall("provider", limit=0).text
    assert "We moved last week." in vault.recall(WHEN, projects=["shop"]).text


def test_an_agent_is_given_nothing_where_nothing_came_near(vault: Vault) -> None:
    asked = answering(vault, confidence=0.0)
    assert vault.recall(WHEN, projects=["shop"]).text == ""
    assert "- answer: not found\n" in vault.recall(WHEN).text
    recipients = [recipient for _, recipient in asked.asked]
    assert [(one.projects, one.person) for one in recipients if one] == [
        (("shop",), False), ((), True),
    ]  # fmt: skip


def test_the_json_of_a_block_has_the_answer_or_null(shop: Vault) -> None:
    answering(shop, SAID)
    assert shapes.context_block(shop.recall("payment provider"))["answer"] is None
    shape = shapes.context_block(shop.recall(WHEN))
    assert list(shape) == ["text", "tokens", "memories", "left_out", "answer"]
    answer = shape["answer"]
    assert list(answer) == [
        "answer", "confidence", "start", "end", "reasoning", "temporal_resolutions",
        "source_memories", "requires_inference", "asked_model", "model_fault",
    ]  # fmt: skip
    assert answer["reasoning"] == ["a", "b"]
    assert answer["temporal_resolutions"] == [SPAN._asdict()]
    assert answer["source_memories"] == [SAID._asdict()]
    assert json.loads(json.dumps(shape))["answer"]["start"] == "2026-02-23"
