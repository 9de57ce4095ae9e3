"""Vectors from an endpoint: what is sent, what is counted, and whatever comes back instead."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engram.llm.provider import embedding_provider
from engram.model.errors import BudgetExceeded, ModelAway, ModelError, ModelRefuses
from engram.model.ports import Embedder
from engram.model.settings import LlmSettings
from engram.vault import Vault
from tests.fakes.model_server import (
    Behaviour,
    ModelServer,
    embeds,
    fails,
    page,
    send,
    silent,
    torn,
    trickle,
    vectors_of,
)
from tests.llm.office import KEY, Office, usage_log
from tests.security.canaries import canary

TEXTS = ["We drink tea.", "The car is red."]


def embedder(office: Office, server: ModelServer, **settings: object) -> tuple[Vault, Embedder]:
    office.set(llm_embedding_model="m", llm_embedding_url=server.base_url, **settings)
    vault = office.open()
    return vault, vault.parts._embedder(1.0, once=True)


def rows(*vectors: object, **more: object) -> Behaviour:
    """An answer with these vectors, whatever was asked."""
    data = [{"embedding": vector, **more} for vector in vectors]
    return lambda asked, handler: send(handler, 200, json.dumps({"data": data}).encode())


def test_each_text_gets_its_vector_and_one_line_in_the_log(office: Office) -> None:
    with ModelServer([embeds(8)]) as server:
        vault, model = embedder(office, server)
        assert model.model == "m"
        assert model.embed(TEXTS) == vectors_of(TEXTS, 8)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "m", "input": TEXTS, "encoding_format": "float"}
    (row,) = usage_log(vault)
    told = {key: row[key] for key in ("prompt", "turns", "form", "outcome", "input_tokens", "usd")}
    assert told == {
        "prompt": "embed", "turns": 2, "form": "embeddings", "outcome": "ok", "input_tokens": 7,
        "usd": 0.0,
    }  # fmt: skip
    assert vault.parts.budget().today().tokens == 7


def test_vectors_are_put_in_the_order_of_their_numbers(office: Office) -> None:
    first, second = vectors_of(TEXTS, 4)
    data = [{"index": 1, "embedding": second}, {"index": 0, "embedding": first}]
    with ModelServer([embeds(data=data)]) as server:
        assert embedder(office, server)[1].embed(TEXTS) == [first, second]


def test_secrets_are_taken_out_of_what_is_sent(office: Office) -> None:
    secret = canary("openai", "embedded")
    with ModelServer([embeds(8)]) as server:
        embedder(office, server)[1].embed([secret.text])
    sent = server.requests[0].body["input"][0]
    assert secret.telling not in sent and "REDACTED" in sent


#: what is no vector for each text, by name
UNUSABLE: dict[str, list[Any]] = {
    "too few": [[1.0]], "too many": [[1.0], [1.0], [1.0]], "none": [], "empty": [[], []],
    "ragged": [[1.0], [1.0, 2.0]], "zeros": [[0.0, 0.0], [1.0, 0.0]],
    "next to zero": [[1e-200, 0.0], [1.0, 0.0]], "texts": ["AAAA", "AAAA"],
    "texts inside": [["1.0"], ["2.0"]], "not a number": [[float("nan")], [1.0]],
    "infinite": [[float("inf")], [1.0]], "huge": [[10**400], [1]], "switches": [[True], [True]],
    "missing": [None, [1.0]], "nested": [[[1.0]], [[1.0]]],
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_is_no_vector_is_refused_and_counted(name: str, office: Office) -> None:
    with ModelServer([rows(*UNUSABLE[name])]) as server:
        vault, model = embedder(office, server)
        with pytest.raises(ModelError) as raised:
            model.embed(TEXTS)
    assert raised.value.reason == "no-vectors"
    assert [row["outcome"] for row in usage_log(vault)] == ["no-vectors"]
    assert usage_log(vault)[0]["estimated"]


#: what an endpoint does instead of answering, and the error that it becomes
FAILURES: dict[str, tuple[Behaviour, type[ModelError], str]] = {
    "silent": (silent(2.0), ModelAway, "timeout"),
    "slow": (trickle(0.2, 40), ModelAway, "slow"),
    "torn": (torn("x"), ModelAway, "unreachable"),
    "a page": (page(), ModelAway, "not-an-api"),
    "no list": (embeds(data="x"), ModelAway, "not-an-api"),
    "error inside": (embeds(error={"message": "no"}), ModelAway, "server-error"),
    "elsewhere": (
        fails(307, location="http://127.0.0.1:9/v1/embeddings"),
        ModelAway,
        "not-an-api",
    ),
    "ill": (fails(503), ModelAway, "server-error"),
    "busy": (fails(429, "rate_limit_exceeded"), ModelAway, "rate-limited"),
    "wrong key": (fails(401, "invalid_api_key"), ModelRefuses, "auth"),
    "no such model": (fails(404, "model_not_found"), ModelRefuses, "no-such-model"),
    "no such path": (fails(404), ModelRefuses, "bad-request"),
    "empty account": (fails(429, "insufficient_quota"), ModelRefuses, "quota"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_told_once_and_by_its_reason(name: str, office: Office) -> None:
    behaviour, error, reason = FAILURES[name]
    with ModelServer([behaviour]) as server:
        _, model = embedder(office, server)
        with pytest.raises(error) as raised:
            model.embed(TEXTS)
        assert raised.value.reason == reason
        assert len(server.requests) == 1  # somebody waits: it is not tried again


def test_who_does_not_answer_twice_is_left_alone(office: Office) -> None:
    with ModelServer([fails(500)]) as server:
        _, model = embedder(office, server)
        for reason in ("server-error", "server-error", "resting"):
            with pytest.raises(ModelAway) as raised:
                model.embed(TEXTS)
            assert raised.value.reason == reason
        assert len(server.requests) == 2


def test_nothing_is_sent_past_the_budget(office: Office) -> None:
    with ModelServer([embeds(8)]) as server:
        _, model = embedder(office, server, llm_daily_tokens=3)
        with pytest.raises(BudgetExceeded):
            model.embed(TEXTS)
        assert server.requests == []


def test_the_key_goes_to_the_endpoint_it_is_for_and_to_no_other() -> None:
    openai, other = "https://api.openai.com/v1", "https://vectors.example/v1"
    settings = LlmSettings(embedding_model="m", embedding_url=openai)
    environment = {"OPENAI_API_KEY": KEY}
    assert embedding_provider(settings, environment).key == KEY
    assert embedding_provider(settings, {}).key == ""
    elsewhere = embedding_provider(settings._replace(embedding_url=other), environment)
    assert (elsewhere.key, elsewhere.local) == ("none", False)
    moved = settings._replace(base_url=other)
    assert embedding_provider(moved, environment).key == ""
    here = embedding_provider(LlmSettings(embedding_model="m"), environment)
    assert (here.key, here.local) == ("none", True)
