"""What was said before, by the person and by agents (the Heard port), from journal and index.

Turns a turn into those before it in its conversation, words into the turns of other conversations
that hold them, a long opening into the number of conversations that begin a turn with it.
Guarantees: bounded work a question, nothing is written, nothing is built. The index is asked as it
is: what it does not hold yet was not heard, and without one only the journal answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from engram.language.near_duplicates import alike
from engram.language.own_ranges import own_ranges
from engram.language.paraphrase.phrasing import phrasing
from engram.model.sentences import sentence_ranges
from engram.model.turn import Turn
from engram.queries.index_sync import IndexSync
from engram.store.catalog.turn_rows import shared_opening
from engram.store.commits.attributed_turns import AttributedTurns
from engram.store.commits.projections import Projections

#: turns of a conversation that are looked back at, and turns of others that are read for a question
_BEFORE, _ELSEWHERE = 60, 8
#: as much of what was said is searched for, characters
_QUERY_CHARACTERS = 400
#: from here on two sentences say the same, percent of their terms
_SAME = 80
#: a template is what so many conversations open with
_TEMPLATE = 3


class VaultHeard:
    """Of one vault."""

    def __init__(
        self, projections: Projections, attributed: AttributedTurns, index_sync: IndexSync
    ) -> None:
        self._projections = projections
        self._attributed = attributed
        self._index_sync = index_sync
        #: the turns before the one that was asked about last, which is of number `_end`
        self._held: deque[Turn] = deque(maxlen=_BEFORE)
        self._transcript, self._end = "", 0

    def before(self, turn: Turn) -> Sequence[Turn]:
        """The last turns of its conversation before a turn, in order."""
        if turn.transcript != self._transcript or turn.seq < self._end:
            self._held.clear()
            self._transcript, self._end = turn.transcript, 0
        missed = min(turn.seq - self._end, _BEFORE)
        if missed > 0:
            turns = self._projections.catalog.turns
            places = turns.before(turn.transcript, turn.seq, missed)
            read = self._attributed.read(places)
            self._held.extend(one for one in read if one.seq >= self._end)
        self._end = turn.seq
        return tuple(self._held)

    def elsewhere(self, words: str, transcript: str) -> Sequence[Turn]:
        """The turns of other conversations that are most like some words."""
        apart = f"{transcript}#"
        found = self._index_sync.find_now(
            words[:_QUERY_CHARACTERS], "turns", _ELSEWHERE,
            lambda keys: [key for key in keys if not key.startswith(apart)],
        )  # fmt: skip
        turns = self._projections.catalog.turns
        rows = turns.behind_links([hit.key for hit in found])
        numbers = [row.seq for row in rows.values() if row.seq > 0]
        return tuple(self._attributed.read(turns.places(numbers)))

    def is_template(self, turn: Turn) -> bool:
        """Whether several conversations hold a turn that opens with the same many words."""
        opening = shared_opening(turn)
        return opening != 0 and self._projections.catalog.turns.opened(opening) >= _TEMPLATE

    def said_again(self, words: str, link: str) -> bool:
        """Whether the person said the same in another conversation than the one behind a link."""
        wanted = phrasing(words)
        return any(
            alike(wanted, phrasing(turn.text[start:end].strip())) >= _SAME
            for turn in self.elsewhere(words, link.partition("#")[0])
            if turn.role == "user" and not turn.program and not self.is_template(turn)
            for paragraph in own_ranges(turn.text)
            for start, end in sentence_ranges(turn.text, *paragraph)
        )
