"""Writing of summaries: pages that are due -> what they say, by a model or in their own words.

One question a page, all of them side by side; where an answer was at fault one more, which names
the faults. A model that is away, over budget or wrong twice leaves the memories' own words. Raises
ConfigError when the prompt is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.summary_answer import checked
from engram.consolidate.summary_due import DuePage
from engram.consolidate.summary_question import PROMPT, SummaryQuestion, question_of
from engram.consolidate.summary_text import SummaryText
from engram.model.model_request import Reply, Request


class WrittenText(NamedTuple):
    """The text of a page and the model that wrote it; empty for the memories' own words."""

    text: SummaryText
    model: str = ""
    repaired: bool = False


def written_texts(context: PassContext, due: Sequence[DuePage]) -> Mapping[str, WrittenText]:
    """The text of each page by its id; pages that cannot be written are left out."""
    found = {one.id: WrittenText(one.own) for one in due if one.own is not None}
    if context.model is None:
        return found
    prompt, most = context.prompts.get(PROMPT, {}), context.settings.llm.max_input_tokens
    questions = [question_of(one.sources, prompt, most, context.timezone) for one in due]
    at_fault: list[tuple[SummaryQuestion, Sequence[str]]] = []
    for question, reply in _replies(context, [(one, one.request) for one in questions]):
        answer = checked(reply.value, question)
        if answer.faults:
            at_fault.append((question, answer.faults))
        else:
            found[question.id] = WrittenText(answer.text, reply.model)
    again = [(question, question.again(faults)) for question, faults in at_fault]
    for question, reply in _replies(context, again):
        answer = checked(reply.value, question, last=True)
        if not answer.faults:
            found[question.id] = WrittenText(answer.text, reply.model, repaired=True)
    return found


def _replies(
    context: PassContext, asked: Sequence[tuple[SummaryQuestion, Request]]
) -> Iterator[tuple[SummaryQuestion, Reply]]:
    """The questions that were answered, with the replies."""
    replies = context.replies([request for _, request in asked])
    for (question, _), reply in zip(asked, replies, strict=True):
        if reply is not None:
            yield question, reply
