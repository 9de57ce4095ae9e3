"""No test has a number of examples of its own: `tests.effort` is the only knob."""

from __future__ import annotations

from pathlib import Path


def test_every_property_takes_its_examples_from_the_knob() -> None:
    tests = Path(__file__).parent
    found = [
        path.name
        for path in sorted(tests.rglob("*.py"))
        if path.name not in ("effort.py", Path(__file__).name)
        if "max_examples" in path.read_text("utf-8")
    ]
    assert not found
