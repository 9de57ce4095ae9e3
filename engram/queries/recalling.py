"""Recalling: a question -> the block that answers it, with or without an answer in words.

A question of time is answered by itself; any is when that is asked for, none when it is not wanted.
Nothing is written, and only what may be given to who asks is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engram.model.errors import BadInput
from engram.recall.asked import time_asked

if TYPE_CHECKING:
    from engram.model.hit import ContextBlock
    from engram.model.tier import RetrievalMode
    from engram.queries.answering import Answering
    from engram.queries.search import SearchQueries
    from engram.recall.answer_item import FoundTurn
    from engram.recall.borders import Recipient
    from engram.recall.question_words import QuestionWords
    from engram.recall.rank import Setting


class Recalling:
    """Of one vault."""

    def __init__(self, search: SearchQueries, answering: Answering) -> None:
        self._search = search
        self._answering = answering

    def block(
        self, question: str, *, budget: int, limit: int, setting: Setting,
        recipient: Recipient, reason: bool | None = None, as_of: str = "",
        history: bool = False, mode: RetrievalMode | None = None,
    ) -> ContextBlock:  # fmt: skip
        """A ranked block within `budget` tokens; `reason` is None for what the question asks.

        With a `mode` memories of its tiers alone, also where an answer rests on them.

        `as_of`, an Instant or a Day, asks for what was true and said by then; with `history` each
        memory tells what it replaced, and what replaced it. Only where `reason` is True a model is
        asked, if there is one. Raises BadInput for an empty question that is to be answered.
        """
        if reason and not question.strip():
            raise BadInput("there is no question to answer", "engram recall --reason QUESTION")
        answer, asked = None, time_asked(question)
        if reason or (reason is None and (asked.wanted or asked.may_be_date)):
            answer = self._answering.answer(
                question, setting=setting, recipient=recipient, as_of=as_of,
                ask_model=reason is True, mode=mode,
            )  # fmt: skip
        if answer and not answer.start and reason is None and not asked.wanted:
            answer = None

        def turns(words: QuestionWords) -> Iterator[FoundTurn]:
            return self._answering.turns(
                question, words, setting=setting, recipient=recipient, as_of=as_of
            )

        return self._search.recall(
            question, budget=budget, limit=limit, setting=setting, recipient=recipient,
            answer=answer, turns=turns, as_of=as_of, history=history, mode=mode,
        )  # fmt: skip
