"""When a statement is true."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.validity import (
    effective_valid_from,
    effective_valid_until,
    is_valid_as_of,
    last_moment,
    was_by,
)

BORN = "2026-03-06T10:10:00Z"
ZONES = ["UTC", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Apia"]


def true(when: str, **fields: str) -> bool:
    return is_valid_as_of(Memory("a", "fact", "x", **{"created": BORN, **fields}), when)  # type: ignore[arg-type]


def test_it_begins_with_its_own_day_or_with_its_creation() -> None:
    dated = Memory("a", "fact", "x", created=BORN, valid_from=" 2026-02-01 ")
    assert effective_valid_from(dated) == "2026-02-01"
    assert effective_valid_from(Memory("a", "fact", "x", created=BORN, valid_from=" ")) == BORN


def test_the_beginning_belongs_to_it_and_the_end_does_not() -> None:
    span = {"valid_from": "2026-03-01", "valid_until": "2026-03-05"}
    assert [true(f"2026-{day}T00:00:00Z", **span) for day in ("02-28", "03-01", "03-05")] == [
        False, True, False,
    ]  # fmt: skip
    assert true("2026-03-04T23:59:59.999Z", **span)


def test_a_day_is_asked_about_at_its_end() -> None:
    assert true("2026-03-06") and not true("2026-03-05")
    assert not true("2026-03-06", valid_until="2026-03-06")
    assert true("2026-03-06", valid_until="2026-03-07")


def test_of_a_value_and_its_successor_one_is_true_on_every_day() -> None:
    old = {"valid_from": "2026-01-01", "valid_until": "2026-03-06", "status": "superseded"}
    for day in ("2026-03-05", "2026-03-06", "2026-03-07"):
        assert true(day, **old) != true(day, created=BORN)


def test_what_was_superseded_without_an_end_ended_then() -> None:
    gone = {"status": "superseded", "status_since": "2026-04-01T00:00:00Z"}
    assert true("2026-03-31", **gone) and not true("2026-04-01", **gone)
    assert true("2026-04-01", status="archived", status_since="2026-04-01T00:00:00Z")
    assert effective_valid_until(Memory("a", "fact", "x", valid_until="2026-01-01", **gone)) == (  # type: ignore[arg-type]
        "2026-01-01"
    )


def test_no_beginning_is_never_reached_and_no_end_is_open() -> None:
    assert not true("2026-04-01", valid_from="soon") and not true("2026-04-01", created="")
    assert true("2026-04-01", valid_until="later") and not true("whenever")


@pytest.mark.parametrize(
    "when", ["2026-03-06T10:10:00Z", "2026-03-06T12:10:00+02:00", "2026-03-06T10:10"]
)
def test_zones_are_other_ways_to_write_a_moment(when: str) -> None:
    assert true(when) and not true(when, created="2026-03-06T10:10:01Z")


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_no_text_raises(begins: str, ends: str, when: str) -> None:
    true(when, valid_from=begins, valid_until=ends)
    true("9999-12-31", valid_from="0001-01-01T00:00:00+14:00", valid_until=ends)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_days_are_compared_as_days(begins: int, ends: int, asked: int) -> None:
    day = [plus_days("2026-01-01", number) for number in (begins, ends, asked)]
    assert true(day[2], valid_from=day[0], valid_until=day[1]) == (begins <= asked < ends)


def test_the_end_of_a_day_is_written_in_its_time_zone() -> None:
    assert last_moment(" 2026-03-06 ", "UTC") == "2026-03-06T23:59:59.999999+00:00"
    assert last_moment("2026-03-06", "America/Los_Angeles") == "2026-03-06T23:59:59.999999-08:00"
    assert last_moment("9999-12-31", "America/Los_Angeles").startswith("9999-12-31T23:59:59")
    assert last_moment("2026-03-06T02:00:00Z", "America/Los_Angeles") == "2026-03-05T18:00:00-08:00"


def test_days_of_a_header_are_those_of_the_zone_that_the_time_is_written_in() -> None:
    span = {"valid_from": "2026-03-06", "valid_until": "2026-03-07"}
    for zone in ("America/Los_Angeles", "UTC", "Asia/Tokyo"):
        days = ("2026-03-05", "2026-03-06", "2026-03-07")
        assert [true(last_moment(day, zone), **span) for day in days] == [False, True, False]
    # said in the evening of 5 March there
    assert was_by("2026-03-06T02:00:00Z", last_moment("2026-03-05", "America/Los_Angeles"))
    assert not was_by("2026-03-06T02:00:00Z", "2026-03-05")
    assert not was_by("", "2026-03-05") and not was_by("2026-03-05", "soon")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13-40",
        "2026-03",
        "20260305",
        "1969-12-31",
        "2026-03-05T99:00",
        "٢٠٢٦-٠٣-٠٥",
    ],
)
def test_what_is_no_day_from_1970_to_9999_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        last_moment(text, "UTC")


@given(st.dates(date(1970, 1, 1)), st.dates(date(1970, 1, 1)), st.sampled_from(ZONES))
def test_in_every_zone_a_statement_begins_on_its_day(begins: date, asked: date, zone: str) -> None:
    when = last_moment(asked.isoformat(), zone)
    assert true(when, valid_from=begins.isoformat()) == (begins <= asked)
    assert true(when, valid_until=begins.isoformat(), created="0001-01-01") == (asked < begins)
