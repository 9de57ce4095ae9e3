"""The one function that calls a model (`chain.Chain.ask`), and what it stands on.

    ask -> redact -> for each provider: rest? -> reserve -> send -> settle, ledger -> JSON value
           cloud -> LM Studio -> Ollama, those that the person named a model for

- `provider`  settings -> the providers to ask, in order
- `prices`    model name -> US dollars per million tokens (config/prices.toml)
- `spend`     the caps of tokens and money: reserved before a call, settled after it
- `learnt`    what each provider was found to understand, and whether it is left alone for now
- `wire`      one HTTP request through the openai client; the only module that imports it
- `patience`  tries again after what may pass; the only module that imports tenacity
- `answer`    text of a model -> the JSON object in it
- `committer`    one line a request, without content

Endpoints, keys and prompts come from the person's settings and from this program, never from a
vault. Reasons of failure are a closed list of words, `REASONS`; they are counted in `status`.
"""

from __future__ import annotations

#: why a request brought nothing, as ledger lines and `status` say it
REASONS = frozenset({
    # nobody answers, or not now
    "timeout", "unreachable", "slow", "rate-limited", "server-error", "not-an-api", "resting",
    # the person has to act
    "no-key", "auth", "quota", "no-such-model", "bad-request",
    # an answer that is none
    "refusal", "incomplete", "empty", "no-json", "no-list", "too-long",
    # how a provider is got to know: asked again in another form
    "other-form", "other-parameter",
})  # fmt: skip
