"""The forecast: as many questions as a model would then be asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.extract.llm.estimate import Forecast
from engram.extract.llm.portions import is_asked
from engram.extract.llm.prompt import ExtractionPrompt
from engram.model.model_request import Context
from engram.model.turn import Turn, turn_of
from engram.settings.load import shipped
from tests.effort import examples

#: characters of a turn, and whether an agent says it; many are short reports
SAID = st.tuples(st.integers(1, 9000) | st.integers(1, 300), st.booleans() | st.just(True))
PROMPT = ExtractionPrompt(shipped("prompts/extract"), 6000)


def conversation(session: str, said: list[tuple[int, bool]]) -> list[Turn]:
    return [
        turn_of("assistant" if agent else "user", "x" * size,
                "2026-03-06T10:00:00Z", session=session, message=str(number))
        for number, (size, agent) in enumerate(said)
    ]  # fmt: skip


def asked(turns: list[Turn]) -> list[int]:
    """The tokens of the questions that would be asked about one conversation."""
    tokens = []
    while turns:
        count = PROMPT.portion(turns, 0)
        if is_asked([PROMPT.piece(turn) for turn in turns[:count]]):
            tokens.append(PROMPT.request(turns[:count], Context()).tokens)
        turns = turns[count:]
    return tokens


@examples(15)
@given(st.lists(st.lists(SAID, min_size=1, max_size=90), min_size=1, max_size=3))
def test_it_counts_the_questions_and_never_too_few_tokens(
    said: list[list[tuple[int, bool]]],
) -> None:
    forecast = Forecast(PROMPT)
    conversations = [conversation(str(number), some) for number, some in enumerate(said)]
    for turns in conversations:
        half = len(turns) // 2
        forecast.add(turns[:half])
        forecast.add(turns[half:])
    calls, tokens = forecast.total()
    questions = [size for turns in conversations for size in asked(turns)]
    assert calls == len(questions)
    assert tokens >= sum(questions)


def test_only_a_long_answer_is_asked_about_where_no_person_speaks() -> None:
    forecast = Forecast(PROMPT)
    forecast.add(conversation("a", [(900, True), (200, True)]))
    assert forecast.total() == (0, 0)
    forecast.add(conversation("a", [(200, True), (900, True)]))
    assert forecast.total()[0] == 1
