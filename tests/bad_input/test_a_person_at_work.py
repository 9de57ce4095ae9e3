"""A person edits, moves, renames and removes files at any moment: the person wins (design 1.4)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engram.model.errors import Conflict, EngramError
from engram.model.memory import Memory
from engram.recall.filter import Filter
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.vault import Adapters, Vault
from tests.kit import takes_every_turn, turns

_TEXT = "The shop uses Postgres because two writers are needed."


class SharedDisk(VaultDisk):
    """A disk on which a person does something right after a transaction was made durable."""

    deed: Callable[[], object] | None = None
    #: what else a person waits for: the first writing of a file whose name begins so
    staged: str | None = None

    def stage(self, files: Sequence[tuple[str, bytes]]) -> None:
        super().stage(files)
        if SharedDisk.staged and any(SharedDisk.staged in path for path, _ in files):
            SharedDisk.staged = None
            self.act()

    def act(self) -> None:
        if SharedDisk.deed is not None:
            deed, SharedDisk.deed = SharedDisk.deed, None
            deed()

    def place(self, staged: str, path: str, *, fresh: bool) -> None:
        super().place(staged, path, fresh=fresh)
        if path.startswith(f"{layout.PENDING}/") and SharedDisk.staged is None:
            self.act()


@pytest.fixture
def adapters() -> Adapters:
    """A disk that a person works on too."""
    SharedDisk.deed = SharedDisk.staged = None
    return Adapters(disk=SharedDisk)


@pytest.fixture
def meanwhile() -> Callable[..., None]:
    """Sets what the person does between the next plan and its application."""

    def at_once(deed: Callable[[], object], staged: str | None = None) -> None:
        SharedDisk.deed, SharedDisk.staged = deed, staged

    return at_once


def _all(vault: Vault) -> dict[str, Memory]:
    vault.ready_to_read()
    return {one.id: one for one in vault.parts.catalog.memories()}


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _left(vault: Vault) -> tuple[str, ...]:
    return next(entry.left for entry in vault.log() if entry.kind != "settle")


def test_an_edit_between_plan_and_application_keeps_the_persons_bytes(
    meanwhile: Callable[..., None], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    meanwhile(lambda: _edit(path, "two writers", "three writers"))
    vault.forget(memory.id)
    mine = path.read_bytes()
    assert b"three writers" in mine and b"status: active" in mine
    assert _left(vault) == (memory.path,)
    assert _all(vault)[memory.id].text == _TEXT.replace("two", "three")
    assert _all(vault)[memory.id].live
    assert vault.search("three writers").memories
    assert path.read_bytes() == mine
    trace = (vault.root / layout.TRACE).read_text(encoding="utf-8")
    assert f'"left_to_the_person": "{memory.path}"' in trace
    assert vault.doctor() == []
    vault.rebuild()
    assert _all(vault)[memory.id].live
    vault.forget(memory.id)
    assert b"status: retired" in path.read_bytes() and b"three writers" in path.read_bytes()


def test_a_file_that_appears_where_a_new_memory_goes_stays(
    meanwhile: Callable[..., None], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    expected = vault.remember(_TEXT).memory.path
    vault.undo()
    path = vault.root / expected
    mine = b"---\nid: mine\ncategory: fact\nstatus: active\n---\nMy own note.\n"

    def write() -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(mine)

    meanwhile(write)
    with pytest.raises(EngramError):
        vault.remember(_TEXT)
    assert path.read_bytes() == mine
    assert _left(vault) == (expected,)
    assert _all(vault)["mine"].text == "My own note."
    again = vault.remember(_TEXT).memory
    assert again.path != expected
    assert vault.search("postgres").memories
    assert path.read_bytes() == mine


def test_a_file_that_is_removed_between_plan_and_application_stays_away(
    meanwhile: Callable[..., None], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    meanwhile(path.unlink)
    vault.forget(memory.id)
    assert not path.exists()
    assert _left(vault) == (memory.path,)
    assert memory.id not in _all(vault)
    assert vault.doctor() == []
    assert vault.restore(memory.id) == memory.id
    assert path.exists()


def test_an_undo_leaves_what_the_person_changes_in_that_moment(
    meanwhile: Callable[..., None], open_vault: Callable[..., Vault]
) -> None:
    vault = takes_every_turn(open_vault())
    vault.capture(turns(3))
    vault.flush()
    chosen = vault.parts.lookup.listing(Filter(), 10)[0]
    path = vault.root / chosen.path
    meanwhile(lambda: _edit(path, "holds", "keeps"))
    vault.undo()
    assert "keeps" in path.read_text(encoding="utf-8")
    assert _left(vault) == (chosen.path,)
    assert [one.text for one in _all(vault).values()] == [chosen.text.replace("holds", "keeps")]
    assert [one for one in vault.doctor() if one.severity == "error"] == []


def test_hand_edits_are_taken_up_as_they_are_found(open_vault: Callable[..., Vault]) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    other = "---\n# a comment of mine\nmood: fine\n"
    path.write_text(
        path.read_text(encoding="utf-8").replace("---\n", other, 1).replace("Postgres", "Zebra"),
        encoding="utf-8",
    )
    mine = path.read_bytes()
    assert [hit.snippet for hit in vault.search("zebra").memories] == [
        _TEXT.replace("Postgres", "Zebra")
    ]
    assert path.read_bytes() == mine
    events = [
        (one.name, dict(one.details)) for _, _, one in vault.parts.lookup.origin(memory).events
    ]
    assert events[-1] == ("hand_edit", {"what": "edited"})
    vault.forget(memory.id)
    kept = path.read_text(encoding="utf-8")
    assert "# a comment of mine\nmood: fine\n" in kept and "Zebra" in kept
    assert vault.doctor() == []


def test_a_file_may_be_renamed_and_moved_and_is_found_again(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    places = [
        "facts/2026-03-06/My own name.md", "facts/projects/shop/database.md", "facts/x.md",
        "archive/2026-03-06/old.md", memory.path,
    ]  # fmt: skip
    here = memory.path
    for place in places:
        (vault.root / place).parent.mkdir(parents=True, exist_ok=True)
        (vault.root / here).rename(vault.root / place)
        here = place
        assert _all(vault)[memory.id].path == place
        assert _all(vault)[memory.id].live == (not place.startswith("archive/"))
        found = vault.search("postgres", all_statuses=True).memories
        assert [hit.file for hit in found] == [place]
        assert {one.code for one in vault.doctor()} <= {"links"}
        vault.consolidate()  # links follow the file
        assert vault.doctor() == []
    whats = [
        dict(one.details)["what"] for _, _, one in vault.parts.lookup.origin(memory).events
        if one.name == "hand_edit"
    ]  # fmt: skip
    assert whats == ["moved"] * len(places)
    vault.forget(memory.id)
    assert b"status: retired" in (vault.root / here).read_bytes()


def test_a_removed_file_is_taken_for_removed_and_restore_brings_it_back(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    _edit(path, "Postgres", "Zebra")
    vault.ready_to_read()
    mine = path.read_bytes()
    path.unlink()
    assert not vault.search("zebra").memories
    assert memory.id not in _all(vault)
    assert vault.doctor() == []
    assert vault.restore(memory.id) == memory.id
    assert path.read_bytes() == mine, "as it last was, with the person's own edit"
    assert vault.search("zebra").memories
    vault.undo()
    assert not path.exists()


@pytest.mark.parametrize(
    "name",
    [
        "{stem} (conflicted copy 2026-03-07).md", "{stem}.sync-conflict-20260307-101010-ABC.md",
        "{stem} (Kim's conflicted copy).md", "{stem}_conf(1).md", "{stem}~.md.tmp",
        ".{stem}.md.swp",
    ],
)  # fmt: skip
def test_copies_of_sync_tools_and_editors_are_told_of_and_never_indexed(
    name: str, open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    copy = path.with_name(name.format(stem=path.stem))
    copy.write_text(path.read_text(encoding="utf-8").replace("Postgres", "Zebra"), encoding="utf-8")
    assert not vault.search("zebra").memories
    assert len(_all(vault)) == 1
    told = {one.subject for one in vault.doctor() if one.code == "conflict_copy"}
    is_copy = layout.is_conflict_copy(copy.name)
    assert told == ({copy.relative_to(vault.root).as_posix()} if is_copy else set())
    vault.rebuild()
    assert not vault.search("zebra").memories
    assert copy.exists()


def test_undo_refuses_with_both_versions_when_the_person_changed_the_file(
    open_vault: Callable[..., Vault],
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    _edit(path, "two writers", "three writers")
    mine = path.read_bytes()
    with pytest.raises(Conflict) as refused:
        vault.undo("1")
    assert refused.value.exit_code == 3
    assert memory.path in str(refused.value)
    assert "three writers" in refused.value.hint and "two writers" in refused.value.hint
    assert path.read_bytes() == mine
    assert vault.doctor() == []
    _edit(path, "three writers", "two writers")
    vault.undo("1")
    assert not path.exists()


def test_undo_of_an_import_refuses_as_a_whole_and_leaves_everything(
    open_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    vault = open_vault()
    source = tmp_path / "talk.jsonl"
    source.write_text(
        '{"role": "user", "content": "We decided to use Postgres."}\n'
        '{"role": "user", "content": "We decided to ship on Fridays."}\n',
        encoding="utf-8",
    )
    vault.import_files("jsonl", source)
    before = {one.text for one in _all(vault).values()}
    assert len(before) == 2
    chosen = vault.parts.lookup.listing(Filter(), 10)[0]
    path = vault.root / chosen.path
    path.write_text(path.read_text(encoding="utf-8") + "\nA remark of mine.\n", encoding="utf-8")
    with pytest.raises(Conflict):
        vault.undo()
    assert {one.text for one in _all(vault).values()} >= before - {chosen.text}
    assert len(_all(vault)) == 2
    assert "A remark of mine." in path.read_text(encoding="utf-8")
    assert len(list(vault.root.glob("transcripts/*/*.md"))) == 1


def test_a_vault_that_was_replaced_by_an_older_copy_of_itself_is_noticed(
    open_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    """Restored from a backup, or synced from a machine that was behind."""
    vault = open_vault()
    vault.remember(_TEXT)
    vault.close()
    backup = tmp_path / "backup"
    shutil.copytree(vault.root, backup)
    with open_vault() as later:
        later.remember("The shop is closed on Sundays.")
        takes_every_turn(later).capture(turns(3))
        later.flush()
    shutil.rmtree(vault.root)
    shutil.copytree(backup, vault.root)
    with open_vault() as restored:
        assert {one.text for one in _all(restored).values()} == {_TEXT}
        assert not restored.search("sundays").memories and not restored.search("valve").turns
        restored.remember("The shop has two doors.")
        assert takes_every_turn(restored).capture(turns(3)).new == 3
        assert restored.doctor() == []


def test_a_transcript_that_a_person_edits_keeps_the_remarks(
    open_vault: Callable[..., Vault],
) -> None:
    vault = takes_every_turn(open_vault())
    vault.capture(turns(2))
    vault.flush()
    path = next(vault.root.glob("transcripts/*/*.md"))
    path.write_text(
        path.read_text(encoding="utf-8").replace("bar.", "bar. (Really? K.)", 1)
        + "\nA last remark.\n",
        encoding="utf-8",
    )
    vault.capture(turns(2, first=2))
    vault.flush()
    text = path.read_text(encoding="utf-8")
    assert "(Really? K.)" in text and "A last remark." in text
    blocks = vault.parts.projections.transcripts.blocks(path.relative_to(vault.root).as_posix())
    assert len(blocks) == 4
    assert vault.doctor() == []
    moved = vault.root / "transcripts" / "mine" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    vault.capture(turns(1, first=9))
    assert list(vault.root.glob("transcripts/*/*.md")) == [moved]
    vault.rebuild()
    assert vault.doctor() == []


@pytest.mark.parametrize("verb", ["mark", "withdraw", "purge"])
def test_a_remark_made_while_a_transcript_is_rewritten_stays(
    verb: str, meanwhile: Callable[..., None], open_vault: Callable[..., Vault], tmp_path: Path
) -> None:
    vault = takes_every_turn(open_vault())
    vault.capture(turns(1))
    source = tmp_path / "talk.jsonl"
    lines = ['{"role": "user", "content": "We decided to use Postgres."}\n']
    source.write_text("".join(lines), encoding="utf-8")
    vault.import_files("jsonl", source, extract=verb != "mark")
    vault.flush()
    path = next(vault.root.glob("transcripts/*/jsonl-*.md"))
    memory = next(one for one in _all(vault).values() if "Postgres" in one.text)

    def remark() -> None:
        _edit(path, "\n**user**", "\nA remark.\n\n**user**")

    if verb == "mark":
        source.write_text(lines[0] * 2, encoding="utf-8")
        vault.import_files("jsonl", source, extract=False)
    meanwhile(remark, path.stem)
    if verb == "mark":
        vault.flush()
    elif verb == "withdraw":
        _edit(path, "# jsonl", "# My own heading\n\nwith words, for jsonl")
        vault.undo()
    else:
        vault.purge(memory.id)
    assert SharedDisk.deed is None, "the person did it"
    text = path.read_text(encoding="utf-8")
    assert "A remark." in text
    assert ("Postgres" in text) == (verb == "mark")
    assert vault.doctor() == []


def test_an_edit_made_while_an_earlier_one_is_recorded_is_recorded_as_well(
    meanwhile: Callable[..., None], open_vault: Callable[..., Vault]
) -> None:
    vault = open_vault()
    memory = vault.remember(_TEXT).memory
    path = vault.root / memory.path
    _edit(path, "two writers", "three writers")
    meanwhile(lambda: _edit(path, "three writers", "four writers"))
    vault.ready_to_read()
    assert SharedDisk.deed is None, "the person did it"
    assert vault.search("four writers").memories
    vault.ready_to_read()
    path.unlink()
    vault.restore(memory.id)
    assert "four writers" in path.read_text(encoding="utf-8")
