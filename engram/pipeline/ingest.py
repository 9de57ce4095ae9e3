"""Ingest: turns are redacted, scanned and journalled; what is due is extracted (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engram.capture.accept import cleaned
from engram.model.intake import CaptureResult
from engram.model.turn import Turn, check
from engram.pipeline.consolidation import consolidate_if_due
from engram.pipeline.extraction import extract_due, tick
from engram.pipeline.ports import Ports
from engram.pipeline.writing import writing


def capture(turns: Sequence[Turn], ports: Ports) -> CaptureResult:
    """Append turns to the journal, scan them, and extract what is due."""
    with writing(ports):
        taken = take_in(turns, ports)
        if not ports.asks_model:
            extract_due(ports)
            consolidate_if_due(ports)
    if ports.asks_model:
        tick(ports)
    return taken


def take_in(turns: Sequence[Turn], ports: Ports, batch: str = "") -> CaptureResult:
    """Redact, scan and journal the turns that are new; durable when it returns.

    The caller moves its cursor only afterwards. Nothing is extracted here: ask `ready`. Raises
    BadInput, before anything is kept, when one of them is malformed.
    """
    for turn in turns:
        check(turn)
    with ports.committer.lock():
        ports.turns.record_shown(turns)
        seen = ports.turns.seen(turns)
        untitled = ports.turns.untitled(turns)
        fresh: list[tuple[Turn, str]] = []
        redactions = 0
        for turn in turns:
            if turn.message in seen:
                continue
            seen.add(turn.message)
            if turn.transcript in untitled:
                turn = replace(turn, title="")
            clean, found = cleaned(turn, ports.redactor)
            redactions += found
            level = ports.signals.scan(clean.text).level if clean.role == "user" else "none"
            fresh.append((clean, level))
        entries = ports.turn_log.append(fresh, batch)
        if not entries:
            return CaptureResult()
        ports.turns.add(entries)
    names = tuple(dict.fromkeys(entry.turn.transcript for entry in entries))
    return CaptureResult(len(entries), redactions, entries[0].turn.seq, entries[-1].turn.seq, names)
