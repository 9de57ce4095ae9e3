"""Turns of the journal -> the same turns with the role of their speakers and their local time.

    user "Caroline", owner Caroline -> user            user "Melanie", owner Caroline -> participant
    user "Melanie" beside user "Tom", no owner named -> participant, both of them

The journal keeps the role that a conversation gives. Who is the owner is asked when a turn is read,
so that a name set later counts for what was captured before. A person without a name on a user line
is the owner; so is the only name on the user lines of a conversation, where no owner is named. An
agent stays one, whatever its name. The time is told in the vault's time zone as well, for what
was said "yesterday" was so there. Guarantees: what a turn says counts for nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.ids import speaker_number

if TYPE_CHECKING:
    from engram.model.ports import TurnLog
    from engram.model.turn import Role, Turn
    from engram.store.catalog.turn_rows import TurnRow
    from engram.store.commits.projections import Projections


class AttributedTurns:
    """Of one vault; `owner` are the names of the person whose vault it is.

    `timezone` is the vault's, a name that is known.
    """

    def __init__(
        self, projections: Projections, turn_log: TurnLog, owner: Sequence[str],
        timezone: str = "UTC",
    ) -> None:  # fmt: skip
        self._projections = projections
        self._turn_log = turn_log
        self._owner = frozenset(map(speaker_number, owner))
        self._timezone = timezone

    def read(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Turn]:
        """The turns at `(segment, offset, length)`, in the order asked for, without purged ones."""
        several: dict[str, bool] = {}
        for turn in self._turn_log.read(places):
            number = speaker_number(turn.speaker)
            role = self._role(turn.role, number, turn.transcript, several)
            yield self.here(turn if role == turn.role else replace(turn, role=role))

    def here(self, turn: Turn) -> Turn:
        """A turn with its time in the vault's time zone."""
        return turn.in_zone(self._timezone)

    def roles(self, rows: Iterable[TurnRow]) -> dict[int, Role]:
        """Who said each of these turns, by its number in the catalog."""
        several: dict[str, bool] = {}
        return {row.seq: self._role(row.role, row.speaker, row.transcript, several) for row in rows}

    def _role(self, given: Role, speaker: int, transcript: str, several: dict[str, bool]) -> Role:
        """`several` remembers which transcripts name several people on their user lines."""
        if given == "assistant" or not speaker:
            return given
        if self._owner:
            return "user" if speaker in self._owner else "participant"
        if given == "user" and transcript not in several:
            several[transcript] = self._projections.catalog.turns.names_several(transcript)
        return "participant" if given == "participant" or several[transcript] else "user"
