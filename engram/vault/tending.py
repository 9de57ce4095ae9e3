"""Writing half of a vault: edits, settling, consolidation, maintenance.

Verbs that write but take in nothing new: forget, restore, purge, undo, the person's rulings, edit,
consolidate, seal_boxes, doctor, rebuild. Guarantees: an unregistered vault is never written; hand
edits are settled first, under the writer lock; the index has caught up when a verb returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.capture.accept import legible
from engram.health.doctor import Finding, diagnose
from engram.model.box import Box
from engram.model.change import Change, Event, Plan, Transaction
from engram.model.errors import BadInput, FormatTooNew, StorageError, Untrusted
from engram.model.instant import Day
from engram.model.memory import Memory
from engram.model.ports import Model
from engram.model.report import ConflictCopy, Consolidated, Edited, MergeReport
from engram.pipeline import edits, flow, rulings
from engram.pipeline.rulings import Ruling
from engram.queries.checks import examine
from engram.store.base import layout
from engram.store.commits.purge_remains import PurgeRemains
from engram.store.files.content_file import read_content
from engram.store.merge.conflict_copies import ConflictCopies, CopyMerge, conflict_copies
from engram.vault.reading import Tier, VaultReading
from engram.vault.wiring import model_judge, prompts

if TYPE_CHECKING:
    from engram.consolidate.plan import ConsolidationPlan
    from engram.health.audit import Evidence
    from engram.health.review_queue import ReviewItem


class VaultTending(VaultReading):
    """A vault that can be changed."""

    @contextmanager
    def _writing(self, *, index: bool = True, settle: bool = True) -> Iterator[int]:
        """Under the writer lock, with hand edits settled before and the index caught up after.

        Yields how many files were edited. Without `settle` nobody has looked.
        """
        if self.read_only:
            raise FormatTooNew(f"{self.root} was written by a newer engram")
        if not self.trusted:
            raise Untrusted(
                f"{self.root} is not registered on this machine", f"`engram trust {self.root}`"
            )
        with self.committer.lock():
            yield self._settle(self._scan()) if settle else 0
            if index:
                self.index_sync.refresh()

    # -- changing ------------------------------------------------------------------------------

    def forget(self, reference: str, reason: str = "") -> Memory:
        """Take a memory out of use, and its source turns out of search; the file stays."""
        with self._writing():
            memory = self.library.memory(reference)
            said = self.ports.redactor.redact(legible(reason)).text
            ports = self.ports
            silenced = ports.pages.pages(ports.box_weaver.silence(memory, ports.view))
            silenced += self._unmentioned(memory)
            plan = edits.forget(memory, said, self.clock.now(), ports.writer, silenced)
            self.committer.commit(plan)
            return memory

    def _unmentioned(self, memory: Memory) -> list[Change]:
        """The pages of its entities, and the profile, without a memory."""
        view = self.ports.view
        entities = map(view.entity, memory.entities)
        leads = {entity.merged_into or entity.id for entity in entities if entity is not None}
        remains = PurgeRemains.of(memory.id, [memory.text])
        found = self.ports.pages.pages(
            [
                (page, remains.unmentioned(page))
                for page in map(view.entity, sorted(leads))
                if page is not None
            ]
        )
        linked = PurgeRemains.of(memory.id, [])
        for path in layout.PROSE:
            data = self.disk.read(path)
            if data is not None and (kept := linked.without(path, data)) != data:
                found.append(Change(path, data, kept, "forgotten"))
        return found

    def restore(self, reference: str) -> str:
        """Make a memory active again; one whose file was removed comes back as it last was."""
        with self._writing():
            found = self.library.find_memory(reference)
            if found is not None:
                retention = self.settings.retention
                plan = edits.restore(found, self.clock.now(), retention, self.ports.writer)
                identifier = found.id
            else:
                path, body = self.transaction_log.last_body(reference)
                home = self.projections.catalog.home(read_content(path, body).kind, reference)
                if home:
                    raise BadInput(f"{reference} is not gone", f"it stands in {home}")
                identifier, plan = reference, edits.bring_back(reference, path, body)
            self.committer.commit(plan)
            return identifier

    def purge(self, reference: str) -> list[str]:
        """Destroy a memory's content everywhere in vault and cache; returns what still cites it."""
        with self._writing():
            for path in self.transaction_log.unreadable():
                raise StorageError(
                    f"{path} cannot be read and may hold the same words; nothing was purged",
                    "restore it from a backup, or remove it, and purge again",
                )
            purge_preview = self.purge_preview(reference)
            behind_link = self.projections.catalog.turns.behind_link
            rows = [row for link in purge_preview.turns if (row := behind_link(link)) is not None]
            messages = [row.message for row in rows if row.message]
            for link in purge_preview.turns:
                messages += self.projections.catalog.turns.withdrawn(link)
            details = (("turns", " ".join(purge_preview.turns)), ("messages", " ".join(messages)))
            known = (*self.projections.catalog.files(), *conflict_copies(self.root))
            pages = [path for path in known if layout.is_page(layout.original_of(path))]
            changes = self.parts.purge_writer.changes(
                purge_preview.id, purge_preview.paths, messages, pages
            )
            self.committer.commit(
                Plan("purge", tuple(changes), (Event("memory_purged", purge_preview.id, details),))
            )
            return purge_preview.citing

    def undo(self, what: str = "") -> Transaction:
        """Take back the last change, transaction N, or a whole batch; undoing an undo redoes it."""
        with self._writing():
            return self.committer.commit(self.undo_plan(what))

    def take_up_edits(self) -> int:
        """Take up hand edits now, and let the index follow; returns how many files they are."""
        with self._writing() as edits:
            return edits

    # -- folders that travel -------------------------------------------------------------------

    def reunite(self, *, dry_run: bool = False) -> MergeReport:
        """Take in what sync tools and git left apart, as far as that is sure (decision 0017).

        One transaction that `undo` takes back; what is a question goes to review. A dry run plans
        the same and writes nothing.
        """
        copies = ConflictCopies(self.disk, self.projections)
        if dry_run:
            self.settle_within(math.inf)
            return _reunited(copies.transcripts(dry_run=True), copies.plan())
        with self._writing():
            return self._reunite(copies)

    def _reunite(self, copies: ConflictCopies) -> MergeReport:
        """The same under the writer lock, with hand edits taken up."""
        shown = copies.transcripts()
        found = copies.plan()
        number = 0 if found.plan.empty else self.committer.commit(found.plan).number
        self._take_up_transcripts([one.original for one in shown if not one.why])
        return _reunited(shown, found, number)

    def _take_up_transcripts(self, also: Sequence[str] = ()) -> None:
        """Know and find the turns of transcripts that another machine wrote."""
        links = self.ports.turns.record_transcripts(also)
        if links:
            self.index_sync.refresh()
            self.index_sync.show(links)

    # -- what the person decides ---------------------------------------------------------------

    def confirm(self, references: Sequence[str], *, dry_run: bool = False) -> Ruling:
        """The person says that these hold: active, explicit, and their time starts anew."""

        def decide() -> Ruling:
            now, retention = self.clock.now(), self.settings.retention
            return rulings.confirm(self._named(references), now, retention)

        return self._rule(decide, dry_run)

    def retire(
        self, references: Sequence[str], reason: str = "", *, dry_run: bool = False
    ) -> Ruling:
        """Out of use; the turns that they came from stay searchable."""
        said = self.ports.redactor.redact(legible(reason)).text
        return self._rule(
            lambda: rulings.retire(self._named(references), said, self.clock.now()), dry_run
        )

    def archive(self, references: Sequence[str], *, dry_run: bool = False) -> Ruling:
        """Out of the way, into the folder `archive/`."""
        return self._rule(
            lambda: rulings.archive(self._named(references), self.clock.now()), dry_run
        )

    def supersede(self, old: str, new: str, *, dry_run: bool = False) -> Ruling:
        """A memory that there is replaces another one."""

        def decide() -> Ruling:
            pair = self.library.memory(old), self.library.memory(new)
            known = self.projections.catalog.memory
            return rulings.supersede(*pair, known, self.clock.now(), self.settings.retention)

        return self._rule(decide, dry_run)

    def resolve(
        self, reference: str, *, both: bool = False, against: str = "", dry_run: bool = False
    ) -> Ruling:
        """Settle what contradicts a memory: it replaces the others, or with `both` all hold.

        `against` names one of the others, where only that one is meant. Raises BadInput when
        nothing contradicts it.
        """

        def decide() -> Ruling:
            memory = self.library.memory(reference)
            others = self._opponents(memory)
            left: tuple[str, ...] = ()
            if against:
                one = self.library.memory(against)
                others = [other for other in others if other.id == one.id]
                if not others:
                    raise BadInput(f"{memory.id} does not contradict {one.id}", "`engram links`")
                left = tuple(name for name in memory.conflicts if name != one.id)
            settle = rulings.reconcile if both else rulings.resolve
            return settle(memory, others, self.clock.now(), self.settings.retention, left)

        return self._rule(decide, dry_run)

    def edit(self, memory: Memory, before: bytes, after: bytes) -> Edited:
        """A memory's file as the person rewrote it. Raises Conflict if it was changed meanwhile."""
        with self._writing():
            event = Event("hand_edit", memory.id, (("what", "edited"),))
            change = Change(memory.path, before, after, "edited")
            self.committer.commit(Plan("edit", (change,), (event,)))
            row = self.projections.catalog.file(memory.path)
            now = self.projections.catalog.memory(row.id) if row is not None and row.id else None
            return Edited(memory, now, row.problem if row is not None else "")

    def _rule(self, decide: Callable[[], Ruling], dry_run: bool) -> Ruling:
        """Do what was decided, in one transaction; a dry run decides and writes nothing."""
        if dry_run:
            self.settle_within(math.inf)
            return decide()
        with self._writing():
            ruling = decide()
            self.committer.commit(ruling.plan(self.ports.writer))
            return ruling

    def _named(self, references: Sequence[str]) -> list[Memory]:
        return [self.library.memory(reference) for reference in references]

    def _opponents(self, memory: Memory) -> list[Memory]:
        """Those that stand against a memory by the links of either, oldest first."""
        return [
            other
            for other in self.projections.catalog.memories()
            if other.id != memory.id
            and (other.id in memory.conflicts or memory.id in other.conflicts)
        ]

    # -- the night shift -----------------------------------------------------------------------

    def consolidate(
        self, *, full: bool = False, dry_run: bool = False, tier: Tier = "auto", batch: str = "",
        closing: bool = True,
    ) -> Consolidated:  # fmt: skip
        """Merge, replace, age and tidy, in one transaction that `undo` takes back (seed 003).

        Looks at what changed since the last time, or with `full` at everything. A model, where one
        is configured and `tier` is not "rules", is asked without the writer lock. With `closing`
        boxes that are open are sealed too. A dry run plans the same and writes nothing.
        """
        model = self.night_model(tier)
        if dry_run:
            self.settle_within(math.inf)
            return _consolidated(flow.plan_night(self._night(full, closing, model), self.ports))
        copies = ConflictCopies(self.disk, self.projections)
        planned, late = None, frozenset[str]()
        if model is not None:
            with self._writing():
                self._reunite(copies)
                seen = self.projections.catalog.last
            planned = flow.plan_night(self._night(full, closing, model), self.ports).steps
        with self._writing():
            if model is None:
                self._reunite(copies)
            else:
                late = self.projections.catalog.consolidations.changed(seen)
            night = self._night(full, closing, model)
            found, number = flow.consolidate(night, self.ports, planned, batch)
            if late:
                # came while the model thought: the next night begins after this one
                rest = replace(night, changed=late, model=None, judge=None)
                flow.consolidate(rest, self.ports, batch=batch)
            if not number:
                self.projections.write_topics()  # no transaction brings them
        return _consolidated(found, number)

    def _night(self, full: bool, closing: bool, model: Model | None) -> flow.ConsolidationRequest:
        consolidations = self.projections.catalog.consolidations
        changed = consolidations.changed()
        everything = full or not consolidations.last()
        known = (None if everything else changed, bool(changed), closing, consolidations.declined())
        if model is None:
            return flow.ConsolidationRequest(*known)
        asked = prompts()
        return flow.ConsolidationRequest(
            *known, model, model_judge(self.ports.judge, asked, model), asked
        )

    def seal_boxes(self, reason: str = "") -> int:
        """Seal the boxes of conversations that have been silent for the gap; returns how many.

        For a `reason` ("shutdown") every other open box too, in one transaction, and in a hurry:
        hand edits and the index can wait for the next opening, the end of a daemon cannot. Where
        there is nothing to seal, nothing is locked or written.
        """
        if not self._sealed(reason):
            return 0
        with self._writing(index=not reason, settle=not reason):
            boxes = self._sealed(reason)
            if boxes:
                changes = self.ports.pages.pages([(None, box) for box in boxes])
                self.committer.commit(Plan("seal", tuple(changes)))
            return len(boxes)

    def _sealed(self, reason: str) -> list[Box]:
        ports = self.ports
        waiting = {one.transcript for one in ports.turns.waiting()}
        now = self.clock.now()
        return ports.box_weaver.seal(ports.view, now, reason, waiting=waiting)

    def _consolidate_if_due(self, batch: str = "") -> None:
        """Every N extractions that changed something (seed 003); an import asks no model for it."""
        every = self.settings.consolidate.every_extractions
        if every and self.projections.catalog.consolidations.extractions() >= every:
            self.consolidate(tier="rules" if batch else "auto", batch=batch, closing=False)

    def to_review(self, since: Day = "") -> list[ReviewItem]:
        """What waits for the person, the most pressing first (see `health.queue`); only asks."""
        # imported here, as for the audit: a search pays for neither
        from engram.health.review_queue import queue

        self.settle_within(self.settings.recall.settle_ms)
        return queue(self.ports.view.live(), self.clock.now(), since)

    # -- looking after -------------------------------------------------------------------------

    def doctor(self) -> list[Finding]:
        """Everything that is not as promised, each with one fix."""
        stuck = ""
        try:
            if self.writable:
                with self._writing():
                    self._take_up_transcripts()
            else:
                self.settle_within(float("inf"))
                self.index_sync.refresh()
        except (StorageError, BadInput) as error:
            stuck = str(error)
        parts = (
            self.disk,
            self.projections,
            self.transaction_log,
            self.index_sync,
            self.ports.redactor.clean,
        )
        return diagnose(examine(*parts, stuck))

    def audit(self) -> Evidence:
        """What the audit judges, gathered (`health.audit`); nothing is written."""
        from engram.queries.audit_evidence import inspect

        self.settle_within(math.inf)
        context = flow.scene_of(flow.ConsolidationRequest(), self.ports)
        return inspect(context, self.disk, self.projections, self.ports.redactor.clean)

    def rebuild(self) -> list[str]:
        """Catalog and index anew from the files, then the views; returns those that differed."""
        if not self.trusted or self.read_only:
            self.projections.rebuild()
            self.index_sync.rebuild()
            return []
        with self.committer.lock():
            self.projections.rebuild()
            mended = self.projections.mend_views(due=True)
            if self._settle(self._scan()):
                self.projections.write_topics()
            self.index_sync.rebuild()
            return mended


def _consolidated(found: ConsolidationPlan, number: int = 0) -> Consolidated:
    return Consolidated(tuple(found.steps), tuple(sorted(found.refused.items())), number)


def _reunited(shown: list[ConflictCopy], found: CopyMerge, number: int = 0) -> MergeReport:
    apart = sorted([*shown, *found.apart], key=lambda one: one.path)
    return MergeReport(tuple(apart), number)
