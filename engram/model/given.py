"""Given block: what an agent was given and why, as one line of the access log (seed 002).

    a block: memories in order, with reasons  ->  a line  ->  the event `memory_recall`

No text stands in it, but the question of a `recall`, redacted and cut. `deterministic_hash` proves
which items in which order, `content_hash` what they said. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engram.model.instant import Instant
from engram.model.text import sha256_text

#: how an agent came by it: at the start of a session, beside a prompt, by asking
How = Literal["session-start", "prompt", "recall", "mcp"]


@dataclass(frozen=True, slots=True)
class GivenItem:
    """A memory in a block: its file's id, its item's (empty before it has one), and why."""

    id: str
    item: str
    kind: str
    reasons: tuple[str, ...] = ()
    #: digest of its text, SHA-256
    sha: str = ""


@dataclass(frozen=True, slots=True)
class GivenBlock:
    """One block for an agent.

    `by` is who was given it (`claude-code`, an MCP client's name, `person`), `session` the name of
    the conversation's transcript or `by-hand`, `policy` the digest of the policy that held, `last`
    the number of the last transaction that was seen. `question` is that of a `recall` alone.
    """

    time: Instant
    by: str
    session: str
    how: How
    items: tuple[GivenItem, ...]
    spaces: tuple[str, ...] = ()
    policy: str = ""
    last: int = 0
    question: str = ""

    @property
    def deterministic_hash(self) -> str:
        """SHA-256 over `<kind>:<item id>`, joined by `|`, in the order given (seed 002)."""
        return recall_hash([(one.kind, one.item or one.id) for one in self.items])

    @property
    def content_hash(self) -> str:
        """SHA-256 over `<file id>:<sha256 of the text>`, joined by `|`: equal on two machines."""
        return sha256_text("|".join(f"{one.id}:{one.sha}" for one in self.items))


def recall_hash(items: Sequence[tuple[str, str]]) -> str:
    """The hash of kinds and ids in order."""
    return sha256_text("|".join(f"{kind}:{name}" for kind, name in items))
