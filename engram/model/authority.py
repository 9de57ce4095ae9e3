"""Authority: who vouches for a statement, and which of two statements about one thing stands.

The only ladder there is: whoever compares a statement that holds with one that comes asks
`contest`. Rungs from the top: authority, correction, recency, importance (seed 002, design 5.6). A
correction by the user or anybody above overrides what stands above it; a plain statement does not
override a correction. Loaded by hooks: no dataclass. Pure.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

#: lowest first
AUTHORITIES = ("ai_inferred", "user_asserted", "tool_verified", "system_imposed")
#: the least authority with which a correction overrides what stands above it
_CORRECTS = "user_asserted"

Side = Literal["existing", "incoming"]
Rung = Literal["authority", "correction", "recency", "importance"]


def authority_rank(authority: str) -> int:
    """0 for ai_inferred and unknown words, up to 3 for system_imposed."""
    return AUTHORITIES.index(authority) if authority in AUTHORITIES else 0


def counted_authority(claimed: str, most: str, vouched: str = AUTHORITIES[0]) -> str:
    """What counts of the authority that the header of a shared memory claims.

    `most` is what the registry lets headers of that vault claim, `vouched` what this machine stands
    for (`model/trace.vouched_authority`).
    """
    return min(claimed, max(most, vouched, key=authority_rank), key=authority_rank)


class Assertion(NamedTuple):
    """What the ladder asks of a statement.

    `since` orders what was said first (an instant, or a tick with leading zeros: only the order
    counts); `number` is that of its item, the last resort between equals.
    """

    authority: str
    correction: bool = False
    since: str = ""
    importance: float = 0.0
    number: int = 0


class Ruling(NamedTuple):
    """Which side stands, and by which rung."""

    winner: Side
    rule: Rung


def contest(existing: Assertion, incoming: Assertion) -> Ruling:
    """Which of two statements stands that cannot both hold (seed 002)."""
    held, said = authority_rank(existing.authority), authority_rank(incoming.authority)
    overrides = incoming.correction and said >= authority_rank(_CORRECTS)
    if held < said or (said < held and not overrides):
        return Ruling("incoming" if held < said else "existing", "authority")
    if existing.correction != incoming.correction:
        return Ruling("incoming" if incoming.correction else "existing", "correction")
    if existing.since != incoming.since:
        return Ruling("incoming" if existing.since < incoming.since else "existing", "recency")
    ours, theirs = (existing.importance, existing.number), (incoming.importance, incoming.number)
    return Ruling("incoming" if ours < theirs else "existing", "importance")
