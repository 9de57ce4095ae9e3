"""A random sample of a vault's memories for a person to judge.

Turns memories, a seed and the ids that were judged before into those that are judged next. The
order is that of digests of seed and id: the same seed draws the same, a memory that was judged
leaves the rest of the order as it is, and each is as likely as any other. Pure.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from hashlib import sha256

from engram.model.memory import SESSION, Memory


def drawn(
    memories: Iterable[Memory], seed: str, most: int, passed: Container[str] = ()
) -> list[Memory]:
    """At most so many of the live memories that are none of those passed over, in drawn order.

    Records of conversations are no statements that are right or wrong, and not among them.
    """
    can_be = [
        one for one in memories if one.live and one.schema != SESSION and one.id not in passed
    ]
    return sorted(can_be, key=lambda one: sha256(f"{seed}\n{one.id}".encode()).digest())[:most]
