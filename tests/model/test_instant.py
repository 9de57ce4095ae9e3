"""Anything a transcript writes as a time becomes one form of text, or is refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engram.model.instant import (
    compact,
    day_of,
    instant_of,
    local_day,
    local_time,
    minutes_between,
    moment_of,
    plus_days,
    plus_minutes,
)
from tests.effort import examples

INSTANT = re.compile(r"(?:19[789]|[2-9]\d)\d{1,2}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
#: Text that nearly is a time.
NEARLY = st.from_regex(
    r"\d{4}-?[01]\d-?[0-3]\d"
    r"([T ][0-2]\d:?[0-6]\d(:?[0-6]\d([.,]\d{0,10})?)?(Z|z|[+-]\d\d:?\d\d)?)?",
    fullmatch=True,
)
MOMENTS = st.datetimes(
    min_value=datetime(1970, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)
)


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-06T10:10:00Z", "2026-03-06T10:10:00.999999999Z", "2026-03-06T10:10:00.5Z",
        "2026-03-06T10:10:00", "2026-03-06 10:10:00", "2026-03-06T10:10:00+00:00",
        "2026-03-06T12:10:00+02:00", "2026-03-06T05:10:00-0500", "20260306T101000Z",
        " 2026-03-06T10:10:00Z\n", 1772791800, 1772791800.999, 1772791800000, 1772791800999,
        datetime(2026, 3, 6, 10, 10), datetime(2026, 3, 6, 10, 10, 0, 999_999, UTC),
        datetime(2026, 3, 6, 11, 40, tzinfo=timezone(timedelta(hours=1, minutes=30))),
    ],
)  # fmt: skip
def test_every_form_of_a_moment_is_the_same_instant(written: str | float | datetime) -> None:
    assert instant_of(written) == "2026-03-06T10:10:00Z"


def test_a_day_alone_is_its_midnight() -> None:
    assert instant_of("2026-03-06") == "2026-03-06T00:00:00Z"


def test_a_zone_can_move_the_day() -> None:
    assert instant_of("2026-03-06T23:30:00-08:00") == "2026-03-07T07:30:00Z"


@pytest.mark.parametrize(
    "written",
    [
        "", "yesterday", "10:10", "2026-13-01", "2026-02-30T10:10:00Z", "2026-03-06T25:00:00Z",
        "2026-03-06T10:61:00Z", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.9Z",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "٢٠٢٦-٠٣-٠٦T١٠:١٠:٠٠Z",
        "2026-03-06T10:10:00Z extra", -1, -1e18, 1e300, 10**30, float("nan"), float("inf"),
        datetime(1969, 12, 31), datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(written: str | float | datetime) -> None:
    with pytest.raises(ValueError):
        instant_of(written)


@given(st.one_of(st.text(), NEARLY, st.integers(), st.floats(), st.datetimes()))
@example("2026-03-06T10:10:00." + "9" * 40 + "Z")
@examples(150)
def test_anything_gives_an_instant_or_a_value_error(written: str | float | datetime) -> None:
    try:
        instant = instant_of(written)
    except ValueError:
        return
    assert INSTANT.fullmatch(instant) and len(instant) == 20
    assert instant_of(instant) == instant


@given(MOMENTS, st.timedeltas(timedelta(hours=-14), timedelta(hours=14)))
@examples(25)
def test_the_zone_it_was_written_in_does_not_matter(moment: datetime, offset: timedelta) -> None:
    minutes = timedelta(minutes=offset // timedelta(minutes=1))
    elsewhere = moment.astimezone(timezone(minutes))
    expected = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert instant_of(elsewhere.isoformat()) == instant_of(elsewhere) == expected
    assert instant_of(moment) == expected


@given(MOMENTS, MOMENTS)
@examples(25)
def test_instants_sort_as_text_as_they_do_in_time(one: datetime, other: datetime) -> None:
    first, second = sorted((one.replace(microsecond=0), other.replace(microsecond=0)))
    assert instant_of(first) <= instant_of(second)
    assert minutes_between(instant_of(first), instant_of(second)) == pytest.approx(
        (second - first).total_seconds() / 60
    )


@given(MOMENTS)
@examples(15)
def test_a_fraction_is_cut_and_never_rounded(moment: datetime) -> None:
    assert moment_of(instant_of(moment)) == moment.replace(microsecond=0)


def test_seconds_and_milliseconds_are_told_apart_by_their_size() -> None:
    assert instant_of(0) == instant_of(0.9) == "1970-01-01T00:00:00Z"
    assert instant_of(9_999_999_999) == "2286-11-20T17:46:39Z"
    assert instant_of(10_000_000_000) == "1970-04-26T17:46:40Z"


def test_days_and_minutes_are_counted_over_the_ends_of_months_and_years() -> None:
    assert plus_days("2024-02-28T10:10:00Z", 2) == "2024-03-01"
    assert plus_days("2026-01-01", -1) == "2025-12-31"
    assert plus_minutes("2026-12-31T23:59:30Z", 1) == "2027-01-01T00:00:30Z"
    assert minutes_between("2026-03-06T10:10:00Z", "2026-03-06T10:09:30Z") == -0.5


def test_the_short_forms_of_an_instant() -> None:
    assert day_of("2026-03-06T10:10:00Z") == "2026-03-06"
    assert compact("2026-03-06T10:10:00Z") == "20260306-101000"


# -- in another time zone ------------------------------------------------------------------------


def test_a_time_is_told_as_a_zone_writes_it() -> None:
    evening = "2026-03-06T02:00:00Z"
    assert local_time(evening, "America/Los_Angeles") == "2026-03-05T18:00:00-08:00"
    assert local_time(evening, "UTC") == evening and local_time("", "Asia/Tokyo") == ""
    # an hour later it is summer there
    assert local_day("2026-03-29T22:30:00Z", "Europe/Oslo") == "2026-03-30"
    assert local_day("2026-03-28T22:30:00Z", "Europe/Oslo") == "2026-03-28"
    with pytest.raises(ValueError, match="unknown time zone"):
        local_time(evening, "Moon/Tranquility")


@given(MOMENTS, st.sampled_from(["Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati"]))
@example(datetime(1970, 1, 1, tzinfo=UTC), "America/Los_Angeles")
@example(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), "Pacific/Kiritimati")
@examples(25)
def test_a_local_time_is_the_same_moment_of_a_year_that_an_instant_may_have(
    moment: datetime, zone: str
) -> None:
    instant = instant_of(moment)
    assert instant_of(local_time(instant, zone)) == instant
    assert "1970" <= local_day(instant, zone)[:4] <= "9999"


def test_no_day_is_after_the_last_that_there_is() -> None:
    assert plus_days("9999-12-31T23:59:59Z", 90) == "9999-12-31"
    assert plus_days("9999-12-01", 7) == "9999-12-08"
