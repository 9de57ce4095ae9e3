"""Review queue: memories that wait for the person's decision, the most pressing first.

    contradiction   two that contradict each other (`conflicts`), the newer one first
    review          set aside for the person: stale, or lower in authority than what it contradicts
    promotion       asked to hold in another space, which the rules denied or an agent asked for
    replaced        the person's own word that a model judged to be replaced, behind its successor
    speculative     not confirmed, and about to expire for it
    unheld          left to be done in a session that is out of use, and said nowhere else
    new             learnt since a day, newest first, and not vouched for by the person

Pure. A memory in a contradiction is asked about there, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engram.model.authority import authority_rank
from engram.model.findings import Reason, ReviewItem
from engram.model.instant import Day, Instant, day_of, plus_days
from engram.model.memory import Memory, confidence_tier
from engram.model.promotion import BY_AGENT, PROMOTION_REASON, waits_for
from engram.model.standing import disputes
from engram.model.succession import JUDGED_BY_MODEL

#: days before its end that a speculation is asked about: the review is a weekly habit
_SOON = 7


def queue(
    live: Sequence[Memory], now: Instant, find: Callable[[str], Memory | None], since: Day = "",
    left: Sequence[tuple[Memory, str]] = (),
) -> list[ReviewItem]:  # fmt: skip
    """The whole queue; `since` is the day from which on a memory is new, by default a week ago.

    `find` gives the memory of an id, whatever its status; `left` is what sessions that are out of
    use left to be done, with them.
    """
    found: dict[tuple[str, ...], ReviewItem] = {}
    asked: set[str] = set()
    judged = [item for memory in live for item in _replaced(memory, now, find)]
    asked_for = list(_promotions(live))
    for items in (
        _contradictions(live), _for_review(live), asked_for, judged, _speculative(live, now),
    ):  # fmt: skip
        for item in items:
            names = tuple(memory.id for memory in item.memories)
            if len(names) > 1 or names[0] not in asked:
                found.setdefault(names, item)
        asked.update(name for names in found for name in names)
    fresh = _new(live, since or plus_days(now, -_SOON))
    why = "it left the newest sessions, and no other memory says this"
    undone = [ReviewItem("unheld", (session,), why, item) for session, item in left]
    new = (item for item in fresh if item.memories[0].id not in asked)
    return [*found.values(), *undone, *new]


def still_asked(reason: Reason, found: Sequence[Memory | None]) -> list[Memory] | None:
    """The memories of a question as they are by now; None when it is answered already."""
    if reason == "unheld":
        return [memory for memory in found if memory is not None] or None
    if reason == "promotion":
        return [one for one in found if one is not None and waits_for(one)] or None
    if reason == "replaced":
        newer, older = found
        asked = newer is not None and older is not None and _is_replaced(newer, older)
        return [memory for memory in found if memory is not None] if asked else None
    memories = [memory for memory in found if memory is not None and memory.live]
    if len(memories) < len(found) or (len(found) > 1 and not disputes(memories)):
        return None
    return memories


def _replaced(
    newer: Memory, now: Instant, find: Callable[[str], Memory | None]
) -> Iterator[ReviewItem]:
    """What a memory replaces since a week, of the person's word, because a model said so."""
    for older in filter(None, map(find, newer.supersedes)):
        if _is_replaced(newer, older) and day_of(older.status_since) >= plus_days(now, -_SOON):
            why = "a model judged that the newer one replaces the older"
            yield ReviewItem("replaced", (newer, older), why)


def _is_replaced(newer: Memory, older: Memory) -> bool:
    """Whether a model's judgement stands that nobody has confirmed."""
    judged = older.status == "superseded" and older.status_reason == JUDGED_BY_MODEL
    theirs = authority_rank(older.authority) >= authority_rank("user_asserted")
    return judged and theirs and newer.live and not _vouched(newer)


def _contradictions(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    for older, newer in disputes(live):
        yield ReviewItem("contradiction", (newer, older), "they stand against each other")


def _for_review(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    waiting = [memory for memory in live if memory.status == "needs-review"]
    for memory in sorted(waiting, key=lambda one: (one.status_since, one.created, one.id)):
        since = f" since {day_of(memory.status_since)}" if memory.status_since else ""
        yield ReviewItem("review", (memory,), f"{memory.status_reason or 'set aside'}{since}")


def _promotions(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    waiting = [memory for memory in live if waits_for(memory)]
    for memory in sorted(waiting, key=lambda one: (one.created, one.id)):
        by_agent = memory.extras.get(PROMOTION_REASON) == BY_AGENT
        who = "an agent" if by_agent else "you"
        space = waits_for(memory)
        yield ReviewItem(
            "promotion", (memory,), f"{who} asked for it to hold in {space} space", space
        )


def _speculative(live: Sequence[Memory], now: Instant) -> Iterator[ReviewItem]:
    until = plus_days(now, _SOON)
    doubtful = [
        memory
        for memory in live
        if confidence_tier(memory.confidence) == "speculative" and "" < memory.expires <= until
    ]
    for memory in sorted(doubtful, key=lambda one: (one.expires, one.created, one.id)):
        yield ReviewItem(
            "speculative", (memory,), f"not confirmed, and expires on {memory.expires}"
        )


def _new(live: Sequence[Memory], since: Day) -> Iterator[ReviewItem]:
    fresh = [memory for memory in live if memory.created >= since and not _vouched(memory)]
    for memory in sorted(fresh, key=lambda one: (one.created, one.id), reverse=True):
        yield ReviewItem("new", (memory,), f"learnt on {day_of(memory.created)}")


def _vouched(memory: Memory) -> bool:
    """Whether it is the person's own word already."""
    theirs = authority_rank(memory.authority) >= authority_rank("user_asserted")
    return theirs and confidence_tier(memory.confidence) == "explicit"
