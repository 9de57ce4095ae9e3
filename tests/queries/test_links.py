"""Links of a memory: both directions, once each, with the reason that the events have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.change import Event, Plan, Transaction
from engram.model.edge import edges_of
from engram.queries.memory_links import links_of, links_of_summary
from engram.store.catalog.catalog import Catalog
from tests.admit.cases import memory
from tests.kit import summary


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """An empty catalog."""
    made = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with made.transaction():
        made.clear()
    yield made
    made.close()


OLD = memory("The shop runs on Hetzner.")
NEW = memory("The shop runs on Fly.", created="2026-03-06T09:00:00Z", supersedes=(OLD.id,))
NOTE = memory(f"Why we moved stands in [[{NEW.id}|the decision]].", created="2026-03-06T10:00:00Z")


def test_a_replacement_is_told_from_both_sides_with_its_reason(catalog: Catalog) -> None:
    old = replace(OLD, status="superseded", superseded_by=(NEW.id,))
    step = (("step", "2"), ("action", "supersede"), ("why", "moved to Fly"))
    events = [Event("consolidated", one.id, step) for one in (NEW, old)]
    with catalog.transaction():
        for one in (old, NEW, NOTE):
            catalog.put_memory(one)
        catalog.log.record(Transaction(7, NEW.created, Plan("consolidate", events=tuple(events))))
    (out,) = links_of(old, catalog)[:1]
    assert out[:2] == ("superseded by", NEW.id)
    assert out.edge is not None
    edge = out.edge
    assert (edge.reason, edge.confidence, edge.transaction) == ("moved to Fly", "high", 7)
    told = [one[:2] for one in links_of(NEW, catalog) if one.relation != "sources"]
    assert told == [("supersedes", old.id), ("referenced by", NOTE.id)]
    told = [one[:2] for one in links_of(NOTE, catalog) if one.relation != "sources"]
    assert told == [("references", NEW.id)]


def test_a_circle_of_replacements_is_told_once(catalog: Catalog) -> None:
    one = replace(OLD, supersedes=(NEW.id,), superseded_by=(NEW.id,))
    other = replace(NEW, superseded_by=(OLD.id,))
    with catalog.transaction():
        catalog.put_memory(one)
        catalog.put_memory(other)
    told = [link[:2] for link in links_of(one, catalog) if link.relation != "sources"]
    assert told == [("supersedes", NEW.id), ("superseded by", NEW.id)]


def test_a_link_that_is_no_memory_is_no_edge() -> None:
    texts = ("[[profile]]", "[[", "[[chat#^m1]]", f"[[{OLD.id}", "[[a]] [[b|c]]")
    assert [list(edges_of(memory(text)))[1:] for text in texts] == [[]] * len(texts)


def test_a_summary_has_links_to_its_memories_and_to_the_page_that_it_replaces(
    catalog: Catalog,
) -> None:
    page = summary("sum-11111111", OLD.id, NEW.id, supersedes=("sum-00000000",))
    told = [one[:2] for one in links_of_summary(page, catalog)]
    assert told == [
        ("supersedes", "sum-00000000"), ("consolidates", OLD.id), ("consolidates", NEW.id),
    ]  # fmt: skip
