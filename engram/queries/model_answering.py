"""A question that a model is asked: evidence and the rules' answer -> the answer to be given.

Guarantees: without a source nothing is asked; whatever becomes of the question (no model answers,
the budget is used up, the answer is not borne out by what it cites), the rules' answer stands, and
says why. What is sent is what the asker may be given, redacted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.errors import EngramError
from engram.recall.model_answer import RefusedAnswer, answered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.answer import ReasonedAnswer
    from engram.model.instant import Day
    from engram.model.ports import Model
    from engram.recall.asked import Asked
    from engram.recall.evidence import Evidence
    from engram.recall.model_question import RecallPrompt

#: so much the rules are believed where a model that saw the same sources found no answer in them
_DOUBTED = 0.5


class ModelAnswering:
    """Answers of the model behind a port."""

    def __init__(self, prompt: RecallPrompt, model: Model) -> None:
        self._prompt = prompt
        self._model = model

    def answer(
        self, words: str, asked: Asked, evidence: Sequence[Evidence], rules: ReasonedAnswer,
        today: Day,
    ) -> ReasonedAnswer:  # fmt: skip
        """The model's answer to `words`, else that of the rules; one question, at most."""
        question = self._prompt.question(words, evidence, rules, today)
        if question is None:
            return rules
        try:
            reply = self._model.ask(question.request)
        except EngramError as error:
            return _by_rules(rules, f"no model answered: {error}")
        found = answered(reply.value, question, words, asked, rules, today)
        name = f"{reply.provider}: {reply.model}"
        if isinstance(found, RefusedAnswer):
            most = _DOUBTED if found.untold else 1.0
            return _by_rules(rules, f"{name} was asked, and its answer {found.why}", most)
        told = f"{name} was asked about {len(question.shown)} sources"
        return replace(found, reasoning=f"{told}\n{found.reasoning}")


def _by_rules(rules: ReasonedAnswer, fault: str, most: float = 1.0) -> ReasonedAnswer:
    reasoning = "\n".join(filter(None, (rules.reasoning, f"{fault}; the rules answer")))
    confidence = min(rules.confidence, most)
    return replace(rules, confidence=confidence, reasoning=reasoning, model_fault=fault)
