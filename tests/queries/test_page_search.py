"""Boxes and entities as answers: found by their words, and followed through every change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.index import whoosh_finder
from engram.model.change import Change, Plan
from engram.vault import Vault

BOX = "boxes/2026-03-06/box-1a2b3c4d.md"
OVEN = "entities/tool-oven.md"
_BOX = """---
id: box-1a2b3c4d
created: 2026-03-06T10:00:00Z
sealed: 2026-03-06T10:10:00Z
seal: time_gap
project: shop
topics:
  - tasting
---
# Marzipan for the fair

1 memory on 2026-03-06.

- [[fact-20260306-100000-0a1b2c3d]] The cake is green.
"""
_OVEN = """---
id: tool-oven
type: tool
name: Big Oven
aliases:
  - Ofen
---
# Big Oven

## Synthesis

It holds two hundred degrees.
"""


def write(vault: Vault, path: str, text: str) -> Path:
    """As the program commits a page."""
    before = vault.parts.disk.read(path)
    vault.parts.committer.commit(
        Plan("consolidate", (Change(path, before, text.encode(), "a page"),))
    )
    return vault.root / path


@pytest.fixture
def pages(vault: Vault) -> Vault:
    vault.remember("The cake is green.")
    write(vault, BOX, _BOX)
    write(vault, OVEN, _OVEN)
    return vault


def found(vault: Vault, query: str) -> list[str]:
    return [hit.id for hit in vault.search(query).pages]


def test_memories_come_first_and_pages_last(pages: Vault) -> None:
    hits = pages.search("green cake").hits
    assert [hit.collection for hit in hits] == ["memories", "turns", "pages"]
    assert (hits[2].id, hits[2].category, hits[2].file) == ("box-1a2b3c4d", "box", BOX)
    assert (hits[2].title, hits[2].project) == ("Marzipan for the fair", "shop")
    assert "The cake is green." in hits[2].snippet
    assert (pages.root / BOX).read_text("utf-8").splitlines()[hits[2].line - 1].endswith("green.")


@pytest.mark.parametrize("query", ["big oven", "ofen", "two hundred", "oven category:entity"])
def test_an_entity_is_found_by_name_alias_and_words(pages: Vault, query: str) -> None:
    (hit,) = pages.search(query).pages
    assert (hit.id, hit.category, hit.title) == ("tool-oven", "entity", "Big Oven")


@pytest.mark.parametrize("query", ["marzipan", "tasting", '"cake is green"', "cake since:2026-03"])
def test_a_box_is_found_by_title_topic_and_lines(pages: Vault, query: str) -> None:
    assert found(pages, query) == ["box-1a2b3c4d"]


@pytest.mark.parametrize(
    "query", ["fact", "cake tag:x", "cake status:active", "cake before:2026-03", "cake -marzipan",
              "oven since:2026", "cake project:other"],
)  # fmt: skip
def test_ids_are_no_words_and_filters_hold(pages: Vault, query: str) -> None:
    assert found(pages, query) == []


def test_the_limit_is_for_each_group(pages: Vault) -> None:
    for number in range(3):
        write(pages, f"entities/tool-cake-{number}.md", f"# Cake {number}\n")
    answers = pages.search("cake", limit=2)
    assert (len(answers.memories), len(answers.pages)) == (1, 2)


def test_pages_are_followed_through_every_change(
    pages: Vault, open_vault: Callable[..., Vault]
) -> None:
    write(pages, OVEN, _OVEN.replace("Ofen", "Forno"))
    assert (found(pages, "forno"), found(pages, "ofen")) == (["tool-oven"], [])
    pages.undo()
    assert (found(pages, "forno"), found(pages, "ofen")) == ([], ["tool-oven"])
    path = pages.root / BOX
    path.write_text(_BOX + "\nMy own words on saffron.\n", encoding="utf-8")
    assert found(pages, "saffron") == ["box-1a2b3c4d"]
    path.rename(path.with_name("my box.md"))
    assert found(pages, "saffron") == ["box-1a2b3c4d"]
    path.with_name("my box.md").unlink()
    assert (found(pages, "saffron"), found(pages, "marzipan")) == ([], [])
    pages.close()
    again = open_vault()
    again.rebuild()
    assert (found(again, "saffron"), found(again, "ofen")) == ([], ["tool-oven"])


def test_an_entity_that_became_part_of_another_is_not_found(pages: Vault) -> None:
    write(pages, OVEN, _OVEN.replace("type: tool\n", "type: tool\nmerged_into: '[[tool-stove]]'\n"))
    assert found(pages, "oven") == []
    pages.rebuild()
    assert found(pages, "oven") == []


def test_an_index_of_the_schema_before_is_built_anew(
    pages: Vault, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whoosh_finder, "_SCHEMA", "2.1")
    pages.rebuild_index()
    pages.close()
    monkeypatch.undo()
    again = open_vault()
    assert found(again, "marzipan") == ["box-1a2b3c4d"]
    made_by = again.parts.index.status().made_by
    assert made_by.endswith(f"schema {whoosh_finder._SCHEMA}") and "2.1" not in made_by


def test_a_vault_without_pages_does_not_ask_for_any(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.remember("The cake is green.")
    asked: list[str] = []
    find = vault.parts.index._finder.find
    monkeypatch.setattr(
        vault.parts.index._finder, "find", lambda *given: asked.append(given[1]) or find(*given)
    )
    vault.search("cake")
    assert asked == ["memories", "turns"]


def test_no_page_brings_back_what_was_forgotten(vault: Vault) -> None:
    memory = vault.remember("Kim bakes with saffron.").memory
    name = memory.sources[0].partition("#")[0]
    goal = f"1 memory from [[{name}|a conversation]], which began with “Kim bakes with saffron”."
    box = _BOX.replace("seal: time_gap", f"seal: time_gap\nsession: '[[{name}]]'")
    box = box.replace("1 memory on 2026-03-06.", goal)
    write(vault, BOX, box + f"- [[{memory.id}]] Kim bakes with saffron.\n")
    line = f"- 2026-03-06 [[{memory.id}]] Saffron."
    entity = _OVEN.replace("\n## S", f"\n## Timeline\n\n{line}\n\n## S")
    write(vault, OVEN, entity)
    assert sorted(found(vault, "saffron")) == ["box-1a2b3c4d", "tool-oven"]
    vault.forget(memory.id)
    assert found(vault, "fair") == []  # the title is made of what it holds
    assert vault.search("saffron").hits == [] and found(vault, "saff*") == []
    (hit,) = vault.search("green saffron").pages
    assert hit.id == "box-1a2b3c4d" and "saffron" not in hit.snippet
    vault.restore(memory.id)
    assert sorted(found(vault, "saffron")) == ["box-1a2b3c4d", "tool-oven"]
