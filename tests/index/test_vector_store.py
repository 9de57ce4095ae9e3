"""The store of vectors: what lies near, what a crash or another model leaves, damaged files."""

from __future__ import annotations

import os
import sqlite3
import stat
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.index.vector_store import OtherDimensions, VectorState, VectorStore, VectorsUnusable
from tests.effort import examples

NORTH, EAST, NORTH_EAST = (1.0, 0.0), (0.0, 3.0), (2.0, 2.0)


def store(tmp_path: Path, **vectors: tuple[float, ...]) -> VectorStore:
    made = VectorStore(tmp_path / "vectors")
    made.begin("m", 0)
    for key, vector in vectors.items():
        made.put("turns", [(key, f"of {key}")], [vector])
    return made


def near(made: VectorStore, vector: tuple[float, ...]) -> list[tuple[str, float]]:
    found = made.near("turns", vector)
    return [(key, round(cosine, 4)) for key, cosine in chain.from_iterable(found.nearest())]


def test_what_lies_near_comes_first_whatever_its_length(tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH, b=EAST, c=NORTH_EAST)
    assert near(made, (5.0, 0.1)) == [("a", 0.9998), ("c", 0.7211), ("b", 0.02)]
    found = made.near("turns", NORTH)
    assert found.of(["b", "nobody", "a"]) == pytest.approx({"a": 1.0, "b": 0.0})
    assert found.spread == pytest.approx((0.0, (1 + 0.70711) / 3, 1.0), abs=1e-4)
    assert (made.holds("turns"), made.holds("memories")) == (True, False)
    assert made.state() == VectorState("m", 2, 0, 0, 3)


@examples(30)
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3).filter(any), min_size=1, max_size=200))
def test_each_is_named_once_in_the_order_of_its_cosine(vectors: list[tuple[int, ...]]) -> None:
    with TemporaryDirectory() as folder:
        made = VectorStore(Path(folder) / "vectors")
        made.begin("m", 0)
        keys = [(f"{number:03}", "") for number in range(len(vectors))]
        made.put("memories", keys, vectors)
        found = made.near("memories", (1.0, 2.0, 3.0))
        named = list(chain.from_iterable(found.nearest()))
    assert sorted(key for key, _ in named) == [key for key, _ in keys]
    assert [cosine for _, cosine in named] == sorted((one for _, one in named), reverse=True)


def test_a_new_vector_of_a_key_takes_the_place_of_the_old(tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH, b=EAST)
    made.put("turns", [("a", "another")], [EAST])
    assert near(made, EAST) == [("b", 1.0), ("a", 1.0)]
    assert made.stamps("turns") == {"a": "another", "b": "of b"}
    size = (tmp_path / "vectors" / "turns.f32").stat().st_size
    made.put("turns", [("c", "")], [NORTH])  # in the row that is free now
    assert (tmp_path / "vectors" / "turns.f32").stat().st_size == size
    assert near(made, NORTH)[0] == ("c", 1.0)


def test_what_is_removed_is_found_no_more(tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH, b=EAST, c=NORTH_EAST)
    made.remove("turns", ["b", "nobody"])
    assert [key for key, _ in near(made, EAST)] == ["c", "a"]
    made.remove("turns", ["a", "c"])
    assert not made.holds("turns")


def test_bytes_that_no_record_names_are_not_read(tmp_path: Path) -> None:
    """What a process leaves that was killed between the bytes and the record."""
    made = store(tmp_path, a=NORTH)
    with (tmp_path / "vectors" / "turns.f32").open("ab") as file:
        file.write(b"\xff" * 80)
    assert near(made, NORTH) == [("a", 1.0)]
    made.put("turns", [("b", "")], [EAST])
    assert near(made, EAST) == [("b", 1.0), ("a", 0.0)]


def test_vectors_of_another_length_are_refused_and_change_nothing(tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH)
    with pytest.raises(OtherDimensions):
        made.put("turns", [("a", "longer")], [(1.0, 0.0, 0.0)])
    with pytest.raises(OtherDimensions):
        made.near("turns", (1.0, 0.0, 0.0))
    assert made.stamps("turns") == {"a": "of a"}


@pytest.mark.parametrize("model, purge", [("another", 0), ("m", 7)])
def test_another_model_or_a_purge_removes_what_there_is(
    model: str, purge: int, tmp_path: Path
) -> None:
    made = store(tmp_path, a=NORTH)
    made.begin("m", 0)
    assert made.state().turns == 1
    made.begin(model, purge)
    assert made.state() == VectorState(model, 0, purge)
    made.put("turns", [("a", "")], [(1.0, 0.0, 0.0)])


def cut_rows(folder: Path) -> None:
    (folder / "turns.f32").write_bytes(b"\0" * 7)


def no_rows(folder: Path) -> None:
    (folder / "turns.f32").unlink()


def no_database(folder: Path) -> None:
    (folder / "vectors.sqlite").write_bytes(b"no database at all" * 100)


def another_form(folder: Path) -> None:
    with sqlite3.connect(folder / "vectors.sqlite") as db:
        db.execute("pragma user_version = 99")


def empty_database(folder: Path) -> None:
    (folder / "vectors.sqlite").write_bytes(b"")


DAMAGES = [cut_rows, no_rows, no_database, another_form, empty_database]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_store_holds_nothing_and_is_made_anew(damage: object, tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH)
    assert callable(damage)
    damage(tmp_path / "vectors")
    assert made.state() == VectorState()
    with pytest.raises(VectorsUnusable):
        made.near("turns", NORTH)
    made.begin("m", 0)
    made.put("turns", [("b", "")], [EAST])
    assert near(made, EAST) == [("b", 1.0)]


def test_numbers_that_are_none_are_the_farthest(tmp_path: Path) -> None:
    made = store(tmp_path, a=NORTH, b=EAST)
    path = tmp_path / "vectors" / "turns.f32"
    path.write_bytes(b"\xff" * 8 + path.read_bytes()[8:])
    assert near(made, NORTH) == [("b", 0.0), ("a", -1.0)]


@pytest.mark.skipif(os.name == "nt", reason="modes are of another kind there")
def test_the_files_are_the_users_alone(tmp_path: Path) -> None:
    store(tmp_path, a=NORTH)
    folder = tmp_path / "vectors"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("a file", encoding="utf-8")
    made = VectorStore(tmp_path / "vectors")
    assert made.state() == VectorState()
    with pytest.raises(VectorsUnusable):
        made.begin("m", 0)
