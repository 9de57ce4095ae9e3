"""Generic JSON Lines: keys and their other names, and what is counted."""

from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.jsonl import JsonLines
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon
from tests.effort import examples


def read(data: bytes) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("talk", Noon())
    return list(JsonLines().parse(io.BytesIO(data), reading)), reading


def lines(*objects: object) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode()


def test_role_content_time_session_and_project_are_read() -> None:
    turns, _ = read(
        lines(
            {
                "role": "user",
                "content": "Hello",
                "timestamp": "2026-03-06T10:00:00+01:00",
                "session": "s1",
                "project": "/home/kim/Tea Shop/",
            },
            {"role": "assistant", "content": "Hi", "timestamp": 1_772_787_601, "session": 7},
        )
    )
    assert [(t.role, t.text, t.time, t.session, t.project) for t in turns] == [
        ("user", "Hello", "2026-03-06T09:00:00Z", "s1", "Tea Shop"),
        ("assistant", "Hi", "2026-03-06T09:00:01Z", "7", ""),
    ]


def test_the_other_names_of_keys_and_roles_mean_the_same() -> None:
    turns, reading = read(
        lines(
            {"role": "human", "text": "a", "time": "2026-03-06"},
            {"role": "AI", "message": "b", "ts": 1_772_755_200_000},
            {"role": "model", "content": ["c", {"type": "text", "text": "d"}], "created_at": 1},
            {"role": "user", "content": [{"type": "image"}, {"text": "e"}, {"type": "text"}, 5]},
            {"role": "Participant", "content": "f", "author": "Tom", "time": 2},
        )
    )
    assert [(t.role, t.text, t.time) for t in turns] == [
        ("user", "a", "2026-03-06T00:00:00Z"),
        ("assistant", "b", "2026-03-06T00:00:00Z"),
        ("assistant", "c\nd", "1970-01-01T00:00:01Z"),
        ("user", "e", "1970-01-01T00:00:01Z"),
        ("participant", "f", "1970-01-01T00:00:02Z"),
    ]
    assert turns[-1].speaker == "Tom"
    assert {turn.session for turn in turns} == {"talk"}
    assert not reading.tally.unknown


def test_other_roles_say_nothing_and_strange_objects_are_counted() -> None:
    turns, reading = read(
        lines(
            {"role": "system", "content": "You are"},
            {"role": "tool", "content": "out"},
            {"type": "event"},
            {"role": "wizard", "content": "x"},
            {"role": ["user"], "content": "x"},
            {"role": "user", "content": {"deep": 1}},
            {"role": "user", "content": "<system-reminder>x</system-reminder>"},
            [1],
        )
        + b'{"role":"user","content":"torn\n'
    )
    assert turns == []
    assert reading.tally.unknown == {
        "event": 1,
        "wizard": 1,
        "(none)": 1,
        "user without content": 1,
    }
    assert reading.tally.unparsed_lines == 2


def test_a_second_yes_is_another_message_but_a_copy_with_its_time_is_not() -> None:
    yes = {"role": "user", "content": "yes"}
    bare, _ = read(lines(yes, yes))
    timed, _ = read(lines({**yes, "ts": 1}, {**yes, "ts": 1}, {**yes, "ts": 2}))
    assert len({turn.message for turn in bare}) == 2
    assert len({turn.message for turn in timed}) == 2


def test_one_id_on_many_messages_hides_none_of_them() -> None:
    turns, _ = read(
        lines(*({"id": "conversation", "role": "user", "content": text} for text in "abc"))
    )
    assert len({turn.message for turn in turns}) == 3


def test_glued_objects_and_a_last_line_without_newline_are_taken() -> None:
    one = json.dumps({"role": "user", "content": "a"}).encode()
    turns, reading = read(one + one.replace(b'"a"', b'"b"') + b"\n" + one.replace(b'"a"', b'"c"'))
    assert [turn.text for turn in turns] == ["a", "b", "c"]
    assert reading.offset == 3 * len(one) + 1


def test_recognised_by_a_role_with_content() -> None:
    assert JsonLines().recognises(lines({"role": "human", "text": "x"}))
    assert not JsonLines().recognises(lines({"type": "user", "text": "x"}))
    assert not JsonLines().recognises(b"plain words")


_object = st.dictionaries(
    st.sampled_from(["role", "content", "text", "time", "session", "id", "project"]),
    st.none()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["user", "assistant"])
    | st.lists(st.text(max_size=4), max_size=2),
    max_size=6,
)


@examples(40)
@given(st.lists(_object | st.just({"role": "user", "content": "yes"}), max_size=6), st.data())
def test_two_readings_find_the_same_messages_as_one(
    objects: list[object], data: st.DataObject
) -> None:
    whole = lines(*objects)
    cut = data.draw(st.integers(0, len(whole)))
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    later = SourceReading("talk", Noon(), reading.offset, reading.line, dict(reading.state))
    rest = list(JsonLines().parse(io.BytesIO(whole), later))
    assert [turn.message for turn in first + rest] == [turn.message for turn in once]


@examples(25)
@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    _, reading = read(data)
    assert reading.offset <= len(data)
