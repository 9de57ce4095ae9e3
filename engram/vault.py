"""class Vault: every verb of the command line as one method. Opens, trusts, locks, wires.

The only place that knows both the deciders and what stands behind their ports (its reading half is
`library.py`). Guarantees: an unregistered vault is searched and nothing else; every verb that
writes settles hand edits first, under the writer lock; the index has caught up when it returns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from engram import amend, flow, founding
from engram.admit.draft import Draft
from engram.admit.resolve import Court, admit
from engram.capture import sources
from engram.capture.follow import walk
from engram.capture.journal import TurnJournal
from engram.capture.redact import compile_redactor
from engram.capture.signals import compile_signals
from engram.examination import examine
from engram.extract.classify import memory_kind, score_importance
from engram.extract.rules import RulesTier
from engram.health.doctor import Finding, diagnose
from engram.imports import Importer, Report, read_stream
from engram.library import Answers, Library
from engram.model.change import Event, Plan, Range, Transaction
from engram.model.errors import BadInput, FormatTooNew, Locked, NotFound, Untrusted
from engram.model.ids import slug
from engram.model.instant import day_of
from engram.model.memory import CATEGORIES, Memory
from engram.model.turn import Turn, Waiting, turn_of
from engram.ports import Clock
from engram.recall.answer import ContextBlock
from engram.recall.rank import Setting
from engram.settings.load import Loaded, load, shipped
from engram.settings.places import Places, places_of
from engram.settings.registry import Registry
from engram.shelf import Shelf
from engram.store import layout, transaction
from engram.store.clock import clock_of
from engram.store.cursors import CursorFile
from engram.store.disk import VaultDisk
from engram.store.eraser import Eraser
from engram.store.followers import Followers
from engram.store.history import Entry, History
from engram.store.ledger import Ledger
from engram.store.lock import WriterLock
from engram.store.pen import Pen
from engram.store.scan import Scan, edits, scan
from engram.store.turn_rows import DEAD, PENDING, WITHDRAWN
from engram.store.turnbook import VaultTurns

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of an explicit memory: the decision, its code, and the memory that stands now."""

    decision: str
    code: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one vault; `refused` and `failures` by their stable codes."""

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


class Vault:
    """One vault on this machine. Close it, or use it as a context."""

    def __init__(
        self, root: Path, loaded: Loaded, places: Places, clock: Clock, *, trusted: bool
    ) -> None:
        assert loaded.vault is not None  # `open` has checked that there is a vault
        self.root = root
        self.loaded = loaded
        self.settings = loaded.settings
        self.trusted = trusted
        self.read_only = loaded.vault.format > layout.FORMAT
        self.clock = clock
        self.disk = VaultDisk(root)
        self.cache = founding.cache_folder(places, root, loaded.vault.id)
        self.journal = TurnJournal(self.disk)
        self.history = History(self.disk)
        self.followers = Followers(
            self.disk, self.journal, self.cache / "catalog.sqlite", loaded.vault.id, self.history
        )
        lock = WriterLock(root / layout.LOCK, self.settings.store.lock_timeout_seconds)
        eraser = Eraser(self.disk, self.history, self.journal, self.followers.transcripts)
        self.ledger = Ledger(self.disk, clock, lock, self.followers, eraser)
        self.shelf = Shelf(self.followers, self.journal, self.history, self.cache / "index")
        self.library = Library(self.disk, self.followers, self.journal, self.shelf)
        self.house = self._furnish()

    def _furnish(self) -> flow.House:
        capture = self.settings.capture
        return flow.House(
            clock=self.clock,
            settings=self.settings,
            redactor=compile_redactor(shipped("redaction"), capture.redact_allow),
            signals=compile_signals(shipped("signals"), capture.high_signal_patterns),
            journal=self.journal,
            turns=VaultTurns(self.followers, self.journal),
            known=self.followers,
            writer=Pen(self.disk),
            ledger=self.ledger,
            extractor=RulesTier(),
        )

    # -- opening -------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        environment: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Vault:
        """Make a vault from the template, register it, and open it. Raises BadInput for a vault."""
        environment = os.environ if environment is None else environment
        clock = clock or clock_of(environment)
        root = founding.found(Path(path), clock.now())
        founding.register(root, places_of(environment))
        return cls.open(root, environment=environment, clock=clock)

    @classmethod
    def open(
        cls, path: str | Path, *, environment: Mapping[str, str] | None = None,
        clock: Clock | None = None, flags: Mapping[str, object] | None = None,
    ) -> Vault:  # fmt: skip
        """Open a vault. Raises NotFound when the folder is none, ConfigError for bad settings."""
        environment = os.environ if environment is None else environment
        places = places_of(environment)
        root = founding.real_root(Path(path))
        loaded = load(root, environment, flags or {}, places)
        if loaded.vault is None:
            raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
        trusted = Registry(places).trusts(root, loaded.vault.id)
        return cls(root, loaded, places, clock or clock_of(environment), trusted=trusted)

    def close(self) -> None:
        """Let go of catalog and index."""
        self.shelf.close()
        self.followers.close()

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self, *, index: bool = True) -> Iterator[None]:
        """Under the writer lock, with hand edits settled before and the index caught up after."""
        if self.read_only:
            raise FormatTooNew(f"{self.root} was written by a newer engram")
        if not self.trusted:
            raise Untrusted(
                f"{self.root} is not registered on this machine", f"`engram trust {self.root}`"
            )
        with self.ledger.lock():
            self._settle(self._scan())
            yield
            if index:
                self.shelf.refresh()

    def _settle(self, found: Scan) -> int:
        """Take up hand edits; returns how many files were concerned."""
        rows = self.followers.catalog.files()
        self.followers.touch(found.touched)
        seen, subjects = edits(found, rows)
        flow.settle(seen, subjects, self.house)
        return len(seen)

    def settle_within(self, milliseconds: float) -> bool:
        """What reads do first: take up hand edits if that is quick; False when they are behind."""
        until = time.monotonic() + milliseconds / 1000
        writable = self.trusted and not self.read_only
        behind = writable and self.ledger.behind
        found = self._scan(lambda: time.monotonic() > until)
        if not writable:
            self.followers.take_up(found)
        elif behind or found.changed or found.gone:
            try:
                with self.ledger.lock(timeout=0.02):
                    # looked at again: the vault may have been recovered, or changed by another
                    found = self._scan(lambda: time.monotonic() > until)
                    self._settle(found)
            except Locked:
                return False
        return found.complete

    def _scan(self, out_of_time: Callable[[], bool] = lambda: False) -> Scan:
        return scan(self.disk, self.followers.catalog.files(), out_of_time)

    # -- taking in -----------------------------------------------------------------------------

    def capture(self, turns: Sequence[Turn]) -> flow.Taken:
        """Append turns to the journal, scan them, and extract what is due (seed 003)."""
        with self._writing():
            taken = flow.take_in(turns, self.house)
            self.extract_due()
            return taken

    def import_files(
        self, source: str, path: Path, *, extract: bool = True, dry_run: bool = False,
        live: bool = False, index: bool = True, progress: Progress = lambda _: None,
    ) -> tuple[Report, flow.Outcome]:  # fmt: skip
        """Read a source's files below a path; an import is one batch that `undo` takes back.

        Without `index` the next search brings the index up.
        """
        kind = sources.source(source)
        files = walk(path, kind)
        if dry_run:
            return self._importer(source, True, False, progress).run(files), flow.Outcome()
        with self._writing(index=index):
            report = self._importer(source, False, live, progress).run(files)
            outcome = flow.Outcome()
            if live:
                outcome = self.extract_due()
            elif extract:
                outcome = flow.extract(report.transcripts, self.house)
            if report.new_turns and not live:
                self.ledger.commit(_imported(source, report))
            return report, outcome

    def _importer(self, source: str, dry_run: bool, live: bool, progress: Progress) -> Importer:
        return Importer(
            self.house, sources.source(source), CursorFile(self.disk),
            live=live, dry_run=dry_run, advance=progress,
        )  # fmt: skip

    def capture_stream(self, stream: BinaryIO, *, project: str = "") -> flow.Taken:
        """Take in what standard input holds: JSON lines, or text (design 6: `capture -`)."""
        turns = read_stream(stream, self.clock)
        named = [
            replace(turn, project=turn.project or slug(project)) if project else turn
            for turn in turns
        ]
        return self.capture(named)

    def bytes_to_read(self, source: str, path: Path) -> int:
        """How many bytes an import would read, for a progress bar."""
        return sum(file.stat().st_size for file in walk(path, sources.source(source)))

    def waiting(self) -> list[Waiting]:
        """The transcripts that have pending turns."""
        return self.house.turns.waiting()

    def extract_due(self) -> flow.Outcome:
        """Extract what the triggers say is due now; the index is not brought up."""
        return flow.extract([waiting.transcript for waiting in flow.ready(self.house)], self.house)

    def tick(self) -> flow.Outcome:
        """What a ticker calls: the time trigger and retries, without new traffic (design 5.11)."""
        if not flow.ready(self.house):
            return flow.Outcome()
        with self._writing():
            return self.extract_due()

    def extract_transcripts(self, names: Iterable[str]) -> flow.Outcome:
        """Extract what is pending in these transcripts, due or not."""
        with self._writing():
            return flow.extract(names, self.house)

    def flush(self) -> flow.Outcome:
        """Extract everything pending, due or not."""
        with self._writing():
            return self.extract_transcripts([waiting.transcript for waiting in self.waiting()])

    def retry(self) -> int:
        """Queue the dead letter again; returns how many turns."""
        with self._writing():
            plan, turns = self.history.requeue(self.followers.catalog)
            if turns:
                self.ledger.commit(plan)
            return turns

    def remember(self, text: str, *, category: str = "", project: str = "") -> Remembered:
        """One explicit memory in the person's words. Raises BadInput for what is refused."""
        if category and category not in CATEGORIES:
            raise BadInput(f"there is no category {category!r}", f"one of {', '.join(CATEGORIES)}")
        now = self.clock.now()
        turn = turn_of(
            "user", " ".join(text.split()), now,
            source="remember", session=day_of(now), project=slug(project) if project else "",
        )  # fmt: skip
        if not turn.text:
            raise BadInput("there is nothing to remember", "give the text as an argument")
        if not self.house.redactor.clean(turn.text):
            raise BadInput("this holds a secret; it was not written", "say it without the secret")
        with self._writing():
            return self._dictate(turn, category)

    def _dictate(self, turn: Turn, category: str) -> Remembered:
        taken = flow.take_in([turn], self.house)
        guesses = self.house.extractor.extract([turn])
        guess = guesses[0] if len(guesses) == 1 else None
        chosen = category or (guess.category if guess else "fact")
        kind = memory_kind(chosen, turn.text, ())
        importance = score_importance(turn.text, chosen, ())
        draft = Draft(self.followers, self.settings, self.clock.now())
        candidate = amend.dictated(turn, chosen, kind, importance, guess)
        court = Court(draft, self.house.redactor.clean, self.settings, self.clock.now())
        verdict = admit(candidate, court)
        memory = draft.enter(verdict)
        ack: tuple[Range, ...] = ((taken.first, taken.last),) if taken.new else ()
        changes = self.house.writer.changes(draft.born, draft.amended)
        self.ledger.commit(Plan("remember", tuple(changes), tuple(draft.events), ack=ack))
        if memory is None:
            raise BadInput(f"refused: {verdict.code}", "say it as a plain statement")
        return Remembered(verdict.decision, verdict.code, self.library.memory(memory.id))

    # -- changing ------------------------------------------------------------------------------

    def forget(self, reference: str, reason: str = "") -> Memory:
        """Take a memory out of use, and its source turns out of search; the file stays."""
        with self._writing():
            memory = self.library.memory(reference)
            plan = amend.forget(memory, reason, self.clock.now(), self.house.writer)
            self.ledger.commit(plan)
            return memory

    def restore(self, reference: str) -> str:
        """Make a memory active again; one whose file was removed comes back as it last was."""
        with self._writing():
            found = self.library.find_memory(reference)
            if found is not None:
                retention = self.settings.retention
                plan = amend.restore(found, self.clock.now(), retention, self.house.writer)
                identifier = found.id
            else:
                path, body = self.history.last_body(reference)
                identifier, plan = reference, amend.bring_back(reference, path, body)
            self.ledger.commit(plan)
            return identifier

    def purge(self, reference: str) -> list[str]:
        """Destroy a memory's content everywhere in vault and cache; returns what still cites it."""
        with self._writing():
            memory = self.library.memory(reference)
            catalog = self.followers.catalog
            turns = [
                row
                for link in memory.sources
                if (row := catalog.turns.behind_link(link)) is not None
            ]
            citing = {name for link in memory.sources for name in catalog.cited_by(link)}
            details = (
                ("turns", " ".join(memory.sources)),
                ("messages", " ".join(row.message for row in turns if row.message)),
            )
            paths = self.history.paths_of(memory.id) | {memory.path}
            changes = tuple(
                transaction.Purged(path, None, None, "purged") for path in sorted(paths)
            )
            self.ledger.commit(
                Plan("purge", changes, (Event("memory_purged", memory.id, details),))
            )
            return sorted(citing - {memory.id})

    def undo(self, what: str = "") -> Transaction:
        """Take back the last change, transaction N, or a whole batch; undoing an undo redoes it."""
        with self._writing():
            catalog = self.followers.catalog
            numbers, batch = self.history.to_undo(what, catalog)
            plan = self.history.undo_plan(numbers)
            if batch:
                plan = replace(plan, withdraw=(*plan.withdraw, *catalog.turns.batch_range(batch)))
            if plan.empty or not (plan.changes or plan.withdraw or plan.readmit or plan.requeue):
                raise BadInput(
                    "there is nothing left of that to take back", "`engram log` shows the changes"
                )
            return self.ledger.commit(replace(plan, events=self.history.undo_events(plan)))

    def log(self, limit: int = 20) -> list[Entry]:
        """The changes, newest first."""
        return self.history.entries(self.followers.catalog, limit)

    # -- asking --------------------------------------------------------------------------------

    def ready_to_read(self) -> bool:
        """What every question does first: settle within the budget, let the index follow.

        Returns whether everything is taken up; False means that answers may be a little behind.
        """
        settled = self.settle_within(self.settings.recall.settle_ms)
        self.shelf.refresh()
        return settled

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
        self.ready_to_read()
        chosen = self.settings.recall
        return self.library.recall(
            question,
            budget=chosen.budget_tokens if budget is None else budget,
            limit=chosen.limit if limit is None else limit,
            setting=Setting(self.clock.now(), project),
        )

    def status(self) -> Status:
        """What is captured, pending, refused and put aside."""
        self.ready_to_read()
        catalog = self.followers.catalog
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
            refused=catalog.event_counts("candidate_refused", "code"),
            failures=catalog.event_counts("extraction_failed", "error"),
            transactions=catalog.last,
        )

    # -- looking after -------------------------------------------------------------------------

    def doctor(self) -> list[Finding]:
        """Everything that is not as promised, each with one fix."""
        if self.trusted and not self.read_only:
            with self._writing():
                pass
        else:
            self.settle_within(float("inf"))
            self.shelf.refresh()
        parts = (self.disk, self.followers, self.history, self.shelf, self.house.redactor.clean)
        return diagnose(examine(*parts))

    def rebuild(self) -> list[str]:
        """Catalog and index anew from the files, then the views; returns those that differed."""
        if not self.trusted or self.read_only:
            self.followers.rebuild()
            self.shelf.rebuild()
            return []
        with self.ledger.lock():
            self.followers.rebuild()
            mended = self.followers.mend_views()
            self._settle(self._scan())
            self.shelf.rebuild()
            return mended


def _imported(source: str, report: Report) -> Plan:
    details = (
        ("source", source), ("files", str(report.files)), ("turns", str(report.new_turns)),
    )  # fmt: skip
    return Plan("import", events=(Event("imported", report.batch, details),), batch=report.batch)


def find_vault(chosen: str | None, environment: Mapping[str, str]) -> Path:
    """`--vault`, else ENGRAM_VAULT, else the nearest parent with engram.toml, else the default."""
    if chosen or environment.get("ENGRAM_VAULT"):
        return Path(chosen or environment["ENGRAM_VAULT"])
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / layout.CONFIG).is_file():
            return folder
    return Path(load(None, environment).settings.vault)
