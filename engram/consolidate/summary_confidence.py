"""Confidence of a summary, computed from the page and its cluster; a model is not asked for it.

    .25 relevance      how like two of its sources are; 1 where a model said that they belong together
    .30 actionability  share of lines that come from what is decided, wanted, promised or known how;
                       what tells no more than a fact counts half
    .20 novelty        how unlike the nearest other page it is
    .15 specificity    share of lines with a number, a date, a link, a path or a name
    .10 coherence      1; half for an answer that had to be asked for twice

The weights are those of seed 004 and its sources. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from engram.consolidate.linkage import Vector, cosine, unit
from engram.consolidate.summary_sources import SummarySources
from engram.consolidate.summary_text import SummaryText, text_of
from engram.language.numerals import is_number
from engram.language.supported import LINK, PATH, new_names
from engram.language.tokens import telling_terms
from engram.model.summary import Summary

_RELEVANCE, _ACTIONABILITY, _NOVELTY, _SPECIFICITY, _COHERENCE = 0.25, 0.30, 0.20, 0.15, 0.10
_REPAIRED = 0.5
_ACTIONABLE = frozenset(
    ["decision", "principle", "preference", "correction", "commitment", "skill"]
)  # fmt: skip


def confidence_of(
    text: SummaryText, sources: SummarySources, likeness: float, others: Iterable[Summary],
    *, repaired: bool = False,
) -> float:  # fmt: skip
    """0..1, two digits. `others` are the active pages beside this one.

    Only those of the same space and project are looked at.
    """
    acting = {one.id for one in sources.told if one.category in _ACTIONABLE}
    lines = _lines(text)
    actionability = (1 + _share(not acting.isdisjoint(names) for names, _ in lines)) / 2
    specificity = _share(_is_specific(said) for _, said in lines)
    mine = _terms(text.texts)
    scope = (sources.told[0].space, sources.project)
    near = (one for one in others if (one.space, one.project) == scope)
    nearest = max((cosine(mine, _terms(text_of(one).texts)) for one in near), default=0.0)
    overall = (
        _RELEVANCE * min(max(likeness, 0.0), 1.0)
        + _ACTIONABILITY * actionability
        + _NOVELTY * (1 - nearest)
        + _SPECIFICITY * specificity
        + _COHERENCE * (_REPAIRED if repaired else 1.0)
    )
    return round(overall, 2)


def _lines(text: SummaryText) -> list[tuple[tuple[str, ...], str]]:
    """The sources and words of each line."""
    found = [(one.memories, one.text) for one in (*text.summary, *text.facts)]
    found += [(one.memories, f"{one.decision} {one.reason}") for one in text.decisions]
    return found + [(one.memories, f"{one.old} {one.new}") for one in text.replaced]


def _share(those: Iterable[bool]) -> float:
    counted = Counter(those)
    return counted[True] / max(counted.total(), 1)


def _is_specific(said: str) -> bool:
    if any(map(is_number, said.split())) or LINK.search(said) or PATH.search(said):
        return True
    return bool(new_names(said, ""))


@lru_cache(maxsize=1_024)  # a page is compared with each that is written after it
def _terms(texts: tuple[str, ...]) -> Vector:
    return unit(Counter(term for text in texts for term in telling_terms(text)))
