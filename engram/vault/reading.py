"""The reading half of a vault: what may be asked, also of one that is not registered here.

Opened and wired by `furnishing`; the verbs that write stand in `vault.Vault`, which builds on this.
Guarantees: a question first takes up hand edits as far as the time allowed goes, and lets the index
follow; an unregistered vault is searched and nothing else: no byte of it changes, and nothing of it
is given to an agent (design 1.9).
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from engram.model.change import Plan, Transaction
from engram.model.errors import (
    BadInput,
    ConfigError,
    Locked,
    NotFound,
    StorageError,
    Untrusted,
)
from engram.model.instant import Day, local_day
from engram.model.memory import Memory
from engram.model.model_request import Estimate, Request
from engram.model.ports import ChangeDetector, Model
from engram.model.report import PurgePreview, Status
from engram.model.turn import Waiting
from engram.model.verdict import Verdict
from engram.pipeline import flow
from engram.pipeline.ports import Ports
from engram.queries.checks import stale_views
from engram.queries.search import Answers
from engram.recall.blocks import ContextBlock
from engram.recall.rank import Setting
from engram.settings.load import Loaded
from engram.settings.paths import UserPaths
from engram.store.base import layout
from engram.store.catalog.access import AccessLog
from engram.store.catalog.turn_rows import DEAD, PENDING, WITHDRAWN
from engram.store.commits.scan import Scan, edits, scan
from engram.store.commits.transaction_log import ChangeEntry
from engram.store.commits.undo import UndoPlanner
from engram.store.merge.conflict_copies import conflict_copies
from engram.vault import create
from engram.vault.wiring import (
    Machine,
    asked_model,
    estimate_of,
    model_status,
    ports_of,
    vault_parts,
)

if TYPE_CHECKING:
    from engram.queries.box_queries import BoxQueries
    from engram.queries.entity_queries import EntityQueries

_log = logging.getLogger(__name__)
#: how long a question waits for another process to finish writing, seconds
_PATIENCE = 1.0
#: how long it waits to take up a hand edit, seconds
_SETTLE_PATIENCE = 0.02
#: who extracts
Tier = Literal["auto", "rules", "model"]


class VaultReading:
    """A vault that can be asked."""

    #: for one that is kept open and asked often
    change_detector: ChangeDetector | None = None

    def __init__(
        self, root: Path, loaded: Loaded, places: UserPaths, machine: Machine, *, trusted: bool
    ) -> None:
        assert loaded.vault is not None  # whoever opens a vault has checked that there is one
        self.root = root
        self.loaded = loaded
        self.settings = loaded.settings
        self.machine = machine
        self.clock = clock = machine.clock
        self.trusted = trusted
        self.read_only = loaded.vault.format > layout.FORMAT
        self.timezone = loaded.vault.timezone
        self.cache = create.cache_folder(places, root, loaded.vault.id)
        self.parts = vault_parts(
            root, loaded.vault.id, self.cache, clock, self.settings, self.writable
        )
        self.disk = self.parts.disk
        self.turn_log = self.parts.turn_log
        self.transaction_log = self.parts.transaction_log
        self.projections = self.parts.projections
        self.committer = self.parts.committer
        self.index_sync = self.parts.index_sync
        self.library = self.parts.library

    @property
    def writable(self) -> bool:
        """Whether this vault may be written here: registered, and of a format that is known."""
        return self.trusted and not self.read_only

    @cached_property
    def entities(self) -> EntityQueries:
        """The people, tools and projects that the memories speak of."""
        from engram.queries.entity_queries import (
            EntityQueries,  # here: a search does not pay for weaving
        )

        return EntityQueries(self.disk, self.projections.view)

    @cached_property
    def boxes(self) -> BoxQueries:
        """The boxes, sealed and open, and their traces."""
        from engram.queries.box_queries import BoxQueries  # as above

        return BoxQueries(self.projections.view, self.settings.boxes)

    @cached_property
    def ports(self) -> Ports:
        """The ports of the flows, furnished when they are first needed."""
        return ports_of(self.parts, self.settings, self.machine, self.trusted, self.take_up)

    def ports_for(self, tier: Tier) -> Ports:
        """The house with another say of who reads what. Raises BadInput for a model that is none.

        auto: the model what is captured live, the rules what was imported; rules: they alone;
        model: the model everything (it has to be asked for: history is long, and costs).
        """
        ports = self.ports
        if tier == "rules":
            return replace(ports, extractor=ports.backlog or ports.extractor, backlog=None)
        if tier == "model":
            if not ports.extractor.costly:
                raise BadInput(
                    "no model is configured", "`engram config set llm.model NAME`, or a local one"
                )
            return replace(ports, backlog=None)
        return ports

    def night_model(self, tier: Tier) -> Model | None:
        """The model that consolidation may ask. Raises BadInput for a model that is none."""
        if not self.ports_for(tier).extractor.costly:
            return None
        return asked_model(self.parts, self.settings, self.machine, self.ports.redactor)

    def close(self) -> None:
        """Let go of catalog and index."""
        if self.change_detector is not None:
            self.change_detector.close()
        self.index_sync.close()
        self.projections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- hand edits ----------------------------------------------------------------------------

    def _settle(self, found: Scan) -> int:
        """Take up hand edits; returns how many files were concerned."""
        if found.changed or found.gone:
            rows = self.projections.catalog.files()
            self.projections.record_touched(found)
            seen, subjects = edits(found, rows)
            flow.settle(seen, subjects, self.committer)
            return len(seen)
        self.projections.record_touched(found)
        return 0

    def take_up(self) -> None:
        """Take up hand edits; the writer lock is held by the caller."""
        self._settle(self._scan())

    def settle_within(self, milliseconds: float) -> bool:
        """What reads do first: take up hand edits if that is quick; False when they are behind."""
        until = time.monotonic() + milliseconds / 1000
        writable = self.writable
        behind = writable and self.committer.behind
        if self.change_detector is not None:
            if writable and not behind and self.change_detector.quiet(self.projections.catalog):
                return True
            self.change_detector.begin()
        looked = self._scan(until)
        if not writable:
            self.projections.take_up(looked)
        elif behind or looked.changed or looked.gone or looked.rewritten:
            rewritten = (row.path for row, _ in looked.rewritten)
            noticed = (*looked.changed, *looked.gone, *rewritten)
            try:
                with self.committer.lock(timeout=_SETTLE_PATIENCE):
                    # again: the vault may have been recovered, or changed by another
                    self._settle(self._scan(until if behind else 0.0, first=noticed))
            except (Locked, StorageError, BadInput):
                return False  # somebody writes, or the disk is full, read-only or damaged
        if self.change_detector is not None and writable and looked.complete and not behind:
            self.change_detector.trust(self.projections.catalog)
        return looked.complete

    def _scan(self, until: float = math.inf, first: Iterable[str] = ()) -> Scan:
        """Look for hand edits until that time of the monotonic clock, each time from elsewhere."""
        rows = self.projections.catalog.files()
        return scan(
            self.disk, rows, lambda: time.monotonic() > until, first=first, start=random.random()
        )

    # -- asking --------------------------------------------------------------------------------

    def ready_to_read(self) -> bool:
        """What every question does first: settle within the budget, let the index follow.

        Returns whether everything is taken up; False means that answers may be a little behind.
        """
        settled = self.settle_within(self.settings.recall.settle_ms)
        return self.index_sync.refresh(_PATIENCE) and settled

    def search(
        self, query: str, *, limit: int | None = None, project: str = "", all_statuses: bool = False
    ) -> Answers:
        """The best memories and turns for a query; the given project and user-wide ones first."""
        settled = self.ready_to_read()
        setting = Setting(self.clock.now(), project)
        most = self.settings.recall.limit if limit is None else limit
        found = self.library.search(query, limit=most, setting=setting, all_statuses=all_statuses)
        return replace(found, behind=not settled)

    def recall(
        self,
        question: str,
        *,
        budget: int | None = None,
        limit: int | None = None,
        project: str = "",
    ) -> ContextBlock:
        """A ranked, budgeted block with receipts, to be given to an agent or read."""
        if not self.trusted:
            raise Untrusted(
                f"{self.root} is not registered here: it is searched, and not given to agents",
                f"`engram trust {self.root}`",
            )
        self.ready_to_read()
        chosen = self.settings.recall
        block = self.library.recall(
            question,
            budget=chosen.budget_tokens if budget is None else budget,
            limit=chosen.limit if limit is None else limit,
            setting=Setting(self.clock.now(), project),
        )
        self.asked_for(block.shown)
        return block

    def asked_for(self, identifiers: Iterable[str]) -> None:
        """Count that a person or an agent asked for these memories, each once; not in other vaults.

        For a list that a search gives, and for what a hook injects, nobody asked.
        """
        if not self.writable:
            return
        try:
            AccessLog(self.disk).note(identifiers, self.clock.now())
        except (StorageError, BadInput) as error:
            _log.info("the question was answered and not counted: %s", error)

    def learnt_on(self, day: Day = "") -> tuple[Day, list[Memory]]:
        """What was learnt on a day of the vault's time zone, by default today; with that day."""
        self.settle_within(self.settings.recall.settle_ms)
        try:
            wanted = day or local_day(self.clock.now(), self.timezone)
            return wanted, self.library.learnt_on(wanted, self.timezone)
        except ValueError as error:
            message = f"{self.root / layout.CONFIG}: timezone: {error}"
            raise ConfigError(message, 'write it like "Europe/Oslo"') from error

    def status(self) -> Status:
        """What is captured, pending, refused and put aside."""
        self.ready_to_read()
        catalog = self.projections.catalog
        states = catalog.turns.counts()
        return Status(
            vault=str(self.root),
            trusted=self.trusted,
            memories=catalog.status_counts(),
            transcripts=catalog.turns.transcripts(),
            turns=sum(count for state, count in states.items() if state != WITHDRAWN),
            pending=states.get(PENDING, 0),
            dead_letter=states.get(DEAD, 0),
            waiting=self.waiting(),
            refused=catalog.log.event_counts("candidate_refused", "code"),
            failures=catalog.log.event_counts("extraction_failed", "error"),
            transactions=catalog.last,
            to_review=catalog.status_counts().get("needs-review", 0),
            model=model_status(self.settings.llm, self.machine),
            index=self.index_sync.status(),
        )

    # -- looking ahead and back ----------------------------------------------------------------

    def waiting(self) -> list[Waiting]:
        """The transcripts that have pending turns."""
        return self.ports.turns.waiting()

    def due(self) -> list[Waiting]:
        """Those of them whose time has come."""
        return flow.ready(self.ports)

    def preview(self, *, due: bool = False, tier: Tier = "auto") -> list[Verdict]:
        """What `flush`, or with `due` `tick`, would decide now by the rules; nothing is written."""
        self.ready_to_read()
        return flow.preview(self._transcripts(due), self.ports_for(tier))

    def questions(
        self, *, due: bool = False, tier: Tier = "auto"
    ) -> tuple[list[Request], Estimate]:
        """What `flush`, or with `due` `tick`, would ask a model, and what that costs at most.

        As it would be sent: redacted. Nothing is asked and nothing is written.
        """
        self.ready_to_read()
        redact = self.ports.redactor.redact
        asked = [
            replace(request, text=redact(request.text).text)
            for request in flow.questions(self._transcripts(due), self.ports_for(tier))
        ]
        tokens = sum(request.tokens for request in asked)
        return asked, estimate_of(len(asked), tokens, self.settings.llm, self.machine)

    def _transcripts(self, due: bool) -> list[str]:
        return [one.transcript for one in (self.due() if due else self.waiting())]

    def purge_preview(self, reference: str) -> PurgePreview:
        """What a purge of this memory would destroy; nothing is written.

        Also of one whose file is gone (an undone import, a removed file): its words are still in
        the transactions and the turn journal.
        """
        memory = self.library.find_memory(reference) or self.transaction_log.last_memory(reference)
        cited = self.projections.catalog.cited_by
        citing = {name for link in memory.sources for name in cited(link)} - {memory.id}
        paths = self.transaction_log.paths_of(memory.id) | {memory.path}
        paths.update(
            copy for copy in conflict_copies(self.root) if layout.original_of(copy) in paths
        )
        return PurgePreview(
            memory.id, memory.text, sorted(paths), list(memory.sources), sorted(citing)
        )

    def undo_plan(self, what: str = "") -> Plan:
        """What `undo` would do: files, turns and transactions; nothing is written."""
        return UndoPlanner(self.transaction_log, self.projections).plan(what)

    def log(self, limit: int = 20) -> list[ChangeEntry]:
        """The changes, newest first."""
        return self.transaction_log.entries(self.projections.catalog, limit)

    def change(self, number: int) -> Transaction:
        """One of them, with its files and events. Raises NotFound."""
        found = self.transaction_log.read(number)
        if found is None:
            raise NotFound(f"there is no transaction {number}", "`engram log` shows the changes")
        return found

    def stale_views(self) -> list[str]:
        """The views in state/ that `rebuild` would mend; nothing is written."""
        return stale_views(self.disk, self.projections, self.transaction_log, due=True)
