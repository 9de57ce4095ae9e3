"""Listings from the catalog: exactly what the plain filter admits, newest first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.memory import LIVE, Memory
from engram.recall.filter import Filter
from engram.store.catalog import catalog as catalogs
from engram.store.catalog.catalog import Catalog
from engram.store.catalog.conditions import where
from engram.vault import Vault
from tests.effort import examples

_TIMES = st.sampled_from(
    ["", "1970-01-01T00:00:00Z", "2026-03-05T23:59:59Z", "2026-03-06T00:00:00Z",
     "2026-03-06T12:00:00Z", "2026-04-01T00:00:00Z", "9999-12-31T00:00:00Z"]
)  # fmt: skip
_DAYS = st.sampled_from(["", "1969", "2026", "2026-03", "2026-03-06", "2026-03-07", "9999-12-31"])
_TAGS = ("db", "DB", "größe", "a b")

_MEMORIES = st.lists(
    st.builds(
        Memory,
        id=st.sampled_from([f"fact-{n}" for n in range(9)]),
        category=st.sampled_from(["fact", "decision"]),
        text=st.just("Text."),
        status=st.sampled_from(["active", "needs-review", "retired"]),
        created=_TIMES,
        project=st.sampled_from(["", "shop", "Shop"]),
        space=st.sampled_from(["session", "user", "project"]),
        tags=st.lists(st.sampled_from(_TAGS), max_size=3).map(tuple),
    ),
    max_size=12,
)
_FILTERS = st.builds(
    Filter,
    categories=st.sampled_from([(), ("fact",), ("fact", "decision"), ("skill",)]),
    statuses=st.sampled_from([(), ("active",), ("retired", "active")]),
    project=st.sampled_from(["", "shop", "SHOP", "sho\udcff"]),
    tag=st.sampled_from(["", *_TAGS, "x", "\udcff", "' or 1=1 --"]),
    since=_DAYS,
    before=_DAYS,
    as_of=st.just(""),
    schemas=st.just(()),
    space=st.sampled_from(["", "session", "user"]),
)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog.make(tmp_path / "catalog.sqlite", "vault")


@given(_MEMORIES, _FILTERS, st.integers(1, 5))
@examples(40, shared_fixture=True)
def test_a_listing_is_what_the_filter_admits(
    catalog: Catalog, memories: list[Memory], wanted: Filter, limit: int
) -> None:
    with catalog.transaction():
        catalog.clear()
        for memory in memories:
            catalog.put_memory(replace(memory, path=f"facts/{memory.id}.md"))
    condition = where(
        statuses=wanted.statuses or LIVE, categories=wanted.categories, project=wanted.project,
        tag=wanted.tag, since=wanted.since, before=wanted.before, space=wanted.space,
    )  # fmt: skip
    admitted = [memory for memory in catalog.memories() if wanted.admits(memory)][::-1]
    assert catalog.listing(condition) == admitted
    assert catalog.listing(condition, limit) == admitted[:limit]


def test_only_what_is_shown_is_decoded(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        vault.remember(f"Shelf {number} holds tea number {number}.")
    decoded: list[str] = []
    decode = catalogs.decode

    def counting(kind: type[Memory], body: str) -> Memory:
        decoded.append(body)
        return decode(kind, body)

    monkeypatch.setattr(catalogs, "decode", counting)
    assert len(vault.parts.lookup.listing(Filter(since="2026-03-06"), 2)) == 2
    assert len(decoded) == 2
