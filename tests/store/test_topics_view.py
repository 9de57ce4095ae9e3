"""The topics of a vault: counted as memories come and go, written when a consolidation is done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.topics import topic_terms
from engram.model.change import Event, Plan
from engram.model.memory import Memory
from engram.queries.checks import stale_views
from engram.store.base import layout
from engram.store.catalog.catalog import Catalog, FileRow
from engram.vault import Vault
from tests.effort import examples
from tests.kit import topic_totals, tree_digest

_TEXTS = st.sampled_from(
    ["", "the", "Tea and cake.", "tea tea tea", "Postgres holds tea.", "東京タワー"]
)
_MEMORIES = st.builds(
    Memory, st.sampled_from("abcd"), st.just("fact"), _TEXTS,
    status=st.sampled_from(["active", "needs-review", "retired"]),
)  # fmt: skip


@given(st.lists(st.lists(_MEMORIES | st.sampled_from("abcd"), max_size=6), max_size=6))
@examples(15, shared_fixture=True)
def test_totals_that_followed_are_those_of_a_new_count(
    tmp_path: Path, transactions: list[list[Memory | str]]
) -> None:
    catalog = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with catalog.transaction():
        catalog.clear()
    live: dict[str, Memory] = {}
    for changes in transactions:
        with catalog.transaction():
            for change in changes:
                if isinstance(change, str):
                    catalog.drop_file(f"facts/{change}.md")
                    live.pop(change, None)
                    continue
                memory = replace(change, path=f"facts/{change.id}.md")
                catalog.put_memory(memory)
                catalog.put_file(FileRow(memory.path, 1, 2, 3, "sha", memory.id))
                live[memory.id] = memory
    counted = topic_totals([topic_terms(one.text) for one in live.values() if one.live])
    assert catalog.topics.totals() == counted
    catalog.close()


def test_a_failed_transaction_counts_nothing(tmp_path: Path) -> None:
    catalog = Catalog.make(tmp_path / "catalog.sqlite", "vault")
    with catalog.transaction():
        catalog.clear()
    with pytest.raises(KeyError), catalog.transaction():
        catalog.put_memory(Memory("a", "fact", "Tea."))
        raise KeyError
    with catalog.transaction():
        catalog.put_memory(Memory("b", "fact", "Cake."))
    assert [term for term, _, _ in catalog.topics.totals()] == ["cake"]
    catalog.close()


def consolidated(vault: Vault) -> None:
    """As a consolidation commits."""
    vault.parts.committer.commit(Plan("consolidate", events=(Event("consolidated"),)))


def topics(vault: Vault) -> list[str]:
    data = vault.parts.disk.read(layout.TOPICS)
    return [row["term"] for row in json.loads(data)["topics"]] if data else []


def stale(vault: Vault) -> list[str]:
    """The views that the doctor complains of."""
    return stale_views(vault.parts.disk, vault.parts.projections, vault.parts.transaction_log)


def test_they_are_those_of_the_last_consolidation(vault: Vault) -> None:
    vault.remember("Kim likes marzipan.")
    assert topics(vault) == []
    consolidated(vault)
    assert topics(vault) == ["kim", "likes", "marzipan"]
    written = vault.parts.disk.read(layout.TOPICS)
    vault.remember("The oven is blue.")
    assert vault.parts.disk.read(layout.TOPICS) == written and stale(vault) == []
    assert vault.stale_views() == [layout.TOPICS]
    consolidated(vault)
    assert "oven" in topics(vault)


def test_an_undo_counts_them_anew(vault: Vault) -> None:
    vault.remember("Kim likes marzipan.")
    consolidated(vault)
    vault.remember("The oven is blue.")
    vault.undo()
    assert "oven" not in topics(vault) and "marzipan" in topics(vault)


def test_a_view_that_differs_right_after_is_wrong_and_one_of_before_is_not(vault: Vault) -> None:
    vault.remember("Kim likes marzipan.")
    consolidated(vault)
    right = vault.parts.disk.read(layout.TOPICS) or b""
    other = right.replace(b"marzipan", b"marzipen")
    vault.parts.disk.put(layout.TOPICS, other)
    assert stale(vault) == [layout.TOPICS]
    vault.remember("The oven is blue.")
    assert stale(vault) == []
    vault.parts.disk.put(layout.TOPICS, right[:-3])
    assert stale(vault) == [layout.TOPICS]


@pytest.mark.parametrize("data", [b"\xff", b"[]", b"{}", b'{"topics": [1]}', b"[" * 9999])
def test_whatever_lies_there_is_looked_at(vault: Vault, data: bytes) -> None:
    vault.remember("Kim likes marzipan.")
    vault.parts.disk.put(layout.TOPICS, data)
    assert stale(vault) == [layout.TOPICS]
    assert layout.TOPICS in vault.rebuild()
    assert stale(vault) == []


def test_purged_words_are_no_topic(vault: Vault) -> None:
    unwanted = vault.remember("Kim likes marzipan.").memory
    consolidated(vault)
    vault.purge(unwanted.id)
    assert vault.parts.disk.read(layout.TOPICS) is None


_PAGES = {
    **{
        f"boxes/2026-03-06/{name}.md": (
            f"---\nid: {name}\ncreated: 2026-03-06T10:00:00Z\nsealed: 2026-03-06T10:10:00Z\n"
            "seal: time_gap\ntrace: trace-1a2b3c4d\ntopics:\n  - tea\n---\n# Tea\n\nOutcome: calm\n"
        )
        for name in ("box-1a2b3c4d", "box-2b3c4d5e")  # one box alone is no trace
    },
    "entities/tool-oven.md": "---\nid: tool-oven\ntype: tool\nname: Oven\n---\n# Oven\n",
}


def test_all_views_come_back_byte_for_byte(vault: Vault, open_vault: Callable[..., Vault]) -> None:
    for text in ("Kim likes marzipan.", "The oven is blue.", "Tea is drunk at nine."):
        vault.remember(text)
    for path, text in _PAGES.items():
        place = vault.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    vault.ready_to_read()
    consolidated(vault)
    vault.rebuild()
    before = tree_digest(vault.root)
    views = [layout.HASHES, layout.TRACE, layout.TRACES, layout.TOPICS]
    assert all(vault.parts.disk.read(view) for view in views)
    for view in views:
        vault.parts.disk.remove(view)
    vault.close()
    shutil.rmtree(vault.parts.cache)
    again = open_vault()
    again.rebuild()
    assert tree_digest(again.root) == before
