"""Turns lie by quarters of a year: one that is over is left as it is, and yet can be changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engram.index.whoosh_finder import WhooshFinder
from engram.model.hit import Document, Hints, place_in

NOVEMBER, MARCH, APRIL = "2025-11-30", "2026-03-31", "2026-04-01"


def turn(key: str, body: str, day: str, ordinal: int = 1) -> Document:
    return Document(key, "turns", "", body, day, "Anna", place_in(key, ordinal))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def finder(folder: Path) -> WhooshFinder:
    made = WhooshFinder(folder)
    days = (NOVEMBER, MARCH, APRIL, "")
    made.rebuild(turn(f"{day or 'undated'}", f"tea {n}", day) for n, day in enumerate(days))
    return made


def keys(finder: WhooshFinder, query: str, hints: Hints = Hints()) -> list[str]:
    return sorted(found.key for found in finder.find(query, "turns", 99, hints))


def files(folder: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """The files of the turns by quarter, each with inode and time of last change."""
    current = folder / (folder / "CURRENT").read_text(encoding="ascii").strip() / "turns"
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for path in current.iterdir():
        name = re.findall(r"y\d{4}q\d|undated", path.name)[0]
        found.setdefault(name, {})[path.name] = (path.stat().st_ino, path.stat().st_mtime_ns)
    return found


def test_every_quarter_is_an_index_of_its_own_and_all_are_searched(
    finder: WhooshFinder, folder: Path
) -> None:
    assert set(files(folder)) == {"y2025q4", "y2026q1", "y2026q2", "undated"}
    assert keys(finder, "tea") == [NOVEMBER, MARCH, APRIL, "undated"]
    assert finder.state().turns == 4


@pytest.mark.parametrize(
    ("day", "quarter"),
    [
        ("2026-01-01", "y2026q1"), ("2026-06-30", "y2026q2"), ("2026-07-01", "y2026q3"),
        ("2026-12-31", "y2026q4"), ("1999-12-31", "y1999q4"), ("9999-01-01", "y9999q1"),
        ("", "undated"),
    ],
)  # fmt: skip
def test_a_day_lies_in_its_quarter(day: str, quarter: str, folder: Path) -> None:
    WhooshFinder(folder).rebuild([turn("t", "tea", day)])
    assert list(files(folder)) == [quarter]


def test_an_update_of_one_quarter_leaves_the_files_of_the_others_untouched(
    finder: WhooshFinder, folder: Path
) -> None:
    before = files(folder)
    for number in range(8):  # enough for merges
        finder.update([turn(f"new{number}", "cake", APRIL)], [])
    after = files(folder)
    assert after.pop("y2026q2") != before.pop("y2026q2")
    assert after == before
    assert keys(finder, "cake") == [f"new{number}" for number in range(8)]


def test_a_change_of_a_memory_leaves_all_turns_untouched(
    finder: WhooshFinder, folder: Path
) -> None:
    before = files(folder)
    finder.update([Document("m", "memories", "", "tea", APRIL)], [("memories", "n")])
    assert files(folder) == before


def test_a_key_is_removed_whichever_quarter_it_lies_in(finder: WhooshFinder, folder: Path) -> None:
    before = files(folder)
    finder.update([], [("turns", NOVEMBER), ("turns", "undated"), ("turns", "unknown")])
    assert keys(finder, "tea") == [MARCH, APRIL]
    after = files(folder)
    assert (after["y2026q1"], after["y2026q2"]) == (before["y2026q1"], before["y2026q2"])
    assert finder.state().turns == 2
    finder.update([turn(NOVEMBER, "tea", NOVEMBER)], [])
    assert keys(finder, "tea") == [NOVEMBER, MARCH, APRIL]


def test_a_turn_whose_day_changes_moves(finder: WhooshFinder) -> None:
    finder.update([turn(NOVEMBER, "cake", APRIL)], [])
    assert keys(finder, "tea cake", Hints(since=APRIL)) == [NOVEMBER, APRIL]
    assert keys(finder, "tea cake", Hints(before=MARCH)) == ["undated"]
    assert finder.state().turns == 4


def test_of_documents_of_one_key_the_last_stays_whatever_quarters_they_lie_in(
    folder: Path,
) -> None:
    finder = WhooshFinder(folder)
    finder.rebuild(
        turn(key, f"tea {n}", day)
        for n, (key, day) in enumerate(
            [("a", APRIL), ("b", MARCH), ("a", MARCH), ("b", ""), ("a", APRIL), ("b", "")]
        )
    )
    assert [keys(finder, str(n)) for n in range(6)] == [[], [], [], [], ["a"], ["b"]]
    assert finder.state().turns == 2


def test_an_emptied_quarter_finds_nothing_and_takes_turns_again(finder: WhooshFinder) -> None:
    everything = [("turns", key) for key in (NOVEMBER, MARCH, APRIL, "undated")]
    finder.update([], everything)  # type: ignore[arg-type]
    assert keys(finder, "tea Anna", Hints(prefixes=("te",), when=True)) == []
    assert finder.state().turns == 0
    finder.update([turn("new", "tea", MARCH)], [])
    assert keys(finder, "tea") == ["new"]


def test_a_turn_taken_out_beside_one_that_is_found_is_no_error(folder: Path) -> None:
    """Its speaker is asked for, and its place is that of a neighbour."""
    finder = WhooshFinder(folder)
    said = [("a", "hello", "Anna"), ("b", "tea with Anna", "Bob"), ("c", "cake", "Anna")]
    finder.rebuild(
        Document(key, "turns", "", body, MARCH, speaker, place_in("talk", n))
        for n, (key, body, speaker) in enumerate(said, 1)
    )
    finder.update([], [("turns", "a"), ("turns", "c")])
    assert keys(finder, "Anna tea") == ["b"]


def test_neighbours_on_both_sides_of_new_year_are_neighbours(folder: Path) -> None:
    finder = WhooshFinder(folder)
    finder.rebuild(
        Document(f"t{n}", "turns", "", body, day, "", place_in("talk", n))
        for n, (body, day) in enumerate([("marzipan?", "2025-12-31"), ("yes", "2026-01-01")], 1)
    )
    assert keys(finder, "marzipan") == ["t1", "t2"]
