"""The reading half of a vault: questions answered with the files behind them.

Turns queries and names into hits, memories, lines and context for an agent. Guarantees: nothing is
written; a forgotten memory's source turns stay hidden; equal questions on equal vaults give equal
answers. Raises NotFound for names that there are none of, BadInput for names of several memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engram.language.snippet import excerpt
from engram.language.tokens import query_terms
from engram.model.change import Event
from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.hit import Found, Hit
from engram.model.ids import docid
from engram.model.instant import Instant, local_day, plus_days
from engram.model.memory import LIVE, Memory
from engram.model.ports import TurnLog
from engram.model.text import first_line
from engram.model.turn import Role, Turn
from engram.queries.index_sync import IndexSync
from engram.queries.page_search import PageSearch
from engram.recall.blocks import ContextBlock, context_block
from engram.recall.filter import Filter
from engram.recall.query import Query, parse
from engram.recall.rank import Ranked, Setting, rank_memories, rank_turns
from engram.store.base.disk import VaultDisk
from engram.store.catalog.conditions import where
from engram.store.catalog.turn_rows import TurnRow
from engram.store.commits.projections import Projections

if TYPE_CHECKING:
    from engram.recall.grep import MatchingLine

#: asked of the index for each answer wanted: filters and hidden turns are taken out afterwards
_HEADROOM, _LEAST = 5, 50
#: words of a query for which others are looked for, how many there may be, and how many are told
_MOST_MISSPELT, _TERMS_LIKE, _MOST_MEANT = 5, 5_000, 3
_DOCID = re.compile(r"#?[0-9a-fA-F]{6}")
_NUMBER = re.compile(r"-[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class MemoryOrigin:
    """Where a memory came from: its receipts as the transcripts show them, and all its events."""

    memory: Memory
    receipts: tuple[tuple[str, str, str, str], ...]
    events: tuple[tuple[int, Instant, Event], ...]


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn by name: its link, the transcript that shows it (relative), and from which line."""

    link: str
    file: str
    line: int
    turn: Turn


@dataclass(frozen=True, slots=True)
class Answers:
    """What a search found, by group; `behind` says that hand edits were not all taken up.

    `meant` are words to try instead when nothing was found; `inexact`: no phrase was found as such.
    """

    memories: list[Hit] = field(default_factory=list)
    turns: list[Hit] = field(default_factory=list)
    pages: list[Hit] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)
    behind: bool = False
    inexact: bool = False

    @property
    def hits(self) -> list[Hit]:
        """All of them: memories first, then turns, then boxes and entities (design 6)."""
        return [*self.memories, *self.turns, *self.pages]


class SearchQueries:
    """What a vault's memories and turns say, by word and by name."""

    def __init__(
        self, disk: VaultDisk, projections: Projections, turn_log: TurnLog, index_sync: IndexSync
    ) -> None:
        self._disk = disk
        self._projections = projections
        self._turn_log = turn_log
        self._index_sync = index_sync
        self.pages = PageSearch(disk, projections, index_sync)

    # -- by name -------------------------------------------------------------------------------

    def find_memory(self, reference: str) -> Memory | None:
        """The memory of an id, a docid (`#a1b2c3`), a file name or an unambiguous beginning.

        A docid may stand without its `#`, which a shell takes for a comment.
        """
        catalog = self._projections.catalog
        name = reference.strip().removeprefix("[[").removesuffix("]]")
        name = name.rpartition("/")[2].removesuffix(".md")
        name = name.encode("utf-8", "replace").decode("utf-8")  # what no file can be called
        exact = catalog.memory(name)
        if exact is not None:
            return exact
        found: list[Memory] = []
        if _DOCID.fullmatch(name):
            short = "#" + name.removeprefix("#").lower()
            found = [memory for memory in catalog.memories() if docid(memory.id) == short]
        if not found and name:
            # a whole id whose memory is gone does not mean the one that was numbered after it
            names = [
                one for one in catalog.names_with(name) if not _NUMBER.fullmatch(one, len(name))
            ]
            found = list(catalog.memories(names))
        if len(found) > 1:
            shown = ", ".join(memory.id for memory in found[:3])
            raise BadInput(f"{reference!r} could be {len(found)} memories", f"for example {shown}")
        return found[0] if found else None

    def memory(self, reference: str) -> Memory:
        """The same; raises NotFound when there is none."""
        found = self.find_memory(reference)
        if found is None:
            raise NotFound(f"there is no memory {reference!r}")
        return found

    def find_turn(self, reference: str) -> ShownTurn | None:
        """The turn of a docid or a link (`transcript#^block`); None also for a hidden one."""
        catalog = self._projections.catalog
        name = reference.strip().removeprefix("[[").removesuffix("]]")
        short = "#" + name.removeprefix("#").lower()
        links = catalog.turns.all_links() - catalog.hidden()
        found = sorted(link for link in links if link == name or docid(link) == short)
        turn = self._turn(found[0]) if found else None
        return None if turn is None else ShownTurn(found[0], *self._places(found)[found[0]], turn)

    def text_of(self, memory: Memory) -> str:
        """A memory's file as it is on disk."""
        return (self._disk.read(memory.path) or b"").decode("utf-8", "replace")

    def _text_now(self, memory: Memory) -> str:
        """The same; empty for a file that cannot be read at present, which the doctor tells of."""
        try:
            return self.text_of(memory)
        except (BadInput, StorageError):
            return ""

    def listing(self, wanted: Filter, limit: int) -> list[Memory]:
        """The memories that pass, newest first."""
        condition = where(
            statuses=wanted.shown, categories=wanted.categories,
            project=wanted.project, tag=wanted.tag, since=wanted.since, before=wanted.before,
        )  # fmt: skip
        if not wanted.as_of:
            return self._projections.catalog.listing(condition, limit)
        found = self._projections.catalog.listing(condition)
        return [memory for memory in found if wanted.admits(memory)][:limit]

    def learnt_on(self, day: str, timezone: str = "UTC") -> list[Memory]:
        """The live memories whose source turn is of that day in a time zone, in order."""
        # no time zone is further from UTC than a day
        since = plus_days(max(day, "1970-01-02"), -1)
        before = plus_days(day, 2) if day < "9999" else ""
        near = where(statuses=LIVE, since=since, before=before)
        found = self._projections.catalog.listing(near)
        return [one for one in found[::-1] if local_day(one.created, timezone) == day]

    def origin(self, memory: Memory) -> MemoryOrigin:
        """Where a memory came from, and every event since."""
        receipts = []
        for link in memory.sources:
            turn = self._turn(link)
            said = first_line(turn.text, 200) if turn else "(no transcript shows it)"
            receipts.append((link, turn.time if turn else "", turn.role if turn else "", said))
        return MemoryOrigin(
            memory, tuple(receipts), tuple(self._projections.catalog.log.events(memory.id))
        )

    def links(self, memory: Memory) -> list[tuple[str, str]]:
        """`(relation, name)` of what a memory points to, then of what points to it."""
        fields = ("supersedes", "superseded_by", "conflicts", "entities", "sources")
        found = [(field, name) for field in fields for name in getattr(memory, field)]
        for other in self._projections.catalog.memories():
            named = (*other.supersedes, *other.superseded_by, *other.conflicts)
            if memory.id in named and other.id != memory.id:
                found.append(("linked_from", other.id))
        return found

    # -- by word -------------------------------------------------------------------------------

    def search(
        self, text: str, *, limit: int, setting: Setting, all_statuses: bool = False
    ) -> Answers:
        """The best memories, turns and pages for a query, `limit` of each.

        Where nothing holds a phrase that stands among other words, its words count as words; where
        nothing is found at all, words that the vault knows may have been meant.
        """

        def answers(query: Query) -> Answers:
            return Answers(
                self._memory_hits(query, limit, setting, all_statuses),
                self._turn_hits(query, limit, setting),
                self.pages.hits(query, _asked(limit), limit, setting),
            )

        query = parse(text)
        found = answers(query)
        if query.phrases and query.words and not found.hits:
            found = answers(query.loose())
            return replace(found, inexact=bool(found.hits))
        return found if found.hits else replace(found, meant=self._meant(query))

    def _memory_hits(
        self, query: Query, limit: int, setting: Setting, all_statuses: bool
    ) -> list[Hit]:
        catalog = self._projections.catalog
        memories: dict[str, Memory] = {}

        def admit(keys: list[str]) -> list[str]:
            known = {memory.id: memory for memory in catalog.memories(keys)}
            memories.update(known)
            return [
                key
                for key in keys
                if key in known and query.admits(known[key], all_statuses=all_statuses)
            ]

        if query.asks:
            hints = query.hints(setting.now)
            found = self._index_sync.find(query.text, "memories", _asked(limit), hints, admit)
        else:
            memories = {memory.id: memory for memory in catalog.memories()}
            found = [Found(name, "memories", 1.0) for name in memories]
        ranked = rank_memories(query, [found], memories, setting, limit, all_statuses=all_statuses)
        return [self._memory_hit(memories[one.key], one, query.text) for one in ranked]

    def _meant(self, query: Query) -> list[str]:
        """Words of memories that are spelt nearly like those of a query that found nothing."""
        from difflib import get_close_matches

        found: dict[str, None] = {}
        for word in query_terms(query.text)[:_MOST_MISSPELT]:
            near = self._index_sync.terms_like(word, _TERMS_LIKE)
            for term in get_close_matches(word, near, n=2, cutoff=0.75):
                found[self._spelt(term)] = None
        return [word for word in found if word][:_MOST_MEANT]

    def _spelt(self, term: str) -> str:
        """A word of a live memory whose term this is: stems are no words for people."""

        def live(keys: list[str]) -> list[str]:
            return [memory.id for memory in self._projections.catalog.memories(keys) if memory.live]

        for hit in self._index_sync.find(term, "memories", 1, admit=live):
            memory = self._projections.catalog.memory(hit.key)
            for word in re.findall(r"[\w.+#/-]+", memory.text if memory else ""):
                if term in query_terms(word):
                    return str(word).strip(".,-/").casefold()
        return ""

    def _memory_hit(self, memory: Memory, one: Ranked, asked: str) -> Hit:
        shown = excerpt(memory.text, asked)
        text = self._text_now(memory)
        at = text.find(first_line(memory.text, 60).rstrip("…"))
        return Hit(
            docid=docid(memory.id),
            score=one.score,
            file=memory.path,
            line=text.count("\n", 0, at) + 1 if at >= 0 else 1,
            title=memory.title or first_line(memory.text, 80),
            snippet=shown.text,
            id=memory.id,
            collection="memories",
            category=memory.category,
            status=memory.status,
            created=memory.created,
            project=memory.project,
            source=memory.sources[-1] if memory.sources else "",
            why=one.why,
            spans=shown.spans,
        )

    def _turn_hits(self, query: Query, limit: int, setting: Setting) -> list[Hit]:
        if not query.asks:
            return []
        hidden = self._projections.catalog.hidden()
        turns: dict[str, Turn] = {}

        def admit(keys: list[str]) -> list[str]:
            known = self._turns([key for key in keys if key not in hidden])
            turns.update(known)
            return [key for key in keys if key in known and query.admits_turn(known[key])]

        hints = query.hints(setting.now)
        found = self._index_sync.find(query.text, "turns", _asked(limit), hints, admit)
        ranked = rank_turns(query, [found], turns, setting, limit)
        places = self._places(one.key for one in ranked)
        return [self._turn_hit(one, turns[one.key], places[one.key], query.text) for one in ranked]

    def _turn_hit(self, one: Ranked, turn: Turn, place: tuple[str, int], asked: str) -> Hit:
        path, line = place
        shown = excerpt(turn.text, asked)
        return Hit(
            docid=docid(one.key),
            score=one.score,
            file=path,
            line=line,
            title=turn.title or one.key.partition("#")[0],
            snippet=shown.text,
            id=one.key,
            collection="turns",
            category=turn.role,
            created=turn.time,
            project=turn.project,
            source=one.key,
            why=one.why,
            spans=shown.spans,
        )

    def _places(self, links: Iterable[str]) -> dict[str, tuple[str, int]]:
        """Transcript and line where each turn begins; an empty path when no transcript shows it.

        Each transcript is read once.
        """
        transcripts = self._projections.transcripts
        wanted = list(links)
        places: dict[str, tuple[str, int]] = {}
        for name in dict.fromkeys(link.partition("#")[0] for link in wanted):
            path = transcripts.find(name) or ""
            named = [link for link in wanted if link.partition("#")[0] == name]
            lines = transcripts.lines(path, named) if path else {}
            places.update((link, (path, lines.get(link, 1))) for link in named)
        return places

    def _turn(self, link: str) -> Turn | None:
        """A turn by its link: from the turn journal, or from the transcript that still has it."""
        return self._turns([link]).get(link)

    def _turns(self, links: Sequence[str]) -> dict[str, Turn]:
        """Turns by their links; those that were purged or taken back are not among them."""
        rows = self._projections.catalog.turns.behind_links(links)
        found: dict[str, Turn] = {}
        here = sorted((row.seq, link) for link, row in rows.items() if row.seq > 0)
        places = self._projections.catalog.turns.places(seq for seq, _ in here)
        names = dict(here)
        for turn in self._turn_log.read(places):
            found[names[turn.seq]] = turn
        for link, row in rows.items():
            if row.seq < 0 and (turn_there := self._from_transcript(link, row)) is not None:
                found[link] = turn_there
        return found

    def _from_transcript(self, link: str, row: TurnRow) -> Turn | None:
        path = self._projections.transcripts.find(row.transcript)
        for block in self._projections.transcripts.blocks(path) if path else ():
            if block.link == link:
                role: Role = "user" if block.role == "user" else "assistant"
                source = row.transcript.rpartition("-")[0]
                return Turn(
                    source, "", role, block.text, block.time, "", row.project, speaker=block.speaker
                )
        return None

    # -- by pattern ----------------------------------------------------------------------------

    def grep(
        self, regex: str, wanted: Filter, *, ignore_case: bool = False, turns: bool = True
    ) -> Iterator[tuple[str, MatchingLine]]:
        """`(path, line)` for every line that matches, memories first, in path order.

        Raises BadInput for what is no regular expression, or one that takes too long.
        """
        # imported here: only this needs them
        from engram.recall.grep import LineSearch

        search = LineSearch(regex, ignore_case=ignore_case)
        for memory in sorted(self._projections.catalog.memories(), key=lambda one: one.path):
            if wanted.admits(memory):
                for line in search.lines(self._text_now(memory)):
                    yield memory.path, line
        hidden = self._projections.catalog.hidden() if turns else set()
        for path in self._projections.transcripts.paths() if turns else ():
            for block in self._projections.transcripts.blocks(path):
                if block.link not in hidden:
                    for line in search.lines(block.text):
                        # the speaker's line and a blank one stand before the words
                        yield path, replace(line, number=line.number + block.line + 1)

    # -- given back ----------------------------------------------------------------------------

    def recall(self, question: str, *, budget: int, limit: int, setting: Setting) -> ContextBlock:
        """A ranked block of memories with receipts for an agent, within `budget` tokens."""
        hits = self._memory_hits(parse(question), limit, setting, False)
        memories = [memory for hit in hits if (memory := self.find_memory(hit.id)) is not None]
        return context_block(question, memories, budget)


def _asked(limit: int) -> int:
    return max(limit * _HEADROOM, _LEAST)
