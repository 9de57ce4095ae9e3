"""Who is asked, in which form, and who is left alone: several servers, one chain."""

from __future__ import annotations

import json
import re

import pytest

from engram.llm.failure import RequestFailure
from engram.llm.provider import providers
from engram.llm.wire import Wire
from engram.model.instant import plus_minutes
from engram.model.model_request import Request
from engram.model.settings import LlmSettings
from tests.conftest import NOW
from tests.fakes.model_server import (
    Asked,
    Handler,
    ModelServer,
    answers,
    fact,
    facts,
    fails,
    only,
    page,
    send,
    unless_sent,
)
from tests.llm.office import KEY, SENTENCE, Moving, Office, outcomes, said, texts, usage_log

GOOD = answers(facts(fact("The shop stores its orders in Postgres.", SENTENCE)))
NONE = answers(facts())


def asked(server: ModelServer) -> list[str]:
    return [request.form for request in server.requests]


# -- who is asked -------------------------------------------------------------------------------


def test_the_next_is_asked_when_one_is_away(office: Office) -> None:
    with (
        ModelServer([fails(500)]) as cloud,
        ModelServer([page()]) as studio,
        ModelServer([GOOD]) as ollama,
    ):
        office.cloud(cloud.base_url).set(llm_lmstudio_model="a", llm_ollama_model="b")
        office.set(llm_lmstudio_url=studio.base_url, llm_ollama_url=ollama.base_url)
        vault = office.open()
        vault.capture([said()])
        assert vault.flush().memories == 1
        assert [len(one.requests) for one in (cloud, studio, ollama)] == [4, 1, 1]
        keys = [one.requests[0].headers["authorization"] for one in (cloud, studio, ollama)]
        assert keys == [f"Bearer {KEY}", "Bearer none", "Bearer none"]
        models = [one.requests[0].body["model"] for one in (cloud, studio, ollama)]
        assert models == ["gpt-4.1-mini", "a", "b"]
    assert [row["provider"] for row in usage_log(vault)] == ["cloud"] * 4 + ["lmstudio", "ollama"]
    assert usage_log(vault)[-1]["usd"] == 0 < usage_log(vault)[-1]["input_tokens"]


@pytest.mark.parametrize(
    "status, code, falls_through",
    [
        (401, "invalid_api_key", False), (403, "", False), (400, "invalid_request", False),
        (404, "model_not_found", False), (429, "insufficient_quota", True), (402, "", True),
    ],
)  # fmt: skip
def test_only_an_empty_account_falls_through(
    status: int, code: str, falls_through: bool, office: Office
) -> None:
    with ModelServer([fails(status, code)]) as cloud, ModelServer([GOOD]) as local:
        office.cloud(cloud.base_url).set(llm_ollama_model="b", llm_ollama_url=local.base_url)
        vault = office.open()
        vault.capture([said()])
        outcome = vault.flush()
        assert len(cloud.requests) == 1 and len(local.requests) == int(falls_through)
    assert outcome.memories == int(falls_through) == 1 - outcome.postponed


def test_what_the_person_can_mend_is_told_before_what_passes(office: Office) -> None:
    with ModelServer([fails(402)]) as cloud, ModelServer([page()]) as local:
        office.cloud(cloud.base_url).set(llm_ollama_model="b", llm_ollama_url=local.base_url)
        vault = office.open()
        vault.capture([said()])
        assert vault.flush().reason == "quota"


def test_no_model_no_connection_whatever_keys_there_are(office: Office) -> None:
    with ModelServer([GOOD]) as server:
        office.set(OPENAI_API_KEY=KEY, llm_base_url=server.base_url)
        vault = office.open()
        vault.capture([said()])
        vault.flush()
        assert server.requests == [] and usage_log(vault) == []
        assert vault.status().model is None


def test_no_key_for_openai_and_nothing_is_sent(office: Office) -> None:
    vault = office.set(llm_model="gpt-5-mini").open()
    vault.capture([said()])
    outcome = vault.flush()
    assert (outcome.reason, outcome.postponed) == ("no-key", 1) and usage_log(vault) == []


@pytest.mark.parametrize("key", ["sk-one\ntwo", "schlüssel", "a\x7fb"])
def test_a_key_that_is_none_is_neither_sent_nor_told(key: str, office: Office) -> None:
    with ModelServer([GOOD]) as server:
        vault = office.cloud(server.base_url, key=key).open()
        vault.capture([said()])
        outcome = vault.flush()
        assert outcome.reason == "auth" and server.requests == []
    assert key not in outcome.message and usage_log(vault) == []


def test_providers_are_those_with_a_model_in_order() -> None:
    assert providers(LlmSettings(), {"OPENAI_API_KEY": KEY}) == ()
    settings = LlmSettings(model="m", lmstudio_model="a", ollama_model="b")
    found = providers(settings, {"OPENAI_API_KEY": f" {KEY}\n"})
    assert [(one.name, one.key, one.local) for one in found] == [
        ("cloud", KEY, False), ("lmstudio", "none", True), ("ollama", "none", True),
    ]  # fmt: skip
    assert KEY not in repr(found)
    own = LlmSettings(model="m", base_url="http://10.0.0.5/v1", key_variable="OWN_KEY")
    assert providers(own, {"OPENAI_API_KEY": KEY})[0].key == "none"


# -- what was learnt ----------------------------------------------------------------------------


def test_what_was_learnt_is_remembered_by_the_next_vault(office: Office) -> None:
    chat = only("chat-schema", unless_sent("temperature", GOOD), fails(404))
    with ModelServer([chat]) as server:
        office.cloud(server.base_url)
        first = office.open()
        first.capture([said()])
        assert first.flush().memories == 1
        assert outcomes(first) == [
            "responses other-form", "chat-schema other-parameter", "chat-schema ok",
        ]  # fmt: skip
        second = office.open("another")
        second.capture([said()])
        assert second.flush().memories == 1
        assert outcomes(second) == ["chat-schema ok"]
        assert "temperature" not in server.requests[-1].body


def test_another_model_is_probed_anew(office: Office) -> None:
    with ModelServer([only("chat-schema", NONE, fails(404))]) as server:
        for model in ("one", "two"):
            vault = office.cloud(server.base_url, model).open(model)
            vault.capture([said()])
            vault.flush()
        assert asked(server) == ["responses", "chat-schema"] * 2


def test_who_understood_nothing_is_asked_in_the_best_form_next_time(office: Office) -> None:
    with ModelServer([fails(404), fails(404), fails(404), GOOD]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        assert vault.flush().reason == "bad-request"
        assert vault.flush().memories == 1
        assert asked(server) == ["responses", "chat-schema", "chat-text", "responses"]


def test_lm_studio_says_200_to_what_it_does_not_know(office: Office) -> None:
    def unknown(asked: Asked, handler: Handler) -> None:
        message = "Unexpected endpoint or method. (POST /v1/responses)"
        send(handler, 200, json.dumps({"error": message}).encode())

    with ModelServer([only("responses", unknown, GOOD)]) as server:
        office.set(llm_lmstudio_model="a", llm_lmstudio_url=server.base_url)
        vault = office.open()
        vault.capture([said()])
        assert vault.flush().memories == 1
        assert outcomes(vault) == ["responses other-form", "chat-schema ok"]


@pytest.mark.parametrize(
    "parameter, forms",
    [("store", ["responses"] * 2), ("max_completion_tokens", ["chat-schema"] * 2)],
)
def test_other_parameters_are_left_out_too(
    parameter: str, forms: list[str], office: Office
) -> None:
    first = [] if forms[0] == "responses" else [fails(404)]
    with ModelServer([*first, unless_sent(parameter, GOOD)]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        assert vault.flush().memories == 1
        assert asked(server)[-2:] == forms
        assert ("max_tokens" in server.requests[-1].body) == (parameter != "store")


@pytest.mark.parametrize(
    "message", ["The vector store is busy.", "Could not restore the model.", "Not today."]
)
def test_a_word_in_an_error_switches_nothing_off(message: str, office: Office) -> None:
    with ModelServer([fails(400, "x", message)]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        assert vault.flush().reason == "bad-request"
        assert len(server.requests) == 1 and server.requests[0].body["store"] is False


# -- who is left alone --------------------------------------------------------------------------


def test_a_breaker_opens_lets_one_through_and_closes(office: Office) -> None:
    clock = Moving(NOW)
    with ModelServer([fails(500)]) as server:
        vault = office.cloud(server.base_url).open(clock=clock)
        vault.capture([said()])
        assert [vault.flush().reason for _ in range(3)] == ["server-error"] * 2 + ["resting"]
        assert len(server.requests) == 8
        status = vault.status().model
        assert status is not None
        assert [(one.provider, one.code, one.until) for one in status.away] == [
            ("cloud", "server-error", plus_minutes(NOW, 5))
        ]
        clock.go_on(4.9)
        assert vault.flush().reason == "resting" and len(server.requests) == 8
        clock.go_on(0.1)
        assert vault.flush().reason == "server-error" and len(server.requests) == 12
        assert vault.flush().reason == "resting" and len(server.requests) == 12
        clock.go_on(5)
        server.behaviours[:] = [fails(429), NONE]
        assert vault.flush().turns == 1 and vault.waiting() == []
        vault.capture([said(message="2")])
        server.behaviours[:] = [page()]
        assert vault.flush().reason == vault.flush().reason == "not-an-api"


def test_one_that_rests_does_not_keep_the_next_from_answering(office: Office) -> None:
    with ModelServer([page()]) as cloud, ModelServer([GOOD]) as local:
        vault = office.cloud(cloud.base_url).open()
        vault.capture([said()])
        assert [vault.flush().reason for _ in range(3)] == ["not-an-api"] * 2 + ["resting"]
        office.set(llm_ollama_model="b", llm_ollama_url=local.base_url)
        assert office.open().flush().memories == 1
        assert (len(cloud.requests), len(local.requests)) == (2, 1)


def test_a_long_retry_after_is_respected(office: Office) -> None:
    clock = Moving(NOW)
    with ModelServer([fails(429, retry_after="7200"), NONE]) as server:
        vault = office.cloud(server.base_url).open(clock=clock)
        vault.capture([said()])
        assert vault.flush().reason == "rate-limited"
        assert office.open(clock=clock).flush().reason == "resting"
        clock.go_on(119.9)
        assert vault.flush().reason == "resting" and len(server.requests) == 1
        clock.go_on(0.1)
        assert vault.flush().turns == 1 and len(server.requests) == 2


# -- the network --------------------------------------------------------------------------------


def test_a_proxy_is_used_for_others_and_not_for_this_machine(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer([NONE]) as server, ModelServer([NONE]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        for name, url in (("near", server.base_url), ("far", "http://models.test/v1")):
            vault = office.cloud(url).open(name)
            vault.capture([said()])
            assert vault.flush().turns == 1
        assert [request.path for request in server.requests] == ["/v1/responses"]
        assert [request.path for request in proxy.requests] == ["http://models.test/v1/responses"]


def test_a_proxy_that_is_none_is_no_crash(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://proxy.test:70")
    vault = office.cloud("http://models.test/v1").open()
    vault.capture([said()])
    assert vault.flush().reason == "bad-request"


def test_a_redirect_is_not_followed(office: Office) -> None:
    with ModelServer([GOOD]) as elsewhere:
        target = f"{elsewhere.base_url}/responses"
        for number, status in enumerate((301, 302, 303, 307, 308)):
            with ModelServer([fails(status, location=target)]) as server:
                vault = office.cloud(server.base_url).open(f"vault-{number}")
                vault.capture([said()])
                assert vault.flush().reason == "not-an-api" and len(server.requests) == 1
        assert elsewhere.requests == []


def test_requests_tell_nothing_of_the_machine_or_of_others(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-marzipan")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: marzipan\nAuthorization: Bearer marzipan")
    with ModelServer([GOOD]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        vault.flush()
        headers = server.requests[0].headers
    assert "marzipan" not in json.dumps(headers) and headers["authorization"] == f"Bearer {KEY}"
    assert [name for name in headers if name.startswith("x-")] == ["x-stainless-raw-response"]


def test_the_key_stands_in_no_file_and_no_message(office: Office) -> None:
    def tells(asked: Asked, handler: Handler) -> None:
        key = asked.headers["authorization"].partition(" ")[2]
        fails(401, "invalid_api_key", f"{'wrong ' * 30} key {key}")(asked, handler)

    with ModelServer([tells]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        outcome = vault.flush()
    assert outcome.reason == "auth" and "wrong" in outcome.message
    assert KEY[:8] not in f"{outcome} {vault.parts.environment.keys()}"
    for path in office.folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


def test_a_trickling_error_ends_in_time(office: Office) -> None:
    def trickles(asked: Asked, handler: Handler) -> None:
        handler.send_response(500)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        for _ in range(20):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            handler.connection.settimeout(0.1)
            try:
                handler.connection.recv(1)
            except TimeoutError:
                continue
            break

    with ModelServer([trickles]) as server:
        settings = LlmSettings(model="m", base_url=server.base_url)
        (provider,) = providers(settings, {})
        request = Request("p", "i", "t", {"type": "object"}, "facts")
        with pytest.raises(RequestFailure) as caught:
            Wire(0.5).send(provider, "responses", request, ())
    assert caught.value.reason == "slow" and caught.value.transient


@pytest.mark.parametrize("model", ["gpt-5.4-nano", "vendor/gpt-5-mini", "o3", "o4-mini"])
def test_a_model_that_thinks_is_asked_to_think_little(office: Office, model: str) -> None:
    with ModelServer([GOOD]) as server:
        vault = office.cloud(server.base_url, model).open()
        vault.capture([said()])
        vault.flush()
        body = server.requests[0].body
    assert body["reasoning"] == {"effort": "low"} and "temperature" not in body


def test_what_one_run_may_spend_is_counted_anew_for_the_next(office: Office) -> None:
    with ModelServer([NONE]) as server:
        vault = office.cloud(server.base_url).set(llm_run_tokens=14_000).open()
        for number in range(4):
            vault.capture([said(f"{SENTENCE} Number {number}.", str(number))])
            assert vault.flush().postponed == 0
        assert len(server.requests) == 4


def test_a_request_is_whole(office: Office) -> None:
    with ModelServer([GOOD]) as server:
        vault = office.cloud(server.base_url).open()
        vault.capture([said()])
        vault.flush()
        body = server.requests[0].body
    assert (body["temperature"], body["store"], body["max_output_tokens"]) == (0, False, 4096)
    assert body["text"]["format"]["strict"] is True
    assert re.match(r"<engram-data [0-9a-f]{8}>\n", body["input"]) and SENTENCE in body["input"]
    assert "engram-data" in body["instructions"] and texts(vault)
