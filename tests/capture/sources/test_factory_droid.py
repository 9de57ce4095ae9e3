"""Factory Droid sessions: what becomes a turn, what does not, and reading on."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.factory_droid import FactoryDroid
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, check_nothing_raises, check_two_pieces, said
from tests.effort import examples


def read(data: bytes) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("file-name", Noon())
    return list(FactoryDroid().parse(io.BytesIO(data), reading)), reading


def read_on(data: bytes, reading: SourceReading) -> list[Turn]:
    later = SourceReading(reading.name, Noon(), reading.offset, reading.line, dict(reading.state))
    return list(FactoryDroid().parse(io.BytesIO(data), later))


def line(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def start(**more: object) -> bytes:
    fields = {"id": "s-1", "title": "Tea", "owner": "kim", "version": 2, "cwd": "/w/tea-shop"}
    return line(type="session_start", **{**fields, **more})


def message(role: object, *blocks: object, name: str | None = None, **more: object) -> bytes:
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    return line(
        type="message",
        id=name,
        timestamp="2026-03-06T10:00:01.250Z",
        message={"role": role, "content": content, **more},
    )


def test_a_session_gives_prompts_and_answers_with_their_tools() -> None:
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "/w/tea.py"}}
    turns, reading = read(
        start(sessionTitle="Tea shop\nmore")
        + message("user", "<system-reminder>x</system-reminder>", "Sell tea", name="m1")
        + message("assistant", {"type": "thinking", "thinking": "hm"}, call, name="m2")
        + message("user", {"type": "tool_result", "tool_use_id": "t", "content": "out"})
        + message("assistant", "I look.", call, call, name="m3")
        + line(type="todo_state", todos=[])
        + message("assistant", "Done.", name="m4")
    )
    assert said(turns) == [
        ("user", "Sell tea"),
        ("assistant", "I look."),
        ("assistant", "Done."),
    ]
    assert [turn.tools for turn in turns] == [(), ("Read tea.py",) * 3, ()]
    assert {(t.session, t.project, t.title, t.time) for t in turns} == {
        ("s-1", "tea-shop", "Tea shop", "2026-03-06T10:00:01Z")
    }
    assert turns[0].message == message_digest("factory-droid", "s-1", "m1")
    assert not reading.tally.unknown


def test_what_is_for_the_model_or_the_screen_alone_is_no_turn() -> None:
    for data in (
        message("user", "billing notice", visibility="user_only"),
        message("user", "context", visibility="llm_only"),
        message("assistant", "internal", visibility="llm_only"),
        line(type="message", visibility="user_only", message={"role": "user", "content": "x"}),
        message("user", "<system-reminder>x</system-reminder>"),
        message("user", {"type": "tool_result", "content": "out"}),
        message("assistant", {"type": "thinking", "thinking": "hm"}),
        message("user", "<engram-memory>x</engram-memory>"),
        message("system", "You are"),
        line(type="compaction_state", summary="x"),
    ):
        turns, reading = read(start() + data)
        assert turns == [], data
        assert not reading.tally.unknown


def test_the_prompts_of_a_sub_agent_are_no_turns() -> None:
    for key in ("callingSessionId", "callingToolUseId"):
        data = start(**{key: "parent"}) + message("user", "do it") + message("assistant", "Done.")
        assert said(read(data)[0]) == [("assistant", "Done.")]
    assert len(read(start(callingSessionId=None) + message("user", "do it"))[0]) == 1


def test_content_may_be_a_plain_string_and_ids_may_be_missing() -> None:
    plain = line(type="message", message={"role": "user", "content": "yes"})
    turns, _ = read(plain + plain)
    assert said(turns) == [("user", "yes")] * 2
    assert len({turn.message for turn in turns}) == 2
    assert {(turn.session, turn.time) for turn in turns} == {("file-name", "2026-05-01T12:00:00Z")}


def test_strange_lines_are_counted() -> None:
    _, reading = read(
        line(type="new")
        + line(type=["message"])
        + line(type="message", message="x")
        + message("wizard", "x")
        + message(["user"], "x")
        + b"{torn\n"
    )
    assert reading.tally.unknown == {
        "new": 1,
        "(none)": 1,
        "message without content": 1,
        "message of wizard": 1,
        "message of (none)": 1,
    }
    assert reading.tally.unparsed_lines == 1


def test_recognised_by_its_header() -> None:
    source = FactoryDroid()
    assert source.recognises(start())
    assert source.recognises(start(title="x" * 9000)[:4000])
    assert not source.recognises(message("user", "x"))
    assert not source.recognises(b'{"type":"session","version":3,"id":"s","timestamp":"t"}\n')
    assert not source.recognises(b'{"type":"session.start","data":{"sessionId":"s"}}\n')
    assert not source.recognises(b"# A note\n")
    assert not source.recognises(b"")


def test_its_home_is_where_the_environment_says() -> None:
    source, home = FactoryDroid(), Path("/home/kim")
    assert source.discover(home, {}) == [home / ".factory" / "sessions"]
    moved = source.discover(home, {"FACTORY_HOME_OVERRIDE": "/other"})
    assert moved == [Path("/other/.factory/sessions")]


_words = st.sampled_from(["yes", "no", "a\nb", "é", "<x>", ""])
_ids = st.none() | st.uuids().map(str)
_lines = st.one_of(
    st.builds(
        lambda role, text, name: message(role, text, name=name),
        st.sampled_from(["user", "assistant"]),
        _words,
        _ids,
    ),
    st.sampled_from([start(), b"{torn\n", line(type="todo_state")]),
)


@examples(40)
@given(st.lists(_lines, max_size=7), st.data())
def test_reading_in_two_pieces_finds_what_reading_at_once_does(
    parts: list[bytes], data: st.DataObject
) -> None:
    whole = b"".join(parts)
    check_two_pieces(read, read_on, whole, data.draw(st.integers(0, len(whole))))


_values = st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.none())
_strange = st.builds(
    lambda kind, fields: line(**{**fields, "type": kind}),
    st.sampled_from(["message", "session_start"]) | _values,
    st.dictionaries(
        st.sampled_from(["message", "id", "timestamp", "cwd", "title"]),
        _values
        | st.dictionaries(
            st.sampled_from(["role", "content", "visibility"]),
            _values | st.sampled_from(["user", "assistant"]),
        ),
    ),
)


@examples(40)
@given(st.lists(st.one_of(_strange, st.binary(max_size=40)), max_size=6))
def test_nothing_in_a_file_raises(parts: list[bytes]) -> None:
    check_nothing_raises(read, FactoryDroid(), b"".join(parts))
