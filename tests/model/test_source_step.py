"""What made a memory, as its events tell it."""

from __future__ import annotations

import pytest

from engram.model.change import Event
from engram.model.shown import source_step


def born(origin: str, rule: str = "") -> Event:
    return Event("memory_write", "fact-1", (("origin", origin), ("rule", rule)))


WRITTEN = Event("hand_edit", "fact-1", (("what", "created"),))
EDITED = Event("hand_edit", "fact-1", (("what", "edited"),))
MERGED = Event("consolidated", "fact-1", (("task", "duplicates"), ("action", "merge")))


@pytest.mark.parametrize(
    ("events", "step"),
    [
        ([], ("", "")),
        ([born("rules", "decided"), EDITED, MERGED], ("rules", "decided")),
        ([born("rules", "decided"), born("person")], ("person", "")),
        ([WRITTEN, MERGED], ("hand", "")),
        ([MERGED, EDITED], ("consolidation", "duplicates")),
    ],
)
def test_what_made_a_memory_is_read_from_its_events(
    events: list[Event], step: tuple[str, str]
) -> None:
    assert source_step(events) == step
