"""Furnishing: what stands behind the ports of one vault, built and wired once.

Turns a root, its settings and a clock into the parts of a vault and the House of its flows. The
costly parts (pattern tables) are made when they are first needed: a search pays for none of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engram import flow
from engram.capture.journal import TurnJournal
from engram.library import Library
from engram.model.candidate import Candidate
from engram.model.turn import Turn
from engram.ports import Clock, Extractor
from engram.settings.load import shipped
from engram.settings.values import Settings
from engram.shelf import Shelf
from engram.store import layout
from engram.store.disk import VaultDisk
from engram.store.eraser import Eraser
from engram.store.followers import Followers
from engram.store.history import History
from engram.store.ledger import Ledger
from engram.store.lock import WriterLock
from engram.store.pen import Pen
from engram.store.turnbook import VaultTurns


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one vault, each knowing those it needs."""

    disk: VaultDisk
    journal: TurnJournal
    history: History
    followers: Followers
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
    lock = WriterLock(root / layout.LOCK if own else cache / "lock", patience)
    followers = Followers(disk, journal, cache / "catalog.sqlite", vault, history, lock)
    eraser = Eraser(disk, history, journal, followers.transcripts)
    ledger = Ledger(disk, clock, lock, followers, eraser)
    shelf = Shelf(followers, journal, history, cache / "index")
    library = Library(disk, followers, journal, shelf)
    return Parts(disk, journal, history, followers, ledger, shelf, library)


def house_of(parts: Parts, settings: Settings, clock: Clock) -> flow.House:
    """The ports that the flows of a vault work through."""
    # imported here: reading a vault needs neither pattern table
    from engram.capture.redact import compile_redactor
    from engram.capture.signals import compile_signals

    capture = settings.capture
    return flow.House(
        clock=clock,
        settings=settings,
        redactor=compile_redactor(shipped("redaction"), capture.redact_allow),
        signals=compile_signals(shipped("signals"), capture.high_signal_patterns),
        journal=parts.journal,
        turns=VaultTurns(parts.followers, parts.journal),
        known=parts.followers,
        writer=Pen(parts.disk),
        ledger=parts.ledger,
        extractor=LateRules(settings.extract.max_per_turn),
    )


class LateRules:
    """The rules tier, compiled with the first extraction: capture alone does not pay for it."""

    def __init__(self, max_per_turn: int) -> None:
        self._max_per_turn = max_per_turn

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """What the rules tier makes of these turns."""
        return _rules(self._max_per_turn).extract(turns)


@cache
def _rules(max_per_turn: int) -> Extractor:
    """One for all vaults of a process: it keeps nothing between turns."""
    from engram.extract.rules import RulesTier

    return RulesTier(shipped("rules"), max_per_turn)
