"""What a question asks for: a date, a duration or no time; the days that it names."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.recall.asked import Asked, past_readings, time_asked, what_is_asked

_TABLE = tomllib.loads(Path(__file__).with_name("asked_questions.toml").read_text(encoding="utf-8"))
TODAY = "2026-03-06"


def asked(question: str) -> Asked:
    return what_is_asked(question, TODAY)


@pytest.mark.parametrize(("half", "missed", "wrong"), [("tuned", 0, 0), ("held_back", 1, 1)])
def test_questions_of_time_are_told_from_others(half: str, missed: int, wrong: int) -> None:
    rows = _TABLE[half]
    timed = {text: kind for kind in ("date", "duration") for text in rows[kind]}
    untold = [text for text, kind in timed.items() if time_asked(text).wanted != kind]
    taken = [text for text in rows["other"] if time_asked(text).wanted]
    assert (len(untold), len(taken)) == (missed, wrong), (untold, taken)


@pytest.mark.parametrize(
    "opening", ["When did", "What date did", "How long ago did", "What day did"]
)
def test_the_four_openings_ask_for_a_time_in_any_clause(opening: str) -> None:
    question = f"{opening} we cut the release?"
    for text in (question, question.upper(), f"We use uv now, and {question}", f"ok, {question}"):
        assert asked(text).wanted, text


def test_direction_unit_and_measure_are_told_by_the_words() -> None:
    rows = {
        "when did we move to uv?": ("date", -1, "", ""),
        "when will we move to uv?": ("date", 1, "", ""),
        "when is the last time that it broke?": ("date", -1, "", ""),
        "when was the demo planned for?": ("date", 0, "", ""),
        "what's the deadline for the report?": ("date", 1, "day", ""),
        "Which year did we start?": ("date", -1, "year", ""),
        "in what time of year did we move?": ("date", -1, "season", ""),
        "remind me when we moved": ("date", -1, "", ""),
        "how long ago did we fork it?": ("duration", -1, "", "until today"),
        "how many weeks has it been since the fork?": ("duration", -1, "week", "until today"),
        "how long has it been broken?": ("duration", -1, "", "lasting"),
        "since when do we sign commits?": ("duration", -1, "", "since"),
        "how many days did the outage last?": ("duration", -1, "day", "finished"),
    }
    found = {text: (one.wanted, one.direction, one.unit, one.measured)
             for text in rows if (one := asked(text))}  # fmt: skip
    assert found == rows


def test_a_bare_month_of_a_question_about_the_past_is_the_one_before() -> None:
    def days(text: str) -> list[tuple[str, str]]:
        return [(span.start, span.end) for span in asked(text).spans]

    assert days("When did we deploy in July?") == [("2025-07-01", "2025-07-31")]
    assert days("When will we deploy in July?") == [("2026-07-01", "2026-07-31")]
    assert days("What did we deploy in July 2027?") == [("2027-07-01", "2027-07-31")]
    assert days("When did we deploy?") == []
    leap = what_is_asked("When did we deploy in February?", "2029-01-06").spans
    assert [(span.start, span.end) for span in leap] == [("2028-02-01", "2028-02-29")]


@pytest.mark.parametrize("text", ["", " ", "?", "when", "\0\ud800", "wann", "When's"])
def test_what_is_hardly_a_question_raises_nothing(text: str) -> None:
    assert asked(text).spans == ()


_PARTS = st.sampled_from(
    ["when", "did", "how long", "has it been since", "which", "year", "what's the", "date",
     "in July", "Dana", "?", ", and", "do you know", "wann", "wie lange", "schon", "'s", "\n"]
) | st.text(max_size=8)  # fmt: skip


@given(st.lists(_PARTS, max_size=12).map(" ".join))
def test_any_text_has_a_measure_where_it_wants_a_duration(text: str) -> None:
    one = asked(text)
    assert bool(one.measured) == (one.wanted == "duration")


def test_a_long_text_is_no_question() -> None:
    for part in ("when did ", "-", "how long ", "do you know when ", ", and", " "):
        assert not asked((part * 100_000)[:100_000]).wanted


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("license 13 april", [("2025-04-13", "2025-04-13")]),
        ("backups on Saturday", [("2026-02-28", "2026-02-28")]),
        ("backups next Saturday", []),
        ("license 13 april 2026", []),
        ("license in may", [("2025-05-01", "2025-05-31")]),
        ("license in february", []),
    ],
)
def test_a_search_for_a_day_without_a_year_looks_back_as_well(
    text: str, days: list[tuple[str, str]]
) -> None:
    assert list(past_readings(asked(text).spans, TODAY)) == days


def test_what_has_to_be_is_no_past() -> None:
    for verb in ("has to", "have to"):
        (span,) = asked(f"what {verb} be ready by 15 October").spans
        assert span.start == "2026-10-15"
