"""Gemini CLI chats: both forms, what is typed and what the program puts in, growing files."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.gemini_cli import GeminiCli
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from tests.capture.sources.reader import Noon, said
from tests.effort import examples

SESSION = "5b0f2c11-0000-4000-8000-00000000c0de"
HEADER = {
    "sessionId": SESSION,
    "projectHash": "ab" * 32,
    "startTime": "2026-03-06T10:00:00.000Z",
    "lastUpdated": "2026-03-06T10:00:00.000Z",
}
HASH = "0f" * 32


def read(
    data: bytes, state: dict[str, str] | None = None, path: PurePath | None = None
) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("session-x", Noon(), state=dict(state or {}), path=path or PurePath())
    return list(GeminiCli().parse(io.BytesIO(data), reading)), reading


def message(kind: str, content: object, name: str = "", **more: object) -> dict[str, object]:
    own = {"id": name} if name else {}
    return {
        **own,
        "timestamp": "2026-03-06T10:00:05.123Z",
        "type": kind,
        "content": content,
        **more,
    }


def chat(*messages: object, **header: object) -> bytes:
    return json.dumps({**HEADER, **header, "messages": messages}, indent=2).encode()


def log(*records: object, **header: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in ({**HEADER, **header}, *records))


PROMPT = message("user", [{"text": "We sell tea."}], "u1")
ANSWER = message(
    "gemini",
    "Noted.",
    "g1",
    toolCalls=[{"name": "read_file", "args": {"file_path": "/w/tea/app.py"}}],
    thoughts=[{"subject": "Plan", "description": "hidden"}],
)


@pytest.mark.parametrize("form", [chat, log])
def test_prompts_and_answers_are_turns_in_both_forms(form: type) -> None:
    data = form(
        message("info", "Update available", "i1"), PROMPT, ANSWER, message("error", "x", "e1"),
        message("warning", "x", "w1"), message("gemini", "", "g2", toolCalls=[{"name": "ls"}]),
        summary="Tea shop\nin two lines",
    )  # fmt: skip
    turns, reading = read(data)
    assert said(turns) == [("user", "We sell tea."), ("assistant", "Noted.")]
    assert turns[1].tools == ("read_file app.py", "ls")
    assert turns[0].time == "2026-03-06T10:00:05Z"
    assert {turn.session for turn in turns} == {SESSION}
    assert {turn.title for turn in turns} == {"Tea shop"}
    assert turns[0].message == message_digest("gemini-cli", SESSION, "u1")
    assert (reading.offset, reading.tally.unknown, reading.tally.unparsed_lines) == (0, {}, 0)


def test_both_forms_name_the_same_messages() -> None:
    one, other = read(chat(PROMPT, ANSWER))[0], read(log(PROMPT, ANSWER))[0]
    compact = read(json.dumps({**HEADER, "messages": [PROMPT, ANSWER]}).encode())[0]
    assert one == other == compact


def test_what_was_typed_is_kept_apart_from_what_was_added() -> None:
    expanded = [
        {"text": "Explain @app.py"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @app.py:\n"},
        {"text": "We never use tabs."},
    ]
    hook = {"text": "<hook_context>from a hook</hook_context>"}
    turns, _ = read(
        chat(
            message("user", expanded, "a", displayContent=[{"text": "Explain @app.py"}]),
            message("user", expanded, "b", displayContent=""),
            message("user", "plain", "c"),
            message("user", [{"text": "mine"}, hook, "and this"], "d"),
            message("user", {"text": "one part"}, "e"),
        )
    )
    assert [turn.text for turn in turns] == [
        "Explain @app.py",
        "Explain @app.py",
        "plain",
        "mine\n\nand this",
        "one part",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "",
        [],
        None,
        5,
        "<session_context>\nToday is Friday.\n</session_context>",
        "<session_context>\nwithout an end",
        [{"text": "<hook_context>x</hook_context>"}],
        "<state_snapshot>what was said</state_snapshot>",
        "This is the Gemini CLI. We are setting up the context for our chat.",
        "System: Please continue.",
        "<system-reminder>x</system-reminder>",
        [{"functionResponse": {"name": "ls", "response": {"output": "We like tea"}}}],
        [{"inlineData": {"data": "AAAA"}}],
    ],
)
def test_what_the_program_says_is_no_prompt(content: object) -> None:
    assert read(log(message("user", content, "u")))[0] == []


def test_thoughts_are_no_answer_and_calls_may_stand_in_the_content() -> None:
    content = [
        {"text": "secret plan", "thought": True},
        {"text": "visible"},
        {"functionCall": {"name": "ls", "args": {"path": "/w/src"}}},
    ]
    turns, _ = read(log(message("gemini", content, "g")))
    assert [(turn.text, turn.tools) for turn in turns] == [("visible", ("ls src",))]


def test_a_record_that_comes_again_stands_where_it_first_stood_as_it_last_was() -> None:
    turns, _ = read(
        log(PROMPT, message("gemini", "Not", "g1"), message("user", "And?", "u2"), ANSWER)
    )
    assert [turn.text for turn in turns] == ["We sell tea.", "Noted.", "And?"]
    assert turns[1].tools == ("read_file app.py",)


def test_what_was_rewound_was_said_all_the_same() -> None:
    before = log(PROMPT, ANSWER)
    after = before + b'{"$rewindTo":"u1"}\n' + json.dumps(message("user", "New", "u2")).encode()
    assert [turn.text for turn in read(after)[0]] == ["We sell tea.", "Noted.", "New"]


def test_the_models_view_adds_only_what_stands_nowhere_else() -> None:
    view = [
        message("user", "<session_context>x</session_context>", "s"),
        message("user", "only in the view", "v1"),
        message("user", [{"text": "masked"}], "u1"),
        message("user", "We sell tea.", "copy"),
        message("user", "<state_snapshot>all</state_snapshot>", "t"),
        message("gemini", "Got it. Thanks for the additional context!", "n"),
    ]
    turns, reading = read(log(PROMPT, {"$set": {"messages": view, "summary": "Tea"}}, ANSWER))
    assert [turn.text for turn in turns] == ["We sell tea.", "only in the view", "Noted."]
    assert turns[0].title == "Tea"
    assert reading.tally.unknown == {}


@pytest.mark.parametrize("form", [chat, log])
def test_a_chat_of_a_sub_agent_holds_no_turns(form: type) -> None:
    assert read(form(PROMPT, ANSWER, kind="subagent"))[0] == []
    assert len(read(form(PROMPT, ANSWER, kind="main"))[0]) == 2


@pytest.mark.parametrize(
    "data",
    [
        json.dumps([{"sessionId": "s", "messageId": 0, "type": "user", "message": "hi"}]).encode(),
        json.dumps([{"sessionId": "s", "type": "user", "message": "hi"}], indent=2).encode(),
        b'{\n  "projects": {"/w/tea": "tea"}\n}',
        b'{\n  "a": 1\n}',
        b"[]",
        b"null",
        b"{",
        b"",
    ],
)
def test_other_files_of_the_folder_yield_nothing(data: bytes) -> None:
    turns, reading = read(data)
    assert (turns, reading.tally.unknown) == ([], {})
    assert not GeminiCli().recognises(data)


def test_messages_without_an_id_are_named_by_time_and_words() -> None:
    data = log(message("user", "yes"), message("user", "no"), message("user", "no", timestamp="?"))
    turns, _ = read(data)
    assert len({turn.message for turn in turns}) == 3
    assert turns[2].time == turns[1].time


def test_a_header_of_the_older_log_form_and_none_at_all() -> None:
    header = json.dumps({"type": "session_metadata", "sessionId": "s9"}).encode() + b"\n"
    body = json.dumps(message("user", "hello", "u", timestamp=None)).encode()
    assert [(turn.session, turn.time) for turn in read(header + body)[0]] == [
        ("s9", "2026-05-01T12:00:00Z")
    ]
    assert [turn.session for turn in read(body)[0]] == ["session-x"]
    assert GeminiCli().recognises(header)


def test_damaged_lines_are_counted_and_the_rest_is_read() -> None:
    data = log(PROMPT) + b'{"id": "torn\n' + b"\0\0\n" + json.dumps(ANSWER).encode() + b"\n"
    turns, reading = read(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert len(turns) == 2
    assert reading.tally.unparsed_lines == 1
    torn_first, _ = read(b'{"sessionId": "to\n' + json.dumps(PROMPT).encode() + b"\n")
    assert [turn.text for turn in torn_first] == ["We sell tea."]


def test_unknown_types_are_counted() -> None:
    _, reading = read(log(message("oracle", "x", "o"), {"type": "beep"}, {"x": 1}))
    assert reading.tally.unknown == {"oracle": 1, "beep": 1, "(none)": 1}


def test_an_answer_that_grows_between_readings_loses_nothing() -> None:
    first, reading = read(log(PROMPT, message("gemini", "One.", "g1")))
    second, _ = read(log(PROMPT, message("gemini", "One. Two.", "g1"), PROMPT), reading.state)
    assert [turn.text for turn in second] == ["We sell tea.", "One.", "Two."]
    assert [turn.message for turn in second[:2]] == [turn.message for turn in first]


def test_what_is_held_is_handed_on_before_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.capture.sources.gemini_cli._MAX_HELD", 300)
    many = [message("user" if n % 2 else "gemini", f"words {n}", f"m{n}") for n in range(20)]
    turns, _ = read(log(*many, many[3]))
    assert [turn.text for turn in turns] == [f"words {n}" for n in range(20)]


@pytest.mark.parametrize(
    ("folder", "project"),
    [("tea-shop", "tea-shop"), (HASH, ""), (HASH[:32].upper(), "")],
)
def test_the_project_is_the_folders_name_and_never_a_digest(folder: str, project: str) -> None:
    for below in ("chats", "chats/5b0f2c11"):
        path = PurePath("/nowhere/.gemini/tmp", folder, below, "session-x.jsonl")
        assert {turn.project for turn in read(log(PROMPT), path=path)[0]} == {project}
    assert read(log(PROMPT), path=PurePath("/nowhere/session-x.jsonl"))[0][0].project == ""


def test_a_note_beside_the_chats_names_the_project(tmp_path: Path) -> None:
    folder = tmp_path / HASH
    (folder / "chats").mkdir(parents=True)
    path = folder / "chats" / "session-x.json"
    (folder / ".project_root").write_text("/home/kim/Tea Shop/\n")
    assert read(log(PROMPT), path=path)[0][0].project == "Tea Shop"
    (folder / ".project_root").unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / ".project_root")
    assert read(log(PROMPT), path=path)[0][0].project == ""


def test_where_chats_are() -> None:
    source, home = GeminiCli(), Path("/home/kim")
    assert source.discover(home, {}) == [home / ".gemini" / "tmp"]
    assert source.discover(home, {"GEMINI_CLI_HOME": "/d"}) == [Path("/d/.gemini/tmp")]


def test_recognised_by_its_header_even_where_the_head_is_cut() -> None:
    source = GeminiCli()
    data = chat(PROMPT, ANSWER, message("gemini", "x" * 1000, "g3"))
    for head in (data, data[:300], b"\xef\xbb\xbf" + data, log(PROMPT), data.replace(b"\n", b"")):
        assert source.recognises(head)
    assert not source.recognises(b'{"type":"user","uuid":"u","sessionId":"s","message":{}}')
    assert not source.recognises(json.dumps({"role": "user", "content": '"projectHash"'}).encode())


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "content", "id", "type", "messages", "$set", "name", "args"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
_record = st.one_of(
    st.builds(
        message,
        st.sampled_from(["user", "gemini", "info"]),
        st.text(max_size=10) | _value,
        st.sampled_from(["", "a", "b", "c"]),
        toolCalls=_value,
        displayContent=_value,
        timestamp=_value,
    ),
    st.builds(lambda view: {"$set": {"messages": view}}, _value),
    st.builds(lambda name: {"$rewindTo": name}, st.sampled_from(["a", "z"])),
    st.dictionaries(st.sampled_from(["sessionId", "kind", "type", "$set", "id"]), _value),
)


@examples(40)
@given(st.lists(_record, max_size=6))
def test_no_content_raises_and_a_second_reading_finds_the_same(records: list[object]) -> None:
    for data in (log(*records), chat(*records)):
        first, reading = read(data)
        second, _ = read(data, reading.state)
        assert [turn.message for turn in first] == [turn.message for turn in second]


_growing = st.lists(
    st.tuples(st.sampled_from(["user", "gemini"]), st.integers(0, 5), st.integers(1, 4)),
    max_size=8,
)


@examples(40)
@given(_growing, st.data())
def test_two_readings_of_a_log_lose_nothing_and_find_nothing_twice(
    steps: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    last = max((number for _, number, _ in steps), default=0)
    records = [
        message(kind, " ".join(f"w{number}{kind[0]}{n}" for n in range(size)), f"{kind}{number}")
        for kind, number, size in steps
        if kind == "gemini" or number <= last
    ]
    whole = log(*records)
    cut = data.draw(st.integers(0, len(whole)))
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    rest, _ = read(whole, reading.state)
    assert {turn.message for turn in first} <= {turn.message for turn in once} | {
        turn.message for turn in rest
    }
    known = {turn.message for turn in first}
    both = first + [turn for turn in rest if turn.message not in known]
    assert len({turn.message for turn in both}) == len(both)
    assert {turn.message for turn in once} <= {turn.message for turn in both}


@examples(40)
@given(st.binary(max_size=120))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)
    read(log(PROMPT) + data)
    GeminiCli().recognises(data)
