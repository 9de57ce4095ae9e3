"""Memories of one conversation become boxes: where one ends, why, and that none is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.memory import Memory
from engram.model.settings import BoxSettings
from engram.model.turn import turn_of
from engram.weave.boxes import fold, goal_of, line_of, topics_of, weave
from tests.weave.yarn import SESSION, START, memory, talk

SETTINGS = BoxSettings()
DB, COOKING = ("postgres", "database"), ("bread", "oven")
LATER = "2026-03-07T00:00:00Z"


def seals(memories: Sequence[Memory], **more: object) -> list[tuple[str, int]]:
    """Why the boxes of a conversation that is over were sealed, and how much they hold."""
    settings = SETTINGS._replace(**more)  # type: ignore[arg-type]
    sealed, left = fold(memories, settings, seal="shutdown")
    assert left is None
    return [(box.seal, len(box.lines)) for box in sealed]


def test_topics_are_tags_and_entities_but_no_categories() -> None:
    one = memory(1, "Postgres", "decision", "a, b")
    one = replace(one, entities=("tool-postgres", "person-mara-holt", "李雷"))
    assert topics_of(one) == ("postgres", "a, b", "mara-holt", "李雷")


def test_a_box_ends_where_another_subject_begins() -> None:
    assert seals(talk(DB, DB, COOKING, COOKING)) == [("topic_shift", 2), ("shutdown", 2)]


def test_a_box_ends_after_a_gap_whatever_comes_then() -> None:
    late = [memory(number, *COOKING, minute=31 + number) for number in (2, 3)]
    assert seals([*talk(DB, DB), *late]) == [("time_gap", 2), ("shutdown", 2)]


@pytest.mark.parametrize(("minutes", "boxes"), [(29.9, 1), (30, 2)])
def test_a_gap_is_a_gap_from_the_minute_on_that_is_set(minutes: float, boxes: int) -> None:
    assert len(seals([memory(0, *DB, minute=0), memory(1, *DB, minute=minutes)])) == boxes


def test_a_box_holds_no_more_than_it_may() -> None:
    same = talk(*[DB] * 7)
    assert seals(same, max_memories=3) == [
        ("max_memories", 3), ("max_memories", 3), ("shutdown", 1),
    ]  # fmt: skip


def test_a_remark_is_no_new_subject() -> None:
    assert seals(talk(DB, DB, COOKING, DB, DB)) == [("shutdown", 5)]


def test_the_border_is_before_the_first_memory_that_is_off_the_subject() -> None:
    wide, other = tuple("abcdef"), tuple("pqrs")
    assert seals(talk(wide, wide, ("a", "x"), other, other)) == [
        ("topic_shift", 3),
        ("shutdown", 2),
    ]


def test_what_shares_just_enough_is_no_shift() -> None:
    assert seals(talk(DB, DB, ("x",), ("postgres",)), topic_shift=0.5) == [("shutdown", 4)]


def test_sentences_that_share_no_words_have_no_subject_to_leave() -> None:
    scattered = [(f"{name}-1", f"{name}-2") for name in "abcdefgh"]
    assert seals(talk(*scattered)) == [("shutdown", 8)]


def test_a_narrow_question_on_the_same_subject_stays_in_the_box() -> None:
    wide = tuple(f"topic-{number}" for number in range(16))
    assert seals(talk(wide, wide, wide[3:6], wide[9:11], wide[:1])) == [("shutdown", 5)]


def test_memories_without_topics_never_shift() -> None:
    assert seals(talk(DB, DB, (), (), (), DB)) == [("shutdown", 6)]


def test_what_one_message_taught_stays_together() -> None:
    several = [memory(number, *DB, message="one") for number in (0, 1)]
    several += [memory(number, *COOKING, message="one") for number in (2, 3)]
    assert seals(several) == [("shutdown", 4)]


def test_a_shift_is_seen_when_enough_came_after_it_and_not_before() -> None:
    memories = talk(DB, DB, COOKING, COOKING, COOKING)
    assert fold(memories[:4], SETTINGS)[0] == []
    sealed, left = fold(memories, SETTINGS)
    assert [box.seal for box in sealed] == ["topic_shift"]
    assert left is not None
    assert left.seal == ""
    assert left.memories == tuple(one.id for one in memories[2:])


def test_what_has_no_source_or_no_time_belongs_to_no_box() -> None:
    stray = [replace(memory(1), sources=()), replace(memory(2), created="")]
    assert fold(stray, SETTINGS) == ([], None)
    assert weave(stray, SETTINGS, LATER) == ([], [])


def test_a_box_says_what_was_talked_of() -> None:
    memories = talk(("writing-style", "reports"), ("reports",))
    memories[1] = replace(memories[1], extra=(("outcome", "It ships\non Friday."),))
    goal = "  Agree how the report\nshould look. " + "x" * 200
    (box,), _ = weave(
        memories,
        SETTINGS,
        LATER,
        beginning=lambda name: [turn_of("user", goal, START)] * (name == SESSION),
    )
    assert box.goal == "Agree how the report should look."
    assert box.outcome == "It ships on Friday."
    assert (box.created, box.sealed) == (START, "2026-03-06T10:01:00Z")
    assert box.lines == tuple((one.id, one.text) for one in memories)


def test_a_goal_ends_at_a_word_and_within_no_bracket() -> None:
    said = "please send the offer to the people of the choir and to the neighbours on the left"
    assert goal_of(f"{said} side of the street") == f"{said} side of the"
    assert goal_of(f"{said} (Sofie, Anna and Jonas with his dog)") == said
    assert goal_of("short (Sofie") == "short (Sofie"
    assert goal_of("x" * 200) == "x" * 100


def test_a_line_of_a_box_is_inert() -> None:
    text = "\n[[forged]] ^abc\nmore"
    assert line_of(replace(memory(1), text=text)) == r"\[\[forged]] \^abc"


def test_sessions_and_projects_have_boxes_of_their_own() -> None:
    memories = [
        memory(0, *DB), memory(1, *COOKING, session="test-2"), memory(2, *DB),
        memory(3, *COOKING, project="home"), memory(4, *COOKING, session="test-2"),
    ]  # fmt: skip
    sealed, left = weave(memories, SETTINGS, START)
    assert not sealed
    assert [len(box.lines) for box in left] == [2, 2, 1]


def test_silence_seals_unless_more_is_to_come() -> None:
    now = "2026-03-06T10:31:00Z"
    assert weave(talk(DB, DB), SETTINGS, "2026-03-06T10:30:59Z")[0] == []
    assert [box.seal for box in weave(talk(DB, DB), SETTINGS, now)[0]] == ["time_gap"]
    assert weave(talk(DB, DB), SETTINGS, now, waiting=[SESSION])[0] == []
    (box,), _ = weave(talk(DB, DB), SETTINGS, now, seal="shutdown", waiting=[SESSION])
    assert box.seal == "shutdown"


topics = st.lists(st.sampled_from("abcdef"), max_size=3, unique=True)
steps = st.tuples(topics, st.sampled_from([0, 1, 7, 31]), st.booleans())
ways = st.builds(
    BoxSettings,
    topic_shift=st.sampled_from([0.0, 0.35, 0.99]),
    max_memories=st.integers(1, 5),
)


@st.composite
def talks(draw: st.DrawFn) -> list[Memory]:
    """A conversation, its memories in the order in which they were said."""
    made: list[Memory] = []
    minute = 0
    for number, (about, pause, again) in enumerate(draw(st.lists(steps, max_size=14))):
        minute += pause
        message = made[-1].sources[0].partition("^")[2] if again and made else f"m{number}"
        made.append(memory(number, *about, minute=minute, message=message))
    return made


@given(talks(), ways, st.sampled_from(["", "consolidation"]), st.randoms())
def test_every_memory_is_in_one_box_whatever_order_they_come_in(
    memories: list[Memory], settings: BoxSettings, seal: str, random: object
) -> None:
    sealed, left = fold(memories, settings, seal=seal)
    boxes = [*sealed, *([left] if left else [])]
    assert [name for box in boxes for name in box.memories] == [one.id for one in memories]
    assert all(0 < len(box.lines) <= settings.max_memories for box in sealed)
    assert len({box.id for box in boxes}) == len(boxes)
    shuffled = list(memories)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fold(shuffled, settings, seal=seal) == (sealed, left)


@given(talks(), ways, st.data())
def test_parts_folded_one_after_another_give_the_boxes_of_the_whole(
    memories: list[Memory], settings: BoxSettings, data: st.DataObject
) -> None:
    sealed, unboxed, done = [], [], 0
    while done < len(memories):
        size = data.draw(st.integers(1, 5))
        unboxed += memories[done : done + size]
        done += size
        new, _ = fold(unboxed, settings)
        held = {name for box in new for name in box.memories}
        unboxed = [one for one in unboxed if one.id not in held]
        sealed += new
    whole, open_at_last = fold(memories, settings)
    assert sealed == whole
    assert tuple(one.id for one in unboxed) == (open_at_last.memories if open_at_last else ())


@given(talks(), ways, st.integers(0, 14))
def test_a_box_that_is_sealed_early_takes_nothing_from_those_that_follow(
    memories: list[Memory], settings: BoxSettings, cut: int
) -> None:
    early, _ = fold(memories[:cut], settings, seal="consolidation")
    rest, _ = fold(memories[cut:], settings, seal="shutdown")
    held = [name for box in (*early, *rest) for name in box.memories]
    assert held == [one.id for one in memories]
    assert len({box.id for box in (*early, *rest)}) == len(early) + len(rest)
