"""Words of an answer of time: dates by their granularity, units that are asked for, durations."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from engram.model.time_span import Granularity, Role, TimeSpan
from engram.recall.answer_words import answer_words, day_in_words, time_in_words
from engram.recall.asked import Asked, what_is_asked

#: the day on which it was said, a Friday, and the day of the question
SAID, TODAY = "2023-06-09", "2023-09-20"


def span(
    start: str, end: str = "", granularity: Granularity = "day", role: Role = "point",
    words: str = "", also: tuple[tuple[str, str], ...] = (),
) -> TimeSpan:  # fmt: skip
    return TimeSpan(start, end or start, words, 0, role, SAID, granularity, 0.9, "", also)


DAY = span("2023-05-07")
WEEK = span("2023-05-22", "2023-05-28", "week")
MONTH = span("2023-05-01", "2023-05-31", "month")
YEAR = span("2016-01-01", "2016-12-31", "year")
SINCE = YEAR._replace(role_hint="since")


def test_a_date_is_told_by_its_granularity() -> None:
    rows = {
        DAY: "7 May 2023",
        span("2023-05-06", "2023-05-07", "weekend"): "the weekend of 6-7 May 2023",
        span("2023-04-29", "2023-04-30", "weekend"): "the weekend of 29-30 April 2023",
        WEEK: "in the week of 22-28 May 2023",
        span("2022-12-26", "2023-01-01", "week"):
            "in the week of 26 December 2022 - 1 January 2023",
        MONTH: "in May 2023",
        span("2023-01-01", "2023-03-31", "quarter"): "in Q1 2023",
        span("2022-06-01", "2022-08-31", "season"): "in summer 2022",
        span("2022-12-01", "2023-02-28", "season"): "in winter 2022/23",
        YEAR: "in 2016",
        span("2023-03-26", "2023-04-20", "span"): "between 26 March and 20 April 2023",
        span("2023-06-01", "2023-06-10", "span"): "between 1 and 10 June 2023",
        span("2022-11-01", "2023-01-31", "span"): "between November 2022 and January 2023",
        SINCE: "since 2016",
        span("2023-05-07", role="since"): "since 7 May 2023",
        span("2023-05-03", role="deadline"): "by 3 May 2023",
        span("2023-05-01", "2023-05-31", "month", "deadline"): "by 31 May 2023",
        span("2017-01-01", "2021-12-31", "span", words="a few years ago"):
            "a few years before 2023 (2017-2021)",
        span("2023-06-03", "2023-06-07", "span", words="several days back"):
            "several days before 9 June 2023 (3-7 June)",
        span("2022-12-01", "2023-04-30", "span", words="a few months ago"):
            "a few months before June 2023 (December 2022 - April 2023)",
    }  # fmt: skip
    assert {one: time_in_words(one) for one in rows} == rows


def test_a_week_with_two_readings_is_told_by_the_day_beside_it() -> None:
    last = span("2023-05-29", "2023-06-04", "week", also=(("2023-06-02", "2023-06-08"),))
    following = span("2023-06-12", "2023-06-18", "week", also=(("2023-06-10", "2023-06-16"),))
    before = span("2023-05-08", "2023-05-14", "week", also=(("2023-05-05", "2023-05-11"),))
    assert time_in_words(last) == "in the week before 9 June 2023 (29 May - 8 June)"
    assert time_in_words(following) == "in the week after 9 June 2023 (10-18 June)"
    assert time_in_words(before) == "in the week before 15 May 2023 (5-14 May)"
    monday = WEEK._replace(anchor="2023-05-29")
    assert time_in_words(monday) == "in the week before 29 May 2023 (22-28 May)"


def test_a_day_with_another_reading_tells_both() -> None:
    last_friday = span("2023-06-02", also=(("2023-05-26", "2023-05-26"),))
    assert time_in_words(last_friday) == "2 June 2023 or 26 May 2023"


def test_the_unit_that_is_asked_for_comes_first() -> None:
    rows = {
        ("what day did it break?", DAY): "Sunday, 7 May 2023",
        ("what day did it break?", MONTH): "in May 2023",
        ("which week did it break?", DAY): "the week of 1-7 May 2023 (7 May)",
        ("which month did it break?", DAY): "May 2023 (7 May)",
        ("which quarter did it break?", MONTH): "Q2 2023 (May)",
        ("which season did it break?", DAY): "spring 2023 (7 May)",
        ("which season did it break?", span("2024-02-29")): "winter 2023/24 (29 February 2024)",
        ("which year did it break?", DAY): "2023 (7 May)",
        ("which year did it break?", WEEK): "2023 (the week of 22-28 May)",
        ("which year did it break?", YEAR): "2016",
        ("which year did it break?", SINCE): "2016",
        ("which month did it break?", YEAR): "in 2016",
        ("which month is it due?", span("2023-05-03", role="deadline")): "by 3 May 2023",
    }
    asked = {(text, one): what_is_asked(text, TODAY) for text, one in rows}
    assert {row: answer_words(row[1], asked[row], TODAY) for row in rows} == rows


def test_a_duration_is_counted_until_today() -> None:
    rows = {
        ("how long ago did it break?", span("2023-09-01")): "19 days ago (1 September 2023)",
        ("how long ago did it break?", span("2023-09-19")): "1 day ago (19 September 2023)",
        ("how long ago did it break?", span(TODAY)): "today (20 September 2023)",
        ("how long ago did it break?", DAY): "about 4 months ago (7 May 2023)",
        ("how long ago did it break?", YEAR): "about 7 years ago (2016)",
        ("how long ago did it break?", span("2023-08-28", "2023-09-03", "week")):
            "about 3 weeks ago (the week of 28 August - 3 September 2023)",
        ("how long ago did it break?", span("2023-08-30", "2023-09-06", "span")):
            "2-3 weeks ago (30 August - 6 September 2023)",
        ("how long ago did it break?", span("2023-09-18", "2023-09-24", "week")):
            "in the week of 18-24 September 2023",
        ("how many weeks ago was it?", span("2023-09-06")): "2 weeks ago (6 September 2023)",
        ("how many weeks ago was it?", span("2023-09-01")): "about 3 weeks ago (1 September 2023)",
        ("how many years ago was it?", DAY): "less than a year ago (7 May 2023)",
        ("how many days ago was it?", DAY): "136 days ago (7 May 2023)",
        ("how long ago was it?", span("2023-10-02")): "in 12 days (2 October 2023)",
        ("how long has it been broken?", SINCE): "about 7 years (since 2016)",
        ("how long has it been broken?", span("2023-09-01")): "19 days (since 1 September 2023)",
        ("since when is it broken?", SINCE): "since 2016",
        ("since when is it broken?", DAY): "since 7 May 2023",
        ("how long did it take?", MONTH): "in May 2023",
    }  # fmt: skip
    asked = {(text, one): what_is_asked(text, TODAY) for text, one in rows}
    assert {row: answer_words(row[1], asked[row], TODAY) for row in rows} == rows


_DAYS = st.dates(min_value=date(1970, 1, 1)).map(date.isoformat)
_ASKED = st.builds(
    Asked, wanted=st.sampled_from(["date", "duration", ""]),
    unit=st.sampled_from(["", "day", "week", "month", "quarter", "season", "year"]),
    measured=st.sampled_from(["until today", "lasting", "since", "finished"]),
)  # fmt: skip


@given(st.lists(_DAYS, min_size=2, max_size=2), _DAYS, _DAYS, _ASKED, st.data())
def test_any_days_have_words(
    days: list[str], said: str, today: str, asked: Asked, data: st.DataObject
) -> None:
    start, end = sorted(days)
    kind = data.draw(st.sampled_from(["day", "weekend", "week", "month", "season", "span"]))
    one = TimeSpan(start, end, "a few weeks ago", 0, "point", said, kind, 0.9, "", ((start, end),))
    words = answer_words(one, asked, today)
    assert end[:4].lstrip("0") in words and words == words.strip()


def test_a_day_is_told_with_its_year() -> None:
    assert day_in_words("2024-02-29") == "29 February 2024"
