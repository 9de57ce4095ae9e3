"""Scores and tiers by the formula of seed 004."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.instant import plus_days
from engram.model.step import Access
from engram.model.tier import (
    MODES,
    TIERS,
    Aging,
    Retained,
    RetentionScore,
    retention,
    tier_of,
    tiers_of,
)
from tests.kit import failing

NOW = "2026-03-06T12:00:00Z"
AGING = Aging()


def ago(days: int) -> str:
    return f"{plus_days(NOW, -days)}T12:00:00Z"


def a(category: str, days: int, importance: float = 0.5, **more: bool) -> Retained:
    return Retained(ago(days), category, importance, **more)


def read(days: int, ago_days: int) -> Access:
    return Access(days, ago(ago_days), days)


#: memory, how it was read, score and tier: the worked numbers of the formula, and its borders
_CASES: list[tuple[str, Retained, Access | None, float, str]] = [
    ("a decision of today", a("decision", 0), None, 0.8, "hot"),
    ("a decision at the border", a("decision", 30), None, 0.6, "hot"),
    ("a decision a day later", a("decision", 31), None, 0.5954, "warm"),
    ("a decision stays warm", a("decision", 3_650), None, 0.4, "warm"),
    ("read long ago", a("decision", 180), read(5, 180), 0.5240, "warm"),
    ("read just now", a("decision", 180), read(5, 2), 0.8996, "hot"),
    ("a fact of today", a("fact", 0), None, 0.6, "hot"),
    ("a fact of yesterday", a("fact", 1), None, 0.5909, "warm"),
    ("a fact at the border", a("fact", 60), None, 0.3, "warm"),
    ("a fact a day later", a("fact", 61), None, 0.2977, "cold"),
    ("a fact never ends by age", a("fact", 3_650), None, 0.2, "cold"),
    ("a fact that came up again", a("fact", 90), read(3, 10), 0.6085, "hot"),
    ("twenty days of reading, or more", a("fact", 90), read(400, 90), 0.45, "warm"),
    ("its own importance is larger", a("fact", 3_650, 0.9), None, 0.36, "warm"),
    ("its category's is larger", a("preference", 3_650, 0.1), None, 0.36, "warm"),
    ("an open promise", a("commitment", 3_650), None, 0.36, "warm"),
    ("a promise that was kept", a("commitment", 3_650, settled=True), None, 0.2, "cold"),
    ("superseded, at the border", a("decision", 60, superseded=True), None, 0.1, "cold"),
    ("superseded, a month later", a("decision", 90, superseded=True), None, 0.09, "archived"),
    ("replaced today", a("decision", 0, superseded=True, replaced=True), None, 0.16, "archived"),
    ("retired today", a("decision", 0, ended=True), None, 0.8, "archived"),
    ("summed up", a("decision", 0, summarised=True), None, 0.8, "warm"),
    ("summed up, two half-lives", a("decision", 60, summarised=True), None, 0.5, "cold"),
    ("summed up, a day later", a("decision", 61, summarised=True), None, 0.4977, "archived"),
    ("summed up and read", a("decision", 90, summarised=True), read(1, 9), 0.7704, "warm"),
    ("said tomorrow", a("fact", -1), None, 0.6, "hot"),
    ("read tomorrow", a("fact", 90), read(1, -1), 0.6455, "hot"),
    ("of no time", Retained("", "fact", 0.5), None, 0.2, "cold"),
    ("of an importance that is none", a("fact", 0, float("nan")), None, 0.6, "hot"),
    ("of too much importance", a("fact", 0, 7.0), None, 0.8, "hot"),
]


def test_the_worked_numbers_and_the_borders_of_each_tier() -> None:
    def holds(case: tuple[str, Retained, Access | None, float, str]) -> None:
        _, memory, reads, overall, tier = case
        found = retention(memory, reads, NOW, AGING)
        assert found.score.overall == pytest.approx(overall, abs=5e-5)
        assert found.tier == tier == tier_of(memory, reads, NOW, AGING)

    assert failing(_CASES, holds) == ""


@pytest.mark.parametrize("part", ["overall", "recency", "activation", "importance", "relevance"])
@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan")])
def test_a_part_that_is_none_of_0_to_1_is_refused(part: str, value: float) -> None:
    with pytest.raises(ValueError, match=part):
        RetentionScore(**({"overall": 0.5} | {part: value}))


MEMORIES = st.builds(
    Retained,
    st.integers(-400, 4_000).map(ago),
    st.sampled_from(["decision", "fact", "commitment", "skill", "moment"]),
    st.floats(),
    *[st.booleans()] * 5,
)
READS = st.none() | st.builds(read, st.integers(1, 50), st.integers(-400, 4_000))
AGINGS = st.builds(Aging, st.floats(1, 36_500), st.floats(0, 1), st.floats(0, 1))


@given(MEMORIES, READS, AGINGS)
def test_every_score_lies_in_0_to_1_and_the_tier_is_that_of_the_score(
    memory: Retained, reads: Access | None, aging: Aging
) -> None:
    found = retention(memory, reads, NOW, aging)
    assert all(part is None or 0 <= part <= 1 for part in astuple(found.score))
    assert found.tier == tier_of(memory, reads, NOW, aging)
    plain = not (memory.replaced or memory.ended or memory.summarised)
    if plain and found.score.overall >= aging.hot:
        assert found.tier == "hot"


def test_what_is_hot_is_hot_where_warm_begins_above_it() -> None:
    for aging in (Aging(30, 0.2, 0.7), Aging(30, 0.05, 0.3), Aging(30, 0.5, 1.0)):
        assert tier_of(a("fact", 0), None, NOW, aging) == "hot"


@given(MEMORIES, READS)
def test_a_read_never_lowers_a_tier(memory: Retained, reads: Access | None) -> None:
    before = tier_of(memory, reads, NOW, AGING)
    again = Access((reads.count if reads else 0) + 1, NOW, (reads.days if reads else 0) + 1)
    after = tier_of(memory, again, NOW, AGING)
    assert TIERS.index(after) <= TIERS.index(before)


def test_each_mode_looks_at_the_tiers_of_the_one_before_and_one_more() -> None:
    assert [tiers_of(mode) for mode in MODES] == [TIERS[:1], TIERS[:2], TIERS[:3], TIERS]
