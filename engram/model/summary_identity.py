"""Identity of a summary: the memories that it tells -> `sum-<digest8>` of their ids and words.

Equal memories make an equal id, in any order; other words or another scope of one of them make
another. A page whose id is not that of its sources tells what they do not say any more, or was not
made of them. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.model.memory import Memory
from engram.model.record import record_of, without_receipt
from engram.model.text import content_hash, sha256_text

_DIGITS = 8


def summary_id(memories: Iterable[Memory]) -> str:
    """The id of a page of these memories: those that it tells, and those that they replaced."""
    known = {one.id: one for one in memories}
    parts = "\n".join(f"{name} {_digest(known[name])}" for name in sorted(known))
    return f"sum-{sha256_text(parts)[:_DIGITS]}"


def reasons_of(memory: Memory) -> tuple[str, str]:
    """Why a decision was taken and what follows from it, each on one line or empty."""
    record = record_of(memory) if memory.category == "decision" else None
    if record is None:
        return "", ""
    why, after = (
        "; ".join(" ".join(without_receipt(item).split()) for item in record.items(name))
        for name in ("rationale", "consequences")
    )
    return why, after


def is_replaced(memory: Memory) -> bool:
    """Whether another memory says otherwise by now; one that was merged says what that one says."""
    return memory.status == "superseded" and bool(memory.status_reason)


def _digest(memory: Memory) -> str:
    """A digest of the words of a memory that a page may tell."""
    return content_hash("\n".join((memory.text, *reasons_of(memory))), memory.scope)
