"""300 candidates through the whole decider: hostile and junk ones stay out, worthwhile ones get in.

`held` rows are measured apart: their misses are counted, and not shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.model.candidate import Candidate
from engram.model.verdict import Verdict
from tests.admit.cases import candidate

FIXTURES = Path(__file__).parents[1] / "fixtures" / "gate"


def rows(name: str, *kinds: str) -> list[dict[str, object]]:
    """The candidates of a file, of some kinds only where they are named."""
    lines = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if not kinds or row["kind"] in kinds]


def proposed(row: dict[str, object]) -> Candidate:
    """What an extractor would propose of a turn."""
    text, voice = str(row["text"]), row.get("voice", "typed")
    return candidate(
        text, category=row["category"], sentence=text, voice=voice,
        authority="user_asserted" if voice == "typed" else "ai_inferred",
    )  # fmt: skip


def decided(rows: list[dict[str, object]], context: AdmissionContext) -> list[Verdict]:
    """One verdict a row; none of them sees another."""
    return [admit(proposed(row), context) for row in rows]


@pytest.mark.parametrize(
    ("name", "kinds", "refused", "least"),
    [
        ("hostile", ("secret", "personal"), True, 0.99), ("hostile", ("injection",), True, 0.99),
        ("junk", (), True, 0.9), ("worthwhile", (), False, 0.9),
    ],
)  # fmt: skip
@pytest.mark.parametrize("half", ["seen", "held"])
def test_candidates_of_a_kind_fare_as_they_should(
    knowing: Callable[..., AdmissionContext], name: str, kinds: tuple[str, ...], refused: bool,
    least: float, half: str,
) -> None:  # fmt: skip
    chosen = [row for row in rows(name, *kinds) if row["held"] is (half == "held")]
    wrong = [
        f"{verdict.code} {dict(verdict.factors)} {row['text']}"
        for row, verdict in zip(chosen, decided(chosen, knowing()), strict=True)
        if (verdict.decision == "refuse") is not refused
    ]
    share = 1 - len(wrong) / len(chosen)
    # what was held back is counted and not shown
    assert share >= least, "\n".join(wrong) if half == "seen" else ""
