"""Answering: a question -> evidence from turns and memories -> a reasoned answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.recall.asked import what_is_asked
from engram.recall.reasoned import reasoned

if TYPE_CHECKING:
    from engram.model.answer import ReasonedAnswer
    from engram.queries.lookup import Lookup
    from engram.queries.search import SearchQueries
    from engram.recall.evidence import Evidence
    from engram.recall.injection import Recipient
    from engram.recall.rank import Setting


class Answering:
    """Of one vault."""

    def __init__(self, search: SearchQueries, lookup: Lookup) -> None:
        self._search = search
        self._lookup = lookup

    def evidence(
        self, question: str, *, setting: Setting, recipient: Recipient | None = None,
        as_of: str = "",
    ) -> list[Evidence]:  # fmt: skip
        """The turns and memories that may answer, best first; only what `recipient` may be given.

        With `as_of`, an Instant or a Day, what was true and said by then.
        """
        return []

    def answer(
        self, question: str, *, setting: Setting, recipient: Recipient | None = None,
        as_of: str = "",
    ) -> ReasonedAnswer:  # fmt: skip
        """The answer by rules alone."""
        found = self.evidence(question, setting=setting, recipient=recipient, as_of=as_of)
        asked = what_is_asked(question, setting.today)
        return reasoned(question, asked, found, lambda term: 1.0)
