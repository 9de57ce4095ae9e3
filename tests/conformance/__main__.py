"""`python -m tests.conformance FILE.jsonl [--only F,...]`: cases of input -> expected.

Each row `{id, function, input, expected}` is given to the product's real function (see
`functions.py`). A function that the product does not have yet counts as unsupported; a deviation
that the design decided still counts as failed and is named by its rule (`decided.toml`), and so is
a function whose rows are all decided. A line ends at "\\n" alone: texts may hold U+2028.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.conformance.functions import FUNCTIONS, matches

DECIDED = Path(__file__).with_name("decided.toml")


def main() -> int:
    """Run the cases of a file; the exit code says whether one is neither passed nor decided."""
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
    for row in cases_of(options.file.read_bytes()):
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
    total_failed, missing = sum(map(len, failed.values())), sum(unsupported.values())
    print(
        f"{sum(passed.values())} passed, {total_failed} failed,"
        f" {missing} unsupported ({decided} decided)"
    )
    return int(total_failed + missing > decided)


def cases_of(data: bytes) -> list[dict[str, Any]]:
    """The rows of a file; a line ends at a line feed and nowhere else."""
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def _report(
    passed: dict[str, int],
    failed: dict[str, list[str]],
    unsupported: dict[str, int],
    rules: dict[str, dict[str, object]],
) -> int:
    """A line for each function; returns how many rows the design decided.

    A rule without `cases` decides every row of a function that the product does not have, and with
    `every` all that fail.
    """
    decided = 0
    for name in sorted({*passed, *failed, *unsupported}):
        if name in unsupported:
            whole = name in rules and "cases" not in rules[name]
            decided += unsupported[name] if whole else 0
            note = f"; decided: {rules[name]['why']}" if whole else ""
            print(f"{name}: {unsupported[name]} unsupported{note}")
            continue
        wrong = failed.get(name, [])
        rule = rules.get(name, {})
        named = [case for case in wrong if rule.get("every") or case in rule.get("cases", ())]  # type: ignore[operator]
        decided += len(named)
        note = f" ({', '.join(wrong)})" if wrong else ""
        note += f"; decided: {rule['why']}" if named else ""
        print(f"{name}: {passed[name]} passed, {len(wrong)} failed{note}")
    return decided


if __name__ == "__main__":
    sys.exit(main())
