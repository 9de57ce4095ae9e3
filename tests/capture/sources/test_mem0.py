"""Memories of mem0: the forms of its answers, names, times, projects."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources import recognise
from engram.capture.sources.mem0 import Mem0
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples

NOON = "2026-05-01T12:00:00Z"


def read(data: bytes) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("export", Noon())
    return list(Mem0(1_000_000).parse(io.BytesIO(data), reading)), reading


def written(value: object) -> bytes:
    return json.dumps(value).encode()


def memory(text: str = "Likes green tea.", **more: object) -> dict[str, object]:
    return {
        "id": "m1", "memory": text, "user_id": "kim", "metadata": None, "categories": ["food"],
        "created_at": "2026-03-06T10:00:00.123-08:00", "updated_at": "2026-04-01T10:00:00Z", **more,
    }  # fmt: skip


ONE, TWO = memory(), memory("Works at Acme.", id="m2")


@pytest.mark.parametrize(
    "data",
    [
        written({"count": 2, "next": None, "results": [ONE, TWO], "relations": []}),
        written([ONE, TWO]),
        written(ONE) + b"\n" + written(TWO) + b"\n",
        json.dumps({"memories": [ONE, TWO]}, indent=2).encode(),
    ],
)
def test_each_memory_is_a_turn_of_the_user(data: bytes) -> None:
    turns, reading = read(data)
    assert [(t.session, t.role, t.text, t.time, t.project) for t in turns] == [
        ("kim", "user", "Likes green tea.", "2026-03-06T18:00:00Z", ""),
        ("kim", "user", "Works at Acme.", "2026-03-06T18:00:00Z", ""),
    ]
    assert reading.tally.lines == 2
    assert not reading.tally.unknown
    assert recognise(data, ".json").name == "mem0"  # type: ignore[union-attr]


@pytest.mark.parametrize("key", ["text", "data"])
def test_the_old_names_of_the_statement(key: str) -> None:
    old = {"id": 7, key: "Likes tea.", "hash": "x"}
    turns, _ = read(written({"memories": [old]}))
    assert [(t.text, t.session, t.time) for t in turns] == [("Likes tea.", "mem0", NOON)]
    assert Mem0().recognises(written({"memories": [old]}))


def test_a_session_is_the_user_or_else_the_run() -> None:
    assert read(written([memory(user_id=None, run_id="r1")]))[0][0].session == "r1"
    assert read(written([memory(user_id=" ", run_id=None)]))[0][0].session == "mem0"


def test_a_changed_memory_is_a_new_message_and_an_equal_one_the_same() -> None:
    first, again, changed, other = (
        read(written([one]))[0][0].message
        for one in (memory(), memory(updated_at=None), memory("Likes black tea."), memory(id="x"))
    )
    assert first == again
    assert len({first, changed, other}) == 3


@pytest.mark.parametrize(
    ("more", "project"),
    [
        ({"metadata": {"project": "Tea Shop"}}, "Tea Shop"),
        ({"metadata": {"app_id": "tea-shop"}}, "tea-shop"),
        ({"app_id": "tea.shop"}, "tea.shop"),
        ({"metadata": {"project": "/home/kim/tea"}, "app_id": "tea"}, "tea"),
        ({"metadata": {"project": "6f9619ff-8b86-d011-b42d-00c04fc964ff"}}, ""),
        ({"metadata": {"project": "two\nlines"}}, ""),
        ({"metadata": {"project": ["x"]}, "app_id": 7}, ""),
    ],
)
def test_a_project_is_a_plain_name(more: dict[str, Any], project: str) -> None:
    assert read(written([memory(**more)]))[0][0].project == project


def test_what_the_assistant_said_is_not_the_users() -> None:
    assert read(written([memory(role="assistant")]))[0][0].role == "assistant"
    assert read(written([memory(role="user")]))[0][0].role == "user"


def test_what_is_no_memory_is_counted() -> None:
    turns, reading = read(written([{"id": "x"}, 3, memory(""), memory()]) + b"\n{torn")
    assert len(turns) == 1
    assert reading.tally.unknown == {"no memory": 3}
    assert reading.tally.unparsed_lines == 1


def test_other_formats_are_not_claimed() -> None:
    others: list[object] = [
        {"role": "user", "content": "x", "memory": "y", "metadata": {}},
        {"type": "entity", "name": "x", "observations": []},
        {"results": []},
        {"results": [{"text": "x"}]},
        {"text": "x", "metadata": {}},
        {"memory": {"total": 5}},
        [1],
    ]
    for other in others:
        assert not Mem0().recognises(written(other))
    assert Mem0().recognises(written([memory()] * 3)[:300])
    assert not Mem0().recognises(b"")


_junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["results", "memory", "text", "id", "user_id", "run_id", "metadata", "project",
                 "created_at", "role"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)  # fmt: skip


@examples(40)
@given(_junk, st.binary(max_size=20))
def test_nothing_raises_and_reading_again_finds_the_same(document: object, rest: bytes) -> None:
    data = json.dumps(document).encode() + rest
    Mem0().recognises(data)
    turns, _ = read(data)
    assert read(data)[0] == turns


@examples(15)
@given(st.lists(st.sampled_from(["yes", "no", "Ünd 😀"]), max_size=6), st.data())
def test_two_readings_cut_anywhere_find_the_messages_of_one(
    texts: list[str], data: st.DataObject
) -> None:
    whole = b"".join(written(memory(text, id=n)) + b"\n" for n, text in enumerate(texts))
    cut = data.draw(st.integers(0, len(whole)))
    once = [turn.message for turn in read(whole)[0]]
    first = [turn.message for turn in read(whole[:cut])[0]]
    assert first == once[: len(first)]
    assert len(set(once)) == len(texts)
