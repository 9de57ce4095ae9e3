"""Every property takes its examples from `tests.effort`, and groups of tests stay together."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_every_property_takes_its_examples_from_the_knob() -> None:
    tests = Path(__file__).parent
    found = [
        path.name
        for path in sorted(tests.rglob("*.py"))
        if path.name not in ("effort.py", Path(__file__).name)
        if "max_examples" in path.read_text("utf-8")
    ]
    assert not found


@pytest.mark.xdist_group("guard")
def test_groups_of_tests_reach_the_workers(request: pytest.FixtureRequest) -> None:
    """A pytest that pytest-xdist does not know yet loses them without a word."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@guard")
