"""What sessions left to be done that no other memory says, for the person's review.

Looked at are the sessions that left their project's window within the last week: after that what
was not taken up is left. Writes nothing.
"""

from __future__ import annotations

from engram.consolidate.passes.session_window import REASON
from engram.consolidate.session_guard import said_in, unheld
from engram.model.instant import Instant, day_of, plus_days
from engram.model.memory import SESSION, Memory, schema_name
from engram.model.view import VaultView

#: the review is a weekly habit
_DAYS = 7


def open_items(view: VaultView, now: Instant) -> list[tuple[Memory, str]]:
    """`(session, item)` of each blocker and next action, oldest session first."""
    since = plus_days(now, -_DAYS)
    left = [memory for memory in view.retired() if _has_left(memory, since)]
    if not left:
        return []
    live = view.live()
    said = {name: said_in(name, live) for name in {session.project for session in left}}
    found: dict[tuple[str, str], tuple[Memory, str]] = {}
    for session in left:
        for item in unheld(session, said[session.project]):
            if item.is_open:
                # two sessions that say the same leave one thing to be done
                found.setdefault((session.project, item.text), (session, item.text))
    return list(found.values())


def _has_left(memory: Memory, since: str) -> bool:
    ours = memory.status_reason == REASON and schema_name(memory) == SESSION
    return ours and day_of(memory.status_since) >= since
