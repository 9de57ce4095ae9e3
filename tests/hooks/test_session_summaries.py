"""Summaries in the block of a session: as their memories' files say at that moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.given import content_hash
from engram.model.summary import Summary, SummaryLine
from engram.model.summary_identity import summary_id
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.catalog.given_line import block_of
from engram.vault import Vault
from tests.cli.shop import Shop
from tests.golden.console import CLOCK, prompt_context
from tests.hooks.conversation import given
from tests.kit import summary, write_pages

FACTS = (
    "The staging server of the till runs the same image as production does.",
    "The staging server of the till is rebuilt each night from the main branch.",
    "The staging server of the till has a copy of the catalogue, without customers.",
)
TOLD = "Staging equals production and is rebuilt nightly."


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A shop with three facts, told by a summary."""
    made = Shop(tmp_path)
    assert made.run("init", "vault").code == 0
    for text in FACTS:
        assert made.run("remember", text, "--project", "shop").code == 0
    write(made, (None, page(made)))
    return made


def page(shop: Shop, **more: object) -> Summary:
    with opened(shop) as vault:
        told = vault.parts.view.live()
    names = [one.id for one in told]
    said = (SummaryLine(TOLD, tuple(names)),)
    made = summary(summary_id(told), *names, summary=said, project="shop", space="user")
    return replace(made, **more)  # type: ignore[arg-type]


def opened(shop: Shop) -> Vault:
    return Vault.open(shop.vault, environment=prompt_context(shop.folder), clock=FixedClock(CLOCK))


def write(shop: Shop, *pairs: tuple[Summary | None, Summary | None]) -> None:
    with opened(shop) as vault:
        write_pages(vault, *pairs)


def start(shop: Shop) -> str:
    return given(shop, "session-start")


def test_a_summary_is_given_and_its_memories_are_not_repeated(shop: Shop) -> None:
    text = start(shop)
    assert f": {TOLD} (sum-" in text
    assert not any(fact in text for fact in FACTS)
    assert start(shop) == text
    # the prompt is answered by the memories themselves
    assert FACTS[1] in given(shop, "prompt", prompt="when is the staging server rebuilt?")


def test_what_a_person_changed_is_given_by_its_memories(shop: Shop) -> None:
    fact = next(path for path in shop.vault.glob("facts/*/*.md") if FACTS[0] in path.read_text())
    before = fact.read_text("utf-8")
    for edited in (
        before.replace("same image", "newest image"),
        before.replace("status: active", "status: retired"),
        before.replace("project: shop", "project: till"),
        before.replace("production does.", "production does; the password is Zwiebel-77-kuchen!x"),
    ):
        assert edited != before
        fact.write_text(edited, "utf-8")
        text = start(shop)
        assert TOLD not in text and FACTS[1] in text and FACTS[2] in text
    fact.write_text(before, "utf-8")
    assert shop.run("remember", "The tea is hot.", "--project", "shop").code == 0
    assert TOLD in start(shop)
    (file,) = shop.vault.glob("summaries/*/*.md")
    file.write_text(file.read_text("utf-8").replace("nightly", "by Mira"), "utf-8")
    for _ in ("before a command took it up", "after"):
        text = start(shop)
        assert "(sum-" not in text and all(fact in text for fact in FACTS)
        assert shop.run("status").code == 0


def test_a_summary_that_ended_is_not_given(shop: Shop) -> None:
    (before,) = vault_summaries(shop)
    write(shop, (before, page(shop, status="superseded", path=before.path)))
    text = start(shop)
    assert TOLD not in text and all(fact in text for fact in FACTS)


def vault_summaries(shop: Shop) -> list[Summary]:
    with opened(shop) as vault:
        return vault.parts.view.summaries()


def test_a_summary_whose_memories_say_other_words_by_now_is_not_given(shop: Shop) -> None:
    fact = next(path for path in shop.vault.glob("facts/*/*.md") if FACTS[0] in path.read_text())
    before = fact.read_text("utf-8")
    fact.write_text(before.replace("same image", "newest image"), "utf-8")
    assert shop.run("status").code == 0, "takes up what a person changed"
    text = start(shop)
    assert TOLD not in text and "newest image" in text
    fact.write_text(before, "utf-8")
    assert shop.run("status").code == 0
    assert TOLD in start(shop)


def test_a_page_with_the_digest_of_its_lines_is_not_given_for_memories_of_another(
    shop: Shop,
) -> None:
    (before,) = vault_summaries(shop)
    write(shop, (before, None), (None, page(shop, id="sum-0badcafe")))
    text = start(shop)
    assert TOLD not in text and all(fact in text for fact in FACTS)


def test_what_a_summary_tells_was_given_with_it(shop: Shop) -> None:
    start(shop)
    (line,) = (shop.vault / layout.ACCESS).read_bytes().splitlines()
    block = block_of(line)
    assert block is not None
    (item,) = block.items
    (made,) = vault_summaries(shop)
    assert (item.id, set(item.tells)) == (made.id, set(made.memories))
    told = shop.run("why", made.memories[0], "--given").out
    assert f"(told by {made.id})" in told
    with opened(shop) as vault:
        assert vault.given(made.memories[0])[0].summary == made.id
    (words,) = [one for one in start(shop).splitlines() if TOLD in one]
    assert block.content_hash == content_hash([(made.id, words)])
