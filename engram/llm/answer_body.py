"""JSON body of a provider's answer -> the model's text or its vectors, and the tokens.

The body is validated here, so that text and usage survive whatever is wrong with the rest. Raises
RequestFailure for what no model can have sent, Reported for an error in the place of an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engram.llm.failure import RequestFailure
from engram.model.model_request import Usage

#: LM Studio's answer, with status 200, to a path that it does not know (its bug 618)
_NO_PATH = "unexpected endpoint"
#: no model makes longer vectors, or larger numbers in them, or none larger than the last
_MOST_DIMENSIONS, _LARGEST, _SMALLEST = 16_384, 1e6, 1e-9


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """What came back: the model's text, the tokens, and the reason if the text is unusable."""

    text: str
    usage: Usage | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class WireVectors:
    """What came back: a vector for each text, the tokens, and the reason if they are unusable."""

    vectors: Sequence[Sequence[float]]
    usage: Usage | None
    fault: str = ""


class Reported(Exception):
    """An error that came with a success status, as some servers and gateways send it."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(status)
        self.status = status
        self.error = error


def answer_of(form: str, data: bytes) -> WireAnswer:
    """The text in an answer's JSON."""
    body = _body(data, "output" if form == "responses" else "choices")
    read = _of_responses if form == "responses" else _of_chat
    return read(body)


def vectors_of(data: bytes, count: int) -> WireVectors:
    """The vectors in an answer's JSON, in the order of the `count` texts, all of one length.

    `no-vectors` where one is missing, is no list of finite numbers, or has only zeros.
    """
    body = _body(data, "data")
    counted = body.get("usage")
    given = counted.get("prompt_tokens") if isinstance(counted, dict) else None
    usage = Usage(given) if type(given) is int and given >= 0 else None
    rows = _list(body["data"])
    if all(type(row.get("index")) is int for row in rows):
        rows = sorted(rows, key=lambda row: row["index"])
    vectors = [vector for row in rows if (vector := _vector(row.get("embedding")))]
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1:
        return WireVectors((), usage, "no-vectors")
    return WireVectors(vectors, usage)


def _vector(value: object) -> list[float]:
    """A list of numbers that point somewhere; empty for anything else."""
    if not isinstance(value, list) or not set(map(type, value)) <= {int, float}:
        return []
    # in this form NaN is outside as well
    if not all(-_LARGEST <= number <= _LARGEST for number in value):
        return []
    points = len(value) <= _MOST_DIMENSIONS and max(map(abs, value), default=0) >= _SMALLEST
    return value if points else []


def _body(data: bytes, holder: str) -> Mapping[str, Any]:
    """The object that an answer is, with the list in which it holds what was asked for."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise RequestFailure("not-an-api", "what answers there is no model: it sent no JSON")
    if body.get("error") or body.get("status") == "failed":
        raise _reported(body.get("error"))
    if not isinstance(body.get(holder), list):
        raise RequestFailure("not-an-api", f"what answers there is no model: it sent no {holder}")
    return body


def _reported(value: object) -> Reported:
    error = value if isinstance(value, dict) else {"message": str(value or "it failed")}
    code, message = error.get("code"), str(error.get("message"))
    if _NO_PATH in message.casefold():
        return Reported(404, error)
    if type(code) is int and 400 <= code < 600:
        return Reported(code, error)
    return Reported(429 if code == "rate_limit_exceeded" else 500, error)


def _of_responses(body: Mapping[str, Any]) -> WireAnswer:
    usage = _usage(body.get("usage"), "input_tokens", "output_tokens")
    texts, refused = [], False
    for item in _list(body.get("output")):
        for part in _list(item.get("content")) if item.get("type") == "message" else ():
            refused = refused or part.get("type") == "refusal"
            if part.get("type") == "output_text" and isinstance(part.get("text"), str):
                texts.append(part["text"])
    return _judged("".join(texts), usage, refused, body.get("status") == "incomplete")


def _of_chat(body: Mapping[str, Any]) -> WireAnswer:
    usage = _usage(body.get("usage"), "prompt_tokens", "completion_tokens")
    choice = next(iter(_list(body.get("choices"))), {})
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = message.get("content")
    # some reasoning models send parts
    parts = [{"text": text}] if isinstance(text, str) else _list(text)
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    ended = choice.get("finish_reason")
    refused = bool(message.get("refusal")) or ended == "content_filter"
    return _judged("".join(texts), usage, refused, ended == "length")


def _judged(text: str, usage: Usage | None, refused: bool, incomplete: bool) -> WireAnswer:
    if refused:
        return WireAnswer("", usage, "refusal")
    if incomplete:
        return WireAnswer("", usage, "incomplete")
    return WireAnswer(text, usage, "" if text.strip() else "empty")


def _usage(value: object, into: str, out: str) -> Usage | None:
    """The tokens that a provider counted; None when it does not say."""
    if not isinstance(value, dict):
        return None
    given, made = value.get(into), value.get(out)
    if type(given) is not int or type(made) is not int or given < 0 or made < 0:
        return None
    return Usage(given, made)


def _list(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]
