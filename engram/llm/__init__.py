"""Model client: what asks a model (`chain.Chain.ask`), what makes vectors, and their parts.

    ask -> redact -> for each provider: rest? -> reserve -> send -> settle, usage log -> JSON value
           cloud -> LM Studio -> Ollama, those that the user named a model for
    embed -> redact -> one endpoint, in the same way -> a vector for each text

- `provider`         settings -> the providers to ask, in order
- `prices`           model name -> US dollars per million tokens (config/prices.toml)
- `budget`           the caps of tokens and money: reserved before a call, settled after it
- `provider_habits`  the request form each provider understands, and whether it is resting
- `metered_calls`    the way to a provider: refused, rested, retried, reserved, settled, logged
- `embedder`         texts -> vectors, from the endpoint that the user named a model for
- `wire`             one HTTP request through the openai client; the only module that imports it
- `answer_body`      the body of an answer -> text or vectors, and the tokens
- `backoff`          retries what may succeed later; the only module that imports tenacity
- `json_answer`      text of a model -> the JSON object in it
- `usage_log`        one line a request, without content

Endpoints, keys and prompts come from the user's settings and from this program, never from a
vault. Reasons of failure are a closed list of words, `REASONS`; they are counted in `status`.
"""

from __future__ import annotations

#: why a request failed, as usage lines and `status` say it
REASONS = frozenset({
    # unreachable, or not now
    "timeout", "unreachable", "slow", "rate-limited", "server-error", "not-an-api", "resting",
    # the user has to act
    "no-key", "auth", "quota", "no-such-model", "bad-request",
    # an unusable answer
    "refusal", "incomplete", "empty", "no-json", "no-list", "too-long", "no-vectors",
    # how the request form of a provider is found: asked again in another form
    "other-form", "other-parameter",
})  # fmt: skip
