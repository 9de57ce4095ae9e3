"""`python -m tests.conformance FILE.jsonl [--only F,...]`: cases of input -> expected.

Each row `{id, function, input, expected}` is given to the product's real function (see
`functions.py`). A function that the product does not have yet counts as unsupported; a deviation
that the design decided still counts as failed and is named by its rule (`decided.toml`).
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

from tests.conformance.functions import FUNCTIONS, matches

DECIDED = Path(__file__).with_name("decided.toml")


def main() -> int:
    """Run the cases of a file; the exit code says whether any failed undecided."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="functions, separated by commas")
    parser.add_argument("--show", action="store_true", help="print every failed case")
    options = parser.parse_args()
    only = {name for name in options.only.split(",") if name}
    rules = {
        row["function"]: row
        for row in tomllib.loads(DECIDED.read_text(encoding="utf-8")).get("rule", [])
    }
    passed: dict[str, int] = defaultdict(int)
    failed: dict[str, list[str]] = defaultdict(list)
    unsupported: dict[str, int] = defaultdict(int)
    for line in options.file.read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            continue
        row = json.loads(line)
        name = row["function"]
        if only and name not in only:
            continue
        if name not in FUNCTIONS:
            unsupported[name] += 1
            continue
        actual = FUNCTIONS[name](row["input"])
        if matches(row["expected"], actual):
            passed[name] += 1
        else:
            failed[name].append(row["id"])
            if options.show:
                print(f"  {row['id']} {row['input']} expected {row['expected']} got {actual}")
    decided = _report(passed, failed, unsupported, rules)
    total_failed = sum(map(len, failed.values()))
    print(
        f"{sum(passed.values())} passed, {total_failed} failed,"
        f" {sum(unsupported.values())} unsupported ({decided} decided)"
    )
    return int(total_failed > decided)


def _report(
    passed: dict[str, int],
    failed: dict[str, list[str]],
    unsupported: dict[str, int],
    rules: dict[str, dict[str, object]],
) -> int:
    """A line for each function; returns how many failures the design decided."""
    decided = 0
    for name in sorted({*passed, *failed, *unsupported}):
        if name in unsupported:
            print(f"{name}: {unsupported[name]} unsupported")
            continue
        wrong = failed.get(name, [])
        named = [case for case in wrong if case in rules.get(name, {}).get("cases", ())]  # type: ignore[operator]
        decided += len(named)
        note = f" ({', '.join(wrong)})" if wrong else ""
        note += f"; decided: {rules[name]['why']}" if named else ""
        print(f"{name}: {passed[name]} passed, {len(wrong)} failed{note}")
    return decided


if __name__ == "__main__":
    sys.exit(main())
