"""Ingest: turns are redacted, scanned and journalled; what is due is extracted (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count

from engram.capture.accept import cleaned
from engram.model.change import CAPTURE, Event, Plan
from engram.model.ids import known_slug, slug
from engram.model.intake import CaptureResult
from engram.model.turn import Turn, check
from engram.pipeline.consolidation import consolidate_if_due
from engram.pipeline.ending import end_over
from engram.pipeline.extraction import extract_due, tick
from engram.pipeline.ports import Ports
from engram.pipeline.writing import writing


def capture(turns: Sequence[Turn], ports: Ports, *, whole: bool = False) -> CaptureResult:
    """Append turns to the journal, scan them, and extract what is due.

    With `whole` they are one batch, which an undo takes back with all that came of it.
    """
    with writing(ports):
        batch = new_batch(CAPTURE, ports) if whole else ""
        taken = take_in(turns, ports, batch)
        if batch and taken.new:
            happened = Event("captured", batch, (("turns", str(taken.new)),))
            ports.committer.commit(Plan("capture", events=(happened,), batch=batch))
        if not ports.asks_model:
            extract_due(ports)
            consolidate_if_due(ports)
    if ports.asks_model:
        tick(ports)
    end_over(ports, taken.transcripts)
    return taken


def new_batch(kind: str, ports: Ports) -> str:
    """The name of the next batch of a kind: `import-1`, `import-2`; none is given twice."""
    known = ports.turns.batches(kind)
    names = (f"{kind}{number}" for number in count(len(known) + 1))
    return next(name for name in names if name not in known)


def take_in(
    turns: Sequence[Turn], ports: Ports, batch: str = "", *, again: bool = False
) -> CaptureResult:
    """Redact, scan and journal the turns that are new; durable when it returns.

    What an undo took back is not new, but `again` when the person asks for it. The caller moves its
    cursor only afterwards. What was said in a worktree belongs to its repository's project. Nothing
    is extracted here: ask `ready`. Raises BadInput, before anything
    is kept, when one of them is malformed.
    """
    for turn in turns:
        check(turn)
    with ports.committer.lock():
        ports.turns.record_shown(turns)
        seen, withdrawn = ports.turns.seen(turns), ports.turns.taken_back(turns)
        untitled = ports.turns.untitled(turns)
        if again:
            seen -= withdrawn
        fresh: list[tuple[Turn, str]] = []
        redactions = 0
        named = cache(ports.worktree)
        project_of = cache(partial(known_slug, known=ports.turns.knows_project))
        for turn in turns:
            if turn.message in seen:
                continue
            if turn.folder and turn.project:
                own, repository = named(turn.folder)
                turn = replace(turn, project=repository) if turn.project == own else turn
            seen.add(turn.message)
            ports.rule_files.note(turn.project, turn.folder)
            if turn.transcript in untitled:
                turn = turn.nameless
            clean, found = cleaned(turn, ports.redactor)
            if clean.project == slug(turn.project):
                project = project_of(turn.project)
                clean = clean if project == clean.project else replace(clean, project=project)
            redactions += found
            level = ports.signals.scan(clean.text).level if clean.by_person else "none"
            fresh.append((clean, level))
        if not again:
            fresh = _retitled(fresh, ports)
        entries = ports.turn_log.append(fresh, batch, ports.committer.tick)
        if not entries:
            return CaptureResult(withheld=len(withdrawn))
        ports.turns.add(entries)
    names = tuple(dict.fromkeys(entry.turn.transcript for entry in entries))
    first, last = entries[0].turn.seq, entries[-1].turn.seq
    back, held = (len(withdrawn), 0) if again else (0, len(withdrawn))
    return CaptureResult(
        len(entries), redactions, first, last, names, batch, returned=back, withheld=held
    )


def _retitled(fresh: Sequence[tuple[Turn, str]], ports: Ports) -> list[tuple[Turn, str]]:
    """The turns without a title that was made of turns which were taken back since."""
    names = dict.fromkeys(turn.transcript for turn, _ in fresh if turn.title)
    gone = {name: ports.turns.titles_taken_back(name) for name in names}
    return [
        (replace(turn, title=""), level)
        if turn.title in gone.get(turn.transcript, ()) else (turn, level)
        for turn, level in fresh
    ]  # fmt: skip
