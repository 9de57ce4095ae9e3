"""What checks of a vault find: of the doctor, of the audit, and questions of the review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from engram.model.judgement import Measured
from engram.model.memory import Memory


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: where, what, and the one thing to do about it."""

    severity: Literal["error", "warning"]
    code: str
    subject: str
    message: str
    fix: str


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings as they are shown: errors first."""
    return sorted(findings, key=lambda finding: (finding.severity, finding.code, finding.subject))


@dataclass(frozen=True, slots=True)
class AuditFlaw:
    """One thing that is not as good as it should be: the memories or pages concerned, and what.

    `what` has the beginning of a memory's words behind `why`, where these may be told.
    """

    ids: tuple[str, ...]
    what: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One question of the audit: its flaws among so many, and the share that is still `ok`.

    `title` and `means` tell a person what is asked; `name` is for programs.
    """

    name: str
    flaws: tuple[AuditFlaw, ...]
    among: int
    threshold: float
    fix: str
    title: str = ""
    means: str = ""

    @property
    def share(self) -> float:
        """Flaws among what could have one, 0..1, three digits."""
        return round(min(1.0, len(self.flaws) / max(self.among, 1)), 3)

    @property
    def verdict(self) -> Literal["ok", "look"]:
        """Whether the person should look at it."""
        return "look" if self.share > self.threshold else "ok"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The rows of an audit, and `(rule, noise, memories)` of the rules that make noise.

    `flawed` has the memories that its flaws name, by id; `measured` what the person's judgements of
    a sample say, None before there are any.
    """

    rows: tuple[AuditRow, ...]
    rules: tuple[tuple[str, int, int], ...]
    flawed: Mapping[str, Memory] = field(default_factory=dict)
    measured: Measured | None = None


#: why a memory is put to the person
Reason = Literal["contradiction", "review", "promotion", "replaced", "speculative", "unheld", "new"]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One question to the person: about one memory, or about a pair, with why it is asked.

    `item` is what of the memory is meant, where that is not all of it.
    """

    reason: Reason
    memories: tuple[Memory, ...]
    why: str
    item: str = ""
