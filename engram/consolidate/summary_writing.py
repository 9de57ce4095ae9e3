"""Text of the pages that are due: of what a model puts together by it, else the memories' words.

    clusters that no model was asked about -> what belongs together, and its text by the model

A call a cluster, those most alike first, bounded: what is left over is asked about in a later run.
An answer that has faults is asked for once more, with the faults; a second one that has some leaves
the memories' own words. A cluster that was answered is not asked about again, in no later run, also
where too little of it belongs together; one without a reply is. Raises ConfigError when the prompt
is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engram.consolidate.cluster_members import ReadClusters
from engram.consolidate.clusters import Cluster
from engram.consolidate.context import PassContext
from engram.consolidate.summary_answer import belonging, checked
from engram.consolidate.summary_due import due_pages
from engram.consolidate.summary_question import PROMPT, SummaryQuestion, question_of
from engram.consolidate.summary_sources import LEAST_SOURCES, sources_of
from engram.consolidate.summary_text import SummaryText
from engram.model.cluster_verdict import ClusterVerdict
from engram.model.model_request import Reply, Request
from engram.model.pair_verdict import text_digest

#: clusters that one run asks about
MOST_ASKED = 40
_UNSAID = ClusterVerdict(None)
_NOT_SAID = "it does not say by their names which notes belong"


class WrittenText(NamedTuple):
    """The text of a page and the model that wrote it; empty for the memories' own words."""

    text: SummaryText
    model: str = ""
    repaired: bool = False


@dataclass(slots=True)
class _AskedCluster:
    """A question about a cluster; what belongs together as far as it is known, and the faults."""

    question: SummaryQuestion
    cluster: Cluster
    belongs: ClusterVerdict = _UNSAID
    faults: Sequence[str] = ()


def written_texts(context: PassContext, clusters: ReadClusters) -> Mapping[str, WrittenText]:
    """What the model wrote, by the id of the page; `clusters` learn what belongs together."""
    by_id = {sources_of(one.memories, context.view).id: one for one in clusters.unread()}
    due = [
        (by_id[one.id], one) for one in due_pages(context, by_id.values()).due
        if one.action != "restore"
    ]  # fmt: skip
    if not due:
        return {}
    prompt, most = context.prompts.get(PROMPT, {}), context.settings.llm.max_input_tokens
    first = [
        _AskedCluster(question_of(one.sources, prompt, most, context.timezone), cluster)
        for cluster, one in due[:MOST_ASKED]
    ]
    found: dict[str, WrittenText] = {}
    at_fault = []
    for one, reply in _replies(context, [(one, one.question.request) for one in first]):
        if text := _read(one, reply, last=False):
            found[text[0]] = text[1]
        if one.faults:
            at_fault.append(one)
        else:
            clusters.learn(one.cluster, one.belongs)
    again = [(one, one.question.again(one.faults)) for one in at_fault]
    for one, reply in _replies(context, again):
        if text := _read(one, reply, last=True):
            found[text[0]] = text[1]
        clusters.learn(one.cluster, one.belongs)
    return found


def _read(one: _AskedCluster, reply: Reply, *, last: bool) -> tuple[str, WrittenText] | None:
    """The page and its text that a reply gives; else `one` has its faults, or nothing belongs."""
    names = belonging(reply.value, one.question)
    if names is None:
        one.faults = (_NOT_SAID,)
        return None
    about = one.question.about(names)
    if len(about.sources.told) < LEAST_SOURCES:
        one.belongs, one.faults = ClusterVerdict(()), ()
        return None
    digests = sorted({text_digest(memory.text) for memory in about.sources.told})
    one.belongs = ClusterVerdict(tuple(digests))
    answer = checked(reply.value, about, last=last)
    one.faults = answer.faults
    if answer.faults:
        return None
    return about.sources.id, WrittenText(answer.text, reply.model, repaired=last)


def _replies(
    context: PassContext, asked: Sequence[tuple[_AskedCluster, Request]]
) -> Iterator[tuple[_AskedCluster, Reply]]:
    """The questions that were answered, with the replies."""
    replies = context.replies([request for _, request in asked])
    for (one, _), reply in zip(asked, replies, strict=True):
        if reply is not None:
            yield one, reply
