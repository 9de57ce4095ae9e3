"""Instants: any time a transcript writes -> `YYYY-MM-DDTHH:MM:SSZ` in UTC, as text.

An `Instant` sorts as text, is what the files show, and needs no library to compare. A `Day` is its
first ten characters; the day in another time zone is asked for (`local_day`). Sub-second parts are
cut off, never rounded: an id must not depend on the rounding of a library. Refused (ValueError):
text that is no time, years outside 1970..9999.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache

Instant = str
Day = str

_WEEKDAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
#: Numbers above this are milliseconds since 1970, below it seconds (year 2286 in seconds).
_MILLISECONDS_FROM = 10_000_000_000
#: What most transcripts write: no zone but UTC, at most a fraction of a second.
_PLAIN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")


def instant_of(value: str | int | float | datetime) -> Instant:
    """Any ISO 8601 text, Unix seconds or milliseconds, or datetime -> Instant.

    A time without a zone is taken as UTC. Raises ValueError for anything else.
    """
    if isinstance(value, str):
        if _PLAIN.fullmatch(value):
            datetime.fromisoformat(value[:19])
            if value[:4] >= "1970":
                return value[:19] + "Z"
        moment = datetime.fromisoformat(value.strip())
    elif isinstance(value, datetime):
        moment = value
    else:
        try:
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))
        except (OverflowError, ValueError) as error:
            raise ValueError(f"not a time: {value!r}") from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        moment = moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"not a time: {value!r}") from error
    if moment.year < 1970:
        raise ValueError(f"before 1970: {value!r}")
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def moment_of(instant: Instant) -> datetime:
    """Instant -> aware datetime in UTC."""
    return datetime.fromisoformat(instant[:19]).replace(tzinfo=UTC)


def day_of(instant: Instant) -> Day:
    """The UTC calendar day of an Instant, `YYYY-MM-DD`."""
    return instant[:10]


def local_time(instant: Instant, timezone: str) -> str:
    """An Instant as an IANA time zone writes it, such as `2026-03-05T18:00:00-08:00`.

    It stays as it is in UTC, and where it lies outside 1970..9999 there. Raises ValueError for an
    unknown time zone.
    """
    if timezone == "UTC" or not instant:
        return instant
    try:
        local = moment_of(instant).astimezone(zone_of(timezone))
    except OverflowError:
        return instant
    return local.isoformat() if local.year >= 1970 else instant


def local_day(instant: Instant, timezone: str) -> Day:
    """The calendar day of an Instant in an IANA time zone, by `local_time`."""
    return local_time(instant, timezone)[:10]


@cache
def zone_of(timezone: str) -> tzinfo:
    """The time zone of an IANA name. Raises ValueError for one that is not known here."""
    if timezone == "UTC":
        return UTC  # needs no table of zones, which not every machine has
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise ValueError(f"unknown time zone {timezone!r}") from error


def compact(instant: Instant) -> str:
    """`2026-03-06T10:10:00Z` -> `20260306-101000`, as it stands in ids and file names."""
    return instant[:19].replace("-", "").replace(":", "").replace("T", "-")


def plus_days(when: str, days: int) -> Day:
    """The Day `days` after an Instant or a Day; beyond the last day that there is, that one."""
    first = date.fromisoformat(when[:10])
    return (first + min(timedelta(days=days), date.max - first)).isoformat()


def weekday_of(day: Day) -> str:
    """The English name of a day's weekday."""
    return _WEEKDAYS[date.fromisoformat(day).weekday()]


def plus_minutes(instant: Instant, minutes: float) -> Instant:
    """The Instant `minutes` after another."""
    return instant_of(moment_of(instant) + timedelta(minutes=minutes))


def minutes_between(earlier: Instant, later: Instant) -> float:
    """How many minutes lie between two Instants; negative when the clock went backwards."""
    return (moment_of(later) - moment_of(earlier)).total_seconds() / 60
