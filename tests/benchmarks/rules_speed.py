"""How fast turns become memories: `python -m tests.benchmarks.rules_speed [--turns N]`.

The rules tier with admission and one commit for each batch, on short turns of which every fourth
states something to keep; the extraction alone is timed, capture and index apart, and compared with
the rules alone, which decide and write nothing. CPU time.
"""

from __future__ import annotations

import argparse
import time

from engram.model.turn import turn_of
from engram.pipeline import extraction, ingest
from tests.benchmarks.imports import prose, scratch

_KEEP = (
    "we decided to use {0} instead of {1} because two writers need it",
    "i prefer {0} over {1} in every service",
    "from now on never merge {0} without {1} being reviewed",
    "the {0} service runs on port 80{2:02d}",
)


def measure(count: int) -> tuple[float, float, float, int, int]:
    """`(seconds to capture, seconds to extract, seconds of the rules alone, turns, memories)`."""
    turns = []
    for number in range(count):
        keep = _KEEP[number // 4 % len(_KEEP)].format(
            f"tool{number}", f"thing{number % 97}", number % 100
        )
        text = keep if number % 4 == 0 else prose(number, 16)
        when = (
            f"2026-03-{1 + number // 4000 % 28:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z"
        )
        turns.append(
            turn_of(
                "user", text, when, source="bench", session=str(number // 200), message=str(number)
            )
        )
    with scratch() as (_, make), make() as vault:
        start = time.process_time()
        names = ingest.take_in(turns, vault.parts).transcripts
        captured = time.process_time()
        outcome = extraction.extract(names, vault.parts)
        extracted = time.process_time()
        vault.parts.rules.extract(turns)
        alone = time.process_time() - extracted
        return captured - start, extracted - captured, alone, outcome.turns, outcome.memories


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=4_000)
    captured, extracted, alone, turns, memories = measure(parser.parse_args().turns)
    print(
        f"captured {turns / captured:,.0f} turns/s; extracted {turns / extracted:,.0f} turns/s"
        f" into {memories} memories, one commit a batch; the rules alone {turns / alone:,.0f}"
    )


if __name__ == "__main__":
    main()
