"""Proof: what a check of a vault's log found, and which files the log does not explain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogBreak:
    """A place where the log does not hold: in which file, and of which transaction.

    `line` is that of `state/trace.jsonl` where the line stands, or should stand, 1 for the first; 0
    where the file as a whole cannot be read. `event` is the name in that line.
    """

    file: str
    line: int
    transaction: int
    event: str
    what: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What `engram events --verify` found.

    `chained_from` is the first transaction that has a link, 0 without any; `head` is the link of
    the last one. `breaks` are at most the first hundred of `broken`. `unexplained` are files of
    facts/ and archive/ whose bytes no transaction and no hand edit has, `missing` those that should
    be there; `taken_up` were found now and are recorded as hand edits, which is left for later
    where something is broken.
    """

    transactions: int
    lines: int
    chained_from: int
    head: str
    broken: int
    breaks: tuple[LogBreak, ...]
    files: int
    unexplained: tuple[str, ...]
    missing: tuple[str, ...]
    taken_up: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is broken, nothing unexplained and nothing missing."""
        return not (self.broken or self.unexplained or self.missing)
