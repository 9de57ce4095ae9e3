"""What somebody put into the cache is not opened: it is thrown away and built anew (design 4)."""

from __future__ import annotations

import os
import pickle
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.vault import Vault

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and errors of POSIX")
_TEXT = "The shop uses Postgres because two writers are needed."


class Planted:
    """An object whose unpickling leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return (os.mkdir, (str(self._mark),))


@pytest.fixture
def vault(open_vault: Callable[..., Vault]) -> Vault:
    """A vault with one memory, indexed and closed."""
    vault = open_vault()
    vault.remember(_TEXT)
    assert vault.search("postgres").memories
    vault.close()
    return vault


@pytest.fixture
def found(open_vault: Callable[..., Vault]) -> Callable[[], list[str]]:
    def search() -> list[str]:
        with open_vault() as vault:
            return [hit.snippet for hit in vault.search("postgres").memories]

    return search


def _generation(vault: Vault) -> Path:
    folder = vault.parts.cache / "index"
    return folder / (folder / "CURRENT").read_text(encoding="utf-8").strip()


def _replace_files(vault: Vault, evil: bytes) -> None:
    for path in _generation(vault).glob("*/*"):
        path.write_bytes(evil)


def _replace_with_the_same_size(vault: Vault, evil: bytes) -> None:
    for path in _generation(vault).glob("*/*"):
        path.write_bytes(evil[: path.stat().st_size].ljust(path.stat().st_size, b"."))


def _add_a_file(vault: Vault, evil: bytes) -> None:
    path = _generation(vault) / "memories" / "_MAIN_99.toc"
    path.write_bytes(evil)
    path.chmod(0o600)


def _swap_a_file_for_a_link(vault: Vault, evil: bytes) -> None:
    elsewhere = vault.root.parent / "evil.toc"
    elsewhere.write_bytes(evil)
    path = next(_generation(vault).glob("memories/*.toc"))
    path.unlink()
    path.symlink_to(elsewhere)


def _point_elsewhere(vault: Vault, evil: bytes) -> None:
    elsewhere = vault.root.parent / "gen-7"
    shutil.copytree(_generation(vault), elsewhere)
    for path in elsewhere.glob("*/*"):
        path.write_bytes(evil)
    (vault.parts.cache / "index" / "CURRENT").write_text(
        f"../../../../{elsewhere.name}\n", encoding="utf-8"
    )


def _swap_the_folder_for_a_link(vault: Vault, evil: bytes) -> None:
    elsewhere = vault.root.parent / "elsewhere"
    shutil.copytree(vault.parts.cache / "index", elsewhere)
    for path in elsewhere.glob("gen-*/*/*"):
        path.write_bytes(evil)
    shutil.rmtree(vault.parts.cache / "index")
    (vault.parts.cache / "index").symlink_to(elsewhere)


def _open_to_others(vault: Vault, evil: bytes) -> None:
    (vault.parts.cache / "index").chmod(0o777)
    _generation(vault).chmod(0o777)


def _a_manifest_of_garbage(vault: Vault, evil: bytes) -> None:
    (_generation(vault) / "manifest.json").write_bytes(b"[" * 30_000)


def _another_library(vault: Vault, evil: bytes) -> None:
    manifest = _generation(vault) / "manifest.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace("whoosh 2", "whoosh 9"), encoding="utf-8"
    )


@pytest.mark.parametrize(
    "plant",
    [
        _replace_files, _replace_with_the_same_size, _add_a_file, _swap_a_file_for_a_link,
        _point_elsewhere, _swap_the_folder_for_a_link, _open_to_others, _a_manifest_of_garbage,
        _another_library,
    ],
)  # fmt: skip
def test_a_planted_index_is_never_opened(
    plant: Callable[[Vault, bytes], None], vault: Vault, found: Callable[[], list[str]],
    tmp_path: Path,
) -> None:  # fmt: skip
    mark = tmp_path / "unpickled"
    plant(vault, pickle.dumps(Planted(mark)))
    assert found() == [_TEXT]
    assert not mark.exists()
    assert found() == [_TEXT]


def test_the_planted_pickle_would_have_left_a_mark(tmp_path: Path) -> None:
    mark = tmp_path / "unpickled"
    pickle.loads(pickle.dumps(Planted(mark)))
    assert mark.exists()


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _scrambled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


def _another_schema(path: Path) -> None:
    _run(path, "update meta set value = '0' where key = 'schema'")


def _another_vault(path: Path) -> None:
    _run(path, "update meta set value = 'another' where key = 'vault'")


def _without_tables(path: Path) -> None:
    _run(path, "drop table memories")


def _without_rows(path: Path) -> None:
    _run(path, "delete from meta")


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").touch()


def _a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _a_link(path: Path) -> None:
    target = path.parent.parent / "diary.txt"
    target.write_text("dear diary", encoding="utf-8")
    path.unlink()
    path.symlink_to(target)


def _run(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


@pytest.mark.parametrize(
    "plant",
    [
        _garbage, _empty, _truncated, _scrambled, _another_schema, _another_vault, _without_tables,
        _without_rows, _a_folder, _a_pipe, _a_link,
    ],
)  # fmt: skip
def test_a_catalog_that_is_none_is_built_anew(
    plant: Callable[[Path], None], vault: Vault, found: Callable[[], list[str]],
    open_vault: Callable[..., Vault],
) -> None:  # fmt: skip
    for left in vault.parts.cache.glob("catalog.sqlite-*"):
        left.unlink()
    plant(vault.parts.cache / "catalog.sqlite")
    assert found() == [_TEXT]
    with open_vault() as reopened:
        reopened.remember("The shop is closed on Sundays.")
        assert reopened.doctor() == []
        assert len(reopened.log()) == 2
    diary = vault.parts.cache.parent / "diary.txt"
    assert not diary.exists() or diary.read_text(encoding="utf-8") == "dear diary"


@pytest.mark.parametrize("verb", ["search", "remember", "status", "doctor", "list", "log"])
def test_a_catalog_that_breaks_while_a_vault_is_open_is_built_anew(
    verb: str, vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    """A long-lived process has it open when its pages are overwritten."""
    with open_vault() as opened:
        opened.search("postgres")
        for left in vault.parts.cache.glob("catalog.sqlite*"):
            left.write_bytes(b"\xa5" * left.stat().st_size)
        verbs: dict[str, Callable[[], object]] = {
            "search": lambda: opened.search("postgres").memories,
            "remember": lambda: opened.remember("The shop is closed on Sundays."),
            "status": lambda: opened.status().memories,
            "doctor": lambda: opened.doctor() == [],
            "list": lambda: opened.ready_to_read() and list(opened.parts.catalog.memories()),
            "log": lambda: opened.ready_to_read() and opened.log(),
        }
        assert verbs[verb]()
    with open_vault() as again:
        assert again.doctor() == []
        assert again.search("postgres").memories


def test_the_cache_may_be_deleted_at_any_time(
    vault: Vault, open_vault: Callable[..., Vault], found: Callable[[], list[str]]
) -> None:
    shutil.rmtree(vault.parts.cache)
    assert found() == [_TEXT]
    with open_vault() as opened:
        opened.search("postgres")
        shutil.rmtree(vault.parts.cache)
        opened.remember("The shop is closed on Sundays.")
        assert [hit.snippet for hit in opened.search("sundays").memories]
        assert opened.doctor() == []
