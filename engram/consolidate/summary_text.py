"""Text of a summary, before it is a page: lines with their sources; and the lines without a model.

    SummarySources -> SummaryText: the most central statement, every decision with its reason, what
                      was replaced, and the newest other statements as far as there is room

Without a model each line is a memory's own statement, of a long one the first sentences. What says
the same as another line stands once, with the sources of both. It has at most two thirds of its
sources' length; where the central statement, the decisions and what was replaced are longer than
that, nothing is to be saved, and there is no text. Pure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engram.consolidate.repeated_lines import alike
from engram.consolidate.summary_sources import SummarySources, said
from engram.language.tokens import telling_terms
from engram.model.memory import Memory
from engram.model.page_lines import one_line
from engram.model.sentences import sentences_of
from engram.model.summary import ReplacedFact, Summary, SummaryDecision, SummaryLine, texts_of
from engram.model.summary_identity import reasons_of
from engram.model.text import first_line, normalise

#: the share of its sources' length that a summary may have, by a model and in their own words
MOST_SHARE, _MOST_OF_OWN = 0.5, 2 / 3
#: what happened, is to be done or how it is done tells least of what a cluster is about
_PASSING = frozenset(["moment", "commitment", "skill"])
#: characters of a statement, of a reason or an outcome, and of a title
_WIDTH, _WIDTH_OF_REASON, _WIDTH_OF_TITLE = 240, 160, 80


class SummaryText(NamedTuple):
    """What a summary says."""

    summary: tuple[SummaryLine, ...] = ()
    facts: tuple[SummaryLine, ...] = ()
    decisions: tuple[SummaryDecision, ...] = ()
    replaced: tuple[ReplacedFact, ...] = ()

    @property
    def length(self) -> int:
        """How long all of it is together, characters."""
        return sum(map(len, self.texts))

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text of it."""
        told = (self.summary, self.facts, self.decisions, self.replaced)
        return tuple(text for lines in told for line in lines for text in texts_of(line) if text)


def text_of(page: Summary) -> SummaryText:
    """What a page says."""
    return SummaryText(page.summary, page.facts, page.decisions, page.replaced)


def own_text(sources: SummarySources) -> SummaryText | None:
    """The summary in the memories' own words; None where it would save too little."""
    groups = _without_repeats(sources.told)
    decisions = [one for one in groups if one[0].category == "decision"]
    others = [one for one in groups if one not in decisions]
    centre = _central(one[0] for one in others or decisions)
    lead = next(one for one in groups if centre in one)
    told = [one for one in decisions if one != lead or any(reasons_of(centre))]
    text = SummaryText(
        (_line(lead),), (), tuple(map(_decision, told)), tuple(map(_replaced, sources.replaced))
    )
    room = _MOST_OF_OWN * sources.length - text.length
    if room < 0:
        return None
    facts = []
    heard = {new.id for _, new in sources.replaced} | set(_names(lead))
    for group in _newest_first(one for one in others if heard.isdisjoint(_names(one))):
        line = _line(group)
        if len(line.text) <= room:
            room -= len(line.text)
            facts.append(line)
    return text._replace(facts=tuple(facts))


def title_of(text: SummaryText) -> str:
    """The title of a page: its first decision, else its first line; no word that no line has."""
    found = text.decisions[0].decision if text.decisions else text.summary[0].text
    return one_line(first_line(found, _WIDTH_OF_TITLE)).rstrip(".")


def _newest_first(groups: Iterable[tuple[Memory, ...]]) -> list[tuple[Memory, ...]]:
    """What holds before what happened."""
    newest = sorted(groups, key=lambda one: (one[0].created, one[0].id), reverse=True)
    return sorted(newest, key=lambda one: one[0].category in _PASSING)


def _central(memories: Iterable[Memory]) -> Memory:
    """The one that shares most words with the others; of equal ones the newest.

    What holds comes before what happened or is to be done.
    """
    found = list(memories)
    lasting = [one for one in found if one.category not in _PASSING] or found
    terms = {one.id: set(telling_terms(said(one))) for one in found}
    held = Counter(term for mine in terms.values() for term in mine)

    def share(memory: Memory) -> float:
        mine = terms[memory.id]
        # by the root: a long statement holds many words, a short one few that are shared
        return sum(held[term] - 1 for term in mine) / math.sqrt(max(len(mine), 1))

    return max(lasting, key=lambda one: (share(one), one.created, one.id))


def shortened(text: str, width: int = _WIDTH) -> str:
    """The first sentences of a text that have so many characters, as inert Markdown on one line.

    A first sentence that is longer is cut between words and marked with `…`.
    """
    kept = ""
    for sentence in sentences_of(text):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > width:
            break
        kept = longer
    return one_line(kept or first_line(text, width))


def _without_repeats(memories: Iterable[Memory]) -> list[tuple[Memory, ...]]:
    """Memories that say the same together, the newest of them first; in order of the oldest."""
    groups: list[list[Memory]] = []
    for memory in memories:
        words = normalise(memory.text)
        same = (one for one in groups if any(alike(words, normalise(old.text)) for old in one))
        if group := next(same, None):
            group.insert(0, memory)
        else:
            groups.append([memory])
    return [tuple(group) for group in groups]


def _names(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories)


def _line(group: Sequence[Memory]) -> SummaryLine:
    return SummaryLine(shortened(said(group[0])), _names(group))


def _decision(group: Sequence[Memory]) -> SummaryDecision:
    reasons = next(filter(any, map(reasons_of, group)), ("", ""))
    reason, outcome = (shortened(text, _WIDTH_OF_REASON) for text in reasons)
    return SummaryDecision(shortened(said(group[0])), reason, outcome, _names(group))


def _replaced(pair: tuple[Memory, Memory]) -> ReplacedFact:
    old, new = pair
    return ReplacedFact(shortened(said(old)), shortened(said(new)), _names(pair))
