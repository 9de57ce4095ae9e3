"""Reports: results of a vault's methods, beside memories, turns and hits."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.change import Change, Event, Plan, Range
from engram.model.consolidation_run import ConsolidationRun
from engram.model.promotion import ALLOWED, ALREADY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engram.model.instant import Instant
    from engram.model.judgement import Measured
    from engram.model.memory import Memory
    from engram.model.model_request import ModelAbsence, Spent
    from engram.model.step import Step
    from engram.model.tier import MemoryTier, Retention
    from engram.model.turn import Waiting
    from engram.model.write_rules import PolicyStep


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """What a person changes: the verb, `(before, after)` of each memory, and what the log says.

    `changes` are those of other files than the memories of `pairs`; `ack` are turns of which
    nothing is to be made any more.
    """

    verb: str
    pairs: tuple[tuple[Memory, Memory], ...]
    events: tuple[Event, ...]
    changes: tuple[Change, ...] = ()
    ack: tuple[Range, ...] = ()


class Promotion(NamedTuple):
    """What became of a promotion: its code, and the memory before and after.

    `allowed`, `already` for what is there, or why it stays: a code of the rules of promotion, of
    the policy, or `promotion_conflict`. Of one into a shared vault `shared` is `@NAME` of that, and
    `path` that of the file there.
    """

    code: str
    before: Memory
    after: Memory
    shared: str = ""
    path: str = ""

    @property
    def denied(self) -> bool:
        """Whether the memory may not leave its space, or not yet."""
        return self.code not in (ALLOWED, ALREADY)


@dataclass(frozen=True, slots=True)
class Collected:
    """Result of a collection: memories that were moved with the time they were retired.

    `dated` are those of which nobody wrote down when; `waiting` counts those that are retired for
    less than their days of grace.
    """

    moved: tuple[tuple[Memory, Instant], ...] = ()
    dated: tuple[Memory, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """Records of one schema: in use, changed more than five times, retired within seven days.

    `many`: there are more than the setting `records.most`.
    """

    live: int = 0
    often_updated: int = 0
    retired: int = 0
    many: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """Result of an explicit memory: the decision, its code, and the memory that is active now."""

    decision: str
    code: str
    memory: Memory


#: who says a text that a policy is tried on: asked to remember, typed in a conversation, an agent
Saying = Literal["hand", "person", "agent"]


@dataclass(frozen=True, slots=True)
class PolicyTrial:
    """What would become of a text: the item that it would be, the steps of the policy up to the
    first that denies, and the verdict of admission with the memories that it is about.
    """

    event_type: str
    kind: str
    store: str
    category: str
    authority: str
    steps: tuple[PolicyStep, ...]
    decision: str
    code: str
    memories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consolidated:
    """Result of a consolidation, real or dry: its steps, those refused by code, its transaction.

    `transaction` is that of the last part, 0 when nothing was written; the steps of the parts
    before it come without memories and pages. `first` is the number of the first step: parts of
    one that was stopped count. `run` is its record.
    """

    steps: tuple[Step, ...] = ()
    refused: tuple[tuple[str, int], ...] = ()
    transaction: int = 0
    run: ConsolidationRun = field(default_factory=ConsolidationRun)
    first: int = 1


@dataclass(frozen=True, slots=True)
class ConflictCopy:
    """A conflict copy, or a file with git's markers, and the original.

    `why` is the reason it was left to the person; empty for a merged one.
    """

    path: str
    original: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """Results for all conflict copies, in the order of their paths; `transaction` may be 0."""

    apart: tuple[ConflictCopy, ...] = ()
    transaction: int = 0


@dataclass(frozen=True, slots=True)
class Edited:
    """A memory before and after a person rewrote its file, and what is wrong with it, if anything.

    `after` is None where the file is no memory of its own any more.
    """

    before: Memory
    after: Memory | None
    problem: str = ""

    def differences(self) -> list[tuple[str, object, object]]:
        """`(field, before, after)` of what was changed; a file that is no memory lost them all."""
        if self.after is None:
            return [("id", self.before.id, "")]
        return [
            (one.name, old, new)
            for one in fields(self.after)
            if (old := _value(self.before, one.name)) != (new := _value(self.after, one.name))
        ]


def _value(memory: Memory, name: str) -> object:
    return memory.extras if name == "extra" else getattr(memory, name)


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The models in the order they are asked, today's spending, and resting providers."""

    models: list[str]
    spent: Spent
    away: list[ModelAbsence]


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The model that makes vectors, and how many memories and turns have one of it."""

    model: str
    memories: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Embedded:
    """How many vectors were made; what ended the work before all was done, and what to do."""

    made: int
    reason: str = ""
    message: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The index: its generation (0: none), its document counts, its maker, why it is not usable."""

    generation: int = 0
    memories: int = 0
    turns: int = 0
    made_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TierCounts:
    """How many memories are in each tier, of all and of each category that there is any of."""

    tiers: Mapping[MemoryTier, int]
    categories: Mapping[str, Mapping[MemoryTier, int]]


@dataclass(frozen=True, slots=True)
class FallingMemory:
    """A memory that will be in the tier `lower` after `days` days if nobody reads it."""

    memory: Memory
    retention: Retention
    lower: MemoryTier
    days: int


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one vault; `refused` (in the last 30 days) and `failures` by their stable codes.

    `to_review` is how many memories were set aside for the person; `records` has those schemas
    that there are records of; `tiers` how many memories are in each; `model` and `vectors` are None
    where none is configured, as `last_run`, the last consolidation, where there is no record of it.
    `policy_problem` is why a policy file is not understood: then nothing is learnt or given.
    `shares` is the space of a vault that is shared with others, `served` are the repository and the
    globs of projects that it serves, `sharing_problem` is how it and the registry differ on that.
    `measured` is what the person's judgements of a sample say, None before there are any.
    """

    vault: str
    trusted: bool
    memories: dict[str, int]
    transcripts: int
    turns: int
    pending: int
    dead_letter: int
    waiting: list[Waiting]
    refused: dict[str, int]
    failures: dict[str, int]
    transactions: int
    to_review: int = 0
    records: Mapping[str, RecordCounts] = field(default_factory=dict)
    tiers: Mapping[MemoryTier, int] = field(default_factory=dict)
    model: ModelStatus | None = None
    index: IndexStatus = IndexStatus()
    vectors: VectorStatus | None = None
    last_run: ConsolidationRun | None = None
    policy_problem: str = ""
    shares: str = ""
    served: Sequence[str] = ()
    sharing_problem: str = ""
    measured: Measured | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What a person named: memories, turns (as links), whole conversations, or a text in them.

    `phrase` is that text as it is compared, empty where none was given. `already`: all of it was
    so before.
    """

    memories: tuple[Memory, ...] = ()
    links: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()
    phrase: str = ""
    already: bool = False


@dataclass(frozen=True, slots=True)
class PurgePreview:
    """What a purge destroys: memories with their text, the files they ever had, turns (as links).

    `citing` names the other memories that were made from the same turns; `said` is what the first
    of the turns say. `shared` are the copies that were promoted into shared vaults (`@shop/ID`),
    which stay.
    """

    memories: tuple[tuple[str, str], ...]
    paths: list[str]
    turns: list[str]
    conversations: list[str]
    citing: list[str]
    said: list[str]
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """A purge that was done, and what it could not do.

    `left` tells which words that only the purged texts had stand in which files all the same,
    `elsewhere` in which pages and transcripts that stay a word of them is said as well.
    """

    purged: PurgePreview
    left: tuple[tuple[str, tuple[str, ...]], ...] = ()
    elsewhere: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Reverted:
    """The plan of an undo as far as it goes without the pages that show what it takes back.

    `gone` are the memories that it removes, `reworded` those that get other words, each as it is
    now and as it will be; `links` are the turns that it takes back.
    """

    plan: Plan
    gone: Mapping[str, Memory]
    reworded: Mapping[str, tuple[Memory, Memory]]
    links: frozenset[str]


class ExportedRecord(NamedTuple):
    """One record as seed 001's JSON object, and its file's path below the folder of a store.

    `whole`: it has all that the format requires.
    """

    path: str
    project: str
    data: dict[str, object]
    whole: bool


class RecordExport(NamedTuple):
    """Records to be handed on, and how many were kept back because they tell a secret."""

    records: tuple[ExportedRecord, ...]
    withheld: int

    @property
    def projects(self) -> tuple[str, ...]:
        """The projects of the records, by name; '' for those of none."""
        return tuple(sorted({one.project for one in self.records}))
