"""Which turns of a conversation make one question to a model, and which of them it shows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from engram.extract.llm.portions import MOST_READ, MOST_SHOWN, is_asked, piece_of
from engram.extract.llm.prompt import ExtractionPrompt
from engram.model.model_request import Context
from engram.model.turn import Turn, turn_of
from engram.settings.load import shipped

NOW = "2026-03-06T12:00:00Z"
PROMPT = ExtractionPrompt(shipped("prompts/extract"), 12_000)
REPORT = "Now I look at the tests of the parser."
ANSWER = "The parser lost its last token at the end of a line. " * 8


def talk(*said: str) -> list[Turn]:
    """`u: words` of the person, `a: words` of an agent."""
    roles: dict[str, Any] = {"u": "user", "a": "assistant"}
    return [
        turn_of(roles[line[0]], line[3:], NOW, source="t", session="s", message=str(number))
        for number, line in enumerate(said)
    ]


def numbers(turns: list[Turn]) -> list[int]:
    """The numbers of the messages that a question shows."""
    text = PROMPT.request(turns, Context()).text
    return [int(number) for number in re.findall(r"^\[(\d+)\] ", text, re.MULTILINE)]


def asked(turns: list[Turn]) -> bool:
    return is_asked([piece_of(turn) for turn in turns])


def portions(turns: list[Turn], attempts: int = 0) -> list[list[Turn]]:
    found = []
    while turns:
        count = PROMPT.portion(turns, attempts)
        found.append(turns[:count])
        turns = turns[count:]
    return found


def test_reports_of_progress_are_left_out_and_keep_their_numbers() -> None:
    said = talk("u: Mend the parser.", f"a: {REPORT}", f"a: {ANSWER}", f"a: {REPORT}", "a: Done.",
                "u: Thanks.", "a: You are welcome.")  # fmt: skip
    assert numbers(said) == [1, 3, 5, 6, 7]


def test_the_last_answer_before_a_person_speaks_is_shown_however_short() -> None:
    said = talk("u: Which port?", f"a: {REPORT}", "a: 8080.", "u: Good.", f"a: {REPORT}")
    assert numbers(said) == [1, 3, 4, 5]


def test_a_long_turn_between_others_of_the_agent_is_shown_in_any_script() -> None:
    said = talk(
        "u: Why?",
        f"a: {ANSWER}",
        "a: Done.",
        "u: Why?",
        f"a: {'原因是缓存没有失效' * 14}",
        "a: Ok.",
    )
    assert numbers(said) == [1, 2, 3, 4, 5, 6]


def test_people_who_are_named_report_no_progress() -> None:
    said = talk("u: Hi.", "a: I moved to Rome.", "a: And I have a dog now.", "u: Nice!")
    assert numbers([replace(turn, speaker="Kim") for turn in said]) == [1, 2, 3, 4]


def test_a_portion_ends_before_a_person_speaks() -> None:
    exchange = ["u: Mend it.", *[f"a: {ANSWER}"] * 5]
    found = portions(talk(*exchange * 20))
    assert sum(map(len, found)) == 120 and len(found) == 4
    assert all(portion[0].role == "user" and len(portion) % 6 == 0 for portion in found)


def test_an_exchange_that_fills_more_than_a_question_is_cut_within() -> None:
    said = talk("u: Mend it.", "u: All of it.", *[f"a: {ANSWER}"] * 60)
    assert [len(portion) for portion in portions(said)] == [MOST_SHOWN, 22]


def test_reports_take_no_room_of_a_question() -> None:
    said = talk(*["u: Go on.", f"a: {REPORT}", f"a: {REPORT}", "a: Done."] * 30)
    assert [len(portion) for portion in portions(said)] == [80, 40]
    assert len(numbers(said[:80])) == MOST_SHOWN


def test_a_portion_of_reports_alone_is_bounded() -> None:
    said = talk("u: Go on.", *[f"a: {REPORT}"] * 1000)
    assert {len(portion) for portion in portions(said)[:-1]} == {MOST_READ}
    assert numbers(said[:MOST_READ]) == [1, MOST_READ]


def test_after_failures_a_portion_is_half_as_large() -> None:
    said = talk(*["u: Go on.", f"a: {REPORT}", f"a: {ANSWER}"] * 60)
    sizes = [PROMPT.portion(said, attempts) for attempts in range(7)]
    assert sizes == [60, 30, 15, 6, 3, 1, 1]


def test_an_answer_at_the_end_is_asked_about_without_a_person() -> None:
    assert not asked([]) and not asked(talk(f"a: {REPORT}"))
    assert asked(talk(f"a: {REPORT}", f"a: {ANSWER * 2}"))
    assert not asked(talk(f"a: {ANSWER * 2}", f"a: {REPORT}"))
    assert asked(talk("u: Yes.", f"a: {REPORT}"))
