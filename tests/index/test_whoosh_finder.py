"""What only the index on disk can do wrong: damage, foreign files, crashes, other processes."""

from __future__ import annotations

import errno
import gc
import logging
import os
import pickle
import random
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from engram.index.contract import IndexUnusable
from engram.index.generations import Generation
from engram.index.whoosh_finder import WhooshFinder
from engram.model.hit import Document


def memory(key: str, body: str) -> Document:
    return Document(key, "memories", "", body)


def keys(finder: WhooshFinder, query: str) -> list[str]:
    return [found.key for found in finder.find(query, "memories", 10)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def finder(folder: Path) -> WhooshFinder:
    made = WhooshFinder(folder)
    made.rebuild([memory("a", "postgres"), memory("b", "sqlite")], seen=1)
    return made


def part(folder: Path, ending: str) -> Path:
    """The file of the memories with that ending, in the generation in force."""
    current = folder / (folder / "CURRENT").read_text(encoding="ascii").strip()
    return next(path for path in (current / "memories").iterdir() if path.name.endswith(ending))


class Bomb:
    """A pickle that creates a file when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (str(self.path), "w")


def test_postings_that_are_written_before_a_batch_is_complete_are_found_like_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [
        memory(f"m{number % 30}", f"redis shard{number} of {number % 7}") for number in range(40)
    ]
    at_once, spilled = WhooshFinder(folder), WhooshFinder(folder.with_name("spilled"))
    for finder, most in ((at_once, 10**7), (spilled, 20)):
        monkeypatch.setattr("engram.index.collection_writer._MOST_HELD", most)
        finder.rebuild(said, seen=1)
        finder.update(said[:9], [("memories", "m20")], seen=2)
    for asked in ("redis", "shard35", "shard5", "redis 3"):
        found = at_once.find(asked, "memories", 99)
        assert spilled.find(asked, "memories", 99) == found
    assert len(spilled.find("redis", "memories", 99)) == 29


def test_segments_have_names_of_their_own_however_a_program_seeds_its_numbers(
    finder: WhooshFinder,
) -> None:
    for number in range(40):
        random.seed(0)
        finder.update([memory(f"m{number}", "redis")], [])
    assert len(finder.find("redis", "memories", 99)) == 40


def test_an_open_index_is_not_copied_into_memory(finder: WhooshFinder, folder: Path) -> None:
    words = (" ".join(f"w{number}x{place}" for place in range(40)) for number in range(500))
    finder.rebuild(memory(f"k{number}", text) for number, text in enumerate(words))
    size = part(folder, ".seg").stat().st_size
    finder.close()
    finder.find("absent", "memories", 1)
    finder.close()
    tracemalloc.start()
    try:
        assert finder.find("w7x3", "memories", 1)[0].key == "k7"
        assert tracemalloc.get_traced_memory()[0] < size / 4
    finally:
        tracemalloc.stop()


def test_importing_the_index_imports_no_whoosh() -> None:
    code = (
        "import sys, engram.index, engram.index.whoosh_finder, engram.index.memory_finder\n"
        "assert not any(name.split('.')[0] == 'whoosh' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_importing_whoosh_imports_no_network_module() -> None:
    code = (
        "import sys, engram.index.whoosh_index\n"
        "assert not {'http.client', 'ssl', 'asyncio', 'email'} & set(sys.modules)\n"
        "import urllib.request, cached_property, whoosh.reading\n"
        "assert urllib.request.urlopen and cached_property.threaded_cached_property"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_importing_whoosh_beside_a_thread_stands_in_for_no_module() -> None:
    code = (
        "import sys, threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "import engram.index.whoosh_index\n"
        "assert {'urllib.request', 'cached_property'} <= set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_another_process_finds_what_this_one_published(finder: WhooshFinder, folder: Path) -> None:
    other = WhooshFinder(folder)
    assert keys(other, "postgres") == ["a"]
    finder.update([memory("c", "postgres")], [], seen=2)
    assert keys(other, "postgres") == ["a", "c"]
    finder.rebuild([memory("d", "postgres")])
    assert keys(other, "postgres") == ["d"]
    assert other.state().generation == 3


def test_a_dropped_and_rebuilt_index_shows_nothing_old_to_an_open_reader(
    finder: WhooshFinder, folder: Path
) -> None:
    other = WhooshFinder(folder)
    assert keys(other, "postgres") == ["a"]
    finder.drop()
    finder.rebuild([memory("z", "mysql")])
    assert keys(other, "postgres") == []
    assert keys(other, "mysql") == ["z"]


def test_searches_go_on_while_another_thread_writes(finder: WhooshFinder) -> None:
    failures: list[Exception] = []

    def search() -> None:
        try:
            for _ in range(30):
                assert "a" in keys(finder, "postgres")
        except Exception as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(5):
        finder.update([memory(f"n{n}", "postgres")], [], seen=n + 2)
    for thread in threads:
        thread.join()
    assert failures == []
    assert finder.state().memories == 7


@pytest.mark.parametrize("ending", [".toc", ".seg"])
def test_a_planted_pickle_is_never_opened(finder: WhooshFinder, folder: Path, ending: str) -> None:
    trap = folder.parent / "sprung"
    path = part(folder, ending)
    planted = pickle.dumps(Bomb(trap))
    path.write_bytes(planted.ljust(path.stat().st_size, b"."))
    fresh = WhooshFinder(folder)
    assert not fresh.state().usable
    with pytest.raises(IndexUnusable, match="not those that engram wrote"):
        fresh.find("postgres", "memories", 5)
    with pytest.raises(IndexUnusable):
        fresh.update([memory("c", "x")], [])
    assert not trap.exists()


def test_a_planted_pickle_would_run_if_it_were_opened(tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    pickle.loads(pickle.dumps(Bomb(tmp_path / "sprung"))).close()
    assert (tmp_path / "sprung").exists()


def test_an_unusable_index_is_replaced_by_a_rebuild(finder: WhooshFinder, folder: Path) -> None:
    part(folder, ".seg").write_bytes(b"")
    fresh = WhooshFinder(folder)
    with pytest.raises(IndexUnusable):
        keys(fresh, "postgres")
    fresh.rebuild([memory("a", "postgres")])
    assert keys(fresh, "postgres") == ["a"]
    assert fresh.state().usable
    assert fresh.state().seen is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("ending", "share"), [(".toc", 1.0), (".seg", 0.5)])
def test_damage_that_keeps_every_mark_is_reported_and_counted(
    finder: WhooshFinder,
    folder: Path,
    ending: str,
    share: float,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Bits that rot change neither size nor time: then it is Whoosh that raises, this or that."""
    path = part(folder, ending)
    times = path.stat()
    with path.open("r+b") as file:
        file.seek(16)
        file.write(b"\xff" * int(times.st_size * share))
        file.truncate(times.st_size)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    fresh = WhooshFinder(folder)
    assert fresh.state().usable
    with caplog.at_level(logging.INFO), pytest.raises(IndexUnusable):
        fresh.find("postgres", "memories", 5)
    assert "cannot search" in caplog.text
    state = fresh.state()
    assert (state.usable, state.faults) == (False, 1)
    assert state.reason
    fresh.rebuild([memory("a", "postgres")])
    assert fresh.state().usable
    # Whoosh leaves a damaged table of contents open: collect it here, where that is expected.
    gc.collect()


def outcome(folder: Path) -> tuple[str, ...]:
    fresh = WhooshFinder(folder)
    try:
        found = keys(fresh, "postgres sqlite")
        fresh.terms_like("postgres", 5)
        return tuple(found)
    except IndexUnusable:
        assert not fresh.state().usable
        return ("unusable",)
    finally:
        fresh.close()


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("ending", [".toc", ".seg"])
def test_any_byte_that_rots_ends_as_an_answer_or_as_unusable(
    finder: WhooshFinder, folder: Path, ending: str
) -> None:
    path = part(folder, ending)
    whole, times = path.read_bytes(), path.stat()
    outcomes = set()
    for at in range(0, len(whole), max(1, len(whole) // 150)):
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes([whole[at] ^ 0xFF]))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        outcomes.add(outcome(folder))
        with path.open("r+b") as file:
            file.write(whole)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert {("a", "b"), ("unusable",)} <= outcomes
    assert keys(finder, "postgres sqlite") == ["a", "b"]
    gc.collect()


def test_a_folder_that_may_only_be_read_is_searched_and_not_updated(
    finder: WhooshFinder, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    before = sorted(folder.rglob("*"))
    for name in ("mkdir", "rename", "replace", "link", "unlink", "rmdir", "chmod"):
        monkeypatch.setattr(os, name, denied)
    fresh = WhooshFinder(folder)
    assert keys(fresh, "postgres") == ["a"]
    changes = (
        lambda: fresh.update([memory("c", "postgres")], []),
        lambda: fresh.rebuild([memory("c", "postgres")]),
        fresh.drop,
    )
    for change in changes:
        with pytest.raises(IndexUnusable, match="Read-only"):
            change()
    assert keys(fresh, "postgres") == ["a"]
    assert fresh.state().usable and fresh.state().faults == 3
    assert sorted(folder.rglob("*")) == before


def test_a_generation_replaced_again_and_again_while_it_is_opened_is_no_fault(
    finder: WhooshFinder, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = WhooshFinder(folder)
    real, left = other._generations.current, iter(range(3))

    def overtaken() -> Generation:
        found = real()
        if next(left, None) is not None:
            finder.rebuild([memory("new", "postgres")])
        return found

    monkeypatch.setattr(other._generations, "current", overtaken)
    assert keys(other, "postgres") == ["new"]
    assert other.state().usable and other.state().faults == 0


def test_nothing_older_is_left_beside_what_was_built_anew(
    finder: WhooshFinder, folder: Path
) -> None:
    finder.update([memory("c", "marzipan")], [])
    finder.rebuild([memory("a", "postgres")])
    assert len(list(folder.glob("gen-*"))) == 1
    assert not any(b"marzipan" in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("key", ["\udcff", "a\0b", "東京", "x" * 70_000, "", "\n"])
def test_any_key_is_kept_as_it_is(finder: WhooshFinder, key: str) -> None:
    finder.update([memory(key, "marzipan")], [])
    assert keys(finder, "marzipan") == [key]
    finder.update([], [("memories", key)])
    assert keys(finder, "marzipan") == []


@pytest.mark.parametrize("key", ["made_by", "schema"])
def test_an_index_of_another_version_is_not_opened(
    finder: WhooshFinder, folder: Path, key: str
) -> None:
    manifest = folder / "gen-1" / "manifest.json"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = [f' "{key}": "other",\n' if f'"{key}"' in line else line for line in lines]
    assert changed != lines
    manifest.write_text("".join(changed), encoding="utf-8")
    assert "other" in WhooshFinder(folder).state().reason
    with pytest.raises(IndexUnusable, match="was made by"):
        keys(WhooshFinder(folder), "postgres")


def test_a_search_does_not_log_the_query(
    finder: WhooshFinder, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    part(folder, ".seg").write_bytes(b"")
    with caplog.at_level(logging.DEBUG), pytest.raises(IndexUnusable):
        WhooshFinder(folder).find("hunter2", "memories", 5)
    assert "hunter2" not in caplog.text


def test_a_build_killed_half_way_is_ignored_and_cleaned(finder: WhooshFinder, folder: Path) -> None:
    code = f"""
import os
from pathlib import Path
from engram.index.whoosh_finder import WhooshFinder
from engram.model.hit import Document

def documents():
    for n in range(200):
        yield Document(f"k{{n}}", "memories", "", "mysql")
    os._exit(9)

WhooshFinder(Path({str(folder)!r})).rebuild(documents(), seen=9)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=root)
    assert done.returncode == 9
    assert any(name.startswith(".build-") for name in os.listdir(folder))
    fresh = WhooshFinder(folder)
    assert keys(fresh, "postgres mysql") == ["a"]
    assert fresh.state().seen == 1
    fresh.update([memory("c", "mysql")], [], seen=2)
    assert keys(fresh, "mysql") == ["c"]
    assert not any(name.startswith(".build-") for name in os.listdir(folder))


def test_many_updates_keep_the_folder_small(finder: WhooshFinder, folder: Path) -> None:
    for n in range(30):
        finder.update([memory(f"n{n}", f"word{n}")], [("memories", f"n{n - 1}")], seen=n)
    assert finder.state().memories == 3
    assert len([path for path in folder.rglob("*") if path.is_file()]) < 60
    assert keys(finder, "word28 word29") == ["n29"]


def test_an_update_of_nothing_publishes_nothing(finder: WhooshFinder) -> None:
    finder.update([], [], seen=1)
    assert finder.state().generation == 1


def test_a_folder_that_cannot_be_written_is_unusable_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    finder = WhooshFinder(tmp_path / "file" / "index")
    with pytest.raises(IndexUnusable):
        finder.rebuild([memory("a", "postgres")])
    assert not finder.state().usable
