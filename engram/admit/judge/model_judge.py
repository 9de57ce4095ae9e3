"""The judge that asks a model where the rules are not sure: one bounded question a pair.

Implements the Judge port on top of another judge. Accepts `supersedes` only at high confidence; a
likely one, and any contradiction, is a suspicion for the person; every other answer, and every
failure, leaves the rules' opinion (seed 004: false negatives preferred). Never asked: pairs that
the rules decide, that are of two scopes or one moment, or that share too little. Each pair is asked
about once, and after a failure nothing more is asked. Authority counts as for the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engram.admit.judge.rule_judge import comparable, outranked
from engram.language.wording import telling, terms_of
from engram.model.errors import BudgetExceeded, ModelError
from engram.model.instant import day_of
from engram.model.markdown import neutralise
from engram.model.memory import Memory
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.ports import Judge, Model
from engram.model.step import Opinion
from engram.model.succession import LOWER_AUTHORITY

KEY = "relation"
#: questions that one judge asks at most: one consolidation is not to cost a fortune
MOST_QUESTIONS = 100
#: as much of one memory is shown, and of a reason kept, characters
_MOST_TEXT, _MOST_REASON = 2000, 200
#: what two texts must share to be worth a question: so many words, or so much of the shorter
_WORDS, _SHARE = 3, 0.5
_RELATIONS = ("supersedes", "contradiction", "duplicate", "complementary", "unrelated")
SCHEMA = strict_object({
    KEY: {"type": "string", "enum": list(_RELATIONS)},
    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
    "reason": {"type": "string"},
})  # fmt: skip


class ModelJudge:
    """Rules first, then a model."""

    def __init__(self, rules: Judge, prompt: Mapping[str, Any], model: Model) -> None:
        """`prompt` is config/prompts/judge.toml. Raises ConfigError when it is no prompt."""
        self._version, self._instructions = prompt_of(prompt, "judge")
        self._rules = rules
        self._model = model
        self._answers: dict[tuple[str, str], Opinion | None] = {}
        self._left = MOST_QUESTIONS

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The rules' opinion where they are sure, else the model's where it is to be trusted."""
        opinion = self._rules.compare(older, newer)
        if opinion.sure or not (comparable(older, newer) and _near(older, newer)):
            return opinion
        pair = (older.id, newer.id)
        if pair not in self._answers:
            self._answers[pair] = self._asked(older, newer)
        return self._answers[pair] or opinion

    def request(self, older: Memory, newer: Memory) -> Request:
        """The question about two memories; nothing is asked."""
        data = f"Older memory:\n{_shown(older)}\n\nNewer memory:\n{_shown(newer)}"
        return Request(
            prompt=self._version,
            instructions=self._instructions,
            text=fenced(data),
            schema=SCHEMA,
            key=KEY,
            subject=newer.id,
        )

    def _asked(self, older: Memory, newer: Memory) -> Opinion | None:
        if self._left <= 0:
            return None
        self._left -= 1
        try:
            answer = self._model.ask(self.request(older, newer)).value
        except (ModelError, BudgetExceeded):
            self._left = 0  # the usage log has it; whoever does not answer is not asked again now
            return None
        return _opinion(answer, older, newer) if isinstance(answer, dict) else None


def _near(older: Memory, newer: Memory) -> bool:
    held, said = telling(terms_of(older.text)), telling(terms_of(newer.text))
    shared = len(held & said)
    return shared >= _WORDS or (shared > 0 and shared >= _SHARE * min(len(held), len(said)))


def _shown(memory: Memory) -> str:
    text = memory.text if len(memory.text) <= _MOST_TEXT else f"{memory.text[:_MOST_TEXT]} [...]"
    return f"[{memory.id}] {day_of(memory.created)}, {memory.category}:\n{text}"


def _opinion(answer: Mapping[str, object], older: Memory, newer: Memory) -> Opinion | None:
    """What an answer is worth; None when the rules stand."""
    relation, confidence = answer.get(KEY), answer.get("confidence")
    why = _reason(answer.get("reason"))
    if relation == "supersedes" and confidence == "high":
        if outranked(older, newer):
            return Opinion("contradicts", code=LOWER_AUTHORITY, why=why)
        return Opinion("supersedes", sure=True, code="model", why=why)
    if relation in ("supersedes", "contradiction") and confidence in ("high", "medium"):
        return Opinion("contradicts", code="model", why=why)
    return None


def _reason(value: object) -> str:
    said = " ".join(value.split())[:_MOST_REASON] if isinstance(value, str) else ""
    return neutralise(said) or "the model gave no reason"
