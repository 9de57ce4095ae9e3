"""'When did ...?' over whole conversations: `factory` answers as `engram recall` does.

    python .../locomo/when.py tests.benchmarks.locomo_when:factory

The conversations are not part of this project (they may only be used to measure). They are fed
through the product's own capture, and each question is put to the public recall with its default
settings: no model is asked, and nothing is set here that a user does not get.
"""

from __future__ import annotations

from typing import Any

from tests.benchmarks.locomo import Retriever


class Answerer(Retriever):
    """One vault for one conversation."""

    def recall(self, question: str) -> dict[str, Any]:
        """Answer, first and last day (None where it was not found), ids of turns, confidence."""
        self.vault.ready_to_read()
        found = self.vault.parts.answering.answer(question, setting=self.vault._setting(""))
        links = [source.id for source in found.source_memories]
        return {
            "answer": found.answer,
            "start": found.start or None,
            "end": found.end or None,
            "sources": [self._ids[link] for link in links if link in self._ids],
            "confidence": found.confidence,
        }


factory = Answerer
