"""The forecast: as many questions as a model would then be asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm.estimate import Forecast
from engram.extract.llm.prompt import ExtractionPrompt
from engram.model.model_request import Context
from engram.model.turn import Turn, turn_of
from engram.settings.load import shipped
from tests.effort import examples

PROMPT = ExtractionPrompt(shipped("prompts/extract"), 6000)


def conversation(session: str, sizes: list[int], role: str = "user") -> list[Turn]:
    return [
        turn_of("assistant" if role == "assistant" else "user", "x" * size,
                "2026-03-06T10:00:00Z", session=session, message=str(number))
        for number, size in enumerate(sizes)
    ]  # fmt: skip


def asked(turns: list[Turn]) -> list[int]:
    """The tokens of the questions that would be asked about one conversation."""
    tokens = []
    while turns:
        count = PROMPT.portion(turns, 0)
        tokens.append(PROMPT.request(turns[:count], Context()).tokens)
        turns = turns[count:]
    return tokens


@examples(15)
@given(st.lists(st.lists(st.integers(1, 9000), min_size=1, max_size=60), min_size=1, max_size=3))
def test_it_counts_the_questions_and_never_too_few_tokens(sizes: list[list[int]]) -> None:
    forecast = Forecast(PROMPT)
    conversations = [conversation(str(number), some) for number, some in enumerate(sizes)]
    for turns in conversations:
        half = len(turns) // 2
        forecast.add(turns[:half])
        forecast.add(turns[half:])
    calls, tokens = forecast.total()
    questions = [size for turns in conversations for size in asked(turns)]
    assert calls == len(questions)
    assert tokens >= sum(questions)


def test_nothing_is_asked_where_no_person_speaks() -> None:
    forecast = Forecast(PROMPT)
    forecast.add(conversation("a", [100, 200], role="assistant"))
    assert forecast.total() == (0, 0)
