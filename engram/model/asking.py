"""Several questions to a model: four at a time, results in the order of the questions.

One that fails is an error in its place, and the others go on; a provider that does not answer is
left alone by the model itself, so that the rest fails at once. Raises nothing else than `ask` does
beside ModelError and BudgetExceeded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.model.errors import BudgetExceeded, ModelError

if TYPE_CHECKING:
    from engram.model.model_request import Reply, Request
    from engram.model.ports import Model

AT_ONCE = 4


def ask_all(model: Model, requests: Sequence[Request]) -> list[Reply | ModelError | BudgetExceeded]:
    """The reply to each question, or why there is none."""

    def one(request: Request) -> Reply | ModelError | BudgetExceeded:
        try:
            return model.ask(request)
        except (ModelError, BudgetExceeded) as error:
            return error

    if len(requests) < 2:
        return [one(request) for request in requests]
    from concurrent.futures import ThreadPoolExecutor  # most runs ask one question, or none

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(one, requests))
