"""One HTTP request through the openai client -> what was answered and its usage, or RequestFailure.

The only module that imports `openai` and its transport, lazily: half a second. Its own retries
are off, redirects are not followed, nothing is stored at the provider, no connection is kept, and
there is a deadline for the whole of an answer, not only between two bytes of it. The answer is read
as bytes, which `answer_body` makes sense of. Error messages of a provider are shown without the
key, whatever they repeat.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from engram.llm.answer_body import Reported, WireAnswer, WireVectors, answer_of, vectors_of
from engram.llm.failure import RequestFailure
from engram.llm.prices import MAX_OUTPUT_TOKENS
from engram.llm.provider import NO_KEY, Provider
from engram.model.model_request import Request

if TYPE_CHECKING:
    import openai

#: an answer of more bytes is cut off
MAX_ANSWER_BYTES = 8_000_000
#: parameters that some models refuse and that can be omitted
_OPTIONAL = (
    "temperature", "store", "max_completion_tokens", "max_tokens", "reasoning_effort", "reasoning",
)  # fmt: skip
_THINKS = re.compile(r"gpt-[5-9]|o[1-9]\b")
#: words of an error about an unknown parameter, beside its name
_UNKNOWN = re.compile(r"unsupported|unknown|unrecogni|unexpected|invalid|extra|not \w+|only \w+")
_SCHEMA_WORDS = ("response_format", "json_schema", "text.format", "structured output")
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,100}?\b(?:not (?:be )?(?:found|exist)|unknown|not available)"
    r"|\b(?:no such|unknown) model\b"
)
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length"})
_TOO_LONG_WORDS = ("context length", "request too large")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d*)?", re.ASCII)
#: headers of a request; the client reads the last one back
_HEADERS = frozenset({
    "host", "accept", "accept-encoding", "connection", "content-type", "content-length",
    "user-agent", "authorization", "x-stainless-raw-response",
})  # fmt: skip
_OPENAI_HEADERS = frozenset({"openai-organization", "openai-project"})
#: the most of a provider's error message that is shown, characters
_MOST_SAID = 200


class Wire:
    """The clients of the providers, made at first use, by any thread."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._clients: dict[Provider, openai.OpenAI] = {}
        self._making = threading.Lock()

    def send(
        self, provider: Provider, form: str, request: Request, without: tuple[str, ...]
    ) -> WireAnswer:
        """Ask once, in one form, without some parameters. Raises RequestFailure."""
        body = _body(provider, form, request, without)
        with _named(provider, without):
            client = self._client(provider)
            calls = client.responses if form == "responses" else client.chat.completions
            create: Any = calls.with_streaming_response.create
            with create(**body) as response:
                data = _read(response)
            return WireAnswer("", None, "incomplete") if data is None else answer_of(form, data)

    def embed(self, provider: Provider, texts: Sequence[str]) -> WireVectors:
        """Ask once for a vector for each text. Raises RequestFailure."""
        with _named(provider, ()):
            create: Any = self._client(provider).embeddings.with_streaming_response.create
            # the client would ask for base64, which some servers do not speak
            asked = {"model": provider.model, "input": list(texts), "encoding_format": "float"}
            with create(**asked) as response:
                data = _read(response)
            if data is None:
                return WireVectors((), None, "no-vectors")
            return vectors_of(data, len(texts))

    def _client(self, provider: Provider) -> openai.OpenAI:
        with self._making:
            if provider not in self._clients:
                self._clients[provider] = self._made(provider)
            return self._clients[provider]

    def _made(self, provider: Provider) -> openai.OpenAI:
        import httpx2
        import openai

        return openai.OpenAI(
            api_key=provider.key,
            base_url=provider.base_url,
            max_retries=0,
            timeout=self._timeout,
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False,
                trust_env=not provider.on_this_machine,
                # minutes lie between two questions: a kept connection goes stale
                limits=httpx2.Limits(max_keepalive_connections=0),
                event_hooks={
                    "request": [_plain(provider)],
                    "response": [_bounded(self._timeout)],
                },
            ),
        )


def _plain(provider: Provider) -> Callable[[Any], None]:
    """A transport hook: removes headers that describe the machine, or are for another provider.

    The client adds some of its own, and those that OpenAI's variables name, whoever is asked.
    """
    kept = _HEADERS | (_OPENAI_HEADERS if provider.of_openai else frozenset())

    def strip(request: Any) -> None:
        for name in [name for name in request.headers if name.casefold() not in kept]:
            del request.headers[name]
        request.headers["authorization"] = f"Bearer {provider.key}"

    return strip


def _read(response: Any) -> bytes | None:
    """The whole body, decompressed; None when it is too long."""
    pieces, size = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > MAX_ANSWER_BYTES:
            return None
    return b"".join(pieces)


def _bounded(seconds: float) -> Callable[[Any], None]:
    """A transport hook: every body, also that of an error, ends in time."""
    import httpx2

    class Bounded(httpx2.SyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            give_up = time.monotonic() + seconds
            for piece in self._stream:
                if time.monotonic() > give_up:
                    message = f"no whole answer within {seconds:g} s"
                    raise RequestFailure("slow", message, transient=True, charged=True)
                yield piece

        def close(self) -> None:
            self._stream.close()

    def bind(response: Any) -> None:
        response.stream = Bounded(response.stream)

    return bind


def _body(
    provider: Provider, form: str, request: Request, without: tuple[str, ...]
) -> dict[str, object]:
    """The parameters of a request.

    Temperature 0, for the same turns should give the same memories. Reasoning models take none,
    and reason little: their reasoning counts as output, which is bounded.
    """
    body: dict[str, object] = {"model": provider.model}
    thinks = _THINKS.match(provider.model.rpartition("/")[2]) is not None
    if not thinks:
        body["temperature"] = 0
    elif form == "responses":
        body["reasoning"] = {"effort": "low"}
    else:
        body["reasoning_effort"] = "low"
    schema = {"name": "answer", "strict": True, "schema": dict(request.schema)}
    if form == "responses":
        body["instructions"] = request.instructions
        body["input"] = request.text
        body["text"] = {"format": {"type": "json_schema", **schema}}
        body["max_output_tokens"] = MAX_OUTPUT_TOKENS
        body["store"] = False
    else:
        body["messages"] = [
            {"role": "system", "content": request.instructions},
            {"role": "user", "content": request.text},
        ]
        # local servers know the old name only, the cloud's newer models the new one
        most = "max_tokens" if provider.local else "max_completion_tokens"
        if most in without:
            most = "max_tokens" if most == "max_completion_tokens" else "max_completion_tokens"
        body[most] = MAX_OUTPUT_TOKENS
        if form == "chat-schema":
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return {name: value for name, value in body.items() if name not in without}


@contextmanager
def _named(provider: Provider, without: tuple[str, ...]) -> Iterator[None]:
    """Turn every failure of the client, and of its transport while reading, into RequestFailure."""
    import httpx2
    import openai

    def said(words: object) -> str:
        """A message of the provider without the key."""
        text = str(words)
        if provider.key != NO_KEY:
            text = text.replace(provider.key, "[the key]")
        return text[:_MOST_SAID]

    try:
        yield
    except openai.APIStatusError as error:
        status, headers = error.status_code, error.response.headers
        raise _refusal(status, _error_of(error), headers, without, said) from error
    except Reported as error:
        raise _refusal(error.status, error.error, {}, without, said) from error
    except (openai.APITimeoutError, httpx2.TimeoutException) as error:
        raise RequestFailure(
            "timeout", "no answer in time", transient=True, charged=True
        ) from error
    except openai.APIConnectionError as error:
        cause = said(error.__cause__ or error) or "no connection"
        raise RequestFailure("unreachable", cause, transient=True) from error
    except httpx2.HTTPError as error:
        message = said(f"the answer broke off: {error}")
        raise RequestFailure("unreachable", message, transient=True, charged=True) from error
    # malformed proxies and certificates in the environment
    except (openai.OpenAIError, httpx2.InvalidURL, ImportError, OSError, ValueError) as error:
        raise RequestFailure("bad-request", said(error)) from error


def _error_of(error: openai.APIStatusError) -> Mapping[str, Any]:
    """The error object in a body, whose form differs: an object, a text, a page."""
    if isinstance(error.body, dict):
        return error.body
    text = error.body if isinstance(error.body, str) else error.message
    return {"message": "(a web page)" if text.lstrip().startswith("<") else text}


def _refusal(
    status: int,
    body: Mapping[str, Any],
    headers: Mapping[str, str],
    without: tuple[str, ...],
    said: Callable[[object], str],
) -> RequestFailure:
    """The RequestFailure for an HTTP status and its error: what to do next."""
    code = str(body.get("code") or body.get("type") or "")
    parameter, message = str(body.get("param") or ""), str(body.get("message") or "")
    told = f"{parameter} {message}".casefold()
    text = f"HTTP {status}: {said(message)}"
    if status < 400:
        return RequestFailure(
            "not-an-api", f"HTTP {status}: what answers there sends one elsewhere"
        )
    if status in (401, 403):
        return RequestFailure("auth", text)
    if status == 402 or code in _QUOTA:
        return RequestFailure("quota", text)
    if status == 413 or code in _TOO_LONG or any(words in told for words in _TOO_LONG_WORDS):
        return RequestFailure("too-long", text)
    if status == 429:
        wait = _retry_after(headers)
        return RequestFailure("rate-limited", text, transient=True, retry_after=wait)
    if status in (408, 409) or (status >= 500 and status != 501):
        wait = _retry_after(headers)
        return RequestFailure("server-error", text, transient=True, retry_after=wait)
    if status == 404 and (code == "model_not_found" or _NO_MODEL.search(told)):
        return RequestFailure("no-such-model", text)
    if status in (404, 405, 501):
        return RequestFailure("other-form", text, form=True)
    for name in _OPTIONAL:
        if name not in without and _refuses(name, parameter, told):
            return RequestFailure("other-parameter", text, parameter=name)
    if any(word in told for word in _SCHEMA_WORDS):
        return RequestFailure("other-form", text, form=True)
    return RequestFailure("bad-request", text)


def _refuses(name: str, parameter: str, told: str) -> bool:
    """Whether an error is about this parameter: `store` is also a word that errors use."""
    named = re.search(rf"(?<![\w-]){name}(?![\w-])", told) is not None
    return parameter == name or (named and _UNKNOWN.search(told) is not None)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from a number or from a date and the server's own date."""
    try:
        for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
            if _NUMBER.fullmatch(headers.get(name, "")):
                return float(headers[name]) / unit
        text = headers["retry-after"]
        until, now = parsedate_to_datetime(text), parsedate_to_datetime(headers["date"])
        return max((until - now).total_seconds(), 0.0)
    except (ValueError, KeyError, TypeError):
        return None
