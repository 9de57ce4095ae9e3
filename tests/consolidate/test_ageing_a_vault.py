"""The ageing passes on a real vault: files move and come back, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.consolidate.passes import archival, commitments, expiry
from engram.model.change import Plan
from engram.model.instant import plus_days
from engram.model.memory import CATEGORIES, STATUSES, Memory
from engram.model.settings import Settings
from engram.model.step import Access, Step
from engram.vault import Vault
from tests.consolidate.cases import NOW, Silent, aged, context, run_passes
from tests.consolidate.view import after, remembering

PASSES = (commitments.plan, archival.plan, expiry.plan)
#: what no step may touch
KEPT = ("id", "text", "quote", "sources", "created", "category", "kind", "expires", "confidence")


def aged_vault(vault: Vault) -> list[Step]:
    """Let the passes do what they plan for a vault; the steps."""
    view = vault.parts.projections.view
    whole = replace(context(remembering()), view=view, settings=Settings(), judge=Silent())
    steps = run_passes(whole, PASSES).steps
    amended = [pair for step in steps for pair in step.amended]
    vault.parts.committer.commit(
        Plan("consolidate", tuple(vault.parts.writer.changes([], amended)))
    )
    return steps


def test_what_is_archived_keeps_its_file_and_restore_brings_it_back(
    open_vault: Callable[..., Vault],
) -> None:
    early = open_vault(now="2026-03-06T12:00:00Z")
    fact = early.remember("The shelf might be crooked.", category="moment").memory
    assert fact is not None
    path = early.root / fact.path
    path.write_text(path.read_text().replace("importance: 0.5", "importance: 0.2"))
    path.write_text(path.read_text().replace(f"expires: {fact.expires}\n", ""))
    early.close()
    late = open_vault(now=NOW)
    late.parts.settler.within(1e9)
    before = (late.root / fact.path).read_bytes()
    (step,) = aged_vault(late)
    assert (step.action, step.subjects) == ("archive", (fact.id,))
    assert not (late.root / fact.path).exists()
    assert late.parts.lookup.memory(fact.id).path.startswith("archive/")
    assert aged_vault(late) == []
    late.restore(fact.id)
    assert late.parts.lookup.memory(fact.id).status == "active"
    assert aged_vault(late) == []
    assert (late.root / fact.path).read_bytes().split(b"---")[2] == before.split(b"---")[2]


@st.composite
def some_memory(draw: st.DrawFn) -> Memory:
    """A memory of any age, importance, status and term."""
    number = draw(st.integers(0, 10**6))
    day = draw(st.sampled_from(["", plus_days(NOW, -1), NOW[:10], plus_days(NOW, 1)]))
    due = draw(st.sampled_from(["", plus_days(NOW, -1), NOW[:10], plus_days(NOW, 1)]))
    return aged(
        draw(st.sampled_from([1, 89, 90, 91, 400])), f"Thing {number} stands.",
        category=draw(st.sampled_from(CATEGORIES)), expires=day,
        confidence=draw(st.sampled_from([0.3, 0.39, 0.4, 0.9])),
        importance=draw(st.sampled_from([0.1, 0.29, 0.3, 0.9])),
        status=draw(st.sampled_from(STATUSES)), quote="it stands",
        extra=(("due", due), ("state", draw(st.sampled_from(["open", "done"])))),
    )  # fmt: skip


@given(st.lists(some_memory(), max_size=25, unique_by=lambda one: one.id), st.integers(0, 4))
def test_any_mix_ages_by_its_conditions_once_and_keeps_what_it_says(
    memories: list[Memory], reads: int
) -> None:
    view = remembering(*memories, reads={one.id: Access(reads) for one in memories})
    steps = run_passes(context(view), PASSES).steps
    touched = {step.subjects[0]: step.amended[0] for step in steps}
    assert len(touched) == len(steps)
    for before, ended in touched.values():
        assert before.live
        assert [getattr(before, name) for name in KEPT] == [getattr(ended, name) for name in KEPT]
        assert ended.status in ("needs-review", "expired", "archived")
        assert ended.status_reason and ended.status_since == NOW
        come = "" < before.expires <= NOW[:10]
        if ended.status_reason == "unused":
            assert before.created < f"{plus_days(NOW, -90)}T12:00:00Z"
            assert before.importance < 0.3 and reads <= 2 and before.status == "active"
        elif ended.status_reason == "overdue":
            assert before.extras["due"] < NOW[:10] and before.extras["state"] == "open"
        else:
            assert come
    left = [one for one in memories if one.id not in touched]
    assert not any(
        one.live and "" < one.expires <= NOW[:10] and one.confidence < 0.4 for one in left
    )
    assert run_passes(context(after(view, steps)), PASSES).steps == []


@pytest.mark.parametrize("changed", [None, frozenset[str]()])
def test_time_alone_is_reason_enough_in_every_run_and_never_reads_all(
    changed: frozenset[str] | None,
) -> None:
    view = remembering(aged(200, expires=NOW[:10]), aged(91, "Two.", importance=0.2))
    assert len(run_passes(context(view, changed), PASSES).steps) == 2
    assert view.loaded == 0
