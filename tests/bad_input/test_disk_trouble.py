"""A full, failing or read-only disk at every step: a clear error, nothing lost, and it goes on."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import engram.model.atomic_file
import engram.store.base.disk
from engram.model.errors import EngramError, Locked, StorageError
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.effort import STRIDE, calls
from tests.kit import LIGHT, takes_every_turn, tree_digest, turns, where

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and errors of POSIX")
_WRITING = ("write", "fsync", "replace", "link", "unlink", "makedirs", "ftruncate")


class FailingOs:
    """The system as the disk sees it; from the k-th writing call on it says no, until disarmed."""

    def __init__(self) -> None:
        self.calls = 0
        self.fail_at = 0
        self.error = errno.ENOSPC
        self._guard = threading.Lock()

    def arm(self, fail_at: int, error: int) -> None:
        self.calls, self.fail_at, self.error = 0, fail_at, error

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in _WRITING:
            return real

        def call(*arguments: object, **named: object) -> object:
            with self._guard:
                self.calls += 1
                fails = self.fail_at and self.calls >= self.fail_at
            # giving space back, and cutting a half-written tail off, works on a full disk as well
            if not fails or (self.error == errno.ENOSPC and name in ("unlink", "ftruncate")):
                return real(*arguments, **named)
            if name == "write":
                handle, data = arguments
                os.write(handle, data[: len(data) // 2])  # type: ignore[arg-type, index]
            raise OSError(self.error, os.strerror(self.error))

        return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> FailingOs:
    system = FailingOs()
    monkeypatch.setattr(engram.store.base.disk, "os", system)
    monkeypatch.setattr(engram.model.atomic_file, "os", system)
    return system


def _said(vault: Vault) -> set[str]:
    """Every statement that is in a memory or still waits."""
    found = {memory.text for memory in vault.parts.catalog.memories()}
    for waiting in vault.waiting():
        found |= {turn.text for turn in vault.parts.turns.pending(waiting.transcript)[1]}
    return found


def _live(vault: Vault) -> set[str]:
    return {memory.text for memory in vault.parts.catalog.memories() if memory.live}


_BEFORE, _FRESH = turns(3, "before"), turns(4, "fresh")


def _capture(vault: Vault) -> None:
    vault.capture(_FRESH)
    vault.flush()


def _remember(vault: Vault) -> None:
    vault.remember("The shop uses Postgres because two writers are needed.")


def _forget(vault: Vault) -> None:
    memory = min(_live(vault))
    found = next(one for one in vault.parts.catalog.memories() if one.text == memory)
    if found.status == "active":
        vault.forget(found.id)


def _undo(vault: Vault) -> None:
    vault.undo()


def _import(vault: Vault) -> None:
    path = vault.root.parent / "in.jsonl"
    path.write_text(
        '{"role": "user", "content": "We decided to use Redis.", "id": "1"}\n', encoding="utf-8"
    )
    vault.import_files("jsonl", path)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
@pytest.mark.parametrize("deed", [_capture, _remember, _forget, _undo, _import])
def test_a_disk_that_fails_at_any_step_loses_nothing(
    deed: Callable[[Vault], None], error: int, failing: FailingOs, tmp_path: Path,
    environment: dict[str, str],
) -> None:  # fmt: skip
    path, prepared = tmp_path / "vault", tmp_path / "prepared"

    def opened() -> Vault:
        make = Vault.open if path.exists() else Vault.create
        return takes_every_turn(
            make(path, environment=environment, clock=FixedClock(NOW), adapters=LIGHT)
        )

    with opened() as vault:
        vault.capture(_BEFORE)
        vault.flush()
    shutil.copytree(path, prepared)
    known = {turn.text for turn in _BEFORE}
    steps = 0
    for step in calls(500):
        shutil.rmtree(path)
        shutil.copytree(prepared, path)
        with opened() as vault:
            vault.ready_to_read()
            failing.arm(step, error)
            try:
                deed(vault)
            except EngramError as refused:
                assert isinstance(refused, StorageError), refused
                assert refused.hint
            else:
                failing.arm(0, error)
                break
            steps += 1
            vault.search("valve")
            failing.arm(0, error)
            assert deed is _undo or known <= _said(vault), f"lost at step {step}"
            vault.remember("The shop is closed on Sundays.")
            assert vault.doctor() == [], f"after step {step}"
        with opened() as again:
            if deed is _undo:
                assert known & _said(again) in (set(), known), "undone by half"
            else:
                journalled = {entry.turn.text for entry in again.parts.turn_log.entries()}
                assert journalled <= _said(again) | {"The shop is closed on Sundays."}
                deed(again)
            assert again.doctor() == []
            texts = sorted(memory.text for memory in again.parts.catalog.memories())
            assert len(texts) == len(set(texts)), "something is there twice"
    assert steps > 3 / STRIDE


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
def test_a_purge_on_a_disk_that_fails_at_any_step_is_finished_by_the_next(
    error: int, failing: FailingOs, tmp_path: Path, environment: dict[str, str]
) -> None:
    path, home, prepared = tmp_path / "vault", tmp_path / "home", tmp_path / "prepared"
    gone, kept = turns(1, "gone")[0], turns(1, "kept")[0]
    word = gone.text.split()[1]

    def opened() -> Vault:
        make = Vault.open if path.exists() else Vault.create
        return takes_every_turn(make(path, environment=environment, clock=FixedClock(NOW)))

    with opened() as vault:
        vault.capture([gone, kept])
        vault.flush()
        vault.consolidate()
    shutil.copytree(path, prepared)
    steps = 0
    for step in calls(500):
        shutil.rmtree(path)
        shutil.copytree(prepared, path)
        with opened() as vault:
            vault.ready_to_read()
            failing.arm(step, error)
            try:
                vault.purge(gone.transcript)
            except EngramError as refused:
                assert isinstance(refused, StorageError), refused
            else:
                failing.arm(0, error)
                break
            steps += 1
            failing.arm(0, error)
            vault.take_up_edits()
            assert _live(vault) in ({gone.text, kept.text}, {kept.text}), f"by half at {step}"
            if gone.text in _live(vault):
                vault.purge(gone.transcript)
            assert vault.doctor() == [] and _live(vault) == {kept.text}
        assert where(path, word) == [] and where(home, word) == [], f"at step {step}"
    assert steps > 3 / STRIDE


def test_a_full_disk_says_so(failing: FailingOs, open_vault: Callable[..., Vault]) -> None:
    vault = open_vault()
    failing.arm(1, errno.ENOSPC)
    with pytest.raises(StorageError, match="full") as refused:
        vault.remember("The shop uses Postgres.")
    assert "free some space" in refused.value.hint


@pytest.mark.parametrize("noticed", [True, False])
@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES], ids=["read-only", "denied"])
def test_a_read_only_vault_is_read(
    error: int, noticed: bool, failing: FailingOs, open_vault: Callable[..., Vault],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    vault = open_vault()
    memory = vault.remember("The shop uses Postgres.").memory
    path = vault.root / memory.path
    path.write_text(path.read_text(encoding="utf-8").replace("Postgres", "Zebra"), encoding="utf-8")
    vault.close()
    before = tree_digest(vault.root)
    failing.arm(1, error)
    real = os.open

    def denied(name: object, flags: int, *rest: object, **named: object) -> int:
        if str(name).startswith(str(vault.root)) and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(error, os.strerror(error))
        return real(name, flags, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", denied)
    monkeypatch.setattr(os, "access", lambda name, mode: not noticed)
    reader = open_vault()
    assert reader.search("shop").memories
    assert reader.recall("what does the shop use?").shown
    assert reader.status().memories
    reader.log()
    assert {finding.code for finding in reader.doctor()} >= {"stuck"}
    for deed in (lambda: reader.remember("x y z"), reader.flush, reader.undo):
        with pytest.raises(StorageError) as refused:
            deed()
        assert refused.value.hint
    assert tree_digest(vault.root) == before
    monkeypatch.undo()
    with open_vault() as writer:
        assert writer.search("zebra").memories
        assert writer.doctor() == []


_HOLDER = """
import sys, time
from engram.store.base.clock import FixedClock
from engram.vault import Vault
with Vault.open(sys.argv[1], clock=FixedClock("2026-03-06T12:00:00Z")) as vault:
    with vault.parts.committer.lock():
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_vault_that_another_process_writes_to_is_read_and_says_so(
    environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    memory = vault.remember("The shop uses Postgres.").memory
    vault.close()
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(vault.root)],
        env=clean | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    (vault.root / memory.path).write_text("---\nid: by-hand\n---\nA zebra.\n", encoding="utf-8")
    try:
        here = {**environment, "ENGRAM_STORE_LOCK_TIMEOUT_SECONDS": "0.1"}
        with Vault.open(vault.root, environment=here, clock=FixedClock(NOW)) as waiting:
            found = waiting.search("postgres")
            assert found.memories
            assert found.behind
            with pytest.raises(Locked) as refused:
                waiting.remember("The shop is closed on Sundays.")
            assert refused.value.exit_code == 3
            assert "wait" in refused.value.hint
            with pytest.raises(Locked):
                waiting.doctor()
    finally:
        other.communicate("\n")
    with open_vault() as after:
        after.remember("The shop is closed on Sundays.")
        assert after.search("zebra").memories


def test_a_clock_that_goes_backwards_breaks_nothing(open_vault: Callable[..., Vault]) -> None:
    """Numbers order the changes, not times: months and years back as well."""
    texts = []
    for number, now in enumerate(
        [NOW, "2026-03-06T11:00:00Z", "2025-12-31T23:59:59Z", "1970-01-01T00:00:00Z", NOW]
    ):
        with open_vault(now=now) as vault:
            texts.append(f"The shop has {number} doors.")
            vault.remember(texts[-1])
            takes_every_turn(vault).capture(turns(1, session=f"s{number}"))
            vault.flush()
            assert vault.doctor() == []
    with open_vault(now="2020-01-01T00:00:00Z") as vault:
        assert [entry.number for entry in vault.log()] == list(range(len(vault.log()), 0, -1))
        vault.undo()
        vault.undo()
        vault.rebuild()
        assert vault.doctor() == []
        assert set(texts) <= _said(vault) | {texts[-1]}
        assert vault.search("doors").memories
