"""Succession: the changes of two memories when one supersedes the other, or both are in dispute.

One way for admission, consolidation and a person. The words of both stay; status, links on both
sides and the end of validity change (design 4.1, 5.5). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engram.model.authority import Rung
from engram.model.instant import Instant, day_of
from engram.model.memory import Memory

#: reasons for which a memory waits for the person beside another one: they do not agree, the other
#: has more authority, a model names the other as replaced and hardly can be right
CONTRADICTION, LOWER_AUTHORITY, UNLIKELY = "contradiction", "lower_authority", "unlikely_change"
#: and: the other is a correction, and this one tells no change
EARLIER_CORRECTION = "earlier_correction"
#: the rungs of the ladder on which a memory stands although the other is newer, and the reason then
STANDS: Mapping[Rung, str] = {"authority": LOWER_AUTHORITY, "correction": EARLIER_CORRECTION}
#: and of all of these the ones for which a memory is in dispute
DISPUTED = frozenset([CONTRADICTION, UNLIKELY, *STANDS.values()])
#: the code of an opinion that concludes nothing, where a model is asked first: the newer one tells
#: a change
LIKELY = "likely"
#: why a memory was superseded: rules compared the two, or a model did
JUDGED, JUDGED_BY_MODEL = "judged", "judged_by_model"


def superseded(loser: Memory, by: Memory, code: str, now: Instant) -> Memory:
    """The loser as it leaves the active set: it was true until the winner began to be."""
    until = by.valid_from or day_of(by.created)
    return replace(
        loser,
        status="superseded",
        status_since=now,
        status_reason=code,
        superseded_by=(by.id,),
        valid_until=loser.valid_until or max(until, loser.valid_from),
    )


def disputed(memory: Memory, others: tuple[str, ...], code: str, now: Instant) -> Memory:
    """A memory put into review, with those that it contradicts.

    One in review already keeps its time and reason.
    """
    conflicts = tuple(dict.fromkeys((*memory.conflicts, *others)))
    if memory.status == "needs-review":
        return replace(memory, conflicts=conflicts)
    return replace(
        memory, status="needs-review", status_since=now, status_reason=code, conflicts=conflicts
    )


def settled(memory: Memory) -> Memory:
    """A disputed memory made active again; the link stays, so that it is not disputed twice."""
    return replace(memory, status="active", status_since="", status_reason="")
