"""Wiring: what stands behind each port of one vault, made when it is first asked for.

The only module that knows both sides of a port. A verb pays for what it uses: a search makes no
pattern table, a list opens no index.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engram.model.authority import AUTHORITIES
from engram.model.errors import (
    BadInput,
    ConfigError,
    FormatTooNew,
    NotFound,
    StorageError,
    Untrusted,
)
from engram.pipeline.settle import Settler
from engram.settings.load import Loaded, load, shipped
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.settings.shipped import fingerprint
from engram.settings.vault_folders import cache_folder, reading_folder
from engram.store.base import layout
from engram.store.base.clock import FixedClock, SystemClock, clock_of
from engram.store.base.disk import VaultDisk
from engram.store.commits.hand_edits import VaultEdits
from engram.store.commits.projections import Projections
from engram.store.commits.transaction_log import TransactionLog

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.capture.signals import Signals
    from engram.capture.turn_log import VaultTurnLog
    from engram.extract.llm.prompt import ExtractionPrompt
    from engram.extract.stated_fields import StatedPatterns
    from engram.extract.triage import TriagePatterns
    from engram.index.contract import SearchIndex
    from engram.index.vector_store import VectorStore
    from engram.llm.budget import Budget
    from engram.llm.metered_calls import MeteredCalls
    from engram.llm.provider import Provider
    from engram.model.asking import Answered
    from engram.model.change import Plan, Transaction
    from engram.model.given import PolicyRef
    from engram.model.memory import Audience, Memory
    from engram.model.model_request import Estimate, Request
    from engram.model.policy import Policy
    from engram.model.ports import (
        Clock,
        CopyMerger,
        Embedder,
        EntityPage,
        Extractor,
        ForeignRows,
        Given,
        Heard,
        Judge,
        Model,
        RecordAsker,
        RunModel,
        Sleeper,
        WrittenRules,
    )
    from engram.model.record_draft import RecordDraft
    from engram.model.report import ModelStatus, Reverted, VectorStatus
    from engram.model.retention import Terms
    from engram.model.turn import Turn
    from engram.queries.answering import Answering
    from engram.queries.box_queries import BoxQueries
    from engram.queries.embedding import Embedding
    from engram.queries.entity_queries import EntityQueries
    from engram.queries.given_queries import GivenQueries
    from engram.queries.index_sync import IndexSync
    from engram.queries.lookup import Lookup
    from engram.queries.meaning_search import MeaningSearch
    from engram.queries.memories import Memories
    from engram.queries.model_answering import ModelAnswering
    from engram.queries.naming import Naming
    from engram.queries.phase_queries import PhaseQueries
    from engram.queries.recalling import Recalling
    from engram.queries.search import SearchQueries
    from engram.queries.summary_queries import SummaryQueries
    from engram.queries.tier_queries import TierQueries
    from engram.settings.paths import UserPaths
    from engram.settings.policy_files import PolicySource
    from engram.settings.registry import Registered
    from engram.settings.vaults_read import ReadVault
    from engram.store.base.lock import WriterLock
    from engram.store.catalog.age_rows import AgeRows
    from engram.store.catalog.catalog import Catalog
    from engram.store.catalog.catalog_view import CatalogView
    from engram.store.catalog.consolidation_rows import ConsolidationRows
    from engram.store.catalog.run_files import RunFiles
    from engram.store.commits.attributed_turns import AttributedTurns
    from engram.store.commits.committer import VaultCommitter
    from engram.store.commits.conversations import VaultConversations
    from engram.store.commits.cursors import CursorFile
    from engram.store.commits.purge import PurgeWriter
    from engram.store.commits.purge_plan import PurgePlanner
    from engram.store.commits.purge_secrets import SecretEraser
    from engram.store.commits.vault_turns import VaultTurns
    from engram.store.files.judgement_file import JudgementFile
    from engram.store.files.kept_verdicts import VerdictFile
    from engram.store.files.phases_file import PhasesFile
    from engram.store.files.render import FileRenderer
    from engram.weave.seal import BoxSealer

_log = logging.getLogger(__name__)
#: whose price stands for "a model" where none is configured
_EXAMPLE = "gpt-5.4-nano"
#: how long another process is waited for that writes down what it spent, seconds
_PATIENCE = 10.0
#: the questions of consolidation
_PROMPTS = ("condense", "entity", "judge", "summary")


def _whoosh(folder: Path) -> SearchIndex:
    from engram.index.whoosh_finder import WhooshFinder

    return WhooshFinder(folder)


@dataclass(frozen=True, slots=True)
class Adapters:
    """What a vault reaches the outside with; the defaults are the real ones.

    `disk` and `finder` make theirs for a folder; a `clock` of None is that of the environment,
    `model`, `extractor`, `judge` and `embedder` of None are those that the settings name, a
    `policy` of None that of the policy files.
    """

    disk: Callable[[Path], VaultDisk] = VaultDisk
    finder: Callable[[Path], SearchIndex] = _whoosh
    clock: Clock | None = None
    model: Model | None = None
    extractor: Extractor | None = None
    judge: Judge | None = None
    embedder: Embedder | None = None
    policy: Policy | None = None

    @property
    def time(self) -> Clock:
        """The clock, which is that of the system where none was given."""
        return self.clock or SystemClock()

    def at(self, clock: Clock | None, environment: Mapping[str, str]) -> Adapters:
        """The same with a clock: this one, its own, or that of the environment."""
        return replace(self, clock=clock or self.clock or clock_of(environment))


def parts_of(
    root: Path, environment: Mapping[str, str], adapters: Adapters,
    flags: Mapping[str, object] | None = None,
) -> VaultParts:  # fmt: skip
    """The parts of the vault at a real path.

    Raises NotFound when the folder is none, ConfigError for bad settings.
    """
    places = places_of(environment)
    loaded = load(root, environment, flags or {}, places)
    if loaded.vault is None:
        raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
    entry = Registry(places).entry(root, loaded.vault.id)
    return VaultParts(root, loaded, places, environment, adapters, entry)


class VaultParts:
    """The parts of one vault; what use cases see of it are its `Ports`."""

    def __init__(
        self, root: Path, loaded: Loaded, places: UserPaths, environment: Mapping[str, str],
        adapters: Adapters, entry: Registered | None,
    ) -> None:  # fmt: skip
        """`entry` is that of the registry; None for a vault that is not trusted."""
        assert loaded.vault is not None  # whoever opens a vault has checked that there is one
        self.root = root
        self.loaded = loaded
        self.header = loaded.vault
        self.settings = loaded.settings
        self.entry = entry
        self.clock = adapters.time
        self.cache = cache_folder(places, root, loaded.vault.id)
        self.environment = environment
        self.places = places
        self.adapters = adapters
        #: the vaults that were read beside this one
        self.beside: dict[ReadVault, VaultParts] = {}
        #: the policy that held last, and what hooks are told of it
        self._held: tuple[Policy, PolicyRef] | None = None

    @property
    def trusted(self) -> bool:
        """Whether the vault is registered on this machine."""
        return self.entry is not None

    @property
    def shared(self) -> bool:
        """Whether the vault or the registry says that it is shared with others.

        Such a one takes no conversation, whatever the other says.
        """
        return bool(self.header.shares or (self.entry and self.entry.sharing.space))

    @property
    def sharing_problem(self) -> BadInput | None:
        """What is wrong where vault and registry differ on that, or its logs are a stranger's."""
        from engram.settings.shared_vaults import sharing_problem
        from engram.store.base.exposure import carried_logs

        differs = sharing_problem(self.root, self.header.shares, self.entry)
        return differs or (carried_logs(self.root) if self.shared else None)

    def check_takes_words(self) -> None:
        """Raise BadInput for a shared vault: what is said goes into a person's own one."""
        if self.shared:
            raise BadInput(
                f"{self.root} is shared with others: it takes no conversation, and no word unasked",
                "leave out --vault, and ENGRAM_VAULT; `engram promote ID --to project` puts there "
                "what you want to share",
            )

    @property
    def read_only(self) -> bool:
        """Whether the vault was written by a newer engram."""
        return self.header.format > layout.FORMAT

    @property
    def writable(self) -> bool:
        """Whether this vault may be written here: registered, and of a format that is known."""
        return self.trusted and not self.read_only

    @property
    def timezone(self) -> str:
        """The time zone in which the vault's days begin and end."""
        return self.header.timezone

    @property
    def own_folders(self) -> list[Path]:
        """The folders that the vault writes itself."""
        return [self.root / name for name in layout.OWN]

    def check_writable(self) -> None:
        """Raise Untrusted or FormatTooNew for a vault that may not be written here."""
        if self.read_only:
            raise FormatTooNew(f"{self.root} was written by a newer engram")
        if not self.trusted:
            raise Untrusted(
                f"{self.root} is not registered on this machine", f"`engram trust {self.root}`"
            )

    def close(self) -> None:
        """Let go of catalog and index."""
        if "settler" in self.__dict__ and self.settler.change_detector is not None:
            self.settler.change_detector.close()
        if "index" in self.__dict__:
            self.index.close()
        self.projections.close()
        for one in self.beside.values():
            one.close()

    # -- the store -----------------------------------------------------------------------------

    @cached_property
    def disk(self) -> VaultDisk:
        """The vault's folder."""
        return self.adapters.disk(self.root)

    @cached_property
    def turn_log(self) -> VaultTurnLog:
        """The turn journal."""
        from engram.capture.turn_log import VaultTurnLog

        return VaultTurnLog(self.disk)

    @cached_property
    def attributed_turns(self) -> AttributedTurns:
        """The turns of the journal, as the owner and others said them."""
        from engram.store.commits.attributed_turns import AttributedTurns

        return AttributedTurns(self.projections, self.turn_log, self.settings.owner, self.timezone)

    @cached_property
    def transaction_log(self) -> TransactionLog:
        """The journal of transactions."""
        return TransactionLog(self.disk)

    @cached_property
    def _lock(self) -> WriterLock:
        """The writer lock; those who may not or cannot write take turns in the cache instead."""
        from engram.store.base.lock import WriterLock

        own = self.writable and os.access(self.root / layout.STATE, os.W_OK)
        path = self.root / layout.LOCK if own else self.cache / "lock"
        return WriterLock(path, self.settings.store.lock_timeout_seconds, within=self.root)

    @cached_property
    def projections(self) -> Projections:
        """Catalog, views and transcripts."""
        return Projections(
            self.disk, self.turn_log, self.cache / "catalog.sqlite", self.header.id,
            self.transaction_log, lambda: self._lock, self._audience_of,
            fingerprint("redaction", self.settings.capture.redact_allow),
            self._most_claimed, records=self.writable,
        )  # fmt: skip

    @property
    def _most_claimed(self) -> str:
        """The most authority that a header of the vault may claim for itself."""
        if self.shared and self.entry is not None:
            return self.entry.sharing.authority
        return AUTHORITIES[-1]

    def _audience_of(self, memory: Memory) -> Audience:
        from engram.recall.audience import audience_of

        return audience_of(memory, self.redactor.clean)

    @property
    def catalog(self) -> Catalog:
        """The catalog; another object after it was made anew."""
        return self.projections.catalog

    @property
    def derived(self) -> Projections:
        """Catalog and views, as they are computed anew."""
        return self.projections

    @property
    def view(self) -> CatalogView:
        """What the vault knows."""
        return self.projections.view

    @property
    def history(self) -> ConsolidationRows:
        """What happened since the last consolidation; the catalog behind it may be replaced."""
        return self.catalog.consolidations

    @cached_property
    def runs(self) -> RunFiles:
        """The records of consolidations."""
        from engram.store.catalog.run_files import RunFiles

        return RunFiles(self.disk)

    @cached_property
    def judgements(self) -> JudgementFile:
        """What the person said of memories that were drawn at random."""
        from engram.store.files.judgement_file import JudgementFile

        return JudgementFile(self.disk)

    @cached_property
    def turns(self) -> VaultTurns:
        """What is known of captured turns."""
        from engram.store.commits.vault_turns import VaultTurns

        return VaultTurns(self.projections, self.attributed_turns)

    @property
    def ages(self) -> AgeRows:
        """How many ticks memories have lived; the catalog behind it may be replaced."""
        return self.catalog.ages

    @cached_property
    def conversations(self) -> VaultConversations:
        """Whole conversations, and their session records."""
        from engram.store.commits.conversations import VaultConversations

        return VaultConversations(self.projections, self.attributed_turns, self.transaction_log)

    @cached_property
    def _purge_writer(self) -> PurgeWriter:
        from engram.store.commits.purge import PurgeWriter

        return PurgeWriter(
            self.disk, self.transaction_log, self.turn_log, self.projections.transcripts,
            lambda: self.secrets,
        )  # fmt: skip

    @cached_property
    def secrets(self) -> SecretEraser:
        """Where secrets stand, and what takes them out."""
        from engram.store.commits.purge_secrets import SecretEraser

        return SecretEraser(
            self.disk, self.projections, self.transaction_log, self.turn_log,
            lambda text: self.redactor.redact(text).text,
        )  # fmt: skip

    @cached_property
    def committer(self) -> VaultCommitter:
        """The writer lock, and the one way to commit."""
        from engram.store.commits.committer import VaultCommitter

        return VaultCommitter(
            self.disk, self.clock, self._lock, self.projections,
            self._erase, self.held_policy,
        )  # fmt: skip

    def _erase(self, committed: Transaction) -> Transaction:
        """What a purge takes out; vectors tell of words as well, and are made anew.

        So is what those know of it who read it beside their own vault.
        """
        from engram.index.vector_store import VectorsUnusable

        try:
            self.vectors.drop()
        except VectorsUnusable as error:
            raise StorageError(str(error)) from error
        try:
            shutil.rmtree(reading_folder(self.cache))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise StorageError(f"what readers know of it cannot be removed: {error}") from error
        return self._purge_writer.erase(committed)

    @cached_property
    def writer(self) -> FileRenderer:
        """Memories and pages as file changes."""
        from engram.store.files.render import FileRenderer

        return FileRenderer(self.disk, self.projections.names)

    @property
    def pages(self) -> FileRenderer:
        """Boxes, entities and summaries as file changes."""
        return self.writer

    @property
    def phases(self) -> PhasesFile:
        """The page of phases."""
        from engram.store.files.phases_file import PhasesFile

        return PhasesFile(self.disk)

    @property
    def is_older(self) -> Callable[[Memory], bool]:
        """Whether a memory is of an older phase, where the policy has none of those given."""
        from engram.recall.current_phase import OlderPhases

        spaces, said = self.policy.ref.current_only, self.catalog.phases.last_said
        return OlderPhases(self.phases.read(), spaces, self.clock.now(), said).hold

    @property
    def is_silent(self) -> Callable[[Memory], bool]:
        """Whether the session that a memory belongs to is over by time."""
        from engram.model.memory import is_silent

        now = self.clock.now()
        return lambda memory: is_silent(self.ages.last_heard(memory), now)

    @property
    def phase_queries(self) -> PhaseQueries:
        """The phases of each store, of the page as it is now."""
        from engram.queries.phase_queries import PhaseQueries

        return PhaseQueries(self.catalog, self.phases.read)

    @cached_property
    def eraser(self) -> PurgePlanner:
        """What is taken out with a memory."""
        from engram.settings.own_words import own_words
        from engram.store.commits.purge_plan import PurgePlanner
        from engram.store.merge.conflict_copies import conflict_copies

        return PurgePlanner(
            self.disk, self.projections, self.transaction_log, self.writer,
            lambda: conflict_copies(self.root), own_words,
        )  # fmt: skip

    @cached_property
    def settler(self) -> Settler:
        """Takes up hand edits."""
        edits = VaultEdits(self.disk, self.projections)
        return Settler(edits, lambda: self.committer, writable=self.writable)

    def undo_plan(self, what: str) -> Reverted:
        """What takes a change back, without pages. Raises NotFound, BadInput, Conflict."""
        from engram.store.commits.undo import UndoPlanner

        return UndoPlanner(self.disk, self.transaction_log, self.projections).plan(what)

    def retry_plan(self) -> tuple[Plan, int]:
        """What queues the dead letter again, and how many turns it holds."""
        from engram.store.commits.undo import retry_plan

        return retry_plan(self.disk, self.catalog)

    def conflict_copies(self) -> CopyMerger:
        """The conflict copies that there are now."""
        from engram.store.merge.conflict_copies import ConflictCopies

        return ConflictCopies(self.disk, self.projections)

    def links_to_follow(self) -> Plan:
        """What brings links to the names that files have now."""
        from engram.store.commits.link_following import LinkFollowing

        return LinkFollowing(self.disk, self.projections, self.transaction_log).plan()

    @cached_property
    def cursors(self) -> CursorFile:
        """How far each transcript was read."""
        from engram.store.commits.cursors import CursorFile

        return CursorFile(self.disk)

    def foreign_rows(self, path: Path) -> ForeignRows:
        """A database of another program."""
        from engram.store.base.foreign_database import ForeignDatabase

        return ForeignDatabase(path)

    def worktree(self, folder: str) -> tuple[str, str]:
        """The names of the worktree that a folder lies in and of its repository; else empty."""
        from engram.settings.project_folders import worktree

        return worktree(folder, self.places.home, self.root)

    def count_access(self, identifiers: Iterable[str]) -> None:
        """Count that a person or an agent asked for these memories, each once; not in other vaults.

        For a list that a search gives, and for what a hook injects, nobody asked.
        """
        from engram.store.catalog.access_log import AccessLog

        if not self.writable:
            return
        try:
            AccessLog(self.disk).note(identifiers, self.clock.now())
        except (StorageError, BadInput) as error:
            _log.info("the question was answered and not counted: %s", error)

    def draft(self, identifier: str) -> Path:
        """Where a memory's file is edited."""
        return self.cache / "edit" / identifier / f"{identifier}.md"

    def remove_drafts(self, identifiers: Iterable[str]) -> None:
        """Remove what editors left of these memories in the cache."""
        for identifier in identifiers:
            shutil.rmtree(self.draft(identifier).parent, ignore_errors=True)

    # -- questions -----------------------------------------------------------------------------

    @cached_property
    def index(self) -> IndexSync:
        """The full-text index."""
        from engram.queries.index_sync import IndexSync

        finder = self.adapters.finder(self.cache / "index")
        return IndexSync(
            self.disk, self.projections, self.turn_log, self.transaction_log, finder,
            self._index_lock, self.timezone,
        )  # fmt: skip

    def _index_lock(self) -> WriterLock:
        from engram.store.base.lock import WriterLock

        return WriterLock(self.cache / "indexing", self.settings.store.lock_timeout_seconds)

    @cached_property
    def lookup(self) -> Lookup:
        """Answers by name."""
        from engram.queries.lookup import Lookup

        return Lookup(self.disk, self.projections, self.attributed_turns, self.transaction_log)

    @cached_property
    def naming(self) -> Naming:
        """What a person names."""
        from engram.queries.naming import Naming

        return Naming(self.projections, self.turn_log, self.transaction_log, self.lookup)

    @cached_property
    def search(self) -> SearchQueries:
        """Answers by word."""
        from engram.queries.search import SearchQueries

        return SearchQueries(
            self.disk, self.projections, self.lookup, self.index,
            lambda text: self.redactor.redact(text).text, self.memories, self._meaning,
        )  # fmt: skip

    @cached_property
    def memories(self) -> Memories:
        """The memories of this vault, and of those that are read beside it."""
        from engram.queries.memories import Memories, VaultMemories

        return Memories(
            VaultMemories(self.disk, self.projections, self.lookup, self.index, self.tiers)
        )

    @cached_property
    def tiers(self) -> TierQueries:
        """The tiers of memories."""
        from engram.model.tier import Aging
        from engram.queries.tier_queries import TierQueries

        chosen = self.settings.retention
        aging = Aging(chosen.half_life_days, chosen.hot, chosen.warm)
        return TierQueries(self.disk, self.projections, aging)

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors of memories and turns, where a model makes any."""
        from engram.index.vector_store import VectorStore

        return VectorStore(self.cache / "vectors")

    @property
    def embeds(self) -> bool:
        """Whether a model makes vectors: the person named one, and the vault may be written."""
        named = self.adapters.embedder is not None or bool(self.settings.llm.embedding_model)
        return named and self.writable

    @property
    def _meaning(self) -> MeaningSearch | None:
        """Search by meaning; None where no model makes vectors."""
        if not self.embeds:
            return None
        from engram.queries.meaning_search import PATIENCE, MeaningSearch

        embedder = self._embedder(min(PATIENCE, self.settings.llm.timeout_seconds), once=True)
        return MeaningSearch(
            self.vectors, embedder, self.clock, lambda: self.catalog.log.last_of("purge")
        )

    def embedding(self) -> Embedding:
        """What brings the vectors up. Raises Untrusted, and ConfigError where no model is named."""
        from engram.queries.embedding import Embedding
        from engram.store.base.lock import WriterLock

        self.check_writable()
        if not self.embeds:
            raise ConfigError(
                "no model that makes vectors is named",
                "for example `engram config set llm.embedding_model nomic-embed-text`",
            )
        llm = self.settings.llm
        return Embedding(
            self.projections, self.lookup, self.vectors, self._embedder(llm.timeout_seconds),
            lambda: WriterLock(self.cache / "embedding", self.settings.store.lock_timeout_seconds),
            llm.max_input_tokens,
        )  # fmt: skip

    @cached_property
    def answering(self) -> Answering:
        """Answers in words, with what they rest on."""
        from engram.queries.answering import Answering

        return Answering(self.memories, self.search, self.lookup, self._model_answering)

    def _model_answering(self) -> ModelAnswering | None:
        """Who asks a model a person's question, which is a run of its own; None where none may be.

        The usage log is written into the vault. Somebody waits, and has the rules' answer: what
        fails is not tried again.
        """
        if not (self.writable and self._names_model):
            return None
        from engram.queries.model_answering import ModelAnswering
        from engram.recall.model_question import RecallPrompt

        budget = self.budget()
        budget.begin_run()
        prompt = RecallPrompt(
            shipped("prompts/recall"), self.settings.llm.max_input_tokens,
            lambda text: self.redactor.redact(text).text,
        )  # fmt: skip
        return ModelAnswering(prompt, self.model(budget, once=True))

    @cached_property
    def recalling(self) -> Recalling:
        """Blocks for an agent or a reader, and the answers in them."""
        from engram.queries.recalling import Recalling

        return Recalling(self.search, self.answering)

    @cached_property
    def entities(self) -> EntityQueries:
        """The people, tools and projects that the memories speak of."""
        from engram.queries.entity_queries import EntityQueries

        return EntityQueries(self.disk, self.view)

    @cached_property
    def boxes(self) -> BoxQueries:
        """The boxes, sealed and open, and their traces."""
        from engram.queries.box_queries import BoxQueries

        return BoxQueries(self.view, self.settings.boxes)

    @cached_property
    def summaries(self) -> SummaryQueries:
        """The summaries of related memories."""
        from engram.queries.summary_queries import SummaryQueries

        return SummaryQueries(self.view)

    # -- reading turns and judging memories ----------------------------------------------------

    @cached_property
    def redactor(self) -> Redactor:
        """What takes secrets out of texts."""
        return redactor_of(self.settings.capture.redact_allow)

    @cached_property
    def signals(self) -> Signals:
        """What finds words that ask to be remembered."""
        from engram.capture.signals import compile_signals

        return compile_signals(shipped("signals"), self.settings.capture.high_signal_patterns)

    @cached_property
    def rules(self) -> Extractor:
        """Who reads without asking a model."""
        return self.adapters.extractor or _rules(self.settings.extract.max_per_turn)

    @cached_property
    def triage_patterns(self) -> TriagePatterns:
        """What points to records in a conversation, as the settings have it."""
        from engram.extract.triage import compile_triage

        return compile_triage(shipped("records"), self.settings.records)

    @cached_property
    def _stated_patterns(self) -> StatedPatterns:
        from engram.extract.stated_fields import StatedPatterns

        return StatedPatterns(shipped("records"))

    def stated_drafts(self, turns: Sequence[Turn]) -> Sequence[RecordDraft]:
        """The records that a conversation states, without a model; of schemas that are captured."""
        from engram.extract.stated_records import stated_drafts

        found = stated_drafts(turns, self._stated_patterns, self.heard)
        captured = self.triage_patterns.told
        return [one for one in found if one.record.schema in captured]

    @cached_property
    def asks_model(self) -> bool:
        """Whether a model reads what is captured live; only for a registered vault."""
        if self.adapters.extractor is not None:
            return self.adapters.extractor.costly
        return self.trusted and self._names_model

    @property
    def _names_model(self) -> bool:
        """Whether the person's settings name a model."""
        return self.adapters.model is not None or bool(self._providers)

    @cached_property
    def extractor(self) -> Extractor:
        """The rules, and a model where one may be asked."""
        if not self.asks_model or self.adapters.extractor is not None:
            return self.rules
        from engram.extract.llm.model_tier import ModelTier
        from engram.extract.tiers import Tiers
        from engram.queries.prompt_context import VaultPromptContext

        context = VaultPromptContext(self.projections, self.attributed_turns, self.index)
        model = ModelTier(self.extraction_prompt, self.model(self._budget), context)
        return Tiers(self.rules, model, self.settings.llm.when_away)

    @cached_property
    def record_asker(self) -> RecordAsker | None:
        """Who drafts records by asking a model; None where none may be asked."""
        if not self.asks_model or self.adapters.extractor is not None:
            return None
        from engram.extract.llm.draft_check import DraftCheck
        from engram.extract.llm.record_prompt import RecordPrompt
        from engram.extract.records import RecordTier

        llm, most = self.settings.llm, self.settings.llm.max_input_tokens
        check = None
        if llm.verify_model:
            asked = tuple(replace(one, model=llm.verify_model) for one in self._providers[:1])
            check = DraftCheck(shipped("prompts/verify"), self.model(self._budget, asked), most)
        prompt = RecordPrompt(shipped("prompts/records"), most)
        model = self.model(self._budget)
        return RecordTier(self.triage_patterns, prompt, model, lambda: self.heard, check)

    @property
    def heard(self) -> Heard:
        """What was said before; it remembers what it read, so that each use makes its own."""
        from engram.queries.heard import VaultHeard

        return VaultHeard(self.projections, self.attributed_turns, self.index)

    @cached_property
    def rule_files(self) -> WrittenRules:
        """What the rule files of the projects say whose turns were taken in here."""
        from engram.queries.rule_files import ProjectRuleFiles

        return ProjectRuleFiles(self.places.home, self.root)

    @property
    def policy(self) -> Policy:
        """What may be kept of whom, and for how long. Raises ConfigError for a policy file."""
        return self.adapters.policy or self._policy_source.now()

    @property
    def terms(self) -> Terms:
        """How long memories live; while a policy file is not understood, by the days alone."""
        from engram.model.retention import Terms

        try:
            return Terms(self.settings.retention, self.policy)
        except ConfigError:
            return Terms(self.settings.retention)

    @cached_property
    def _policy_source(self) -> PolicySource:
        from engram.settings.policy_files import PolicySource

        return PolicySource(self.places, self.root)

    def held_policy(self) -> Policy | None:
        """The policy; None while a file of it is not understood: who judges by it has been told.

        Hooks are told which one holds.
        """
        from engram.settings.policy_mark import policy_mark, policy_stamps

        # before the files are read: one that changes meanwhile makes the mark useless, not wrong
        stamps = policy_stamps(self.places, self.root)
        try:
            policy = self.policy
        except ConfigError:
            return None
        if self._held is None or self._held[0] is not policy:
            self._held = policy, policy.ref
        self.catalog.keep_policy(policy_mark(stamps, self._held[1]))
        return policy

    def policy_check(self) -> tuple[tuple[str, str] | None, Mapping[str, str]]:
        """Why a policy file is not understood and how to mend that; what in the vault's is idle."""
        from engram.settings.policy_files import load_policy

        try:
            idle = load_policy(self.places, self.root).without_effect
        except ConfigError as error:
            return (str(error), error.hint), {}
        return None, {name: f"{value.source}:{value.line}" for name, value in idle.items()}

    @property
    def given(self) -> Given:
        """What agents were given; it remembers what it read, so that each use makes its own."""
        from engram.queries.given_queries import VaultGiven

        return VaultGiven(self.disk, self.projections)

    @cached_property
    def givens(self) -> GivenQueries:
        """Who was given a memory."""
        from engram.queries.given_queries import GivenQueries

        return GivenQueries(self.disk, self.projections, self.lookup)

    @cached_property
    def extraction_prompt(self) -> ExtractionPrompt:
        """What a model is asked about turns."""
        from engram.extract.llm.prompt import ExtractionPrompt

        return ExtractionPrompt(shipped("prompts/extract"), self.settings.llm.max_input_tokens)

    @cached_property
    def judge(self) -> Judge:
        """Who compares memories without asking anyone."""
        from engram.admit.judge.rule_judge import RuleJudge

        return self.adapters.judge or RuleJudge(self.timezone)

    def side_by_side(self, model: Model, requests: Sequence[Request]) -> Sequence[Answered]:
        """The reply to each of several questions, or why there is none; some at a time."""
        from engram.llm.parallel_questions import ask_all

        return ask_all(model, requests)

    def judge_with(self, model: Model) -> Judge:
        """The judge that asks a model where the rules are not sure."""
        from engram.admit.judge.model_judge import ModelJudge

        most = self.settings.llm.max_input_tokens
        return ModelJudge(
            self.judge, self.prompts["judge"], model, most, self.timezone,
            verdicts=self.verdicts, asked_as=self.asked_as, ask_all=self.side_by_side,
        )  # fmt: skip

    @property
    def asked_as(self) -> str:
        """The models that are asked: another one is asked anew."""
        return " ".join(f"{one.name}/{one.model}" for one in self._providers)

    @cached_property
    def verdicts(self) -> VerdictFile:
        """What a model said about pairs and clusters of memories before."""
        from engram.store.files.kept_verdicts import VerdictFile

        return VerdictFile(self.disk)

    @cached_property
    def prompts(self) -> Mapping[str, Mapping[str, Any]]:
        """What consolidation asks a model with, by name."""
        return {name: shipped(f"prompts/{name}") for name in _PROMPTS}

    @cached_property
    def box_weaver(self) -> BoxSealer:
        """Who makes boxes of memories."""
        from engram.weave.seal import BoxSealer

        return BoxSealer(self.settings.boxes)

    @property
    def entity_page(self) -> EntityPage:
        """Who makes the page of an entity."""
        from engram.weave.entities import fold

        return fold

    # -- the model -----------------------------------------------------------------------------

    @property
    def _sleeper(self) -> Sleeper:
        """Where time stands still nobody waits."""
        return self.stopwatch

    @property
    def stopwatch(self) -> FixedClock | SystemClock:
        """Where time stands still nothing takes any."""
        return self.clock if isinstance(self.clock, FixedClock) else SystemClock()

    @property
    def _providers(self) -> tuple[Provider, ...]:
        from engram.llm.provider import providers

        return providers(self.settings.llm, self.environment)

    @cached_property
    def _budget(self) -> Budget:
        """What the extractor may spend."""
        return self.budget()

    def budget(self) -> Budget:
        """The person's budget on this machine; each counts runs of its own."""
        from engram.llm.budget import Budget
        from engram.store.base.lock import WriterLock

        lock = WriterLock(self.places.state_dir / "spend" / "lock", _PATIENCE)
        return Budget(VaultDisk(self.places.state_dir), lock.hold, self.clock, self.settings.llm)

    def begin_run(self) -> None:
        """What the extractor may spend in one run is counted from here."""
        self._budget.begin_run()

    def model_for_run(self) -> RunModel:
        """The model for a run of its own, counted from here."""
        from engram.llm.counted_model import CountedModel

        budget = self.budget()
        budget.begin_run()
        return CountedModel(self.model(budget), lambda: budget.run)

    def model(
        self, budget: Budget, asked: Sequence[Provider] = (), *, once: bool = False
    ) -> Model:  # fmt: skip
        """The model behind the configured providers, or behind these; `once`: none is retried."""
        if self.adapters.model is not None:
            return self.adapters.model
        from engram.llm.chain import Chain
        from engram.llm.wire import Wire

        llm, calls = self.settings.llm, self._calls(budget, once=once)
        wire = Wire(llm.timeout_seconds)
        return Chain(asked or self._providers, wire, calls, llm.max_input_tokens)

    def _embedder(self, timeout: float, *, once: bool = False) -> Embedder:
        """The model that makes vectors; `once`: each call is a run, and none is retried."""
        if self.adapters.embedder is not None:
            return self.adapters.embedder
        from engram.llm.embedder import EndpointEmbedder
        from engram.llm.provider import embedding_provider
        from engram.llm.wire import Wire

        provider, budget = embedding_provider(self.settings.llm, self.environment), self.budget()
        calls = self._calls(budget, once=once)
        return EndpointEmbedder(provider, Wire(timeout), calls, budget.begin_run if once else None)

    def _calls(self, budget: Budget, *, once: bool) -> MeteredCalls:
        """The way to every provider; `once`: none is asked again."""
        from engram.llm.backoff import ATTEMPTS
        from engram.llm.metered_calls import MeteredCalls
        from engram.llm.prices import Prices
        from engram.llm.provider_habits import ProviderHabits
        from engram.llm.usage_log import UsageLog

        return MeteredCalls(
            ProviderHabits(VaultDisk(self.places.state_dir), self.clock), budget,
            Prices(shipped("prices"), self.settings.llm), UsageLog(self.disk, self.clock),
            lambda text: self.redactor.redact(text).text, self._sleeper,
            1 if once else ATTEMPTS,
        )  # fmt: skip

    def thinking(self, patience: float | None) -> AbstractContextManager[object]:
        """Held while a model is asked about this vault. Raises Locked."""
        return self._thinking.hold(patience)

    @cached_property
    def _thinking(self) -> WriterLock:
        """One: who extracts holds it already when it consolidates."""
        from engram.store.base.lock import WriterLock

        return WriterLock(self.cache / "thinking", self.settings.store.lock_timeout_seconds)

    def check_key(self) -> None:
        """Raise ModelRefuses where the provider that is asked first has no key."""
        from engram.llm.metered_calls import check_key

        if self.adapters.model is None and self.adapters.extractor is None:
            for provider in self._providers[:1]:
                check_key(provider)

    def model_status(self) -> ModelStatus | None:
        """Who is asked, what was spent today, who rests; None where no model is configured."""
        from engram.llm.provider_habits import ProviderHabits
        from engram.model.report import ModelStatus

        asked = self._providers
        if not asked:
            return None
        habits = ProviderHabits(VaultDisk(self.places.state_dir), self.clock)
        away = [one for provider in asked if (one := habits.resting(provider)) is not None]
        names = [f"{provider.name}: {provider.model}" for provider in asked]
        return ModelStatus(names, self.budget().today(), away)

    def vector_status(self) -> VectorStatus | None:
        """How many vectors there are of the model that makes them; None where none does."""
        from engram.model.report import VectorStatus

        model = self.settings.llm.embedding_model
        if not self.embeds:
            return None
        held = self.vectors.state()
        return VectorStatus(model, *(held[3:] if held.model == model else ()))

    def embedding_estimate(self) -> Estimate:
        """What it would cost to make the vectors that are missing."""
        from engram.llm.prices import Prices
        from engram.llm.provider import embedding_provider

        texts, tokens = self.embedding().left()
        provider = embedding_provider(self.settings.llm, self.environment)
        return Prices(shipped("prices"), self.settings.llm).embedding(provider, texts, tokens)

    def estimate(self, calls: int, input_tokens: int) -> Estimate:
        """What questions would cost at the first provider; without one, at a small model's."""
        from engram.llm.prices import Prices
        from engram.llm.provider import CLOUD, Provider

        llm, asked = self.settings.llm, self._providers
        provider = asked[0] if asked else Provider(CLOUD, llm.base_url, _EXAMPLE, "")
        return Prices(shipped("prices"), llm).estimate(provider, calls, input_tokens)


@lru_cache(maxsize=8)
def redactor_of(allow: tuple[str, ...]) -> Redactor:
    """One for all vaults of a process that allow the same: it keeps nothing between texts."""
    from engram.capture.redact.redactor import compile_redactor

    return compile_redactor(shipped("redaction"), allow, tried=True)


@cache
def _rules(max_per_turn: int) -> Extractor:
    """One for all vaults of a process: it keeps nothing between turns."""
    from engram.extract.imported import ImportedTier
    from engram.extract.rules.rules_tier import RulesTier
    from engram.extract.stated_fields import StatedPatterns

    stated = StatedPatterns(shipped("records"))
    return ImportedTier(RulesTier(shipped("rules"), max_per_turn, stated))
