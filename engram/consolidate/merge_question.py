"""Question to a model about possible duplicates -> the pairs of which it says that they are.

One question a run about at most `MOST_PAIRS`, the most similar first. Only an explicit "same" with
both ids of a pair that was asked counts; of two answers about one pair neither does. Any failure of
the model gives no pair: nothing is merged without an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engram.consolidate.context import PassContext
from engram.model.memory import Memory
from engram.model.model_request import Request, fenced, list_of, prompt_of
from engram.model.text import tokens_of

PROMPT, KEY = "merge", "pairs"
#: pairs in one question at most
MOST_PAIRS = 20
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
_TEXT = {"type": "string"}
_ANSWER: dict[str, Any] = {
    "pair": {"type": "integer"},
    "first": _TEXT,
    "second": _TEXT,
    "verdict": {"type": "string", "enum": ["same", "extends", "different"]},
}
SCHEMA = list_of(KEY, _ANSWER)

Pair = tuple[Memory, Memory]


def confirmed(context: PassContext, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that the model confirms as duplicates; none without a model.

    Raises ConfigError when the prompt is missing.
    """
    if context.model is None or not pairs:
        return []
    request, asked = _request(context, pairs)
    if not asked:
        return []
    items = (context.ask(request) or {}).get(KEY)
    return _same(items if isinstance(items, list) else [], asked)


def _request(context: PassContext, pairs: Sequence[Pair]) -> tuple[Request, list[Pair]]:
    """The question about as many of the first pairs as fit, and those pairs."""
    version, instructions = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
    own = tokens_of(instructions) + tokens_of(str(SCHEMA)) + _SPARE_TOKENS
    room = context.settings.llm.max_input_tokens - own
    parts: list[str] = []
    for number, pair in enumerate(pairs[:MOST_PAIRS], 1):
        told = [f"- {memory.id}: {' '.join(memory.text.split())}" for memory in pair]
        part = "\n".join([f"[{number}]", *told])
        room -= tokens_of(part) + 1
        if room < 0:
            break
        parts.append(part)
    text = fenced("\n\n".join(parts))
    return Request(version, instructions, text, SCHEMA, KEY), list(pairs[: len(parts)])


def _same(items: Sequence[object], asked: Sequence[Pair]) -> list[Pair]:
    places = {frozenset(memory.id for memory in pair): at for at, pair in enumerate(asked)}
    verdicts: dict[int, list[object]] = {}
    for item in items:
        if isinstance(item, dict):
            first, second = item.get("first"), item.get("second")
            if isinstance(first, str) and isinstance(second, str):
                at = places.get(frozenset({first, second}), -1)
                verdicts.setdefault(at, []).append(item.get("verdict"))
    return [pair for at, pair in enumerate(asked) if verdicts.get(at) == ["same"]]
