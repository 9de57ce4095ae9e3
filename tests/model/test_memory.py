"""The closed lists and the computed properties of a memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.memory import (
    LEVELS,
    STATUSES,
    Level,
    Memory,
    at_least,
    confidence_tier,
    importance_level,
    memory_type,
    scope_of,
    speculative_days,
)

SHARES = st.floats(min_value=0, max_value=1)


@pytest.mark.parametrize(
    ("confidence", "tier"),
    [(1.0, "explicit"), (0.95, "explicit"), (0.949, "implied"), (0.7, "implied"),
     (0.699, "inferred"), (0.4, "inferred"), (0.399, "speculative"), (0.0, "speculative")],
)  # fmt: skip
def test_a_tier_begins_at_its_bound(confidence: float, tier: str) -> None:
    assert confidence_tier(confidence) == tier


@given(SHARES)
def test_only_speculation_is_brief(confidence: float) -> None:
    speculative = confidence_tier(confidence) == "speculative"
    assert speculative_days(confidence) == (30 if speculative else None)


@pytest.mark.parametrize(
    ("importance", "level"),
    [(1.0, "critical"), (0.9, "critical"), (0.7, "high"), (0.4, "normal"), (0.2, "low"),
     (0.199, "trivial"), (0.0, "trivial")],
)  # fmt: skip
def test_a_level_begins_at_its_bound(importance: float, level: str) -> None:
    assert importance_level(importance) == level


@given(SHARES, SHARES)
def test_more_importance_never_reaches_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert at_least(importance_level(high), importance_level(low))


@given(st.sampled_from(LEVELS))
def test_a_level_reaches_itself(level: Level) -> None:
    assert at_least(level, level) and at_least(level, "trivial") and at_least("critical", level)


@pytest.mark.parametrize(
    ("category", "schema", "kind"),
    [("moment", "", "episodic"), ("fact", "session", "episodic"), ("skill", "", "procedural"),
     ("fact", "runbook", "procedural"), ("fact", "constraint", "semantic"),
     ("decision", "", "semantic")],
)  # fmt: skip
def test_the_type_follows_from_category_and_schema(category: str, schema: str, kind: str) -> None:
    assert memory_type(category, schema) == kind


def test_authorities_are_a_ladder_and_unknown_words_its_foot() -> None:
    assert [authority_rank(name) for name in AUTHORITIES] == [0, 1, 2, 3]
    assert authority_rank("") == authority_rank("root") == authority_rank("ai_inferred")


def test_active_and_doubted_memories_are_live_and_no_others() -> None:
    live = [status for status in STATUSES if Memory("a", "fact", "t", status=status).live]
    assert live == ["active", "needs-review"]


def test_the_scope_is_space_project_and_first_entity() -> None:
    assert scope_of("project", "shop", ("tool-postgres", "kim")) == "project/shop/tool-postgres"
    assert scope_of("project", "shop", ()) != scope_of("project", "blog", ())
    # what holds for the person holds in every project
    assert scope_of("user", "shop", ()) == scope_of("user", "blog", ()) == "user//"


def test_the_extras_of_a_header_are_read_by_name() -> None:
    memory = Memory("a", "commitment", "t", extra=(("due", "2026-03-20"), ("severity", "high")))
    assert memory.extras == {"due": "2026-03-20", "severity": "high"}
