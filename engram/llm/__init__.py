"""Model client: the one function that calls a model (`chain.Chain.ask`), and its parts.

    ask -> redact -> for each provider: rest? -> reserve -> send -> settle, usage log -> JSON value
           cloud -> LM Studio -> Ollama, those that the user named a model for

- `provider`         settings -> the providers to ask, in order
- `prices`           model name -> US dollars per million tokens (config/prices.toml)
- `budget`           the caps of tokens and money: reserved before a call, settled after it
- `provider_habits`  the request form each provider understands, and whether it is resting
- `wire`             one HTTP request through the openai client; the only module that imports it
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
    "refusal", "incomplete", "empty", "no-json", "no-list", "too-long",
    # how the request form of a provider is found: asked again in another form
    "other-form", "other-parameter",
})  # fmt: skip
