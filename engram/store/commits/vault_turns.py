"""Turn store: the catalog and the turn journal together (the TurnStore port)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engram.model.change import Range
from engram.model.turn import NextTurn, Turn, TurnEntry, Waiting
from engram.store.catalog.turn_rows import PENDING, ranges_of
from engram.store.commits.attributed_turns import AttributedTurns
from engram.store.commits.projections import Projections
from engram.store.commits.shown_turns import add_shown, settled_elsewhere


class VaultTurns:
    """The TurnStore port on a vault's projections."""

    def __init__(self, projections: Projections, attributed: AttributedTurns) -> None:
        self._projections = projections
        self._attributed = attributed

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before, those that were taken back too."""
        return self._projections.catalog.turns.seen(turns)

    def hidden(self) -> set[str]:
        """The links of the turns that are forgotten, with a memory or without."""
        return self._projections.catalog.hidden()

    def pending_among(self, links: Sequence[str]) -> list[Range]:
        """The ranges of those of the turns behind links that are pending."""
        rows = self._projections.catalog.turns.behind_links(links).values()
        return ranges_of(sorted(row.seq for row in rows if row.state == PENDING and row.seq > 0))

    def untitled(self, turns: Sequence[Turn]) -> set[str]:
        """Transcripts of these turns whose title was purged: none is stored for them any more."""
        names = {turn.transcript for turn in turns}
        return self._projections.catalog.turns.untitled(names)

    def taken_back(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that an undo took back, and that were not captured again."""
        return self._projections.catalog.turns.taken_back(turns)

    def count_taken_back(self, source: str) -> int:
        """How many turns of a source an undo took back, without those captured again."""
        return self._projections.catalog.turns.count_taken_back(source)

    def batches(self, kind: str) -> set[str]:
        """The names of all batches that begin like this, those that were taken back too."""
        return self._projections.catalog.turns.batches(kind)

    def titles_taken_back(self, transcript: str) -> set[str]:
        """The titles that a conversation had when turns of it were taken back."""
        return self._projections.catalog.turns.titles_taken_back(transcript)

    def knows_project(self, name: str) -> bool:
        """Whether anything was said in a project, or is remembered of it."""
        return self._projections.catalog.knows_project(name)

    def record_shown(self, turns: Sequence[Turn]) -> None:
        """Record turns that the transcripts of these turns show and another machine captured."""
        names = dict.fromkeys(turn.transcript for turn in turns)
        self._add_shown(self._projections.transcripts.news_of(list(names)))

    def record_transcripts(self, also: Iterable[str] = ()) -> list[str]:
        """Record transcripts that came from another machine as a whole, and some other paths.

        Returns the links of the turns that are new.
        """
        catalog = self._projections.catalog
        known = catalog.turns.transcript_names()
        transcripts = self._projections.transcripts
        strange = [path for path in transcripts.paths() if transcripts.name_of(path) not in known]
        return self._add_shown(list(dict.fromkeys((*strange, *also))))

    def _add_shown(self, paths: Sequence[str]) -> list[str]:
        if not paths:
            return []
        catalog = self._projections.catalog
        with catalog.transaction():
            return add_shown(catalog.turns, self._projections.transcripts, paths)

    def settled_elsewhere(self, transcript: str) -> list[Range]:
        """The pending ranges of a transcript that another machine has settled."""
        turns = self._projections.catalog.turns
        return settled_elsewhere(turns, self._projections.transcripts, transcript)

    def add(self, entries: list[TurnEntry]) -> None:
        """Freshly journalled turns: now pending, and readable in their transcripts."""
        self._projections.add_turns(entries)

    def waiting(self) -> list[Waiting]:
        """The pending turns by transcript, oldest first."""
        return [Waiting(*row) for row in self._projections.catalog.turns.pending()]

    def pending(self, transcript: str, most: int = 0) -> tuple[list[Range], list[Turn], str]:
        """A transcript's pending ranges, their turns in order, and their import; one at a time.

        A turn whose line is damaged is left out: it stays pending, and doctor reports it. With
        `most` the first so many rows are read, and as many again while all of them are damaged.
        """
        stored, limit = self._projections.catalog.turns, most or -1
        rows = stored.pending_of(transcript, limit)
        readable = list(self._attributed.read(row[2:] for row in rows))
        while rows and not readable and len(rows) == most:
            rows = stored.pending_of(transcript, limit, after=rows[-1][1])
            readable = list(self._attributed.read(row[2:] for row in rows))
        batches = {row[1]: row[0] for row in rows}
        batch = batches[readable[0].seq] if readable else ""
        turns = [turn for turn in readable if batches[turn.seq] == batch]
        return ranges_of(turn.seq for turn in turns), turns, batch

    def next_pending(self, transcript: str, beside: Sequence[Range] = ()) -> NextTurn | None:
        """The first pending turn of a transcript, or the first outside some pending ranges."""
        return self._projections.catalog.turns.next_pending(transcript, beside)

    def attempts(self, transcript: str) -> int:
        """How often what is pending in a transcript has failed."""
        return self._projections.catalog.turns.attempts(transcript)

    def for_model(self, batch: str) -> bool:
        """Whether a person chose that a model is to read what an import brought."""
        return self._projections.catalog.turns.for_model(batch)

    def unchosen(self, transcripts: Sequence[str]) -> list[str]:
        """The pending imports of transcripts that the rules are to read."""
        return self._projections.catalog.turns.unchosen(transcripts)

    def still_pending(self, ranges: Sequence[Range]) -> bool:
        """Whether no turn of these ranges was settled meanwhile."""
        return self._projections.catalog.turns.states(ranges) <= {PENDING}
