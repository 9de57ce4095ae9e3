"""The turn book: the catalog and the turn journal together, as the flows ask for turns."""

from __future__ import annotations

from collections.abc import Sequence

from engram.model.change import Range
from engram.model.turn import Entry, Turn, Waiting
from engram.ports import Journal
from engram.store.followers import Followers
from engram.store.shown_turns import add_shown, settled_elsewhere
from engram.store.turn_rows import PENDING, ranges_of


class VaultTurns:
    """The TurnBook port on a vault's followers."""

    def __init__(self, followers: Followers, journal: Journal) -> None:
        self._followers = followers
        self._journal = journal

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before and not taken back."""
        return self._followers.catalog.turns.seen(turns)

    def take_up_shown(self, turns: Sequence[Turn]) -> None:
        """Know what transcripts of these turns show that came from another machine."""
        catalog, transcripts = self._followers.catalog, self._followers.transcripts
        news = transcripts.news_of(list(dict.fromkeys(turn.transcript for turn in turns)))
        if news:
            with catalog.transaction():
                add_shown(catalog.turns, transcripts, news)

    def settled_elsewhere(self, transcript: str) -> list[Range]:
        """The pending ranges of a transcript that another machine has settled."""
        turns = self._followers.catalog.turns
        return settled_elsewhere(turns, self._followers.transcripts, transcript)

    def add(self, entries: list[Entry]) -> None:
        """Freshly journalled turns: now pending, and readable in their transcripts."""
        self._followers.add_turns(entries)

    def waiting(self) -> list[Waiting]:
        """What is pending, by transcript, oldest first."""
        return [Waiting(*row) for row in self._followers.catalog.turns.pending()]

    def pending(self, transcript: str) -> tuple[list[Range], list[Turn], str]:
        """A transcript's pending ranges, their turns in order, and their import; one at a time.

        A turn whose line is damaged is not among them: it stays pending, and doctor tells of it.
        """
        rows = self._followers.catalog.turns.pending_of(transcript)
        batches = {row[1]: row[0] for row in rows}
        readable = list(self._journal.read(row[2:] for row in rows))
        batch = batches[readable[0].seq] if readable else ""
        turns = [turn for turn in readable if batches[turn.seq] == batch]
        return ranges_of(turn.seq for turn in turns), turns, batch

    def still_pending(self, ranges: Sequence[Range]) -> bool:
        """Whether nothing of these ranges was settled meanwhile."""
        return self._followers.catalog.turns.states(ranges) <= {PENDING}
