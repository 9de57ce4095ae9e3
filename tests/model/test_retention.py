"""How long a memory lives, and what use does to that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.instant import plus_days
from engram.model.memory import CATEGORIES, SCHEMAS, is_silent
from engram.model.policy import Forgetting, Policy, RetentionRule
from engram.model.retention import Terms, expiry, is_over, renewed
from engram.model.settings import RetentionSettings
from tests.admit.cases import NOW, memory
from tests.effort import examples

TABLE = Terms(RetentionSettings())
FOREVER = Terms(RetentionSettings(days=(("semantic", 0),)))


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({"category": "fact"}, 180), ({"category": "decision"}, 180), ({"category": "moment"}, 14),
        ({"category": "skill"}, 365), ({"category": "commitment"}, 90),
        ({"category": "moment", "schema": "session"}, 90),
        ({"category": "fact", "schema": "runbook"}, 365),
        ({"category": "fact", "confidence": 0.39}, 30),
        ({"category": "moment", "confidence": 0.1}, 14),
    ],
)  # fmt: skip
def test_days_follow_schema_category_type_and_doubt(fields: dict[str, object], days: int) -> None:
    assert expiry(memory(**fields), NOW, TABLE) == plus_days(NOW, days)


def test_a_row_of_the_table_overrides_what_is_more_general() -> None:
    table = Terms(
        RetentionSettings(days=(("semantic", 100), ("decision", 200), ("constraint", 300)))
    )
    assert expiry(memory(category="fact"), NOW, table) == plus_days(NOW, 100)
    assert expiry(memory(category="decision"), NOW, table) == plus_days(NOW, 200)
    assert expiry(memory(category="decision", schema="constraint"), NOW, table) == plus_days(
        NOW, 300
    )


def test_days_count_from_the_later_of_source_and_admission() -> None:
    late = memory(created="2026-04-01T00:00:00Z")
    assert expiry(late, NOW, TABLE) == plus_days("2026-04-01", 180)
    assert expiry(memory(created="2020-01-01T00:00:00Z"), NOW, TABLE) == plus_days(NOW, 180)


def test_no_days_are_for_ever_unless_in_doubt() -> None:
    assert expiry(memory(), NOW, FOREVER) == ""
    assert expiry(memory(confidence=0.2), NOW, FOREVER) == plus_days(NOW, 30)


def test_use_renews_the_day_and_never_shortens_it() -> None:
    assert renewed(memory(), memory(), NOW, TABLE) == plus_days(NOW, 180)
    far = memory(expires="2030-01-01")
    assert renewed(far, far, NOW, TABLE) == "2030-01-01"


def test_a_memory_that_a_person_made_last_for_ever_goes_on_doing_so() -> None:
    kept = memory(expires="")
    assert renewed(kept, kept, NOW, TABLE) == ""


def test_where_the_table_sets_no_day_only_the_persons_own_stays() -> None:
    own = memory(expires="2027-01-01")
    assert renewed(own, own, NOW, FOREVER) == "2027-01-01"
    past = memory(expires="2026-03-01")
    assert renewed(past, past, NOW, FOREVER) == ""
    doubted = memory(expires="2026-04-01", confidence=0.3)
    assert renewed(doubted, memory(confidence=0.5), NOW, FOREVER) == ""


@given(
    st.sampled_from(CATEGORIES), st.sampled_from(("", *SCHEMAS)), st.floats(0, 1),
    st.dates().map(str),
)  # fmt: skip
@examples(25)
def test_a_renewed_day_is_no_sooner_than_the_day_before(
    category: str, schema: str, confidence: float, expires: str
) -> None:
    one = memory(category=category, schema=schema, confidence=confidence, expires=expires)
    assert renewed(one, one, NOW, TABLE) >= max(expires, NOW[:10])


@pytest.mark.parametrize(
    ("mode", "created", "now", "why"),
    [
        ("ttl", 1, 12, ""), ("ttl", 1, 13, "ttl_expired"), ("decay", 1, 13, ""),
        ("decay", 1, 14, "decay"), ("never", 1, 9999, ""), ("decay", 500, 3, ""),
    ],
)  # fmt: skip
def test_ttl_ends_at_its_last_tick_and_decay_after_it(
    mode: Forgetting, created: int, now: int, why: str
) -> None:
    assert is_over(RetentionRule(mode, 12), created, now) == why
    assert is_over(RetentionRule(mode), created, now) == ""


def test_the_policy_says_which_memories_have_a_day_and_which_a_later_one() -> None:
    def terms(mode: Forgetting) -> Terms:
        return Terms(TABLE.settings, Policy(forget_policy=mode))

    one = memory(expires="2026-04-01")
    assert expiry(one, NOW, terms("never")) == renewed(one, one, NOW, terms("never")) == ""
    assert expiry(one, NOW, terms("ttl")) == expiry(one, NOW, terms("decay")) != ""
    assert renewed(one, one, NOW, terms("ttl")) == "2026-04-01"
    assert renewed(one, one, NOW, terms("decay")) > "2026-04-01"
    assert expiry(replace(one, space="session"), NOW, TABLE) == ""


def test_a_session_is_over_after_a_day_of_silence() -> None:
    assert is_silent("2026-03-05T12:00:00Z", "2026-03-06T12:00:00Z")
    assert not is_silent("2026-03-05T12:00:01Z", "2026-03-06T12:00:00Z")
    assert not is_silent("2026-03-05T12:00:00Z", "2020-01-01T12:00:00Z")
