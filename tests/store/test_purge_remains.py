"""What a page shows of a purged memory goes; every other byte stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.commits.purge_remains import PurgeRemains
from engram.store.files.box_file import render_box
from engram.store.files.entity_file import render_entity
from tests.kit import box, entity

TEXT = "The blue door key hangs behind the oven."
REMAINS = PurgeRemains.of(["fact-1"], [TEXT, "behind the oven!"])
BOX, PERSON = "boxes/2026-03-06/box-a.md", "entities/person-kim.md"

LINES = st.sampled_from(
    [
        "- [[fact-1]] The blue door\n", "- [[facts/x/fact-1|key]]\n", "The BLUE door, key hangs\n",
        "- [[fact-2]] The blue door key hangs behind the oven.\n", "My own line.\n", "\n", "---\n",
        "goal: The blue door key hangs behind the oven.\n", "id: fact-1\n", "## Timeline\n", "\r\n",
        "- 2026-03-06 [[fact-1]] x\n", "- 2026-03-06 [[fact-2]] y\n", "seal: time_gap\n", "```\n",
    ]
)  # fmt: skip
PAGES = st.one_of(
    st.binary(max_size=80), st.lists(LINES, max_size=12).map(lambda lines: "".join(lines).encode())
)


@given(st.sampled_from([BOX, PERSON, "profile.md"]), PAGES)
def test_whatever_a_page_holds_no_link_is_left_and_twice_is_once(path: str, data: bytes) -> None:
    once = REMAINS.without(path, data) or b""
    assert b"[[fact-1]]" not in once and b"[[fact-1|" not in once
    assert REMAINS.without(path, once) == once


@given(st.sampled_from([BOX, PERSON, "profile.md"]), PAGES)
def test_a_memory_that_no_page_knows_changes_nothing(path: str, data: bytes) -> None:
    stranger = PurgeRemains.of(["fact-9"], ["Nobody ever wrote this here."])
    assert stranger.without(path, data) == data


def test_the_line_of_another_memory_is_its_own() -> None:
    line = b"- [[fact-2]] The blue door key hangs behind the oven.\n"
    assert REMAINS.without("profile.md", line) == line
    assert REMAINS.without("profile.md", line.replace(b"- [[fact-2]]", b"-")) == b""


def test_the_line_of_another_memory_loses_words_that_nothing_else_says() -> None:
    rare = replace(REMAINS, rare=frozenset(["zqoven"]))
    line = b"- [[fact-2]] The zqoven is hot.\n"
    assert rare.without("profile.md", line) == b"- [[fact-2]] The (purged) is hot.\n"
    whole = render_box(box("box-a", "fact-2")).replace(b"[[fact-2]] ", b"[[fact-2]] zqoven ")
    kept = rare.without(BOX, whole)
    assert kept is not None and b"zqoven" not in kept and b"[[fact-2]] (purged)" in kept


def test_short_words_are_no_reason_to_take_others_lines() -> None:
    short = PurgeRemains.of(["fact-1"], ["Yes.\nTimeline"])
    data = b"Yes, she said.\nyes\n## Timeline\n"
    assert short.without("profile.md", data) == b"Yes, she said.\n## Timeline\n"


def test_the_goal_of_a_box_is_a_whole_turn_on_one_line() -> None:
    turn = "hi\nthe key is blue\nand it hangs there"
    whole = render_box(box("box-a", "fact-2", goal=" ".join(turn.split())[:22]))
    assert PurgeRemains.of(["fact-1"], [turn]).without(BOX, whole) == render_box(
        box("box-a", "fact-2")
    )


def test_a_shortened_line_is_recognised() -> None:
    text = "The blue door key hangs behind the " + "very " * 40 + "hot oven."
    said = "Outcome: The blue door key hangs behind the very very very…\n".encode()
    assert PurgeRemains.of(["fact-1"], [text]).without("profile.md", said) == b""


def test_a_box_counts_and_says_what_is_left() -> None:
    whole = box("box-a", "fact-1", "fact-2", goal=TEXT, outcome=TEXT)
    left = box("box-a", "fact-2")
    assert REMAINS.without(BOX, render_box(whole)) == render_box(left)


@pytest.mark.parametrize("person", [False, True])
def test_an_entity_loses_the_lines_that_rest_on_it(person: bool) -> None:
    whole = entity(
        "person-kim", "fact-1", "fact-2", relations=(("tool-key", "has", "fact-1"),),
        synthesis=f"{TEXT}\nKim bakes.", synthesis_by="model",
    )  # fmt: skip
    data = render_entity(whole)
    if person:
        data = data.replace(b"Kim bakes.", b"Kim bakes bread.")
    left = REMAINS.without(PERSON, data).decode()
    assert "oven" not in left and "fact-1" not in left and "tool-key" not in left
    assert "[[fact-2]]" in left and "Kim bakes" in left


def test_a_header_that_cannot_be_read_does_not_keep_it() -> None:
    data = b"---\nid: [\nx: {\n---\n- [[fact-1]] The blue door\nMine.\n"
    assert REMAINS.without(BOX, data) == b"---\nid: [\nx: {\n---\nMine.\n"
