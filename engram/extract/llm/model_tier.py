"""Extraction by a model: one question a batch, every item of the answer checked.

    turns + what the vault knows -> ExtractionPrompt -> Model -> items -> Candidates, or refusals

Failures of the model itself are raised (ModelError, BudgetExceeded): the turns stay pending. An
answer without items is valid: there was nothing to remember.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.extract.llm.answer_items import candidates_of, refused
from engram.extract.llm.known_mentions import mentions_of
from engram.extract.llm.portions import is_asked, piece_of
from engram.extract.llm.prompt import CONFIRMS, FULFILS, KEY, ExtractionPrompt
from engram.model.candidate import Candidate
from engram.model.errors import BadAnswer
from engram.model.model_request import Request
from engram.model.ports import Model, PromptContext
from engram.model.turn import Turn

#: items of one answer beyond this number are dropped with one refusal
MOST_ITEMS = 60
FLOOD = "flood"
#: the reason of a BadAnswer whose `facts` are null or something else
NO_LIST = "no-list"


class ModelTier:
    """The Extractor that asks a model."""

    costly = True

    def __init__(
        self, prompt: ExtractionPrompt, model: Model, prompt_context: PromptContext
    ) -> None:
        self._prompt = prompt
        self._model = model
        self._prompt_context = prompt_context

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """As many turns as one question holds."""
        return self._prompt.portion(turns, attempts)

    def request(self, turns: Sequence[Turn]) -> Request:
        """The question that `extract` would ask."""
        return self._prompt.request(turns, self._prompt_context.near(turns))

    def asks(self, turns: Sequence[Turn]) -> bool:
        """Whether anything is asked: a person speaks in these turns, or they end in an answer."""
        return is_asked([piece_of(turn) for turn in turns])

    def shown(self, turns: Sequence[Turn]) -> str:
        """What a question about these turns shows of them; nothing where none is asked."""
        return "\n".join(self._prompt.messages(turns)) if self.asks(turns) else ""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """Candidates of one question; none where nothing is asked."""
        if not self.asks(turns):
            return []
        context = self._prompt.fitting(self._prompt_context.near(turns))
        reply = self._model.ask(self._prompt.request(turns, context))
        answer = reply.value if isinstance(reply.value, dict) else {}
        items = answer.get(KEY)
        if not isinstance(items, list):
            raise BadAnswer(NO_LIST, f"{reply.provider}: {reply.model} gave no list of facts")
        found = candidates_of(items[:MOST_ITEMS], turns, context)
        if len(items) > MOST_ITEMS:
            found.append(refused(FLOOD))
        for mention in (CONFIRMS, FULFILS):
            found += mentions_of(mention, answer.get(mention), turns, context.memories)
        return found
