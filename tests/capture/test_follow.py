"""Files that grow, shrink, move and are replaced; and what is no file at all."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.follow import CHUNK_TURNS, Cursor, cursor_of, read_file, walk
from engram.capture.sources import source
from engram.model.errors import BadInput
from engram.model.intake import Removed
from engram.model.ports import Tally
from engram.model.turn import Turn
from tests.effort import examples


class Noon:
    """A clock that stands still."""

    def now(self) -> str:
        return "2026-05-01T12:00:00Z"


class Desk:
    """A program that reads one source again and again and keeps the cursors."""

    def __init__(self, name: str = "jsonl") -> None:
        self.source = source(name)
        self.cursors: dict[str, Cursor] = {}
        self.tally = Tally()
        self.removed = Removed()

    def read(self, path: Path) -> list[str]:
        """The texts that are new; the cursors go through JSON, as they do between two runs."""
        return [turn.text for turn in self.turns(path)]

    def turns(self, path: Path) -> list[Turn]:
        found: list[Turn] = []
        for turns, cursor in read_file(
            path, self.source, self.cursors, Noon(), tally=self.tally, removed=self.removed
        ):
            found += turns
            plain = json.loads(json.dumps(cursor.plain()))
            again = cursor_of(cursor.key, plain)
            assert again is not None and again.plain() == plain
            self.cursors = {**self.cursors, cursor.key: again}
        return found


def row(text: str, role: str = "user") -> bytes:
    return json.dumps({"role": role, "content": text}).encode() + b"\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(row("one") + row("two"))
    return path


def test_an_unchanged_file_has_nothing_new(file: Path) -> None:
    machine = Desk()
    assert machine.read(file) == ["one", "two"]
    assert list(read_file(file, machine.source, machine.cursors, Noon())) == []


def test_a_grown_file_is_read_from_where_the_last_reading_ended(file: Path) -> None:
    machine = Desk()
    machine.read(file)
    with file.open("ab") as stream:
        stream.write(row("three"))
    assert machine.read(file) == ["three"]
    (cursor,) = machine.cursors.values()
    assert (cursor.offset, cursor.line) == (file.stat().st_size, 3)


def test_a_truncated_or_rewritten_file_is_read_from_the_start(file: Path) -> None:
    machine = Desk()
    machine.read(file)
    file.write_bytes(row("one"))
    assert machine.read(file) == ["one"]
    file.write_bytes(row("one") + row("TWO") + row("three"))
    assert machine.read(file) == ["TWO", "three"]
    file.write_bytes(row("one") + row("2") + row("three") + row("four"))
    assert machine.read(file) == ["one", "2", "three", "four"]


def test_a_file_replaced_by_another_has_a_cursor_of_its_own(file: Path) -> None:
    machine = Desk()
    machine.read(file)
    file.write_bytes(row("other") + row("two"))
    assert machine.read(file) == ["other", "two"]
    assert len(machine.cursors) == 2


def test_a_moved_file_is_not_read_again_and_the_cursor_names_no_place(
    file: Path, tmp_path: Path
) -> None:
    machine = Desk()
    machine.read(file)
    moved = tmp_path / "elsewhere" / file.name
    moved.parent.mkdir()
    file.rename(moved)
    assert machine.read(moved) == []
    (cursor,) = machine.cursors.values()
    assert str(tmp_path) not in cursor.key + json.dumps(cursor.plain())


def test_the_same_file_has_the_same_cursor_on_every_machine(file: Path, tmp_path: Path) -> None:
    first, second = Desk(), Desk()
    first.read(file)
    copy = tmp_path / "other" / file.name
    copy.parent.mkdir()
    copy.write_bytes(file.read_bytes())
    second.read(copy)
    assert first.cursors == second.cursors


def test_a_torn_last_line_waits_for_its_end(file: Path) -> None:
    machine = Desk()
    whole = file.read_bytes()
    file.write_bytes(whole + row("three")[:10])
    assert machine.read(file) == ["one", "two"]
    assert machine.read(file) == []
    file.write_bytes(whole + row("three"))
    assert machine.read(file) == ["three"]


def test_a_first_line_that_is_still_torn_leaves_no_cursor(tmp_path: Path) -> None:
    machine, path = Desk(), tmp_path / "new.jsonl"
    path.write_bytes(b"")
    assert machine.read(path) == []
    path.write_bytes(row("one")[:9])
    assert machine.read(path) == []
    assert machine.cursors == {}
    path.write_bytes(row("one"))
    assert machine.read(path) == ["one"]


def test_lines_without_turns_still_move_the_cursor(tmp_path: Path) -> None:
    machine, path = Desk(), tmp_path / "quiet.jsonl"
    path.write_bytes(b'{"role":"system","content":"x"}\n')
    assert machine.read(path) == []
    (cursor,) = machine.cursors.values()
    assert cursor.offset == path.stat().st_size


def test_a_large_file_comes_in_chunks_and_any_of_them_can_be_gone_on_from(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_bytes(b"".join(row(f"turn {number}") for number in range(2 * CHUNK_TURNS + 7)))
    kind = source("jsonl")
    chunks = list(read_file(path, kind, {}, Noon()))
    assert [len(turns) for turns, _ in chunks] == [CHUNK_TURNS, CHUNK_TURNS, 7]
    _, cursor = chunks[0]
    (again, *_) = read_file(path, kind, {cursor.key: cursor}, Noon())
    assert again == chunks[1]


def test_what_is_private_or_off_the_record_is_left_out_and_counted(tmp_path: Path) -> None:
    machine, path = Desk(), tmp_path / "talk.jsonl"
    head = row("a <private>x</private>") + row("Off the record: y")
    path.write_bytes(head)
    assert machine.read(path) == ["a"]
    path.write_bytes(head + row("y, really?", "assistant") + row("b"))
    assert machine.read(path) == ["b"]
    assert (machine.removed.private, machine.removed.off_record) == (1, 2)


def test_project_and_session_are_known_to_a_later_reading(tmp_path: Path) -> None:
    machine, path = Desk("claude-code"), tmp_path / "s.jsonl"

    def line(text: str, **more: str) -> bytes:
        return json.dumps({"type": "user", "message": {"content": text}, **more}).encode() + b"\n"

    path.write_bytes(line("a", sessionId="s1", cwd="/home/kim/shop"))
    machine.read(path)
    path.write_bytes(path.read_bytes() + line("b", sessionId="s1", cwd="/home/kim/shop/deeper"))
    (turn,) = machine.turns(path)
    assert (turn.session, turn.project) == ("s1", "shop")
    assert "/home/kim" not in str(machine.cursors)


GROWING = {
    "claude-code": [
        {"type": "user", "sessionId": "s1", "cwd": "/w/shopname", "uuid": "u1",
         "message": {"content": "one"}},
        {"type": "ai-title", "aiTitle": "Titleword one", "sessionId": "s1"},
        {"type": "assistant", "sessionId": "s1", "cwd": "/w/shopname", "uuid": "a1",
         "message": {"id": "m1", "content": [{"type": "text", "text": "two"}]}},
        {"type": "queue-operation", "operation": "enqueue", "content": "queueword",
         "sessionId": "s1", "timestamp": "2026-03-06T10:00:00Z"},
        {"type": "assistant", "sessionId": "s1", "cwd": "/w/shopname", "uuid": "a2",
         "message": {"id": "m1", "content": [{"type": "text", "text": "three"}]}},
        {"type": "queue-operation", "operation": "remove", "sessionId": "s1"},
        {"type": "assistant", "sessionId": "s1", "cwd": "/w/othername", "uuid": "a3",
         "message": {"id": "m2", "content": [{"type": "text", "text": "four"}]}},
        {"type": "user", "uuid": "u2", "message": {"content": "five"}},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"id": "s1", "cwd": "/w/shopname"}},
        {"type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "one"}},
        {"type": "turn_context", "payload": {"cwd": "/w/othername"}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": "two"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": "three"}},
    ],
    "pi": [
        {"type": "session", "id": "s1", "cwd": "/w/shopname", "timestamp": "2026-03-06T10:00:00Z"},
        {"type": "session_info", "name": "Titleword one"},
        {"type": "message", "message": {"role": "user", "content": "one"}},
        {"type": "message", "message": {"role": "assistant", "content": "two"}},
        {"type": "message", "message": {"role": "user", "content": "three"}},
    ],
}  # fmt: skip
PLAIN = {
    "aider": (
        "# aider chat started at 2026-03-06 10:00:00\n\n> Git working dir: /w/shopname  \n\n"
        "#### one  \n\ntwo\n\n#### three  \n\nfour\n"
    ),
    "markdown": (
        "---\nproject: shopname\n---\n# Titleword one\n\nwords\n\n---\n\nmore\n\n---\n\nlast\n"
    ),
}
WRITTEN_SO = {
    **{name: [json.dumps(row) + "\n" for row in rows] for name, rows in GROWING.items()},
    **{name: text.splitlines(keepends=True) for name, text in PLAIN.items()},
}


def shown(turn: Turn) -> tuple[str, ...]:
    return (turn.message, turn.text, turn.session, turn.project, turn.title, turn.time, turn.folder)


@pytest.mark.parametrize("name", WRITTEN_SO)
def test_a_written_cursor_holds_no_words_and_reading_on_finds_them_again(
    name: str, tmp_path: Path
) -> None:
    lines, path = WRITTEN_SO[name], tmp_path / "conversationname.jsonl"
    machine, known, found = Desk(name), dict[str, Cursor](), list[Turn]()
    for count in range(3, len(lines) + 1):
        path.write_text("".join(lines[:count]), encoding="utf-8")
        again = machine.turns(path)
        for turns, cursor in read_file(path, machine.source, known, Noon()):
            found += turns
            known[cursor.key] = cursor
        assert list(map(shown, again)) == list(map(shown, found[len(found) - len(again) :]))
        plain = json.dumps([cursor.plain() for cursor in machine.cursors.values()])
        for word in ("shopname", "othername", "Titleword", "queueword", "conversationname", "s1"):
            assert word not in plain
    assert len(found) >= 3
    assert all(turn.project == "shopname" for turn in found)


@pytest.mark.parametrize("name", WRITTEN_SO)
def test_what_follows_any_written_cursor_is_found_from_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.capture.follow.CHUNK_TURNS", 1)
    path, kind = tmp_path / "talk.jsonl", source(name)
    path.write_text("".join(WRITTEN_SO[name]), encoding="utf-8")
    chunks = list(read_file(path, kind, {}, Noon()))
    for number, (_, cursor) in enumerate(chunks):
        again = cursor_of(cursor.key, cursor.plain())
        assert again is not None
        rest = [turn for turns, _ in chunks[number + 1 :] for turn in turns]
        found = [turn for turns, _ in read_file(path, kind, {cursor.key: again}, Noon())
                 for turn in turns]  # fmt: skip
        assert {shown(turn) for turn in rest} <= {shown(turn) for turn in found}


def test_a_cursor_that_is_none_is_no_cursor() -> None:
    good = Cursor("k", 5, 1, "t", {"time": "b"}).plain()
    for key, bad in (
        ("offset", -1), ("offset", True), ("offset", "5"), ("line", None), ("tail", 5),
        ("state", []), ("state", {"a": 1}),
    ):  # fmt: skip
        assert cursor_of("k", {**good, key: bad}) is None
    assert cursor_of("k", ["no"]) is None
    assert cursor_of("k", good) == Cursor("k", 5, 1, "t", {"time": "b"})


def test_an_offset_beyond_the_file_or_a_foreign_tail_means_the_start(file: Path) -> None:
    machine = Desk()
    machine.read(file)
    (key,) = machine.cursors
    for cursor in (Cursor(key, 10**9, 5, "x"), Cursor(key, 10, 1, "0" * 16)):
        machine.cursors = {key: cursor}
        assert machine.read(file) == ["one", "two"]


def test_what_is_no_file_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    kind = source("jsonl")
    for path in (tmp_path, tmp_path / "missing.jsonl", Path("nul\0byte"), tmp_path / ("x" * 999)):
        with pytest.raises(BadInput):
            read_file(path, kind, {}, Noon())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and device files of POSIX systems")
def test_pipes_devices_and_symlink_loops_are_refused_without_waiting(tmp_path: Path) -> None:
    pipe, loop = tmp_path / "pipe.jsonl", tmp_path / "loop.jsonl"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    for path in (pipe, loop, Path("/dev/null"), Path("/dev/tty")):
        with pytest.raises(BadInput) as refused:
            read_file(path, source("jsonl"), {}, Noon())
        assert "\n" not in str(refused.value)


@pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="a superuser may read everything",
)
def test_a_file_that_may_not_be_read_is_refused(file: Path) -> None:
    file.chmod(0)
    with pytest.raises(BadInput):
        read_file(file, source("jsonl"), {}, Noon())


def test_a_folder_is_walked_in_order_without_hidden_temporary_or_conflict_copies(
    tmp_path: Path,
) -> None:
    wanted = ["a.jsonl", "b/B.JSONL", "b/c/d.jsonl", "b.jsonl"]
    others = [
        ".hidden.jsonl", ".git/x.jsonl", "x.tmp.jsonl", "x.jsonl.tmp-12", "x.jsonl~", "y.md",
        "x (conflicted copy 2026).jsonl", "x.sync-conflict-20260306.jsonl", "b.tmp/x.jsonl",
    ]  # fmt: skip
    for name in wanted + others:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(row("x"))
    found = walk(tmp_path, source("jsonl"))
    assert [path.relative_to(tmp_path).as_posix() for path in found] == sorted(
        wanted, key=lambda name: Path(name).parts
    )
    assert walk(tmp_path / "y.md", source("jsonl")) == [tmp_path / "y.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need a privilege there")
def test_symlinks_below_a_folder_are_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    outside.mkdir()
    (outside / "a.jsonl").write_bytes(row("x"))
    (folder / "link.jsonl").symlink_to(outside / "a.jsonl")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.jsonl")
    assert walk(folder, source("jsonl")) == []


def test_there_is_nothing_to_walk_at_a_missing_path(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        walk(tmp_path / "missing", source("jsonl"))


@examples(10)
@given(st.lists(st.sampled_from(["yes", "no", "<private>x</private>", "maybe so"]), max_size=12),
       st.lists(st.integers(0, 400), max_size=4))  # fmt: skip
def test_a_file_that_is_written_piece_by_piece_gives_every_turn_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("grow") / "talk.jsonl"
    whole = b"".join(row(text) for text in texts)
    machine, found = Desk(), list[str]()
    for cut in [*sorted(cuts), len(whole)]:
        path.write_bytes(whole[:cut])
        found += [turn.message for turn in machine.turns(path)]
    assert found == [turn.message for turn in Desk().turns(path)]


def test_what_carries_no_time_gets_that_of_its_file_for_good_and_says_so(tmp_path: Path) -> None:
    desk, path = Desk(), tmp_path / "a.jsonl"
    path.write_bytes(row("one"))
    os.utime(path, (0, 1_738_576_800))
    first = desk.turns(path)
    assert [(turn.time, turn.guessed) for turn in first] == [("2025-02-03T10:00:00Z", True)]
    timed = {"role": "user", "content": "three", "timestamp": "2026-03-01T08:00:00Z"}
    with path.open("ab") as stream:  # the file is written to now
        stream.write(row("two") + json.dumps(timed).encode() + b"\n")
    assert [(turn.text, turn.time, turn.guessed) for turn in desk.turns(path)] == [
        ("two", "2025-02-03T10:00:00Z", True), ("three", "2026-03-01T08:00:00Z", False),
    ]  # fmt: skip


def test_a_file_that_was_written_in_the_future_was_written_now(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The oven has two doors.\n", encoding="utf-8")
    os.utime(path, (0, 4_000_000_000))
    (turn,) = Desk("text").turns(path)
    assert (turn.time, turn.guessed) == ("2026-05-01T12:00:00Z", True)
