"""Databases of other programs: what is read, what is refused, and that nothing is left behind."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.store.base.foreign_database import ForeignDatabase
from tests.effort import examples

#: Writes pairs of rows, each in one transaction, until its input ends.
_WRITER = """
import sqlite3, sys, threading
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("pragma wal_autocheckpoint = 5")
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
written = 0
while not ended.is_set() and written < 5000:
    database.execute("begin")
    for _ in range(2):
        database.execute("insert into talk (text) values ('tea')")
    database.execute("commit")
    written += 1
    if written == 1:
        print("ready", flush=True)
"""


def made(path: Path, *statements: str, mode: str = "delete") -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"pragma journal_mode = {mode}")
        for statement in ("create table talk (id integer primary key, text)", *statements):
            database.execute(statement)
    return path


def words(path: Path, most: int = 1000) -> list[object]:
    return [text for (text,) in ForeignDatabase(path, most).rows("select text from talk")]


def folder_of(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in path.parent.iterdir()}


def test_rows_and_tables_are_given(tmp_path: Path) -> None:
    path = made(tmp_path / "a b#?%.db", "insert into talk values (1, 'tea'), (2, null)")
    database = ForeignDatabase(path)
    assert database.tables() == {"talk"}
    assert list(database.rows("select * from talk where id > ? order by id", (0,))) == [
        (1, "tea"),
        (2, None),
    ]


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_file_and_its_folder_stay_as_they_are(tmp_path: Path, mode: str) -> None:
    path = made(tmp_path / "a.db", "insert into talk values (1, 'tea')", mode=mode)
    before = folder_of(path)
    assert words(path) == ["tea"]
    assert folder_of(path) == before
    assert list(before) == ["a.db"]


def test_what_a_running_program_wrote_is_seen_and_not_only_what_it_tidied_up(
    tmp_path: Path,
) -> None:
    path = made(tmp_path / "a.db", mode="wal")
    with closing(sqlite3.connect(path, isolation_level=None)) as program:
        program.execute("insert into talk values (1, 'in the log')")
        before = sorted(folder_of(path))
        assert words(path) == ["in the log"]
        assert sorted(folder_of(path)) == before
        reading = ForeignDatabase(path).rows("select text from talk order by id")
        assert next(reading) == ("in the log",)
        program.execute("insert into talk values (2, 'meanwhile')")
        assert list(reading) == []
        assert words(path) == ["in the log", "meanwhile"]
    assert words(path) == ["in the log", "meanwhile"]


def test_what_another_process_writes_meanwhile_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", mode="wal")
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    seen: list[int] = []
    try:
        writer.stdout.readline()
        for _ in range(20):
            found = words(path)
            assert found == ["tea"] * len(found)
            assert len(found) % 2 == 0
            seen.append(len(found))
    finally:
        writer.communicate()
    assert seen == sorted(seen)
    assert len(words(path)) >= seen[-1] > 0


def test_a_writer_in_the_middle_of_its_work_keeps_nobody_out_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.store.base.foreign_database._PATIENCE", 0.01)
    path = made(tmp_path / "a.db", "insert into talk values (1, 'tea')")
    with closing(sqlite3.connect(path, isolation_level=None)) as program:
        program.execute("begin immediate")
        assert words(path) == ["tea"]
        program.execute("commit")
        program.execute("begin exclusive")
        with pytest.raises(BadInput, match="locked") as refused:
            words(path)
        assert "close the program" in refused.value.hint
        program.execute("rollback")
    assert words(path) == ["tea"]


def test_a_reader_that_stops_early_leaves_the_program_free(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "insert into talk values (1, 'a'), (2, 'b')")
    reading = ForeignDatabase(path).rows("select text from talk")
    next(reading)
    reading.close()  # type: ignore[attr-defined]
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as program:
        program.execute("delete from talk")
    assert words(path) == []


def test_a_resting_file_that_is_written_while_it_is_read_is_said(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "insert into talk values (1, 'a'), (2, 'b')", mode="wal")
    reading = ForeignDatabase(path).rows("select text from talk order by id")
    assert next(reading) == ("a",)
    with closing(sqlite3.connect(path, isolation_level=None)) as program:
        program.execute("insert into talk values (3, 'c')")
    os.utime(path, ns=(1, 1))
    with pytest.raises(BadInput, match="written while it was read"):
        list(reading)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="a superuser may write anywhere")
def test_a_log_in_a_folder_that_is_read_only_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    path = made(folder / "a.db", "insert into talk values (1, 'tea')", mode="wal")
    (folder / "a.db-wal").write_bytes(b"x" * 100)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert words(path) == ["tea"]
    finally:
        folder.chmod(stat.S_IRWXU)


def test_a_value_that_is_too_long_is_null_counted_in_bytes(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        values = ["ä" * 5, "ä" * 6, b"x" * 10, b"x" * 11, 10**12]
        database.executemany("insert into talk (text) values (?)", [(one,) for one in values])
    assert words(path, 10) == ["ä" * 5, None, b"x" * 10, None, 10**12]


def test_text_that_is_no_utf8_is_replaced(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "insert into talk values (1, cast(x'61ff62' as text))")
    assert words(path) == ["a\ufffdb"]


@pytest.mark.parametrize(
    "statement",
    [
        "delete from talk",
        "select * from nowhere",
        "select load_extension('x')",
        "no sql",
    ],
)
def test_it_is_asked_and_never_told(tmp_path: Path, statement: str) -> None:
    path = made(tmp_path / "a.db", "insert into talk values (1, 'tea')")
    before = folder_of(path)
    try:
        list(ForeignDatabase(path).rows(statement))
    except BadInput as refused:
        assert "a.db" in str(refused)
    assert folder_of(path) == before


@pytest.mark.parametrize("content", [None, b"", b"words, no database", b"SQLite format 3\0" * 300])
def test_what_is_no_database_is_refused_or_empty(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.db"
    if content is not None:
        path.write_bytes(content)
    if content == b"":
        assert ForeignDatabase(path).tables() == frozenset()
        return
    with pytest.raises(BadInput, match=r"a\.db"):
        ForeignDatabase(path).tables()
    assert path.exists() == (content is not None)


@examples(10)
@given(st.integers(0, 12_000), st.binary(min_size=1, max_size=64))
def test_damage_is_refused_or_read_past(
    tmp_path_factory: pytest.TempPathFactory, at: int, damage: bytes
) -> None:
    path = made(
        tmp_path_factory.mktemp("damaged") / "a.db",
        *(f"insert into talk values ({number}, '{'x' * 500}')" for number in range(20)),
    )
    data = bytearray(path.read_bytes())
    data[at : at + len(damage)] = damage
    path.write_bytes(data)
    try:
        ForeignDatabase(path).tables()
        words(path)
    except BadInput as refused:
        assert "a.db" in str(refused)
