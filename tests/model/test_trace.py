"""Old names of events are read for ever, as what they would be called today."""

from __future__ import annotations

import pytest

from engram.model.change import Event
from engram.model.trace import now_called


def event(name: str, **details: str) -> Event:
    return Event(name, "a", tuple(details.items()))


@pytest.mark.parametrize(
    ("old", "now"),
    [
        (event("candidate_refused", code="secret"), event("memory_denied", code="secret")),
        (event("memory_created", code="new"), event("memory_write", code="new")),
        (
            event("memory_superseded", by="b", code="by_hand"),
            event("memory_deleted", reason="superseded", replaced_by="b", code="by_hand"),
        ),
        (
            event("memory_deleted", reason="it was wrong", was="active"),
            event("memory_deleted", reason="forgotten", was="active", why="it was wrong"),
        ),
        (
            event("memory_deleted", reason="forgotten", was="active"),
            event("memory_deleted", reason="forgotten", was="active"),
        ),
        (
            event("memory_retired", reason="done", was="active"),
            event("memory_deleted", reason="retired", was="active", why="done"),
        ),
        (
            event("memory_archived", reason="by_hand", was="active"),
            event("memory_deleted", reason="archived", was="active"),
        ),
        (event("imported", reason="y"), event("imported", reason="y")),
    ],
)
def test_an_old_event_is_read_under_the_name_of_today(old: Event, now: Event) -> None:
    assert now_called(old) == now
    assert now_called(now) == now
