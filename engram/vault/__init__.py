"""class Vault: every verb of the command line as one method. Opens, trusts, locks, wires.

The only place that knows both the deciders and what stands behind their ports; what may be asked
stands in `reading.py`, what changes a vault in `tending.py`. Guarantees: an unregistered vault is
searched and nothing else; every verb that writes settles hand edits first, under the writer lock;
the index has caught up when it returns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from engram.capture import sources
from engram.capture.accept import cleaned, legible
from engram.capture.clean import excluded
from engram.capture.follow import walk
from engram.extract.llm.estimate import Forecast
from engram.extract.llm.prompt import ExtractionPrompt
from engram.model.change import Event, Plan
from engram.model.errors import (
    BadInput,
    Locked,
    NotFound,
)
from engram.model.instant import day_of
from engram.model.memory import CATEGORIES
from engram.model.model_request import Estimate
from engram.model.ports import Clock
from engram.model.report import Remembered
from engram.model.turn import Turn, turn_of
from engram.pipeline import edits, flow
from engram.pipeline.imports import Importer, ImportReport, read_stream
from engram.pipeline.ports import Ports
from engram.settings.load import load, shipped
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.store.base import layout
from engram.store.base.clock import FixedClock, SystemClock, clock_of
from engram.store.base.foreign_database import ForeignDatabase
from engram.store.base.lock import WriterLock
from engram.store.commits.cursors import CursorFile
from engram.vault import create
from engram.vault.reading import Tier
from engram.vault.tending import VaultTending
from engram.vault.wiring import Machine, estimate_of

Progress = Callable[[int], None]
#: how long a question waits for another process to finish writing, seconds
_READ_PATIENCE = 1.0


class Vault(VaultTending):
    """One vault on this machine. Close it, or use it as a context."""

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
        root = create.found(Path(path), clock.now())
        create.register(root, places_of(environment))
        return cls.open(root, environment=environment, clock=clock)

    @classmethod
    def open(
        cls, path: str | Path, *, environment: Mapping[str, str] | None = None,
        clock: Clock | None = None, flags: Mapping[str, object] | None = None,
        here: Path = Path(),
    ) -> Vault:  # fmt: skip
        """Open a vault, whose path is seen from `here`.

        Raises NotFound when the folder is none, ConfigError for bad settings.
        """
        environment = os.environ if environment is None else environment
        places = places_of(environment)
        root = create.real_root(Path(path), here)
        loaded = load(root, environment, flags or {}, places)
        if loaded.vault is None:
            raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
        trusted = Registry(places).trusts(root, loaded.vault.id)
        clock = clock or clock_of(environment)
        # where time stands still nobody waits
        sleeper = clock if isinstance(clock, FixedClock) else SystemClock()
        machine = Machine(environment, places.state_dir, clock, sleeper)
        return cls(root, loaded, places, machine, trusted=trusted)

    # -- taking in -----------------------------------------------------------------------------

    def capture(self, turns: Sequence[Turn]) -> flow.CaptureResult:
        """Append turns to the journal, scan them, and extract what is due (seed 003)."""
        with self._writing():
            taken = flow.take_in(turns, self.ports)
            if not self.ports.extractor.costly:
                self.extract_due()
                self._consolidate_if_due()
        if self.ports.extractor.costly:
            self.tick()
        return taken

    def import_files(
        self, source: str, *paths: Path, extract: bool = True, tier: Tier = "auto",
        dry_run: bool = False, live: bool = False, index: bool = True,
        progress: Progress = lambda _: None, extracted: Progress = lambda _: None,
    ) -> tuple[ImportReport, flow.ExtractionResult]:  # fmt: skip
        """Read a source's files below paths; an import is one batch that `undo` takes back.

        What it brings is history, which a model reads only when `tier` is "model". Without
        `index` the next search brings the index up. `progress` is told of bytes read, `extracted`
        of turns extracted.
        """
        files = self._files(source, paths)
        if dry_run:
            return self._importer(source, True, False, progress).run(files), flow.ExtractionResult()
        ports = self.ports_for(tier)
        later = extract and (tier == "model" or (live and ports.extractor.costly))
        with self._writing(index=index and not later):
            report = self._importer(source, False, live, progress).run(files)
            if report.new_turns and not live:
                self.committer.commit(_imported(source, report))
            outcome = flow.ExtractionResult()
            if extract and not later:
                outcome = (
                    self.extract_due() if live
                    else flow.extract(report.transcripts, ports, extracted)
                )  # fmt: skip
                self._consolidate_if_due("" if live else report.batch)
        if later:
            outcome = self.tick() if live else self._think(
                report.transcripts, ports, extracted, batch=report.batch
            )  # fmt: skip
        return report, outcome

    def forecast(
        self, source: str, *paths: Path, progress: Progress = lambda _: None
    ) -> tuple[ImportReport, Estimate]:
        """What an import would read, and what a model would cost to read it; writes nothing."""
        forecast = Forecast(
            ExtractionPrompt(shipped("prompts/extract"), self.settings.llm.max_input_tokens)
        )
        files = self._files(source, paths)
        report = self._importer(source, True, False, progress, forecast.add).run(files)
        return report, estimate_of(*forecast.total(), self.settings.llm, self.machine)

    def _importer(
        self, source: str, dry_run: bool, live: bool, progress: Progress,
        fresh: Callable[[list[Turn]], None] = lambda _: None,
    ) -> Importer:  # fmt: skip
        reader = sources.source(source, self.settings.capture.max_line_bytes)
        return Importer(
            self.ports, reader, CursorFile(self.disk), ForeignDatabase,
            live=live, dry_run=dry_run, advance=progress, fresh=fresh,
        )  # fmt: skip

    def capture_stream(self, stream: BinaryIO, *, project: str = "") -> flow.CaptureResult:
        """Take in what standard input holds: JSON lines, or text (design 6: `capture -`)."""
        turns = read_stream(stream, self.clock)
        named = [replace(turn, project=turn.project or project) for turn in turns]
        globs = self.settings.capture.exclude
        return self.capture([turn for turn in named if not excluded("", turn.project, globs)])

    def bytes_to_read(self, source: str, *paths: Path) -> int:
        """How many bytes an import would read, for a progress bar."""
        return sum(os.path.getsize(file) for file in self._files(source, paths))

    def _files(self, source: str, paths: Sequence[Path]) -> list[Path]:
        """The files of a source below paths, without what this vault wrote itself."""
        kind = sources.source(source)
        own = [self.root / name for name in layout.OWN]
        return [
            file
            for path in paths
            for file in walk(path, kind)
            if not any(Path(os.path.realpath(file)).is_relative_to(folder) for folder in own)
        ]

    def extract_due(self) -> flow.ExtractionResult:
        """Extract what the triggers say is due now; the index is not brought up."""
        return flow.extract([waiting.transcript for waiting in flow.ready(self.ports)], self.ports)

    def tick(self) -> flow.ExtractionResult:
        """What a ticker calls: the time trigger and retries, without new traffic (design 5.11)."""
        due = [waiting.transcript for waiting in flow.ready(self.ports)]
        if not due:
            return flow.ExtractionResult()
        try:
            return self._think(due, self.ports, patience=0.0)
        except Locked:
            return (
                flow.ExtractionResult()
            )  # somebody thinks already; the turns wait for the next tick

    def extract_transcripts(
        self, names: Iterable[str], tier: Tier = "auto"
    ) -> flow.ExtractionResult:
        """Extract what is pending in these transcripts, due or not."""
        return self._think(names, self.ports_for(tier))

    def flush(
        self, progress: Progress = lambda _: None, tier: Tier = "auto"
    ) -> flow.ExtractionResult:
        """Extract everything pending, due or not; `progress` is told of turns extracted."""
        names = [waiting.transcript for waiting in self.waiting()]
        return self._think(names, self.ports_for(tier), progress)

    def _think(
        self, names: Iterable[str], ports: Ports, progress: Progress = lambda _: None,
        patience: float | None = None, batch: str = "",
    ) -> flow.ExtractionResult:  # fmt: skip
        """Extract, and consolidate if it is time.

        A model thinks without the writer lock, and one process of them at a time.
        """
        if not ports.extractor.costly:
            with self._writing():
                outcome = flow.extract(names, ports, progress)
                self._consolidate_if_due(batch)
                return outcome
        with self._writing():
            pass  # hand edits, and the index that the model is shown the neighbours from
        lock = WriterLock(self.cache / "thinking", self.settings.store.lock_timeout_seconds)
        try:
            with lock.hold(patience):
                ports.begin_run()
                outcome = flow.extract(names, ports, progress)
                self._consolidate_if_due(batch)
                return outcome
        except Locked as error:
            raise Locked(
                "another engram is asking a model about this vault", "wait until it is done"
            ) from error
        finally:
            self.index_sync.refresh(_READ_PATIENCE)

    def retry(self) -> int:
        """Queue the dead letter again; returns how many turns."""
        with self._writing():
            plan, turns = self.transaction_log.requeue(self.projections.catalog)
            if turns:
                self.committer.commit(plan)
            return turns

    def remember(self, text: str, *, category: str = "", project: str = "") -> Remembered:
        """One explicit memory in the person's words. Raises BadInput for what is refused."""
        redactor = self.ports.redactor
        if category and category not in CATEGORIES:
            named = redactor.redact(category).text
            raise BadInput(f"there is no category {named!r}", f"one of {', '.join(CATEGORIES)}")
        now, words = self.clock.now(), " ".join(legible(text).split())
        if not words:
            raise BadInput("there is nothing to remember", "give the text as an argument")
        if not redactor.clean(words):
            raise BadInput("this holds a secret; it was not written", "say it without the secret")
        turn = turn_of("user", words, now, source="remember", session=day_of(now), project=project)
        with self._writing():
            verdict, memory = edits.dictate(cleaned(turn, redactor)[0], category, self.ports)
            if memory is None:
                raise BadInput(f"refused: {verdict.code}", "say it as a plain statement")
            return Remembered(verdict.decision, verdict.code, self.library.memory(memory.id))


def _imported(source: str, report: ImportReport) -> Plan:
    details = (
        ("source", source), ("files", str(report.files)), ("turns", str(report.new_turns)),
    )  # fmt: skip
    return Plan("import", events=(Event("imported", report.batch, details),), batch=report.batch)
