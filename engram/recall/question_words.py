"""The words that a question is about -> how much of it a text says.

    "How much is the rent of the flat?"; "We rent the flat since June"     1.0
    the same; "The flat is on the third floor."                            .3: `flat` is said often

Words count by their terms, each by how rare it is. Related words count for the share that they are
worth, where they are asked for. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engram.language.related_words import related_terms
from engram.language.tokens import query_terms, terms


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The terms that a question is about, each with its weight (> 0), and all of its terms.

    `instead` are the related terms of each, with the share of it that they are worth.
    """

    weights: dict[str, float]
    every: frozenset[str]
    instead: dict[str, tuple[tuple[str, float], ...]]

    @classmethod
    def of(
        cls, question: str, rarity: Callable[[str], float], left_out: Iterable[str] = ()
    ) -> QuestionWords:
        """The words of a question without the terms `left_out`, but for one of nothing else."""
        every = query_terms(question)
        without = frozenset(left_out)
        about = [one for one in every if one not in without] or every
        weights = {one: rarity(one) for one in about}
        return cls(weights, frozenset(every), {one: related_terms(one) for one in about})

    def held(self, *texts: str) -> frozenset[str]:
        """The terms of the question that some texts say themselves."""
        said = {term for text in texts for term in terms(text)}
        return frozenset(said.intersection(self.weights))

    def share(self, *texts: str, related: bool = False) -> float:
        """How much of the question some texts say, 0..1, in its words or also in related ones."""
        said = {term for text in texts for term in terms(text)}
        whole = sum(self.weights.values())
        held = sum(weight for term, weight in self.weights.items() if term in said)
        if related:
            missed = [one for one in self.weights.items() if one[0] not in said]
            held += sum(weight * self._told_instead(term, said) for term, weight in missed)
        return held / whole if whole else 0.0

    def _told_instead(self, term: str, said: set[str]) -> float:
        """How much some terms say of one that is not among them, 0..1."""
        return next((share for other, share in self.instead[term] if other in said), 0.0)

    def name(self, speaker: str) -> bool:
        """Whether the question names who speaks."""
        named = query_terms(speaker)
        return bool(named) and self.every.issuperset(named)
