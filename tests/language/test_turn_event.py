"""The event type of an utterance, by closed word lists."""

from __future__ import annotations

import pytest

from engram.language.turn_event import event_of_turn


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("That is not oak, but pine.", "correction"), ("not oak\nbut pine", "context"),
        ("Factually wrong", "context"), ("I like that we decided", "preference"),
        ("never use tabs", "preference"), ("never mind", "context"), ("let’s use pnpm", "decision"),
        ("use 4 spaces", "decision"), ("reuse it", "context"), ("undecided", "context"),
        ("my editor is Helix", "fact"), ("the shop opens at nine", "context"), ("", "context"),
    ],
)  # fmt: skip
def test_the_first_whole_word_decides(text: str, event: str) -> None:
    assert event_of_turn(text) == event
    assert event_of_turn(text, used_tools=True) == "execution"
