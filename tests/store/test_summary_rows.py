"""A summary is a file of the vault like a box: catalogued, followed, moved, made anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engram.model.summary import ReplacedFact, Summary, SummaryDecision
from engram.store.catalog.row_body import decode, encode
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, summary, write_pages

DAY = "summaries/2026-03-06"
FULL = summary(
    "sum-a", "fact-1", "fact-2",
    decisions=(SummaryDecision("Use tea.", "it is warm", "", ("fact-1",)),),
    replaced=(ReplacedFact("coffee", "tea", ("fact-0", "fact-2")),),
    path=f"{DAY}/sum-a.md",
)  # fmt: skip


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


def told(vault: Vault) -> list[tuple[str, str]]:
    """The memories that active summaries tell of."""
    rows = vault.parts.catalog.db.rows("select source, summary from summary_sources order by 1, 2")
    return [(row[0], row[1]) for row in rows]


def problems(vault: Vault) -> list[str]:
    return [row.problem for row in vault.parts.catalog.files().values() if row.problem]


def test_a_row_holds_a_summary_with_all_its_parts() -> None:
    assert decode(Summary, encode(FULL)) == FULL


def test_a_summary_is_known_as_its_file_says_it_and_its_sources_while_it_is_active(
    vault: Vault,
) -> None:
    write_pages(vault, (None, replace(FULL, path="")))
    view = vault.parts.view
    assert view.summary("sum-a") == FULL and view.summaries() == [FULL]
    assert view.page_by_id("sum-a") == FULL and view.taken(["sum-a", "sum-b"]) == {"sum-a"}
    every = [(f"fact-{number}", "sum-a") for number in range(3)]
    assert told(vault) == every, "the replaced one too: a line of the page has its words"
    ended = replace(FULL, status="superseded", superseded_by="sum-b")
    write_pages(vault, (FULL, ended), (None, summary("sum-b", "fact-2", supersedes=("sum-a",))))
    assert view.summary("sum-a") == ended and told(vault) == [("fact-2", "sum-b")]
    vault.rebuild()
    assert view.summary("sum-a") == ended and told(vault) == [("fact-2", "sum-b")]
    write_pages(vault, (view.summary("sum-b"), None))
    assert view.summary("sum-b") is None and told(vault) == []


def test_a_summary_that_was_moved_and_renamed_is_the_same_page(vault: Vault) -> None:
    write_pages(vault, (None, FULL))
    root = vault.parts.disk.root
    (root / "summaries/mine").mkdir()
    (root / DAY / "sum-a.md").rename(root / "summaries/mine/Tea.md")
    vault.traces()
    moved = replace(FULL, path="summaries/mine/Tea.md")
    assert vault.parts.view.summary("sum-a") == moved and len(told(vault)) == 3
    write_pages(vault, (moved, replace(moved, confidence=0.5)))
    assert vault.parts.view.summary("sum-a") == replace(moved, confidence=0.5)


def test_of_two_files_with_one_id_the_first_is_the_page(vault: Vault) -> None:
    write_pages(vault, (None, FULL))
    root = vault.parts.disk.root
    copy = root / DAY / "other.md"
    copy.write_bytes((root / DAY / "sum-a.md").read_bytes().replace(b"it is warm", b"it is hot"))
    vault.traces()
    assert vault.parts.view.summaries() == [FULL]
    assert problems(vault) == [f"the id sum-a belongs to {DAY}/sum-a.md"]
    assert "duplicate_id" in [one.code for one in vault.doctor()]
    (root / DAY / "sum-a.md").unlink()
    vault.traces()
    left = vault.parts.view.summary("sum-a")
    assert left is not None and left.path == f"{DAY}/other.md" and problems(vault) == []
    assert left.edited, "its lines are not those that were written"


def test_a_summary_with_a_broken_header_and_one_of_many_kilobytes_are_read(vault: Vault) -> None:
    folder = vault.parts.disk.root / "summaries"
    (folder / "odd.md").write_bytes(
        b"---\nid: sum-odd\nconsolidates: [[fact-1\n---\n- a [[fact-1]]\n"
    )
    (folder / "long.md").write_bytes(b"---\nid: sum-long\n---\n" + b"- word [[fact-1]]\n" * 12_000)
    vault.traces()
    view = vault.parts.view
    assert [page.id for page in view.summaries()] == ["sum-long", "sum-odd"] and told(vault) == []
    assert sum("odd.md" in one.message for one in vault.doctor()) == 1
