"""The tiers of extraction behind one Extractor: rules always, a model when one is configured.

`Tiers` asks the model about the turns that the rules read too, and merges (`merge`). What happens
while no model answers is a setting (`llm.when_away`): the turns wait, or the rules go on alone. A
wrong key or an unusable answer is never passed over like that.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.extract.llm.model_tier import ModelTier
from engram.extract.merge import merged
from engram.model.candidate import Candidate
from engram.model.errors import BudgetExceeded, ModelAway
from engram.model.model_request import Request
from engram.model.ports import Extractor
from engram.model.turn import Turn


class Tiers:
    """Rules and model together."""

    costly = True

    def __init__(self, rules: Extractor, model: ModelTier, when_away: str) -> None:
        self._rules = rules
        self._model = model
        self._go_on = when_away == "rules"

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """As the model tier has it."""
        return self._model.portion(turns, attempts)

    def asks(self, turns: Sequence[Turn]) -> bool:
        """Whether the model would be asked."""
        return self._model.asks(turns)

    def request(self, turns: Sequence[Turn]) -> Request:
        """What the model would be asked."""
        return self._model.request(turns)

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """The candidates of both tiers; of the rules alone while the model is away, if so set."""
        try:
            asked = self._model.extract(turns)
        except (ModelAway, BudgetExceeded):
            if not self._go_on:
                raise
            return self._rules.extract(turns)
        return merged(self._rules.extract(turns), asked, turns, self._model.shown(turns))
