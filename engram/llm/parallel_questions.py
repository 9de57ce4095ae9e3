"""Several questions to a model: four at a time, results in the order of the questions.

One that fails is an error in its place, and the others go on; a provider that does not answer is
left alone by the model itself, so that the rest fails at once. Who is interrupted waits for no
answer: no other question is begun, and those that are under way end with the process at the latest.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engram.model.asking import answered, one_by_one

if TYPE_CHECKING:
    from engram.model.asking import Answered
    from engram.model.model_request import Request
    from engram.model.ports import Model

AT_ONCE = 4


def ask_all(model: Model, requests: Sequence[Request]) -> list[Answered]:
    """The reply to each question, or why there is none. Raises what is neither."""
    if len(requests) < 2:
        return one_by_one(model, requests)
    answers: dict[int, Answered] = {}
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
                answers[place] = answered(model, requests[place])
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
