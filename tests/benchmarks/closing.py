"""How long a conversation takes to be put on record: `python -m tests.benchmarks.closing [TURNS]`.

One conversation of a coding agent, with requests, work and reports, without a model: closed in a
vault that has taken in and indexed its turns. Told apart are the transaction (rendering, staging,
fsync, projections) and the index, which follows without the writer lock, and `session_of` alone.
Beside it, in the same run, the same turns are read from the journal and split into their sentences
once, which is the least that reading them takes. CPU time, the best of eight runs in one process,
each in a new vault. `--transcript FILE` closes a transcript of Claude Code instead.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from engram.capture.sources import source
from engram.extract.session import session_of
from engram.model.instant import plus_minutes
from engram.model.ports import SourceReading
from engram.model.sentences import sentences_of
from engram.model.turn import Turn, turn_of
from engram.pipeline.ingest import take_in
from engram.store.base.clock import FixedClock, SystemClock
from engram.vault import Vault
from tests.benchmarks.transcripts import prose
from tests.kit import LIGHT

_RUNS = 8

_REPORT = """Done. Here's what was changed:

- **`order_{0}.py`** - added a key for each writer
- `test_{0}.py`: covers a lost answer

{1}. All {0} tests pass.

| # | File | Fix |
|---|------|-----|
| 1 | `ledger_{0}.py` | Removed the second retry of the handler |

## Next steps
1. Run it against the staging ledger
2. Tell the team about key {0}
"""


def conversation(count: int) -> list[Turn]:
    """So many turns, five an exchange: a request, three steps, a report."""
    turns = []
    for number in range(count):
        place = number % 5
        text = (
            f"please add a retry for writer {number}, {prose(number, 30)}",
            f"Let me read the handler first. {prose(number, 40)}",
            f"Found it: {prose(number, 60)}",
            f"Now let me run the tests. {prose(number, 20)}",
            _REPORT.format(number, prose(number, 120)),
        )[place]
        turn = turn_of(
            "assistant" if place else "user",
            text,
            f"2026-03-06T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}Z",
            source="bench",
            message=str(number),
        )
        tools = (
            (f"Read part_{number}.py", f"Edit order_{number}.py", "Bash pytest") if place else ()
        )
        turns.append(replace(turn, tools=tools))
    return turns


class ClosingTimes(NamedTuple):
    """CPU seconds of one closing in all, in its transaction, and in the index behind it.

    `read` is the peer: its turns read and split into sentences.
    """

    whole: float
    commit: float
    indexing: float
    read: float

    @property
    def own(self) -> float:
        """What closing itself takes: reading the turns and deciding."""
        return self.whole - self.commit - self.indexing


def closing(turns: Sequence[Turn], root: Path) -> ClosingTimes:
    """Close a conversation in a new vault."""
    home = {"HOME": str(root), "ENGRAM_HOME": str(root / "home")}
    clock = FixedClock(plus_minutes(max(turn.time for turn in turns), 60))
    vault = Vault.create(root / "vault", environment=home, clock=clock, adapters=LIGHT)
    parts = vault.parts
    with parts.committer.lock():
        take_in(turns, parts)
    vault.search("ledger")  # the index knows the turns, as it does when people fall silent
    (talk,) = parts.conversations.gone_on()
    read = seconds(
        lambda: [sentences_of(turn.text) for turn in parts.conversations.turns(talk.transcript)]
    )
    with counted(parts.committer, "commit") as commit, counted(parts.index, "refresh") as index:
        whole = seconds(vault.seal_boxes)
    return ClosingTimes(whole, sum(commit), sum(index), read)


@contextmanager
def counted(port: object, name: str) -> Iterator[list[float]]:
    """The CPU time of every call of a method meanwhile."""
    whole, times = getattr(port, name), []

    def call(*given: object, **named: object) -> object:
        start = time.process_time()
        try:
            return whole(*given, **named)
        finally:
            times.append(time.process_time() - start)

    setattr(port, name, call)
    try:
        yield times
    finally:
        delattr(port, name)


def seconds(work: Callable[..., object], *given: object) -> float:
    """The CPU time of one call."""
    start = time.process_time()
    work(*given)
    return time.process_time() - start


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("turns", type=int, nargs="?", default=500)
    parser.add_argument("--transcript", type=Path)
    given = parser.parse_args()
    turns = transcript(given.transcript) if given.transcript else conversation(given.turns)
    found = []
    for _ in range(_RUNS):
        with TemporaryDirectory() as folder:
            found.append(closing(turns, Path(folder)))
    own, commit, index, read = (
        min(times) * 1000
        for times in zip(
            *((one.own, one.commit, one.indexing, one.read) for one in found), strict=True
        )
    )
    alone = min(seconds(session_of, turns) for _ in range(_RUNS)) * 1000
    print(
        f"{len(turns)} turns: closed in {own:.1f} ms, of which the session's record {alone:.1f} ms;"
        f" reading and splitting them into sentences {read:.1f} ms."
        f" Besides: transaction {commit:.1f} ms, index {index:.1f} ms"
    )


def transcript(path: Path) -> list[Turn]:
    """The turns of a transcript of Claude Code."""
    reading = SourceReading(path.stem, SystemClock(), path=path)
    with path.open("rb") as stream:
        said = list(source("claude-code").parse(stream, reading))
    return [replace(turn, session=said[0].session) for turn in said]


if __name__ == "__main__":
    main()
