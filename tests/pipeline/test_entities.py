"""Entities in a real vault: pages by night, found by any name, taken back whole, safe to edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.kit import tree_digest

SAID = (
    ("fact-20260301-100000-11111111", "Mara Holt leads finance.", "person-mara-holt"),
    ("fact-20260302-100000-22222222", "Mara Holt approves contracts.", "person-mara-holt"),
    ("fact-20260303-100000-33333333", "Postgres holds the orders.", "tool-postgres"),
    ("fact-20260304-100000-44444444", "Postgres holds the users.", "tool-postgres"),
    ("fact-20260305-100000-55555555", "Postgres is backed up.", "other-postgres"),
)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    environment = {"ENGRAM_HOME": str(tmp_path / "home")}
    made = Vault.create(
        tmp_path / "vault", environment=environment, clock=FixedClock("2026-03-06T10:10:00Z")
    )
    for identifier, text, entity in SAID:
        day = f"{identifier[5:9]}-{identifier[9:11]}-{identifier[11:13]}"
        path = made.root / f"facts/{day}/{identifier}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nid: {identifier}\ncategory: fact\nkind: note\nstatus: active\n"
            f"created: {day}T10:00:00Z\nconfidence: 0.9\nimportance: 0.7\n"
            f'entities:\n  - "[[{entity}]]"\n---\n{text}\n',
            encoding="utf-8",
        )
    return made


def names(vault: Vault) -> list[str]:
    return sorted(path.name for path in (vault.root / "entities").glob("*.md"))


def test_a_night_makes_pages_and_merges_what_is_one(vault: Vault) -> None:
    vault.consolidate(full=True)
    assert names(vault) == ["other-postgres.md", "person-mara-holt.md", "tool-postgres.md"]
    page = vault.parts.entities.find("postgres")
    assert page.id == "tool-postgres"
    assert [name for _, name, _ in page.timeline] == [name for name, _, _ in SAID[2:]]
    assert vault.parts.entities.find("other-postgres") == page
    assert [(row.id, row.memories) for row in vault.parts.entities.listing()] == [
        ("tool-postgres", 3),
        ("person-mara-holt", 2),
    ]


def test_a_second_night_changes_nothing(vault: Vault) -> None:
    vault.consolidate(full=True)
    before = tree_digest(vault.root, "entities", "facts")
    for full in (True, False):
        assert not vault.consolidate(full=full).steps
    assert tree_digest(vault.root, "entities", "facts") == before


def test_undo_leaves_no_trace_of_it(vault: Vault) -> None:
    before = tree_digest(vault.root, "entities", "facts")
    vault.consolidate(full=True)
    vault.undo()
    assert names(vault) == []
    assert tree_digest(vault.root, "entities", "facts") == before


def test_what_a_person_wrote_on_a_page_outlives_the_nights(vault: Vault) -> None:
    vault.consolidate(full=True)
    path = vault.root / "entities/person-mara-holt.md"
    text = path.read_text(encoding="utf-8")
    text = text.replace("# Mara Holt\n", "# Mara Holt\n\nWe met at the fair.\n")
    text = text.replace("- Mara Holt approves contracts.\n", "She runs the money.\n")
    path.write_text(text + "\n## My notes\n\n- ask about May\n", encoding="utf-8")
    fact = vault.root / f"facts/2026-03-02/{SAID[1][0]}.md"
    fact.write_text(
        fact.read_text(encoding="utf-8").replace("contracts.", "all contracts."), encoding="utf-8"
    )
    vault.consolidate()
    after = path.read_text(encoding="utf-8")
    assert "approves all contracts." in after
    assert "She runs the money." in after
    assert "\n\nWe met at the fair.\n" in after
    assert after.endswith("\n## My notes\n\n- ask about May\n")
    assert "synthesis_by: person" in after


def test_a_merge_that_was_taken_back_is_not_made_again(vault: Vault) -> None:
    vault.consolidate(full=True)
    vault.undo()
    again = vault.consolidate(full=True)
    assert names(vault) == ["other-postgres.md", "person-mara-holt.md", "tool-postgres.md"]
    assert "merge" not in [step.action for step in again.steps]
    assert not vault.consolidate(full=True).steps


def test_a_person_makes_two_one_by_an_alias_on_a_page(vault: Vault) -> None:
    vault.consolidate(full=True)
    path = vault.root / "entities/person-mara-holt.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: M", "aliases:\n  - The boss\nname: M"), encoding="utf-8")
    (vault.root / "entities/person-the-boss.md").write_text("# The boss\n", encoding="utf-8")
    vault.consolidate()
    assert vault.parts.entities.find("the boss").id == "person-mara-holt"


def test_an_emptied_synthesis_is_written_again(vault: Vault) -> None:
    vault.consolidate(full=True)
    path = vault.root / "entities/person-mara-holt.md"
    before = path.read_text(encoding="utf-8")
    written = before.partition("## Synthesis\n")[2].partition("\n## Timeline")[0]
    path.write_text(before.replace(written, ""), encoding="utf-8")
    vault.consolidate()
    assert path.read_text(encoding="utf-8") == before
