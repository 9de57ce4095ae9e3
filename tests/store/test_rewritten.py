"""A note that an editor saved in another style was not edited, and goes on as any other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.errors import Conflict
from engram.model.memory import Memory
from engram.vault import Adapters, Vault
from tests.kit import LIGHT
from tests.store.editor import Style

STYLE = Style(quoted=True, inline=True, backwards=True, crlf=True, final_newline=False)


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: what is on disk answers alike."""
    return LIGHT


@pytest.fixture
def tea(vault: Vault) -> Memory:
    return vault.remember("Kim likes dark tea.").memory


def path_of(vault: Vault, memory: Memory) -> Path:
    return vault.root / vault.parts.lookup.memory(memory.id).path


def rewritten(vault: Vault, memory: Memory) -> bytes:
    """The note's bytes after an editor has saved it in its own style."""
    path = path_of(vault, memory)
    before = path.read_bytes()
    STYLE.rewrite(path)
    assert path.read_bytes() != before
    return path.read_bytes()


def transactions(vault: Vault) -> int:
    vault.ready_to_read()
    return vault.parts.catalog.last


def test_it_is_taken_up_quietly(vault: Vault, tea: Memory) -> None:
    before, seen = transactions(vault), vault.parts.index.status().generation
    data = rewritten(vault, tea)
    assert transactions(vault) == before
    assert vault.parts.index.status().generation == seen
    assert [hit.id for hit in vault.search("tea").memories] == [tea.id]
    assert vault.doctor() == []
    row = vault.parts.catalog.file(tea.path)
    assert row is not None and row.size == len(data)


def test_also_by_a_catalog_that_is_built_anew(
    vault: Vault, tea: Memory, open_vault: Callable[..., Vault]
) -> None:
    before = transactions(vault)
    rewritten(vault, tea)
    vault.rebuild()
    assert transactions(vault) == before
    vault.close()
    vault.parts.projections._path.unlink()
    assert transactions(open_vault()) == before


def test_an_edit_after_it_is_an_edit(vault: Vault, tea: Memory) -> None:
    before = transactions(vault)
    data = rewritten(vault, tea)
    transactions(vault)
    path_of(vault, tea).write_bytes(data.replace(b"dark", b"green"))
    assert transactions(vault) == before + 1
    assert vault.parts.lookup.memory(tea.id).text == "Kim likes green tea."


def test_the_program_changes_it_in_the_style_that_it_has(vault: Vault, tea: Memory) -> None:
    rewritten(vault, tea)
    vault.forget(tea.id)
    data = path_of(vault, tea).read_bytes()
    assert b'status: "retired"' in data or b"status: retired" in data
    assert data.count(b"\r\n") == data.count(b"\n")
    vault.undo()
    assert vault.parts.lookup.memory(tea.id).status == "active"


def test_an_undo_of_what_was_done_before_takes_the_older_bytes(vault: Vault, tea: Memory) -> None:
    written = path_of(vault, tea).read_bytes()
    vault.forget(tea.id)
    rewritten(vault, tea)
    vault.undo()
    assert path_of(vault, tea).read_bytes() == written
    assert vault.parts.lookup.memory(tea.id).status == "active"
    vault.undo(str(transactions(vault)))
    assert vault.parts.lookup.memory(tea.id).status == "retired"


def test_what_was_remembered_is_taken_back_in_whatever_style(vault: Vault, tea: Memory) -> None:
    rewritten(vault, tea)
    vault.undo()
    assert not (vault.root / tea.path).exists()


def test_an_undo_still_refuses_where_a_word_was_changed(vault: Vault, tea: Memory) -> None:
    vault.forget(tea.id)
    data = rewritten(vault, tea)
    path_of(vault, tea).write_bytes(data.replace(b"dark", b"green"))
    with pytest.raises(Conflict, match="changed since"):
        vault.undo("2")
    assert b"green" in path_of(vault, tea).read_bytes()


def test_the_bytes_before_an_edit_are_kept(vault: Vault, tea: Memory) -> None:
    path = path_of(vault, tea)
    path.write_bytes(path.read_bytes().replace(b"dark", b"green"))
    transactions(vault)
    path.unlink()
    transactions(vault)
    vault.restore(tea.id)
    assert b"green" in path.read_bytes()
    bodies = [
        change.after
        for one in vault.parts.transaction_log.all()
        for change in (*one.plan.changes, *one.plan.seen)
        if change.path == tea.path and change.after
    ]
    assert any(b"dark" in body for body in bodies)


def test_slot_hash_entities_and_tags_follow_an_edit(vault: Vault, tea: Memory) -> None:
    path = path_of(vault, tea)
    lines = "key: drink\nentities:\n  - '[[person-kim]]'\ntags: [tea]\n"
    path.write_text(path.read_text("utf-8").replace("---\n", f"---\n{lines}", 1), encoding="utf-8")
    transactions(vault)
    known = vault.parts.projections
    memory = vault.parts.lookup.memory(tea.id)
    assert [one.id for one in known.view.holders("drink", memory.space, memory.project)] == [tea.id]
    assert known.view.mentioned() == {"person-kim": 1}
    assert [digest for digest, _ in known.views.hashes.read()] == [
        digest for digest, _ in known.catalog.live_hashes()
    ]
