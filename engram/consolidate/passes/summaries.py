"""Summary pass: clusters of related memories -> a page for each, by a model or in their own words.

    clusters, the pages that are there -> steps `make`, `rewrite`, `restore`, `supersede`

Which pages are due is decided by `summary_due`, and what they say by `summary_writing`. The page of
a changed cluster supersedes those before it; a page whose sources changed, and that no other takes
over, ends superseded by nothing. What a person wrote on a page stays: no step changes a text, but
that a full run with a model writes anew what no person edited and no model wrote. Looked at by
the daemon's runs and the command's, not by those after a few extractions.
`consolidate.summaries = false` leaves all pages as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engram.consolidate.cluster_members import ReadClusters
from engram.consolidate.context import PassContext
from engram.consolidate.summary_confidence import confidence_of
from engram.consolidate.summary_due import TASK, DuePage, due_pages
from engram.consolidate.summary_text import title_of
from engram.consolidate.summary_writing import WrittenText, written_texts
from engram.model.instant import local_day
from engram.model.step import Step
from engram.model.summary import Summary


def plan(context: PassContext) -> list[Step]:
    """A step for each page to make, to write anew, to restore or to end."""
    asked_for = context.summarises and context.settings.consolidate.summaries
    if not asked_for or context.changed == frozenset():
        return []
    clusters = ReadClusters(context)
    texts = written_texts(context, clusters)
    found = due_pages(context, clusters.told())
    active = dict(found.active)
    steps: list[Step] = []
    for one in found.due:
        others = [page for name, page in active.items() if name not in one.subjects]
        own = WrittenText(one.own) if one.own is not None else None
        after = _page(context, one, texts.get(one.id, own), others)
        if after is None:
            continue
        ended = [(old, _ended(old, after.id)) for old in one.supersedes]
        pages = ((one.former, after), *ended)
        steps.append(Step(TASK, one.action, one.subjects, _why(one, after), pages=pages))
        active = {page.id: page for page in (*others, after)}
    for old in found.outdated:
        if old.id in active:
            why = "its memories are no longer those that it tells"
            steps.append(Step(TASK, "supersede", (old.id,), why, pages=((old, _ended(old)),)))
    return steps


def _page(
    context: PassContext, due: DuePage, said: WrittenText | None, others: Iterable[Summary]
) -> Summary | None:
    """The page as it is to be; None where there is nothing to write."""
    names = tuple(old.id for old in due.supersedes)
    if due.action == "restore" and due.former is not None:
        return replace(due.former, status="active", superseded_by="", supersedes=names)
    if said is None or (due.action == "rewrite" and not said.model):
        return None
    told = due.sources.told
    days = [local_day(memory.created, context.timezone) for memory in told]
    page = due.former or Summary(
        due.id, "", context.now, min(days), max(days), due.sources.names,
        space=told[0].space, project=due.sources.project, supersedes=names,
    )  # fmt: skip
    text = said.text
    return replace(
        page, title=title_of(text), summary=text.summary, facts=text.facts,
        decisions=text.decisions, replaced=text.replaced, model=said.model,
        confidence=confidence_of(text, due.sources, due.likeness, others, repaired=said.repaired),
    )  # fmt: skip


def _ended(page: Summary, by: str = "") -> Summary:
    """A page that another one takes the place of, or nothing.

    It supersedes no page that came back in its stead: there is no circle.
    """
    before = tuple(name for name in page.supersedes if name != by)
    return replace(page, status="superseded", superseded_by=by, supersedes=before)


def _why(due: DuePage, page: Summary) -> str:
    count = f"{len(page.consolidates)} memories"
    if due.action == "restore":
        return f"{count} are again what it tells"
    if due.action == "rewrite":
        return f"{count}, told by a model"
    return f"{count} about one subject{', as they are now' if due.supersedes else ''}"
