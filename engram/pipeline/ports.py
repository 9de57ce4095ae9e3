"""What the use cases work through: one attribute a port, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engram.model.policy import Policy
from engram.model.ports import (
    Ages,
    BoxWeaver,
    Clock,
    Committer,
    ConsolidationHistory,
    Conversations,
    CopyMerger,
    Cursors,
    DerivedState,
    EntityPage,
    Eraser,
    Extractor,
    ForeignRows,
    Given,
    Heard,
    Index,
    Judge,
    KeptVerdicts,
    Model,
    PageWriter,
    Phases,
    RecordAsker,
    RunModel,
    RunRecords,
    Stopwatch,
    TierLookup,
    TurnLog,
    TurnStore,
    Writer,
    WrittenRules,
)
from engram.model.retention import Terms
from engram.model.settings import Settings
from engram.model.view import VaultView

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.capture.signals import Signals
    from engram.model.asking import Answered
    from engram.model.change import Plan
    from engram.model.model_request import Request
    from engram.model.record_draft import RecordDraft
    from engram.model.report import Reverted
    from engram.model.turn import Turn
    from engram.pipeline.settle import Settler


class Ports(Protocol):
    """The ports of one vault."""

    @property
    def clock(self) -> Clock:
        """The time."""

    @property
    def stopwatch(self) -> Stopwatch:
        """How long something takes."""

    @property
    def timezone(self) -> str:
        """The time zone in which the vault's days begin and end."""

    @property
    def settings(self) -> Settings:
        """The settings of this vault, here."""

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out of texts."""

    @property
    def signals(self) -> Signals:
        """What finds words that ask to be remembered."""

    @property
    def turn_log(self) -> TurnLog:
        """The durable buffer of turns."""

    @property
    def turns(self) -> TurnStore:
        """What is known of captured turns."""

    @property
    def ages(self) -> Ages:
        """How many ticks memories have lived, and which belong to sessions."""

    @property
    def conversations(self) -> Conversations:
        """Whole conversations, and their session records."""

    @property
    def cursors(self) -> Cursors:
        """How far each transcript was read."""

    @property
    def own_folders(self) -> Sequence[Path]:
        """The folders that the vault writes itself: no transcripts lie there."""

    @property
    def view(self) -> VaultView:
        """What the vault knows."""

    @property
    def history(self) -> ConsolidationHistory:
        """What happened since the last consolidation."""

    @property
    def runs(self) -> RunRecords:
        """The records of consolidations."""

    @property
    def tiers(self) -> TierLookup:
        """The tiers of memories."""

    @property
    def asks_model(self) -> bool:
        """Whether a model reads what is captured live: it costs money, or minutes."""

    @property
    def extractor(self) -> Extractor:
        """Who reads what was captured live: rules, and a model if there is one."""

    @property
    def rules(self) -> Extractor:
        """Who reads what was imported, and all where no model is to be asked."""

    def stated_drafts(self, turns: Sequence[Turn]) -> Sequence[RecordDraft]:
        """The records that a whole conversation states, without a model."""

    @property
    def record_asker(self) -> RecordAsker | None:
        """Who drafts records of what was captured live by asking a model; None without one."""

    @property
    def heard(self) -> Heard:
        """What was said before."""

    @property
    def rule_files(self) -> WrittenRules:
        """What the rule files of projects say."""

    @property
    def policy(self) -> Policy:
        """What may be kept of whom, and for how long."""

    @property
    def terms(self) -> Terms:
        """How long memories live."""

    @property
    def given(self) -> Given:
        """What agents were given."""

    @property
    def judge(self) -> Judge:
        """Who compares memories without asking anyone."""

    @property
    def box_weaver(self) -> BoxWeaver:
        """Who makes boxes of memories."""

    @property
    def entity_page(self) -> EntityPage:
        """Who makes the page of an entity."""

    @property
    def prompts(self) -> Mapping[str, Mapping[str, Any]]:
        """What consolidation asks a model with, by name."""

    @property
    def writer(self) -> Writer:
        """Memories as file changes."""

    @property
    def pages(self) -> PageWriter:
        """Boxes, entities and summaries as file changes."""

    @property
    def phases(self) -> Phases:
        """The page of phases."""

    @property
    def eraser(self) -> Eraser:
        """Takes a memory out of the pages of others."""

    @property
    def committer(self) -> Committer:
        """The writer lock, and the one way to commit."""

    @property
    def settler(self) -> Settler:
        """Takes up hand edits."""

    @property
    def index(self) -> Index:
        """The full-text index."""

    @property
    def derived(self) -> DerivedState:
        """Catalog and views."""

    def worktree(self, folder: str) -> tuple[str, str]:
        """The names of the worktree that a folder lies in and of its repository; else empty."""

    def foreign_rows(self, path: Path) -> ForeignRows:
        """A database of another program."""

    def undo_plan(self, what: str) -> Reverted:
        """What takes a change back, without the pages that show it.

        Raises NotFound, BadInput, Conflict.
        """

    def conflict_copies(self) -> CopyMerger:
        """The conflict copies that there are now."""

    def links_to_follow(self) -> Plan:
        """What brings links to the names that files have now; the writer lock is held."""

    def model_for_run(self) -> RunModel:
        """The model for one run, which may spend what a run may."""

    def side_by_side(self, model: Model, requests: Sequence[Request]) -> Sequence[Answered]:
        """The reply to each of several questions, or why there is none; some at a time."""

    def judge_with(self, model: Model) -> Judge:
        """The judge that asks a model where the rules are not sure."""

    @property
    def verdicts(self) -> KeptVerdicts:
        """What a model said about pairs and clusters of memories before."""

    @property
    def asked_as(self) -> str:
        """The models that are asked: another one is asked anew."""

    def thinking(self, patience: float | None) -> AbstractContextManager[object]:
        """Held while a model is asked: by one process at a time. Raises Locked."""

    def begin_run(self) -> None:
        """What the extractor may spend in one run is counted from here."""

    @property
    def shared(self) -> bool:
        """Whether the vault is shared with others, and holds promoted memories alone."""

    def check_writable(self) -> None:
        """Raise Untrusted or FormatTooNew for a vault that may not be written here."""
