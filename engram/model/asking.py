"""Several questions to a model, each with its answer or the reason why there is none.

    Model, Requests -> Reply | ModelError | BudgetExceeded, in the order of the questions

`one_by_one` is the plain way; `llm/parallel_questions` asks four at a time. Raises nothing else
than `ask` does beside ModelError and BudgetExceeded. Pure but for the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engram.model.errors import BudgetExceeded, ModelError
from engram.model.model_request import Reply, Request

if TYPE_CHECKING:
    from engram.model.ports import Model

Answered = Reply | ModelError | BudgetExceeded
AskAll = Callable[["Model", Sequence[Request]], Sequence[Answered]]


def one_by_one(model: Model, requests: Sequence[Request]) -> list[Answered]:
    """The reply to each question, or why there is none."""
    return [answered(model, request) for request in requests]


def answered(model: Model, request: Request) -> Answered:
    """The reply to one question, or why there is none."""
    try:
        return model.ask(request)
    except (ModelError, BudgetExceeded) as error:
        return error
