"""Whether time expressions are resolved as people mean them: `python -m ...temporal FILE`.

Each row of the JSON lines is an expression in its context (cut at both ends), the day it was said,
and its days: {expression, context, anchor, start, end, resolvable, alt}. The whole context is read;
the answer is the span that overlaps the expression. Its first reading counts, not those in `also`.
A row that is not `resolvable` has to give none. TOML tables of the tests (rows with `text`) are
read as well. `--half 0|1` takes the rows whose id has that parity, `--misses` names what is wrong.
"""

from __future__ import annotations

import argparse
import json
import time
import tomllib
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from engram.language.when import find_times
from engram.model.time_span import TimeSpan

#: how often each context is read for the figure of time, the texts changed so that none is known
_ROUNDS = 5


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, with an `id` and a `context` each."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line]
    tables = [rows for rows in tomllib.loads(text).values() if isinstance(rows, list)]
    return [
        {"id": f"{number}", "context": row.get("text", ""), **row}
        for number, row in enumerate(row for rows in tables for row in rows)
    ]


def answer(row: dict[str, Any]) -> TimeSpan | None:
    """What is found where the row's expression stands; of several, what shares most with it."""
    expression, context = row["expression"], row["context"]
    begin = max(context.casefold().find(expression.casefold()), 0)
    end = begin + len(expression)
    shared = [
        (min(end, span.offset + len(span.expression)) - max(begin, span.offset), span)
        for span in find_times(context, row["anchor"][:10], least=0)
    ]
    best = max(shared, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] > 0 else None


def is_right(row: dict[str, Any], span: TimeSpan | None) -> bool:
    """Whether the span is the row's, or one of its other readings."""
    wanted = [[row["start"], row["end"]], *(row.get("alt") or row.get("also") or [])]
    return span is not None and [span.start, span.end] in wanted


def main() -> None:
    """Print the figures of a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--misses", action="store_true")
    asked = parser.parse_args()
    rows = [
        row
        for row in rows_of(asked.file)
        if asked.half is None or zlib.crc32(str(row["id"]).encode()) % 2 == asked.half
    ]
    total: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong_answers = refused = false = 0
    for row in rows:
        span = answer(row)
        told = f"{span.start}..{span.end} {span.rule} {span.expression!r}" if span else "nothing"
        if not row.get("resolvable", bool(row.get("start"))):
            refused += 1
            false += span is not None
            if span and asked.misses:
                print(f"must not resolve: {row['expression']!r} {told} | {row['context']}")
            continue
        kind = row.get("type") or row.get("construct") or ""
        total[kind] += 1
        right[kind] += is_right(row, span)
        wrong_answers += span is not None and not is_right(row, span)
        if asked.misses and not is_right(row, span):
            print(f"{row['expression']!r} on {row['anchor'][:10]}: {row['start']}..{row['end']}, "
                  f"got {told} | {row['context']}")  # fmt: skip
    for kind in sorted(total):
        print(f"{kind:24} {right[kind]:3} of {total[kind]}")
    share = sum(right.values()) / max(1, total.total())
    print(
        f"right {sum(right.values())} of {total.total()} = {share:.1%}; other days {wrong_answers}"
    )
    print(f"answers to rows that must not resolve: {false} of {refused}")
    begin = time.process_time()
    for turn in range(_ROUNDS):
        for row in rows:
            find_times(f"{row['context']} {turn}", row["anchor"][:10], least=0)
    spent = (time.process_time() - begin) / (_ROUNDS * max(1, len(rows)))
    print(f"{1000 * spent:.2f} ms a turn")


if __name__ == "__main__":
    main()
