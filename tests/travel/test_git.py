"""Two branches of one vault, merged by git itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engram.store.merge.file_versions import sides
from tests.machines import Machine, copied
from tests.travel.test_two_machines import LATER, SAID, without_expiry

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """A vault under git, and a clone of it with a branch of its own."""
    one = Machine(tmp_path / "one")
    with one.vault():
        pass
    one.git("init", "-b", "main")
    save(one)
    two = copied(one, tmp_path / "two")
    two.git("checkout", "-b", "other")
    return one, two


def save(machine: Machine) -> None:
    machine.git("add", "-A")
    machine.git("commit", "-m", "as it is")


def merged(one: Machine, two: Machine) -> list[str]:
    """Merge the second machine's branch into the first one's; the paths that git cannot merge."""
    one.git("fetch", str(two.root), "other")
    one.git("merge", "--no-edit", "FETCH_HEAD")
    return one.git("diff", "--name-only", "--diff-filter=U").splitlines()


def test_no_log_and_no_view_is_in_git(pair: tuple[Machine, Machine]) -> None:
    one, _ = pair
    one.hears(*SAID)
    one.consolidates()
    save(one)
    assert (one.root / "state" / "trace.jsonl").exists()
    assert not [name for name in one.git("ls-files").splitlines() if name.startswith("state/")]


def test_different_conversations_never_conflict(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    one.hears(*SAID[:2])
    two.hears(SAID[2], session="t")
    save(one)
    save(two)
    assert merged(one, two) == []
    assert len(one.facts()) == 3
    with one.vault() as vault:
        assert len(list(vault.parts.catalog.memories())) == 3 or vault.rebuild() is not None


def test_the_same_conversation_conflicts_in_the_expiry_and_is_settled(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    one.hears(*SAID)
    two.hears(*SAID, now=LATER)
    save(one)
    save(two)
    later = two.facts()
    conflicts = merged(one, two)
    assert conflicts and all(path.startswith("facts/") for path in conflicts)
    one.consolidates(LATER)
    assert one.facts() == later and without_expiry(one.facts()) == without_expiry(later)
    with one.vault(LATER) as vault:
        assert [found.code for found in vault.doctor() if found.code != "exposed"] == []
    save(one)
    assert one.git("diff", "--name-only", "--diff-filter=U") == ""


def test_one_conversation_that_went_on_on_both_is_whole_again(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    one.hears(*SAID[:1])
    save(one)
    two.git("pull", "--no-edit", str(one.root), "main")
    one.hears(*SAID[:2])
    two.hears(SAID[0], "We open at nine on Sundays.", SAID[2])
    save(one)
    save(two)
    merged(one, two)
    one.consolidates()
    shown = next((one.root / "transcripts").rglob("*.md")).read_text(encoding="utf-8")
    assert all(text in shown for text in SAID) and "<<<<<<<" not in shown


def test_what_a_person_wrote_on_both_sides_stays_marked(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    one.hears(SAID[0])
    save(one)
    two.git("pull", "--no-edit", str(one.root), "main")
    for machine, word in ((one, "MySQL"), (two, "Oracle")):
        path = next((machine.root / "facts").rglob("*.md"))
        path.write_text(path.read_text("utf-8").replace("Postgres", word), encoding="utf-8")
        save(machine)
    assert len(merged(one, two)) == 1
    path = next((one.root / "facts").rglob("*.md"))
    before = path.read_bytes()
    one.consolidates()
    assert b"<<<<<<<" in before and b"MySQL" in path.read_bytes() and b"Oracle" in path.read_bytes()


def test_a_conversation_about_marks_is_left_as_it_was_said(pair: tuple[Machine, Machine]) -> None:
    one, _ = pair
    one.hears("What is this?\n```\n<<<<<<< HEAD\n=======\n>>>>>>> other\n```\nI prefer tabs.")
    before = one.travelling()
    shown = next(data for name, data in before.items() if name.startswith("transcripts/"))
    assert sides(shown) is not None
    one.consolidates()
    with one.vault() as vault:
        assert vault.reunite().apart == ()
    assert shown in one.travelling().values()
