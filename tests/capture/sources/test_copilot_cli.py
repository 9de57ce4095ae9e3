"""Copilot CLI event logs: what becomes a turn, what does not, and reading on."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.copilot_cli import CopilotCli
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, check_nothing_raises, check_two_pieces, said
from tests.effort import examples


def read(data: bytes) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("events", Noon())
    return list(CopilotCli().parse(io.BytesIO(data), reading)), reading


def read_on(data: bytes, reading: SourceReading) -> list[Turn]:
    later = SourceReading(reading.name, Noon(), reading.offset, reading.line, dict(reading.state))
    return list(CopilotCli().parse(io.BytesIO(data), later))


def event(kind: object, data: object, **more: object) -> bytes:
    fields = {"type": kind, "data": data, "timestamp": "2026-03-06T10:00:01.250Z", **more}
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"


def prompt(content: object, name: str | None = None, **more: object) -> bytes:
    return event("user.message", {"content": content, **more}, id=name)


def answer(content: object, name: str | None = None) -> bytes:
    return event("assistant.message", {"content": content, "toolRequests": []}, id=name)


def call(tool: object, arguments: object) -> bytes:
    return event("tool.execution_start", {"toolName": tool, "arguments": arguments})


START = event(
    "session.start",
    {"sessionId": "s-1", "startTime": "2026-03-06T09:59:59Z", "context": {"cwd": "/w/tea-shop"}},
)


def test_a_log_gives_prompts_and_answers_with_the_tools_that_were_run() -> None:
    turns, reading = read(
        START
        + event("hook.start", {"input": {"prompt": "Sell tea"}})
        + event("system.message", {"role": "system", "content": "You are"})
        + prompt("Sell tea", "e1", transformedContent="<now>x</now> Sell tea", source=None)
        + answer("", "e2")
        + call("bash", {"command": "git status"})
        + event("tool.execution_complete", {"result": {"content": "x"}})
        + answer("I look.", "e3")
        + call("edit", {"path": "/w/a/tea.py"})
        + event("session.title_changed", {"title": "Tea shop\nmore"})
        + answer("Done.", "e4")
        + event("session.shutdown", {})
    )
    assert said(turns) == [
        ("user", "Sell tea"),
        ("assistant", "I look."),
        ("assistant", "Done."),
    ]
    assert [turn.tools for turn in turns] == [(), ("bash git", "edit tea.py"), ()]
    assert {(t.session, t.project, t.time) for t in turns} == {
        ("s-1", "tea-shop", "2026-03-06T10:00:01Z")
    }
    assert turns[0].message == message_digest("copilot-cli", "s-1", "e1")
    assert (turns[0].title, turns[2].title) == ("", "Tea shop")
    assert not reading.tally.unknown


def test_what_was_not_typed_is_no_turn() -> None:
    for data in (
        prompt("a skill's body", source="skill-tea"),
        prompt("an agent's words", source="agent-peer"),
        prompt("go on", isAutopilotContinuation=True),
        prompt("a task", parentToolCallId="t"),
        event("user.message", {"content": "a task"}, agentId="sub"),
        prompt("<system-reminder>x</system-reminder>"),
        prompt(" "),
        prompt(None),
        prompt(["x"]),
        answer("<engram-memory>x</engram-memory>"),
        answer("\n"),
        event("assistant.reasoning", {"content": "thought"}),
    ):
        assert read(START + data)[0] == [], data
    assert said(read(prompt("typed", source="user"))[0]) == [("user", "typed")]


def test_messages_without_ids_are_named_by_their_time_and_words() -> None:
    turns, _ = read(prompt("yes") + prompt("yes") + prompt("no"))
    assert len({turn.message for turn in turns}) == 2
    assert turns[0].session == "events"


def test_a_missing_time_is_the_last_known_one_or_the_starts() -> None:
    untimed = event("user.message", {"content": "a"}, timestamp=None)
    assert read(untimed)[0][0].time == "2026-05-01T12:00:00Z"
    assert read(START + untimed)[0][0].time == "2026-03-06T09:59:59Z"
    assert read(prompt("b") + untimed)[0][1].time == "2026-03-06T10:00:01Z"


def test_unknown_types_and_torn_lines_are_counted() -> None:
    _, reading = read(
        event("session.new_thing", {})
        + event("user.message", "x")
        + event({"type": 1}, {})
        + event("hook.end", None)
        + b'{"type":"user.mess\n'
    )
    assert reading.tally.unknown == {
        "session.new_thing": 1,
        "user.message without data": 1,
        "(none)": 1,
    }
    assert reading.tally.unparsed_lines == 1


def test_recognised_by_its_events() -> None:
    source = CopilotCli()
    assert source.recognises(START)
    assert source.recognises(prompt("x"))
    assert source.recognises(START[:40])
    assert not source.recognises(b'{"type":"session","version":3,"id":"s","timestamp":"t"}\n')
    assert not source.recognises(b'{"type":"session_start","id":"s","cwd":"/w"}\n')
    assert not source.recognises(b'{"timestamp":"t","type":"event_msg","payload":{}}\n')
    assert not source.recognises(b'{"type":["user.message"],"data":{}}\n')
    assert not source.recognises(b"# A note\n")
    assert not source.recognises(b"")


def test_its_home_is_where_the_environment_says() -> None:
    source, home = CopilotCli(), Path("/home/kim")
    assert source.discover(home, {}) == [home / ".copilot" / "session-state"]
    assert source.discover(home, {"COPILOT_HOME": "/cfg"}) == [Path("/cfg/session-state")]


_words = st.sampled_from(["yes", "no", "a\nb", "é", "<x>", ""])
_ids = st.none() | st.uuids().map(str)
_lines = st.one_of(
    st.builds(prompt, _words, _ids),
    st.builds(answer, _words, _ids),
    st.just(call("bash", {"command": "ls"})),
    st.just(START),
    st.just(b"{torn\n"),
    st.builds(lambda one, two: one[:-1] + two, st.builds(prompt, _words), st.just(START)),
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
    event,
    st.sampled_from(["user.message", "assistant.message", "session.start"]) | _values,
    _values
    | st.dictionaries(
        st.sampled_from(["content", "source", "context", "sessionId", "toolName"]), _values
    ),
    timestamp=_values,
    id=_values,
)


@examples(40)
@given(st.lists(st.one_of(_strange, st.binary(max_size=40)), max_size=6))
def test_nothing_in_a_file_raises(parts: list[bytes]) -> None:
    check_nothing_raises(read, CopilotCli(), b"".join(parts))
