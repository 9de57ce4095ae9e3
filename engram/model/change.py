"""Change, event, plan, transaction: what the store is asked to commit, and what it committed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engram.model.instant import Instant

#: An inclusive range of turn journal numbers.
Range = tuple[int, int]


#: how the names of batches begin: what was imported, what was piped in, and the parts of a
#: consolidation before its last one
IMPORT, CAPTURE, PART = "import-", "capture-", "part-"


def turns_in(ranges: Iterable[Range]) -> int:
    """How many turns lie in ranges that do not overlap."""
    return sum(last - first + 1 for first, last in ranges)


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; None means that there is no file on that side.

    `path` is relative to the vault in POSIX form. `why` is one phrase for the log.
    """

    path: str
    before: bytes | None
    after: bytes | None
    why: str = ""


class Event(NamedTuple):
    """One line of the trace: a stable name, the memory or turn concerned, and plain details.

    Details are codes, ids and numbers; never the text of a turn or of a refused candidate.
    """

    name: str
    subject: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Plan(NamedTuple):
    """Content of one transaction: all of it happens, or none.

    `ack`: turns that are settled by it. `requeue`: turns made pending again. `withdraw`: turns
    removed by an undo; `readmit`: their return by an undo of the undo. `dead`: turns put aside
    after repeated failure. `seen`: hand-edited files as they were found (nothing is written).
    """

    kind: str
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    ack: tuple[Range, ...] = ()
    dead: tuple[Range, ...] = ()
    requeue: tuple[Range, ...] = ()
    withdraw: tuple[Range, ...] = ()
    readmit: tuple[Range, ...] = ()
    seen: tuple[Change, ...] = ()
    batch: str = ""
    undoes: tuple[int, ...] = ()

    @property
    def continues(self) -> bool:
        """Whether more parts of the same consolidation follow, or were to follow."""
        return self.batch.startswith(PART)

    @property
    def empty(self) -> bool:
        """Whether committing it would record nothing."""
        return not (
            self.changes or self.events or self.ack or self.dead or self.requeue
            or self.withdraw or self.readmit or self.seen
        )  # fmt: skip


class Transaction(NamedTuple):
    """A committed plan: its number, its time by the injected clock, and the files left alone.

    `left` lists the paths that a person had changed in between: their bytes were kept. `tick` is
    the last one that was used once it was committed, 0 of an older version. `policy` is the digest
    of the policy that held. `chain` is its link in the chain of digests, '' of an older version.
    """

    number: int
    time: Instant
    plan: Plan
    left: tuple[str, ...] = ()
    tick: int = 0
    policy: str = ""
    chain: str = ""
