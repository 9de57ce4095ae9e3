"""A random walk through one vault: a number -> steps, and what must hold after each of them.

A step is a verb and a number of its own, so that a walk with steps left out draws the same in those
that are left. What is said, typed and named carries made-up words, by which it is found again in
any file. `first_failure` walks and tells where something did not hold; `shortest` drops steps as
long as that fails in the same way.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from engram.model.change import Transaction
from engram.model.contract_event import ContractEvent
from engram.model.errors import BadInput, Conflict, EngramError, NotFound
from engram.model.findings import Finding
from engram.model.given import Reader, recall_hash
from engram.model.instant import plus_days, plus_minutes
from engram.model.memory import Memory
from engram.model.numbering import items_in
from engram.model.trace import DELETED, RECALL, WRITE
from engram.model.turn import Turn, TurnEntry, turn_of
from engram.store.base import layout
from engram.store.catalog.trace_rows import trace_list
from engram.store.catalog.turn_rows import PURGED, WITHDRAWN
from engram.store.files.content_file import read_content
from engram.vault import Vault
from tests.kit import files
from tests.life import MovingClock
from tests.store.editor import Style

FIRST = "2026-01-05T08:00:00Z"
_WORD = re.compile(r"zq(?:[bdfklmnprstv][aeiou]){4}(?=[0-9]{2})")
_SAYINGS = (
    "Remember that the {w} valve holds {n} bar.",
    "The {w} database listens on port {n}.",
    "Never deploy {w} on Fridays.",
    "I prefer {w} over tea in room {n}.",
    "We decided to use {w} for round {n} because two writers need it.",
    "{W} is our deployment tool.",
    "Mara {W} owns the indexer of round {n}.",
    "I need to send the {w} report {n} by Friday.",
    "we shipped {w} {n}.1 today!",
    "the fix for the {w} outage was to bump the pool size to {n}",
    "to release {w}: bump the version, update the changelog, tag it",
    "I live in {t}.",
    "my editor is {e}",
    "actually the {p} port is {n}, not {m}",
    "can you look at {w} for me?",
)
_TOWNS = ("Graz", "Ghent", "Turku")
_EDITORS = ("vim", "emacs", "helix")
_PROJECTS = ("shop", "harbor", "")
#: refusals that are an answer: nothing is to be done, or somebody changed it since
_REFUSED = (BadInput, Conflict, NotFound)
#: kinds of transactions that no undo is asked for
_STAYS = frozenset(["settle", "purge", "retry", "undo", "seal"])


class Step(NamedTuple):
    """A verb, and the number from which it draws what it does."""

    verb: str
    draw: int


class Failure(NamedTuple):
    """What did not hold, after how many steps, and the whole message."""

    what: str
    after: int
    message: str


def word(chance: random.Random) -> str:
    """A word that nobody says, with two digits behind it as in a code name."""
    syllables = "".join(chance.choice("bdfklmnprstv") + chance.choice("aeiou") for _ in range(4))
    return f"zq{syllables}{chance.randrange(10, 100)}"


def words_in(text: str | bytes) -> set[str]:
    """The made-up words of a text, without their digits."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return set(_WORD.findall(text.lower()))


@dataclass(slots=True)
class Conversation:
    """A transcript of an agent, outside of everything that is the vault's."""

    path: Path
    session: str
    project: str
    title: str
    rows: list[dict[str, str]] = field(default_factory=list)


class Walk:
    """One vault, and all that a person, agents, an editor and the machine may do to it."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.root = self.user / "vault"
        self.clock = MovingClock(FIRST)
        self.sources = folder / "sources"
        self.sources.mkdir(parents=True)
        self.conversations: list[Conversation] = []
        self.said: list[list[Turn]] = []
        self.captured: set[str] = set()
        #: made-up words: those typed by hand with the id of the memory, or "page"; those purged;
        #: those that were taken back
        self.typed: dict[str, str] = {}
        self.purged: set[str] = set()
        self.hidden: set[str] = set()
        #: ids that a person gave to a second file
        self.copied: set[str] = set()
        #: whether something was done that is final: an edit by hand, a purge
        self.final = False
        self._open()
        self.first = self.tree()

    def _open(self) -> None:
        make = Vault.open if (self.root / "engram.toml").exists() else Vault.create
        environment = {"ENGRAM_HOME": str(self.user / "engram"), "HOME": str(self.user)}
        self.vault = make(self.root, environment=environment, clock=self.clock)

    @classmethod
    def reversible(cls) -> dict[str, int]:
        """How often each step comes that `undo` takes back whole."""
        return REVERSIBLE

    @classmethod
    def final_steps(cls) -> dict[str, int]:
        """How often each other step comes."""
        return FINAL

    def close(self) -> None:
        """Let go of the vault."""
        self.vault.close()

    def do(self, step: Step) -> None:
        """One step; what the vault refuses is as well an answer."""
        chance = random.Random(step.draw)
        self.clock.instant = plus_minutes(self.clock.instant, chance.randrange(1, 90))
        getattr(self, step.verb)(chance)

    # -- what is said --------------------------------------------------------------------------

    def _saying(self, chance: random.Random) -> str:
        made = word(chance)
        return chance.choice(_SAYINGS).format(
            w=made, W=made.capitalize(), n=chance.randrange(100, 999), m=chance.randrange(100, 999),
            t=chance.choice(_TOWNS), e=chance.choice(_EDITORS), p=_PROJECTS[0],
        )  # fmt: skip

    def _project(self, chance: random.Random) -> str:
        return word(chance) if chance.random() < 0.1 else chance.choice(_PROJECTS)

    def remember(self, chance: random.Random) -> None:
        try:
            done = self.vault.remember(self._saying(chance), project=self._project(chance))
        except BadInput as error:
            assert str(error).startswith("refused"), error
        else:
            assert done.memory.live

    def talk(self, chance: random.Random) -> None:
        """An agent hands over what was said, at times a second time."""
        if self.said and chance.random() < 0.2:
            assert self.vault.capture(chance.choice(self.said)).new == 0
            return
        session = f"talk{chance.randrange(5)}"
        turns: list[Turn] = []
        for _ in range(chance.randrange(1, 4)):
            self.clock.instant = plus_minutes(self.clock.instant, 1)
            for role, text in (("user", self._saying(chance)), ("assistant", self._answer(chance))):
                turns.append(
                    turn_of(role, text, self.clock.now(), source="agent", session=session,
                            project=_PROJECTS[len(session) % 2])  # type: ignore[arg-type]
                )  # fmt: skip
        self.vault.capture(turns)
        self.said.append(turns)
        self.captured.add(turns[0].transcript)

    def _answer(self, chance: random.Random) -> str:
        return f"Noted: {word(chance)} is fine." if chance.random() < 0.3 else "Noted."

    def bring(self, chance: random.Random) -> None:
        """The person imports a conversation: a new one, one that went on, or one again."""
        talk = self._conversation(chance)
        self.vault.import_files("jsonl", talk.path, extract=chance.random() < 0.8)
        self.hidden -= words_in(talk.path.read_bytes())

    def follow(self, chance: random.Random) -> None:
        """The same conversations as a daemon follows them."""
        talk = self._conversation(chance)
        self.vault.import_files("jsonl", talk.path, live=True)
        self.captured.add(
            turn_of("user", "", FIRST, source="jsonl", session=talk.session).transcript
        )

    def _conversation(self, chance: random.Random) -> Conversation:
        if not self.conversations or chance.random() < 0.4:
            name = f"c{chance.randrange(10**9)}"
            title = f"About {word(chance)}" if chance.random() < 0.5 else ""
            made = Conversation(self.sources / f"{name}.jsonl", name, self._project(chance), title)
            made.path.touch()
            self.conversations.append(made)
        talk = self.conversations[-1 - chance.randrange(len(self.conversations))]
        with talk.path.open("a", encoding="utf-8") as stream:
            for _ in range(chance.randrange(0 if talk.rows else 1, 4)):
                self.clock.instant = plus_minutes(self.clock.instant, 1)
                for role, text in (
                    ("user", self._saying(chance)), ("assistant", self._answer(chance)),
                ):  # fmt: skip
                    row = {
                        "role": role, "content": text, "session": talk.session,
                        "project": talk.project, "title": talk.title,
                        "timestamp": self.clock.now(),
                    }  # fmt: skip
                    talk.rows.append(row)
                    stream.write(json.dumps(row) + "\n")
        return talk

    def ask(self, chance: random.Random) -> None:
        """An agent is given a block."""
        reader = Reader("agent", f"agent-{chance.randrange(10**12):012d}")
        self.vault.recall(chance.choice(("valve", "port", "tea in room")), reader=reader)

    def extract(self, chance: random.Random) -> None:
        self.vault.flush()
        assert not self.vault.waiting()

    # -- what the person decides ---------------------------------------------------------------

    def memories(self) -> list[Memory]:
        """Every memory that has a file, oldest first."""
        return sorted(self.vault.parts.catalog.memories(), key=lambda one: (one.created, one.id))

    def ever(self) -> list[str]:
        """Every id that a transaction gave."""
        given = {
            event.subject
            for one in self.vault.parts.transaction_log.all()
            for event in one.plan.events
            if event.name == "memory_write"
        }
        return sorted(given)

    def _some(self, chance: random.Random) -> Memory | None:
        found = self.memories()
        return found[-1 - int(len(found) * chance.random() ** 2)] if found else None

    def _decide(self, chance: random.Random, deed: Callable[[Memory], object]) -> None:
        memory = self._some(chance)
        if memory is not None:
            with suppress(_REFUSED):
                deed(memory)

    def forget(self, chance: random.Random) -> None:
        self._decide(chance, lambda one: self.vault.forget(one.id))

    def retire(self, chance: random.Random) -> None:
        self._decide(chance, lambda one: self.vault.retire([one.id]))

    def archive(self, chance: random.Random) -> None:
        self._decide(chance, lambda one: self.vault.archive([one.id]))

    def confirm(self, chance: random.Random) -> None:
        self._decide(chance, lambda one: self.vault.confirm([one.id]))

    def supersede(self, chance: random.Random) -> None:
        other = self._some(chance)
        if other is not None:
            self._decide(chance, lambda one: self.vault.supersede(one.id, other.id))

    def resolve(self, chance: random.Random) -> None:
        disputed = [one for one in self.memories() if one.conflicts]
        if disputed:
            one = chance.choice(disputed)
            with suppress(_REFUSED):
                self.vault.resolve(one.id, both=chance.random() < 0.5)

    def restore(self, chance: random.Random) -> None:
        ended = [one.id for one in self.memories() if one.status != "active"]
        names = ended if ended and chance.random() < 0.7 else self.ever()
        if names:
            name = chance.choice(names)
            try:
                self.vault.restore(name)
            except _REFUSED:
                return
            self.hidden -= words_in((self.root / self.vault.memory(name).path).read_bytes())

    def edit(self, chance: random.Random) -> None:
        """`engram edit`: another text, or another key in the header."""

        def deed(memory: Memory) -> None:
            draft = self.vault.to_edit(memory.id)
            after, _ = _edited(draft.before, chance)
            if after != draft.before:  # else the verb says that nothing was changed
                self.vault.edit(draft.memory, draft.before, after)

        self._decide(chance, deed)

    # -- what is taken back --------------------------------------------------------------------

    def undo_last(self, chance: random.Random) -> None:
        self._undo("")

    def undo_number(self, chance: random.Random) -> None:
        rows = self.vault.log(12)
        if rows:
            self._undo(str(chance.choice(rows).number))

    def undo_step(self, chance: random.Random) -> None:
        runs = [row.number for row in self.vault.log(12) if row.kind == "consolidate"]
        steps = [f"{run}.{step}" for run in runs for step in self.vault.parts.history.steps(run)]
        if steps:
            self._undo(chance.choice(steps))

    def undo_import(self, chance: random.Random) -> None:
        batches = sorted(
            {row.batch for row in self.vault.log(50) if row.batch.startswith("import-")}
        )
        if batches:
            self._undo(chance.choice(batches))

    def redo(self, chance: random.Random) -> None:
        undos = [row.number for row in self.vault.log(12) if row.kind == "undo" and not row.undone]
        if undos:
            self._undo(str(chance.choice(undos)))

    def _undo(self, what: str) -> Transaction | None:
        last = self.vault.parts.catalog.last
        try:
            done = self.vault.undo(what)
        except _REFUSED:
            kinds = {entry.kind for entry in self.vault.log(5) if entry.number > last}
            assert kinds <= {"settle"}, kinds
            return None
        entries = list(self.vault.parts.turn_log.entries())
        self.hidden -= words_in(_told(_within(entries, done.plan.readmit)))
        gone = words_in(_told(_within(entries, done.plan.withdraw)))
        self.hidden |= gone - words_in(_told(self._in_force(entries))) - self.typed.keys()
        for change in done.plan.changes:  # a redo may bring a memory without its turns
            self.hidden -= words_in(change.after or b"")
        return done

    def _in_force(self, entries: Iterable[TurnEntry]) -> Iterator[TurnEntry]:
        out = set(self.vault.parts.catalog.turns.in_state(WITHDRAWN))
        out |= set(self.vault.parts.catalog.turns.in_state(PURGED))
        return (entry for entry in entries if entry.turn.seq not in out)

    def purge(self, chance: random.Random) -> None:
        """A memory, a turn, a conversation, or whatever holds a word."""
        catalog = self.vault.parts.catalog
        matching, named = "", [one.id for one in self.memories()]
        how = chance.random()
        if how < 0.1:
            named = self.ever()
        elif how < 0.3:
            named = sorted(catalog.turns.all_links())
        elif how < 0.4:
            named = sorted(catalog.turns.transcript_names())
        elif how < 0.5:
            said = "\n".join(one.turn.text for one in self.vault.parts.turn_log.entries())
            matching, named = chance.choice(sorted({*words_in(said), "valve holds"})), []
        elif not named:
            return
        names = [chance.choice(named)] if named else []
        if not (names or matching):
            return
        try:
            scope = self.vault.purge_preview(*names, matching=matching)
        except NotFound:
            return
        ids = {name for name, _ in scope.memories}
        gone = self._brought_by(ids, frozenset(scope.turns), frozenset(scope.conversations))
        report = self.vault.purge(*names, matching=matching)
        self.final = True
        self.purged |= gone
        assert not report.left, f"left by a purge: {report.left}"
        assert not ids & {one.id for one in self.memories()}

    def _brought_by(
        self, ids: Collection[str], links: Collection[str], conversations: Collection[str]
    ) -> set[str]:
        """The words that stand in these memories and turns, and nowhere else."""
        own: set[str] = set()
        others = {made for made, home in self.typed.items() if home not in ids}
        for entry in self.vault.parts.turn_log.entries():
            turn = entry.turn
            mine = f"{turn.transcript}#^{turn.block}" in links
            (own if mine else others).update(words_in(turn.text))
            mine = turn.transcript in conversations
            (own if mine else others).update(words_in(f"{turn.title} {turn.project}"))
        for transaction in self.vault.parts.transaction_log.all():
            for change in (*transaction.plan.changes, *transaction.plan.seen):
                if layout.kind_of(layout.original_of(change.path)) == "memory":
                    for body in filter(None, (change.before, change.after)):
                        mine = read_content(change.path, body).id in ids
                        (own if mine else others).update(words_in(body))
        return own - others

    # -- the editor ----------------------------------------------------------------------------

    def type_in(self, chance: random.Random) -> None:
        """A memory's file in the person's editor."""
        memory = self._some(chance)
        if memory is None:
            return
        path = self.root / memory.path
        if not path.exists():
            return
        self.final = True
        what = chance.choice(("text", "style", "move", "remove", "copy", "touch"))
        if what == "text":
            after, typed = _edited(path.read_bytes(), chance)
            path.write_bytes(after)
            self.typed |= dict.fromkeys(words_in(typed), memory.id)
        elif what == "style":
            Style(*(chance.random() < 0.5 for _ in range(5))).rewrite(path)
        elif what == "move":
            made = word(chance)
            self.typed |= dict.fromkeys(words_in(made), memory.id)
            path.rename(path.with_name(f"{made} renamed.md"))
        elif what == "remove":
            path.unlink()
        elif what == "copy":
            other = path.with_name(f"{path.stem} copied.md")
            other.write_bytes(path.read_bytes())
            self.copied.add(memory.id)
        else:
            os.utime(path, ns=(step := chance.randrange(10**18), step))

    def write_a_note(self, chance: random.Random) -> None:
        made = word(chance)
        path = self.root / "facts" / f"Note {made}.md"
        path.write_text(f"The note {made} says this.\n", encoding="utf-8")
        self.typed |= dict.fromkeys(words_in(made), "page")
        self.final = True

    def edit_a_page(self, chance: random.Random) -> None:
        self.vault.parts.settler.within(1e9)
        paths = [path for path in self.vault.parts.catalog.files() if layout.is_page(path)]
        paths += [path for path in layout.PROSE if (self.root / path).exists()]
        if not paths:
            return
        path = self.root / chance.choice(sorted(paths))
        if not path.exists():
            return
        self.final = True
        made, data = word(chance), path.read_bytes()
        what = chance.choice(("line", "trace", "rename", "remove", "copy", "words"))
        lines = data.splitlines(keepends=True)
        if what == "line":
            path.write_bytes(data + f"\nMy own {made} words.\n".encode())
            self.typed |= dict.fromkeys(words_in(made), "page")
        elif what == "trace":
            path.write_bytes(re.sub(rb"(?m)^trace: .*$", b"trace: mine", data))
        elif what == "words" and lines and lines[-1].startswith(b"- "):
            path.write_bytes(data.rstrip(b"\n") + b", as I see it.\n")
        elif path.name in layout.PROSE or what == "words":
            path.write_bytes(data.replace(b" a ", b" one ", 1))
        elif what == "rename":
            path.rename(path.with_name(f"{path.stem} renamed.md"))
        elif what == "remove":
            path.unlink()
        else:
            path.with_name(f"{path.stem} copied.md").write_bytes(data)
            self.copied.add(read_content(path.relative_to(self.root).as_posix(), data).id)

    # -- the machine ---------------------------------------------------------------------------

    def wait(self, chance: random.Random) -> None:
        """Days pass, at times many."""
        days = chance.choice((1, 2, 8, 40, 200))
        self.clock.instant = plus_days(self.clock.instant[:10], days) + self.clock.instant[10:]
        self.vault.tick()

    def consolidate(self, chance: random.Random) -> None:
        self.vault.consolidate(full=chance.random() < 0.2, closing=chance.random() < 0.7)

    def seal(self, chance: random.Random) -> None:
        self.vault.seal_boxes(chance.choice(("", "shutdown")))

    def reopen(self, chance: random.Random) -> None:
        self.vault.close()
        if chance.random() < 0.3:
            shutil.rmtree(self.vault.parts.cache)
        self._open()

    def rebuild(self, chance: random.Random) -> None:
        """Catalog and index anew, in one of two ways: nothing is found that was not, or is not."""
        before = self.answers(chance.randrange(1000))
        if chance.random() < 0.5:
            self.vault.rebuild()
        else:
            self.vault.close()
            shutil.rmtree(self.vault.parts.cache)
            self._open()
        after = self.answers(0, tuple(before))
        wrong = [question for question in before if before[question] != after[question]]
        assert not wrong, _first_difference(wrong[0], before[wrong[0]], after[wrong[0]])

    def answers(self, draw: int, questions: Sequence[str] = ()) -> dict[str, object]:
        """What the vault answers to some questions, and its views."""
        if not questions:
            chance = random.Random(draw)
            entries = list(self.vault.parts.turn_log.entries())
            made = sorted(set(re.findall(r"zq[a-z]{8}[0-9]{2}", _told(entries).lower())))
            questions = (
                "", "views", "valve", "deployment tool", "mara indexer", "port report friday",
                *chance.sample(made, min(5, len(made))),
            )  # fmt: skip
        self.vault.take_up_edits()
        return {question: self._answer_to(question) for question in questions}

    def _answer_to(self, question: str) -> object:
        if question == "":
            return [(one.id, one.status, one.path) for one in self.vault.list(limit=1000)]
        if question == "views":
            disk = self.vault.parts.disk
            hashes = sorted((disk.read(layout.HASHES) or b"").splitlines())
            return hashes, disk.read(layout.TRACES)
        return list(self.vault.search(question, limit=10))

    # -- what always holds ---------------------------------------------------------------------

    def check(self) -> None:
        """What is promised after every step."""
        self._check_the_doctor()
        self._check_the_log()
        self._check_that_nothing_is_lost()
        self._check_turns()
        self._check_views()
        self._check_that_purged_words_are_gone()
        self._check_that_what_was_taken_back_is_not_found()

    def _check_the_doctor(self) -> None:
        found = [one for one in self.vault.doctor() if not self._is_the_persons(one)]
        assert not found, f"doctor: {found}"

    def _check_the_log(self) -> None:
        """The chain holds and explains every file; items, ticks and events are what they say."""
        found = self.vault.verify()
        assert found.holds and found.chained_from <= 1, f"log: {found}"
        assert not found.taken_up, f"log: not taken up before: {found.taken_up}"
        given = [one for log in self.vault.parts.transaction_log.all() for one in items_in(log)]
        assert len({one.item for one in given}) == len(given), "log: an item was used twice"
        ticks = [one.tick for one in given]
        assert all(one < two for one, two in pairwise(ticks)), f"log: ticks {ticks}"
        events = self.vault.events(1 << 30)
        self._check_lives(events)
        for one in events:
            if one.type == RECALL:
                self._check_recalled(one.fields)

    def _check_lives(self, events: Sequence[ContractEvent]) -> None:
        """Each write is of what was not there, each deletion of what was; the rest has files."""
        there: set[str] = set()
        named = self.vault.parts.catalog.items.of
        for one in events:
            if one.type == WRITE:
                written = {row["id"] for row in one.fields["written"]}  # type: ignore[attr-defined]
                assert not written & there, f"log: written twice {written & there}"
                there |= written
            elif one.type == DELETED:
                there.discard(str(one.fields["memory_id"]))
        if not self.final:
            live = {str(named(memory.id)) for memory in self.memories() if memory.live}
            assert live == there, f"log: lives {live ^ there}"

    def _check_recalled(self, fields: Mapping[str, object]) -> None:
        rows = fields["recalled"]
        assert isinstance(rows, list)
        pairs = [(row["kind"], row["id"]) for row in rows]
        assert recall_hash(pairs) == fields["deterministic_hash"], f"log: given {pairs}"

    def _is_the_persons(self, finding: Finding) -> bool:
        """A note has no header, and a copy has the id of its original: nobody but them did that."""
        if finding.code == "duplicate_id":
            return any(name in finding.message for name in self.copied)
        without = ("no header", "is missing")
        return finding.code == "header" and any(one in finding.message for one in without)

    def _check_that_nothing_is_lost(self) -> None:
        there = {one.id: one for one in self.memories()}
        for name in self.ever():
            if name not in there and self.vault.parts.lookup.find_memory(name) is None:
                last = self.vault.parts.catalog.log.events(name)[-1][2]
                details = dict(last.details)
                why = (last.name, details.get("what", "") or details.get("reason", ""))
                assert why in (
                    ("undone", "taken back"), ("memory_deleted", "undone"), ("undone", "purged"),
                    ("hand_edit", "removed"), ("memory_purged", ""),
                ), f"lost: {name} {why}"  # fmt: skip
        for one in there.values():
            assert one.live or one.status_reason or one.superseded_by, (
                f"ended without a reason: {one}"
            )
            if one.status == "superseded":
                self._check_succession(one, there)

    def _check_succession(self, one: Memory, there: dict[str, Memory]) -> None:
        assert one.superseded_by, f"superseded by nothing: {one}"
        for name in one.superseded_by:
            successor = there.get(name)
            if successor is None:
                assert self.final, f"successor is gone: {one}"
            else:
                assert one.id in successor.supersedes, f"linked one way: {one} {successor}"

    def _check_turns(self) -> None:
        counts = self.vault.parts.catalog.turns.counts()
        kept = len(list(self.vault.parts.turn_log.entries()))
        assert sum(counts.values()) - counts.get(PURGED, 0) == kept, f"turns: {counts} {kept}"
        waiting = sum(one.turns for one in self.vault.waiting())
        assert waiting == self.vault.status().pending, f"waiting: {waiting}"

    def _check_views(self) -> None:
        written = sorted(self.vault.parts.projections.views.hashes.read())
        assert written == self.vault.parts.catalog.live_hashes(), "views: hashes"
        boxes = self.vault.parts.projections.view.boxes()
        traces = self.vault.parts.disk.read(layout.TRACES) or b""
        assert traces == trace_list(boxes), "views: traces"
        read = [
            read_content(row.path, (self.root / row.path).read_bytes()).content
            for row in self.vault.parts.catalog.files().values()
            if row.id and layout.kind_of(row.path) == "box"
        ]
        assert sorted(map(str, read)) == sorted(map(str, boxes)), "views: boxes"
        self.vault.parts.index.refresh()
        indexed = self.vault.parts.index.counts()[0]
        assert indexed == len(self.memories()), f"views: index {indexed}"

    def _check_that_purged_words_are_gone(self) -> None:
        if self.purged:
            left = {}
            for path in files(self.user):
                name = path.relative_to(self.user).as_posix()
                data = path.read_bytes()
                both = data + b"\0" + name.encode() + b"\0" + data.replace(b"\0", b"")
                if held := words_in_bytes(both) & self.purged:
                    left[name] = sorted(held)
            assert not left, f"purged words: {left}"

    def _check_that_what_was_taken_back_is_not_found(self) -> None:
        if self.final:
            return
        for made in sorted(self.hidden)[:12]:
            found = self.vault.search(f"{made}*", limit=5)
            hits = [hit for hit in found if made in str(hit).lower()]
            assert not hits, f"taken back and found: {made} {hits[:2]}"

    def tree(self) -> dict[str, bytes]:
        """The visible vault, without transcripts of what agents handed over."""
        return {
            name: path.read_bytes()
            for path in files(self.root)
            for name in [path.relative_to(self.root).as_posix()]
            if not name.startswith("state/") and path.stem not in self.captured
        }

    def take_everything_back(self) -> None:
        """Undo after undo gives the vault of the beginning, byte for byte.

        A plain `undo` leaves alone what conversations came to: here that is asked for by number.
        """
        tried: set[int] = set()
        while left := [
            (one.number, one.kind)
            for one in self.vault.log(1000)
            if not one.undone and one.kind not in _STAYS and one.number not in tried
        ]:
            number, kind = max(left)
            try:
                self.vault.undo(str(number) if kind == "close" else "")
            except (BadInput, NotFound):  # nothing of it is left
                tried.add(number)
        left, first = self.tree(), self.first
        wrong = sorted(name for name in {*left, *first} if left.get(name) != first.get(name))
        assert not wrong, f"not as at first: {wrong}"


def words_in_bytes(data: bytes) -> set[str]:
    """The made-up words of bytes, without their digits."""
    return {found.decode() for found in _CORE.findall(data.lower())}


_CORE = re.compile(rb"zq(?:[bdfklmnprstv][aeiou]){4}")


def _edited(data: bytes, chance: random.Random) -> tuple[bytes, str]:
    """A memory's file with other words or another key, and what was typed."""
    made = word(chance)
    header, fence, body = data.decode("utf-8").replace("\r\n", "\n").rpartition("\n---\n")
    what = chance.choice(("key", "tag", "sentence", "word"))
    if what == "key" and "\nmood:" not in header:
        header += f"\nmood: {made}"
    elif what == "tag" and "\ntags:" not in header:
        header += f"\ntags:\n  - {made}"
    elif what == "sentence":
        first, rest, more = body.partition("\n\n")
        body = f"{first} My own {made} words.{rest}{more}"
    else:
        body = body.replace(".", f", as {made} says.", 1)
    return (header + fence + body).encode(), made


def _told(entries: Iterable[TurnEntry]) -> str:
    turns = [entry.turn for entry in entries]
    return "\n".join(f"{one.text} {one.title} {one.project}" for one in turns)


def _within(entries: Iterable[TurnEntry], ranges: Sequence[tuple[int, int]]) -> Iterator[TurnEntry]:
    return (
        entry for entry in entries if any(first <= entry.turn.seq <= last for first, last in ranges)
    )


def _first_difference(question: str, before: object, after: object) -> str:
    rows = zip(before, after, strict=False)  # type: ignore[call-overload]
    first = next(((one, two) for one, two in rows if one != two), (before, after))
    return f"rebuild: {question!r}: {first[0]} is now {first[1]}"


#: how often each verb comes: what `undo` takes back whole
REVERSIBLE = {
    "remember": 6, "talk": 5, "bring": 5, "follow": 3, "extract": 2, "forget": 4, "restore": 3,
    "supersede": 3, "archive": 3, "retire": 2, "confirm": 3, "resolve": 2, "edit": 2,
    "consolidate": 4, "seal": 3, "undo_last": 3, "undo_number": 2, "undo_step": 1,
    "undo_import": 2, "redo": 2, "rebuild": 1, "reopen": 2, "wait": 3, "ask": 2,
}  # fmt: skip
#: and what is the person's own, or destroys
FINAL = {"type_in": 6, "write_a_note": 1, "edit_a_page": 4, "purge": 4}


def steps_of(seed: int, count: int, kind: type[Walk] = Walk) -> tuple[Step, ...]:
    """A walk: every second one has steps that are final."""
    chance = random.Random(seed)
    weights = {**kind.reversible(), **(kind.final_steps() if seed % 2 else {})}
    verbs = chance.choices(list(weights), list(weights.values()), k=count)
    return tuple(Step(verb, chance.randrange(10**9)) for verb in verbs)


@contextmanager
def _walk(kind: type[Walk]) -> Iterator[Walk]:
    folder = Path(tempfile.mkdtemp(prefix="walk-"))
    walk = None
    with mock.patch.object(os, "fsync", lambda handle: None):
        try:
            walk = kind(folder)
            yield walk
        finally:
            if walk is not None:
                walk.close()
            shutil.rmtree(folder)


def first_failure(steps: Sequence[Step], every: int = 1, kind: type[Walk] = Walk) -> Failure | None:
    """Walk; what did not hold first, looking after every so many steps and at the end."""
    done = 0
    with _walk(kind) as walk:
        try:
            for done, step in enumerate(steps, 1):
                walk.do(step)
                if done % every == 0:
                    walk.check()
            walk.check()
            walk.rebuild(random.Random(len(steps)))
            if not kind.final_steps().keys() & {step.verb for step in steps}:
                walk.take_everything_back()
                walk.check()
        except (AssertionError, EngramError, Exception) as error:  # noqa: BLE001
            return Failure(kind_of_failure(error), done, f"{type(error).__name__}: {error}")
    return None


def kind_of_failure(error: BaseException) -> str:
    """What a failure is told from others by: the type, and the beginning or the place of it."""
    if isinstance(error, AssertionError):
        return str(error).partition(":")[0][:40]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name} {frame.name}"


def walk_on(seed: int, count: int, every: int, kind: type[Walk] = Walk) -> None:
    """Fail with the seed and the fewest steps of a walk in which something does not hold."""
    steps = steps_of(seed, count, kind)
    failure = first_failure(steps, every, kind)
    if failure is not None:
        fewest, failure = shortest(steps, failure, kind)
        told = ",\n".join(f"    Step{tuple(step)}" for step in fewest)
        raise AssertionError(f"seed {seed}: {failure.message}\nfirst_failure([\n{told},\n])")


def shortest(
    steps: Sequence[Step], failure: Failure, kind: type[Walk] = Walk
) -> tuple[tuple[Step, ...], Failure]:
    """Steps left out as long as the walk fails in the same way.

    Looking settles hand edits: what fails only unseen is walked without a look.
    """
    every = 1
    found = first_failure(steps, kind=kind)
    if found is None or found.what != failure.what:
        found, every = failure, len(steps) + 1
    failure, kept = found, list(steps[: found.after])
    size = len(kept) // 2
    while size:
        start = 0
        while start < len(kept):
            fewer = kept[:start] + kept[start + size :]
            found = first_failure(fewer, every, kind)
            if found is not None and found.what == failure.what:
                kept, failure = fewer[: found.after], found
            else:
                start += size
        size //= 2
    return tuple(kept), failure
