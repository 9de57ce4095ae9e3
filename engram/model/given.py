"""Given block: what an agent was given and why, as one line of the access log (seed 002).

    a block: memories in order, with reasons  ->  a line  ->  the event `memory_recall`

No text stands in it, but the question of who asked, redacted and cut. `deterministic_hash` proves
which items in which order, `content_hash` what they said. Loaded by hooks: tuples, no dataclass.
Pure.
"""

# annotations are values here: texts are compiled where a tuple is made, and a hook waits
from collections.abc import Iterable
from typing import Literal, NamedTuple

from engram.model.instant import Instant
from engram.model.text import sha256_text

#: how an agent came by it: at the start of a session, beside a prompt, by asking
How = Literal["session-start", "prompt", "recall", "mcp"]
HOWS: tuple[How, ...] = ("session-start", "prompt", "recall", "mcp")
#: who was given it where no agent is known, and the session of what belongs to none
PERSON, UNKNOWN, BY_HAND = "person", "unknown", "by-hand"
#: who acts where nobody does: a consolidation, and an import
NIGHT, IMPORT = "night", "import"
#: why an item was given, in the order of seed 002; the last where there is no other reason
Reason = Literal["matches_query", "recency", "importance", "active_rule"]
REASONS: tuple[Reason, ...] = ("matches_query", "recency", "importance", "active_rule")
#: characters of a question that are kept
MOST_QUESTION = 200


class Reader(NamedTuple):
    """Who is given something: an agent's name, `person`, and a conversation's transcript."""

    by: str = PERSON
    session: str = BY_HAND


class PolicyRef(NamedTuple):
    """The policy that holds: its digest, and the spaces that it lets be read, in its order.

    Of those in `current_only` nothing is given that is of an older phase.
    """

    digest: str = ""
    spaces: tuple[str, ...] = ()
    current_only: tuple[str, ...] = ()


class GivenItem(NamedTuple):
    """A memory in a block, or the summary that stands for those that it `tells`, by file id.

    `item` is its item's id, empty before it has one; of a summary always.
    """

    id: str
    item: str
    kind: str
    space: str
    reasons: tuple[Reason, ...] = ()
    tells: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """`meta.recall_reason`: the reasons, and the space."""
        return (*self.reasons, f"space:{self.space}")


class GivenBlock(NamedTuple):
    """One block for an agent.

    `by` is who was given it (`claude-code`, an MCP client's name, `person`), `session` the name of
    the conversation's transcript or `by-hand`, `policy` the digest of the policy that held,
    `spaces` those that it lets be read, in its order, and `last` the number of the last transaction
    that was seen. `asked`: somebody asked for the memories, which counts as a read. `question` is
    that of who asked; a hook has none.
    """

    time: Instant
    by: str
    session: str
    how: How
    items: tuple[GivenItem, ...]
    content_hash: str
    spaces: tuple[str, ...] = ()
    policy: str = ""
    last: int = 0
    asked: bool = False
    question: str = ""

    @property
    def deterministic_hash(self) -> str:
        """SHA-256 over `<kind>:<item id>`, joined by `|`, in the order given (seed 002)."""
        return recall_hash((one.kind, one.item or one.id) for one in self.items)

    @property
    def counts(self) -> dict[str, int]:
        """How many items came from each of the spaces, zeros too."""
        found = dict.fromkeys(self.spaces, 0)
        for one in self.items:
            found[one.space] = found.get(one.space, 0) + 1
        return found

    def names(self, memory: str) -> bool:
        """Whether it holds a memory, as itself or in a summary."""
        return any(memory == one.id or memory in one.tells for one in self.items)


def recall_hash(items: Iterable[tuple[str, str]]) -> str:
    """The hash of kinds and ids in order."""
    return sha256_text("|".join(f"{kind}:{name}" for kind, name in items))


def content_hash(texts: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over `<file id>:<sha256 of the text>`, joined by `|`: equal on two machines.

    The text of a memory is its statement, that of a summary its line in the block.
    """
    return sha256_text("|".join(f"{name}:{sha256_text(text)}" for name, text in texts))
