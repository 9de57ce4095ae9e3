"""Sources of a summary: the memories of a cluster that may be told, and the id that they make.

    memories, a VaultView -> SummarySources -> `sum-<digest8>`

Not told are records of sessions, what belongs to one session or is secret, what is in dispute, a
proposal that nobody agreed to, and what gives an agent orders. The id is a digest of the sources'
ids and words, and of what they replaced: equal sources make an equal id, in any order, so that a
page of them need not be written again. `outdated` says whether a page still has the sources that it
was made of. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engram.language.agent_orders import injection
from engram.model.authority import authority_rank
from engram.model.memory import SESSION, Memory, is_proposed
from engram.model.standing import in_dispute
from engram.model.summary import Summary
from engram.model.summary_identity import is_replaced, reasons_of, summary_id
from engram.model.view import VaultView

#: fewer memories are no cluster
LEAST_SOURCES = 3
#: what stands before a memory in a list takes about so many characters
_LABEL = 20


class SummarySources(NamedTuple):
    """The memories that a summary tells, oldest first, and `(replaced, its successor)` of them."""

    told: tuple[Memory, ...]
    replaced: tuple[tuple[Memory, Memory], ...] = ()

    @property
    def id(self) -> str:
        """`sum-<digest8>`."""
        return summary_id((*self.told, *(old for old, _ in self.replaced)))

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the memories that are told."""
        return tuple(one.id for one in self.told)

    @property
    def project(self) -> str:
        """The project of the memories that are told; empty where they are of several."""
        found = {one.project for one in self.told}
        return found.pop() if len(found) == 1 else ""

    @property
    def length(self) -> int:
        """How long a list of all of it is, characters: a line each, with its day and category."""
        texts = [part for one in self.told for part in (said(one), *reasons_of(one))]
        texts += [said(old) for old, _ in self.replaced]
        return sum(map(len, texts)) + _LABEL * (len(self.told) + len(self.replaced))


def sources_of(memories: Iterable[Memory], view: VaultView) -> SummarySources:
    """Those of some memories that may be told, with what they replaced."""
    told = sorted(filter(is_told, memories), key=lambda one: (one.created, one.id))
    pairs = {
        (old.id, new.id): (old, new)
        for new in told
        for old in map(view.memory, new.supersedes)
        if old is not None and is_replaced(old) and _is_fit(old)
    }
    return SummarySources(tuple(told), tuple(pairs[key] for key in sorted(pairs)))


def is_told(memory: Memory) -> bool:
    """Whether a summary may tell a memory as what holds."""
    return memory.live and not in_dispute(memory) and not is_proposed(memory) and _is_fit(memory)


def said(memory: Memory) -> str:
    """The statement of a memory on one line."""
    return " ".join(memory.text.split())


def outdated(summary: Summary, view: VaultView) -> str:
    """Why the sources of a page are not what it was made of, as a code; '' while they are."""
    found = [view.memory(name) for name in summary.consolidates]
    known = [memory for memory in found if memory is not None]
    if len(known) < len(found):
        return "source_gone"
    return "" if sources_of(known, view).id == summary.id else "source_changed"


def _is_fit(memory: Memory) -> bool:
    """Whether nothing forbids to tell a memory, whatever its status."""
    if memory.schema == SESSION or memory.space == "session" or memory.sensitivity == "secret":
        return False
    own = authority_rank(memory.authority) > 0
    return not any(injection(text, own=own) for text in (said(memory), *reasons_of(memory)) if text)
