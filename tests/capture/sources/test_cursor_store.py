"""The database of Cursor's editor."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.cursor import CursorEditor
from engram.model.ports import SourceReading
from engram.model.turn import Turn
from engram.store.base.foreign_database import ForeignDatabase
from tests.capture.sources.reader import Noon, said
from tests.effort import examples

NOON = 1_777_636_800_000  # 2026-05-01T12:00:00Z
DAY = 86_400_000
LONG = "We always write prices in cents and never in euros."


class Store:
    """A database as the editor makes it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "state.vscdb"
        self.state: dict[str, str] = {}
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("create table ItemTable (key text unique, value blob)")
            database.execute(
                "create table cursorDiskKV (key text unique on conflict replace, value blob)"
            )

    def put(self, key: str, value: object) -> None:
        data = value if isinstance(value, str | bytes | None) else json.dumps(value)
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute("insert into cursorDiskKV values (?, ?)", (key, data))

    def talk(self, key: str, *bubbles: dict[str, Any], **more: object) -> None:
        headers = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in bubbles]
        composer = {"composerId": key, "createdAt": NOON - DAY, "lastUpdatedAt": NOON, **more}
        self.put(f"composerData:{key}", {"fullConversationHeadersOnly": headers, **composer})
        for one in reversed(bubbles):
            self.put(f"bubbleId:{key}:{one['bubbleId']}", one)

    def read(self, most: int = 10_000) -> tuple[list[Turn], SourceReading]:
        """What a reading finds; the next one goes on from its state."""
        reading = SourceReading("state", Noon(), state=self.state)
        reading.database = lambda: ForeignDatabase(self.path, most)
        with open(self.path, "rb") as stream:
            return list(CursorEditor(most).parse(stream, reading)), reading


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def bubble(kind: int, name: str, text: object = "", **more: object) -> dict[str, Any]:
    return {"_v": 3, "type": kind, "bubbleId": name, "text": text, **more}


def test_a_conversation_in_the_order_of_its_headers(store: Store) -> None:
    tool = {"name": "read_file", "rawArgs": '{"path": "/w/app.py"}'}
    store.talk(
        "c1",
        bubble(1, "z", "We sell tea.", createdAt="2026-05-01T09:00:00.500Z"),
        bubble(2, "y", "", thinking={"text": "hidden"}),
        bubble(2, "x", "Noted.", timingInfo={"clientStartTime": NOON - 60_000}),
        bubble(2, "w", "", toolFormerData=tool),
        bubble(1, "v", "Thanks", workspaceUris=["file:///home/kim/Tea%20Shop"]),
        name="Stock",
    )
    turns, reading = store.read()
    assert said(turns) == [("user", "We sell tea."), ("assistant", "Noted."), ("user", "Thanks")]
    assert [turn.time for turn in turns] == [
        "2026-05-01T09:00:00Z",
        "2026-05-01T11:59:00Z",
        "2026-05-01T11:59:00Z",
    ]
    assert turns[1].tools == ("read_file app.py",)
    assert {(turn.session, turn.title, turn.project) for turn in turns} == {
        ("c1", "Stock", "Tea Shop")
    }
    assert (reading.tally.lines, reading.tally.unparsed_lines, reading.offset) == (5, 0, 0)


def test_an_older_conversation_holds_its_messages_itself(store: Store) -> None:
    inline = [bubble(1, "a", "Hello"), bubble(2, "", "Hi"), bubble(7, "c", "?")]
    folder = {"uri": {"fsPath": "C:\\w\\shop"}}
    store.put(
        "composerData:c1",
        {"conversation": inline, "createdAt": NOON, "workspaceIdentifier": folder},
    )
    turns, reading = store.read()
    assert said(turns) == [("user", "Hello"), ("assistant", "Hi")]
    assert {(turn.time, turn.project) for turn in turns} == {("2026-05-01T12:00:00Z", "shop")}
    assert reading.tally.unknown == {"bubble type 7": 1}


def test_what_stands_in_a_transcript_too_is_the_same_message(store: Store) -> None:
    store.talk("c1", bubble(1, "a", LONG), bubble(2, "b", LONG + " Noted."))
    block = {"type": "text", "text": f"<user_query>\n{LONG}\n</user_query>"}
    lines = [{"role": "user", "message": {"content": [block]}}]
    data = json.dumps(lines[0]).encode()
    transcript = list(CursorEditor().parse(io.BytesIO(data), SourceReading("c1", Noon())))
    assert transcript[0].message == store.read()[0][0].message


def test_what_the_model_told_itself_is_left_out(store: Store) -> None:
    store.talk("c1", bubble(1, "a", "task"), subagentInfo={"parentComposerId": "c0"})
    store.talk("c2", bubble(1, "a", "hi"), bubble(2, "b", "summary", capabilityType=22))
    assert said(store.read()[0]) == [("user", "hi")]


def test_an_answer_that_is_being_written_is_left_for_the_next_reading(store: Store) -> None:
    bubbles = (bubble(1, "a", "Go"), bubble(2, "b", "One"))
    store.talk("c1", *bubbles, status="generating")
    assert said(store.read()[0]) == [("user", "Go")]
    store.talk("c1", bubbles[0], bubble(2, "b", "One two"), status="completed")
    assert said(store.read()[0]) == [("user", "Go"), ("assistant", "One two")]


def test_a_later_reading_looks_at_what_changed_in_the_last_day(store: Store) -> None:
    store.talk("old", bubble(1, "a", "old"), lastUpdatedAt=NOON - 3 * DAY)
    store.talk("new", bubble(1, "a", "new"))
    store.talk("timeless", bubble(1, "a", "timeless"), lastUpdatedAt=None, createdAt=None)
    assert len(store.read()[0]) == 3
    assert [turn.text for turn in store.read()[0]] == ["new", "timeless"]
    store.talk("old", bubble(1, "a", "old"), bubble(1, "b", "again"), lastUpdatedAt=NOON + 1)
    assert [turn.text for turn in store.read()[0]] == ["new", "old", "again", "timeless"]


def test_what_cannot_be_read_is_counted_and_the_rest_comes(store: Store) -> None:
    store.put("composerData:a", "{torn")
    store.put("composerData:b", None)
    store.put("composerData:c", json.dumps({"name": "x" * 20_000}))
    store.put("composerData:d", b'{"conversation": [5, {"type": 1, "text": "fine"}]}')
    store.talk("e", bubble(1, "1", "y" * 6_000), bubble(1, "2", "y" * 6_000))
    store.talk("f", bubble(1, "1", "kept"), bubble(1, "2", "gone"), bubble(1, "3", "torn"))
    store.put("bubbleId:f:2", None)
    store.put("bubbleId:f:3", "[")
    turns, reading = store.read()
    assert [turn.text for turn in turns] == ["fine", "kept"]
    assert reading.tally.unparsed_lines == 5


def test_another_database_and_none_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "other.vscdb"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table ItemTable (key text)")
    for opened in (lambda: ForeignDatabase(path), None):
        reading = SourceReading("x", Noon(), database=opened)
        with open(path, "rb") as stream:
            assert list(CursorEditor().parse(stream, reading)) == []
        assert reading.tally.unparsed_lines == 1


def test_recognised_by_its_table(store: Store) -> None:
    assert CursorEditor().recognises(store.path.read_bytes()[:65_536])
    assert not CursorEditor().recognises(b"SQLite format 3\0" + b"ItemTable")


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "type", "uri", "name", "bubbleId"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
_KEYS = [
    "text", "type", "bubbleId", "createdAt", "toolFormerData", "workspaceUris", "timingInfo",
    "capabilityType", "conversation", "fullConversationHeadersOnly", "lastUpdatedAt", "status",
    "workspaceIdentifier", "name",
]  # fmt: skip
_object = st.dictionaries(st.sampled_from(_KEYS), _value)


@examples(15, shared_fixture=True)
@given(_object, st.lists(_object, max_size=3))
def test_no_content_raises(
    store: Store, composer: dict[str, object], bubbles: list[dict[str, object]]
) -> None:
    headers = [{"bubbleId": str(number)} for number in range(len(bubbles))]
    store.put("composerData:c", {"fullConversationHeadersOnly": headers, **composer})
    store.put("composerData:d", {"conversation": bubbles, **composer})
    for number, one in enumerate(bubbles):
        store.put(f"bubbleId:c:{number}", one)
    store.state = {}
    first, _ = store.read()
    store.state = {}
    assert [turn.message for turn in store.read()[0]] == [turn.message for turn in first]
