"""Nothing changed only when a look at every file would have found nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.daemon.change_detector import FolderChangeDetector
from engram.store.commits.hand_edits import VaultEdits
from engram.vault import Vault
from tests.effort import examples
from tests.kit import takes_every_turn, turns

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")

CATALOG = object()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault's folders with one file."""
    root = tmp_path / "vault"
    day = root / "facts" / "2026-03-06"
    day.mkdir(parents=True)
    for name in ("archive", "boxes", "entities", "state"):
        (root / name).mkdir()
    (day / "a.md").write_text("one")
    return root


@pytest.fixture
def change_detector(root: Path) -> Iterator[FolderChangeDetector]:
    """One that has just seen everything."""
    change_detector = FolderChangeDetector(root)
    change_detector.begin()
    change_detector.trust(CATALOG)
    yield change_detector
    change_detector.close()


def replaced(path: Path) -> None:
    fresh = path.with_name(".fresh")
    fresh.write_text("two")
    os.replace(fresh, path)


def moved_away_and_another_here(root: Path) -> None:
    os.rename(root, root.with_name("away"))
    shutil.copytree(root.with_name("away"), root)


CHANGES: dict[str, Callable[[Path, Path], object]] = {
    "written": lambda root, file: file.write_text("two"),
    "grown": lambda root, file: os.truncate(file, 9),
    "replaced": lambda root, file: replaced(file),
    "moved": lambda root, file: file.rename(file.with_name("b.md")),
    "removed": lambda root, file: file.unlink(),
    "touched": lambda root, file: os.utime(file, (1, 1)),
    "made unreadable": lambda root, file: file.chmod(0),
    "made": lambda root, file: (file.parent / "b.md").write_text("x"),
    "a folder made": lambda root, file: (root / "facts" / "mine").mkdir(),
    "a folder moved in": lambda root, file: (root / "state").rename(root / "facts" / "state"),
    "a folder moved out": lambda root, file: file.parent.rename(root / "state" / "day"),
    "a top folder moved": lambda root, file: (root / "facts").rename(root / "was"),
    "a top folder removed": lambda root, file: (root / "boxes").rmdir(),
    "another vault": lambda root, file: moved_away_and_another_here(root),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_knows_at_once(root: Path, change_detector: FolderChangeDetector, change: str) -> None:
    assert change_detector.changed(CATALOG) == frozenset()
    CHANGES[change](root, root / "facts" / "2026-03-06" / "a.md")
    assert change_detector.changed(CATALOG) != frozenset()
    assert change_detector.changed(CATALOG) != frozenset()  # until somebody has looked
    change_detector.begin()
    change_detector.trust(CATALOG)
    assert change_detector.changed(CATALOG) == frozenset()


def test_what_comes_during_a_look_is_news(
    root: Path, change_detector: FolderChangeDetector
) -> None:
    change_detector.begin()
    (root / "facts" / "new").mkdir()
    change_detector.trust(CATALOG)
    assert change_detector.changed(CATALOG) != frozenset()
    change_detector.begin()
    (root / "facts" / "new" / "b.md").write_text("x")
    change_detector.trust(CATALOG)
    assert change_detector.changed(CATALOG) != frozenset()


def test_state_is_none_of_its_business(root: Path, change_detector: FolderChangeDetector) -> None:
    (root / "state" / "access.jsonl").write_text("{}")
    assert change_detector.changed(CATALOG) == frozenset()


def test_another_catalog_has_not_seen_it(change_detector: FolderChangeDetector) -> None:
    assert change_detector.changed(object()) != frozenset()


def test_peace_has_an_end(root: Path) -> None:
    now = [0.0]
    change_detector = FolderChangeDetector(root, lambda: now[0])
    change_detector.begin()
    change_detector.trust(CATALOG)
    assert change_detector.changed(CATALOG) == frozenset()
    now[0] = 601.0
    assert change_detector.changed(CATALOG) != frozenset()
    change_detector.close()
    change_detector.trust(CATALOG)
    assert change_detector.changed(CATALOG) != frozenset() and not change_detector.able


def test_a_queue_that_was_too_short_is_no_peace(
    root: Path, change_detector: FolderChangeDetector
) -> None:
    longest = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text("ascii"))
    file = root / "facts" / "2026-03-06" / "a.md"
    for _ in range(longest // 2 + 10):
        os.utime(file, (1, 1))
        os.chmod(file, 0o600)
    assert change_detector.changed(CATALOG) != frozenset()


@examples(7)
@given(
    steps=st.lists(
        st.sampled_from(["look", "edit", "make", "drop", "folder", "remember"]), max_size=8
    )
)
def test_a_vault_with_a_sentry_answers_as_one_without(
    steps: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("v")
    environment = {
        "ENGRAM_HOME": str(folder / "home"), "HOME": str(folder),
        "ENGRAM_CLOCK": "2026-03-06T12:00:00Z", "ENGRAM_RECALL_SETTLE_MS": "60000",
    }  # fmt: skip
    with takes_every_turn(Vault.create(folder / "vault", environment=environment)) as kept:
        kept.keep_open(FolderChangeDetector(kept.root))
        kept.capture(turns(3))
        kept.flush()
        for number, step in enumerate(steps):
            facts = sorted((kept.root / "facts").rglob("*.md"))
            if step == "edit" and facts:
                text = facts[0].read_text("utf-8")
                facts[0].write_text(text.replace("valve", f"zyq{number} valve"), "utf-8")
            elif step == "make":
                (kept.root / "facts" / f"n{number}.md").write_text(f"A zyq{number} note.\n")
            elif step == "drop" and facts:
                facts[-1].unlink()
            elif step == "folder" and facts:
                facts[0].parent.rename(kept.root / "facts" / f"day{number}")
            elif step == "remember":
                with Vault.open(kept.root, environment=environment) as other:
                    other.remember(f"The gauge zyq{number} shows {number} bar.")
            said = kept.search("valve gauge note", limit=20)
            with Vault.open(kept.root, environment=environment) as fresh:
                assert fresh.search("valve gauge note", limit=20) == said


def test_a_change_is_looked_for_in_its_folder_alone(vault: Vault) -> None:
    for day in ("2026-03-05", "2026-03-06"):
        (vault.root / "facts" / day).mkdir(parents=True)
        for name in ("a", "b"):
            (vault.root / "facts" / day / f"{name}{day}.md").write_text(
                f"A {name} note of {day}.\n"
            )
    detector = FolderChangeDetector(vault.root)
    vault.keep_open(detector)
    vault.take_up_edits()
    (vault.root / "facts/2026-03-06/a2026-03-06.md").rename(vault.root / "facts/2026-03-06/c.md")
    (vault.root / "facts/2026-03-06/new.md").write_text("A zyquin note.\n")
    assert detector.changed(vault.parts.catalog) == {"facts/2026-03-06"}
    assert vault.take_up_edits() == 3 and vault.search("zyquin").memories
    assert detector.changed(vault.parts.catalog) == frozenset()
    (vault.root / "facts/2026-03-05/below").mkdir()
    (vault.root / "facts/2026-03-05/below/deep.md").write_text("A zyqdeep note.\n")
    assert detector.changed(vault.parts.catalog) is None
    assert vault.search("zyqdeep").memories


def test_a_writer_looks_at_the_files_only_when_they_changed(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []
    look = VaultEdits.look
    monkeypatch.setattr(
        VaultEdits, "look", lambda *given, **named: looks.append(1) or look(*given, **named)
    )
    vault.keep_open(FolderChangeDetector(vault.root))
    note = vault.root / "facts" / "note.md"
    note.write_text("The zebrafinch is grey.\n")
    assert vault.take_up_edits() == 1 and len(looks) == 1
    for number in range(3):
        vault.capture(turns(1, f"s{number}"))
    assert vault.take_up_edits() == 0 and len(looks) == 1
    note.write_text("The zebrafinch is brown.\n")
    assert vault.take_up_edits() == 1 and len(looks) == 2
    vault.rebuild()  # another catalog: nothing is known of what it has seen
    assert vault.take_up_edits() == 0 and len(looks) > 2
