"""OpenCode: exports, and the database while its program writes it."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.opencode import OpenCode
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from engram.store.base.foreign_database import ForeignDatabase
from tests.capture.sources.reader import said
from tests.effort import examples

NOON = 1_777_636_800_000  # 2026-05-01T12:00:00Z
HOUR = 3_600_000
INFO = {
    "id": "ses_1",
    "projectID": "p",
    "directory": "/home/kim/tea-shop",
    "title": "Stock",
    "time": {"created": NOON - 9 * HOUR},
}


class At:
    """A clock that stands still."""

    def __init__(self, hours: float = 0) -> None:
        self._hours = hours

    def now(self) -> str:
        day, hour = divmod(12 + int(self._hours), 24)
        return f"2026-05-{1 + day:02d}T{hour:02d}:{round(self._hours % 1 * 60):02d}:00Z"


def text(words: object, **more: object) -> dict[str, object]:
    return {"type": "text", "text": words, **more}


def tool(name: str, **arguments: object) -> dict[str, object]:
    state = {"status": "completed", "input": arguments, "output": "We always use tabs."}
    return {"type": "tool", "tool": name, "state": state}


def message(
    role: str, name: str, *parts: object, at: int = NOON, **info: object
) -> dict[str, object]:
    return {"info": {"role": role, "id": name, "time": {"created": at}, **info}, "parts": parts}


def export(*messages: object, **info: object) -> bytes:
    return json.dumps({"info": {**INFO, **info}, "messages": messages}, indent=1).encode()


def read(data: bytes, state: dict[str, str] | None = None) -> tuple[list[Turn], SourceReading]:
    reading = SourceReading("file", At(), state=dict(state or {}))
    return list(OpenCode().parse(io.BytesIO(data), reading)), reading


TALK = (
    message("user", "m1", text("We sell tea."), text("from a file", synthetic=True)),
    message("assistant", "m2", {"type": "step-start"}, tool("read", filePath="/w/app.py")),
    message("assistant", "m3", {"type": "reasoning", "text": "hm"}, text("Not"), text("ed.")),
    message(
        "assistant", "m4", tool("bash", command="git status"), text(" "), text("x", ignored=True)
    ),
)


def test_an_export_gives_what_was_said_with_its_tools() -> None:
    turns, reading = read(export(*TALK))
    assert said(turns) == [("user", "We sell tea."), ("assistant", "Not\ned.")]
    assert turns[1].tools == ("read app.py", "bash git")
    assert (turns[0].session, turns[0].project, turns[0].title) == ("ses_1", "tea-shop", "Stock")
    assert turns[0].time == "2026-05-01T12:00:00Z"
    assert turns[0].message == message_digest("opencode", "ses_1", "m1")
    assert (reading.offset, reading.tally.lines, reading.tally.unknown) == (0, 4, {})


def test_a_child_sessions_prompts_are_a_models() -> None:
    assert said(read(export(*TALK, parentID="ses_0"))[0]) == [("assistant", "Not\ned.")]


def test_a_summary_that_the_program_made_is_no_answer() -> None:
    summary = message("assistant", "m9", text("They sell tea."), summary=True)
    titled = message("user", "m8", text("hello"), summary={"title": "x"})
    assert said(read(export(titled, summary))[0]) == [("user", "hello")]


def test_session_and_project_may_stand_on_the_messages_only() -> None:
    one = message("user", "", text("yes"), sessionID="ses_7")
    two = message("assistant", "", text("yes"), path={"cwd": "C:\\w\\shop"}, time="never")
    three = message("user", "", text("yes"), sessionID="ses_7")
    data = json.dumps({"info": {}, "messages": [one, two, three]}).encode()
    turns, _ = read(data)
    assert {turn.session for turn in turns} == {"ses_7"}
    assert [turn.project for turn in turns] == ["", "shop", "shop"]
    assert [turn.message for turn in read(data)[0]] == [turn.message for turn in turns]
    assert turns[1].time == turns[0].time


def test_what_a_later_export_adds_to_the_last_answer_is_a_turn_of_its_own() -> None:
    first, reading = read(export(message("assistant", "m1", text("One."))))
    second, _ = read(export(message("assistant", "m1", text("One. Two."))), reading.state)
    assert [turn.text for turn in second] == ["One.", "Two."]
    assert second[0].message == first[0].message


def test_strange_documents_are_counted() -> None:
    for data in (b"[]", b"5", b'{"info":{}}', b'{"messages":5}'):
        turns, reading = read(data)
        assert (turns, reading.tally.unknown) == ([], {"document": 1})
    _, reading = read(export(message("oracle", "m1", text("x")), 5, [], None))
    assert reading.tally.unknown == {"oracle": 1, "(none)": 3}


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "type", "id", "created", "cwd"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
_part = st.dictionaries(
    st.sampled_from(["type", "text", "synthetic", "tool", "state"]),
    st.sampled_from(["text", "tool"]) | _value,
)
_message = st.builds(
    lambda role, info, parts: {"info": {"role": role, **info}, "parts": parts},
    st.sampled_from(["user", "assistant"]) | _value,
    st.dictionaries(st.sampled_from(["id", "time", "path", "summary", "error"]), _value),
    st.lists(_part | _value, max_size=3) | _value,
)


@examples(40)
@given(st.lists(_message | _value, max_size=5), st.dictionaries(st.sampled_from([*INFO]), _value))
def test_no_content_raises_and_a_second_reading_finds_the_same(
    messages: list[object], info: dict[str, object]
) -> None:
    data = export(*messages, **info)
    first, reading = read(data)
    second, _ = read(data, reading.state)
    assert [turn.message for turn in first] == [turn.message for turn in second]


@examples(25)
@given(st.binary(max_size=100))
def test_no_bytes_raise(data: bytes) -> None:
    read(data)
    read(b"SQLite format 3\0" + data)
    OpenCode().recognises(data)


# -- the database


class Store:
    """A database as OpenCode makes it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "opencode.db"
        self.state: dict[str, str] = {}
        self.run(
            "create table session (id text primary key, project_id text, parent_id text,"
            " directory text, title text, time_created integer, time_updated integer)",
            "create table message (id text primary key, session_id text, time_created integer,"
            " time_updated integer, data text)",
            "create table part (id text primary key, message_id text, session_id text,"
            " time_created integer, time_updated integer, data text)",
            mode="wal",
        )

    def run(self, *statements: str, mode: str = "") -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            if mode:
                database.execute(f"pragma journal_mode = {mode}")
            for statement in statements:
                database.execute(statement)

    def add(self, session: str, *messages: dict[str, object], parent: str | None = None) -> None:
        with closing(sqlite3.connect(self.path)) as database, database:
            row = (session, parent, "/w/tea-shop", "Stock")
            database.execute(
                "insert or ignore into session (id, parent_id, directory, title) values (?,?,?,?)",
                row,
            )
            for one in messages:
                info, parts = dict(one["info"]), one["parts"]  # type: ignore[call-overload]
                name, created = info.pop("id"), info["time"]["created"]
                database.execute(
                    "insert or replace into message values (?,?,?,?,?)",
                    (name, session, created, created, json.dumps(info)),
                )
                for number, part in enumerate(parts):  # type: ignore[arg-type]
                    database.execute(
                        "insert or replace into part values (?,?,?,?,?,?)",
                        (f"{name}-{number}", name, session, created, created, json.dumps(part)),
                    )

    def read(self, hours: float = 0) -> tuple[list[Turn], SourceReading]:
        """What a reading finds so many hours after noon; the next one goes on from its state."""
        reading = SourceReading("opencode", At(hours), state=self.state)
        reading.database = lambda: ForeignDatabase(self.path, 10_000)
        with open(self.path, "rb") as stream:
            return list(OpenCode().parse(stream, reading)), reading


def done(name: str, *parts: object, at: int = NOON) -> dict[str, object]:
    return message("assistant", name, *parts, time={"created": at, "completed": at + 1})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_the_database_gives_the_same_messages_as_an_export(store: Store) -> None:
    store.add("ses_1", *TALK[:3], done("m4", tool("bash", command="git status")))
    turns, reading = store.read()
    exported = read(export(*TALK))[0]
    assert turns == exported
    assert reading.tally.unparsed_lines == 0


def test_sessions_come_by_age_and_a_childs_prompts_are_left_out(store: Store) -> None:
    store.add("b", message("user", "m1", text("older"), at=NOON - 3 * HOUR))
    store.add("a", message("user", "m2", text("newer"), at=NOON - 2 * HOUR))
    child = (message("user", "m3", text("task"), at=NOON - HOUR), done("m4", text("done")))
    store.add("c", *child, parent="a")
    assert said(store.read()[0]) == [("user", "older"), ("user", "newer"), ("assistant", "done")]


def test_an_answer_that_is_still_written_waits_and_then_comes_whole(store: Store) -> None:
    asked = message("user", "m1", text("Go"), at=NOON - HOUR)
    store.add(
        "s",
        asked,
        message("assistant", "m2", text("One")),
    )
    assert said(store.read()[0]) == [("user", "Go")]
    queued = message("user", "m3", text("And this"), at=NOON + 1)
    store.add("s", queued)
    assert said(store.read(1)[0]) == [("user", "Go")]
    store.add("s", done("m2", text("One"), text("two")))
    assert said(store.read(2)[0]) == [
        ("user", "Go"),
        ("assistant", "One\ntwo"),
        ("user", "And this"),
    ]


def test_an_answer_that_was_never_finished_is_taken_when_it_cannot_grow(store: Store) -> None:
    store.add("s", message("assistant", "m1", text("broken off")))
    store.add("t", message("assistant", "m2", text("failed"), error={"name": "x"}))
    store.add(
        "u", message("assistant", "m3", text("first")), done("m4", text("second"), at=NOON + 1)
    )
    assert {turn.text for turn in store.read()[0]} == {"failed", "first", "second"}
    assert {turn.text for turn in store.read(23)[0]} == {"failed", "first", "second"}
    store.add("v", done("m5", text("later"), at=NOON + 23 * HOUR))
    assert "broken off" in {turn.text for turn in store.read(25)[0]}


def test_a_prompt_whose_parts_are_on_their_way_waits_a_moment(store: Store) -> None:
    store.add("s", message("user", "m1", text("half"), at=NOON - 10))
    assert store.read()[0] == []
    store.add("s", message("user", "m1", text("half"), text("and half"), at=NOON - 10))
    assert said(store.read(0.1)[0]) == [("user", "half\nand half")]


def test_a_later_reading_looks_at_the_last_day_only(store: Store) -> None:
    store.add("old", message("user", "m1", text("old"), at=NOON - 60 * HOUR))
    store.add(
        "s", message("user", "m2", text("first"), at=NOON - 59 * HOUR), done("m3", text("new"))
    )
    assert len(store.read()[0]) == 3
    store.add("s", done("m4", text("newer"), at=NOON + HOUR))
    assert [turn.text for turn in store.read(2)[0]] == ["new", "newer"]


def test_what_cannot_be_read_is_counted_and_the_rest_comes(store: Store) -> None:
    store.add("s", message("user", "m1", text("fine"), at=NOON - HOUR))
    store.run(
        "insert into message values ('m0', 's', 5, 5, '{torn')",
        "insert into message values ('m00', 's', 'never', 5, x'ff')",
        f"insert into message values ('m000', 's', 7, 7, '{'9' * 20_000}')",
        "insert into message values (null, null, null, null, null)",
        "insert into part values ('p', 'm1', 's', 5, 5, '[')",
    )
    turns, reading = store.read()
    assert said(turns) == [("user", "fine")]
    assert reading.tally.unparsed_lines == 4


def test_another_database_and_none_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table message (id text)")
    for opened in (lambda: ForeignDatabase(path), None):
        reading = SourceReading("x", At(), database=opened)
        with open(path, "rb") as stream:
            assert list(OpenCode().parse(stream, reading)) == []
        assert reading.tally.unparsed_lines == 1


def test_where_the_database_is() -> None:
    home = Path("/home/kim")
    expected = home / ".local/share/opencode/opencode.db"
    assert OpenCode().discover(home, {}) == [expected]
    moved = OpenCode().discover(home, {"XDG_DATA_HOME": "/d"})
    assert moved == [Path("/d/opencode/opencode.db")]


def test_recognised_by_what_an_export_or_the_database_begins_with(store: Store) -> None:
    source = OpenCode()
    data = export(*TALK)
    assert source.recognises(data)
    assert source.recognises(data[:120])
    assert source.recognises(b"\xef\xbb\xbf" + data)
    assert source.recognises(store.path.read_bytes()[:65_536])
    assert not source.recognises(b'{"info": {"name": "x"}, "messages": []}')
    assert not source.recognises(b"SQLite format 3\0" + b"CREATE TABLE message (session_id)")
