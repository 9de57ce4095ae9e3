"""Outside cases of the window of sessions, of collection and of the index page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from engram.consolidate.passes import record_index
from engram.consolidate.passes.grace_period import grace_periods
from engram.consolidate.passes.session_window import beyond_window
from engram.model.instant import plus_days, plus_minutes
from engram.model.memory import Memory, is_uncollected
from engram.model.page_lines import Lines
from engram.model.settings import Settings
from engram.settings.keys import known_keys, read_value
from tests.conformance.vaults import NOW, vault

FIRST = "2026-01-10T09:00:00Z"
#: what stands for a setting that is refused
REFUSED = "refused"


def _session(name: str, created: str) -> Memory:
    return Memory(name, "moment", "The till syncs.", schema="session", created=created)


def _enforce(given: dict[str, Any]) -> dict[str, Any]:
    """A dry run and a real one retire the same: the plan is what both are made of."""
    sessions = [
        _session(f"session-{number:03}", plus_minutes(FIRST, number))
        for number in range(given["active_sessions"])
    ]
    gone = [one.id for one in beyond_window(sessions, given["max_retained"])]
    return {
        "active_after": len(sessions) - len(gone),
        "first": gone[:1],
        "retired_count": len(gone),
    }


def _order(given: dict[str, Any]) -> Sequence[str]:
    sessions = [_session(name, created) for name, created in given["sessions"]]
    return [one.id for one in beyond_window(sessions, given["max_retained"])]


def _setting(name: str, value: object) -> object:
    try:
        return read_value(known_keys()[name], value)
    except ValueError:
        return REFUSED


def _gc_deletes(given: dict[str, Any]) -> bool:
    """Whether the file leaves its place; with a setting that is refused nothing runs at all."""
    grace, days = given["grace_period_days"], given["retired_days_ago"]
    wanted = Settings().retention.grace_days if grace == "default" else grace
    read = _setting("retention.grace_days", wanted)
    if not isinstance(read, int):
        return False
    since = "" if days is None else f"{plus_days(NOW, -days)}{NOW[10:]}"
    memory = replace(_session("moment-1", FIRST), path="facts/2026-01-10/moment-1.md")
    memory = replace(memory, status=given["record_status"], status_since=since)
    return bool(grace_periods(filter(is_uncollected, [memory]), NOW, read).over)


def _rebuild(given: dict[str, Any]) -> dict[str, Any]:
    with vault() as here:
        for number in range(given["active_records"] + given["stale_lines"]):
            here.remember(f"The shop deploys on host {number}.", category="decision")
        here.consolidate(full=True)
        for one in here.parts.view.live()[: given["stale_lines"]]:
            # as a person removes a file while nobody looks
            (here.root / one.path).unlink()
        here.consolidate(full=True)
        known = {one.id for one in here.parts.view.live()}
        page = here.parts.view.page(record_index.PATH) or ""
        links = [one.text.rpartition("[[")[2].removesuffix("]]") for one in Lines(page).bullets()]
        return {"stale_lines_after": sum(name not in known for name in links)}


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "enforce": _enforce,
    "order": _order,
    "read_max_retained": lambda given: _setting("records.sessions", given),
    "gc_deletes": _gc_deletes,
    "rebuild": _rebuild,
}
