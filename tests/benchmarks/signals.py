"""How long one turn takes to scan for signals: `python -m tests.benchmarks.signals [--runs N]`.

Short turns as people type them, long ones of 4,000 characters of ordinary prose, and the worst that
was found for the shipped patterns: 4,000 characters of nothing but their first words. Beside them,
in the same run, one `casefold` and one `in` of a word that is absent, the least any scan can do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engram.capture.signals import compile_signals
from engram.settings.load import shipped
from tests.benchmarks.imports import prose

LONG = 4_000

SHORT = (
    "push it",
    "run the tests again and fix what fails",
    "why does the export button do nothing on firefox?",
    "ok now rename the helper and update both callers",
    "from now on write the changelog before you commit",
    "i prefer short answers",
    "no, the port is 8041",
    "looks good, continue with step 3",
    "can you check whether the cache is cleared when a user logs out",
    "we decided to keep the old parser because the new one drops comments",
)
_FIRST_WORDS = "i we the always never remember don't note that no actually because "


@dataclass(frozen=True, slots=True)
class Times:
    """Microseconds a turn, and of the slowest in a hundred."""

    median: float
    p99: float


def measure(turns: Sequence[str], scan: Callable[[str], object], runs: int) -> Times:
    """Each turn alone, `runs` times over."""
    clock, taken = time.perf_counter_ns, []
    for _ in range(runs):
        for turn in turns:
            start = clock()
            scan(turn)
            taken.append(clock() - start)
    taken.sort()
    return Times(taken[len(taken) // 2] / 1000, taken[len(taken) * 99 // 100] / 1000)


def figures(runs: int = 20) -> dict[str, tuple[Times, Times]]:
    """Kind of turn -> times of a scan and of the peer."""
    scan = compile_signals(shipped("signals")).scan
    kinds = {
        "short": SHORT * 50,
        f"{LONG:,} characters": [prose(number, LONG // 4)[:LONG] for number in range(50)],
        f"{LONG:,} characters, worst": [
            (_FIRST_WORDS[at:] + _FIRST_WORDS * LONG)[:LONG] for at in range(50)
        ],
    }
    return {
        kind: (measure(turns, scan, runs), measure(turns, _least, runs))
        for kind, turns in kinds.items()
    }


def _least(text: str) -> bool:
    return "zyzzyva" in text.casefold()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    for kind, (own, peer) in figures(parser.parse_args().runs).items():
        print(
            f"{kind}: median {own.median:,.1f} µs, p99 {own.p99:,.1f} µs;"
            f" casefold and one search {peer.median:,.1f} µs"
        )


if __name__ == "__main__":
    main()
