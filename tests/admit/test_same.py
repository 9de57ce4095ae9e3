"""Exact repeats: who owns content, and what a repeat does to the owner."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.admit.same import confirmed, fulfilled, standing
from engram.model.instant import plus_minutes
from engram.model.memory import STATUSES, confidence_tier
from engram.model.retention import Terms
from engram.model.settings import RetentionSettings
from tests.admit.cases import NOW, candidate, memory
from tests.effort import examples

TABLE = Terms(RetentionSettings())


@pytest.mark.parametrize("status", STATUSES)
def test_only_live_memories_own_their_content(status: str) -> None:
    owner = memory(status=status, status_since="2026-03-01T00:00:00Z")
    expected = "owned" if owner.live else "free"
    assert standing([owner], NOW, 24)[0] == expected
    assert standing([], NOW, 24) == ("free", None)


@pytest.mark.parametrize(
    ("minutes", "answer"), [(0, "retired"), (24 * 60 - 1, "retired"), (24 * 60, "free")]
)
def test_retired_content_is_not_learnt_again_for_a_day(minutes: int, answer: str) -> None:
    owner = memory(status="retired", status_since=plus_minutes(NOW, -minutes))
    assert standing([owner], NOW, 24)[0] == answer


def test_a_live_owner_goes_before_a_retired_one_and_the_newest_before_all() -> None:
    old, new = memory(id="old"), memory(id="new")
    retired = memory(id="gone", status="retired", status_since=NOW)
    assert standing([old, new, retired], NOW, 24) == ("owned", new)
    assert standing([retired], NOW, 24) == ("retired", retired)


def test_a_retired_memory_without_a_time_blocks_nothing() -> None:
    assert standing([memory(status="retired")], NOW, 24) == ("free", None)


def test_another_conversation_adds_its_receipt_and_renews() -> None:
    owner = memory(expires="2026-03-07", authority="user_asserted")
    after = confirmed(owner, candidate(session="other"), NOW, TABLE)
    assert after.sources == (*owner.sources, candidate(session="other").receipt.link)
    assert after.confidence > owner.confidence and after.expires > owner.expires


@pytest.mark.parametrize("voice", ["pasted", "agent", "program", "stored"])
def test_what_the_person_did_not_say_is_no_receipt(voice: str) -> None:
    owner = memory()
    assert confirmed(owner, candidate(session="other", voice=voice), NOW, TABLE) == owner


def test_the_same_conversation_adds_its_receipt_and_no_confidence() -> None:
    first = candidate(message="1")
    owner = memory(confidence=0.5, sources=(first.receipt.link,))
    after = confirmed(owner, candidate(message="2"), NOW, TABLE)
    assert len(after.sources) == 2 and after.confidence == 0.5


def test_the_same_receipt_changes_nothing() -> None:
    said = candidate()
    owner = memory(confidence=0.5, sources=(said.receipt.link,), expires="2026-03-07")
    assert confirmed(owner, said, NOW, TABLE) == owner


def test_a_doubted_memory_stays_doubted() -> None:
    owner = memory(status="needs-review", confidence=0.5)
    assert confirmed(owner, candidate(session="other"), NOW, TABLE).status == "needs-review"


@given(st.floats(0, 1), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), max_size=12))
@examples(25)
def test_repeats_never_lower_confidence_and_never_make_it_explicit(
    start: float, repeats: list[tuple[float, int]]
) -> None:
    owner = memory(confidence=start)
    for number, (confidence, session) in enumerate(repeats):
        again = candidate(session=str(session), message=str(number), confidence=confidence)
        after = confirmed(owner, again, NOW, TABLE)
        assert after.confidence >= owner.confidence - 0.0005
        if confidence_tier(owner.confidence) != "explicit":
            assert confidence_tier(after.confidence) != "explicit"
        assert after.expires >= owner.expires
        owner = after
    assert len(owner.sources) == len(repeats) + 1


def test_an_agents_words_confirm_only_what_was_inferred_and_raise_no_confidence() -> None:
    anew = candidate(voice="agent", origin="model", confirms="x", authority="ai_inferred")
    inferred, asserted = memory(), memory(authority="user_asserted")
    after = confirmed(inferred, anew, NOW, TABLE)
    assert len(after.sources) == 2 and after.confidence == inferred.confidence
    assert confirmed(asserted, anew, NOW, TABLE) == asserted
    assert confirmed(inferred, replace(anew, voice="pasted"), NOW, TABLE) == inferred


def test_a_proposal_is_accepted_by_the_persons_words_and_not_by_a_guess() -> None:
    idea = memory(category="decision", extra=(("decision_state", "proposed"),))
    assert confirmed(idea, candidate(), NOW, TABLE).extras["decision_state"] == "accepted"
    hedged = candidate("Maybe the shop uses Postgres.")
    assert confirmed(idea, hedged, NOW, TABLE).extras["decision_state"] == "proposed"
    agents = candidate(voice="agent", origin="model", confirms=idea.id)
    assert confirmed(idea, agents, NOW, TABLE).extras["decision_state"] == "proposed"


def test_what_was_carried_out_is_so_from_its_first_day() -> None:
    promise = memory(category="commitment", extra=(("commitment_state", "open"),))
    done = fulfilled(promise, candidate(fulfils=promise.id))
    assert done.extras == {"commitment_state": "done", "fulfilled": "2026-03-06"}
    assert fulfilled(done, candidate(time="2026-03-09T10:00:00Z", fulfils=promise.id)) == done
    asked = replace(promise, status="needs-review", status_reason="overdue", status_since=NOW)
    assert fulfilled(asked, candidate()).status == "active"
    doubted = replace(asked, status_reason="contradiction")
    assert fulfilled(doubted, candidate()).status == "needs-review"
    plan = memory(category="decision")
    assert fulfilled(plan, candidate()).extras == {"fulfilled": "2026-03-06"}
    assert fulfilled(plan, candidate()).live
