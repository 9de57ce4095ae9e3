"""`engram embed`: what it says, and where it ends before all is done."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.shop import Shop
from tests.fakes.model_server import ModelServer, embeds, fails


@pytest.fixture
def server(shop: Shop) -> Iterator[ModelServer]:
    with ModelServer([embeds()]) as made:
        shop.environment["ENGRAM_LLM_EMBEDDING_MODEL"] = "m"
        shop.environment["ENGRAM_LLM_EMBEDDING_URL"] = made.base_url
        yield made


def test_it_says_how_many_and_status_says_it_too(shop: Shop, server: ModelServer) -> None:
    texts = json.loads(shop.run("embed", "--dry-run", "--json").out)["calls"]
    assert server.requests == [] and texts > 2
    ran = shop.run("embed")
    assert (ran.code, ran.out, ran.err) == (0, f"made {texts} vectors\n", "")
    assert json.loads(shop.run("embed", "--json").out)["made"] == 0
    vectors = json.loads(shop.run("status", "--json").out)["vectors"]
    assert vectors["model"] == "m" and vectors["memories"] + vectors["turns"] == texts
    assert " by m\n" in shop.run("status").out
    explained = shop.run("search", "two writers please", "--explain")
    assert "meaning " in explained.out and explained.err == ""


def test_where_it_ends_early_it_says_why_and_how_to_go_on(shop: Shop, server: ModelServer) -> None:
    shop.environment["ENGRAM_LLM_DAILY_TOKENS"] = "0"
    ran = shop.run("embed")
    assert (ran.code, ran.out) == (4, "made 0 vectors\n")
    assert "nothing is lost" in ran.err and "llm.daily_tokens" in ran.err
    del shop.environment["ENGRAM_LLM_DAILY_TOKENS"]
    server.behaviours[:] = [fails(401, "invalid_api_key")]
    ran = shop.run("embed")
    assert ran.code == 1 and "error: embedding: HTTP 401" in ran.err
    assert "hint: check the key" in ran.err


def test_a_search_by_words_alone_says_why_on_stderr_once(shop: Shop, server: ModelServer) -> None:
    shop.run("embed")
    server.behaviours[:] = [fails(503)]
    ran = shop.run("search", "two writers")
    assert ran.code == 0 and "writers" in ran.out
    (line,) = ran.err.splitlines()
    assert line.startswith("found by words alone: embedding: HTTP 503")
