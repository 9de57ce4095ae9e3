"""What a friend would know after the year of chats -> how much of it is remembered and found.

    python -m tests.benchmarks.year [--misses]

Of the statements in `tests/fixtures/year` it counts for each half (even numbers are tuned on, odd
ones held back) how many are a live memory, and to how many questions `recall` gives a line with the
answer. Of the memories it counts how many a friend would keep, as `labels.jsonl` says; those that
were not read yet are counted apart. Prints figures; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.year.imported_year import FIXTURE, Statement, Year, holds, imported, known

_ITEM = re.compile(r"\n(?=- )")


def main() -> None:
    """Import the year once and print what became of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.year", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="name what is missing")
    misses = parser.parse_args().misses
    with tempfile.TemporaryDirectory() as folder:
        year = imported(Path(folder))
        told = year.statements()
        for name, odd in (("tuned on", 0), ("held back", 1)):
            _tell(name, [one for one in known() if one.number % 2 == odd], year, told, misses)
    _tell_kept(told)


def _tell(
    name: str, some: Sequence[Statement], year: Year, told: Sequence[str], misses: bool
) -> None:
    remembered, found = counted(some, year, told)
    print(f"{name}: {len(remembered)} of {len(some)} are a memory, recall tells {len(found)}")
    for one in some if misses else ():
        if one.number not in remembered & found:
            lacks = [
                word
                for word, has in (("memory", remembered), ("answer", found))
                if one.number not in has
            ]
            print(f"  {one.number:>2} no {' and no '.join(lacks)}: {one.statement}")


def counted(
    some: Sequence[Statement], year: Year, told: Sequence[str]
) -> tuple[set[int], set[int]]:
    """The numbers of the statements that are a memory, and of those that `recall` tells."""
    remembered = {one.number for one in some if any(holds(text, one.words) for text in told)}
    return remembered, {one.number for one in some if _is_answered(one, year)}


def _is_answered(one: Statement, year: Year) -> bool:
    block = json.loads(year.run("recall", one.question, "--json").out)["text"]
    return any(holds(item, one.words) for item in _ITEM.split(block)[1:])


def _tell_kept(told: Sequence[str]) -> None:
    rows = map(json.loads, (FIXTURE / "labels.jsonl").read_text(encoding="utf-8").splitlines())
    labels = {row["text"]: row for row in rows}
    read = [labels[text] for text in told if text in labels]
    kept = sum(row["keep"] for row in read)
    print(f"memories: {len(told)}; a friend would keep {kept} of {len(read)} that were read")
    for why, count in Counter(row["why"] for row in read if not row["keep"]).most_common():
        print(f"  {count:>2} {why}")
    for text in told:
        if text not in labels:
            print(f"  not read yet: {text}")


if __name__ == "__main__":
    main()
