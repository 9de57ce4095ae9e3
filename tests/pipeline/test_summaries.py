"""A summary follows its sources: what is forgotten, purged or undone leaves it at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.summary import ReplacedFact, Summary, SummaryDecision, SummaryLine
from engram.surfaces.qmd.vaults import is_live
from engram.vault import Vault
from tests.kit import where, write_pages

SAID = (
    "We use Zwiebel as the cache of the shop.",
    "The shop deploys on Thursday from the branch main.",
    "The shop keeps its invoices for ten years.",
    "The cache of the shop was Finkenwerder.",
)
OWN = b"\nAsk Rosa about the cellar.\n"


@pytest.fixture
def names(vault: Vault) -> list[str]:
    return [vault.remember(text).memory.id for text in SAID]


@pytest.fixture
def page(vault: Vault, names: list[str]) -> Summary:
    """A page of three memories, and of a fourth by the line of what it replaced."""
    cache, deploy, invoices, old = names
    made = Summary(
        "sum-0a1b2c3d", "Zwiebel and the shop", "2026-03-07T02:00:00Z", "2026-03-04", "2026-03-04",
        (cache, deploy, invoices),
        summary=(
            SummaryLine("The shop caches with Zwiebel.", (cache,)),
            SummaryLine("Deploys and invoices have rules.", (deploy, invoices)),
        ),
        facts=(SummaryLine("Deploys are on Thursday.", (deploy,)),),
        decisions=(SummaryDecision("Zwiebel is the cache.", "it is quick", "", (cache,)),),
        replaced=(ReplacedFact("Finkenwerder", "Zwiebel", (old, cache)),),
        confidence=0.8,
    )  # fmt: skip
    write_pages(vault, (None, made))
    found = vault.parts.view.summary(made.id)
    assert found is not None and not found.edited
    return found


def texts(vault: Vault) -> list[str]:
    return [line.text for page in vault.summaries() for line in (*page.summary, *page.facts)]


def pages_of(vault: Vault, query: str, **more: bool) -> list[str]:
    return [hit.id for hit in vault.search(query, **more).pages if hit.category == "summary"]


# -- found ----------------------------------------------------------------------------------------


def test_a_summary_is_found_by_its_words_and_shown_by_its_id(vault: Vault, page: Summary) -> None:
    (hit,) = vault.search("invoices rules").pages
    assert (hit.id, hit.collection, hit.category) == (page.id, "pages", "summary")
    assert hit.title == page.title and "Deploys and invoices have rules." in hit.snippet
    assert page.consolidates[0] not in hit.snippet
    for reference in (page.id, hit.docid, f"[[{page.id}]]"):
        assert vault.show(reference).text.startswith(f"---\nid: {page.id}\n")
    for reference in (page.id, "sum-0a", hit.docid):
        assert vault.summary(reference) == (page, vault.show(page.id).text)
    with pytest.raises(NotFound, match="no summary"):
        vault.summary("sum-ffff")
    assert pages_of(vault, "rules since:2026-03-04 before:2026-03-05") == [page.id]
    assert not pages_of(vault, "rules category:fact") and not pages_of(vault, "rules since:2026-04")
    assert vault.search("rules", as_of="2026-03-05").pages == [], "it was written later"


def test_a_superseded_summary_is_found_only_among_all_statuses(vault: Vault, page: Summary) -> None:
    newer = replace(page, id="sum-11111111", path="", title="Newer", supersedes=(page.id,))
    ended = replace(page, status="superseded", superseded_by=newer.id)
    write_pages(vault, (page, ended), (None, newer))
    assert pages_of(vault, "rules") == [newer.id]
    assert sorted(pages_of(vault, "rules", all_statuses=True)) == [page.id, newer.id]
    assert not is_live(vault.show(page.id).text), "nor by the qmd interface"
    with pytest.raises(BadInput, match="2 summaries"):
        vault.summary("sum-")


def test_pages_that_supersede_each_other_in_a_circle_are_listed_and_checked(
    vault: Vault, page: Summary
) -> None:
    other = replace(page, id="sum-11111111", path="", supersedes=(page.id,), superseded_by=page.id)
    this = replace(page, supersedes=(other.id,), superseded_by=other.id)
    write_pages(vault, (page, this), (None, other))
    assert [one.id for one in vault.summaries()] == [page.id, other.id]
    assert vault.doctor() == []
    assert not any(row.flaws for row in vault.audit().rows if row.name == "dead_links")


# -- following ------------------------------------------------------------------------------------


def test_what_is_forgotten_leaves_the_page_in_the_same_change(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    cache, deploy, invoices, old = names
    vault.forget(old)
    (left,) = vault.summaries()
    assert left == replace(page, replaced=()), "its words stood in one line"
    vault.forget(cache)
    number = vault.parts.catalog.last
    (left,) = vault.summaries()
    assert left.consolidates == (deploy, invoices)
    assert left.title == "Deploys and invoices have rules.", "the old one had a word that is gone"
    assert texts(vault) == [left.title, "Deploys are on Thursday."]
    assert not where(vault.root / "summaries", "Zwiebel") and not pages_of(vault, "Zwiebel")
    vault.undo(str(number))
    assert vault.summaries() == [replace(page, replaced=())]
    vault.forget(cache)
    vault.forget(invoices)
    assert vault.summaries() == [] and not (vault.root / page.path).exists()
    assert vault.doctor() == []


def test_a_retired_source_keeps_its_line_until_the_page_is_written_anew(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    vault.retire([names[0]])
    assert vault.summaries() == [page]


def test_what_is_purged_leaves_no_word_in_pages_and_their_history(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    lent = SummaryLine("Zwiebel is told by another source too.", (names[1],))
    ended = replace(page, id="sum-11111111", path="", status="superseded")
    write_pages(vault, (page, replace(page, facts=(*page.facts, lent))), (None, ended))
    report = vault.purge(names[0])
    assert report.left == ()
    assert not where(vault.root, "Zwiebel") and not where(vault.root / "summaries", names[0])
    for one in vault.summaries():
        assert not one.edited and one.consolidates == tuple(names[1:3])
        assert [line.text for line in one.facts] == ["Deploys are on Thursday."]
    vault.purge(names[2])
    assert vault.summaries() == [] and vault.doctor() == []


def test_what_an_undo_takes_back_leaves_the_page(vault: Vault, tmp_path: object) -> None:
    ids = [vault.remember(text).memory.id for text in SAID[:3]]
    made = Summary(
        "sum-1", "", "2026-03-07T02:00:00Z", "2026-03-04", "2026-03-04", tuple(ids),
        tuple(SummaryLine(text, (name,)) for text, name in zip(SAID[:3], ids, strict=True)),
    )  # fmt: skip
    number = write_pages(vault, (None, made))
    vault.undo(str(number - 1))
    (left,) = vault.summaries()
    assert left.consolidates == tuple(ids[:2]) and texts(vault) == list(SAID[:2])
    vault.undo(str(number - 2))
    assert vault.summaries() == []


# -- a person's page ------------------------------------------------------------------------------


def test_a_page_that_a_person_wrote_on_keeps_their_words(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    path = vault.root / page.path
    path.write_bytes(path.read_bytes() + OWN)
    assert vault.summaries() == [page]
    vault.forget(names[0])
    vault.forget(names[1])
    assert OWN in path.read_bytes() and b"Zwiebel" not in path.read_bytes()
    (left,) = vault.summaries()
    assert left.status == "superseded" and not left.memories


def test_lines_that_a_person_changed_are_theirs_and_go_with_their_source_alone(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    path = vault.root / page.path
    path.write_bytes(path.read_bytes().replace(b"are on Thursday", b"are on Friday"))
    (edited,) = vault.summaries()
    assert edited.edited
    with pytest.raises(Conflict, match="changed by a person"):
        write_pages(vault, (edited, page))
    vault.forget(names[0])
    vault.forget(names[2])
    (left,) = vault.summaries()
    assert left.status == "superseded" and texts(vault) == ["Deploys are on Friday."]


def test_a_source_that_a_person_removed_is_named_by_the_doctor(
    vault: Vault, page: Summary, names: list[str]
) -> None:
    memory = vault.parts.view.memory(names[1])
    assert memory is not None
    (vault.root / memory.path).unlink()
    (finding,) = vault.doctor()
    assert (finding.code, finding.subject) == ("missing_source", page.path)
    assert names[1] in finding.message and names[1] in finding.fix
    vault.restore(names[1])
    assert vault.doctor() == []


# -- two versions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["lines", "sources", "status", "person"])
def test_a_conflict_copy_is_taken_in_where_that_loses_nothing(
    vault: Vault, page: Summary, names: list[str], change: str
) -> None:
    path = vault.root / page.path
    before = path.read_bytes()
    line = SummaryLine("Invoices stay for ten years.", (names[2],))
    made: dict[str, Callable[[], object]] = {
        "lines": lambda: write_pages(vault, (page, replace(page, facts=(line,)))),
        "sources": lambda: vault.forget(names[0]),
        "status": lambda: write_pages(vault, (page, replace(page, status="superseded"))),
        "person": lambda: path.write_bytes(before + OWN),
    }
    made[change]()
    ours, now = vault.summaries(), path.read_bytes()
    copy = path.with_name(f"{path.stem} (conflicted copy 2026-03-08).md")
    copy.write_bytes(before)
    vault.reunite()
    assert not copy.exists()
    assert (path.read_bytes() == now and vault.summaries() == ours) or change == "lines"
    assert len(vault.summaries()) == 1
