"""Verdict: what `admit` decided about a candidate, with a stable code for the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from engram.model.authority import Rung
from engram.model.candidate import Candidate
from engram.model.memory import Memory

Decision = Literal["new", "same", "update", "supersede", "retire", "review", "refuse"]

#: the code of a new memory that stands above what it does not agree with
CASTS_DOUBT = "casts_doubt"
#: the code of what an agent only says again that had been given it
GIVEN_BEFORE = "given_before"


class MemoryPatch(NamedTuple):
    """What an update or a retirement makes of a memory: `after`, and the names of what changed.

    Receipts and the renewed end of its life are added where the verdict is entered. `reason` is one
    line for the log; whoever makes the patch answers for its words.
    """

    after: Memory
    fields: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One decision about one candidate.

    `code` is stable and safe to log: it never holds the refused text. `memories` names the
    memories concerned: the owner of the same content, those superseded, or those in conflict.
    `judged` is the code of what was compared with the first of them (`amount`, `value`).
    `rung` is that of the ladder on which the candidate prevailed over the first, or lost to it.
    `factors` are the numbers that the score was made of, by name; empty when none was made.
    `patch` is what an update or a retirement makes of the first memory; else None. `left_out` says
    which parts of a record are not written, and why (`completed:secret`). `denied_by` names the
    rule of a policy that refuses, without its words (`marker:password`, `pattern:3`).
    """

    decision: Decision
    code: str
    candidate: Candidate
    memories: tuple[str, ...] = ()
    judged: str = ""
    rung: Rung | Literal[""] = ""
    factors: tuple[tuple[str, int], ...] = ()
    patch: MemoryPatch | None = None
    left_out: tuple[str, ...] = ()
    denied_by: str = ""
