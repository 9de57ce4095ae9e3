"""Lookup: what a vault says of a name, and which memories pass a filter or match a pattern.

Turns ids, docids, links and patterns into memories, turns, pages and lines. Guarantees: nothing is
written; a forgotten memory's source turns stay hidden; equal questions on equal vaults give equal
answers. Raises NotFound for names that there are none of, BadInput for names of several memories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, NotFound, StorageError
from engram.model.ids import docid, slug
from engram.model.instant import Day, Instant, local_day, plus_days
from engram.model.item import item_id
from engram.model.link_targets import stem_of
from engram.model.memory import LIVE, SESSION, Memory
from engram.model.text import first_line, sha256_bytes, words
from engram.model.turn import Turn
from engram.model.vault_label import split_id
from engram.store.files.content_file import read_content

if TYPE_CHECKING:
    from engram.model.hit import MatchingLine
    from engram.model.shown import MemoryOrigin, ShownFile, ShownTurn
    from engram.model.step import Page
    from engram.recall.filter import Filter
    from engram.store.base.disk import VaultDisk
    from engram.store.catalog.turn_rows import TurnRow
    from engram.store.commits.attributed_turns import AttributedTurns
    from engram.store.commits.projections import Projections
    from engram.store.commits.transaction_log import TransactionLog

_DOCID = re.compile(r"#?[0-9a-fA-F]{6}")
_NUMBER = re.compile(r"-[0-9]{1,4}")
#: of the memories that a name could mean, so many are named
_MOST_SHOWN = 5


class Lookup:
    """What one vault knows by name."""

    def __init__(
        self,
        disk: VaultDisk,
        projections: Projections,
        attributed: AttributedTurns,
        transaction_log: TransactionLog,
    ) -> None:
        self._disk = disk
        self._projections = projections
        self._attributed = attributed
        self._transaction_log = transaction_log

    # -- memories ------------------------------------------------------------------------------

    def file_named(self, reference: str) -> str:
        """The id of the file that an item id or the name of a file stands for, or the turn that a
        link means; any other reference as it is.

        Raises NotFound for the item of a candidate that became no memory, and for one of none.
        """
        item = item_id(reference.strip())
        if item is None:
            return self._meant(reference)
        name = self._projections.catalog.items.file_of(item)
        if name:
            return name
        if name is None:
            raise NotFound(f"there is no item {item}", "`engram search WORDS` shows ids")
        raise NotFound(
            f"{item} is a candidate that became no memory", "`engram why --refused` shows those"
        )

    def _meant(self, reference: str) -> str:
        """What the name of a file means that a person renamed; any other reference as it is.

        An id is no name, nor is one whose memory is gone: another's file may be called by it.
        """
        name = reference.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
        name = name.encode("utf-8", "replace").decode("utf-8")  # what no file can be called
        catalog = self._projections.catalog
        if name.startswith("#") or split_id(name)[0] or catalog.memory(name):
            return reference
        if catalog.log.events(name):
            return reference
        meant = self._projections.names().id_of(name)
        return reference if meant == name else meant

    def find_memory(self, reference: str) -> Memory | None:
        """The memory of an id, a docid (`#a1b2c3`), a file name, an alias or title, or a beginning.

        Also of the id of an item that it is or was (`project:shop:semantic:12`). A docid may stand
        without its `#`, which a shell takes for a comment. A title is named by itself or as a slug
        (`till-sync-retries`). Raises BadInput for a name of several memories.
        """
        catalog = self._projections.catalog
        name = self.file_named(reference).strip().removeprefix("[[").removesuffix("]]")
        if split_id(name)[0]:
            return None  # of another vault: one of this id may well be another memory here
        name = stem_of(name)
        name = name.encode("utf-8", "replace").decode("utf-8")  # what no file can be called
        exact = catalog.memory(name)
        if exact is not None:
            return exact
        found: list[Memory] = []
        if _DOCID.fullmatch(name):
            short = "#" + name.removeprefix("#").lower()
            found = [memory for memory in catalog.memories() if docid(memory.id) == short]
        if not found and "#" not in name:
            found = self._called(name)
        if not found and name:
            # a whole id whose memory is gone does not mean the one that was numbered after it
            names = [
                one for one in catalog.names_with(name) if not _NUMBER.fullmatch(one, len(name))
            ]
            found = list(catalog.memories(names))
        if len(found) > 1:
            shown = ", ".join(memory.id for memory in found[:_MOST_SHOWN])
            raise BadInput(f"{reference!r} could be {len(found)} memories", f"for example {shown}")
        return found[0] if found else None

    def _called(self, name: str) -> list[Memory]:
        """The memories with an alias or title of that name; the live ones, where there are any."""
        catalog, called = self._projections.catalog, slug(name, "")
        found = list(catalog.memories(catalog.called(called))) if called else []
        return [memory for memory in found if memory.live] or found

    def memory(self, reference: str) -> Memory:
        """The same; raises NotFound when there is none."""
        found = self.find_memory(reference)
        if found is None:
            page = self.find_page(reference)
            name = "" if page is None else page.content.id
            hint = f"it is a page, no memory: `engram show {name}` shows it" if name else None
            if split_id(reference.strip())[0]:
                hint = "what another vault holds is changed there: `engram --vault PATH VERB ID`"
            raise NotFound(f"there is no memory {reference!r}", hint)
        return found

    def removed(self, reference: str) -> tuple[str, str, bytes]:
        """`(id, path, bytes)` of a file a person removed; raises BadInput for one that is there."""
        path, body = self._transaction_log.last_body(self.file_named(reference).strip())
        content = read_content(path, body)
        name = content.id
        home = self._projections.catalog.home(content.kind, name)
        if home:
            raise BadInput(f"{reference} is not gone", f"it stands in {home}")
        return name, path, body

    def at(self, path: str) -> tuple[Memory | None, str]:
        """The memory whose file stands at a path, and what is wrong with that file."""
        row = self._projections.catalog.file(path)
        found = self._projections.catalog.memory(row.id) if row is not None and row.id else None
        return found, row.problem if row is not None else ""

    def last_event(self, memory: Memory) -> Instant:
        """When something last happened to a memory, by the log; empty where it knows of nothing."""
        events = self._projections.catalog.log.events(memory.id)
        return events[-1][1] if events else ""

    def opponents(self, memory: Memory) -> list[Memory]:
        """Those that stand against a memory by the links of either, oldest first."""
        return [
            other
            for other in self._projections.catalog.memories()
            if other.id != memory.id
            and (other.id in memory.conflicts or memory.id in other.conflicts)
        ]

    def text_of(self, memory: Memory) -> str:
        """A memory's file as it is on disk."""
        return (self._disk.read(memory.path) or b"").decode("utf-8", "replace")

    def text_now(self, memory: Memory) -> str:
        """The same; empty for a file that cannot be read at present, which the doctor tells of."""
        try:
            return self.text_of(memory)
        except (BadInput, StorageError):
            return ""

    def line_of(self, memory: Memory, words: str, heading: str = "") -> int:
        """The line of a memory's file with the first words of a text, below a heading; else 1.

        Below the header, too: its title begins as the statement does.
        """
        from engram.model.markdown import header_lines

        text, wanted = self.text_now(memory), first_line(words, 60).rstrip("…")
        above = header_lines(text)
        body = "\n".join(text.split("\n")[above:])
        at = body.find(wanted, max(0, body.find(f"## {heading}")) if heading else 0)
        return above + body.count("\n", 0, at) + 1 if at >= 0 else 1

    def listing(self, wanted: Filter, limit: int) -> list[Memory]:
        """The memories that pass, newest first."""
        from engram.store.catalog.conditions import where

        condition = where(
            statuses=wanted.shown, categories=wanted.looked_at,
            project=wanted.project, tag=wanted.tag, since=wanted.since, before=wanted.before,
            space=wanted.space, without=wanted.without,
        )  # fmt: skip
        if not (wanted.as_of or wanted.schemas):
            return self._projections.catalog.listing(condition, limit)
        found = self._projections.catalog.listing(condition)
        return [memory for memory in found if wanted.admits(memory)][:limit]

    def learnt_on(self, day: Day, now: Instant, timezone: str = "UTC") -> tuple[Day, list[Memory]]:
        """The live memories whose source turn is of a day in a time zone, in order; with that day.

        Without a day it is that of `now`. What has a guessed time was said on no day that is known.
        """
        from engram.store.catalog.conditions import where

        wanted = day or local_day(now, timezone)
        # no time zone is further from UTC than a day
        since = plus_days(max(wanted, "1970-01-02"), -1)
        before = plus_days(wanted, 2) if wanted < "9999" else ""
        near = where(statuses=LIVE, since=since, before=before)
        found = self._projections.catalog.listing(near)[::-1]
        return wanted, [
            one
            for one in found
            if local_day(one.created, timezone) == wanted and not one.date_guessed
        ]

    def origin(self, memory: Memory) -> MemoryOrigin:
        """Where a memory came from, and every event since."""
        from engram.model.shown import MemoryOrigin, source_step

        receipts = []
        places = []
        starts = self.places(memory.sources)
        for link in memory.sources:
            turn = self.turn(link)
            below, said = _telling_line(turn.text, memory) if turn else (0, "")
            said = said or "(no transcript shows it)"
            receipts.append((link, turn.time if turn else "", turn.role if turn else "", said))
            file, line = starts[link]
            # the speaker's line and a blank one stand before the words
            places.append((file, line + 2 + below if turn else line))
        events = tuple(self._projections.catalog.log.events(memory.id))
        step = source_step(event for *_, event in events)
        return MemoryOrigin(memory, tuple(receipts), events, step, places=tuple(places))

    def grep(
        self, regex: str, wanted: Filter, go_on: Callable[[], bool] = lambda: True, *,
        ignore_case: bool = False, turns: bool = True, headers: bool = False,
    ) -> Iterator[tuple[str, MatchingLine]]:  # fmt: skip
        """`(path, line)` for every line that matches, memories first, in path order.

        Lines of a memory's header count where `headers` are asked for.
        Whether to `go_on` is asked before each text. Raises BadInput for what is no regular
        expression, or one that takes too long.
        """
        # imported here: only this needs it
        from engram.model.markdown import header_lines
        from engram.recall.grep import LineSearch

        search = LineSearch(regex, ignore_case=ignore_case)
        for memory in sorted(self._projections.catalog.memories(), key=lambda one: one.path):
            if not go_on():
                return
            if wanted.admits(memory):
                text = self.text_now(memory)
                first = 0 if headers else header_lines(text)
                body = "\n".join(text.split("\n")[first:])
                for line in search.lines(body):
                    yield memory.path, line._replace(number=line.number + first)
        hidden = self._projections.catalog.hidden() if turns else set()
        for path in self._projections.transcripts.paths() if turns else ():
            for block in self._projections.transcripts.blocks(path):
                if not go_on():
                    return
                if block.link not in hidden:
                    for line in search.lines(block.text):
                        # the speaker's line and a blank one stand before the words
                        yield path, line._replace(number=line.number + block.line + 1)

    # -- turns and pages -----------------------------------------------------------------------

    def shown(self, reference: str) -> ShownFile | ShownTurn:
        """What an id or docid names: a memory, else a turn or a page."""
        from engram.model.shown import ShownFile, source_step

        memory = self.find_memory(reference)
        if memory is not None:
            events = self._projections.catalog.log.events(memory.id)
            step = source_step(event for *_, event in events)
            data = self._disk.read(memory.path) or b""
            return ShownFile(memory, data.decode("utf-8", "replace"), step, sha256_bytes(data))
        found = self.find_turn(reference) or self.find_page(reference)
        if found is None:
            raise NotFound(f"there is no memory {reference!r}")
        return found

    def find_turn(self, reference: str) -> ShownTurn | None:
        """The turn of a docid or a link (`transcript#^block`); None also for a hidden one."""
        from engram.model.shown import ShownTurn

        catalog = self._projections.catalog
        link = link_named(reference, catalog.turns.all_links() - catalog.hidden())
        turn = self.turn(link) if link else None
        return None if turn is None else ShownTurn(link, *self.places([link])[link], turn)

    def find_page(self, reference: str) -> ShownFile | None:
        """The box, entity or summary of an id, docid, file name, link, title or beginning."""
        from engram.model.shown import ShownFile
        from engram.queries.named_pages import page_named

        page = page_named(self._meant(reference), self._projections.view)
        return None if page is None else ShownFile(page, self.page_text(page))

    def page_text(self, page: Page) -> str:
        """A page's file as it is on disk; empty when it cannot be read at present."""
        try:
            return (self._disk.read(page.path) or b"").decode("utf-8", "replace")
        except (BadInput, StorageError):
            return ""

    def places(self, links: Iterable[str]) -> dict[str, tuple[str, int]]:
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

    def turn(self, link: str) -> Turn | None:
        """A turn by its link: from the turn journal, or from the transcript that still has it."""
        return self.turns([link]).get(link)

    def turns(self, links: Sequence[str]) -> dict[str, Turn]:
        """Turns by their links; those that were purged or taken back are not among them."""
        rows = self._projections.catalog.turns.behind_links(links)
        found: dict[str, Turn] = {}
        here = sorted((row.seq, link) for link, row in rows.items() if row.seq > 0)
        places = self._projections.catalog.turns.places(seq for seq, _ in here)
        names = dict(here)
        for turn in self._attributed.read(places):
            found[names[turn.seq]] = turn
        elsewhere = {link: row for link, row in rows.items() if row.seq < 0}
        for transcript in dict.fromkeys(row.transcript for row in elsewhere.values()):
            found.update(self._from_transcript(transcript, elsewhere))
        return found

    def is_of_session(self, turn: Turn) -> bool:
        """Whether a turn told a memory that is of its session alone."""
        catalog = self._projections.catalog
        told = catalog.cited_by(f"{turn.transcript}#^{turn.block}")
        return any(one.space == SESSION for one in catalog.memories(told)) if told else False

    def turns_in_sight(self, links: Sequence[str]) -> dict[str, Turn]:
        """The same without those that were forgotten."""
        hidden = self._projections.catalog.hidden()
        return self.turns([link for link in links if link not in hidden])

    def turns_around(
        self, link: str, most: int
    ) -> tuple[list[tuple[str, Turn]], list[tuple[str, Turn]]]:
        """`(link, turn)` of those before one and after it in its conversation that are in sight.

        At most so many each, in order.
        """
        turns = self._projections.catalog.turns
        row = turns.behind_links([link]).get(link)
        if row is None:
            return [], []
        before, after = turns.links_beside(row.transcript, row.seq, most)
        there = self.turns_in_sight([*before, *after])
        there.pop(link, None)  # a turn that was captured twice stands beside itself
        return (
            [(name, there[name]) for name in before if name in there],
            [(name, there[name]) for name in after if name in there],
        )

    def with_turns_before(self, link: str, most: int) -> list[Turn]:
        """The turn behind a link after the last ones before it; empty where it is not in sight."""
        catalog = self._projections.catalog
        row, last = catalog.turns.behind_links([link]).get(link), self.turns_in_sight([link])
        if row is None or not last:
            return []
        if row.seq < 0:
            names, _ = catalog.turns.links_beside(row.transcript, row.seq, most)
            there = self.turns_in_sight(names)
            return [*(there[name] for name in names if name in there), last[link]]
        earlier = self._attributed.read(catalog.turns.before(row.transcript, row.seq, most))
        hidden = catalog.hidden()
        shown = [turn for turn in earlier if f"{turn.transcript}#^{turn.block}" not in hidden]
        return [*shown, last[link]]

    def _from_transcript(
        self, transcript: str, rows: Mapping[str, TurnRow]
    ) -> Iterator[tuple[str, Turn]]:
        """The turns of a transcript that some rows are of, by link."""
        from engram.model.said_words import said_words

        transcripts = self._projections.transcripts
        path = transcripts.find(transcript)
        header = transcripts.header(path) if path else {}
        source, title = transcript.rpartition("-")[0], said_words(header.get("title", ""))
        for block in transcripts.blocks(path) if path else ():
            if row := rows.get(block.link):
                role, (text, tools) = self._attributed.roles([row])[row.seq], block.said
                turn = Turn(
                    source, header.get("session", ""), role, text, block.time, "", row.project,
                    title, tools, speaker=block.speaker, guessed="dated" in header,
                )  # fmt: skip
                yield block.link, self._attributed.here(turn)


def _telling_line(text: str, memory: Memory) -> tuple[int, str]:
    """`(lines before it, line)` of a turn that a memory rests on: with its quote, else with most
    of its words."""
    lines = [(at, line) for at, line in enumerate(text.split("\n")) if line.strip()]
    quoted = first_line(memory.quote, len(memory.quote))
    told = set(words(memory.text))
    at, best = max(
        lines,
        key=lambda one: (quoted != "" and quoted in one[1], len(told.intersection(words(one[1])))),
        default=(0, ""),
    )
    return at, first_line(best, 200)


def link_named(reference: str, links: Iterable[str]) -> str:
    """The one of these links to turns that a person means, by itself or its docid; '' for none."""
    name = reference.strip().removeprefix("[[").removesuffix("]]")
    short = "#" + name.removeprefix("#").lower()
    return min((link for link in links if link == name or docid(link) == short), default="")
