"""The log as contract events: `python -m tests.benchmarks.events [--events N]`.

A vault whose catalog has a log of so many events, of which every fourth writes a memory, in
transactions of 20. CPU time of the last 50 events, of the last 50 of one name, space, session or
day, and of all of them; beside `json.loads` of every line of `state/trace.jsonl`. Then the check of
the log, beside SHA-256 of the bytes that it reads.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from engram.model.change import Event, Plan, Transaction
from engram.model.numbering import numbered
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.commits.digest_chain import with_link
from engram.store.commits.transaction import encode
from engram.store.commits.views import trace_lines
from engram.vault import Vault

_NOW, _EACH = "2026-03-06T12:00:00Z", 20
_SESSION = "claude-code-3f2a1c9d04be"
_LINK = f"{_SESSION}#^m5380bbce97"


def logged(count: int) -> list[Transaction]:
    """Transactions with so many events."""
    made: list[Transaction] = []
    tick, chain, counts = 0, "", dict[tuple[str, str], int]()
    for first in range(0, count, _EACH):
        told = [_event(number) for number in range(first, min(first + _EACH, count))]
        events, tick = numbered(told, tick, lambda store, kind: counts.get((store, kind), 0))
        for event in events:
            item = dict(event.details).get("item", "")
            store, _, rest = item.rpartition(":")
            if item:
                space, _, kind = store.rpartition(":")
                counts[space, kind] = max(counts.get((space, kind), 0), int(rest))
        number = len(made) + 1
        plan = Plan("extract", events=events)
        one = Transaction(number, _NOW, plan, tick=tick, policy="9f2c41d07a6be813")
        made.append(with_link(one, chain))
        chain = made[-1].chain
    return made


def _event(number: int) -> Event:
    name = f"fact-20260306-120000-{number:08x}"
    about = (("code", "new"), ("origin", "rules"), ("source", _LINK), ("rule", "decided"))
    space = "user:me" if number % 8 == 0 else "project:shop"
    place = (("store", space), ("kind", "semantic"))
    if number % 4 == 0:
        return Event("memory_write", name, (*about, ("category", "fact"), *place))
    if number % 4 == 1:
        return Event("memory_denied", "", (*about, *place))
    return Event("consolidated", name, (("step", "1"), ("action", "renew"), ("why", "read")))


def seconds(do: Callable[[], object]) -> float:
    """CPU seconds of the best of three."""
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        do()
        best = min(best, time.process_time() - start)
    return best


def _verified(vault: Vault, trace: bytes) -> None:
    """The check of the log, in lines a second and beside SHA-256 of journal and trace."""
    log = vault.parts.transaction_log
    journal = [vault.parts.disk.read(path) or b"" for path in log.paths()]
    peer = seconds(lambda: [sha256(one).digest() for one in (*journal, trace)])
    found = vault.verify()
    assert found.holds, found.breaks
    took = seconds(vault.verify)
    size = (sum(map(len, journal)) + len(trace)) / 1e6
    print(f"verify: {took:.3f} s, {found.lines / took:,.0f} lines a second of {size:.0f} MB;")
    print(f"{took / peer:.1f} of SHA-256 of the same bytes ({peer:.3f} s)")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    count = parser.parse_args().events
    with tempfile.TemporaryDirectory() as folder:
        home = {"ENGRAM_HOME": f"{folder}/home", "HOME": folder}
        with Vault.create(Path(folder) / "v", environment=home, clock=FixedClock(_NOW)) as vault:
            made = logged(count)
            vault.parts.disk.append(layout.TRACE, b"".join(map(trace_lines, made)), sync=False)
            disk = vault.parts.disk
            for one in made:
                path = disk.root / layout.journal_path(one.number, one.time)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(encode(one))
            assert len(vault.events(1)) == 1  # the catalog takes them up
            trace = vault.parts.disk.read(layout.TRACE) or b""
            lines = trace.splitlines()
            peer = seconds(lambda: [json.loads(line) for line in lines])
            size = len(trace) / len(lines)
            print(f"{len(lines):,} lines of {size:.0f} bytes; json.loads {peer:.2f} s")
            asked: dict[str, Callable[[], object]] = {
                "the last 50": lambda: vault.events(50),
                "the last 50 denied": lambda: vault.events(50, event="memory_denied"),
                "one name that is rare": lambda: vault.events(50, event="memory_promoted"),
                "the last 50 deleted, of which there are none": lambda: vault.events(
                    50, event="memory_deleted"
                ),
                "the last 50 of user": lambda: vault.events(50, space="user"),
                "the last 50 of one session": lambda: vault.events(50, session=_SESSION),
                "the last 50 since a day": lambda: vault.events(50, since=_NOW[:10]),
                "the last 50 of a day to come": lambda: vault.events(50, since="2027-01-01"),
                "the last 1,000 as rows": lambda: [one.row for one in vault.events(1_000)],
                "all": lambda: vault.events(10 * count),
            }
            for name, do in asked.items():
                took = seconds(do)
                print(f"{name}: {took:.3f} s, {took / peer:.2f} of that")
            _verified(vault, trace)


if __name__ == "__main__":
    main()
