"""One request and its answer, as the client sends and reads them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from engram.llm import wire
from engram.llm.answer_body import WireAnswer
from engram.llm.failure import RequestFailure
from engram.llm.provider import Provider
from engram.llm.wire import Wire
from engram.model.model_request import Request, Usage
from tests.fakes.model_server import Asked, Behaviour, Handler, ModelServer, fails, reply_of, send
from tests.llm.office import KEY

REQUEST = Request("p-1", "List.", "We moved.", {"type": "object"}, "facts")
FORMS = ("responses", "chat-schema", "chat-text")


def ask(behaviour: Behaviour, form: str = "responses", local: bool = False) -> WireAnswer:
    with ModelServer([behaviour]) as server:
        provider = Provider("cloud", server.base_url, "m", KEY, local)
        return Wire(5).send(provider, form, REQUEST, ())


def changed(**parts: Any) -> Behaviour:
    """A good answer with other parts."""

    def behave(asked: Asked, handler: Handler) -> None:
        send(handler, 200, json.dumps({**reply_of(asked, "{}"), **parts}).encode())

    return behave


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_sent_and_read(form: str) -> None:
    seen: list[Asked] = []

    def behave(asked: Asked, handler: Handler) -> None:
        seen.append(asked)
        send(handler, 200, json.dumps(reply_of(asked, "said")).encode())

    answer = ask(behave, form)
    assert (answer.text, answer.fault) == ("said", "") and answer.usage is not None
    assert seen[0].form == form and seen[0].text == "We moved."


def test_servers_of_ones_own_are_told_the_old_name() -> None:
    def behave(asked: Asked, handler: Handler) -> None:
        send(handler, 200, json.dumps(reply_of(asked, " ".join(sorted(asked.body)))).encode())

    assert "max_tokens" in ask(behave, "chat-text", local=True).text.split()
    assert "max_completion_tokens" in ask(behave, "chat-text").text.split()


@pytest.mark.parametrize(
    "usage",
    [
        None, 7, {}, {"input_tokens": 1}, {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": True, "output_tokens": 1}, {"input_tokens": "1", "output_tokens": 1},
    ],
)  # fmt: skip
def test_tokens_that_are_none_are_not_counted(usage: object) -> None:
    assert ask(changed(usage=usage)).usage is None
    assert ask(changed(usage={"input_tokens": 3, "output_tokens": 2})).usage == Usage(3, 2)


def test_parts_of_a_message_are_put_together() -> None:
    content = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "{}"}, 7]
    choices = [{"message": {"role": "assistant", "content": content}}]
    assert ask(changed(choices=choices), "chat-text").text == "{}"


@pytest.mark.parametrize(
    "parts",
    [{"choices": []}, {"choices": [7]}, {"choices": [{}]}, {"choices": [{"message": "x"}]},
     {"choices": [{"message": {"content": None}}]}],
)  # fmt: skip
def test_an_answer_without_words_is_empty(parts: dict[str, Any]) -> None:
    assert ask(changed(**parts), "chat-text").fault == "empty"
    assert ask(changed(output=[])).fault == ask(changed(output=[7, {"type": "x"}])).fault == "empty"


@pytest.mark.parametrize(
    "error, reason",
    [
        ({"code": "rate_limit_exceeded", "message": "slow down"}, "rate-limited"),
        ({"code": "server_error", "message": "no"}, "server-error"), (None, "server-error"),
        ({"code": "insufficient_quota", "message": "no"}, "quota"), ("text", "server-error"),
    ],
)  # fmt: skip
def test_an_answer_that_failed_is_no_answer(error: object, reason: str) -> None:
    with pytest.raises(RequestFailure) as caught:
        ask(changed(status="failed", error=error, output=[]))
    assert caught.value.reason == reason


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_ANSWER_BYTES", 100_000)

    def bomb(asked: Asked, handler: Handler) -> None:
        send(handler, 200, gzip.compress(b" " * 10_000_000), content_encoding="gzip")

    assert ask(bomb).fault == "incomplete"


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ({}, None), ({"retry-after": "7"}, 7.0), ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25), ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None), ({"retry-after": "inf"}, None), ({"retry-after": ""}, None),
        ({"retry-after": "²"}, None), ({"retry-after-ms": "x", "retry-after": "2"}, 2.0),
        ({"retry-after": "Fri, 06 Mar 2026 12:00:09 GMT"}, None),
        ({"retry-after": "Fri, 06 Mar 2026 12:00:09 GMT", "date": "Fri, 06 Mar 2026 12:00:00 GMT"},
         9.0),
        ({"retry-after": "Fri, 06 Mar 2026 11:00:00 GMT", "date": "Fri, 06 Mar 2026 12:00:00 GMT"},
         0.0),
    ],
)  # fmt: skip
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert wire._retry_after(headers) == seconds


@pytest.mark.parametrize(
    "status, code, message, reason",
    [
        (404, "", "", "other-form"), (405, "", "", "other-form"), (501, "", "", "other-form"),
        (404, "", "model 'x' not found, try pulling it first", "no-such-model"),
        (404, "", "The model `x` does not exist or you do not have access", "no-such-model"),
        (404, "", "This model is only supported in v1/responses", "other-form"),
        (400, "", "maximum context length is 8192 tokens", "too-long"), (413, "", "", "too-long"),
        (429, "rate_limit_exceeded", "Request too large for m: limit 30000", "too-long"),
        (400, "", "body.store: Extra inputs are not permitted", "other-parameter"),
        (400, "", "Unrecognized request argument supplied: temperature", "other-parameter"),
        (400, "", "Invalid schema for response_format", "other-form"),
        (409, "", "", "server-error"), (408, "", "", "server-error"), (418, "", "", "bad-request"),
    ],
)  # fmt: skip
def test_a_status_is_told_apart(status: int, code: str, message: str, reason: str) -> None:
    with pytest.raises(RequestFailure) as caught:
        ask(fails(status, code, message))
    assert caught.value.reason == reason and KEY not in str(caught.value)
