"""A vault that is kept open is the one that would be opened now."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.daemon.rpc.vault_pool import VaultPool
from engram.model.errors import Locked, NotFound, StorageError
from engram.store.base.lock import WriterLock
from engram.vault import Vault


class Lending:
    """Warm vaults, a clock that is set by hand, and one vault."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.now = 0.0
        self.environment = environment
        self.root = folder / "vault"
        Vault.create(self.root, environment=environment).close()
        self.warm = VaultPool(lambda: self.now)

    def lent(self, path: Path | None = None, **more: str) -> Vault:
        with self.warm.lend(path or self.root, self.environment | more, Path("/")) as vault:
            vault.ready_to_read()
            return vault


@pytest.fixture
def lending(tmp_path: Path, environment: dict[str, str]) -> Iterator[Lending]:
    made = Lending(tmp_path, environment)
    yield made
    made.warm.close()


def test_it_stays_open(lending: Lending) -> None:
    first = lending.lent()
    assert lending.lent() is first
    link = lending.root.with_name("link")
    link.symlink_to(lending.root)
    assert lending.lent(link) is first


def test_a_path_is_seen_from_the_caller_s_folder(lending: Lending) -> None:
    first = lending.lent()
    with lending.warm.lend(Path("vault"), lending.environment, lending.root.parent) as vault:
        assert vault is first
    with (
        pytest.raises(NotFound, match="nowhere does not exist"),
        lending.warm.lend(Path("nowhere"), lending.environment, lending.root.parent),
    ):
        pass


def test_other_settings_open_it_anew(lending: Lending) -> None:
    first = lending.lent()
    assert lending.lent(ENGRAM_RECALL_LIMIT="3").settings.recall.limit == 3
    assert lending.lent() is first
    config = lending.root / "engram.toml"
    config.write_text(config.read_text("utf-8") + "\n[recall]\nlimit = 2\n", "utf-8")
    assert lending.lent().settings.recall.limit == 2


def test_a_vault_that_is_trusted_no_more_is_not_written(lending: Lending) -> None:
    assert lending.lent().trusted
    (Path(lending.environment["ENGRAM_HOME"]) / "vaults.json").unlink()
    assert not lending.lent().trusted


def test_another_vault_in_its_place_is_another(lending: Lending) -> None:
    first = lending.lent()
    os.rename(lending.root, lending.root.with_name("away"))
    shutil.copytree(lending.root.with_name("away"), lending.root)
    assert lending.lent() is not first


def test_few_stay_open_and_not_for_long(lending: Lending) -> None:
    first = lending.lent()
    for number in range(1, 5):
        lending.lent(ENGRAM_RECALL_LIMIT=str(number))
    assert lending.lent() is not first
    again = lending.lent()
    lending.now = 1800.0
    lending.warm.rest()
    assert lending.lent() is again
    lending.now = 3601.0
    lending.warm.rest()
    assert lending.lent() is not again


def test_a_mistake_does_not_close_it_and_a_failing_disk_does(lending: Lending) -> None:
    first = lending.lent()
    for error, kept in ((NotFound("x"), True), (StorageError("x"), False)):
        with (
            pytest.raises(type(error)),
            lending.warm.lend(lending.root, lending.environment, Path("/")),
        ):
            raise error
        assert (lending.lent() is first) == kept


def test_what_changed_is_taken_up_before_anybody_asks(lending: Lending) -> None:
    vault = lending.lent()
    (lending.root / "facts" / "note.md").write_text("The zebrafinch is grey.\n")
    lending.now = 2.5
    lending.warm.rest()
    with Vault.open(lending.root, environment=lending.environment) as other:
        assert [memory.text for memory in other.parts.catalog.memories()]
    assert vault.parts.lookup.find_memory("note") is not None


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_file_with_purged_words_stays_open(lending: Lending) -> None:
    vault = lending.lent()
    memory = vault.remember("The zebrafinch is grey.").memory
    assert lending.lent().search("zebrafinch").memories and not _removed_but_open()
    with Vault.open(lending.root, environment=lending.environment) as other:
        other.purge(memory.id)
    assert _removed_but_open()
    lending.warm.rest()
    assert _removed_but_open() == []


def _removed_but_open() -> list[str]:
    """Removed files of an index that this process has open, or in its memory."""
    handles = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    found = [os.readlink(one) for one in handles if os.path.lexists(one)]
    found += Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return [one for one in found if one.endswith("(deleted)") and "/index/" in one]


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    ours, theirs = (WriterLock(tmp_path / "lock", 0.05) for _ in range(2))
    refused: list[bool] = []

    def try_it() -> None:
        try:
            with theirs.hold():
                refused.append(False)
        except Locked:
            refused.append(True)

    with ours.hold(), ours.hold():
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
    try_it()
    assert refused == [True, False]
