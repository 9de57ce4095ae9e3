"""Time expressions become calendar days; what is ambiguous becomes nothing."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.when import find_times
from engram.model.time_span import CERTAIN, TimeSpan

#: a Wednesday
ANCHOR = "2026-03-04T10:00:00Z"


def spans(text: str, anchor: str = ANCHOR) -> list[tuple[str, str]]:
    return [(span.start, span.end) for span in find_times(text, anchor)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "2026-03-04", "2026-03-04"),
        ("tonight", "2026-03-04", "2026-03-04"),
        ("this morning", "2026-03-04", "2026-03-04"),
        ("yesterday", "2026-03-03", "2026-03-03"),
        ("last night", "2026-03-03", "2026-03-03"),
        ("tomorrow", "2026-03-05", "2026-03-05"),
        ("due tmrw", "2026-03-05", "2026-03-05"),
        ("the day before yesterday", "2026-03-02", "2026-03-02"),
        ("the day after tomorrow", "2026-03-06", "2026-03-06"),
        ("last Friday", "2026-02-27", "2026-02-27"),
        ("next Friday", "2026-03-06", "2026-03-06"),
        ("last Wednesday", "2026-02-25", "2026-02-25"),
        ("next wed", "2026-03-11", "2026-03-11"),
        ("this Sunday", "2026-03-08", "2026-03-08"),
        ("we ship by Friday", "2026-03-06", "2026-03-06"),
        ("it broke on Friday", "2026-02-27", "2026-02-27"),
        ("on Friday it broke", "2026-02-27", "2026-02-27"),
        ("the demo is on Friday", "2026-03-06", "2026-03-06"),
        ("last week", "2026-02-23", "2026-03-01"),
        ("this week", "2026-03-02", "2026-03-08"),
        ("next week", "2026-03-09", "2026-03-15"),
        ("last weekend", "2026-02-28", "2026-03-01"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("next month", "2026-04-01", "2026-04-30"),
        ("this quarter", "2026-01-01", "2026-03-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("3 days ago", "2026-03-01", "2026-03-01"),
        ("two weeks ago", "2026-02-16", "2026-02-22"),
        ("a month ago", "2026-02-01", "2026-02-28"),
        ("in 3 days", "2026-03-07", "2026-03-07"),
        ("within a couple of weeks", "2026-03-18", "2026-03-18"),
        ("a year from now", "2027-03-04", "2027-03-04"),
        ("2026-03-06", "2026-03-06", "2026-03-06"),
        ("at 2026-03-06T09:15:00Z sharp", "2026-03-06", "2026-03-06"),
        ("March 6", "2026-03-06", "2026-03-06"),
        ("the fair is planned for Nov 30", "2026-11-30", "2026-11-30"),
        ("the fair was moved to Nov 30", "2026-11-30", "2026-11-30"),
        ("we moved on Nov 30", "2025-11-30", "2025-11-30"),
        ("the 6th of March 2027", "2027-03-06", "2027-03-06"),
        ("6 mar 2027", "2027-03-06", "2027-03-06"),
        ("March 6th, 2027", "2027-03-06", "2027-03-06"),
        ("since December", "2025-12-01", "2025-12-31"),
        ("by June", "2026-06-01", "2026-06-30"),
        ("in October 2019", "2019-10-01", "2019-10-31"),
        ("in 2019", "2019-01-01", "2019-12-31"),
        ("13/6/2026", "2026-06-13", "2026-06-13"),
        ("6/13/2026", "2026-06-13", "2026-06-13"),
        ("5/5/2026", "2026-05-05", "2026-05-05"),
        ("06.03.2026", "2026-03-06", "2026-03-06"),
        ("by the 15th", "2026-03-15", "2026-03-15"),
        ("by the 2nd", "2026-04-02", "2026-04-02"),
        ("by end of month", "2026-03-31", "2026-03-31"),
        ("by the end of next quarter", "2026-06-30", "2026-06-30"),
        ("end of the week", "2026-03-06", "2026-03-06"),
        ("end of March", "2026-03-31", "2026-03-31"),
        ("EOY", "2026-12-31", "2026-12-31"),
        ("in Q3 2026", "2026-07-01", "2026-09-30"),
        ("by Q2", "2026-04-01", "2026-06-30"),
        ("it broke on 29 February", "2024-02-29", "2024-02-29"),
    ],
)
def test_an_expression_means_these_days(text: str, start: str, end: str) -> None:
    assert spans(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "3/6", "3/6/2026", "31 February 2026", "February 30", "by the 45th", "2026-02-30",
        "recently", "soon", "the other day", "for 3 days", "every Friday", "each week", "Fridays",
        "on Friday evenings",
        "may I", "the march of progress", "version 2026-03-06-beta", "v1.2.2026", "24/7",
        "a/2026-03-06/b", "in 9999 years", "1,200 days", "", "q5",
    ],
)  # fmt: skip
def test_what_is_ambiguous_or_no_date_gives_nothing(text: str) -> None:
    assert spans(text) == []


#: sentences with their expression, as people write them
_CASES = tomllib.loads(Path(__file__).with_name("time_cases_dev.toml").read_text(encoding="utf-8"))


def _where(row: dict[str, str]) -> list[TimeSpan]:
    """What is found where the expression of a row stands."""
    begin = row["text"].casefold().index(row["expression"].casefold())
    end = begin + len(row["expression"])
    return [
        span
        for span in find_times(row["text"], row["anchor"], least=0)
        if span.offset < end and begin < span.offset + len(span.expression)
    ]


def test_what_people_say_means_the_days_they_mean() -> None:
    wrong = []
    for row in _CASES["resolves"]:
        wanted = [[row["start"], row["end"]], *row.get("also", [])]
        if not any([span.start, span.end] in wanted for span in _where(row)):
            wrong.append((row["text"], row["anchor"], _where(row)))
    assert wrong == []


def test_words_that_only_sound_like_a_time_name_no_day() -> None:
    wrong = [(row["text"], _where(row)) for row in _CASES["never"] if _where(row)]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("we met last week", ("week", 0.9, "point", (("2026-02-25", "2026-03-03"),), "which")),
        ("we met on 3 May 2025", ("day", 1.0, "point", (), "named")),
        ("we met a few days ago", ("span", 0.6, "point", (), "count")),
        ("I have had it for 3 years now", ("year", 0.8, "since", (("2023-03-04", "2023-03-04"),),
         "lasting")),
        ("it was early summer 2025", ("month", 0.5, "point", (), "part")),
    ],
)  # fmt: skip
def test_a_span_says_what_it_is_and_how_certain(text: str, span: tuple[object, ...]) -> None:
    (found,) = find_times(text, "2026-03-04", least=0)
    told = (found.granularity, found.confidence, found.role_hint, found.also, found.rule)
    assert (found.anchor, told) == ("2026-03-04", span)


def test_who_wants_certain_days_gets_the_certain_part_of_a_longer_expression() -> None:
    text = "It broke the Friday before 15 July 2025, and we fixed it over the weekend"
    assert [span.expression for span in find_times(text, ANCHOR, least=0)] == [
        "the Friday before 15 July 2025",
        "the weekend",
    ]
    certain = find_times(text, ANCHOR)
    assert [span.expression for span in certain] == ["Friday", "15 July 2025"]
    assert all(span.confidence >= CERTAIN for span in certain)


@pytest.mark.parametrize(
    ("text", "spans_found"),
    [
        ("deploys froze from 20 to 25 March 2025", ["2025-03-20..2025-03-25"]),
        ("a year and a half ago", ["2024-09-01..2024-09-30"]),
        ("the demo is a week from Friday", ["2026-03-13..2026-03-13"]),
        ("due by the end of 2026, at the end of last month it failed",
         ["2026-12-31..2026-12-31", "2026-02-21..2026-02-28"]),
        ("two or three weeks ago", ["2026-02-11..2026-02-18"]),
        ("Q1 next year", ["2027-01-01..2027-03-31"]),
        ("June's cake, he is 5 years now, in a day's work", []),
        ("We haven't talked in a week. It's been a year since we spoke", []),
        ("from Feb 28 to Feb 3 2025; week 54 of 2023; the fifth Friday of February 2026", []),
    ],
)  # fmt: skip
def test_composed_expressions_mean_their_days(text: str, spans_found: list[str]) -> None:
    found = [f"{span.start}..{span.end}" for span in find_times(text, ANCHOR, least=0)]
    assert found == spans_found


def test_a_deadline_a_start_and_a_point_are_told_apart() -> None:
    roles = [
        span.role_hint
        for span in find_times("due by Friday, open since May, on 2026-03-09", ANCHOR)
    ]
    assert roles == ["deadline", "since", "point"]


def test_expressions_keep_their_words_and_their_place() -> None:
    text = "Send it TOMORROW, not next week"
    found = find_times(text, ANCHOR)
    assert [span.expression for span in found] == ["TOMORROW", "next week"]
    assert all(text[span.offset :].startswith(span.expression) for span in found)


def test_the_weekend_of_a_sunday_is_its_own_and_the_end_of_its_week_is_itself() -> None:
    assert spans("this weekend", "2026-03-08") == [("2026-03-07", "2026-03-08")]
    assert spans("end of the week", "2026-03-08") == [("2026-03-08", "2026-03-08")]


def test_a_shorter_month_lends_its_last_day() -> None:
    assert spans("in 1 month", "2026-01-31") == [("2026-02-28", "2026-02-28")]
    assert spans("in 1 month", "2024-01-31") == [("2024-02-29", "2024-02-29")]
    assert spans("in 1 year", "2024-02-29") == [("2025-02-28", "2025-02-28")]


def test_units_cross_the_end_of_a_year() -> None:
    assert spans("last week", "2026-01-01") == [("2025-12-22", "2025-12-28")]
    assert spans("last month", "2026-01-15") == [("2025-12-01", "2025-12-31")]
    assert spans("next quarter", "2026-11-15") == [("2027-01-01", "2027-03-31")]
    assert spans("due January 5", "2026-12-20") == [("2027-01-05", "2027-01-05")]


_DAYS = st.dates(min_value=date(1971, 1, 1), max_value=date(9000, 12, 31))


def only(text: str, anchor: date) -> TimeSpan:
    (span,) = find_times(text, anchor.isoformat())
    return span


@given(_DAYS, st.integers(0, 400))
def test_days_ahead_and_days_ago_are_exact(anchor: date, count: int) -> None:
    ahead = (anchor + timedelta(days=count)).isoformat()
    assert only(f"in {count} days", anchor).start == ahead
    back = anchor - timedelta(days=count)
    if back.year >= 1970:
        assert only(f"{count} days ago", anchor).end == back.isoformat()


@given(_DAYS, st.sampled_from(["day", "week", "weekend", "month", "year"]), st.integers(0, 30))
def test_no_reading_of_a_count_of_units_ends_before_it_begins(
    anchor: date, unit: str, count: int
) -> None:
    text = f"last {count} {unit}s, {count} {unit}s ago, next {count} {unit}s"
    for span in find_times(text, anchor.isoformat(), least=0):
        assert all(start <= end for start, end in ((span.start, span.end), *span.also)), span


@given(
    _DAYS,
    st.sampled_from(["first", "1st", "the 2nd", "the last", "fifth"]),
    st.sampled_from(["", "0 ", "2 ", "few ", "two or three ", "couple "]),
    st.sampled_from(["day", "week", "weekend", "month", "friday"]),
    st.sampled_from(["June 2023", "2023", "last year", "the month", "week", "spring"]),
)
def test_the_nth_of_a_period_begins_before_it_ends_or_is_none(
    anchor: date, which: str, count: str, unit: str, period: str
) -> None:
    for text in (f"{which} {count}{unit} of {period}", f"{which} {count}{unit}s in {period}"):
        for span in find_times(text, anchor.isoformat(), least=0):
            assert all(start <= end for start, end in ((span.start, span.end), *span.also)), span


def test_an_ordinal_in_digits_is_one_in_words() -> None:
    for said, same in (("1st", "first"), ("2nd", "second"), ("3rd", "third"), ("4th", "fourth")):
        for form in ("{} week of June 2023", "the {} Friday of June 2023"):
            found, wanted = (
                [(one.start, one.end) for one in find_times(form.format(word), ANCHOR, least=0)]
                for word in (said, same)
            )
            assert found == wanted != []


@given(_DAYS, st.sampled_from(["week", "month", "quarter", "year"]))
def test_last_this_and_next_of_a_unit_meet_without_a_gap(anchor: date, unit: str) -> None:
    last, this, following = (only(f"{which} {unit}", anchor) for which in ("last", "this", "next"))
    assert date.fromisoformat(last.end) + timedelta(days=1) == date.fromisoformat(this.start)
    assert date.fromisoformat(this.end) + timedelta(days=1) == date.fromisoformat(following.start)
    assert this.start <= anchor.isoformat() <= this.end


@given(_DAYS, st.sampled_from(["monday", "thursday", "sunday"]))
def test_a_weekday_is_within_seven_days_on_the_side_that_was_named(anchor: date, name: str) -> None:
    back = date.fromisoformat(only(f"last {name}", anchor).start)
    ahead = date.fromisoformat(only(f"next {name}", anchor).start)
    assert 1 <= (anchor - back).days <= 7
    assert 1 <= (ahead - anchor).days <= 7
    assert back.strftime("%A").casefold() == ahead.strftime("%A").casefold() == name


@given(_DAYS, _DAYS)
def test_a_written_date_is_read_back_in_every_form(anchor: date, day: date) -> None:
    forms = ("%Y-%m-%d", "%d.%m.%Y", "%B {0}, %Y", "{0} %B %Y", "{0} %b %Y")
    if day.year <= 2099:
        for form in forms[: 2 if day.year < 1971 else 5]:
            text = f"on {day.strftime(form).format(day.day)}"
            assert only(text, anchor).start == day.isoformat(), text


@given(_DAYS)
def test_a_date_without_a_year_lies_ahead_of_a_deadline(anchor: date) -> None:
    for day in (anchor, anchor + timedelta(days=200)):
        found = only(f"due {day.strftime('%B')} {day.day}", anchor)
        assert found.start >= anchor.isoformat()
        assert found.start[5:] == day.isoformat()[5:]


_SAID = (
    "last", "next", "the", "a few", "past", "2", "13", "31", "2023", "9999", "week", "weekend",
    "Friday", "May", "March-May", "June", "summer", "of", "before", "after", "ago", "in", "for",
    "now", "end", "early", "mid-", "years", "first", "half", "from", "to", "between", "3-5", "W23",
)  # fmt: skip
_TEXTS = st.one_of(
    st.text(alphabet="0123456789abdefhinorstuy /.-", max_size=40),
    st.lists(st.sampled_from(_SAID), max_size=12).map(" ".join),
)


@given(_DAYS, _TEXTS, st.sampled_from([0.0, CERTAIN]))
def test_any_text_gives_ordered_spans_inside_it(anchor: date, text: str, least: float) -> None:
    end = 0
    for span in find_times(text, anchor.isoformat(), least):
        assert span.offset >= end
        end = span.offset + len(span.expression)
        assert text[span.offset : end] == span.expression
        assert date.fromisoformat(span.start) <= date.fromisoformat(span.end)
