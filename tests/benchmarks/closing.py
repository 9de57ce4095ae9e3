"""How long a conversation takes to be put on record: `python -m tests.benchmarks.closing [TURNS]`.

One conversation of a coding agent, with requests, work and reports: `session_of` alone, without a
model and without a vault. Beside it, in the same run, the same turns are split into their sentences
once, which is the least that reading them takes. CPU time, the best of five.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from engram.extract.session import session_of
from engram.language.sentences import sentences_of
from engram.model.turn import Turn, turn_of
from tests.benchmarks.transcripts import prose

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


def seconds(work: Callable[[], object]) -> float:
    """The CPU time of the fastest of five runs."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("turns", type=int, nargs="?", default=500)
    turns = conversation(parser.parse_args().turns)
    record = seconds(lambda: session_of(turns))
    plain = seconds(lambda: [sentences_of(turn.text) for turn in turns])
    print(
        f"{len(turns)} turns: the session's record in {record * 1000:.1f} ms,"
        f" their sentences alone in {plain * 1000:.1f} ms"
    )


if __name__ == "__main__":
    main()
