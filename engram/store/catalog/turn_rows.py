"""Turns in the catalog: which were captured, where their text lies, and their state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.model.ids import message_digest, speaker_number
from engram.model.turn import MODEL_CHOSEN, NextTurn
from engram.store.catalog.ticks import note_tick

if TYPE_CHECKING:
    from engram.model.change import Range, Transaction
    from engram.model.turn import Role, Turn, TurnEntry
    from engram.store.catalog.database import CacheDatabase

PENDING, DONE, DEAD, WITHDRAWN, PURGED = range(5)
#: whether a model is to read the import that brought the turn `t`
_CHOSEN = (
    "exists(select 1 from events e where e.subject = t.batch and t.batch != ''"
    f" and e.name = '{MODEL_CHOSEN}')"
)
#: a row `gone` was taken back, and its turn is nowhere else
_TAKEN_BACK = (
    f"gone.state = {WITHDRAWN} and not exists (select 1 from turns here"
    f" where here.message = gone.message and here.state != {WITHDRAWN})"
)

#: so many characters that two turns begin with nobody types twice
_OPENING = 200
#: turns that a conversation begins with: later ones tell how it went on
_FIRST_TURNS = 12
_DIGITS = re.compile(r"\d+")


class TurnRow(NamedTuple):
    """A turn without its text; `seq` < 0: only a transcript has it.

    `speaker` is the number of a name (`model.ids`), 0 for none.
    """

    seq: int
    message: str
    transcript: str
    source: str
    role: Role
    time: str
    project: str
    state: int
    speaker: int


class TurnRows:
    """Rows of turns. Called inside the catalog's transaction to write."""

    def __init__(self, database: CacheDatabase) -> None:
        self._db = database

    @property
    def last(self) -> int:
        """The number of the last turn in the catalog."""
        return int(self._db.number("select coalesce(max(seq), 0) from turns"))

    def seen(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that were captured before, those that were taken back too."""
        known: set[str] = set()
        for some, marks in _portions(turns):
            rows = self._db.rows(
                f"select message from turns where message in ({marks})",
                *(turn.message for turn in some),
            )
            known.update(row[0] for row in rows)
            rows = self._db.rows(
                f"select link from turns where seq < 0 and link in ({marks})",
                *(link_of(turn) for turn in some),
            )
            foreign = {row[0] for row in rows}
            known.update(turn.message for turn in some if link_of(turn) in foreign)
        return known

    def taken_back(self, turns: Sequence[Turn]) -> set[str]:
        """Digests of those turns that an undo took back, and that were not captured again."""
        found: set[str] = set()
        for some, marks in _portions(turns):
            rows = self._db.rows(
                f"select distinct message from turns gone where {_TAKEN_BACK}"
                f" and message in ({marks})",
                *(turn.message for turn in some),
            )
            found.update(row[0] for row in rows)
        return found

    def count_taken_back(self, source: str) -> int:
        """How many turns of a source an undo took back, without those captured again."""
        return self._db.number(
            f"select count(distinct message) from turns gone where {_TAKEN_BACK} and source = ?",
            source,
        )

    def batches(self, kind: str) -> set[str]:
        """The names of all batches that begin like this: of turns, and of what the log tells."""
        rows = self._db.rows(
            "select batch from turns where batch glob ?1 || '*'"
            " union select batch from transactions where batch glob ?1 || '*'",
            kind,
        )
        return {row[0] for row in rows}

    def titles_taken_back(self, transcript: str) -> set[str]:
        """The titles that a conversation had when turns of it were taken back."""
        rows = self._db.rows(
            f"select distinct title from turns gone where {_TAKEN_BACK}"
            " and transcript = ? and title != ''",
            transcript,
        )
        return {row[0] for row in rows}

    def add(self, entries: Iterable[TurnEntry]) -> None:
        """Add journalled turns as pending."""
        last = 0

        def in_order() -> Iterator[TurnEntry]:
            nonlocal last
            for entry in entries:  # a whole journal: one at a time
                last = max(last, entry.tick)
                yield entry

        self._db.many(
            "insert or ignore into turns values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,0,0,?,?,?)",
            (
                (
                    turn.seq, turn.message, link_of(turn), turn.transcript, turn.source, turn.role,
                    turn.time, turn.project, turn.title, entry.signal, entry.batch,
                    entry.segment, entry.offset, entry.length, shared_opening(turn),
                    speaker_number(turn.speaker), entry.tick,
                )
                for entry in in_order()
                for turn in (entry.turn,)
            ),
        )  # fmt: skip
        note_tick(self._db, last)

    def add_purged(self, rows: Iterable[tuple[int, str, str, int, int, int]]) -> None:
        """Add purged turns, which count as captured.

        Their rows are `(seq, message, segment, offset, length, tick)`. Which conversation they
        belong to is told by the transaction that purged them.
        """
        purged = list(rows)
        self._db.many(
            "insert or ignore into turns"
            f" values(?,?,'','','','','','','','none','',?,?,?,{PURGED},{PURGED},0,0,?)",
            purged,
        )
        note_tick(self._db, max((row[-1] for row in purged), default=0))

    def add_foreign(self, rows: Iterable[tuple[str, str, str, str, str, int, str]]) -> None:
        """Add turns that only a transcript has, as `(link, transcript, role, time, project, state,
        speaker)`.

        They count as unsettled elsewhere until noted otherwise: `prior` is 0.
        """
        first = int(self._db.number("select coalesce(min(seq), 0) from turns where seq < 0"))
        self._db.many(
            "insert into turns values(?,'',?,?,'',?,?,?,'','none','','',0,0,?,0,0,?,0)",
            (
                (first - number, *row[:-1], speaker_number(row[-1]))
                for number, row in enumerate(rows, 1)
            ),
        )  # fmt: skip

    def settle_foreign(self, transcript: str, links: Iterable[str]) -> None:
        """Note which of the turns that only a transcript has were settled on another machine."""
        open_ones = self._foreign_unsettled(transcript)
        done = [(link,) for link in links if link in open_ones]
        self._db.many(f"update turns set prior = {DONE} where link = ? and seq < 0", done)

    def _foreign_unsettled(self, transcript: str) -> set[str]:
        """The links of a transcript's turns that another machine has and has not settled."""
        rows = self._db.rows(
            "select link from turns where transcript = ? and seq < 0"
            f" and prior = 0 and state = {DONE}", transcript,
        )  # fmt: skip
        return {row[0] for row in rows}

    def known_links(self, transcript: str) -> set[str]:
        """The links of a transcript's turns that were not taken back."""
        rows = self._db.rows(
            f"select link from turns where transcript = ? and state != {WITHDRAWN}", transcript
        )
        return {row[0] for row in rows}

    def last_settled(self, transcript: str) -> str:
        """The block of the last turn of a transcript that was settled here; '' for none."""
        row = self._db.row(
            "select link from turns where transcript = ? and seq > 0"
            f" and state in ({DONE}, {DEAD}, {PURGED}) order by seq desc limit 1",
            transcript,
        )
        return str(row[0]).partition("^")[2] if row else ""

    def pending_links(self, transcript: str) -> list[tuple[str, int]]:
        """`(link, seq)` of a transcript's pending turns."""
        return self._db.rows(
            "select link, seq from turns where state = 0 and transcript = ?", transcript
        )

    def end_of(self, segment: str) -> int:
        """How many bytes of a journal segment are in the catalog."""
        return self._db.number(
            "select offset + length from turns where segment = ? order by offset desc limit 1",
            segment,
        )

    def pending(self) -> list[tuple[str, int, str, bool, int, str, str, bool]]:
        """The fields of Waiting for every transcript that has something pending, in order."""
        rows = self._db.rows(
            "select t.transcript, count(*), min(t.time), max(t.signal = 'high'),"
            " coalesce(a.attempts, 0), coalesce(a.retry_at, ''), coalesce(a.reason, ''),"
            f" max({_CHOSEN}) from turns t"
            " left join attempts a using (transcript) where t.state = 0 group by t.transcript"
            " order by min(t.seq)"
        )
        return [(*row[:3], bool(row[3]), *row[4:7], bool(row[7])) for row in rows]

    def for_model(self, batch: str) -> bool:
        """Whether a person chose that a model is to read what an import brought."""
        return bool(self._db.number(f"select {_CHOSEN} from (select ? as batch) t", batch))

    def unchosen(self, transcripts: Sequence[str]) -> list[str]:
        """The imports behind what is pending in transcripts that the rules are to read."""
        found: dict[str, None] = {}
        for name in transcripts:
            rows = self._db.rows(
                "select distinct t.batch from turns t where t.state = 0 and t.transcript = ?"
                f" and t.batch != '' and not {_CHOSEN} order by t.batch",
                name,
            )
            found.update((row[0], None) for row in rows)
        return list(found)

    def pending_of(
        self, transcript: str, most: int = -1, after: int = 0
    ) -> list[tuple[str, int, str, int, int]]:
        """`(batch, seq, segment, offset, length)` of a transcript's pending turns, in order."""
        return self._db.rows(
            "select batch, seq, segment, offset, length from turns"
            " where state = 0 and transcript = ? and seq > ? order by seq limit ?",
            transcript, after, most,
        )  # fmt: skip

    def next_pending(self, transcript: str, beside: Sequence[Range] = ()) -> NextTurn | None:
        """The first pending turn of a transcript that lies in none of some pending ranges."""
        inside = {seq for first, last in beside for seq in range(first, last + 1)}
        rows = self._db.rows(
            "select seq, time from turns where state = 0 and transcript = ? order by seq limit ?",
            transcript, len(inside) + 1,
        )  # fmt: skip
        return next((NextTurn(*row) for row in rows if row[0] not in inside), None)

    def attempts(self, transcript: str) -> int:
        """How often what is pending in a transcript has failed."""
        return self._db.number("select attempts from attempts where transcript = ?", transcript)

    def ordinals(self, transcript: str) -> dict[str, int]:
        """Link -> position of a turn among all ever captured of its transcript, from 1.

        A withdrawn turn keeps its number, so that the later ones keep theirs.
        """
        rows = self._db.rows(
            "select link from turns where transcript = ? order by seq >= 0, abs(seq)", transcript
        )
        return {row[0]: ordinal for ordinal, row in enumerate(rows, 1)}

    def ticks(self, transcript: str) -> dict[int, int]:
        """Number -> tick of the turns of a transcript; 0 for one that an older version took in."""
        rows = self._db.rows(
            "select seq, tick from turns where transcript = ? and seq > 0", transcript
        )
        return {seq: tick or 0 for seq, tick in rows}

    def before(self, transcript: str, seq: int, most: int) -> list[tuple[str, int, int]]:
        """`(segment, offset, length)` of the last turns of a transcript before one, in order."""
        rows = self._db.rows(
            "select segment, offset, length from turns where transcript = ? and seq < ?"
            f" and seq > 0 and state < {WITHDRAWN} order by seq desc limit ?",
            transcript, seq, most,
        )  # fmt: skip
        return rows[::-1]

    def links_beside(self, transcript: str, seq: int, most: int) -> tuple[list[str], list[str]]:
        """The links of at most so many turns of a transcript before one and after it, in order.

        One that was captured on this machine stands beside such only, and one that was not too.
        """
        past, coming = ("<", ">") if seq > 0 else (">", "<")
        found: list[list[str]] = []
        for beyond in (past, coming):
            rows = self._db.rows(
                "select link from turns where transcript = ?"
                f" and seq {beyond} ? and (seq > 0) = ? and state < {WITHDRAWN}"
                f" order by seq {'desc' if beyond == '<' else 'asc'} limit ?",
                transcript, seq, seq > 0, most,
            )  # fmt: skip
            found.append([row[0] for row in rows])
        return found[0][::-1], found[1]

    def spoken(self, links: Iterable[str]) -> dict[str, int]:
        """The journal number of each of these links that has one."""
        wanted = list(dict.fromkeys(links))
        found: dict[str, int] = {}
        for start in range(0, len(wanted), 400):
            some = wanted[start : start + 400]
            marks = ",".join("?" * len(some))
            rows = self._db.rows(
                f"select link, min(seq) from turns where seq > 0 and link in ({marks})"
                " group by link",
                *some,
            )
            found.update(rows)
        return found

    def beginning(self, transcript: str) -> list[tuple[str, str, int, int]]:
        """`(link, segment, offset, length)` of the first user turns of a transcript, in order."""
        return self._db.rows(
            "select link, segment, offset, length from turns where transcript = ? and role = 'user'"
            f" and seq > 0 and state < {WITHDRAWN} order by seq limit ?",
            transcript,
            _FIRST_TURNS,
        )

    def said_between(self, transcript: str, first: str, last: str, most: int) -> list[str]:
        """The links of the first user turns of a transcript from one time to another, in order."""
        rows = self._db.rows(
            "select link from turns where transcript = ? and role = 'user' and seq > 0"
            f" and state < {WITHDRAWN} and time between ? and ? order by seq limit ?",
            transcript, first, last, most,
        )  # fmt: skip
        return [row[0] for row in rows]

    def opened(self, opening: int) -> int:
        """How many conversations hold a turn with this `shared_opening`."""
        return self._db.number(
            "select count(distinct transcript) from turns"
            f" where opening = ? and state < {WITHDRAWN}",
            opening,
        )

    def places_of(
        self, ranges: Iterable[Range], without: int = -1
    ) -> list[tuple[int, str, int, int]]:
        """`(seq, segment, offset, length)` of the turns in these ranges, but those in one state."""
        return [
            row
            for first, last in ranges
            for row in self._db.rows(
                "select seq, segment, offset, length from turns"
                " where seq between ? and ? and state != ? order by seq",
                first, last, without,
            )
        ]  # fmt: skip

    def extracted(self, ranges: Iterable[Range]) -> list[tuple[str, str]]:
        """`(transcript, last settled block)` of the transcripts that have turns in these ranges.

        Without those where another machine has turns that it has not settled.
        """
        found = []
        for name in self.transcripts_in(ranges):
            if self._foreign_unsettled(name):
                continue
            row = self._db.row(
                f"select link from turns where transcript = ? and state in ({DONE}, {DEAD})"
                " order by seq desc limit 1",
                name,
            )
            found.append((name, str(row[0]).partition("^")[2] if row else ""))
        return found

    def in_state(self, state: int) -> list[int]:
        """The numbers of the turns in a state, in order."""
        return [
            row[0]
            for row in self._db.rows("select seq from turns where state = ? order by seq", state)
        ]

    def transcripts_in(self, ranges: Iterable[Range]) -> list[str]:
        """The transcripts that have turns in these ranges, sorted."""
        return sorted(
            {
                row[0]
                for first, last in ranges
                for row in self._db.rows(
                    "select distinct transcript from turns where seq between ? and ?", first, last
                )
            }
        )

    def links(self, numbers: Iterable[int]) -> list[str]:
        """The `transcript#^block` links of these numbers, in their order."""
        found = (
            self._db.row("select link from turns where seq = ?", seq) for seq in sorted(numbers)
        )
        return [row[0] for row in found if row is not None]

    def in_force(self, ranges: Iterable[Range]) -> list[Range]:
        """Those of the turns in these ranges that were neither taken back nor purged."""
        rows = self.places_of(ranges)
        gone = {*self.in_state(WITHDRAWN), *self.in_state(PURGED)} if rows else set()
        return ranges_of(sorted({row[0] for row in rows} - gone))

    def links_in(self, ranges: Iterable[Range]) -> set[str]:
        """The links of the turns in these ranges."""
        return {
            row[0]
            for first, last in ranges
            for row in self._db.rows(
                "select link from turns where seq between ? and ?", first, last
            )
        }

    def every_link(self) -> set[str]:
        """The links of all turns ever captured, those that were taken back too."""
        return {row[0] for row in self._db.rows("select link from turns where link != ''")}

    def all_links(self) -> set[str]:
        """The links of every turn that was not taken back."""
        return {
            row[0] for row in self._db.rows(f"select link from turns where state != {WITHDRAWN}")
        }

    def captured_again(self, ranges: Iterable[Range]) -> bool:
        """Whether a turn of these ranges, withdrawn before, was captured again since."""
        return any(
            self._db.number(
                "select count(*) from turns gone join turns here using (message)"
                f" where gone.seq between ? and ? and gone.state = {WITHDRAWN}"
                f" and here.state != {WITHDRAWN}",
                first, last,
            )
            for first, last in ranges
        )  # fmt: skip

    def messages_behind(self, links: Iterable[str]) -> list[str]:
        """Digests of the turns behind links, also of those that were withdrawn."""
        found: dict[str, None] = {}
        for link in links:
            rows = self._db.rows("select message from turns where link = ?", link)
            found.update((row[0], None) for row in rows if row[0])
        return list(found)

    def links_of(self, transcript: str) -> list[str]:
        """The links of all turns ever captured of a transcript, in order, but of purged ones."""
        rows = self._db.rows(
            f"select distinct link from turns where transcript = ? and state != {PURGED}"
            " order by seq", transcript,
        )  # fmt: skip
        return [row[0] for row in rows]

    def foreign_links(self) -> set[str]:
        """The links of the turns that only transcripts have."""
        return {row[0] for row in self._db.rows("select link from turns where seq < 0")}

    def titles(self) -> list[tuple[str, str]]:
        """`(transcript, title)` of every title that a conversation ever had."""
        return self._db.rows("select distinct transcript, title from turns where title != ''")

    def untitled(self, transcripts: Iterable[str]) -> set[str]:
        """Those of the transcripts for which no title is to be stored any more."""
        rows = self._db.rows("select transcript from untitled")
        return {row[0] for row in rows}.intersection(transcripts) if rows else set()

    def withdrawn_of(self, transcript: str) -> list[tuple[int, str, int, int]]:
        """`(seq, segment, offset, length)` of the user turns taken back from a transcript.

        Not of those that were captured again since.
        """
        return self._db.rows(
            "select seq, segment, offset, length from turns gone where transcript = ?"
            f" and role = 'user' and state = {WITHDRAWN} and seq > 0 and not exists (select 1"
            f" from turns here where here.message = gone.message and here.state != {WITHDRAWN})"
            " order by seq",
            transcript,
        )

    def states(self, ranges: Iterable[Range]) -> set[int]:
        """The states that occur in these ranges."""
        return {
            row[0]
            for first, last in ranges
            for row in self._db.rows(
                "select distinct state from turns where seq between ? and ?", first, last
            )
        }

    def batch_range(self, batch: str) -> list[Range]:
        """The ranges of an import's turns that were not withdrawn."""
        rows = self._db.rows(
            f"select seq from turns where batch = ? and state < {WITHDRAWN} order by seq", batch
        )
        return ranges_of(row[0] for row in rows)

    def transcript_of(self, block: str) -> str:
        """The transcript with a block, where one alone has it; else ''. Reads every link."""
        rows = self._db.rows(
            "select transcript from turns where link glob ? limit 2", f"*#^{block}"
        )
        found = {row[0] for row in rows}
        return str(found.pop()) if len(found) == 1 else ""

    def behind_links(self, links: Sequence[str]) -> dict[str, TurnRow]:
        """The readable turns behind links, by link: not withdrawn, not purged."""
        found: dict[str, TurnRow] = {}
        for start in range(0, len(links), 400):
            some = links[start : start + 400]
            marks = ",".join("?" * len(some))
            rows = self._db.rows(
                "select link, seq, message, transcript, source, role, time, project, state, speaker"
                f" from turns where state < {WITHDRAWN} and link in ({marks}) order by seq",
                *some,
            )
            found.update((row[0], TurnRow(*row[1:])) for row in rows)
        return found

    def names_several(self, transcript: str) -> bool:
        """Whether several people are named on the user lines of a conversation."""
        rows = self._db.rows(
            "select distinct speaker from turns where transcript = ? and role = 'user'"
            f" and speaker != 0 and state < {WITHDRAWN} limit 2",
            transcript,
        )
        return len(rows) > 1

    def places(self, numbers: Iterable[int]) -> list[tuple[str, int, int]]:
        """`(segment, offset, length)` of turns by their numbers, in the order of the numbers."""
        found: list[tuple[str, int, int]] = []
        wanted = list(numbers)
        for start in range(0, len(wanted), 400):
            some = wanted[start : start + 400]
            marks = ",".join("?" * len(some))
            found += self._db.rows(
                f"select segment, offset, length from turns where seq in ({marks}) order by seq",
                *some,
            )
        return found

    def counts(self) -> dict[int, int]:
        """How many turns are in each state, those that only transcripts have among them."""
        return dict(self._db.rows("select state, count(*) from turns group by state"))

    def transcript_names(self) -> set[str]:
        """All transcripts with at least one turn."""
        return {row[0] for row in self._db.rows("select distinct transcript from turns")}

    def transcripts(self) -> int:
        """How many conversations were captured."""
        return self._db.number(
            f"select count(distinct transcript) from turns where state != {WITHDRAWN}"
        )

    def follow(self, transaction: Transaction) -> None:
        """Apply a transaction's effect on turns: settled, failed, withdrawn, purged."""
        plan = transaction.plan
        within = "where seq between ? and ?"
        for state, ranges in ((DONE, plan.ack), (DEAD, plan.dead), (PENDING, plan.requeue)):
            for first, last in ranges:
                self._db.do(
                    f"update turns set state = {state} {within} and state < {WITHDRAWN}",
                    first,
                    last,
                )
        for first, last in plan.withdraw:
            self._db.do(
                f"update turns set prior = state, state = {WITHDRAWN} {within}"
                f" and state < {WITHDRAWN}",
                first,
                last,
            )
        for first, last in plan.readmit:
            self._db.do(
                f"update turns set state = prior {within} and state = {WITHDRAWN}", first, last
            )
        for event in plan.events:
            details = dict(event.details)
            if event.name in ("extraction_failed", "extraction_postponed"):
                self._db.do(
                    "insert or replace into attempts values(?,?,?,?)",
                    event.subject, int(details["attempt"]), details["retry_at"],
                    details.get("error", ""),
                )  # fmt: skip
            elif event.name in ("extracted", "dead_letter", "requeued"):
                self._db.do("delete from attempts where transcript = ?", event.subject)
            elif event.name in ("words_purged", "memory_purged"):
                for link in details.get("turns", "").split():
                    self._purge(link)
            elif event.name == "title_purged":
                self._db.do("insert or ignore into untitled values(?)", event.subject)

    def _purge(self, link: str) -> None:
        name, _, block = link.partition("#^")
        self._db.do(f"update turns set state = {PURGED}, title = '' where link = ?", link)
        self._db.do(
            "update turns set link = ?, transcript = ? where link = '' and message >= ?"
            " and message < ?",
            link, name, block[1:], f"{block[1:]}g",
        )  # fmt: skip


def _portions(turns: Sequence[Turn]) -> Iterator[tuple[Sequence[Turn], str]]:
    """Turns in portions that one statement can name, each with its marks."""
    for start in range(0, len(turns), 400):
        some = turns[start : start + 400]
        yield some, ",".join("?" * len(some))


def link_of(turn: Turn) -> str:
    """`transcript#^block`: what a receipt points to."""
    return f"{turn.transcript}#^{turn.block}"


def shared_opening(turn: Turn) -> int:
    """A number for the long opening of a turn on the person's line; 0 for a short turn.

    Turns that open with the same words have the same, whatever numbers stand in them.
    """
    if turn.role != "user" or len(turn.text) < _OPENING:
        return 0
    words = " ".join(turn.text[:_OPENING].casefold().split())
    return int(message_digest("opening", _DIGITS.sub("0", words))[:15], 16)


def ranges_of(numbers: Iterable[int]) -> list[Range]:
    """Ascending numbers -> inclusive ranges without gaps inside."""
    ranges: list[Range] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges
