"""A local HTTP server that speaks the Responses API, chat completions and embeddings, as told.

    with ModelServer([answers("...")]) as server:      # one behaviour a request, the last stays
        ... server.base_url ... server.requests

A behaviour is a function of the request and of the handler that it answers through; `answers` gives
a model's text, the others misbehave in one way each. `python -m tests.fakes.model_server FILE` runs
one for the demonstration: it answers from a file of recorded answers and prints its address.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came in."""

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def form(self) -> str:
        """responses, chat-schema, chat-text, or the path of anything else."""
        if self.path.endswith("/responses"):
            return "responses"
        if self.path.endswith("/chat/completions"):
            return "chat-schema" if "response_format" in self.body else "chat-text"
        return self.path

    @property
    def text(self) -> str:
        """What the model is given to read."""
        if "input" in self.body:
            return str(self.body["input"])
        return str(self.body["messages"][-1]["content"])


Handler = BaseHTTPRequestHandler
Behaviour = Callable[[Asked, Handler], None]


@dataclass
class ModelServer:
    """The server. `behaviours` are used up one a request; the last one stays."""

    behaviours: list[Behaviour]
    requests: list[Asked] = field(default_factory=list)
    port: int = 0

    def __post_init__(self) -> None:
        outer = self
        lock = threading.Lock()

        class Answers(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(size) or b"{}")
                asked = Asked(self.path, body, {k.lower(): v for k, v in self.headers.items()})
                with lock:
                    outer.requests.append(asked)
                    many = len(outer.behaviours) > 1
                    behaviour = outer.behaviours.pop(0) if many else outer.behaviours[0]
                try:
                    behaviour(asked, self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client gave up, as it should

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is said."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Answers)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


# -- what it sends ------------------------------------------------------------------------------


def send(handler: Handler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("content-type", headers.pop("content_type", "application/json"))
    handler.send_header("content-length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def reply_of(
    asked: Asked, text: str, *, status: str = "completed", refusal: str = "", usage: bool = True
) -> dict[str, Any]:
    """The body of a whole answer, in the form that was asked in."""
    tokens = (len(json.dumps(asked.body)) // 4, len(text) // 4 + 1)
    if asked.form == "responses":
        part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
        if refusal:
            part = {"type": "refusal", "refusal": refusal}
        body: dict[str, Any] = {
            "id": "resp_1", "object": "response", "created_at": 0, "status": status,
            "model": asked.body.get("model"),
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "message", "id": "msg_1", "role": "assistant", "status": status,
                 "content": [part]},
            ],
        }  # fmt: skip
        if status == "incomplete":
            body["incomplete_details"] = {"reason": "max_output_tokens"}
        if usage:
            body["usage"] = {
                "input_tokens": tokens[0], "output_tokens": tokens[1],
                "total_tokens": sum(tokens),
            }  # fmt: skip
        return body
    message: dict[str, Any] = {"role": "assistant", "content": None if refusal else text}
    if refusal:
        message["refusal"] = refusal
    body = {
        "id": "chat_1", "object": "chat.completion", "created": 0,
        "model": asked.body.get("model"),
        "choices": [
            {"index": 0, "message": message,
             "finish_reason": "length" if status == "incomplete" else "stop"}
        ],
    }  # fmt: skip
    if usage:
        body["usage"] = {
            "prompt_tokens": tokens[0], "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        }  # fmt: skip
    return body


# -- behaviours ---------------------------------------------------------------------------------


def answers(text: str | Callable[[Asked], str], **how: Any) -> Behaviour:
    """A whole answer with this text."""

    def behave(asked: Asked, handler: Handler) -> None:
        said = text if isinstance(text, str) else text(asked)
        send(handler, 200, json.dumps(reply_of(asked, said, **how)).encode())

    return behave


def vectors_of(texts: Sequence[str], dimensions: int) -> list[list[float]]:
    """A vector for each text: texts with common words, or words of one meaning, lie near."""
    return [_vector(text, dimensions) for text in texts]


#: words that mean the same to this model, and to no table of ours
_SAME = {"flumo": "automobile", "purrel": "feline"}


def _vector(text: str, dimensions: int) -> list[float]:
    found = [0.01] * dimensions
    for word in re.findall(r"[^\W_]+", text.casefold()):
        digest = hashlib.sha256(_SAME.get(word, word).encode()).digest()
        found[int.from_bytes(digest[:4]) % dimensions] += 1.0 if digest[4] % 2 else -1.0
    return found


def embeds(dimensions: int = 64, *, usage: bool = True, **changed: Any) -> Behaviour:
    """A vector for each text, made of its words; `changed` are other parts of the body."""

    def behave(asked: Asked, handler: Handler) -> None:
        texts = asked.body["input"]
        rows = [
            {"object": "embedding", "index": number, "embedding": vector}
            for number, vector in enumerate(vectors_of(texts, dimensions))
        ]
        body = {"object": "list", "data": rows, "model": asked.body["model"]}
        if usage:
            tokens = sum(len(text.split()) for text in texts)
            body["usage"] = {"prompt_tokens": tokens, "total_tokens": tokens}
        send(handler, 200, json.dumps({**body, **changed}).encode())

    return behave


def facts(*items: Mapping[str, Any]) -> str:
    """The text of an answer with these items."""
    return json.dumps({"facts": list(items)})


def fact(text: str, quote: str, **more: Any) -> dict[str, Any]:
    """One whole item."""
    item: dict[str, Any] = {
        "category": "fact", "text": text, "quote": quote, "turn": 1, "confidence": "high",
        "due": "", "since": "", "scope": "project", "tags": [], "entities": [], "replaces": [],
    }  # fmt: skip
    return {**item, **more}


def fails(
    status: int, code: str = "", message: str = "no", param: str = "", **headers: str
) -> Behaviour:
    """An error with a body like OpenAI's."""

    def behave(asked: Asked, handler: Handler) -> None:
        error = {"message": message, "type": code, "code": code or None, "param": param or None}
        send(handler, status, json.dumps({"error": error}).encode(), **headers)

    return behave


def page(status: int = 200) -> Behaviour:
    """A web page, as a proxy or a captive portal sends one."""

    def behave(asked: Asked, handler: Handler) -> None:
        body = b"<!doctype html><title>Log in to the network</title>"
        send(handler, status, body, content_type="text/html")

    return behave


def silent(seconds: float) -> Behaviour:
    """No answer for so long."""

    def behave(asked: Asked, handler: Handler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return behave


def trickle(gap: float, pieces: int) -> Behaviour:
    """A body that comes byte by byte and does not end in time."""

    def behave(asked: Asked, handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(pieces))
        handler.end_headers()
        for _ in range(pieces):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(gap)

    return behave


def torn(text: str) -> Behaviour:
    """A connection that breaks in the middle of the body."""

    def behave(asked: Asked, handler: Handler) -> None:
        body = json.dumps(reply_of(asked, text)).encode()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    return behave


def only(form: str, behaviour: Behaviour, otherwise: Behaviour) -> Behaviour:
    """One behaviour for requests of a form, another for all else."""

    def behave(asked: Asked, handler: Handler) -> None:
        (behaviour if asked.form == form else otherwise)(asked, handler)

    return behave


def unless_sent(
    parameter: str, behaviour: Behaviour, code: str = "unsupported_parameter"
) -> Behaviour:
    """Refuses a parameter as models do that do not know it."""

    def behave(asked: Asked, handler: Handler) -> None:
        if parameter in asked.body:
            message = f"Unsupported parameter: '{parameter}' is not supported with this model."
            fails(400, code, message, parameter)(asked, handler)
        else:
            behaviour(asked, handler)

    return behave


def recorded(answers_by_words: Mapping[str, Any]) -> Behaviour:
    """What was recorded for a conversation: the first key whose words it holds decides.

    In `replaces`, `{some words}` stands for the number of the known memory that says so: it is
    looked up in the question, as a model does.
    """

    def said(asked: Asked) -> str:
        for words, items in answers_by_words.items():
            if words in asked.text:
                text = json.dumps({"facts": items}, ensure_ascii=False)
                return re.sub(r"\{(\w[^{}\"]*)\}", lambda at: known(at[1], asked), text)
        return facts()

    return answers(said)


def known(words: str, asked: Asked) -> str:
    """The number of the known memory in a question that holds these words, else the words."""
    lines = re.findall(r"^\[(k[0-9]+)\] (.*)$", asked.text, re.M)
    return next((name for name, text in lines if words in text), words)


def main(path: str) -> None:
    """Serve recorded answers until it is stopped; the first line printed is the address."""
    with ModelServer([recorded(json.loads(Path(path).read_text(encoding="utf-8")))]) as server:
        print(server.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
