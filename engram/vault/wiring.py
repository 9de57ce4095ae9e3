"""Furnishing: what stands behind the ports of one vault, built and wired once.

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

from engram.capture.turn_log import TurnJournal
from engram.language.tokens import VOCABULARY
from engram.llm.budget import Budget
from engram.llm.prices import Prices
from engram.llm.provider import CLOUD, Provider, providers
from engram.llm.provider_habits import Learnt
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.model_request import Estimate, Request
from engram.model.ports import Clock, Extractor, Judge, Model, Sleeper
from engram.model.report import ModelStatus
from engram.model.settings import LlmSettings, Settings
from engram.model.step import Opinion
from engram.model.turn import Turn
from engram.pipeline.ports import House
from engram.queries.index_sync import Shelf
from engram.queries.search import Library
from engram.settings.load import shipped
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.base.lock import WriterLock
from engram.store.commits.committer import Ledger
from engram.store.commits.contents import VaultContents
from engram.store.commits.projections import Followers
from engram.store.commits.purge import Eraser
from engram.store.commits.transaction_log import History
from engram.store.commits.vault_turns import VaultTurns
from engram.store.files.render import Pen

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
class Parts:
    """The parts of one vault, each knowing those it needs."""

    disk: VaultDisk
    journal: TurnJournal
    history: History
    followers: Followers
    eraser: Eraser
    ledger: Ledger
    shelf: Shelf
    library: Library


def parts_of(
    root: Path, vault: str, cache: Path, clock: Clock, settings: Settings, writable: bool
) -> Parts:
    """The parts of the vault at `root`; `writable` is whether it may be written here at all."""
    disk = VaultDisk(root)
    journal, history = TurnJournal(disk), History(disk)
    # readers of a folder that they may not or cannot write to take turns in the cache instead
    own = writable and os.access(root / layout.STATE, os.W_OK)
    patience = settings.store.lock_timeout_seconds
    path = root / layout.LOCK if own else cache / "lock"
    lock = WriterLock(path, patience, within=root)
    catalog = cache / "catalog.sqlite"
    followers = Followers(disk, journal, catalog, vault, history, lock, VOCABULARY)
    eraser = Eraser(disk, history, journal, followers.transcripts)
    ledger = Ledger(disk, clock, lock, followers, eraser)
    shelf = Shelf(disk, followers, journal, history, cache / "index")
    library = Library(disk, followers, journal, shelf)
    return Parts(disk, journal, history, followers, eraser, ledger, shelf, library)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a model is asked from: the person's environment and folder, the time, and waiting."""

    environment: Mapping[str, str]
    folder: Path
    clock: Clock
    sleeper: Sleeper


def house_of(
    parts: Parts, settings: Settings, desk: Desk, trusted: bool, take_up: Callable[[], None]
) -> House:
    """The ports that the flows of a vault work through; a model only for a registered vault."""
    # imported here: reading a vault needs neither pattern table, and weaves nothing
    from engram.capture.redact.redactor import compile_redactor
    from engram.capture.signals import compile_signals
    from engram.weave.biography import Biography
    from engram.weave.seal import Loom

    capture = settings.capture
    redactor = compile_redactor(shipped("redaction"), capture.redact_allow)
    rules = LateRules(settings.extract.max_per_turn)
    asked = trusted and bool(providers(settings.llm, desk.environment))
    budget = budget_of(settings.llm, desk)
    tier = partial(model_tier, parts, settings, desk, redactor, budget)
    pen = Pen(parts.disk)
    return House(
        clock=desk.clock,
        settings=settings,
        redactor=redactor,
        signals=compile_signals(shipped("signals"), capture.high_signal_patterns),
        journal=parts.journal,
        turns=VaultTurns(parts.followers, parts.journal),
        known=parts.followers,
        writer=pen,
        pages=pen,
        contents=VaultContents(parts.disk, parts.followers),
        judge=LateJudge(),
        weaver=Loom(settings.boxes),
        biographer=Biography(),
        ledger=parts.ledger,
        extractor=LateTiers(rules, tier, settings) if asked else rules,
        backlog=rules if asked else None,
        take_up=take_up,
        begin_run=budget.begin_run,
    )


def budget_of(settings: LlmSettings, desk: Desk) -> Budget:
    """The person's budget on this machine."""
    lock = WriterLock(desk.folder / "spend" / "lock", _PATIENCE)
    return Budget(VaultDisk(desk.folder), lock.hold, desk.clock, settings)


def model_status(settings: LlmSettings, desk: Desk) -> ModelStatus | None:
    """Who is asked, what was spent today, who rests; None where no model is configured."""
    asked = providers(settings, desk.environment)
    if not asked:
        return None
    learnt = Learnt(VaultDisk(desk.folder), desk.clock)
    away = [one for provider in asked if (one := learnt.resting(provider)) is not None]
    names = [f"{provider.name}: {provider.model}" for provider in asked]
    return ModelStatus(names, budget_of(settings, desk).today(), away)


def estimate_of(calls: int, input_tokens: int, settings: LlmSettings, desk: Desk) -> Estimate:
    """What questions would cost at the first provider; where there is none, at a small model's."""
    asked = providers(settings, desk.environment)
    provider = asked[0] if asked else Provider(CLOUD, settings.base_url, _EXAMPLE, "")
    return Prices(shipped("prices"), settings).estimate(provider, calls, input_tokens)


def chain_of(
    parts: Parts, settings: Settings, desk: Desk, redactor: Redactor, budget: Budget
) -> Chain:
    """The model behind the configured providers. Imports what only a question needs."""
    from engram.llm.chain import Chain
    from engram.llm.usage_log import CallLedger
    from engram.llm.wire import Wire

    return Chain(
        providers(settings.llm, desk.environment),
        Wire(settings.llm.timeout_seconds),
        Learnt(VaultDisk(desk.folder), desk.clock),
        budget,
        Prices(shipped("prices"), settings.llm),
        CallLedger(parts.disk, desk.clock),
        lambda text: redactor.redact(text).text,
        desk.sleeper,
        settings.llm.max_input_tokens,
    )


def prompts() -> dict[str, dict[str, Any]]:
    """What consolidation asks a model with, by name."""
    return {name: shipped(f"prompts/{name}") for name in _PROMPTS}


def model_judge(rules: Judge, asked: Mapping[str, Mapping[str, Any]], model: Model) -> Judge:
    """The judge that asks a model where the rules are not sure."""
    from engram.admit.judge.model_judge import ModelJudge

    return ModelJudge(rules, asked["judge"], model)


def asked_model(parts: Parts, settings: Settings, desk: Desk, redactor: Redactor) -> Chain:
    """The model for a run of its own, counted from here."""
    budget = budget_of(settings.llm, desk)
    budget.begin_run()
    return chain_of(parts, settings, desk, redactor, budget)


def model_tier(
    parts: Parts, settings: Settings, desk: Desk, redactor: Redactor, budget: Budget
) -> ModelTier:
    """The tier that asks the model."""
    from engram.extract.llm.model_tier import ModelTier
    from engram.extract.llm.prompt import Prompt
    from engram.queries.prompt_context import VaultSurroundings

    return ModelTier(
        Prompt(shipped("prompts/extract"), settings.llm.max_input_tokens),
        chain_of(parts, settings, desk, redactor, budget),
        VaultSurroundings(parts.followers, parts.journal, parts.shelf),
    )


class LateJudge:
    """The judge that asks nobody, made with the first question."""

    @cached_property
    def judge(self) -> Judge:
        """The judge."""
        from engram.admit.judge.rule_judge import CueJudge

        return CueJudge()

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
    from engram.extract.imported import StatedTier
    from engram.extract.rules.rules_tier import RulesTier

    return StatedTier(RulesTier(shipped("rules"), max_per_turn))
