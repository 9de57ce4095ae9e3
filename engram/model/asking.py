"""Several questions to a model: four at a time, results in the order of the questions.

One that fails is an error in its place, and the others go on; a provider that does not answer is
left alone by the model itself, so that the rest fails at once. Raises nothing else than `ask` does
beside ModelError and BudgetExceeded. Who is interrupted waits for no answer: no other question is
begun, and those that are under way end with the process at the latest.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.model.errors import BudgetExceeded, ModelError

if TYPE_CHECKING:
    from engram.model.model_request import Reply, Request
    from engram.model.ports import Model

AT_ONCE = 4


def ask_all(model: Model, requests: Sequence[Request]) -> list[Reply | ModelError | BudgetExceeded]:
    """The reply to each question, or why there is none."""
    if len(requests) < 2:
        return [_asked(model, request) for request in requests]
    answers: dict[int, Reply | ModelError | BudgetExceeded] = {}
    broken: list[BaseException] = []
    waiting = iter(range(len(requests)))
    take = threading.Lock()

    def work() -> None:
        while not broken:
            with take:
                place = next(waiting, None)
            if place is None:
                return
            try:
                answers[place] = _asked(model, requests[place])
            except BaseException as error:  # noqa: BLE001 - raised again where it was asked
                broken.append(error)

    # no pool: its threads are waited for when the process ends, however long an answer takes
    threads = [
        threading.Thread(target=work, name="question", daemon=True)
        for _ in range(min(AT_ONCE, len(requests)))
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException as error:
        broken.append(error)
        raise
    if broken:
        raise broken[0]
    return [answers[place] for place in range(len(requests))]


def _asked(model: Model, request: Request) -> Reply | ModelError | BudgetExceeded:
    try:
        return model.ask(request)
    except (ModelError, BudgetExceeded) as error:
        return error
