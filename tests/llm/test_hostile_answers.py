"""Hostile answers: what a model may answer, and what must not come of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.benchmarks.hostile_answers import cases, outcome
from tests.benchmarks.model_tier import FIXTURES
from tests.llm.office import Office

CASES = cases(FIXTURES / "hostile.toml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_nothing_gets_in_that_should_not(case: Mapping[str, Any], office: Office) -> None:
    assert outcome(case, office) == []
