"""class Vault: every verb of the command line as one method, reads too.

Guarantees: an unregistered vault is searched and nothing else: no byte of it changes, and nothing
of it is given to an agent (design 1.9). A question takes up hand edits as far as the time allowed
goes, brings the index up where it asks it, and counts which memories were asked for. Whatever
writes takes up all hand edits first, under the writer lock, and leaves the index caught up. Each
verb imports the use case that it stands for: a search pays for no other.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Self

from engram.model.errors import BadInput, Untrusted, called
from engram.model.instant import day_of
from engram.model.vault_label import split_id
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.settings.vault_folders import real_root
from engram.store.base import layout
from engram.vault.wiring import Adapters, VaultParts, parts_of

if TYPE_CHECKING:
    from engram.model.activity import Activity
    from engram.model.box import Box, Trace
    from engram.model.change import Plan, Transaction
    from engram.model.consolidation_run import ConsolidationRun
    from engram.model.contract_event import ContractEvent
    from engram.model.edge import Link
    from engram.model.entity import Entity
    from engram.model.findings import AuditReport, Finding, ReviewItem
    from engram.model.given import How, Reader
    from engram.model.hit import Answers, ContextBlock, MatchingLine, RulesBlock
    from engram.model.instant import Day
    from engram.model.intake import (
        CaptureResult,
        ExtractionResult,
        ImportReport,
        Learnt,
        ReadFile,
    )
    from engram.model.item import Store
    from engram.model.judgement import Grade, Measured
    from engram.model.memory import Memory
    from engram.model.model_request import Estimate, Request, Tier
    from engram.model.phase import ListedPhase, StartedPhase
    from engram.model.phase_diff import DiffedPhases
    from engram.model.ports import ChangeDetector, Clock
    from engram.model.proof import Proof
    from engram.model.report import (
        Collected,
        Consolidated,
        Edited,
        Embedded,
        FallingMemory,
        IndexStatus,
        MemoryEdit,
        MergeReport,
        ModelStatus,
        PolicyTrial,
        Promotion,
        PurgePreview,
        PurgeReport,
        RecordExport,
        Remembered,
        Saying,
        Scope,
        Status,
        TierCounts,
    )
    from engram.model.schema_score import TriagedConversation
    from engram.model.settings import Settings
    from engram.model.shown import (
        ChangeEntry,
        EditDraft,
        EntityRow,
        GivenTo,
        MemoryOrigin,
        Refusal,
        ShownFile,
        ShownSession,
        ShownTurn,
    )
    from engram.model.summary import Summary
    from engram.model.tier import Retention, RetrievalMode
    from engram.model.turn import Turn, Waiting
    from engram.model.verdict import Verdict
    from engram.queries.lookup import Lookup
    from engram.recall.borders import Recipient
    from engram.recall.rank import Setting

__all__ = ["Adapters", "Vault"]

Progress = Callable[[int], None]
#: how long a question waits for whoever writes, seconds; then it is answered as things stood
_PATIENCE = 0.05


class Vault:
    """One vault on this machine. Close it, or use it as a context."""

    def __init__(self, parts: VaultParts) -> None:
        self.parts = parts
        self.root = parts.root

    # -- opening -------------------------------------------------------------------------------

    @classmethod
    def create(
        cls, path: str | Path, *, environment: Mapping[str, str] | None = None,
        clock: Clock | None = None, adapters: Adapters = Adapters(), timezone: str = "UTC",
        shares: str = "",
    ) -> Self:  # fmt: skip
        """Make a vault from the template, register it, and open it.

        Its days are those of `timezone`. With `shares` ("project" or "system") it is one for
        memories that are promoted to be shared with others. Raises BadInput for a vault,
        ConfigError for a time zone that is not known here.
        """
        from engram.vault import create

        environment = os.environ if environment is None else environment
        adapters = adapters.at(clock, environment)
        root = create.found(Path(path), adapters.time.now(), timezone, shares)
        create.register(root, places_of(environment))
        return cls.open(root, environment=environment, adapters=adapters)

    @classmethod
    def open(
        cls, path: str | Path, *, environment: Mapping[str, str] | None = None,
        clock: Clock | None = None, flags: Mapping[str, object] | None = None,
        here: Path = Path(), adapters: Adapters = Adapters(),
    ) -> Self:  # fmt: skip
        """Open a vault, whose path is seen from `here`; `clock` is short for that adapter.

        Raises NotFound when the folder is none, ConfigError for bad settings.
        """
        environment = os.environ if environment is None else environment
        root = real_root(Path(path), here)
        return cls(parts_of(root, environment, adapters.at(clock, environment), flags))

    def close(self) -> None:
        """Let go of catalog and index."""
        self.parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close_replaced(self) -> None:
        """Let go of files of the index that were replaced: after a purge they hold its words."""
        self.parts.index.close_replaced()

    def keep_open(self, change_detector: ChangeDetector) -> None:
        """Ask a change detector before the files are looked at: for one that is asked often."""
        self.parts.settler.change_detector = change_detector

    def answer_within(self, seconds: float) -> None:
        """Let a question take up new files for about so long, for one that nobody waits for longer;
        `to_come` then says how many are left.
        """
        self.parts.settler.patience = seconds

    def tell_taken_up(self, advance: Callable[[str, int, int], None]) -> None:
        """Tell how far new files are taken up, and then the index: what, done, of how many."""
        self.parts.settler.advance = lambda done, total: advance("files", done, total)
        self.parts.index.advance = lambda done, total: advance("index", done, total)

    @property
    def has_history(self) -> bool:
        """Whether anything was changed in it on this machine: one that was cloned has no log."""
        return self.parts.catalog.last > 0

    @property
    def to_come(self) -> int:
        """How many new or changed files the last question had to leave."""
        return self.parts.settler.to_come

    # -- what it is ----------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """What its settings file calls it."""
        return self.parts.header.id

    @property
    def settings(self) -> Settings:
        """The settings of this vault, here."""
        return self.parts.settings

    @property
    def clock(self) -> Clock:
        """The time that it goes by."""
        return self.parts.clock

    @property
    def trusted(self) -> bool:
        """Whether it is registered on this machine."""
        return self.parts.trusted

    @property
    def read_only(self) -> bool:
        """Whether it was written by a newer engram."""
        return self.parts.read_only

    @property
    def shared(self) -> bool:
        """Whether it is shared with others: promoted memories, and no conversation."""
        return self.parts.shared

    @property
    def served(self) -> Sequence[str]:
        """Whom a shared vault serves: the repository around it, and globs of names of projects."""
        from engram.settings.project_folders import repository_around

        entry = self.parts.entry
        if entry is None or not entry.sharing.space:
            return []
        around = repository_around(self.root, self.parts.places.home)
        return [*([str(around)] if around else []), *entry.sharing.serves]

    @property
    def unguarded(self) -> Sequence[tuple[str, str]]:
        """The ignore files that should leave a folder out and do not, and that folder."""
        from engram.store.base.exposure import unguarded

        return unguarded(self.root)

    @property
    def writable(self) -> bool:
        """Whether it may be written here: registered, and of a format that is known."""
        return self.parts.writable

    @property
    def accessible(self) -> bool:
        """Whether this process has the right to write what it may write."""
        return not self.writable or os.access(self.root / layout.STATE, os.W_OK)

    @property
    def identity(self) -> tuple[object, ...]:
        """What is equal for two openings of one vault with the same settings."""
        return self.parts.loaded, self.parts.entry, self.parts.cache

    @property
    def git_remote(self) -> str:
        """The name of a git remote that what is captured would be pushed to; else empty."""
        from engram.store.base.exposure import shared_by_git

        return shared_by_git(self.root)

    @contextmanager
    def beside(
        self, folder: Path | None, projects: Sequence[str] | None = None, own: Path | None = None
    ) -> Iterator[Self]:
        """Ask also the vaults that are read beside this one in a folder with these projects.

        Without `projects` they are those of the folder. Inside, `search`, `recall`, `show`,
        `origin` and `given` speak of all of them; what is of another vault has its label before its
        id (`@shop/ID`). `own` is the person's own vault, where that is another one. What cannot be
        read is left out with a warning.
        """
        if len(entries := Registry(self.parts.places).entries()) < 2:
            yield self  # most people have one vault
            return
        from engram.vault.vaults_beside import read_beside

        named = self.projects_in(folder) if projects is None and folder else projects or ()
        first = self.root if own is None else Path(os.path.realpath(own.expanduser()))
        with read_beside(self.parts, entries, first, folder, named):
            yield self

    def ready_for_readers(self) -> None:
        """Read a registered shared vault for whoever reads it beside their own: hooks do not wait.

        Nothing but the cache is written.
        """
        from engram.vault.vaults_beside import take_up

        take_up(self.parts)

    # -- asking by word ------------------------------------------------------------------------

    def ready_to_read(self) -> bool:
        """Take up hand edits within the time for that, and bring the index up if nobody writes.

        Returns whether everything is taken up; False means that answers may be a little behind: no
        question waits for an import, an extraction or a consolidation.
        """
        settled = self._settled()
        return self.parts.index.refresh(_PATIENCE) and settled

    def _settled(self) -> bool:
        return self.parts.settler.within(self.settings.recall.settle_ms)

    def search(
        self, query: str, *, limit: int | None = None, project: str = "",
        mode: RetrievalMode | None = None, all_statuses: bool = False, as_of: str = "",
        around: bool = False, fold: bool = False,
    ) -> Answers:  # fmt: skip
        """The best memories and turns for a query; the given project and user-wide ones first.

        A `mode` gives memories of its tiers alone: "reflexive" hot ones, "standard" warm ones too,
        "deep" cold ones too, "exhaustive" (or `all_statuses`) all, whatever became of them. Without
        one all live memories are looked at, and cold ones count less, unless a time is asked about.

        With `as_of` (see `list`) what was true and said by then; with `around` each turn has those
        before and after it. With `fold` at most two turns of a conversation come while others were
        found too, and the last tells how many more match: for a reader, who wants to see which
        conversations there are; what counts or sorts hits itself wants all. Raises BadInput.
        """
        asked = self._last_moment(as_of)
        settled, setting = self.ready_to_read(), self._setting(project)
        most = self.settings.recall.limit if limit is None else limit
        found = self.parts.search.search(
            query, limit=most, setting=setting, mode="exhaustive" if all_statuses else mode,
            as_of=asked, around=around, fold=fold,
        )  # fmt: skip
        return replace(found, behind=not settled)

    def _setting(self, project: str) -> Setting:
        from engram.recall.rank import Setting

        related = self.settings.recall.related_words
        return Setting(self.clock.now(), project, self.parts.timezone, related)

    def _last_moment(self, as_of: str) -> str:
        """What an Instant or a Day means here; empty for none. Raises BadInput."""
        from engram.model.validity import last_moment

        try:
            return last_moment(as_of, self.parts.header.timezone) if as_of else ""
        except ValueError as error:
            raise BadInput(f"as of: {error}", "name a day like 2026-03-06") from error

    @property
    def timezone(self) -> str:
        """The zone in which the vault's days begin and times are shown."""
        return self.parts.timezone

    def projects_in(self, folder: Path) -> tuple[str, ...]:
        """The projects of a working folder; none for one that is not known to be a project's."""
        from engram.settings.project_folders import project_names, repository

        try:
            here, home = str(folder.absolute()), self.parts.places.home
        except OSError:  # the working directory was removed
            return ()
        names = project_names(here, home, self.root)
        if repository(here, home, self.root) or any(map(self.parts.catalog.knows_project, names)):
            return names
        return ()

    def recall(
        self, question: str, *, budget: int | None = None, limit: int | None = None,
        projects: Sequence[str] = (), reason: bool | None = None, as_of: str = "",
        history: bool = False, mode: RetrievalMode | None = None, reader: Reader | None = None,
    ) -> ContextBlock:  # fmt: skip
        """A ranked block with receipts within `budget` tokens, to be given to an agent or read.

        A `reader` who is an agent is given what an agent in a folder of these `projects` may be
        given; the person what belongs to them, to none, and to the person, and without projects to
        any. Where nobody is named, projects stand for an agent that works there. Secrets, what is
        over, and what belongs to another session are given to nobody.

        A question of time is answered by rules, from memories and turns; any question with
        `reason`, which asks the model that is configured; none where it is False. With `as_of` (see
        `list`) what was true and said by then; with `history` what each memory replaced, and what
        replaced it. `mode` is that of `search`. The access log tells to which `reader` it was
        given, by default the person. Raises BadInput for an empty question that is to be answered,
        ConfigError for a policy that is not understood.
        """
        self._check_given()
        asked = self._last_moment(as_of)
        self.ready_to_read()
        chosen = self.settings.recall
        block = self.parts.recalling.block(
            question, setting=self._setting(next(iter(projects), "")),
            limit=chosen.limit if limit is None else limit,
            budget=chosen.budget_tokens if budget is None else budget,
            recipient=self._recipient(projects, reader), reason=reason,
            as_of=asked, history=history, mode=mode,
        )  # fmt: skip
        self.note_given("recall", block.shown, question, reader)
        return block

    def note_given(
        self, how: How, identifiers: Iterable[str], question: str, reader: Reader | None = None, *,
        asked: bool = True,
    ) -> None:  # fmt: skip
        """Note in the access log that memories were given as the answer to a question.

        They count as reads where each was `asked` for. What cannot be noted is given all the same.
        """
        from engram.model.given import Reader
        from engram.vault.giving import note_given

        note_given(self.parts, how, identifiers, question, reader or Reader(), asked=asked)

    def _check_given(self) -> None:
        """Raise Untrusted for a vault of which nothing is given to an agent."""
        if not self.trusted:
            message = f"{self.root} is not registered here: it is searched, and not given to agents"
            raise Untrusted(message, f"`engram trust {self.root}`")

    def rules_block(self, projects: Sequence[str] = (), *, most: int) -> RulesBlock:
        """What belongs into the file of rules of a project's agents; without one, of the person's.

        Raises Untrusted.
        """
        from engram.model.given import UNKNOWN, Reader
        from engram.queries.exported_rules import rules_block

        self._check_given()
        self._settled()
        recipient = self._recipient(projects, Reader(UNKNOWN))
        today = day_of(self.clock.now())
        return rules_block(
            self.parts.catalog, recipient, today, most, self.parts.redactor.clean, self.timezone
        )

    def exported_records(
        self, *, schemas: Sequence[str] = (), projects: Sequence[str] | None = None,
        statuses: Sequence[str] = (),
    ) -> RecordExport:  # fmt: skip
        """The records as seed 001's JSON objects, whoever made them; '' is for no project.

        Without `statuses`, what is in use, in review, retired or archived.
        """
        from engram.model.ids import slug
        from engram.queries.record_export import exported_records

        self._settled()
        names = None if projects is None else {slug(one) if one else "" for one in projects}
        return exported_records(
            self.parts.catalog, self.parts.redactor.clean, schemas=schemas, projects=names,
            statuses=statuses,
        )  # fmt: skip

    def open_documents(
        self, projects: Sequence[str], session: str = ""
    ) -> Callable[[str, bytes], bool]:
        """Tells of a file, by path and bytes, whether it may be given to a client of the person.

        In these projects, without any in all of them; of what belongs to a session, in that session
        alone. Pages are judged by what was known after the last command. Raises ConfigError for a
        policy that is not understood.
        """
        from engram.model.given import PERSON, Reader
        from engram.queries.open_documents import open_documents

        recipient = self._recipient(projects, Reader(PERSON, session))
        names = self.parts.projections.names()
        return open_documents(self.parts.catalog, names, recipient, day_of(self.clock.now()))

    def _recipient(self, projects: Sequence[str], reader: Reader | None) -> Recipient:
        """Who is given something in these projects; where nobody is named, an agent in them."""
        from engram.capture.exclusion import Exclusion
        from engram.model.given import BY_HAND, PERSON
        from engram.model.ids import slugs_of
        from engram.recall.borders import Recipient

        outside = Exclusion(self.settings.capture.exclude)
        names = tuple(one for name in projects for one in slugs_of(name))
        return Recipient(
            names, self.settings.recall.share_personal, partial(outside, ""),
            "" if reader is None or reader.session == BY_HAND else reader.session,
            self.parts.policy.read_order,
            not names if reader is None else reader.by == PERSON,
            self.parts.is_older, self.parts.is_silent,
        )  # fmt: skip

    def grep(
        self, regex: str, *, categories: tuple[str, ...] = (), project: str = "",
        ignore_case: bool = False, turns: bool = True, headers: bool = False,
        go_on: Callable[[], bool] = lambda: True,
    ) -> Iterator[tuple[str, MatchingLine]]:  # fmt: skip
        """`(path, line)` for every line that matches, memories first, in path order.

        The headers of memories are looked into where `headers` are asked for.
        `turns` of transcripts are looked at only where nothing narrows the memories. It ends early
        when `go_on` says no. Raises BadInput for what is no regular expression, or one that takes
        too long.
        """
        from engram.recall.filter import Filter

        wanted = Filter(categories=categories, project=project)
        turns = turns and not (categories or project)
        return self._lookup().grep(
            regex, wanted, go_on, ignore_case=ignore_case, turns=turns, headers=headers
        )

    # -- asking by name ------------------------------------------------------------------------

    def _lookup(self) -> Lookup:
        """Answers by name, with hand edits taken up."""
        self._settled()
        return self.parts.lookup

    def memory(self, reference: str) -> Memory:
        """The memory of an id, a docid, a file name or an unambiguous beginning.

        Raises NotFound when there is none, BadInput when there are several.
        """
        return self._lookup().memory(reference)

    def show(self, reference: str) -> ShownFile | ShownTurn | ShownSession:
        """The file of a memory or page, a turn, or a conversation, by any name that it has.

        Raises NotFound.
        """
        from engram.model.memory import Memory
        from engram.model.shown import ShownFile
        from engram.queries.named_memories import shown_by_any_name

        self._settled()
        found = shown_by_any_name(
            reference, self.parts.memories, self._session, self.parts.entities
        )
        if isinstance(found, ShownFile) and isinstance(found.content, Memory):
            found = found._replace(retention=self._read(found.content))
        return found

    def _session(self, reference: str, exact: bool) -> ShownSession | None:
        from engram.model.policy import Policy
        from engram.queries.session_view import session_named

        # a person reads on while a policy file is not understood
        parts, most = self.parts, (self.parts.held_policy() or Policy()).short_term
        return session_named(reference, most, parts.projections, parts.conversations, exact=exact)

    def _read(self, memory: Memory) -> Retention | None:
        """Count that a memory is read; its tier and score before. None for another vault's."""
        if split_id(memory.id)[0]:
            return None
        found = self.parts.tiers.retention(memory.id, self.clock.now())
        self.parts.count_access([memory.id])
        return found

    def list(
        self, *, categories: tuple[str, ...] = (), statuses: tuple[str, ...] = (),
        project: str = "", tag: str = "", since: str = "", before: str = "", as_of: str = "",
        schemas: tuple[str, ...] = (), space: str = "", without: str = "", limit: int = 50,
    ) -> Sequence[Memory]:  # fmt: skip
        """The memories that pass, newest first, but records of the schema `without`; empty
        arguments do not filter.

        `as_of` is an Instant, or a Day of the vault's time zone at its end: what was true then,
        whatever became of it but for what was forgotten. Raises BadInput for any other text.
        """
        from engram.recall.filter import Filter

        asked = self._last_moment(as_of)
        wanted = Filter(
            categories, statuses, project, tag, since, before, asked, schemas, space, without
        )
        return self._lookup().listing(wanted, limit)

    def tiers(self) -> TierCounts:
        """How many memories are in each tier, of all and of each category."""
        self._settled()
        return self.parts.tiers.counts(self.clock.now())

    def falling(self, days: int) -> Sequence[FallingMemory]:
        """The live memories that are in a lower tier after so many days without a read, the one of
        the highest score first."""
        self._settled()
        return self.parts.tiers.falling(days, self.clock.now())

    def links(self, reference: str) -> Sequence[Link]:
        """The links of a memory, page, turn or conversation in both directions, with reasons."""
        from engram.queries.named_links import links_named

        lookup, parts = self._lookup(), self.parts
        return links_named(reference, lookup, parts.projections, parts.entities)

    def origin(self, reference: str) -> MemoryOrigin:
        """Where a memory came from, every event since, and both in sentences."""
        from engram.queries.named_memories import origin

        self._settled()
        found = origin(reference, self.parts.memories, self.parts.timezone)
        return found._replace(retention=self._read(found.memory))

    def given(self, reference: str, *, limit: int = 50) -> Sequence[GivenTo]:
        """To whom a memory was given, when and for what, newest first.

        Also of one that is gone, by its whole id. Raises NotFound, BadInput.
        """
        from engram.queries.named_memories import given

        self._settled()
        return given(reference, self.parts.memories, self.parts.givens, limit)

    def refusals(self, code: str = "") -> Sequence[Refusal]:
        """What became no memory, newest first, with the words of its turn; of one code if given.

        Raises BadInput for a code that there is none of.
        """
        from engram.model.refusal_codes import check_code
        from engram.queries.refusal_log import refusals, with_words

        lookup = self._lookup()
        found = refusals(self.parts.catalog)
        if code:
            check_code(code, frozenset(one.code for one in found))
        return with_words([one for one in found if code in ("", one.code)], lookup)

    def learnt_on(self, day: Day = "") -> tuple[Day, Sequence[Memory]]:
        """What was learnt on a day of the vault's time zone, by default today; with that day."""
        return self._lookup().learnt_on(day, self.clock.now(), self.parts.timezone)

    def learnt(self, batch: str, projects: Sequence[str] = ()) -> Learnt:
        """What a batch brought, best first, and a question or words that find one of it.

        They are tried as the person would ask them in a folder of these `projects`; no read counts.
        """
        from engram.model.given import Reader
        from engram.queries.learnt import Tried, learnt

        self.ready_to_read()
        chosen, setting = self.settings.recall, self._setting(next(iter(projects), ""))
        tried = Tried(
            self.parts.recalling, self.parts.search, setting, self._recipient(projects, Reader()),
            chosen.limit, chosen.budget_tokens,
        )  # fmt: skip
        return learnt(batch, self.parts.catalog, tried)

    def entities(self) -> Sequence[EntityRow]:
        """Every person, tool and project that memories speak of, the most named first."""
        self._settled()
        return self.parts.entities.listing()

    def entity(self, name: str) -> tuple[Entity, str]:
        """The entity of an id, a name in any spelling, or an alias; with the text of its page."""
        self._settled()
        found = self.parts.entities.find(name)
        return found, self.parts.entities.text_of(found)

    def boxes(self) -> Sequence[Box]:
        """Every box, oldest first; those that are not sealed yet have no `path`."""
        self._settled()
        return self.parts.boxes.listing()

    def traces(self) -> Sequence[Trace]:
        """The threads of sealed boxes on the same topics, by id."""
        self._settled()
        return self.parts.boxes.traces()

    def trace(self, reference: str) -> tuple[Trace, Sequence[Box]]:
        """The trace of an id, its beginning, or one of its boxes; and its boxes."""
        self._settled()
        return self.parts.boxes.trace(reference)

    def summaries(self) -> Sequence[Summary]:
        """Every summary, superseded ones too, by the day of its newest source, oldest first."""
        self._settled()
        return self.parts.summaries.listing()

    def summary(self, reference: str) -> tuple[Summary, str]:
        """The summary of an id, its beginning, or a docid; with the text of its page."""
        self._settled()
        found = self.parts.summaries.find(reference)
        return found, self._lookup().page_text(found)

    def to_review(self, since: Day = "", of: Sequence[str] = ()) -> Sequence[ReviewItem]:
        """What waits for the person, the most pressing first (see `health.review_queue`).

        With names of transactions or imports (`17`, `import-1`) what these wrote, all of it. Raises
        NotFound for a name of none.
        """
        from engram.queries.review_questions import waiting

        self._settled()
        return waiting(self.parts.view, self.parts.catalog, self.clock.now(), since, of)

    def still_asked(self, item: ReviewItem) -> Sequence[Memory] | None:
        """The memories of a question as they are by now; None when it is answered already."""
        from engram.health.review_queue import still_asked

        found = [self.parts.lookup.find_memory(one.id) for one in item.memories]
        return still_asked(item.reason, found)

    def turns_behind(self, memory: Memory) -> Sequence[Turn]:
        """The turns that a memory rests on, as far as they can be read and were not forgotten."""
        found = self.parts.lookup.turns_in_sight(memory.sources)
        return [found[link] for link in memory.sources if link in found]

    def refused(self) -> Sequence[Verdict]:
        """What was refused of the turns of the last 30 days, found anew in them by the rules."""
        from engram.pipeline.refused_candidates import refused_anew
        from engram.queries.refusal_log import recent, turns_to_read

        lookup, since = self._lookup(), recent(self.clock.now())
        return refused_anew(turns_to_read(self.parts.catalog, lookup, since), self.parts)

    def keep_refused(self, verdict: Verdict) -> Remembered:
        """Admit one of these as the person's own memory. Raises BadInput."""
        from engram.pipeline.refused_candidates import keep

        self.parts.check_takes_words()
        lookup = self.parts.lookup
        return keep(verdict, lambda link: bool(lookup.turns_in_sight([link])), self.parts)

    # -- looking ahead and back ----------------------------------------------------------------

    def status(self) -> Status:
        """What is captured, pending, refused and put aside."""
        from engram.queries.status import record_counts, status_of

        self.ready_to_read()
        parts = self.parts
        known = status_of(
            self.root, self.trusted, parts.catalog, self.waiting(), parts.index.status(),
            parts.model_status(), parts.vector_status(), self.clock.now(),
            record_counts(parts.view, self.settings.records.most, self.clock.now()),
            parts.tiers.counts(self.clock.now()).tiers,
        )  # fmt: skip
        problem, _ = parts.policy_check()
        told = "" if problem is None else problem[0]
        mismatch = parts.sharing_problem
        return replace(
            known, last_run=parts.runs.last(), policy_problem=told, served=tuple(self.served),
            shares=parts.header.shares, sharing_problem="" if mismatch is None else str(mismatch),
            measured=self.measured(),
        )  # fmt: skip

    def activity(
        self, *, since: str = "", before: str = "", weeks: int = 0, project: str = ""
    ) -> Activity:
        """Turns, memories, refusals and requests to models, by week of the vault's time zone.

        From the day, month or year `since` to before another: without them the last 13 `weeks`, or
        as many as are asked for. `project` is of one project only. Raises BadInput.
        """
        from engram.queries.weekly_activity import activity_of

        self.ready_to_read()
        parts = self.parts
        return activity_of(
            parts.catalog, parts.disk, parts.timezone, self.clock.now(), since=since,
            before=before, weeks=weeks, project=project,
        )  # fmt: skip

    def model_status(self) -> ModelStatus | None:
        """Who is asked, what was spent today, who rests; None where no model is configured."""
        return self.parts.model_status()

    def index_status(self) -> IndexStatus:
        """The index as it is."""
        return self.parts.index.status()

    def waiting(self) -> Sequence[Waiting]:
        """The transcripts that have pending turns."""
        return self.parts.turns.waiting()

    def due(self) -> Sequence[Waiting]:
        """Those of them whose time has come."""
        from engram.pipeline.extraction import ready

        return ready(self.parts)

    def _pending(self, due: bool) -> Sequence[str]:
        return [one.transcript for one in (self.due() if due else self.waiting())]

    def preview(self, *, due: bool = False, tier: Tier = "auto") -> Sequence[Verdict]:
        """What `flush`, or with `due` `tick`, would decide now by the rules; nothing is written."""
        from engram.pipeline.extraction import preview

        self.ready_to_read()
        return preview(self._pending(due), self.parts, tier)

    def questions(
        self, *, due: bool = False, tier: Tier = "auto"
    ) -> tuple[Sequence[Request], Estimate]:
        """What `flush`, or with `due` `tick`, would ask a model, and what that costs at most.

        As it would be sent: redacted. Nothing is asked and nothing is written.
        """
        from engram.pipeline.extraction import questions

        self.ready_to_read()
        asked = questions(self._pending(due), self.parts, tier)
        return asked, self.parts.estimate(len(asked), sum(one.tokens for one in asked))

    def triage(self) -> Sequence[TriagedConversation]:
        """What points to records in what is pending, or else in the last conversations."""
        from engram.queries.triage_scores import triaged

        self.ready_to_read()
        parts = self.parts
        pending = self._pending(due=False)
        return triaged(pending, parts.projections, parts.attributed_turns, parts.triage_patterns)

    def log(self, limit: int = 20) -> Sequence[ChangeEntry]:
        """The changes, newest first."""
        self._settled()
        return self.parts.transaction_log.entries(self.parts.catalog, limit)

    def events(
        self, limit: int = 50, *, event: str = "", since: str = "", space: str = "",
        session: str = "", expand: bool = False,
    ) -> Sequence[ContractEvent]:  # fmt: skip
        """The last events of the memory contract, in the order in which they happened.

        Of one name, from a day or an instant on, about one space, of one session. With `expand`
        each holds the policy itself where it else names it by its digest. Raises BadInput for a
        name that no event has.
        """
        from engram.queries.contract_log import ContractLog, EventFilter
        from engram.store.catalog.access_log import AccessLog
        from engram.store.files.policy_snapshots import kept_policy

        self._settled()
        parts, disk = self.parts, self.parts.disk
        log = ContractLog(
            parts.catalog,
            parts.givens,
            AccessLog(disk),
            lambda digest: kept_policy(disk, digest),
            parts.phase_queries,
            parts.memories,
        )
        found = log.last(limit, EventFilter(event, since, space, session))
        return [log.expanded(one) for one in found] if expand else found

    def transactions_to_verify(self) -> int:
        """How many transactions `verify` reads."""
        return len(self.parts.transaction_log.paths())

    def verify(self, tell: Progress = lambda done: None) -> Proof:
        """Check the log against its chain of digests, and the files of memories against the log.

        Hand edits are taken up where that is possible. `tell` hears of each transaction read.
        """
        from engram.pipeline.writing import settle_all
        from engram.queries.log_proof import prove

        parts, writable = self.parts, self.writable
        take_up = partial(settle_all, parts, writable=writable)
        return prove(parts.disk, parts.transaction_log, take_up, tell)

    def change(self, number: int) -> Transaction:
        """One of them, with its files and events. Raises NotFound."""
        self._settled()
        return self.parts.transaction_log.existing(number)

    # -- taking in -----------------------------------------------------------------------------

    def capture(self, turns: Sequence[Turn]) -> CaptureResult:
        """Append turns to the journal, scan them, and extract what is due (seed 003)."""
        from engram.pipeline.ingest import capture

        self.parts.check_takes_words()
        return capture(turns, self.parts)

    def capture_stream(self, stream: BinaryIO, *, project: str = "") -> CaptureResult:
        """Take in what standard input holds: JSON lines, or text (design 6: `capture -`)."""
        from engram.pipeline.imports import stream_turns
        from engram.pipeline.ingest import capture

        self.parts.check_takes_words()
        return capture(stream_turns(stream, project, self.parts), self.parts, whole=True)

    def import_files(
        self, source: str, *paths: Path, extract: bool = True, tier: Tier = "auto",
        dry_run: bool = False, live: bool = False, again: bool = True, index: bool = True,
        batch: str = "",
        progress: Progress = lambda _: None, extracted: Progress = lambda _: None,
    ) -> tuple[ImportReport, ExtractionResult]:  # fmt: skip
        """Read a source's files below paths; an import is one batch that `undo` takes back.

        What joins the `batch` of another source is taken back with it.

        What it brings is history, which a model reads only when `tier` is "model". What an undo
        took back comes `again`, unless that is False, or the import `live`: then nobody asked for
        it. Without `index` the next search brings the index up. `progress` is told of bytes read,
        `extracted` of turns extracted.
        """
        from engram.pipeline import imports

        self.parts.check_takes_words()
        if dry_run:
            return imports.read_only(source, paths, self.parts, again=again, progress=progress)
        return imports.import_files(
            source, paths, self.parts, extract=extract, tier=tier, live=live, again=again,
            index=index, batch=batch, progress=progress, extracted=extracted,
        )  # fmt: skip

    def read_file(self, path: Path) -> ReadFile:
        """What an import of a file of the inbox keeps of it, captured before or not."""
        from engram.pipeline.inbox_files import read_file_whole

        return read_file_whole(path, self.parts)

    def forecast(
        self, source: str, *paths: Path, again: bool = True,
        progress: Progress = lambda _: None,
    ) -> tuple[ImportReport, Estimate]:  # fmt: skip
        """What an import would read, and what a model would cost to read it; writes nothing."""
        from engram.extract.llm.estimate import Forecast
        from engram.pipeline.imports import read_only

        forecast = Forecast(self.parts.extraction_prompt)
        report, _ = read_only(
            source, paths, self.parts, again=again, progress=progress, fresh=forecast.add
        )
        return report, self.parts.estimate(*forecast.total())

    def bytes_to_read(self, source: str, *paths: Path) -> int:
        """How many bytes an import would read, for a progress bar."""
        from engram.pipeline.imports import files_of

        return sum(os.path.getsize(file) for file in files_of(source, paths, self.parts))

    def check_tier(self, tier: Tier) -> None:
        """Raise BadInput where a model is to read and none is configured; ModelRefuses for one
        that has no key."""
        from engram.pipeline.consolidation import check_tier

        check_tier(tier, self.parts)
        if tier == "model":
            self.parts.check_key()

    def tick(self) -> ExtractionResult:
        """What a ticker calls: the time trigger and retries, without new traffic (design 5.11)."""
        from engram.pipeline.extraction import tick

        self.parts.check_takes_words()
        return tick(self.parts)

    def flush(self, progress: Progress = lambda _: None, tier: Tier = "auto") -> ExtractionResult:
        """Extract everything pending, due or not; `progress` is told of turns extracted."""
        from engram.pipeline.extraction import run

        self.parts.check_takes_words()
        return run(self._pending(due=False), self.parts, tier, progress)

    def extract_transcripts(self, names: Iterable[str], tier: Tier = "auto") -> ExtractionResult:
        """Extract what is pending in these transcripts, due or not."""
        from engram.pipeline.extraction import run

        self.parts.check_takes_words()
        return run(names, self.parts, tier)

    def retry(self) -> int:
        """Queue the dead letter again; returns how many turns."""
        from engram.pipeline.writing import writing

        with writing(self.parts):
            plan, turns = self.parts.retry_plan()
            if turns:
                self.parts.committer.commit(plan)
            return turns

    def remember(
        self, text: str, *, category: str = "", project: str = "", folder: Path | None = None
    ) -> Remembered:
        """One explicit memory in the person's words. Raises BadInput for what is refused.

        Words that ask for "the project" mean that of a working folder, where none is named.
        """
        from engram.language.promotion_hints import asks_for
        from engram.pipeline.dictation import remember

        self.parts.check_takes_words()
        if folder is not None and not project and asks_for(text, "project"):
            project = next(iter(self.projects_in(folder)), "")
        return remember(text, category, project, self.parts)

    # -- phases --------------------------------------------------------------------------------

    def project_called(self, name: str) -> str:
        """What a project that a person names is called in a header: without secrets, as a slug."""
        from engram.model.ids import slug

        return slug(self.parts.redactor.redact(name).text) if name else ""

    def start_phase(self, store: Store, name: str, reason: str = "") -> StartedPhase:
        """Begin a phase of a store now. Raises BadInput for no name and where the policy has none.

        One that is called as the current one begins nothing.
        """
        from engram.pipeline.phases import start_phase

        return start_phase(store, name, reason, self.parts)

    def phases(self, store: Store | None = None) -> Sequence[ListedPhase]:
        """The phases of one store, or of each that has any."""
        self._settled()
        return self.parts.phase_queries.listed(self.clock.now(), store)

    def phase_diff(
        self, store: Store, names: tuple[str, str] | None = None, reader: Reader | None = None
    ) -> DiffedPhases:
        """What changed in a store from one phase to another, by default of the last two.

        The access log tells that the `reader` asked. Raises BadInput for phases that there are not,
        and where the policy tells no differences.
        """
        from engram.model.given import Reader
        from engram.vault.giving import phase_diff

        self._settled()
        return phase_diff(self.parts, store, names, reader or Reader())

    # -- writing by hand -----------------------------------------------------------------------

    def try_policy(
        self, text: str, *, said_by: Saying = "person", category: str = "", project: str = ""
    ) -> PolicyTrial:
        """What the policy would make of a text; writes nothing. Raises BadInput, ConfigError."""
        from engram.pipeline.policy_trial import policy_trial

        return policy_trial(text, said_by, category, project, self.parts)

    def new(
        self, data: bytes, schema: str, *, title: str = "", tags: Sequence[str] = (),
        project: str = "", dry_run: bool = False,
    ) -> Remembered:  # fmt: skip
        """One record in the person's words: a filled-in form, or seed 001's JSON.

        `title` counts instead of the record's, `tags` beside its own. Raises BadInput.
        """
        from engram.pipeline.new_records import make
        from engram.queries.record_input import read_record

        self.parts.check_takes_words()
        record, common, faults = read_record(data, schema, title=title, tags=tags)
        self._settled()
        return make(record, faults, common.id, project, self.parts, dry_run=dry_run)

    def form(
        self, schema: str, *, title: str = "", tags: Sequence[str] = ()
    ) -> tuple[bytes, Path]:  # fmt: skip
        """The form of a record to fill in, and where an editor is to find it. Raises Untrusted."""
        from engram.model.record_form import form_text
        from engram.model.schemas import SCHEMA_TABLE

        self.parts.check_writable()
        text = form_text(SCHEMA_TABLE[schema], title=title, tags=tags)
        return text.encode("utf-8"), self.parts.draft(f"new-{schema.replace('_', '-')}")

    # -- what the person decides ---------------------------------------------------------------

    def forget(
        self, *references: str, matching: str = "", reason: str = "", never_again: bool = False,
        dry_run: bool = False,
    ) -> Scope:  # fmt: skip
        """Take memories out of use, and turns out of search, one by one, by conversation or text.

        A memory takes its source turns along; every file stays. With `never_again` what it says is
        refused when it is said again. Returns what was meant, which may be `already` forgotten.
        """
        from engram.pipeline import edits, forgetting

        meant = []

        def forgotten() -> MemoryEdit:
            meant.append(self.parts.naming.scope(references, matching, gone=False))
            said = edits.reason_of(reason, self.parts)
            return forgetting.forgotten(meant[0], said, self.parts, never_again=never_again)

        done = edits.decide(forgotten, self.parts, dry_run=dry_run)
        return replace(meant[0], already=not (done.pairs or done.changes))

    def restore(self, reference: str) -> str:
        """Make a memory active again; one whose file was removed comes back as it last was."""
        from engram.pipeline import edits

        def restored() -> MemoryEdit:
            memory = self.parts.lookup.find_memory(reference)
            if memory is None:
                return edits.bring_back(*self.parts.lookup.removed(reference))
            return edits.restore(
                edits.unowned(memory, self.parts.view), self.clock.now(), self.parts.terms
            )

        done = edits.decide(restored, self.parts, code="RESTORE_ERROR")
        return done.pairs[0][0].id if done.pairs else done.events[0].subject

    def confirm(self, references: Sequence[str], *, dry_run: bool = False) -> MemoryEdit:
        """The person says that these hold: active, explicit, and their time starts anew."""
        from engram.pipeline import edits

        now, terms = self.clock.now(), self.parts.terms
        return edits.decide(
            lambda: edits.confirm(self._named(references), now, terms),
            self.parts, dry_run=dry_run,
        )  # fmt: skip

    def done(self, reference: str, *, dry_run: bool = False) -> MemoryEdit:
        """The person says that a promise was kept, today. Raises BadInput for no commitment."""
        from engram.model.instant import local_day
        from engram.pipeline import edits

        day = local_day(self.clock.now(), self.parts.timezone)
        return edits.decide(
            lambda: edits.done(self.parts.lookup.memory(reference), day), self.parts,
            dry_run=dry_run,
        )  # fmt: skip

    def retire(
        self, references: Sequence[str], reason: str = "", *, dry_run: bool = False
    ) -> MemoryEdit:
        """Out of use; the turns that they came from stay searchable."""
        from engram.pipeline import edits

        now, said = self.clock.now(), edits.reason_of(reason, self.parts)
        return edits.decide(
            lambda: edits.retire(self._named(references), said, now),
            self.parts, dry_run=dry_run, code="RETIRE_ERROR",
        )  # fmt: skip

    def archive(self, references: Sequence[str], *, dry_run: bool = False) -> MemoryEdit:
        """Out of the way, into the folder `archive/`."""
        from engram.pipeline import edits

        now = self.clock.now()
        return edits.decide(
            lambda: edits.archive(self._named(references), now),
            self.parts, dry_run=dry_run, code="ARCHIVE_ERROR",
        )  # fmt: skip

    def gc(self, *, dry_run: bool = False) -> Collected:
        """What was retired `retention.grace_days` ago or longer moves to the folder `archive/`."""
        from engram.pipeline.collection import collect

        self._settled()
        return collect(self.parts, self.parts.lookup.last_event, dry_run=dry_run)

    def supersede(self, old: str, new: str, *, dry_run: bool = False) -> MemoryEdit:
        """A memory that there is replaces another one."""
        from engram.pipeline import edits

        def superseded() -> MemoryEdit:
            before, after = self._named([old, new])
            known, terms = self.parts.view.memory, self.parts.terms
            return edits.supersede(before, after, known, self.clock.now(), terms)

        return edits.decide(superseded, self.parts, dry_run=dry_run)

    def resolve(
        self, reference: str, *, both: bool = False, against: str = "", dry_run: bool = False
    ) -> MemoryEdit:
        """Settle what contradicts a memory: it replaces the others, or with `both` all hold.

        `against` names one of the others, where only that one is meant. Raises BadInput when
        nothing contradicts it.
        """
        from engram.pipeline import edits

        def resolved() -> MemoryEdit:
            memory, lookup = self.parts.lookup.memory(reference), self.parts.lookup
            others, left = edits.dispute(
                memory, lookup.opponents(memory), lookup.memory(against) if against else None
            )
            settle = edits.reconcile if both else edits.resolve
            return settle(memory, others, self.clock.now(), self.parts.terms, left)

        return edits.decide(resolved, self.parts, dry_run=dry_run)

    def promote(
        self, references: Sequence[str], to_space: str, *, project: str = "",
        here: Sequence[str] = (), reader: Reader | None = None, dry_run: bool = False,
        with_quote: bool = False, private: bool = False,
    ) -> Sequence[Promotion]:  # fmt: skip
        """Let memories hold in another space: `user`, `project` or `system`, all of them or none.

        `project` is that of the target, else one of `here`, the projects of the folder. What an
        agent asks for (`reader`, the person without one) waits for the person. What is in project
        space already is promoted into the shared vault that takes its project: with its quote where
        `with_quote` says so, and with `private` also what is for the person alone. Raises BadInput
        for what is denied, NotFound for what no shared vault takes.
        """
        from engram.model.given import Reader
        from engram.pipeline.promoting import AskedPromotion
        from engram.pipeline.shared_promotion import SharingTerms
        from engram.vault.sharing import promote

        named, terms = self.project_called(project), SharingTerms(with_quote, private)
        asked = AskedPromotion(to_space, named, here, reader or Reader())
        return promote(references, asked, terms, self.parts, dry_run=dry_run)

    def decline_promotion(self, reference: str) -> MemoryEdit:
        """The person says that a memory stays in its space, where another one was asked for."""
        from engram.pipeline import edits
        from engram.pipeline.promoting import decline

        return edits.decide(lambda: decline(self.parts.lookup.memory(reference)), self.parts)

    def _named(self, references: Iterable[str]) -> Sequence[Memory]:
        return [self.parts.lookup.memory(reference) for reference in references]

    def to_edit(self, reference: str) -> EditDraft:
        """A memory's file, to be edited. Raises Untrusted, and BadInput for a file that is gone."""
        from engram.model.shown import EditDraft

        self.parts.settler.within(math.inf)
        memory = self.parts.lookup.memory(reference)
        self.parts.check_writable()
        before = self.parts.disk.read(memory.path)
        if before is None:
            raise BadInput(f"the file of {memory.id} is gone", f"`engram restore {memory.id}`")
        return EditDraft(memory, before, self.parts.draft(memory.id))

    def edit(self, memory: Memory, before: bytes, after: bytes) -> Edited:
        """A memory's file as the person rewrote it. Raises Conflict if it was changed meanwhile."""
        from engram.model.report import Edited
        from engram.pipeline import edits
        from engram.pipeline.writing import writing

        with writing(self.parts):
            titled = self.parts.writer.retitled(memory.path, after)
            written = edits.rewrite(memory, before, titled)
            self.parts.committer.commit(edits.plan_of(written, self.parts.writer))
            return Edited(memory, *self.parts.lookup.at(memory.path))

    def replace_text(self, reference: str, data: bytes, expected: str = "") -> Edited:
        """A memory's file as a program gives it, made of the version whose SHA-256 is `expected`.

        Raises Conflict where the file is another one, and BadInput for what may not be changed so.
        """
        from engram.model.report import Edited
        from engram.pipeline.dictation import refuse_added
        from engram.queries.replacement import check_replacement

        with called("UPDATE_ERROR"):
            memory, before, _ = self.to_edit(reference)
        check_replacement(memory, before, data, expected)
        refuse_added(before, data, self.parts.redactor)
        return Edited(memory, memory) if data == before else self.edit(memory, before, data)

    # -- taking away and taking back -----------------------------------------------------------

    def purge_preview(self, *references: str, matching: str = "") -> PurgePreview:
        """What a purge of memories, turns or conversations would destroy; nothing is written.

        `matching` is a text: all that holds it is meant. Also of a memory whose file is gone (an
        undone import, a removed file): its words are still in the transactions and the journal.
        """
        self._settled()
        return self.parts.eraser.preview(self.parts.naming.scope(references, matching))

    def purge(self, *references: str, matching: str = "") -> PurgeReport:
        """Destroy the words of what is named, wherever vault and cache hold them.

        Ends with a search for each word that nothing else says, and reports what it could not
        reach. Raises NotFound and BadInput.
        """
        from engram.model.report import PurgeReport
        from engram.pipeline.forgetting import purge
        from engram.queries.leftovers import leftovers, said_in

        parts = self.parts
        plan, purged, seldom = purge(lambda: parts.naming.scope(references, matching), parts)
        parts.remove_drafts(name for name, _ in purged.memories)
        left = leftovers(plan, self.root, parts.cache, parts.places.state_dir)
        return PurgeReport(purged, left, said_in(self.root, seldom))

    def secrets(self) -> Sequence[str]:
        """The files of the vault and of its past that hold what looks like a secret."""
        self._settled()
        return self.parts.secrets.holding()

    def purge_secrets(self) -> Sequence[str]:
        """Put a mark in the place of each of them; returns the files where one is still found."""
        from engram.pipeline.writing import writing

        with writing(self.parts):
            self.parts.committer.commit(self.parts.secrets.plan())
        return self.parts.secrets.holding()

    def undo(self, what: str = "") -> Transaction:
        """Take back the last change, transaction N, or a whole batch; undoing an undo redoes it."""
        from engram.pipeline.reversal import undo_plan
        from engram.pipeline.writing import writing

        with writing(self.parts):
            return self.parts.committer.commit(undo_plan(what, self.parts))

    def undo_plan(self, what: str = "") -> Plan:
        """What `undo` would do: files, turns and transactions; nothing is written."""
        from engram.pipeline.reversal import undo_plan

        self._settled()
        return undo_plan(what, self.parts)

    # -- keeping it ----------------------------------------------------------------------------

    def take_up_edits(self) -> int:
        """Take up hand edits now, and let the index follow; returns how many files they are."""
        from engram.pipeline.writing import writing

        with writing(self.parts) as edited:
            return edited

    def reunite(self, *, dry_run: bool = False) -> MergeReport:
        """Take in what sync tools and git left apart, as far as that is sure (decision 0017).

        One transaction that `undo` takes back; what is a question goes to review. A dry run plans
        the same and writes nothing.
        """
        from engram.pipeline.consolidation import merge_copies, preview_copies
        from engram.pipeline.writing import writing

        if dry_run:
            return preview_copies(self.parts)
        with writing(self.parts):
            return merge_copies(self.parts)

    def consolidate(
        self, *, full: bool = False, dry_run: bool = False, tier: Tier = "auto",
        closing: bool = True, progress: Progress = lambda _: None,
    ) -> Consolidated:  # fmt: skip
        """Merge, replace, age and tidy, in transactions that one `undo` takes back (seed 003).

        Looks at what changed since the last time, or with `full` at everything. A model, where one
        is configured and `tier` is not "rules", is asked without the writer lock. With `closing`
        boxes that are open are sealed too. A dry run plans the same and writes nothing. `progress`
        is told of the steps of each part that is done.
        """
        from engram.pipeline.consolidation import ConsolidationMode, consolidate, preview

        do = preview if dry_run else consolidate
        return do(self.parts, ConsolidationMode(full, closing, tier=tier, progress=progress))

    def seal_boxes(self, reason: str = "") -> int:
        """Seal the boxes of conversations that are over, or for a reason all; returns how many."""
        from engram.pipeline.consolidation import seal_boxes

        self.parts.check_takes_words()
        return seal_boxes(self.parts, reason)

    def close_conversation(self, source: str, path: Path) -> int:
        """Put on record where the conversation in an agent's file stopped: it has ended.

        Returns how many records were made or written on.
        """
        from engram.pipeline.imports import close_file

        self.parts.check_takes_words()
        return close_file(source, path, self.parts)

    def news(self) -> bool:
        """Whether anything happened since the last consolidation that left nothing for later."""
        from engram.pipeline.consolidation import last_whole

        return bool(self.parts.history.changed(last_whole(self.parts)))

    def new_memories(self) -> int:
        """How many memories are new since then."""
        from engram.pipeline.consolidation import last_whole

        return self.parts.history.born(last_whole(self.parts))

    def consolidation_run(self, number: int = 0) -> ConsolidationRun | None:
        """The record of a consolidation, or of the last; None where there is none."""
        return self.parts.runs.read(number) if number else self.parts.runs.last()

    def imported_news(self) -> bool:
        """Whether anything of that came with an import: history is dear."""
        return self.parts.history.imported()

    def doctor(self) -> Sequence[Finding]:
        """Everything that is not as promised, each with one fix."""
        from engram.health.doctor import diagnose
        from engram.pipeline.inbox_files import why_left
        from engram.pipeline.writing import settle_all
        from engram.queries.checks import examine

        parts, stuck = self.parts, settle_all(self.parts, writable=self.writable)
        differs = parts.sharing_problem
        problem = None if differs is None else (str(differs), differs.hint)
        return diagnose(
            examine(
                parts.disk, parts.projections, parts.transaction_log, parts.index,
                parts.secrets.holding(), lambda path: why_left(path, parts), stuck,
                *parts.policy_check(), problem, parts.shared,
            )
        )  # fmt: skip

    def left_in_inbox(self) -> Mapping[str, str]:
        """The files that the inbox does not take in, by their paths in the vault, and why."""
        from engram.pipeline.inbox_files import why_left
        from engram.queries.checks import left_in_inbox

        return left_in_inbox(self.parts.disk, lambda path: why_left(path, self.parts))

    def audit(self) -> AuditReport:
        """How good what was written is, row by row (`health.audit`); nothing is written."""
        from engram.health.audit import report
        from engram.pipeline.consolidation import ConsolidationRequest, pass_context
        from engram.queries.audit_evidence import inspect

        parts = self.parts
        parts.settler.within(math.inf)
        context = pass_context(ConsolidationRequest(), parts)
        found = report(
            inspect(
                context, parts.disk, parts.projections, parts.lookup, parts.redactor.clean,
                parts.heard, parts.attributed_turns, parts.conversations.turns,
            )
        )  # fmt: skip
        return replace(found, measured=self.measured())

    def sample(self, most: int, seed: str = "") -> Sequence[Memory]:
        """The next memories to be judged, drawn at random; without a seed by vault and day.

        Those that were judged, and those that the person told or wrote, are passed over.
        """
        from engram.model.instant import local_day
        from engram.queries.judgements import to_judge

        self._settled()
        seed = seed or f"{self.id} {local_day(self.clock.now(), self.parts.timezone)}"
        return to_judge(self.parts.catalog, self.parts.judgements.all(), seed, most)

    def judge(self, reference: str, verdict: Grade | Literal[""]) -> None:
        """Keep what the person says of a memory; '' takes it back. Raises Untrusted, NotFound."""
        from engram.model.judgement import Judgement

        parts = self.parts
        parts.check_writable()
        named = parts.lookup.memory(reference).id if verdict else reference
        parts.judgements.add(Judgement(named, verdict, self.clock.now()))

    def measured(self) -> Measured | None:
        """What the person's judgements of samples say of the vault; None before there are any."""
        from engram.queries.judgements import measured_of

        given = self.parts.judgements.all()
        return measured_of(self.parts.catalog, given) if given else None

    @property
    def embeds(self) -> bool:
        """Whether a model makes vectors here, for search by meaning."""
        return self.parts.embeds

    def embedding_estimate(self) -> Estimate:
        """How many memories and turns have no vector yet, and the likely cost; nothing is sent."""
        self.ready_to_read()
        return self.parts.embedding_estimate()

    def embed(self, progress: Progress = lambda _: None, *, most: int | None = None) -> Embedded:
        """Make the vectors that are missing, memories first, or at most so many of them.

        What is done stays when the model goes away or the budget ends. Raises Untrusted,
        ConfigError where no model is named or numpy is missing, and Locked.
        """
        self.ready_to_read()
        return self.parts.embedding().bring_up(progress, most)

    def rebuild(self) -> Sequence[str]:
        """Catalog and index anew from the files, then the views; returns those that differed."""
        from engram.pipeline.writing import rebuild

        return rebuild(self.parts, writable=self.writable)

    def stale_views(self) -> Sequence[str]:
        """The views in state/ that `rebuild` would mend; nothing is written."""
        from engram.queries.checks import stale_views

        self._settled()
        parts = self.parts
        return stale_views(parts.disk, parts.projections, parts.transaction_log, due=True)

    def bring_up_index(self) -> bool:
        """The index as the catalog is, if nobody writes; whether it is."""
        return self.parts.index.refresh(_PATIENCE)

    def rebuild_index(self) -> None:
        """The index alone, made anew."""
        self.parts.index.rebuild()

    def version(self) -> str:
        """A text that is another one after every turn and every transaction."""
        catalog = self.parts.catalog
        return f"{catalog.last}.{catalog.turns.last}"
