"""Wiring: builds the adapters behind the ports of one vault, once.

Turns a root, its settings and a clock into the parts of a vault and the House of its flows. The
costly parts (pattern tables) are made when they are first needed: a search pays for none of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engram.capture.turn_log import VaultTurnLog
from engram.llm.budget import Budget
from engram.llm.prices import Prices
from engram.llm.provider import CLOUD, Provider, providers
from engram.llm.provider_habits import ProviderHabits
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.model_request import Estimate, Request
from engram.model.ports import Clock, Extractor, Judge, Model, Sleeper
from engram.model.report import ModelStatus
from engram.model.settings import LlmSettings, Settings
from engram.model.step import Opinion
from engram.model.turn import Turn
from engram.pipeline.ports import Ports
from engram.queries.index_sync import IndexSync
from engram.queries.search import SearchQueries
from engram.settings.load import shipped
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.base.lock import WriterLock
from engram.store.commits.committer import VaultCommitter
from engram.store.commits.projections import Projections
from engram.store.commits.purge import PurgeWriter
from engram.store.commits.transaction_log import TransactionLog
from engram.store.commits.vault_turns import VaultTurns
from engram.store.files.render import FileRenderer

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.extract.llm.model_tier import ModelTier
    from engram.extract.tiers import Tiers
    from engram.llm.chain import Chain

#: whose price stands for "a model" where none is configured
_EXAMPLE = "gpt-5.4-nano"
#: how long another process is waited for that writes down what it spent, seconds
_PATIENCE = 10.0
#: the questions of consolidation
_PROMPTS = ("condense", "entity", "judge", "merge")


@dataclass(frozen=True, slots=True)
class VaultParts:
    """The parts of one vault, each knowing those it needs."""

    disk: VaultDisk
    turn_log: VaultTurnLog
    transaction_log: TransactionLog
    projections: Projections
    purge_writer: PurgeWriter
    committer: VaultCommitter
    index_sync: IndexSync
    library: SearchQueries


def vault_parts(
    root: Path, vault: str, cache: Path, clock: Clock, settings: Settings, writable: bool
) -> VaultParts:
    """The parts of the vault at `root`; `writable` is whether it may be written here at all."""
    disk = VaultDisk(root)
    turn_log, transaction_log = VaultTurnLog(disk), TransactionLog(disk)
    # readers of a folder that they may not or cannot write to take turns in the cache instead
    own = writable and os.access(root / layout.STATE, os.W_OK)
    patience = settings.store.lock_timeout_seconds
    path = root / layout.LOCK if own else cache / "lock"
    lock = WriterLock(path, patience, within=root)
    catalog = cache / "catalog.sqlite"
    projections = Projections(disk, turn_log, catalog, vault, transaction_log, lock)
    purge_writer = PurgeWriter(disk, transaction_log, turn_log, projections.transcripts)
    committer = VaultCommitter(disk, clock, lock, projections, purge_writer)
    index_sync = IndexSync(disk, projections, turn_log, transaction_log, cache / "index")
    library = SearchQueries(disk, projections, turn_log, index_sync)
    return VaultParts(
        disk, turn_log, transaction_log, projections, purge_writer, committer, index_sync, library
    )


@dataclass(frozen=True, slots=True)
class Machine:
    """What a model is asked from: the person's environment and folder, the time, and waiting."""

    environment: Mapping[str, str]
    folder: Path
    clock: Clock
    sleeper: Sleeper


def ports_of(
    parts: VaultParts,
    settings: Settings,
    machine: Machine,
    trusted: bool,
    take_up: Callable[[], None],
) -> Ports:
    """The ports that the flows of a vault work through; a model only for a registered vault."""
    # imported here: reading a vault needs neither pattern table, and weaves nothing
    from engram.capture.redact.redactor import compile_redactor
    from engram.capture.signals import compile_signals
    from engram.weave.biography import EntityFolder
    from engram.weave.seal import BoxSealer

    capture = settings.capture
    redactor = compile_redactor(shipped("redaction"), capture.redact_allow)
    rules = LateRules(settings.extract.max_per_turn)
    asked = trusted and bool(providers(settings.llm, machine.environment))
    budget = budget_of(settings.llm, machine)
    tier = partial(model_tier, parts, settings, machine, redactor, budget)
    renderer = FileRenderer(parts.disk)
    return Ports(
        clock=machine.clock,
        settings=settings,
        redactor=redactor,
        signals=compile_signals(shipped("signals"), capture.high_signal_patterns),
        turn_log=parts.turn_log,
        turns=VaultTurns(parts.projections, parts.turn_log),
        view=parts.projections.view,
        writer=renderer,
        pages=renderer,
        judge=LateJudge(),
        box_weaver=BoxSealer(settings.boxes),
        entity_weaver=EntityFolder(),
        committer=parts.committer,
        extractor=LateTiers(rules, tier, settings) if asked else rules,
        backlog=rules if asked else None,
        take_up=take_up,
        begin_run=budget.begin_run,
    )


def budget_of(settings: LlmSettings, machine: Machine) -> Budget:
    """The person's budget on this machine."""
    lock = WriterLock(machine.folder / "spend" / "lock", _PATIENCE)
    return Budget(VaultDisk(machine.folder), lock.hold, machine.clock, settings)


def model_status(settings: LlmSettings, machine: Machine) -> ModelStatus | None:
    """Who is asked, what was spent today, who rests; None where no model is configured."""
    asked = providers(settings, machine.environment)
    if not asked:
        return None
    learnt = ProviderHabits(VaultDisk(machine.folder), machine.clock)
    away = [one for provider in asked if (one := learnt.resting(provider)) is not None]
    names = [f"{provider.name}: {provider.model}" for provider in asked]
    return ModelStatus(names, budget_of(settings, machine).today(), away)


def estimate_of(calls: int, input_tokens: int, settings: LlmSettings, machine: Machine) -> Estimate:
    """What questions would cost at the first provider; where there is none, at a small model's."""
    asked = providers(settings, machine.environment)
    provider = asked[0] if asked else Provider(CLOUD, settings.base_url, _EXAMPLE, "")
    return Prices(shipped("prices"), settings).estimate(provider, calls, input_tokens)


def chain_of(
    parts: VaultParts, settings: Settings, machine: Machine, redactor: Redactor, budget: Budget
) -> Chain:
    """The model behind the configured providers. Imports what only a question needs."""
    from engram.llm.chain import Chain
    from engram.llm.usage_log import UsageLog
    from engram.llm.wire import Wire

    return Chain(
        providers(settings.llm, machine.environment),
        Wire(settings.llm.timeout_seconds),
        ProviderHabits(VaultDisk(machine.folder), machine.clock),
        budget,
        Prices(shipped("prices"), settings.llm),
        UsageLog(parts.disk, machine.clock),
        lambda text: redactor.redact(text).text,
        machine.sleeper,
        settings.llm.max_input_tokens,
    )


def prompts() -> dict[str, dict[str, Any]]:
    """What consolidation asks a model with, by name."""
    return {name: shipped(f"prompts/{name}") for name in _PROMPTS}


def model_judge(rules: Judge, asked: Mapping[str, Mapping[str, Any]], model: Model) -> Judge:
    """The judge that asks a model where the rules are not sure."""
    from engram.admit.judge.model_judge import ModelJudge

    return ModelJudge(rules, asked["judge"], model)


def asked_model(
    parts: VaultParts, settings: Settings, machine: Machine, redactor: Redactor
) -> Chain:
    """The model for a run of its own, counted from here."""
    budget = budget_of(settings.llm, machine)
    budget.begin_run()
    return chain_of(parts, settings, machine, redactor, budget)


def model_tier(
    parts: VaultParts, settings: Settings, machine: Machine, redactor: Redactor, budget: Budget
) -> ModelTier:
    """The tier that asks the model."""
    from engram.extract.llm.model_tier import ModelTier
    from engram.extract.llm.prompt import ExtractionPrompt
    from engram.queries.prompt_context import VaultPromptContext

    return ModelTier(
        ExtractionPrompt(shipped("prompts/extract"), settings.llm.max_input_tokens),
        chain_of(parts, settings, machine, redactor, budget),
        VaultPromptContext(parts.projections, parts.turn_log, parts.index_sync),
    )


class LateJudge:
    """The judge that asks nobody, made with the first question."""

    @cached_property
    def judge(self) -> Judge:
        """The judge."""
        from engram.admit.judge.rule_judge import RuleJudge

        return RuleJudge()

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """Its opinion."""
        return self.judge.compare(older, newer)


class LateTiers:
    """Rules and model, made with the first extraction: `engram status` pays for neither."""

    costly = True

    def __init__(
        self, rules: Extractor, model: Callable[[], ModelTier], settings: Settings
    ) -> None:
        self._rules = rules
        self._model = model
        self._settings = settings

    @cached_property
    def tiers(self) -> Tiers:
        """Both tiers."""
        from engram.extract.tiers import Tiers

        return Tiers(self._rules, self._model(), self._settings.llm.when_away)

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """As the model wants it."""
        return self.tiers.portion(turns, attempts)

    def request(self, turns: Sequence[Turn]) -> Request:
        """What the model would be asked."""
        return self.tiers.request(turns)

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """What both make of these turns."""
        return self.tiers.extract(turns)


class LateRules:
    """The rules tier, compiled with the first extraction: capture alone does not pay for it."""

    def __init__(self, max_per_turn: int) -> None:
        self._max_per_turn = max_per_turn

    costly = False

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """All of them."""
        return len(turns)

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """What the rules tier makes of these turns."""
        return _rules(self._max_per_turn).extract(turns)


@cache
def _rules(max_per_turn: int) -> Extractor:
    """One for all vaults of a process: it keeps nothing between turns."""
    from engram.extract.imported import ImportedTier
    from engram.extract.rules.rules_tier import RulesTier

    return ImportedTier(RulesTier(shipped("rules"), max_per_turn))
