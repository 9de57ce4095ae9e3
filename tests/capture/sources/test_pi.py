"""Pi sessions: what becomes a turn, what does not, forks, and reading on."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.pi import Pi
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, check_nothing_raises, check_two_pieces, said
from tests.effort import examples

TIME = "2026-03-06T10:00:01.250Z"


def read(data: bytes) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("file-name", Noon())
    return list(Pi().parse(io.BytesIO(data), reading)), reading


def read_on(data: bytes, reading: SourceReading) -> list[Turn]:
    later = SourceReading(reading.name, Noon(), reading.offset, reading.line, dict(reading.state))
    return list(Pi().parse(io.BytesIO(data), later))


def line(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def header(name: str = "s-1", **more: object) -> bytes:
    fields = {"version": 3, "id": name, "timestamp": "2026-03-06T09:59:59Z", "cwd": "/w/tea-shop"}
    return line(type="session", **{**fields, **more})


def message(role: object, content: object, name: str | None = None, **more: object) -> bytes:
    inner = {"role": role, "content": content, "timestamp": 1_772_791_201_250}
    return line(**{"type": "message", "id": name, "timestamp": TIME, "message": inner, **more})


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


def test_a_session_gives_prompts_and_answers_with_their_tools() -> None:
    call = {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": "ls -l"}}
    turns, reading = read(
        header()
        + line(type="model_change", id="a", timestamp=TIME, modelId="m")
        + line(type="thinking_level_change", id="b", timestamp=TIME, thinkingLevel="off")
        + message("user", [text("Sell tea"), {"type": "image", "data": "x"}], "c1")
        + message("assistant", [{"type": "thinking", "thinking": "hm"}, call], "c2")
        + message("toolResult", [text("out")], "c3")
        + message("assistant", [text("I look."), call, text("And see.")], "c4")
        + line(type="session_info", id="d", timestamp=TIME, name="Tea shop")
        + message("user", "Thanks", "c5")
    )
    assert said(turns) == [
        ("user", "Sell tea"),
        ("assistant", "I look.\nAnd see."),
        ("user", "Thanks"),
    ]
    assert [turn.tools for turn in turns] == [(), ("bash ls", "bash ls"), ()]
    assert {(t.session, t.project, t.time) for t in turns} == {
        ("s-1", "tea-shop", "2026-03-06T10:00:01Z")
    }
    assert [turn.title for turn in turns] == ["", "", "Tea shop"]
    assert not reading.tally.unknown


def test_what_nobody_typed_is_no_turn() -> None:
    for data in (
        message("toolResult", [text("out")]),
        message("bashExecution", "ls"),
        message("custom", [text("from an extension")]),
        message("hookMessage", "x"),
        message("branchSummary", "x"),
        message("compactionSummary", "x"),
        message("user", "<system-reminder>x</system-reminder>"),
        message("assistant", [{"type": "thinking", "thinking": "hm"}]),
        message("assistant", "<engram-memory>x</engram-memory>"),
        line(type="custom_message", content="x", display=True),
        line(type="compaction", summary="x"),
        line(type="branch_summary", summary="x"),
    ):
        turns, reading = read(header() + data)
        assert turns == [], data
        assert not reading.tally.unknown


def test_the_copies_that_a_fork_makes_are_the_same_messages() -> None:
    copied = message("user", "Hello", "a1") + message("assistant", [text("Hi")], "a2")
    first, _ = read(header("one") + copied)
    fork, _ = read(
        header("two", parentSession="/w/one.jsonl") + copied + message("user", "x", "a3")
    )
    assert [turn.message for turn in fork[:2]] == [turn.message for turn in first]
    other, _ = read(header("three") + message("user", "Hello", "a1", timestamp="2026-04-01"))
    assert other[0].message != first[0].message


def test_messages_of_the_first_version_have_no_ids_and_may_have_no_time() -> None:
    untimed = line(type="message", message={"role": "user", "content": "yes"})
    turns, _ = read(header() + untimed + untimed)
    assert len({turn.message for turn in turns}) == 2
    assert {turn.time for turn in turns} == {"2026-03-06T09:59:59Z"}
    inner, _ = read(message("user", "yes", timestamp=None))
    assert (inner[0].time, inner[0].session) == ("2026-03-06T10:00:01Z", "file-name")


def test_strange_lines_are_counted() -> None:
    _, reading = read(
        line(type="new")
        + line(type={})
        + line(type="message", message=[1])
        + message("wizard", "x")
        + b"{torn\n"
    )
    assert reading.tally.unknown == {
        "new": 1,
        "(none)": 1,
        "message without content": 1,
        "message of wizard": 1,
    }
    assert reading.tally.unparsed_lines == 1


def test_recognised_by_its_header() -> None:
    source = Pi()
    assert source.recognises(header())
    assert source.recognises(line(type="session", id="v1", timestamp=TIME, cwd="/w"))
    assert source.recognises(header(cwd="x" * 9000)[:4000])
    assert not source.recognises(message("user", "x"))
    assert not source.recognises(b'{"type":"session_start","id":"s","cwd":"/w"}\n')
    assert not source.recognises(b'{"type":"session.start","data":{"sessionId":"s"}}\n')
    assert not source.recognises(b'{"type":["session"],"id":"s","timestamp":"t"}\n')
    assert not source.recognises(b"# A note\n")
    assert not source.recognises(b"")


def test_its_homes_are_where_the_environment_says() -> None:
    source, home = Pi(), Path("/home/kim")
    assert source.discover(home, {}) == [
        home / ".pi" / "agent" / "sessions",
        home / ".openclaw" / "agents",
    ]
    moved = {"PI_CODING_AGENT_DIR": "/pi", "OPENCLAW_STATE_DIR": "/claw"}
    assert source.discover(home, moved) == [Path("/pi/sessions"), Path("/claw/agents")]
    moved["PI_CODING_AGENT_SESSION_DIR"] = "/all"
    assert source.discover(home, moved)[0] == Path("/all")


_words = st.sampled_from(["yes", "no", "a\nb", "é", "<x>", ""])
_ids = st.none() | st.uuids().map(str)
_lines = st.one_of(
    st.builds(message, st.sampled_from(["user", "assistant", "toolResult"]), _words, _ids),
    st.sampled_from([header(), b"{torn\n", line(type="label", id="x")]),
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
    st.sampled_from(["message", "session", "session_info"]) | _values,
    st.dictionaries(
        st.sampled_from(["message", "id", "timestamp", "cwd", "name"]),
        _values
        | st.dictionaries(
            st.sampled_from(["role", "content", "timestamp"]),
            _values | st.sampled_from(["user", "assistant"]),
        ),
    ),
)


@examples(40)
@given(st.lists(st.one_of(_strange, st.binary(max_size=40)), max_size=6))
def test_nothing_in_a_file_raises(parts: list[bytes]) -> None:
    check_nothing_raises(read, Pi(), b"".join(parts))
