"""Kiro CLI: documents, both tables, and the sessions of later engines."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.kiro import Kiro
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from engram.store.base.foreign_database import ForeignDatabase
from tests.capture.sources.reader import Noon, said
from tests.effort import examples

NOON = 1_777_636_800_000  # 2026-05-01T12:00:00Z
DAY = 86_400_000


def read(
    data: bytes, before: SourceReading | None = None, name: str = "file", path: str = ""
) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading(name, Noon(), path=PurePath(path))
    if before is not None:
        later = Noon("2027-01-01T00:00:00Z")
        reading = SourceReading(name, later, before.offset, before.line, dict(before.state))
    return list(Kiro().parse(io.BytesIO(data), reading)), reading


def prompt(words: object, **more: object) -> dict[str, object]:
    return {"content": {"Prompt": {"prompt": words}}, **more}


def response(words: object, name: str | None = None) -> dict[str, object]:
    return {"Response": {"message_id": name, "content": words}}


def document(*transaction_log: object, conversation: str = "") -> dict[str, object]:
    return {"conversation_id": conversation, "next_message": None, "history": transaction_log}


def data_of(*transaction_log: object, conversation: str = "") -> bytes:
    return json.dumps(document(*transaction_log, conversation=conversation), indent=2).encode()


USE = {
    "ToolUse": {
        "content": "Let me look.",
        "tool_uses": [{"name": "fs_read", "args": {"path": "/w/a"}}],
    }
}
RESULTS = {
    "content": {"ToolUseResults": {"tool_use_results": [{"content": [{"Text": "We use tabs"}]}]}}
}
TALK = (
    {"user": prompt("We sell tea."), "assistant": USE},
    {"user": RESULTS, "assistant": response("Noted.")},
    {"user": {"content": None}, "assistant": response("")},
)


def test_prompts_and_answers_of_a_document() -> None:
    turns, reading = read(data_of(*TALK))
    assert said(turns) == [
        ("user", "We sell tea."),
        ("assistant", "Let me look."),
        ("assistant", "Noted."),
    ]
    assert turns[1].tools == ("fs_read a",)
    assert {(turn.session, turn.time) for turn in turns} == {("file", "2026-05-01T12:00:00Z")}
    assert (reading.offset, reading.tally.lines, reading.tally.unknown) == (0, 3, {})


def test_a_document_that_grows_keeps_its_first_time_and_names() -> None:
    first, reading = read(data_of(*TALK))
    second, _ = read(data_of(*TALK, {"user": prompt("And?"), "assistant": None}), reading)
    assert second[:3] == first
    assert second[3].time == "2026-05-01T12:00:00Z"


def test_pairs_cancelled_tools_times_and_folders_are_understood() -> None:
    cancelled = {"content": {"CancelledToolUses": {"prompt": "Stop, ask me first.", "x": 1}}}
    state = {"env_state": {"current_working_directory": "/w/tea-shop"}}
    turns, _ = read(
        data_of(
            [prompt("Hello", env_context=state), response("Hi")],
            [cancelled],
            {
                "user": prompt("Go", timestamp="2026-03-06T10:00:00+01:00"),
                "assistant": response("Gone"),
                "request_metadata": {"stream_end_timestamp_ms": NOON},
            },
            conversation="c-1",
        )
    )
    assert [turn.text for turn in turns] == ["Hello", "Hi", "Stop, ask me first.", "Go", "Gone"]
    assert {(turn.session, turn.project) for turn in turns} == {("c-1", "tea-shop")}
    assert [turn.time for turn in turns[3:]] == ["2026-03-06T09:00:00Z", "2026-05-01T12:00:00Z"]


def test_an_answers_id_names_its_prompt_too_wherever_they_stand() -> None:
    named = {"user": prompt("yes"), "assistant": response("ok", "m-1")}
    first, _ = read(data_of(*TALK, named, conversation="c"))
    later, _ = read(data_of(named, conversation="c"))
    assert [turn.message for turn in later] == [turn.message for turn in first[3:]]
    unnamed = {"user": prompt("yes"), "assistant": response("ok")}
    twice, _ = read(data_of(unnamed, unnamed))
    assert len({turn.message for turn in twice}) == 4


def test_strange_documents_and_kinds_are_counted() -> None:
    for data in (b"[]", b'{"a": 1}', b'{"history": 5}'):
        turns, reading = read(data)
        assert (turns, reading.tally.unknown) == ([], {"document": 1})
    turns, reading = read(b'{"session_id": "s", "cwd": "/w", "session_state": {}}')
    assert (turns, reading.tally.unknown) == ([], {})
    turns, reading = read(data_of({"user": {"content": {"Song": {}}}}, 5, None, []))
    assert (turns, reading.tally.unknown) == ([], {"Song": 1})


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Prompt", "prompt", "content", "name"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
_entry = st.fixed_dictionaries(
    {},
    optional={
        "user": _value | st.builds(prompt, st.text(max_size=5) | _value),
        "assistant": _value | st.builds(response, st.text(max_size=5) | _value),
        "request_metadata": _value,
    },
)


@examples(40)
@given(st.lists(_entry | _value, max_size=5))
def test_no_content_raises_and_a_second_reading_finds_the_same(
    transaction_log: list[object],
) -> None:
    data = data_of(*transaction_log)
    first, reading = read(data)
    second, _ = read(data, reading)
    assert second == first


# -- the database


class Store:
    """A database as Kiro makes it."""

    def __init__(self, folder: Path, *tables: str) -> None:
        self.path = folder / "data.sqlite3"
        self.state: dict[str, str] = {}
        columns = {
            "conversations": "key text primary key, value text",
            "conversations_v2": "key text, conversation_id text, value text, created_at integer,"
            " updated_at integer, primary key (key, conversation_id)",
        }
        self.run("create table auth_kv (key text, value text)")
        for table in tables:
            self.run(f"create table {table} ({columns[table]})")

    def run(self, statement: str, values: Sequence[object] = ()) -> None:
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(statement, values)

    def read(self) -> tuple[list[Turn], SourceReading]:
        reading = SourceReading("data", Noon(), state=self.state)
        reading.database = lambda: ForeignDatabase(self.path, 10_000)
        with open(self.path, "rb") as stream:
            return list(Kiro().parse(stream, reading)), reading


def test_both_tables_are_read(tmp_path: Path) -> None:
    store = Store(tmp_path, "conversations", "conversations_v2")
    old = json.dumps(document(*TALK[:1]))
    store.run("insert into conversations values (?, ?)", ("/w/old shop", old))
    store.run("insert into conversations values (?, ?)", ("/w/torn", "{"))
    new = json.dumps(document({"user": prompt("New"), "assistant": None}))
    store.run(
        "insert into conversations_v2 values ('/w/new', 'c-2', ?, ?, ?)", (new, NOON - DAY, NOON)
    )
    turns, reading = store.read()
    assert [(turn.text, turn.project) for turn in turns] == [
        ("We sell tea.", "old shop"),
        ("Let me look.", "old shop"),
        ("New", "new"),
    ]
    assert (turns[2].session, turns[2].time) == ("c-2", "2026-04-30T12:00:00Z")
    assert reading.tally.unparsed_lines == 1
    assert [turn.message for turn in store.read()[0]] == [turn.message for turn in turns]


def test_a_later_reading_looks_at_what_changed_in_the_last_day(tmp_path: Path) -> None:
    store = Store(tmp_path, "conversations_v2")
    for name, updated in (("a", NOON - 3 * DAY), ("b", NOON), ("c", None)):
        value = json.dumps(document({"user": prompt(name)}))
        store.run("insert into conversations_v2 values ('/w', ?, ?, 5, ?)", (name, value, updated))
    assert len(store.read()[0]) == 3
    assert [turn.text for turn in store.read()[0]] == ["b", "c"]
    store.run("update conversations_v2 set updated_at = ? where conversation_id = 'a'", (NOON + 1,))
    assert [turn.text for turn in store.read()[0]] == ["a", "b", "c"]


def test_another_database_and_none_are_counted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    turns, reading = store.read()
    assert (turns, reading.tally.unparsed_lines) == ([], 1)
    store.run("create table conversations_v2 (key text, value text)")
    turns, reading = store.read()
    assert (turns, reading.tally.unparsed_lines) == ([], 1)
    assert read(store.path.read_bytes())[1].tally.unparsed_lines == 1


# -- the sessions of later engines


def line(kind: str, name: str, *blocks: tuple[str, object], **more: object) -> bytes:
    content = [{"kind": block, "data": data} for block, data in blocks]
    data = {"message_id": name, "content": content, **more}
    return json.dumps({"version": "v1", "kind": kind, "data": data}).encode() + b"\n"


def event(name: str, kind: str, **payload: object) -> bytes:
    whole = {"id": name, "timestamp": "2026-03-06T10:00:00Z", "payload": {"type": kind, **payload}}
    return json.dumps(whole).encode() + b"\n"


MESSAGES = (
    line("Prompt", "a1", ("text", "We sell tea."), ("image", {}), meta={"timestamp": NOON // 1000})
    + line("AssistantMessage", "a2", ("thinking", {"text": "hm"}), ("text", "Noted."))
    + line("AssistantMessage", "a3", ("toolUse", {"name": "read", "input": {"path": "/w/b"}}))
    + line("ToolResults", "a4", ("toolResult", {"content": "We use tabs"}))
    + b'{"kind":"Clear","data":null}\n'
)
EVENTS = (
    event("e0", "session_start")
    + event("e1", "user", content="We sell tea.")
    + event("e2", "user", content="injected", _meta={"kiro": {"syntheticUserMessageReason": "x"}})
    + event("e3", "assistant", content="private", operationType="Reasoning")
    + event("e4", "assistant", content="of a helper", operationType="Say", subExecutionId="s")
    + event("e5", "assistant", content="Noted.", operationType="Say")
    + event("e6", "tool_call", toolName="read", args={"path": "/w/b"})
    + event("e7", "tool_result", content="We use tabs")
)


@pytest.mark.parametrize("data", [MESSAGES, EVENTS])
def test_both_kinds_of_sessions(data: bytes) -> None:
    turns, reading = read(data, name="s-1")
    assert said(turns) == [("user", "We sell tea."), ("assistant", "Noted.")]
    assert turns[1].tools == ("read b",)
    assert turns[0].session == "s-1"
    assert (reading.offset, reading.tally.unknown) == (len(data), {})
    assert {turn.time for turn in turns} <= {"2026-05-01T12:00:00Z", "2026-03-06T10:00:00Z"}


def test_a_session_whose_file_is_called_like_all_is_named_by_its_folder() -> None:
    path = "/home/kim/.kiro/sessions/w/sess_7/messages.jsonl"
    assert read(EVENTS, name="messages", path=path)[0][0].session == "sess_7"


def test_unknown_lines_of_a_session_are_counted() -> None:
    data = EVENTS + event("e9", "beep") + b'{"kind":["x"]}\n{"payload":[]}\n{torn\n'
    _, reading = read(data)
    assert reading.tally.unknown == {"beep": 1, "(none)": 2}
    assert reading.tally.unparsed_lines == 1


@examples(40)
@given(
    st.lists(st.sampled_from((MESSAGES + EVENTS).splitlines(keepends=True)), max_size=8), st.data()
)
def test_two_readings_find_the_same_messages_as_one(
    lines: list[bytes], data: st.DataObject
) -> None:
    whole = MESSAGES[: MESSAGES.index(b"\n") + 1] + b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    once, _ = read(whole)
    first, reading = read(whole[:cut])
    rest, _ = read(whole, reading)
    assert [turn.message for turn in first + rest] == [turn.message for turn in once]


@examples(40)
@given(st.binary(max_size=100))
def test_no_bytes_raise(data: bytes) -> None:
    for start in (b"", b"SQLite format 3\0", EVENTS, b'{"conversation_id":'):
        read(start + data)
        Kiro().recognises(start + data)


def test_where_everything_is() -> None:
    home = Path("/home/kim")
    found = Kiro().discover(home, {})
    assert found[0] == home / ".kiro" / "sessions"
    assert home / ".local/share/kiro-cli/data.sqlite3" in found
    assert home / ".local/share/amazon-q/data.sqlite3" in found
    moved = Kiro().discover(home, {"XDG_DATA_HOME": "/d", "LOCALAPPDATA": "/l"})
    assert {Path("/d/kiro-cli/data.sqlite3"), Path("/l/amazon-q/data.sqlite3")} <= set(moved)


def test_recognised_in_every_form(tmp_path: Path) -> None:
    source = Kiro()
    long = data_of(*TALK, {"user": prompt("x" * 1000)})
    for head in (long, long[:400], b"\xef\xbb\xbf" + long, MESSAGES, EVENTS):
        assert source.recognises(head)
    for table in ("conversations", "conversations_v2"):
        folder = tmp_path / table
        folder.mkdir()
        assert source.recognises(Store(folder, table).path.read_bytes()[:65_536])
    for other in (
        b'{"title": "x", "conversation_id": "c", "mapping": {}}',
        b'{"type": "session_meta", "payload": {"type": "user"}, "id": "x"}',
        b'{"kind": "Prompt"}',
        b'{"kind": []}',
        b"SQLite format 3\0CREATE TABLE conversations (id)",
        b"words",
    ):
        assert not source.recognises(other)
