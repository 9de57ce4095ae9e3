"""Views in `state/`: event trace, fact hashes, traces and topics, computed from the vault.

All follow transactions and can be rebuilt: `trace.jsonl` from the journal, `fact-hashes.txt`
(`<64 hex> <id>`, one line for each live memory), `traces.json` (the threads of boxes) and
`topics.json` from the files. Following twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii as _quoted
from typing import TYPE_CHECKING

from engram.model.change import Event, Transaction
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.language.topics import Topic
    from engram.model.instant import Instant
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.catalog import Catalog

#: the transactions after which the topics are counted; purged words must not stand in them
COUNTING = ("consolidate", "undo", "purge")
#: bytes that hold the last line of a trace, but for a very long one: then all of it is read
_TAIL = 4_096


class Views:
    """All of them, of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self.trace = EventTrace(disk)
        self.hashes = FactHashes(disk)
        self.topics = Topics(disk)
        self.traces = Traces(disk)


class EventTrace:
    """`state/trace.jsonl`: a line for each transaction, then one for each event; no content."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        #: size of the file and last number in it, as of our own last look
        self._end: tuple[int, int] | None = None

    def follow(self, transaction: Transaction) -> None:
        """Append a transaction's lines unless they are there; a torn line is cut off."""
        lines, number = trace_lines(transaction), transaction.number
        size = self._disk.size(layout.TRACE) or 0
        if self._end != (size, number - 1) and not self._ends_before(number, size):
            data = self._disk.read(layout.TRACE) or b""
            if data.endswith(lines):
                self._end = (size, number)
                return
            kept = b"".join(line for at, line in _numbered(data) if at < number)
            if kept != data:
                self._disk.put(layout.TRACE, kept)
            size = len(kept)
        self._disk.append(layout.TRACE, lines, sync=False)
        self._end = (size + len(lines), number)

    def _ends_before(self, number: int, size: int) -> bool:
        """Whether the last line is whole and of an earlier transaction: nothing was appended."""
        start = max(0, size - _TAIL)
        (tail,) = self._disk.pieces(layout.TRACE, [(start, size - start)])
        last = tail.removesuffix(b"\n").rpartition(b"\n")[2] + b"\n"
        return tail.endswith(b"\n") and any(at < number for at, _ in _numbered(last))

    def mend(self, transactions: Iterable[Transaction]) -> bool:
        """Rewrite it from the journal; lines of transactions that the journal lost stay.

        Returns whether anything changed.
        """
        made = {one.number: trace_lines(one) for one in transactions}
        last = max(made, default=0)
        data = self._disk.read(layout.TRACE) or b""
        whole: dict[int, bytes] = {}
        for number, line in _numbered(data):
            if number < last and number not in made:
                whole[number] = whole.get(number, b"") + line
        whole.update(made)
        mended = b"".join(lines for _, lines in sorted(whole.items()))
        if mended == data:
            return False
        self._disk.put(layout.TRACE, mended)
        return True


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
    return _lines(transaction.number, transaction.time, events)


def trace_line(number: int, time: Instant, event: Event) -> bytes:
    """An event as its line of the trace."""
    return _lines(number, time, (event,))


def _lines(number: int, time: Instant, events: Iterable[Event]) -> bytes:
    """Events as `json.dumps` has them, in a third of its time: a check makes all lines anew."""
    head = f'{{"n": {number}, "time": {_quoted(time)}, "event": '
    made: list[str] = []
    for name, subject, details in events:
        made.append(f"{head}{_quoted(name)}")
        if subject:
            made.append(f', "subject": {_quoted(subject)}')
        made += [f", {_quoted(key)}: {_quoted(value)}" for key, value in sorted(details)]
        made.append("}\n")
    return "".join(made).encode("ascii")


def _numbered(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a trace with their transactions' numbers; torn ones are left out."""
    for line in data.splitlines(keepends=True):
        try:
            number = json.loads(line)["n"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(number, int) and line.endswith(b"\n"):
            yield number, line


class FactHashes:
    """`state/fact-hashes.txt`: the owner of each content hash; seeded from the vault (seed 003)."""

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
        """The stored list."""
        rows = (self._disk.read(layout.HASHES) or b"").decode("ascii", "replace").splitlines()
        return [(digest, name) for digest, _, name in (row.partition(" ") for row in rows)]


def hash_lines(rows: Iterable[tuple[str, str]]) -> bytes:
    """The bytes of the hash list for these rows."""
    return b"".join(f"{digest} {name}\n".encode("ascii") for digest, name in rows)


class Traces:
    """`state/traces.json`: the traces of the vault's boxes; no file while there are none."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

    def follow(self, made: bytes) -> bool:
        """Write it if it differs; returns whether it did."""
        if (self._disk.read(layout.TRACES) or b"") == made:
            return False
        if made:
            self._disk.put(layout.TRACES, made)
        else:
            self._disk.remove(layout.TRACES)
        return True


class Topics:
    """`state/topics.json`: the vault's topics as of the last consolidation (seed 003).

    No file while there are none.
    """

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

    def write(self, topics: Sequence[Topic]) -> bool:
        """Write these topics; returns whether anything changed."""
        made = topic_list(topics)
        if (self._disk.read(layout.TOPICS) or b"") == made:
            return False
        if made:
            self._disk.put(layout.TOPICS, made)
        else:
            self._disk.remove(layout.TOPICS)
        return True

    def mend(self, catalog: Catalog, *, due: bool = False) -> bool:
        """Write them if they are stale; returns whether anything changed."""
        data = self._disk.read(layout.TOPICS) or b""
        return topics_are_stale(data, catalog, due=due) and self.write(catalog.topics.best())


def topic_list(topics: Sequence[Topic]) -> bytes:
    """The bytes of `topics.json` for these topics; none for no topic."""
    if not topics:
        return b""
    rows = [{"term": one.term, "score": one.score, "count": one.count} for one in topics]
    return json.dumps({"topics": rows}, indent=1, ensure_ascii=False).encode("utf-8") + b"\n"


def topics_are_stale(data: bytes, catalog: Catalog, *, due: bool = False) -> bool:
    """Whether these bytes are not the topics of the last transaction that counted them.

    Later changes do not make them stale: the next consolidation counts those. With `due`, whether
    they are not the topics of the vault as it is.
    """
    if due or 0 < catalog.last == catalog.log.last_of(*COUNTING):
        return data != topic_list(catalog.topics.best())
    return not _is_topic_list(data)


def _is_topic_list(data: bytes) -> bool:
    """Whether the program wrote it, at whatever time."""
    from engram.language.topics import Topic

    try:
        rows = json.loads(data)["topics"] if data else []
        return topic_list([Topic(**row) for row in rows]) == data
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
