"""The days and lengths of time that a model may name: those that its sources bear out."""

from __future__ import annotations

import pytest

from engram.language.when import find_times
from engram.model.answer import AnswerSource
from engram.recall.answer_days import CitedDays, day_in
from engram.recall.model_question import ShownSource

TODAY = "2026-07-20"


def source(text: str, said: str = "2026-06-09") -> ShownSource:
    told = AnswerSource("turn", "t#1", "transcripts/t.md", 1, text, said)
    return ShownSource(told, text, (), tuple(find_times(text, said, least=0)) if said else ())


#: said on Tuesday, 9 June 2026
CITED = CitedDays(
    [source("We started on 1 March 2026 and shipped yesterday; it took 40 hours.")], TODAY
)
TRUE = (
    "on 8 June 2026", "from 1 March 2026 to 8 June 2026", "in March 2026", "in June 2026",
    "14 weeks", "99 days", "about 3 months", "42 days ago", "40 hours",
    "the day before 9 June 2026", "without any day",
)  # fmt: skip
FALSE = (
    "on 9 June 2026",
    "on 7 June 2026",
    "yesterday",
    "in April 2026",
    "2 March 2026",
    "in May 2025",
    "13 days",
    "40 minutes",
    "40 days",
    "a year ago",
    "six months",
    "5 weeks ago",
)


def test_a_text_may_name_what_its_sources_tell_and_what_lies_between() -> None:
    assert [text for text in TRUE if CITED.plain(text) is None] == []


def test_a_text_may_name_no_other_day_and_no_other_length_of_time() -> None:
    assert [text for text in FALSE if CITED.plain(text) is not None] == []


def test_a_day_within_a_span_was_never_said_and_its_month_was() -> None:
    cited = CitedDays([source("We met last week.")], TODAY)
    assert cited.hold("2026-06-01", "2026-06-07") and cited.hold("2026-06-01", "2026-06-30")
    assert not cited.hold("2026-06-03", "2026-06-03")
    assert not cited.hold("2026-05-20", "2026-06-20")
    assert not cited.hold("9999-01-01", "9999-12-31")


def test_the_day_on_which_it_was_said_counts_where_no_words_tell_a_time() -> None:
    assert CitedDays([source("I deployed it.")], TODAY).hold("2026-06-09", "2026-06-09")
    assert not CitedDays([source("I deployed it.", "")], TODAY).hold(TODAY, TODAY)


@pytest.mark.parametrize(
    "value", ["2026-02-31", "1969-12-31", "8 June 2026", "2026-6-8", "20260608", 20260608, ["x"]]
)
def test_what_is_no_day_is_refused(value: object) -> None:
    assert day_in(value) is None
