"""`engram links` of memories and summaries; a source names the summary that lowers its tier."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.shop import Shop

#: four statements of one subject
SAID = (
    "Access tokens of the gateway live for 15 minutes.",
    "Access tokens of the gateway are never written to a log file.",
    "Access tokens of the gateway are checked in src/auth/verify.py.",
    "Access tokens of the gateway are revoked when a person logs out of the app.",
)


def _rows(shop: Shop, *arguments: str) -> Any:
    ran = shop.run(*arguments, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.fixture
def summed_up(shop: Shop) -> tuple[Shop, str, list[str]]:
    """A shop with a summary; its id, and those of its sources: first those that its lines tell."""
    for text in SAID:
        assert shop.run("remember", text, "--project", "shop").code == 0
    assert shop.run("consolidate").code == 0
    (page,) = _rows(shop, "summaries")
    (file,) = shop.folder.glob("vault/summaries/*/*.md")
    body = file.read_text(encoding="utf-8").rpartition("\n---\n")[2]
    return shop, page["id"], sorted(page["consolidates"], key=lambda one: one not in body)


def test_links_tell_a_summary_and_its_sources_from_both_sides(
    summed_up: tuple[Shop, str, list[str]],
) -> None:
    shop, name, sources = summed_up
    assert len(sources) == len(SAID)
    rows = _rows(shop, "links", name)
    assert {(row["relation"], row["target"]) for row in rows} == {
        ("consolidates", one) for one in sources
    }
    assert all(row["transaction"] for row in rows)
    told = [(row["relation"], row["target"]) for row in _rows(shop, "links", sources[0])]
    assert ("consolidated in", name) in told
    left_out = [row["relation"] for row in _rows(shop, "links", sources[-1])]
    assert "consolidated in" not in left_out  # no line tells it
    assert shop.run("links", "sum-00000000").code != 0


def test_the_source_of_a_summary_names_it_beside_its_tier(
    summed_up: tuple[Shop, str, list[str]],
) -> None:
    shop, name, sources = summed_up
    told = f"summed up in [{name}]"
    assert told in shop.run("show", sources[0]).err
    assert told in shop.run("why", sources[0]).out
    assert told in " ".join(shop.run("tiers", "--at-risk", "--days", "300").out.split())
    assert _rows(shop, "show", sources[0])["summaries"] == [name]


def test_a_replacement_is_told_with_how_sure_it_is(shop: Shop) -> None:
    older = _rows(shop, "remember", "The shop runs on Hetzner.", "--project", "shop")["id"]
    newer = _rows(shop, "remember", "The till counts in cents.", "--project", "shop")["id"]
    assert shop.run("supersede", older, newer).code == 0
    (row,) = [one for one in _rows(shop, "links", newer) if one["relation"] == "supersedes"]
    assert (row["target"], row["confidence"]) == (older, "high")
