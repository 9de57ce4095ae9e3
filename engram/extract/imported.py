"""Extraction from other memory stores: each turn that is a stored memory -> one candidate.

mem0, the MCP memory server and the "saved memories" of ChatGPT and Claude hold statements, one a
turn. Nothing is searched for in them: each whole statement is proposed, quoted by itself. A model
wrote most of them, so they are ai_inferred and implied, never more. The category is that of a rule
that matches the sentence, else what its words show, else fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.extract.classify import memory_kind, score_importance
from engram.extract.receipt import receipt_of
from engram.language.keywords import entities_of, tags_of
from engram.model.candidate import Candidate
from engram.model.entity_ids import entity_id
from engram.model.ports import Extractor
from engram.model.record_note import STORE
from engram.model.turn import Turn

#: sources whose every turn is a statement
STORES = frozenset({"mem0", "mcp-memory"})
#: the session of an agent's own saved memories, whatever the source
SAVED = "memories"
_CONFIDENCE = 0.7
#: `Ada (person): works at Acme`, as the source mcp-memory writes an observation
_OBSERVED = re.compile(
    r"(?P<name>[^\n(]{1,80}) \((?P<kind>[^\n()]{1,40})\): (?P<said>\S.*)", re.DOTALL
)
_KINDS = {
    "person": "person", "people": "person", "user": "person", "company": "company",
    "organization": "company", "organisation": "company", "team": "company",
    "project": "project", "tool": "tool", "technology": "tool", "library": "tool",
    "place": "place", "location": "place", "city": "place",
}  # fmt: skip
_WORDS = (
    ("preference", r"prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite|avoids?"),
    ("decision", r"decided|chose|chosen|switched|migrated|moved to|settled on"),
    ("commitment", r"plans? to|promised|committed to|deadline|due (?:on|by)|has to|needs to"),
    ("principle", r"always|never|must|believes?|values?"),
    ("relationship", r"works? (?:with|for|at)|reports to|married|manages|colleague|friend of"),
    ("skill", r"knows how|is able to|experienced|skilled|fluent|expert"),
)
_SHOWN = tuple((name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in _WORDS)


def is_stated(turn: Turn) -> bool:
    """Whether a turn is a memory of another store."""
    return turn.role == "user" and (turn.source in STORES or turn.session == SAVED)


class ImportedTier:
    """An Extractor that takes such turns whole and passes all others to the wrapped extractor."""

    costly = False

    def __init__(self, rules: Extractor) -> None:
        self._rules = rules

    def portion(self, turns: Sequence[Turn], attempts: int) -> int:
        """As the wrapped extractor has it."""
        return self._rules.portion(turns, attempts)

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        """The candidates of all turns, in their order."""
        # a record is no conversation: `pipeline/record_import` reads it
        turns = [turn for turn in turns if turn.source != STORE]
        if not any(map(is_stated, turns)):
            return self._rules.extract(turns)
        found: list[Candidate] = []
        for turn in turns:
            known = self._rules.extract([turn])
            found += [self._stated(turn, known)] if is_stated(turn) else known
        return found

    def _stated(self, turn: Turn, known: Sequence[Candidate]) -> Candidate:
        text = " ".join(turn.text.split())
        observed = _OBSERVED.fullmatch(text) if turn.source == "mcp-memory" else None
        category = _category(text, turn, known, observed is not None)
        tags = tags_of(observed["said"] if observed else text)
        entities = entities_of(text)
        if observed:
            kind = _KINDS.get(observed["kind"].strip().casefold(), "other")
            entities = tuple(dict.fromkeys((entity_id(observed["name"], kind), *entities)))
        return Candidate(
            category=category,
            text=text,
            receipt=receipt_of(turn, turn.text),
            confidence=_CONFIDENCE,
            importance=max(score_importance(text, category, tags), 0.4),
            kind=memory_kind(category, text, tags),
            tags=tags,
            entities=entities,
            project=turn.project,
            space="project" if turn.project else "user",
            valid_from=turn.day,
            rule="stated",
            voice="stored",
        )


def _category(text: str, turn: Turn, known: Sequence[Candidate], observed: bool) -> str:
    if known and known[0].category != "fact":
        return known[0].category
    if turn.source == "mcp-memory":
        return "entity" if observed else "relationship"
    return next((name for name, words in _SHOWN if words.search(text)), "fact")
