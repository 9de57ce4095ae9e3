"""What lies on a machine, and what its sources make of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engram.capture.sources import source
from engram.model.errors import BadInput
from engram.queries import source_survey

WRITTEN = {"a.jsonl": 1_770_000_000, "b.jsonl": 1_780_000_000}


class Noon:
    """A clock that stands still."""

    def now(self) -> str:
        return "2026-05-01T12:00:00Z"


class NoDatabase:
    """A database that cannot be opened."""

    def __init__(self, path: Path) -> None:
        raise BadInput(f"{path.name} is no database")

    def tables(self) -> frozenset[str]:
        return frozenset()

    def rows(
        self, query: str, parameters: Sequence[str | int] = ()
    ) -> Iterator[tuple[object, ...]]:
        yield ()


def write(folder: Path, name: str, *lines: object, written: float = 0) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    os.utime(path, (written, written))
    return path


def checked(name: str, *files: Path) -> source_survey.SourceCheck:
    return source_survey.check(source(name), files, Noon(), NoDatabase)


def said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def test_the_stock_is_counted_from_what_folders_say(tmp_path: Path) -> None:
    for name, written in WRITTEN.items():
        write(tmp_path, f"shop/{name}", "x", written=written)
    write(tmp_path, "shop/.hidden.jsonl", "x")
    write(tmp_path, ".hidden/a.jsonl", "x")
    write(tmp_path, "shop/notes.txt", "x")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "shop/a.jsonl")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = source_survey.stock(source("jsonl"), [tmp_path, tmp_path / "nowhere"])
    assert (found.files, found.bytes, found.first, found.last, found.complete) == (
        2, 8, "2026-02-02", "2026-05-28", True,
    )  # fmt: skip


def test_a_file_that_is_a_place_is_counted_whatever_its_name(tmp_path: Path) -> None:
    transaction_log = write(tmp_path, ".history", "x", written=WRITTEN["a.jsonl"])
    found = source_survey.stock(source("aider"), [transaction_log])
    assert (found.files, found.first, found.verified) == (1, "2026-02-02", "2026-11-20")


def test_a_time_that_is_none_is_the_first_there_is(tmp_path: Path) -> None:
    write(tmp_path, "a.jsonl", "x", written=-86_400)
    assert source_survey.stock(source("jsonl"), [tmp_path]).first == "1970-01-01"


def test_counting_stops_where_there_is_too_much(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path, f"{number}.jsonl", "x")
    found = source_survey.stock(source("jsonl"), [tmp_path], most=3)
    assert (found.files, found.complete) == (3, False)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_closed_folder_does_not_stop_the_count(tmp_path: Path) -> None:
    write(tmp_path, "shut/a.jsonl", "x")
    write(tmp_path, "b.jsonl", "x")
    (tmp_path / "shut").chmod(0)
    try:
        assert source_survey.stock(source("jsonl"), [tmp_path]).files == 1
    finally:
        (tmp_path / "shut").chmod(0o755)


def test_transcripts_are_read_and_only_counted(tmp_path: Path) -> None:
    told: list[int] = []
    path = write(
        tmp_path, "a.jsonl", said("user", "hi"), said("assistant", "ho"), said("bard", "x")
    )
    found = source_survey.check(source("jsonl"), [path], Noon(), NoDatabase, told.append)
    assert (found.files, found.user_turns, found.assistant_turns) == (1, 1, 1)
    assert (found.tally.lines, found.tally.unknown) == (3, {"bard": 1})
    assert told == [path.stat().st_size] and found.problems == []


def test_what_cannot_be_read_does_not_stop_the_rest(tmp_path: Path) -> None:
    gone, there = tmp_path / "gone.jsonl", write(tmp_path, "a.jsonl", said("user", "hi"))
    database = tmp_path / "opencode.db"
    database.write_bytes(b"SQLite format 3\0")
    found = checked("jsonl", gone, there)
    assert (found.files, found.user_turns) == (1, 1)
    assert [path for path, _ in found.problems] == [str(gone)]
    assert checked("opencode", database).problems == [(str(database), "opencode.db is no database")]
    [finding] = source_survey.findings([found])
    assert (finding.code, finding.subject, finding.severity) == ("unreadable", str(gone), "warning")


def test_a_clean_reading_finds_nothing(tmp_path: Path) -> None:
    assert (
        source_survey.findings([checked("jsonl", write(tmp_path, "a.jsonl", said("user", "hi")))])
        == []
    )


def test_each_strange_thing_is_a_warning_with_one_fix(tmp_path: Path) -> None:
    lines = [{"type": f"t{number}", "sessionId": "s"} for number in range(10)] * 4
    path = write(tmp_path, "a.jsonl", *lines, "no object")
    found = source_survey.findings([checked("claude-code", path)])
    assert [finding.code for finding in found] == ["silent", "unparsed", "unknown"]
    assert all(finding.severity == "warning" and finding.fix for finding in found)
    assert "t0 (4), t1 (4)" in found[2].message and found[2].message.endswith("and 2 more")
    assert "2026-11-20" in found[2].fix


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        (None, True),
        ('{"model": "x"}', True),
        ("[1]", True),
        ("{torn", True),
        ("[" * 100_000, True),
        ('\ufeff{"cleanupPeriodDays": 30}', False),
    ],
)
def test_transcripts_that_go_by_themselves_are_warned_of(
    tmp_path: Path, settings: str | None, warned: bool
) -> None:
    if settings is not None:
        (tmp_path / "settings.json").write_text(settings, "utf-8")
    found = source_survey.cleanup([tmp_path / "projects"])
    assert [finding.code for finding in found] == ["cleanup"] * warned
