"""A model whose questions are counted: for the record of the run that asks them.

Implements the Model port on top of another; any number of threads may ask.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from engram.model.consolidation_run import ModelUse
from engram.model.errors import BudgetExceeded, ModelError
from engram.model.model_request import Reply, Request
from engram.model.ports import Model


class CountedModel:
    """A model and what was asked of it; `spent` tells tokens and US dollars so far."""

    def __init__(self, model: Model, spent: Callable[[], tuple[int, float]]) -> None:
        self._model = model
        self._spent = spent
        self._counting = threading.Lock()
        self._questions = 0
        self._errors: Counter[str] = Counter()

    def ask(self, request: Request) -> Reply:
        """The JSON answer. Raises ModelError or BudgetExceeded."""
        with self._counting:
            self._questions += 1
        try:
            return self._model.ask(request)
        except (ModelError, BudgetExceeded) as error:
            with self._counting:
                self._errors[error.code] += 1
            raise

    @property
    def used(self) -> ModelUse:
        """What was asked so far."""
        with self._counting:
            errors = tuple(sorted(self._errors.items()))
            return ModelUse(self._questions, *self._spent(), errors)
