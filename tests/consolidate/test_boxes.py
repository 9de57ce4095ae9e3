"""The night shift keeps boxes right: it seals, links, follows edits, and is done after one run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from engram.admit.judge.rule_judge import RuleJudge
from engram.consolidate.context import PassContext
from engram.consolidate.passes.box_sealing import plan
from engram.model.box import Box
from engram.model.change import Change, Plan
from engram.model.memory import Memory
from engram.model.overlay import Overlay
from engram.model.settings import BoxSettings, Settings
from engram.model.step import Opinion, Step
from engram.store.base import layout
from engram.store.files.memory_file import render_memory
from engram.store.files.render import FileRenderer
from engram.vault import Adapters, Vault
from engram.weave.entities import fold
from engram.weave.seal import BoxSealer
from tests.kit import LIGHT, takes_every_turn, turns
from tests.weave.yarn import memory, talk

DB, COOKING = ("postgres", "database"), ("bread", "oven")
SOON, LATER = "2026-03-06T10:10:00Z", "2026-03-07T00:00:00Z"


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


class NoJudge(RuleJudge):
    """Nothing here is judged."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        raise AssertionError


class Few(Overlay):
    """A vault of which not everything may be read."""

    def live(self) -> Sequence[Memory]:
        raise AssertionError


def put(vault: Vault, memories: Iterable[Memory]) -> None:
    """Write the files of memories."""
    changes = [Change(layout.memory_path(one), None, render_memory(one)) for one in memories]
    vault.parts.committer.commit(Plan("test", tuple(changes)))


def planned(vault: Vault, now: str = LATER, changed: Iterable[str] | None = None) -> list[Step]:
    some = None if changed is None else frozenset(changed)
    view = Few(vault.parts.projections.view)
    return plan(PassContext(view, now, Settings(), NoJudge(), BoxSealer(BoxSettings()), fold, some))


def consolidate(vault: Vault, now: str = LATER, changed: Iterable[str] | None = None) -> list[Step]:
    """Do what is planned; a second run has nothing to do."""
    steps = planned(vault, now, changed)
    pages = [pair for step in steps for pair in step.pages]
    vault.parts.committer.commit(
        Plan("consolidate", tuple(FileRenderer(vault.parts.disk).pages(pages)))
    )
    assert planned(vault, now, changed) == []
    assert planned(vault, now) == []
    return steps


def boxes(vault: Vault) -> Sequence[Box]:
    return vault.parts.projections.view.boxes()


def edit(vault: Vault, path: str, old: str, new: str) -> None:
    """As a person does it in an editor."""
    file = vault.root / path
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    settle(vault)


def settle(vault: Vault) -> None:
    with vault.parts.committer.lock():
        vault.parts.settler.settle()


@pytest.mark.parametrize(("now", "seal"), [(SOON, "consolidation"), (LATER, "time_gap")])
def test_what_is_open_is_sealed_and_says_why(vault: Vault, now: str, seal: str) -> None:
    put(vault, talk(DB, DB, COOKING, COOKING))
    steps = consolidate(vault, now)
    assert (steps[0].task, steps[0].action) == ("boxes", "seal")
    assert steps[0].why == "2 memories: the talk turned to something else"
    assert [box.seal for box in boxes(vault)] == ["topic_shift", seal]
    assert all(box.trace for box in boxes(vault))


def test_boxes_of_a_trace_are_linked_in_the_order_of_time(vault: Vault) -> None:
    put(vault, [memory(day, *DB, minute=day * 1440) for day in (0, 2)])
    consolidate(vault)
    put(vault, [memory(1, *DB, minute=1440)])
    steps = consolidate(vault, changed=[memory(1).id])
    assert [step.action for step in steps] == ["amend", "seal", "amend"]
    first, second, third = boxes(vault)
    assert [first.next, second.next, third.next] == [second.id, third.id, ""]
    assert [first.previous, second.previous, third.previous] == ["", first.id, second.id]


def test_a_line_follows_its_memory_and_a_remark_behind_it_stays(vault: Vault) -> None:
    one, other = memories = talk(DB, DB)
    put(vault, memories)
    consolidate(vault)
    edit(vault, boxes(vault)[0].path, "Statement 1.", "Statement 1. Really?")
    edit(vault, layout.memory_path(one), "Statement 0.", "Another statement.")
    (step,) = consolidate(vault, changed=[one.id, other.id])
    assert step.why == "a memory in it was edited"
    assert boxes(vault)[0].lines == (
        (one.id, "Another statement."),
        (other.id, "Statement 1. Really?"),
    )


def test_what_is_gone_or_forgotten_loses_its_line_and_what_was_replaced_does_not(
    vault: Vault,
) -> None:
    gone, replaced, retired, hidden = memories = talk(DB, DB, DB, DB)
    put(vault, memories)
    consolidate(vault)
    (vault.root / layout.memory_path(gone)).unlink()
    edit(vault, layout.memory_path(replaced), "status: active", "status: superseded")
    edit(vault, layout.memory_path(retired), "status: active", "status: retired")
    by_hand = "status: retired\nstatus_reason: forgotten"
    edit(vault, layout.memory_path(hidden), "status: active", by_hand)
    (step,) = consolidate(vault, changed=[one.id for one in memories])
    assert step.why == "2 of its memories gone or forgotten"
    assert boxes(vault)[0].memories == (replaced.id, retired.id)


def test_a_box_goes_with_the_last_of_its_memories(vault: Vault) -> None:
    (one,) = memories = talk(DB)
    put(vault, memories)
    consolidate(vault)
    (vault.root / layout.memory_path(one)).unlink()
    settle(vault)
    (step,) = consolidate(vault, changed=[one.id])
    assert (step.action, step.why) == ("remove", "none of its memories is left")
    assert boxes(vault) == []


def test_words_of_a_person_stay_when_their_box_goes(vault: Vault) -> None:
    put(vault, [memory(day, *DB, minute=day * 1440) for day in range(2)])
    consolidate(vault)
    first, _ = boxes(vault)
    heading = f"\n# {first.title}"
    edit(vault, first.path, heading, f"\nMy own words.\n{heading}")
    (vault.root / layout.memory_path(memory(0, minute=0))).unlink()
    settle(vault)
    assert [step.action for step in consolidate(vault)] == ["remove", "amend"]
    page = (vault.root / first.path).read_text(encoding="utf-8")
    assert "My own words." in page
    assert "Statement 0." not in page


def test_a_note_that_the_person_linked_in_the_list_stays(vault: Vault) -> None:
    put(vault, talk(DB, DB))
    consolidate(vault)
    edit(vault, boxes(vault)[0].path, "- [[", "- [[my-own-note]] mine\n- [[")
    assert "my-own-note" in boxes(vault)[0].memories
    assert planned(vault) == []


def test_links_to_a_box_that_is_gone_go(vault: Vault) -> None:
    put(vault, [memory(day, *DB, minute=day * 1440) for day in range(3)])
    consolidate(vault)
    first, second, third = boxes(vault)
    (vault.root / second.path).unlink()
    (vault.root / layout.memory_path(memory(1, minute=1440))).unlink()
    settle(vault)
    consolidate(vault)
    assert [(box.previous, box.next) for box in boxes(vault)] == [("", third.id), (first.id, "")]


def test_a_box_file_that_was_removed_is_made_again_under_its_name(vault: Vault) -> None:
    put(vault, talk(DB, DB))
    consolidate(vault)
    (box,) = boxes(vault)
    (vault.root / box.path).unlink()
    settle(vault)
    consolidate(vault, changed=[])
    assert boxes(vault) == [box]


def test_a_memory_that_comes_back_takes_no_name_that_is_there(vault: Vault) -> None:
    one, other = memories = talk(DB, DB)
    put(vault, memories)
    consolidate(vault)
    vault.forget(one.id)
    consolidate(vault, changed=[one.id])
    vault.restore(one.id)
    consolidate(vault, changed=[one.id])
    names = {box.memories: box.id for box in boxes(vault)}
    assert names[(one.id,)] == f"{names[(other.id,)]}-2"


def test_where_nothing_changed_nothing_is_looked_at(vault: Vault) -> None:
    put(vault, talk(DB, DB))
    consolidate(vault)
    edit(vault, layout.memory_path(memory(0)), "Statement 0.", "Another statement.")
    assert planned(vault, changed=[]) == []
    assert planned(vault, changed=["fact-20260306-100000-ffffffff"]) == []
    assert len(planned(vault)) == 1


def test_new_memories_are_woven_with_what_their_conversation_left_open(vault: Vault) -> None:
    old, new = talk(DB, DB), [memory(number, *COOKING) for number in (2, 3, 4)]
    put(vault, [*old, *(memory(number, *DB, session="test-2", minute=0) for number in (5, 6))])
    view = vault.parts.projections.view
    box_sealer = BoxSealer(BoxSettings())
    (box,) = box_sealer.seal(view, SOON, born=new)
    assert (box.seal, box.memories) == ("topic_shift", tuple(one.id for one in old))
    assert len(box_sealer.seal(view, LATER, born=new)) == 2
    assert len(box_sealer.seal(view, LATER, born=new, waiting=[box.session])) == 1
    assert box_sealer.seal(view, LATER, born=()) == []
    assert [(one.seal, len(one.lines)) for one in box_sealer.unsealed(view)] == [
        ("", 2),
        ("", 2),
    ]


def test_the_goal_of_a_box_is_what_the_user_said_first(vault: Vault) -> None:
    takes_every_turn(vault).capture(turns(3))
    vault.flush()
    consolidate(vault, changed=[])
    assert [box.goal for box in boxes(vault)] == ["The tokens0000 valve holds 0 bar."]


def test_what_is_forgotten_is_told_by_no_box_from_that_moment_on(vault: Vault) -> None:
    takes_every_turn(vault).capture(turns(3))
    vault.flush()
    consolidate(vault, changed=[])
    (before,) = boxes(vault)
    first, second, third = before.memories
    vault.forget(second)
    (box,) = boxes(vault)
    assert box.memories == (first, third)
    assert box.goal == before.goal
    vault.forget(first)
    (box,) = boxes(vault)
    assert box.memories == (third,)
    assert box.goal == ""
    vault.forget(third)
    assert boxes(vault) == []
    assert planned(vault) == []
    for _ in range(3):
        vault.undo()
    assert boxes(vault) == [before]


def test_a_box_takes_topics_from_those_that_are_left_and_keeps_a_title_of_the_person(
    vault: Vault,
) -> None:
    put(vault, talk(("secret", "plan"), ("secret", "plan"), ("tea",), ("tea",)))
    put(vault, [memory(number, "tea", "secret", session="test-2") for number in (4, 5)])
    box_sealer, view = BoxSealer(BoxSettings()), vault.parts.projections.view
    consolidate(vault)
    other = boxes(vault)[-1]
    left = box_sealer.without(other, [other.memories[0]], view)
    assert left is not None
    assert (left.title, left.topics) == ("Statement 5", ("tea", "secret"))
    mixed = replace(boxes(vault)[0], lines=(*boxes(vault)[0].lines, *boxes(vault)[1].lines))
    left = box_sealer.without(mixed, boxes(vault)[0].memories, view)
    assert left is not None
    assert (left.title, left.topics) == ("Statement 2", ("tea",))
    named = box_sealer.without(replace(mixed, title="Mine"), boxes(vault)[0].memories, view)
    assert named is not None
    assert named.title == "Mine"
