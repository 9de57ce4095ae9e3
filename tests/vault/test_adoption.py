"""Files that came into a vault are taken up in batches, whatever happens between two of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from engram.model.errors import StorageError
from engram.store.base.disk import VaultDisk
from engram.store.commits import scan
from engram.vault import Vault

_COUNT, _BATCH = 90, 10
_NOW = "2026-03-06T12:00:00Z"


def note(root: Path, number: int, text: str = "") -> Path:
    path = root / "facts" / f"2026-03-{number % 5 + 1:02d}" / f"fact-{number}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    said = text or f"The gauge zyq{number} of the boiler shows {number} bar."
    path.write_text(f"---\nid: fact-{number}\ncreated: {_NOW}\n---\n{said}\n")
    return path


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault's folder with notes in it that no vault knows yet."""
    monkeypatch.setattr(scan, "BATCH", _BATCH)
    for number in range(_COUNT):
        note(tmp_path / "vault", number)
    return tmp_path / "vault"


def created(vault: Vault) -> Counter[str]:
    """How often each file was recorded as created by hand."""
    log = vault.parts.catalog.log
    return Counter(
        dict(event.details)["what"] + " " + event.subject
        for number in range(_COUNT + 9)
        for _, _, event in log.events(f"fact-{number}")
    )


def texts(vault: Vault) -> dict[str, str]:
    return {one.id: one.text for one in vault.parts.catalog.memories()}


def lying(root: Path) -> dict[str, str]:
    """What the files say, by the ids in their headers."""
    found = (path.read_text().split("---\n") for path in (root / "facts").rglob("*.md"))
    return {head.split("\n")[0].removeprefix("id: "): body.strip() for _, head, body in found}


def test_each_file_is_taken_up_once_and_a_second_look_finds_nothing(
    notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    told: list[tuple[str, int, int]] = []
    vault.tell_taken_up(lambda *how_far: told.append(how_far))
    assert vault.search("zyq7").memories and texts(vault) == lying(notes)
    assert set(created(vault).values()) == {1} and len(created(vault)) == _COUNT
    assert told[: _COUNT // _BATCH] == [
        ("files", done, _COUNT) for done in range(_BATCH, _COUNT + 1, _BATCH)
    ]
    kinds = [row[2] for row in vault.parts.catalog.log.rows()]
    assert kinds == ["settle"] * (_COUNT // _BATCH) and vault.take_up_edits() == 0
    assert [finding for finding in vault.doctor() if finding.severity == "error"] == []


def test_a_folder_that_changes_while_it_is_taken_up_is_as_it_is_in_the_end(
    notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()

    def change(what: str, done: int, total: int) -> None:
        if what == "files":
            note(notes, done % _COUNT, f"Rewritten after {done} files: zyqrew{done}.")
            note(notes, _COUNT + done // _BATCH % 9)
            (notes / "facts/2026-03-04" / f"fact-{done + 3}.md").unlink(missing_ok=True)
            if done == 3 * _BATCH:
                (notes / "facts/2026-03-05").rename(notes / "facts/mine")

    vault.tell_taken_up(change)
    vault.take_up_edits()
    vault.tell_taken_up(lambda *how_far: None)
    vault.take_up_edits()
    assert texts(vault) == lying(notes)
    vault.rebuild()
    assert texts(vault) == lying(notes)
    assert [finding for finding in vault.doctor() if finding.severity == "error"] == []


def test_a_full_disk_in_the_middle_hides_no_file_and_the_rest_is_recorded_later(
    notes: Path, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault()
    commits: list[int] = []

    def full(disk: VaultDisk, size: int) -> None:
        commits.append(size)
        if len(commits) > 3:
            raise StorageError("the disk is full: nothing was written")

    with monkeypatch.context() as patched:
        patched.setattr(VaultDisk, "check_room", full)
        assert vault.search("zyq88").memories and texts(vault) == lying(notes)
        assert len(created(vault)) == 3 * _BATCH
    assert vault.search("zyq88").memories
    assert set(created(vault).values()) == {1} and len(created(vault)) == _COUNT


def test_a_question_answers_from_what_there_is_and_says_how_much_is_to_come(
    notes: Path, open_vault: Callable[..., Vault]
) -> None:
    vault, other = open_vault(), open_vault()
    vault.answer_within(0.0)
    assert vault.search("boiler", limit=99).behind and vault.to_come == _COUNT - _BATCH
    with other.parts.committer.lock():
        assert not vault.ready_to_read() and vault.to_come == _COUNT - _BATCH
        assert len(vault.search("boiler", limit=99).memories) == _BATCH
    vault.answer_within(60.0)
    assert vault.ready_to_read() and vault.to_come == 0
    assert len(vault.search("boiler", limit=99).memories) == _COUNT


def _run(root: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    program = (
        f"from engram.store.commits import scan; scan.BATCH = {_BATCH}\n"
        "from engram.surfaces.cli.app import main; main()"
    )
    named = dict(environment, PYTHONPATH=os.pathsep.join(sys.path), PATH=os.environ["PATH"])
    command = (sys.executable, "-c", program, "--vault", str(root), "search", "boiler")
    return subprocess.Popen(
        command, env=named, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_process_that_is_killed_again_and_again_leaves_work_for_the_next_alone(
    notes: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    shutil.move(notes / "facts", notes.parent / "away")
    open_vault().close()
    shutil.rmtree(notes / "facts")
    shutil.move(notes.parent / "away", notes / "facts")
    pending, journal = notes / "state/pending", notes / "state/journal"
    for wanted in (1, 2, 4, 5, 7):
        process = _run(notes, environment)
        while process.poll() is None and len([*journal.rglob("*.json")]) < wanted:
            if wanted % 2 and any(pending.iterdir()):
                break  # while it commits, or before
            time.sleep(0.002)
        process.kill()
        process.wait()
    vault = open_vault()
    assert vault.search("zyq88").memories and texts(vault) == lying(notes)
    assert set(created(vault).values()) == {1} and len(created(vault)) == _COUNT
    assert [finding for finding in vault.doctor() if finding.severity == "error"] == []
