"""What was taken out of use lately: a candidate -> the memory that it would bring back, if any.

For `retention.resurrection_hours` nothing comes back by its id, its name or its content, whoever
proposes it again: `restore` brings it back as it was. Of what was purged only the id is left, and
in it eight digits of the content's hash: they are compared, names are not. Pure.
"""

from __future__ import annotations

from engram.admit.same import standing
from engram.model.candidate import Candidate
from engram.model.ids import is_memory_id, memory_id
from engram.model.instant import Instant, plus_minutes
from engram.model.memory import SESSION, Memory
from engram.model.text import content_hash
from engram.model.view import VaultView


def gone_lately(candidate: Candidate, view: VaultView, now: Instant, hours: int) -> str:
    """The id of the memory that a candidate would bring back; empty where it is free to come.

    A session is told from others by its id alone: many have one goal, and one title.
    """
    created, text = candidate.receipt.time, candidate.text
    own = memory_id(candidate.category, created, text)
    known = view.memory(own)
    found: list[Memory] = [known] if known is not None else []
    if candidate.schema != SESSION:
        scope = candidate.scope
        found += view.owners(content_hash(text, scope))
        for alias in candidate.aliases:
            named = filter(None, (view.memory(alias), *view.called(alias)))
            found += (one for one in named if _was_here(one, candidate))
    state, memory = standing(found, now, hours)
    if state in ("retired", "unwanted") and memory is not None:
        return memory.id
    purged = view.purged(plus_minutes(now, -60 * hours))
    if candidate.schema == SESSION:
        return own if own in purged else ""
    return next((one for one in purged if _hash_in(one) == _hash_in(own)), "")


def _was_here(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory of the candidate's place and category is out of use."""
    if memory.live or memory.category != candidate.category or memory.space != candidate.space:
        return False
    return memory.space != "project" or memory.project == candidate.project


def _hash_in(identifier: str) -> str:
    """The digits of the content's hash in an id; the id itself where it has none."""
    return identifier.split("-")[3] if is_memory_id(identifier) else identifier
