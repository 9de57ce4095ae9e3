"""'When did ...?' over whole conversations: `factory` answers as `engram recall` does.

    python .../locomo/when.py tests.benchmarks.locomo_when:factory

The conversations are not part of this project (they may only be used to measure). They are fed
through the product's own capture, and each question is put to the public recall with its default
settings: no model is asked, and nothing is set here that a user does not get.
"""

from __future__ import annotations

from typing import Any

from engram.model.answer import ReasonedAnswer
from tests.benchmarks.locomo import Retriever


class Answerer(Retriever):
    """One vault for one conversation."""

    def recall(self, question: str) -> dict[str, Any]:
        """Answer, first and last day (None where it was not found), ids of turns, confidence."""
        found = self.vault.recall(question).answer or ReasonedAnswer("", 0.0)
        links = [source.id for source in found.source_memories]
        return {
            "answer": found.answer,
            "start": found.start or None,
            "end": found.end or None,
            "sources": [self._ids[link] for link in links if link in self._ids],
            "confidence": found.confidence,
        }


factory = Answerer
