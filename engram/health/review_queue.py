"""Review queue: memories that wait for the person's decision, the most pressing first.

    contradiction   two that contradict each other (`conflicts`), the newer one first
    review          set aside for the person: stale, or lower in authority than what it contradicts
    promotion       asked to hold in another space, which the rules denied or an agent asked for
    replaced        the person's own word that a model judged to be replaced, behind its successor
    speculative     not confirmed, and about to expire for it
    unheld          left to be done in a session that is out of use, and said nowhere else
    new             written into the vault since a day, newest first, and not vouched for by the
                    person; or what a transaction or an import wrote that the person names.
                    When it was said does not count

Why each is asked is one sentence. Pure. A memory in a contradiction is asked about there, and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engram.model.authority import authority_rank
from engram.model.findings import Reason, ReviewItem
from engram.model.instant import Day, Instant, day_of, plus_days
from engram.model.memory import SESSION, Memory, confidence_tier
from engram.model.promotion import BY_AGENT, PROMOTION_REASON, waits_for
from engram.model.standing import disputes
from engram.model.succession import (
    CONTRADICTION,
    EARLIER_CORRECTION,
    JUDGED_BY_MODEL,
    LOWER_AUTHORITY,
    UNLIKELY,
)

#: days before its end that a speculation is asked about, and after its writing that a memory is
#: new: the review is a weekly habit
SOON = 7


class Written(NamedTuple):
    """What was written when: the instant of each memory's writing since a week or a named day, by
    its id; or, of a `batch` that the person names, those that it wrote and that nobody confirmed.
    """

    at: Mapping[str, Instant]
    batch: str = ""


def queue(
    live: Sequence[Memory], now: Instant, find: Callable[[str], Memory | None], since: Day = "",
    left: Sequence[tuple[Memory, str]] = (), written: Written | None = None,
) -> list[ReviewItem]:  # fmt: skip
    """The whole queue; `since` is the day from which on a memory is new, by default a week ago.

    `find` gives the memory of an id, whatever its status; `left` is what sessions that are out of
    use left to be done, with them. Of what `written` does not tell, what was said since is new.
    With a batch only what it wrote is asked about, all of it.
    """
    written = written or Written({})
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
    if written.batch:
        pressing = [one for one in found.values() if any(m.id in written.at for m in one.memories)]
        asked = {memory.id for item in pressing for memory in item.memories}
        rest = [one for one in _of_batch(live, written) if one.memories[0].id not in asked]
        return [*pressing, *rest]
    fresh = _new(live, since or plus_days(now, -SOON), written.at)
    why = "It left the newest sessions, and no other memory says this: is it still to be done?"
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
        if _is_replaced(newer, older) and day_of(older.status_since) >= plus_days(now, -SOON):
            why = "A model judged that the first of these replaces the second: is that so?"
            yield ReviewItem("replaced", (newer, older), why)


def _is_replaced(newer: Memory, older: Memory) -> bool:
    """Whether a model's judgement stands that nobody has confirmed."""
    judged = older.status == "superseded" and older.status_reason == JUDGED_BY_MODEL
    theirs = authority_rank(older.authority) >= authority_rank("user_asserted")
    return judged and theirs and newer.live and not _vouched(newer)


def _contradictions(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    for older, newer in disputes(live):
        yield ReviewItem("contradiction", (newer, older), "These two stand against each other.")


def _for_review(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    waiting = [memory for memory in live if memory.status == "needs-review"]
    for memory in sorted(waiting, key=lambda one: (one.status_since, one.created, one.id)):
        yield ReviewItem("review", (memory,), _why_aside(memory))


#: codes of `status_reason`, in words
_ASIDE: Mapping[str, str] = {
    CONTRADICTION: "Another memory said something else of the same: does this hold?",
    LOWER_AUTHORITY: "It stood against a memory of more authority: does it hold?",
    UNLIKELY: "It named a memory that it hardly can replace: does it hold?",
    EARLIER_CORRECTION: "It stood against a correction of yours: does it hold?",
    "unsupported": "What it says goes beyond the words that it quotes: is it right?",
}


def _why_aside(memory: Memory) -> str:
    """The question about a memory that was set aside; days are those of the matter itself."""
    reason, extras = memory.status_reason, memory.extras
    due = extras.get("overdue", "") or extras.get("due", "")[:10]
    if reason == "overdue" and due:
        return f"It is overdue since {due}: was it done?"
    if reason == "stale" and memory.expires:
        return f"Its time was up on {memory.expires}: does it still hold?"
    if reason == "stale":
        return "Nobody has said it for long: does it still hold?"
    if reason in _ASIDE:
        return _ASIDE[reason]
    since = f" since {day_of(memory.status_since)}" if memory.status_since else ""
    told = f" ({reason.replace('_', ' ')})" if reason else ""
    return f"It was set aside for you{since}{told}: does it hold?"


def _promotions(live: Sequence[Memory]) -> Iterator[ReviewItem]:
    waiting = [memory for memory in live if waits_for(memory)]
    for memory in sorted(waiting, key=lambda one: (one.created, one.id)):
        by_agent = memory.extras.get(PROMOTION_REASON) == BY_AGENT
        who = "An agent" if by_agent else "You"
        space = waits_for(memory)
        why = f"{who} asked for it to hold in {space} space: shall it?"
        yield ReviewItem("promotion", (memory,), why, space)


def _speculative(live: Sequence[Memory], now: Instant) -> Iterator[ReviewItem]:
    until = plus_days(now, SOON)
    doubtful = [
        memory
        for memory in live
        if confidence_tier(memory.confidence) == "speculative" and "" < memory.expires <= until
    ]
    for memory in sorted(doubtful, key=lambda one: (one.expires, one.created, one.id)):
        why = f"It is a guess that nobody confirmed, and it ends on {memory.expires}: is it right?"
        yield ReviewItem("speculative", (memory,), why)


def _new(
    live: Sequence[Memory], since: Day, written: Mapping[str, Instant]
) -> Iterator[ReviewItem]:
    def at(memory: Memory) -> Instant:
        return written.get(memory.id, memory.created)

    fresh = [memory for memory in live if at(memory) >= since and not _vouched(memory)]
    for memory in sorted(fresh, key=lambda one: (at(one), one.created, one.id), reverse=True):
        yield ReviewItem("new", (memory,), f"It is new since {day_of(at(memory))}: is it right?")


def _of_batch(live: Sequence[Memory], written: Written) -> Iterator[ReviewItem]:
    # what a conversation was about is asked last: it is long, and seldom wrong
    for memory in sorted(live, key=lambda one: (one.schema == SESSION, one.created, one.id)):
        if memory.id in written.at:
            yield ReviewItem("new", (memory,), f"{written.batch} brought it: is it right?")


def _vouched(memory: Memory) -> bool:
    """Whether it is the person's own word already."""
    theirs = authority_rank(memory.authority) >= authority_rank("user_asserted")
    return theirs and confidence_tier(memory.confidence) == "explicit"
