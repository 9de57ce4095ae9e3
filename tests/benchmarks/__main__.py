"""`make bench`: every measurement behind README.md here, one after the other."""

from __future__ import annotations

import importlib
import sys

#: in the order of the table in README.md
MEASUREMENTS = (
    "imports",
    "durable",
    "rules_speed",
    "triage_speed",
    "rules_tier",
    "model_tier",
    "gate",
    "redaction",
    "signals",
    "time_questions",
    "cold_start",
    "warm",
    "scale",
    "facts",
    "other_words",
    "qmd_face",
    "consolidate",
    "supersession",
    "clusters",
    "closing",
    "tiers",
    "events",
    "phases",
    "beside",
    "spaces",
    "year",
)


def main() -> None:
    """Run each one's `main`, under its name."""
    for name in MEASUREMENTS:
        print(f"\n== {name}")
        sys.argv = [name]
        importlib.import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main()
