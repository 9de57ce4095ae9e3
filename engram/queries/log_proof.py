"""Proof of the log: journal, chain of digests and trace compared, and the files that they explain.

    state/journal/  ->  each transaction's link, recomputed from its lines and the link before it
    state/trace.jsonl  ->  the same lines, byte for byte, in the same order
    facts/, archive/  ->  the bytes that a transaction wrote, or found as a hand edit

Guarantees: the log is read as it lies there, before anything is caught up or mended; one pass, no
file of a memory in memory twice. Where a line differs, its link tells which of journal and trace
was changed. A transaction that is missing or cannot be read is one break; the next link cannot be
judged then, those after it can. Nothing is changed; hand edits are taken up where the log holds, as
whoever writes to one that does not would cover what broke it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from engram.model.change import Transaction
from engram.model.errors import EngramError
from engram.model.proof import LogBreak, Proof
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.commits.digest_chain import link
from engram.store.commits.last_known import LastKnown
from engram.store.commits.scan import content_files
from engram.store.commits.transaction_log import TransactionLog
from engram.store.commits.views import trace_lines

#: breaks that are told of
_MOST = 100
_MISSING = "the line is missing"
_NUMBER = re.compile(rb'\{"n": ([0-9]+), ')
_PROVED = (f"{layout.FACTS}/", f"{layout.ARCHIVE}/")


def prove(
    disk: VaultDisk,
    log: TransactionLog,
    take_up: Callable[[], object],
    tell: Callable[[int], None] = lambda done: None,
) -> Proof:
    """Check a vault's log, then its files; `tell` hears of each transaction that was read.

    `take_up` lets the vault take up hand edits, which are explained by that; it is called where
    the log holds.
    """
    if any(map(layout.is_transaction, disk.names(layout.PENDING))):
        take_up()  # a crash left one to be finished
    check = _LogCheck(log)
    paths = log.paths()
    trace = _Trace(_bytes(disk, layout.TRACE))
    for path, found, problem in log.examined(paths):
        if found is None:
            check.unreadable(path, problem, trace)
        else:
            check.follow(path, found, trace)
        tell(1)
    check.end(trace)
    if not check.broken:
        take_up()
        # whoever was writing, or a crash, may have left the last lines to be appended now
        check.settled(trace, _bytes(disk, layout.TRACE))
    taken_up = []
    for later in log.all(check.last):
        check.count(later)
        if later.plan.kind == "settle":
            taken_up += [change.path for change in later.plan.seen]
    unexplained: dict[str, str] = {}
    there = [path for path in content_files(disk, unexplained) if path.startswith(_PROVED)]
    strange = [path for path in unexplained if path.startswith(_PROVED)]
    strange += [path for path in there if not check.known.knows(path, _bytes(disk, path))]
    gone = (path for path, *_ in check.known.missing(frozenset(there)))
    return Proof(
        check.transactions, check.lines, check.chained_from, check.head, check.broken,
        tuple(check.breaks), len(there), tuple(sorted(strange)),
        tuple(path for path in gone if path.startswith(_PROVED) and path not in unexplained),
        tuple(taken_up),
    )  # fmt: skip


def _bytes(disk: VaultDisk, path: str) -> bytes:
    """A file's bytes; what cannot be read has none."""
    try:
        return disk.read(path) or b""
    except EngramError:
        return b""


class _Trace:
    """The bytes of `state/trace.jsonl`, read from the beginning; `line` is that of the next."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self.line = 1

    def takes(self, lines: bytes) -> bool:
        """Whether these are the next lines; then they are passed."""
        if not self._data.startswith(lines, self._at):
            return False
        self._at += len(lines)
        self.line += lines.count(b"\n")
        return True

    @property
    def ended(self) -> bool:
        return self._at >= len(self._data)

    def until(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The next lines of transactions up to a number, and what is no line between them.

        Each with the number of the line in the file; they are passed.
        """
        while not self.ended:
            end = self._data.find(b"\n", self._at) + 1 or len(self._data)
            line = self._data[self._at : end]
            if (found := number_in(line)) is not None and found > number:
                return
            yield self.line, line
            self._at, self.line = end, self.line + 1


def number_in(line: bytes) -> int | None:
    """The number of the transaction that a line of the trace is of, None where it is no line."""
    hit = _NUMBER.match(line)
    return int(hit[1]) if hit else None


class _Shown(NamedTuple):
    """The lines of a transaction in the trace: from which line on, and whether it ends there."""

    first: int
    lines: bytes
    ended: bool


@dataclass(slots=True)
class _LogCheck:
    """What was found so far; transactions come in the order of their numbers."""

    log: TransactionLog
    known: LastKnown = field(init=False)
    transactions: int = 0
    lines: int = 0
    chained_from: int = 0
    head: str = ""
    broken: int = 0
    breaks: list[LogBreak] = field(default_factory=list)
    last: int = 0
    #: whether `head` is what the next link follows on
    _sure: bool = True
    #: numbers that a break was told of
    _lost: set[int] = field(default_factory=set)
    #: the lines of the last transaction, which the trace did not have yet
    _owed: bytes = b""

    def __post_init__(self) -> None:
        self.known = LastKnown(self.log)

    def unreadable(self, path: str, problem: str, trace: _Trace) -> None:
        """A file of the journal that is no transaction; its lines in the trace prove nothing."""
        self.transactions += 1
        number = int(path.rpartition("/")[2][:8])
        self._arrive(number, trace)
        self._break(path, 0, number, b"", problem)
        self._lost.add(number)
        self._sure = False

    def follow(self, path: str, found: Transaction, trace: _Trace) -> None:
        """The next transaction: its link, its lines in the trace, and what it did to files."""
        self._arrive(found.number, trace)
        lines = trace_lines(found)
        shown = _Shown(trace.line, lines, ended=False)
        if not trace.takes(lines):
            own = list(trace.until(found.number))
            strays = [one for one in own if (number_in(one[1]) or found.number) < found.number]
            for at, line in strays:
                self._stray(at, line)
            own = [one for one in own if one not in strays]
            first = own[0][0] if own else trace.line
            shown = _Shown(first, b"".join(line for _, line in own), trace.ended)
        self._judge(path, found, lines, shown)
        self.count(found)

    def count(self, found: Transaction) -> None:
        """One more transaction; its link is the last."""
        self.transactions += 1
        self.lines += 1 + len(found.plan.events)
        self.known.follow(found)
        if found.chain:
            self.chained_from = self.chained_from or found.number
            self.head, self._sure = found.chain, True

    def settled(self, trace: _Trace, now: bytes) -> None:
        """The trace as it is once everything was caught up with."""
        if self._owed and self._owed not in now:
            self._break(layout.TRACE, trace.line, self.last, self._owed, _MISSING)

    def end(self, trace: _Trace) -> None:
        """The end of the trace: lines that no transaction has."""
        for at, line in trace.until(1 << 62):
            number = number_in(line)
            # another process may have committed it since the journal was listed
            if number is None or number <= self.last or not self.log.sha_of(number):
                self._stray(at, line)

    def _arrive(self, number: int, trace: _Trace) -> None:
        if self._owed:  # others follow: nobody is about to append them
            self._break(layout.TRACE, trace.line, self.last, self._owed, _MISSING)
            self._owed = b""
        if number > self.last + 1:
            gap = range(self.last + 1, number)
            what = "is" if len(gap) == 1 else f"to {gap[-1]} are"
            self._break(layout.JOURNAL, 0, gap[0], b"", f"transaction {gap[0]} {what} missing")
            self._lost.update(gap)
            self._sure = False
        self.last = number

    def _judge(self, path: str, found: Transaction, lines: bytes, shown: _Shown) -> None:
        """Compare link, lines and trace of one transaction."""
        holds = self._holds(found.chain, lines)
        if lines == shown.lines:
            if not holds:
                self._break(path, shown.first, found.number, lines, self._unlinked(found))
        elif holds and shown.ended and lines.startswith(shown.lines):
            self._owed = lines  # not appended yet, or half of them
        else:
            at, line, what = _difference(lines, shown.lines)
            in_journal = not holds and self._holds(found.chain, shown.lines)
            if not (holds or in_journal):
                what = f"{what}, and the link does not hold"
            at += shown.first
            self._break(layout.TRACE if holds else path, at, found.number, line, what)

    def _holds(self, chain: str, lines: bytes) -> bool:
        """Whether a link is that of these lines, as far as that can be told."""
        if not chain:
            return not self.chained_from
        return link(self.head, lines) == chain or not self._sure

    def _unlinked(self, found: Transaction) -> str:
        if not found.chain:
            return "has no link, and transactions before it have"
        return "its link does not hold: these lines, or those before them, were others"

    def _stray(self, at: int, line: bytes) -> None:
        number = number_in(line)
        if number is None or number not in self._lost:
            what = "no transaction has this line" if number else "this is no line of the trace"
            self._break(layout.TRACE, at, number or self.last, line, what)

    def _break(self, file: str, line: int, number: int, lines: bytes, what: str) -> None:
        self.broken += 1
        if len(self.breaks) < _MOST:
            self.breaks.append(LogBreak(file, line, number, _event_in(lines), what))


def _difference(lines: bytes, in_trace: bytes) -> tuple[int, bytes, str]:
    """Index of the first line in which journal and trace differ, that line, and how."""
    ours, theirs = lines.splitlines(keepends=True), in_trace.splitlines(keepends=True)
    both = zip(ours, theirs, strict=False)
    at = next((n for n, (one, two) in enumerate(both) if one != two), min(len(ours), len(theirs)))
    if at == len(theirs):
        return at, ours[at], _MISSING
    if at == len(ours):
        return at, theirs[at], "the transaction has no such line"
    return at, ours[at], "journal and trace differ in this line"


def _event_in(line: bytes) -> str:
    """The name of the event in the first of some lines, '' where there is none."""
    try:
        name = json.loads(line.partition(b"\n")[0])["event"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return name if isinstance(name, str) else ""
