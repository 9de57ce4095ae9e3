"""`EndpointEmbedder`: texts -> vectors, from one endpoint with OpenAI's `/embeddings` (the Embedder
port).

Each text passes the redactor before it is sent; cost, log, retries and rests are those of every
call to a model. Raises ModelError and BudgetExceeded; BadAnswer `too-long` where the endpoint
cannot take so much at once, `no-vectors` where what it sends are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engram.llm.metered_calls import MeteredCalls, Sent
from engram.llm.provider import Provider
from engram.llm.usage_log import Purpose
from engram.llm.wire import Wire
from engram.model.errors import BadAnswer
from engram.model.model_request import Usage
from engram.model.text import tokens_of

_FORM = "embeddings"

Vectors = Sequence[Sequence[float]]


class EndpointEmbedder:
    """The model behind one endpoint."""

    def __init__(
        self, provider: Provider, wire: Wire, calls: MeteredCalls,
        begin_run: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """`begin_run` is called before each request that is a run of its own, as a question is."""
        self._begin_run = begin_run
        self._provider = provider
        self._wire = wire
        self._calls = calls

    @property
    def model(self) -> str:
        """Its name."""
        return self._provider.model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text, in order, all of one length."""
        if self._begin_run is not None:
            self._begin_run()
        provider = self._provider
        redacted = [self._calls.redact(text) for text in texts]
        most = Usage(sum(map(tokens_of, redacted)), known=False)

        def send() -> Sent[Vectors]:
            answer = self._wire.embed(provider, redacted)
            return Sent(answer.vectors, answer.usage, answer.fault)

        def once() -> Sent[Vectors]:
            purpose = Purpose("embed", turns=len(redacted))
            return self._calls.metered(purpose, provider, _FORM, most, send)

        sent = self._calls.call(provider, once)
        if sent.fault:
            raise BadAnswer(sent.fault, f"{provider.name}: {provider.model} sent no vectors")
        return sent.value
