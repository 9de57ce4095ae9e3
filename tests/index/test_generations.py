"""The index folder: what is published is whole, ours and private, or it is not opened."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from engram.index.contract import IndexUnusable
from engram.index.generations import Generations, Manifest

posix = pytest.mark.skipif(os.name == "nt", reason="modes and owners are those of POSIX")


def publish(generations: Generations, text: str, seen: int | None = None) -> None:
    """A first generation, or one that adds a file to the last."""
    try:
        base = generations.current()
    except IndexUnusable:
        base = None
    with generations.building(base) as build:
        (build / "turns" / text).write_text(text, encoding="utf-8")
        generations.publish(build, Manifest("maker 1", "1", 0, 1, seen), base)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index"


@pytest.fixture
def generations(folder: Path) -> Generations:
    made = Generations(folder)
    publish(made, "one", seen=1)
    return made


def refused(generations: Generations) -> str:
    with pytest.raises(IndexUnusable) as caught:
        generations.current()
    return str(caught.value)


def test_a_missing_folder_is_no_index(tmp_path: Path) -> None:
    assert "no index yet" in refused(Generations(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()


def test_a_published_generation_tells_what_it_was_told(generations: Generations) -> None:
    current = generations.current()
    assert current.number == 1
    assert (current.manifest.made_by, current.manifest.turns, current.manifest.seen) == (
        "maker 1",
        1,
        1,
    )
    assert list(current.manifest.files) == ["turns/one"]


def test_an_update_shares_the_files_of_the_last(generations: Generations, folder: Path) -> None:
    publish(generations, "two", seen=2)
    current = generations.current()
    assert sorted(current.manifest.files) == ["turns/one", "turns/two"]
    assert (current.folder / "turns" / "one").read_text(encoding="utf-8") == "one"
    assert sorted(os.listdir(folder)) == ["CURRENT", "gen-1", "gen-2"]


def test_the_last_but_one_stays_for_readers_and_older_ones_go(
    generations: Generations, folder: Path
) -> None:
    for name in ("two", "three", "four"):
        publish(generations, name)
    assert sorted(os.listdir(folder)) == ["CURRENT", "gen-3", "gen-4"]


def test_one_that_was_built_anew_stands_alone(generations: Generations, folder: Path) -> None:
    with generations.building(None) as build:
        (build / "turns" / "new").write_text("new", encoding="utf-8")
        generations.publish(build, Manifest("maker 1", "1"), None)
    assert sorted(os.listdir(folder)) == ["CURRENT", "gen-2"]


def test_a_build_that_fails_leaves_the_last_in_force(
    generations: Generations, folder: Path
) -> None:
    with pytest.raises(KeyError), generations.building(generations.current()) as build:
        (build / "turns" / "half").write_text("half", encoding="utf-8")
        raise KeyError("half way")
    assert generations.current().number == 1
    assert sorted(os.listdir(folder)) == ["CURRENT", "gen-1"]


def test_leftovers_of_a_killed_writer_are_ignored_and_removed(
    generations: Generations, folder: Path
) -> None:
    shutil.copytree(folder / "gen-1", folder / ".build-99999")
    shutil.copytree(folder / "gen-1", folder / "gen-7")  # renamed, but never pointed to
    (folder / ".CURRENT-99999").write_text("gen-7", encoding="utf-8")
    assert generations.current().number == 1
    publish(generations, "two")
    assert generations.current().number == 8
    assert sorted(os.listdir(folder)) == ["CURRENT", "gen-1", "gen-8"]


def test_every_crash_point_of_a_publication_leaves_a_whole_index(
    generations: Generations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The k-th call that makes something durable or visible fails, for every k."""
    calls = {"left": 0}

    def failing(real):  # type: ignore[no-untyped-def]
        def call(*args, **kwargs):  # type: ignore[no-untyped-def]
            calls["left"] -= 1
            if calls["left"] == 0:
                raise OSError("power cut")
            return real(*args, **kwargs)

        return call

    survived = 0
    for k in range(1, 40):
        before = generations.current()
        calls["left"] = k
        with monkeypatch.context() as patch:
            for name in ("fsync", "rename", "replace", "mkdir"):
                patch.setattr(os, name, failing(getattr(os, name)))
            try:
                publish(generations, f"file{k}", seen=k)
                done = True
            except OSError:
                done = False
        current = generations.current()
        assert current.manifest.seen in (before.manifest.seen, k)
        names = {Path(name).name for name in current.manifest.files}
        assert (f"file{k}" in names) == (current.manifest.seen == k)
        survived += done
    assert 0 < survived < 39


def test_drop_removes_all_that_is_ours_and_nothing_else(
    generations: Generations, folder: Path
) -> None:
    publish(generations, "two")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / ".build-1").mkdir()
    generations.drop()
    assert os.listdir(folder) == ["notes.txt"]
    assert "no index yet" in refused(generations)
    Generations(folder / "missing").drop()


@posix
def test_everything_is_private(generations: Generations, folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


@posix
@pytest.mark.parametrize("name", ["", "gen-1", "gen-1/turns"])
def test_a_folder_open_to_others_is_refused(
    generations: Generations, folder: Path, name: str
) -> None:
    (folder / name).chmod(0o755)
    assert "open to others" in refused(generations)


@posix
@pytest.mark.parametrize("name", ["CURRENT", "gen-1/manifest.json", "gen-1/turns/one"])
def test_a_file_open_to_others_is_refused(
    generations: Generations, folder: Path, name: str
) -> None:
    (folder / name).chmod(0o644)
    assert "not a private file of yours" in refused(generations)


@posix
def test_what_lay_open_is_removed_and_not_built_upon(
    generations: Generations, folder: Path
) -> None:
    folder.chmod(0o777)
    with generations.building(None) as build:
        (build / "turns" / "new").write_text("new", encoding="utf-8")
        generations.publish(build, Manifest("maker 1", "1"), None)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(generations.current().manifest.files) == ["turns/new"]


@posix
def test_a_link_in_place_of_the_folder_is_not_followed(
    generations: Generations, folder: Path
) -> None:
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(elsewhere)
    assert "not a folder of yours" in refused(generations)
    with pytest.raises(IndexUnusable), generations.building(None):
        pass
    generations.drop()
    assert (elsewhere / "gen-1").exists()


@posix
@pytest.mark.parametrize("name", ["CURRENT", "gen-1/manifest.json", "gen-1/turns/one"])
def test_a_link_in_place_of_a_file_is_not_followed(
    generations: Generations, folder: Path, name: str
) -> None:
    moved = (folder / name).rename(folder.parent / "moved")
    (folder / name).symlink_to(moved)
    assert "not a private file of yours" in refused(generations)


def test_a_file_that_was_added_is_refused(generations: Generations, folder: Path) -> None:
    planted = folder / "gen-1" / "turns" / "planted"
    planted.write_text("x", encoding="utf-8")
    planted.chmod(0o600)
    assert "not those that engram wrote" in refused(generations)


def test_a_folder_that_was_added_is_refused(generations: Generations, folder: Path) -> None:
    (folder / "gen-1" / "more").mkdir(mode=0o700)
    assert "did not put there" in refused(generations)


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_refused(
    generations: Generations, folder: Path
) -> None:
    target = folder / "gen-1" / "turns" / "one"
    times = target.stat()
    other = target.with_name("other")
    other.write_text("eno", encoding="utf-8")
    other.chmod(0o600)
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace(other, target)
    assert "not those that engram wrote" in refused(generations)


def test_a_file_cut_short_is_refused(generations: Generations, folder: Path) -> None:
    os.truncate(folder / "gen-1" / "turns" / "one", 1)
    assert "not those that engram wrote" in refused(generations)


def test_a_copy_from_another_machine_is_refused(generations: Generations, folder: Path) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    assert "not those that engram wrote" in refused(Generations(copy))


@pytest.mark.parametrize("name", ["CURRENT", "gen-1", "gen-1/manifest.json", "gen-1/turns"])
def test_a_missing_part_is_refused(generations: Generations, folder: Path, name: str) -> None:
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert refused(generations)


@pytest.mark.parametrize("pointer", ["", "gen-", "gen-1/../gen-1", "/etc", "gen-99", "\x00"])
def test_a_damaged_pointer_is_refused(generations: Generations, folder: Path, pointer: str) -> None:
    (folder / "CURRENT").write_text(pointer, encoding="utf-8")
    assert refused(generations)


@pytest.mark.parametrize(
    "change",
    [
        "", "[]", "null", "{}", "[" * 60_000, '{"files": 3}', "\x00",
        {"seen": "3"}, {"seen": True}, {"memories": None}, {"turns": 1.5}, {"files": {"a": 1}},
        {"unknown": 1}, {"files": {"../x": [1, 2, 3]}},
    ],
)  # fmt: skip
def test_a_damaged_manifest_is_refused(
    generations: Generations, folder: Path, change: str | dict[str, object]
) -> None:
    path = folder / "gen-1" / "manifest.json"
    if isinstance(change, dict):
        change = json.dumps(json.loads(path.read_text(encoding="utf-8")) | change)
    path.write_text(change, encoding="utf-8")
    assert refused(generations)


def test_an_overlong_record_is_not_read(generations: Generations, folder: Path) -> None:
    (folder / "CURRENT").write_bytes(b" " * (2 << 20))
    assert "too large" in refused(generations)
