"""Cursor transcripts: what is typed in them, names without ids, reading on."""

from __future__ import annotations

import io
import json
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.cursor import CursorEditor
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, said
from tests.effort import examples

LONG = "We always write prices in cents and never in euros."


def read(
    data: bytes, before: SourceReading | None = None, path: str = "", name: str = "c-1"
) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(name, Noon(), path=PurePath(path))
    if before is not None:
        reading = SourceReading(
            name, Noon("2027-01-01T00:00:00Z"), before.offset, before.line, dict(before.state)
        )
    return list(CursorEditor().parse(io.BytesIO(data), reading)), reading


def line(role: str, *blocks: object) -> bytes:
    content = [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]
    return json.dumps({"role": role, "message": {"content": content}}).encode() + b"\n"


def asked(words: str) -> bytes:
    return line("user", f"<user_query>\n{words}\n</user_query>")


def call(name: str, **arguments: object) -> dict[str, object]:
    return {"type": "tool_use", "name": name, "input": arguments}


def test_prompts_answers_and_their_tools() -> None:
    turns, reading = read(
        asked("We sell tea.")
        + line("assistant", call("Read", path="/w/app.py"))
        + line("assistant", "**Planning the table**", call("Shell", command="ls -l"))
        + line("assistant", call("Write", path="/w/b.py"))
        + b'{"type":"turn_ended","status":"success"}\n'
        + line("assistant", "Done.")
    )
    assert said(turns) == [
        ("user", "We sell tea."),
        ("assistant", "**Planning the table**"),
        ("assistant", "Done."),
    ]
    assert turns[1].tools == ("Read app.py", "Shell ls", "Write b.py")
    assert {turn.session for turn in turns} == {"c-1"}
    assert (reading.tally.lines, reading.tally.unknown) == (6, {})


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        (
            "<external_links>\nWe like coffee\n</external_links>\n<user_query>tea</user_query>",
            "tea",
        ),
        ("<user_query>a</user_query>\n<rules>x</rules>\n<user_query>b</user_query>", "a\nb"),
        ("<user_query>why <user_query> here?</user_query>", "why <user_query> here?"),
        ("<user_query>what is </user_query> for?</user_query>", "what is </user_query> for?"),
        ("<user_query>no end", "no end"),
        ("<user_query></user_query>", ""),
        ("<user_query><system-reminder>x</system-reminder>a</user_query>", "a"),
        ("<timestamp>x</timestamp>\nno query around it", "no query around it"),
        ("<attached_files>x</attached_files> <image_files a='1'>y</image_files>", ""),
        ("<system_notification>The task has finished.</system_notification>", ""),
        ("plain <b>words</b>", "plain <b>words</b>"),
        ("", ""),
    ],
)
def test_what_is_typed_stands_in_the_query_or_outside_of_all_blocks(
    written: str, typed: str
) -> None:
    assert "\n".join(turn.text for turn in read(line("user", written))[0]) == typed


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        ("Monday, Oct 5, 2026, 9:05 PM (UTC-5:30)", "2026-10-06T02:35:00Z"),
        ("Thursday, Jan 1, 2026, 12:00 AM (UTC)", "2026-01-01T00:00:00Z"),
        ("Mar 6, 2026, 12:30 PM (UTC+1)", "2026-03-06T11:30:00Z"),
        ("Mar 66, 2026, 12:30 PM (UTC+1)", "2026-05-01T12:00:00Z"),
        ("Mär 6, 2026, 12:30 PM (UTC+1)", "2026-05-01T12:00:00Z"),
        ("Mar 6, 2026, 12:30 PM (UTC+99)", "2026-05-01T12:00:00Z"),
    ],
)
def test_a_timestamp_before_the_query_is_its_time(stamp: str, time: str) -> None:
    wrapped = f"<timestamp>{stamp}</timestamp>\n<user_query>\ntea\n</user_query>"
    turns, _ = read(line("user", wrapped) + line("assistant", "ok"))
    assert [turn.time for turn in turns] == [time, time]
    quoted = f"<user_query><timestamp>{stamp}</timestamp> is odd</user_query>"
    assert read(line("user", quoted))[0][0].time == "2026-05-01T12:00:00Z"


def test_without_times_all_are_of_the_first_capture() -> None:
    data = asked("a") + line("assistant", "b")
    first, reading = read(data)
    rest, _ = read(data + asked("c"), reading)
    assert {turn.time for turn in first + rest} == {"2026-05-01T12:00:00Z"}
    assert [turn.text for turn in rest] == ["c"]


def test_short_messages_are_named_by_their_line_and_long_ones_by_their_words() -> None:
    turns, _ = read(asked("yes") + asked("yes") + asked(LONG) + asked(LONG))
    names = [turn.message for turn in turns]
    assert names[0] != names[1]
    assert names[2] == names[3]
    other, _ = read(asked("yes"), name="c-2")
    assert other[0].message != names[0]


def test_sub_agents_transcripts_hold_no_turns() -> None:
    path = "/h/.cursor/projects/x/agent-transcripts/c-1/subagents/c-2.jsonl"
    assert read(asked("task"), path=path)[0] == []
    assert len(read(asked("task"), path="/subagents/agent-transcripts/c-2.jsonl")[0]) == 1


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("home-kim-shop", "shop"),
        ("home-kim-tea-shop", ""),
        ("home-kim-1749", ""),
        ("1749", ""),
        ("srv-shop", ""),
        ("home-kim-", ""),
    ],
)
def test_the_project_is_known_only_where_the_folder_can_mean_but_one(
    folder: str, project: str
) -> None:
    path = f"/home/kim/.cursor/projects/{folder}/agent-transcripts/c-1/c-1.jsonl"
    assert read(asked("a"), path=path)[0][0].project == project
    assert read(asked("a"), path=f"/backup/{folder}/agent-transcripts/c.jsonl")[0][0].project == ""


def test_unknown_lines_are_counted() -> None:
    data = b'{"role":"oracle"}\n{"type":"beep"}\n{"type":[]}\n[]\n{"role":"user","message":5}\n{\n'
    turns, reading = read(data)
    assert turns == []
    assert reading.tally.unknown == {"oracle": 1, "beep": 1, "(none)": 1}
    assert reading.tally.unparsed_lines == 2


def test_where_transcripts_and_databases_are() -> None:
    home = Path("/home/kim")
    found = CursorEditor().discover(home, {})
    assert found[0] == home / ".cursor" / "projects"
    store = Path("Cursor", "User", "globalStorage", "state.vscdb")
    assert found[1:] == [
        home / ".config" / store,
        home / "Library" / "Application Support" / store,
        home / "AppData" / "Roaming" / store,
    ]
    moved = CursorEditor().discover(home, {"APPDATA": "/a", "XDG_CONFIG_HOME": "/x"})
    assert moved[1] == Path("/x") / store
    assert moved[3] == Path("/a") / store


def test_recognised_by_a_role_beside_a_message_and_nothing_else() -> None:
    source = CursorEditor()
    assert source.recognises(asked("a"))
    assert source.recognises(b'{"type":"turn_ended"}\n' + line("assistant", "x"))
    assert source.recognises(asked("x" * 200_000)[:65_536])
    for other in (
        {"role": "user", "content": "x"},
        {"role": "user", "message": "x"},
        {"type": "message", "id": "1", "message": {"role": "user", "content": []}},
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": "x"}},
        {"role": "user", "message": {"content": []}, "uuid": "u"},
        {"type": [], "role": {}},
    ):
        assert not source.recognises(json.dumps(other).encode())
    assert not source.recognises(b"words")


_words = st.sampled_from(["", "yes", "no", LONG, "<user_query>a</user_query>", "<rules>x"])
_block = st.builds(lambda words: {"type": "text", "text": words}, _words | st.integers()) | st.just(
    {"type": "tool_use", "name": "Read", "input": {"path": "/a"}}
)
_line = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "x"])},
    optional={
        "message": st.fixed_dictionaries(
            {"content": st.lists(_block, max_size=3) | st.text(max_size=5) | st.integers()}
        ),
        "type": st.sampled_from(["turn_ended", "y"]) | st.lists(st.integers(), max_size=1),
    },
)


@examples(50)
@given(st.lists(_line, max_size=7), st.data())
def test_two_readings_find_the_same_messages_as_one(
    lines: list[object], data: st.DataObject
) -> None:
    whole = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    cut = data.draw(st.integers(0, len(whole)))
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    rest, _ = read(whole, reading)
    assert [(turn.message, turn.text) for turn in first + rest] == [
        (turn.message, turn.text) for turn in once
    ]


@examples(40)
@given(st.binary(max_size=120))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)
    read(b"SQLite format 3\0" + data)
    CursorEditor().recognises(data)
