"""Activity: catalog, log and usage log of one vault -> what happened in each week.

Guarantees: nothing is written; days are those of the vault's time zone; a refusal counts when its
turn was said, one without a turn when it was refused. Refused (BadInput): days in the wrong order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from engram.llm.usage_log import LEDGER, Used, used
from engram.model.activity import Activity, ModelSpending, ProjectActivity, WeekActivity
from engram.model.errors import BadInput
from engram.model.ids import slugs_of
from engram.model.instant import instant_of, local_day, plus_days, zone_of
from engram.queries.refusal_log import refusal_counts, refusals

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant
    from engram.model.ports import Disk
    from engram.model.shown import Refusal
    from engram.store.catalog.activity_rows import ActivityRows
    from engram.store.catalog.catalog import Catalog

#: a Monday whose midnight is an Instant in every time zone
_EARLIEST = "1970-01-05"
_WEEKS = 13


class Weeks(NamedTuple):
    """The Mondays of a span of days, and the Instants at which its weeks begin.

    The first one begins with the first day. `until` is the Instant after the last day.
    """

    mondays: tuple[Day, ...]
    starts: tuple[Instant, ...]
    until: Instant

    def at(self, time: str) -> int | None:
        """The number of the week of a time, from 0; None for one outside."""
        if not self.starts or not self.starts[0] <= time < self.until:
            return None
        return bisect_right(self.starts, time) - 1


def activity_of(
    catalog: Catalog, disk: Disk, timezone: str, now: Instant, *, since: Day = "",
    before: Day = "", weeks: int = 0, project: str = "",
) -> Activity:  # fmt: skip
    """What happened from the day `since` to before the day `before`.

    Days may be months (`2026-03`) or years too. Without `before` it ends with today; without
    `since` it has so many `weeks`, and with `since` no more than so many. `project` leaves out what
    belongs to another one or to none. Raises BadInput.
    """
    first, end = span(local_day(now, timezone), since, before, weeks)
    found, rows = weeks_of(first, end, timezone), catalog.activity
    names = slugs_of(project) if project else ()
    turns, memories = (
        [row for row in count(found.starts[0], found.until) if not names or row[1] in names]
        for count in (rows.turns, rows.memories)
    )
    requests = _requests(rows, used(disk.read(LEDGER) or b""), found, names)
    earliest = rows.earliest()
    return Activity(
        first,
        end,
        _weeks(found, turns, memories, requests),
        _projects(turns, memories),
        refusal_counts(_refused(rows, refusals(catalog, found.starts[0]), found, names)),
        _models(requests),
        local_day(earliest, timezone) if earliest else "",
    )


def span(today: Day, since: str, before: str, weeks: int) -> tuple[Day, Day]:
    """The first day, and the first that does not count any more. Raises BadInput.

    `since` and `before` are days, months or years; 0 `weeks` are 13 where nothing says more.
    """
    tomorrow = plus_days(today, 1)
    first, end = (_first_day(text) for text in (since, before))
    end = min(end or tomorrow, tomorrow)
    if first:
        first = max(first, _EARLIEST)
        end = min(end, plus_days(_monday(first), 7 * weeks)) if weeks else end
    else:
        first = max(_earlier(_monday(_earlier(end, 1)), 7 * ((weeks or _WEEKS) - 1)), _EARLIEST)
    if first >= end:
        raise BadInput(f"no day lies between {first} and {end}", "give an earlier day to --since")
    return first, end


def weeks_of(first: Day, end: Day, timezone: str) -> Weeks:
    """The weeks from a day to before another."""
    mondays, starts = [_monday(first)], [_midnight(first, timezone)]
    while (following := plus_days(mondays[-1], 7)) < end:
        mondays.append(following)
        starts.append(_midnight(following, timezone))
    return Weeks(tuple(mondays), tuple(starts), _midnight(end, timezone))


def _weeks(
    weeks: Weeks, turns: Sequence[tuple[str, str, int]], memories: Sequence[tuple[str, str, int]],
    requests: Iterable[tuple[int, Used]],
) -> tuple[WeekActivity, ...]:  # fmt: skip
    said, learnt = (_by_week(weeks, counts) for counts in (turns, memories))
    tokens, usd = Counter[int](), defaultdict[int, float](float)
    for number, one in requests:
        tokens[number] += one.tokens
        usd[number] += one.usd
    return tuple(
        WeekActivity(monday, said[at], learnt[at], tokens[at], round(usd[at], 9))
        for at, monday in enumerate(weeks.mondays)
    )


def _by_week(weeks: Weeks, counts: Iterable[tuple[str, str, int]]) -> Counter[int]:
    found = Counter[int]()
    for minute, _, count in counts:
        at = weeks.at(f"{minute}:00Z")
        if at is not None:
            found[at] += count
    return found


def _projects(
    turns: Iterable[tuple[str, str, int]], memories: Iterable[tuple[str, str, int]]
) -> tuple[ProjectActivity, ...]:
    said, learnt = Counter[str](), Counter[str]()
    for counts, found in ((turns, said), (memories, learnt)):
        for _, project, count in counts:
            found[project] += count
    names = sorted({*said, *learnt}, key=lambda name: (-said[name], -learnt[name], name))
    return tuple(ProjectActivity(name, said[name], learnt[name]) for name in names)


def _refused(
    rows: ActivityRows, found: Sequence[Refusal], weeks: Weeks, names: Sequence[str]
) -> list[Refusal]:
    said = rows.said(one.link for one in found if one.link)
    known = ((one, *said.get(one.link, (one.time, ""))) for one in found)
    return [
        one
        for one, time, project in known
        if weeks.at(time) is not None and (not names or project in names)
    ]


def _requests(
    rows: ActivityRows, log: Iterable[Used], weeks: Weeks, names: Sequence[str]
) -> list[tuple[int, Used]]:
    """The requests of these weeks, each with the number of its week."""
    found = [(at, one) for one in log if (at := weeks.at(one.time)) is not None]
    if not names:
        return found
    projects = rows.projects(one.subject for _, one in found if one.subject)
    return [(at, one) for at, one in found if projects.get(one.subject) in names]


def _models(requests: Iterable[tuple[int, Used]]) -> tuple[ModelSpending, ...]:
    found: dict[str, ModelSpending] = {}
    for _, one in requests:
        before = found.get(one.model, ModelSpending(one.model, 0, 0, 0.0))
        found[one.model] = replace(
            before,
            requests=before.requests + 1,
            tokens=before.tokens + one.tokens,
            usd=round(before.usd + one.usd, 9),
        )
    return tuple(sorted(found.values(), key=lambda one: (-one.usd, -one.tokens, one.model)))


def _first_day(text: str) -> Day:
    """The first day of a day, month or year; empty for none."""
    return text + "-01-01"[len(text) - 4 :] if text else ""


def _monday(day: Day) -> Day:
    return _earlier(day, date.fromisoformat(day).weekday())


def _earlier(day: Day, days: int) -> Day:
    return (date.fromisoformat(day) - timedelta(days=days)).isoformat()


def _midnight(day: Day, timezone: str) -> Instant:
    """The Instant at which a day begins."""
    return instant_of(datetime.fromisoformat(day).replace(tzinfo=zone_of(timezone)))
