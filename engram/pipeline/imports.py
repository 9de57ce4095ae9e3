"""Imports: files of one source -> turns taken in, in groups, with cursors that follow behind.

Reads file after file, hands the turns to `take_in` in groups, and stores the cursors only after a
group is durable. Guarantees: memory stays bounded by the group, one unreadable file of a folder
does not stop the others (it is reported), a second import of the same files brings nothing new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from engram.capture.clean import kept
from engram.capture.exclusion import Exclusion
from engram.capture.follow import Cursor, cursor_of, head_of, read_file, size_of, walk
from engram.capture.note_folders import NOTES
from engram.capture.sources import SOURCES, recognise, source
from engram.model.change import IMPORT, Event, Plan
from engram.model.errors import BadInput
from engram.model.intake import CaptureResult, ExtractionResult, ImportReport, Removed
from engram.model.model_request import Tier
from engram.model.ports import Clock, Cursors, ForeignRows, Source, SourceReading, Tally
from engram.model.turn import Turn
from engram.pipeline.consolidation import check_tier, consolidate_if_due
from engram.pipeline.ending import end_over, end_silent
from engram.pipeline.extraction import choose_model, extract_due, run, tick
from engram.pipeline.extraction import extract as extract_turns
from engram.pipeline.ingest import new_batch, take_in
from engram.pipeline.ports import Ports
from engram.pipeline.session_closing import close, close_ended
from engram.pipeline.writing import writing

Progress = Callable[[int], None]
#: turns made durable by one fsync; bounds what an import holds in memory
GROUP_TURNS = 2_000
#: cursors are rewritten after this many turns: reading a little again is absorbed by dedup
_CURSOR_TURNS = 20_000
#: files of which a process remembers how to read on
_MOST_RECENT = 512
#: the most that `capture -` takes
STREAM_BYTES = 64_000_000


def read_stream(
    stream: BinaryIO, clock: Clock, outside: Callable[[str, str], bool] = lambda *_: False
) -> list[Turn]:
    """The turns of a stream, by what its first bytes look like: JSON lines or text.

    It is held in memory, never spooled to disk: nothing has passed the redactor yet. Raises
    BadInput for more than STREAM_BYTES, and for what no source recognises.
    """
    data = stream.read(STREAM_BYTES + 1)
    if not data.strip():
        return []
    if len(data) > STREAM_BYTES:
        raise BadInput("that is too much for standard input", "save it to a file and import that")
    kind = recognise(data[:65_536], "")
    if kind is None:
        raise BadInput(
            "standard input is neither JSON lines nor text",
            'pipe text, or lines like {"role": "user", "content": "..."}',
        )
    reading = SourceReading("stdin", clock)
    return list(kept(kind.parse(BytesIO(data), reading), reading.state, Removed(), outside))


def stream_turns(stream: BinaryIO, project: str, ports: Ports) -> list[Turn]:
    """The turns of a stream that this vault takes; `project` is that of turns that name none."""
    outside = Exclusion(ports.settings.capture.exclude)
    turns = [
        replace(turn, project=turn.project or project)
        for turn in read_stream(stream, ports.clock, outside)
    ]
    return [turn for turn in turns if not outside("", turn.project)]


def files_of(source_name: str, paths: Sequence[Path], ports: Ports) -> list[Path]:
    """The files of a source below paths, without what the vault wrote itself."""
    kind = source(source_name)
    return [
        file
        for path in paths
        for file in walk(path, kind)
        if not any(Path(os.path.realpath(file)).is_relative_to(own) for own in ports.own_folders)
    ]


def import_files(
    source_name: str, paths: Sequence[Path], ports: Ports, *,
    extract: bool = True, tier: Tier = "auto", live: bool = False, again: bool = True,
    index: bool = True, batch: str = "",
    progress: Progress = lambda _: None, extracted: Progress = lambda _: None,
) -> tuple[ImportReport, ExtractionResult]:  # fmt: skip
    """Read a source's files below paths, as one batch, and extract; see `Vault.import_files`."""
    files = files_of(source_name, paths, ports)
    check_tier(tier, ports)
    costly = tier != "rules" and ports.asks_model
    later = extract and (tier == "model" or (live and costly))
    with writing(ports, index=index and not later):
        importer = _importer(
            source_name, ports, live=live, again=again and not live, for_model=tier == "model",
            joins=batch, advance=progress,
        )  # fmt: skip
        report = importer.run(files)
        if report.new_turns and not live:
            ports.committer.commit(_imported(source_name, report))
        outcome = ExtractionResult()
        if extract and not later:
            outcome = (
                extract_due(ports) if live
                else extract_turns(_for_rules(report.transcripts, ports), ports, extracted, tier)
            )  # fmt: skip
            if not live:
                close(report.transcripts, ports)
            consolidate_if_due(ports, "" if live else report.batch)
    if later:
        outcome = tick(ports) if live else run(
            report.transcripts, ports, tier, extracted, batch=report.batch
        )  # fmt: skip
    if extract and live:
        end_silent(ports, report.transcripts)
    elif later:
        close_ended(report.transcripts, ports)
    return report, outcome


def close_file(source_name: str, path: Path, ports: Ports) -> int:
    """Put the conversation in an agent's file on record, which has ended; of several the first.

    Returns how many records. What of the file is not captured yet is not looked at.
    """
    kind = source(source_name, ports.settings.capture.max_line_bytes)
    for turns, _ in read_file(
        path, kind, {}, ports.clock, tally=Tally(), removed=Removed(),
        databases=ports.foreign_rows, outside=Exclusion(ports.settings.capture.exclude),
    ):  # fmt: skip
        if names := dict.fromkeys(turn.transcript for turn in turns):
            end_over(ports, ended=names)
            return close_ended(names, ports)
    return 0


def _for_rules(transcripts: Iterable[str], ports: Ports) -> list[str]:
    """Those of some transcripts of which nothing waits for a model since an earlier import.

    Under the writer lock none is asked: what waits is read by the next `extract`.
    """
    chosen = {waiting.transcript for waiting in ports.turns.waiting() if waiting.for_model}
    return [name for name in transcripts if name not in chosen]


def read_only(
    source_name: str, paths: Sequence[Path], ports: Ports, *, again: bool = True,
    progress: Progress = lambda _: None, fresh: Callable[[list[Turn]], None] = lambda _: None,
) -> tuple[ImportReport, ExtractionResult]:  # fmt: skip
    """What an import would read; `fresh` is told of the turns it would take in."""
    importer = _importer(
        source_name, ports, dry_run=True, again=again, advance=progress, fresh=fresh
    )
    return importer.run(files_of(source_name, paths, ports)), ExtractionResult()


def _importer(source_name: str, ports: Ports, **how: Any) -> Importer:
    reader = source(source_name, ports.settings.capture.max_line_bytes)
    return Importer(ports, reader, ports.cursors, ports.foreign_rows, **how)


def _imported(source_name: str, report: ImportReport) -> Plan:
    counts = ("files", str(report.files)), ("turns", str(report.new_turns))
    happened = Event("imported", report.batch, (("source", source_name), *counts))
    return Plan("import", events=(happened,), batch=report.batch)


def by_source(path: Path) -> dict[str, list[Path]]:
    """The files at or below a path by the name of the source that their first bytes look like.

    What no source recognises is left out; what cannot be read is kept, for the import to report.
    Raises BadInput when there is nothing at the path.
    """
    found: dict[str, list[Path]] = {}
    below = {name: walk(path, source(name)) for name in SOURCES}
    listed = {file: name for name, files in below.items() for file in files}
    notes = {file for name in NOTES for file in below[name]}
    for file, listed_as in listed.items():
        try:
            kind = recognise(head_of(file), file.suffix)
        except BadInput:
            kind = source(listed_as)
        if kind is not None and (kind.name not in NOTES or file in notes):
            found.setdefault(kind.name, []).append(file)
    return found


class Importer:
    """One run over some files; `advance(bytes)` is told how far it is.

    `for_model`: a model is to read what it brings. A dry run tells `fresh` of the turns that would
    be taken in. `joins` names the batch that an earlier run of the same import has made.
    What an undo took back stays so, but for a run that reads it `again`: then cursors
    are no reason to pass it over.
    """

    def __init__(
        self, ports: Ports, source: Source, cursors: Cursors,
        databases: Callable[[Path], ForeignRows], *,
        live: bool = False, again: bool = False, for_model: bool = False, dry_run: bool = False,
        joins: str = "", advance: Callable[[int], None] = lambda _: None,
        fresh: Callable[[list[Turn]], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._ports = ports
        self._source = source
        self._store = cursors
        self._databases = databases
        rows = cursors.load()
        self._known = {
            key: self._recalled(at)
            for key, row in rows.items()
            if (at := cursor_of(key, row)) is not None
        }
        self._outside = Exclusion(ports.settings.capture.exclude)
        self._live = live
        self._for_model = for_model
        self._again = again
        self._from_start = dry_run or (again and ports.turns.count_taken_back(source.name) > 0)
        self._dry_run = dry_run
        self._joins = joins
        self._advance = advance
        self._fresh = fresh
        self._group: list[Turn] = []
        self._moved: dict[str, Cursor] = {}
        self._since_cursors = 0
        self.report = ImportReport()

    def run(self, files: Iterable[Path]) -> ImportReport:
        """Read all files; what could not be read is in the report's problems."""
        for path in files:
            try:
                self._read(path)
            except BadInput as error:
                redact = self._ports.redactor.redact
                self.report.problems.append((redact(path.name).text, redact(str(error)).text))
        self._flush()
        self._keep_cursors()
        self.report.excluded += self.report.removed.excluded
        if not (self._again or self._live):
            self.report.withheld = self._ports.turns.count_taken_back(self._source.name)
        return self.report

    def _read(self, path: Path) -> None:
        if self._outside(os.path.abspath(path), ""):
            self.report.excluded += 1
            return
        self.report.files += 1
        known = {} if self._from_start else self._known
        clock, tally, removed = self._ports.clock, self.report.tally, self.report.removed
        for turns, cursor in read_file(
            path, self._source, known, clock,
            tally=tally, removed=removed, databases=self._databases, outside=self._outside,
        ):  # fmt: skip
            for turn in turns:
                self._add(turn)
            self._moved[cursor.key] = cursor
            if len(self._group) >= GROUP_TURNS:
                self._flush()
        self._advance(size_of(path))

    def _add(self, turn: Turn) -> None:
        report = self.report
        report.turns += 1
        report.queued_turns += turn.queued
        report.user_turns += turn.by_person and not turn.queued
        report.assistant_turns += turn.role == "assistant"
        report.sessions.add(turn.transcript)
        self._group.append(turn)

    def _flush(self) -> None:
        if self._dry_run:
            seen = self._ports.turns.seen(self._group)
            withdrawn = self._ports.turns.taken_back(self._group)
            if self._again:
                seen -= withdrawn
                self.report.returned += len(withdrawn)
            new = {turn.message: turn for turn in self._group if turn.message not in seen}
            self.report.new_turns += len(new)
            self._fresh(list(new.values()))
        elif self._group:
            taken = self._take(self._group)
            self.report.new_turns += taken.new
            self.report.redactions += taken.redactions
            self.report.returned += taken.returned
            self.report.transcripts.update(dict.fromkeys(taken.transcripts))
            self._remember_moved()
            self._since_cursors += len(self._group)
            if self._since_cursors >= _CURSOR_TURNS:
                self._keep_cursors()
        else:
            self._remember_moved()
        self._group = []
        self._moved = {}

    def _take(self, turns: list[Turn]) -> CaptureResult:
        """Live capture has no batch; imports are counted."""
        if self._live:
            return take_in(turns, self._ports)
        if self._source.in_any_order:
            turns = _in_order_of_time(turns)
        with self._ports.committer.lock():
            if not self.report.batch:
                self.report.batch = self._joins or new_batch(IMPORT, self._ports)
                if self._for_model and not self._joins:
                    # before its first turn: a crash does not change who reads it
                    choose_model([self.report.batch], self._ports, "import")
            return take_in(turns, self._ports, self.report.batch, again=self._again)

    def _keep_cursors(self) -> None:
        if not self._dry_run:
            with self._ports.committer.lock():
                self._store.save({key: at.plain() for key, at in self._known.items()})
        self._since_cursors = 0

    def _remember_moved(self) -> None:
        recent = self._store.recent
        for key, cursor in self._moved.items():
            recent.pop(key, None)
            recent[key] = self._known[key] = cursor
        while len(recent) > _MOST_RECENT:
            del recent[next(iter(recent))]

    def _recalled(self, cursor: Cursor) -> Cursor:
        """The cursor as it was before it was written, if this process did that."""
        known = self._store.recent.get(cursor.key)
        if isinstance(known, Cursor) and known.plain() == cursor.plain():
            return known
        return cursor


def _in_order_of_time(turns: Sequence[Turn]) -> list[Turn]:
    """The same turns, those of each conversation by time; equal times stay in their order."""
    places: dict[str, list[int]] = {}
    for place, turn in enumerate(turns):
        places.setdefault(turn.transcript, []).append(place)
    ordered = list(turns)
    for some in places.values():
        by_time = sorted((turns[place] for place in some), key=lambda turn: turn.time)
        for place, turn in zip(some, by_time, strict=True):
            ordered[place] = turn
    return ordered
