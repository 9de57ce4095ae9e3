"""Forgetting: what a person names -> memories out of use with their turns hidden, or destroyed.

What is forgotten can be restored: every file stays. Only `purge` destroys content (design promise
2). Refuses (BadInput) where nothing is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.change import Change, Event, Plan
from engram.model.errors import BadInput
from engram.model.ids import FORGOTTEN
from engram.model.instant import Day, Instant, local_day
from engram.model.memory import NEVER_AGAIN, SESSION, Memory
from engram.model.report import MemoryEdit, PurgePreview, Scope
from engram.model.text import sha256_bytes
from engram.model.trace import deleted
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.pipeline.ports import Ports


def forget(
    memories: Sequence[Memory], reason: str, now: Instant, silenced: Sequence[Change] = (),
    never_again: Day = "",
) -> MemoryEdit:  # fmt: skip
    """Retire memories; their source turns are hidden from search too (design 5.21).

    `silenced`: the pages that told of them, without their words. One that is retired stays so.
    With a day in `never_again` what they say is not learnt again.
    """
    pairs, events = [], []
    for memory in {one.id: one for one in memories}.values():
        after = memory
        if memory.status != "retired":
            after = replace(memory, status="retired", status_since=now, status_reason="forgotten")
            events.append(deleted(after, was=memory.status, why=reason))
        if never_again and NEVER_AGAIN not in memory.extras:
            after = replace(after, extra=(*after.extra, (NEVER_AGAIN, never_again)))
        if after is not memory:
            pairs.append((memory, after))
    if not pairs:
        silenced = ()
    return MemoryEdit("forget", tuple(pairs), tuple(events), tuple(silenced))


def forgotten(
    scope: Scope, reason: str, ports: Ports, *, never_again: bool = False
) -> MemoryEdit:  # fmt: skip
    """What forgetting a scope means: its memories, its turns, and the pages that tell of either.

    A turn is hidden by the memory that was made of it, so that both come back together; any other
    by a list of its own. What is forgotten already changes nothing; raises BadInput where nothing
    is named.
    """
    memories = list(scope.memories)
    hiding = {
        link
        for one in memories
        if one.status != "retired" and one.schema != SESSION
        for link in one.sources
    }
    links = sorted(set(scope.links) - hiding - ports.turns.hidden())
    if not (scope.links or memories):
        raise BadInput("there is nothing to forget", "`engram log` shows what was forgotten")
    silenced: list[Change] = []
    retired = [one for one in memories if one.status != "retired"]
    if retired or links:
        names = [memory.id for memory in memories]
        boxes = ports.box_weaver.silence(names, {*hiding, *links}, ports.view)
        renamed = [old.id for old, new in boxes if new is None or new.title != old.title]
        silenced = [*ports.pages.pages(boxes), *ports.eraser.unmentioned(memories, renamed)]
    now = ports.clock.now()
    day = local_day(now, ports.timezone) if never_again else ""
    edit = forget(memories, reason, now, silenced, day)
    if not links:
        return edit
    body = "".join(f"{link}\n" for link in links).encode("utf-8")
    path = f"{FORGOTTEN}/{sha256_bytes(body)[:12]}.txt"
    hidden = Change(path, None, body, "forgotten")
    event = Event("turns_forgotten", "", (("turns", " ".join(links)), ("reason", reason)))
    return replace(
        edit,
        events=(*edit.events, event),
        changes=(*edit.changes, hidden),
        ack=tuple(ports.turns.pending_among(links)),
    )


def purge(
    scope: Callable[[], Scope], ports: Ports
) -> tuple[Plan, PurgePreview, Sequence[str]]:  # fmt: skip
    """Destroy what is named: the plan, what that was, and the words seldom said elsewhere."""
    with writing(ports):
        plan, purged, seldom = ports.eraser.plan(scope())
        ports.committer.commit(plan)
        return plan, purged, seldom
