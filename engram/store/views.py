"""What is computed from the vault and lies in `state/`: the trace and the fact hashes.

Both follow transactions and can be made anew: `trace.jsonl` from the journal, `fact-hashes.txt`
(`<64 hex> <id>`, one line for each live memory) from the files. Following twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from engram.model.change import Event, Transaction
from engram.store import layout
from engram.store.disk import VaultDisk


class Trace:
    """`state/trace.jsonl`: a line for each transaction, then one for each event; no content."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        #: size of the file and last number in it, as of our own last look
        self._end: tuple[int, int] | None = None

    def follow(self, transaction: Transaction) -> None:
        """Append a transaction's lines unless they are there."""
        if self.last() >= transaction.number:
            return
        lines = trace_lines(transaction)
        size = self._disk.size(layout.TRACE) or 0
        self._disk.append(layout.TRACE, lines, sync=False)
        self._end = (size + len(lines), transaction.number)

    def last(self) -> int:
        """The number of the last transaction traced; a torn one is cut off, to be traced again."""
        if self._end and self._end[0] == (self._disk.size(layout.TRACE) or 0):
            return self._end[1]
        data = self._disk.read(layout.TRACE) or b""
        lines = data.split(b"\n")
        numbers = [_number(line) for line in lines[:-1]]
        last = max((number for number in numbers if number is not None), default=0)
        if lines[-1] or None in numbers:
            kept = [
                line + b"\n"
                for line, number in zip(lines, numbers, strict=False)
                if number is not None and number < last
            ]
            data, last = b"".join(kept), last - 1
            self._disk.put(layout.TRACE, data)
        self._end = (len(data), last)
        return last

    def rebuild(self, transactions: Iterable[Transaction]) -> None:
        """Write the whole trace anew."""
        self._disk.put(layout.TRACE, b"".join(map(trace_lines, transactions)))


def trace_lines(transaction: Transaction) -> bytes:
    """A transaction as its lines of the trace."""
    plan = transaction.plan
    head: list[tuple[str, str]] = [("changes", str(len(plan.changes)))]
    if plan.batch:
        head.append(("batch", plan.batch))
    if plan.undoes:
        head.append(("undoes", " ".join(map(str, plan.undoes))))
    if transaction.left:
        head.append(("left_to_the_person", " ".join(transaction.left)))
    events = (Event(plan.kind, "", tuple(head)), *plan.events)
    return b"".join(
        json.dumps(
            {"n": transaction.number, "time": transaction.time, "event": event.name}
            | ({"subject": event.subject} if event.subject else {})
            | dict(sorted(event.details)),
            ensure_ascii=True,
        ).encode("ascii")
        + b"\n"
        for event in events
    )


def _number(line: bytes) -> int | None:
    try:
        return int(json.loads(line)["n"])
    except (ValueError, KeyError, TypeError):
        return None


class FactHashes:
    """`state/fact-hashes.txt`: who owns which content; seeded from the vault (seed 003)."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

    def follow(
        self, added: Sequence[tuple[str, str]], live: Sequence[tuple[str, str]] | None
    ) -> None:
        """Append what was added; with `live`, an owner has left: write the whole list, sorted."""
        if live is not None:
            self._disk.put(layout.HASHES, hash_lines(live))
        elif added:
            self._disk.append(layout.HASHES, hash_lines(sorted(added)), sync=False)

    def read(self) -> list[tuple[str, str]]:
        """The list as it stands."""
        rows = (self._disk.read(layout.HASHES) or b"").decode("ascii", "replace").splitlines()
        return [(digest, name) for digest, _, name in (row.partition(" ") for row in rows)]


def hash_lines(rows: Iterable[tuple[str, str]]) -> bytes:
    """The bytes of the hash list for these rows."""
    return b"".join(f"{digest} {name}\n".encode("ascii") for digest, name in rows)
