"""A random sequence of drafts, decisions and nights over records: a number -> what must hold.

The deciders, the renderer and the passes are the real ones; the folder is a dictionary of files and
the catalog a plain view of them, so that thousands of sequences take minutes. After each step every
file that changed is read again, and what is promised of records is looked at: that titles and tags
are clean, no record writes another's line of `index.md`, what was accepted stands in the record's
history once, paths lead nowhere else, agents only add, nothing comes back for a day, and the window
of sessions is kept.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from engram.admit.cud import settled
from engram.admit.decide import AdmissionContext
from engram.admit.draft import AdmissionDraft
from engram.capture.redact.redactor import Redactor, compile_redactor
from engram.consolidate.context import PassContext
from engram.consolidate.passes import ended_records, expiry, grace_period, record_index
from engram.consolidate.passes import session_window as window
from engram.extract.receipt import receipt_of
from engram.model.authority import AUTHORITIES, authority_rank
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.ids import is_memory_id, memory_id
from engram.model.instant import plus_days, plus_minutes
from engram.model.memory import ARCHIVE, SCHEMAS, Memory, schema_name
from engram.model.record import FieldValue, Record, made_record, other_sections, record_of
from engram.model.record_changes import change_line, changes_of
from engram.model.record_draft import RecordDraft
from engram.model.record_words import clean_tags, clean_title
from engram.model.report import MemoryEdit
from engram.model.retention import Terms
from engram.model.schemas import (
    CHANGES_MOST,
    SCHEMA_TABLE,
    TAGS_MOST,
    schema_of,
)
from engram.model.settings import RecordSettings, Settings
from engram.model.step import Step as PassStep
from engram.model.text import content_hash
from engram.model.turn import turn_of
from engram.model.verdict import Verdict
from engram.pipeline import edits, forgetting
from engram.settings.load import shipped
from engram.store.base import layout
from engram.store.files.memory_file import memory_changes, read_memory, render_memory
from engram.store.files.render import FileRenderer
from tests.consolidate.cases import context
from tests.consolidate.view import Remembered
from tests.walk import Failure, Step, kind_of_failure

FIRST = "2026-03-06T08:00:00Z"
#: sessions of a project that stay
MOST = 1
_PROJECTS = ("shop", "harbor")
#: statements of each schema; `{w}` is a word of the sequence, `{n}` a number
_STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "session": ("Make the {w} retry its sync without double bookings.", "Port {w} to Go."),
    "decision": (
        "We use {w} instead of SQLite because two writers are needed.",
        "We decided to keep {w} on port {n} because the firewall is open there.",
        "We no longer use {w} because it locks.",
    ),
    "runbook": (
        "When `make {w}` fails with error {n}, always lower SYNC_BATCH to 50.",
        "To restart {w}: stop the worker, clear `/var/{w}`, start it.",
    ),
    "constraint": (
        "The {w} API never allows more than {n} requests per minute.",
        "The {w} database must not be deployed on Fridays.",
    ),
    "tech_debt": (
        "The retries of `{w}.py` must get a jitter before every release.",
        "The {w} importer still needs tests.",
    ),
    "preference": ("I always prefer {w} over spaces in Go code.", "I never use {w} in tests."),
}
_WORDS = ("till", "postgres", "valve", "ledger", "Кассa", "数据库", "größe", "api-key")
#: titles, tags, items and texts of people, of models, and of who means harm
_TEXTS = (
    "Use {w}", "{w} sync, part {n}", "the {w} locks the file", "run {w} against staging",
    "fixed {w} in v{n}.2", "ask the bank about {w}", "кассa {w} не печатает", "数据库 {n} 很慢",
    "[x] {w} is done", "[x] ", "- {w}", "1. {w}", "# {w}", "## Changes", "---", "", " ", "```",
    "{w} ```py\n# x\n```", "> {w}", "[[decision-20260101-000000-00000000]]", "a [[{w}|b]] c",
    "{w} -> facts/x.md #tags:a,b", "#tags:{w}", "[confidence:high] {w}", "-> {w} ->",
    "x #ta#tags:gs:{w}", "{w} — rejected: {n}", "2026-03-06 · status · a → b · {w}",
    "<b>{w}</b> <!-- {w} -->", "%%{w}%%", "\\[\\[{w}\\]\\]", "a\x00b\x1b[31m{w}\u202e", "\ufeff{w}",
    "\u200b{w}\u200d", "👩\u200d💻 {w}", "{w}: yes", "'{w}'", '"{w}', "{w}, {n}", "null", "*",
    "{w} (said: [[claude-code-3f2a1c9d04be#^m3f9a2c|said]])", "|{w}|", "$= {w}",
    "\u2028{w}", "\ud800", "true",
    "{w} " * 60, "e\u0301 {w}", "&amp; {w}", "*{w}* _{n}_", "{w}\n\n- a\n- b",
    "{w}\r\n## Mine\r\nx",
)  # fmt: skip
_FILES = (
    "src/{w}.py", "docs/{w} {n}.md", "../{w}", "/etc/{w}", "~/{w}", "C:\\{w}", "src/**/{w}.ts", "",
    "a\x00b", "src/[[{w}]].md", "{w}, b.py",
)  # fmt: skip
_MARKS = re.compile(r"#tags:|\[\s*confidence\s*:|\s->\s", re.IGNORECASE)
_INDEX_LINE = re.compile(r"- (.*) \[\[([a-z0-9-]+)\]\]")
#: fields that no draft changes
_FIXED = ("id", "created", "category", "schema", "text", "quote", "project", "space", "kind")
_REFUSED = (BadInput, Conflict, NotFound)


@dataclass
class Folder:
    """The files of a vault, by path."""

    files: dict[str, bytes] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file."""
        return self.files.get(path)


@dataclass
class View(Remembered):
    """What is known of those files, and what was purged when."""

    gone: list[tuple[str, str]] = field(default_factory=list)

    def purged(self, since: str) -> Sequence[str]:
        return [name for name, time in self.gone if time >= since]

    def called(self, alias: str) -> Sequence[Memory]:
        return [one for one in self.memories.values() if alias in one.aliases]


@cache
def redactor() -> Redactor:
    """The redactor as it is shipped."""
    return compile_redactor(shipped("redaction"), ())


class RecordSequence:
    """One vault in memory, and all that agents, a person and nights may do to its records."""

    def __init__(self) -> None:
        self.now = FIRST
        self.disk = Folder()
        self.view = View()
        self.writer = FileRenderer(self.disk)  # type: ignore[arg-type]
        self.settings = Settings()._replace(records=RecordSettings(sessions=MOST))
        self.terms = Terms(self.settings.retention)
        #: schema and statement of what was proposed; statements of what was purged or retired
        self.said: list[tuple[str, str]] = []
        self.ended: set[str] = set()
        self.done: Counter[str] = Counter()

    def do(self, deed: Step) -> None:
        """One step, with what must hold after it."""
        chance = random.Random(deed.draw)
        self.now = plus_minutes(self.now, chance.randrange(1, 90))
        self.done[deed.verb] += 1
        getattr(self, deed.verb)(chance)
        self._check_all()

    # -- what is drawn -------------------------------------------------------------------------

    def _text(self, chance: random.Random, texts: Sequence[str] = _TEXTS) -> str:
        made = chance.choice(texts)
        return made.replace("{w}", chance.choice(_WORDS)).replace("{n}", str(chance.randrange(99)))

    def _value(self, chance: random.Random, schema: str, name: str) -> FieldValue:
        one = SCHEMA_TABLE[schema].field(name)
        assert one is not None
        if one.choices:
            return chance.choice(one.choices)
        if one.kind == "switch":
            return chance.choice(("true", "false"))
        if one.is_list:
            return tuple(self._text(chance) for _ in range(chance.choice((1, 1, 2, 3))))
        return self._text(chance)

    def _record(self, chance: random.Random, schema: str, statement: str, share: float) -> Record:
        form = SCHEMA_TABLE[schema]
        fields: dict[str, FieldValue] = {}
        for one in form.fields[1:]:
            value = self._value(chance, schema, one.name)
            plain = chance.random() < 0.75 and not one.choices and one.kind != "switch"
            if plain:
                word = f"{chance.choice(_WORDS)} {chance.randrange(99)}"
                value = (f"it holds {word}",) if one.is_list else f"because of {word}"
            if chance.random() < share or (one.required and share > 0.5):
                fields[one.name] = value
        if statement:
            fields[form.statement.name] = statement
        plain = chance.random() < 0.7
        title = f"{chance.choice(_WORDS)} {chance.randrange(4)}" if plain else self._text(chance)
        tags = [chance.choice(_WORDS) for _ in range(chance.choice((1, 1, 2, 8)))]
        tags += [self._text(chance) for _ in range(chance.choice((0, 0, 1, 6)))]
        files = [self._text(chance, _FILES) for _ in range(chance.choice((0, 0, 1, 3)))]
        return made_record(schema, fields, title=title, tags=tags, related_files=files)

    def _statement(self, chance: random.Random, schema: str) -> str:
        """What a record states: at times what one stated that there is, or that is gone."""
        gone = [text for name, text in self.said if name == schema and text in self.ended]
        known = [text for name, text in self.said if name == schema]
        for texts, share in ((gone, 0.4), (known, 0.25)):
            if texts and chance.random() < share:
                return chance.choice(texts)
        return self._text(chance, _STATEMENTS[schema] if chance.random() < 0.95 else _TEXTS)

    def _some(self, chance: random.Random, *statuses: str) -> Memory | None:
        found = sorted(self.view.memories.values(), key=lambda one: (one.created, one.id))
        found = [one for one in found if not statuses or one.status in statuses]
        return chance.choice(found) if found else None

    # -- agents --------------------------------------------------------------------------------

    def draft(self, chance: random.Random) -> None:
        """An agent, rules or a person propose a record, at times one that was proposed before."""
        schema = chance.choice(SCHEMAS)
        action = chance.choices(("create", "update", "retire"), (5, 4, 2))[0]
        known = self._some(chance)
        known_schema = schema_name(known) if known is not None else ""
        if known_schema and (action != "create" or chance.random() < 0.3):
            schema = known_schema
        statement = "" if action != "create" and chance.random() < 0.4 else self._statement(
            chance, schema
        )  # fmt: skip
        if known is not None and action != "create" and chance.random() < 0.3:
            statement = known.text
        event = chance.choice(("resolved", "removed", "reversed", "superseded", "deprecated"))
        if action == "create" or chance.random() < 0.5:
            event = ""
        record = self._record(chance, schema, statement, 0.9 if action == "create" else 0.5)
        if known is not None and chance.random() < 0.3:
            record = replace(record, title=known.title)
        origin = chance.choices(("rules", "model", "person"), (5, 4, 2))[0]
        others = (4, 1, 1) if origin == "model" else (0, 1, 0)
        voice = chance.choices(("typed", "agent", "pasted", "program"), (16, *others))[0]
        target = ""
        if known is not None and schema == known_schema and chance.random() < 0.5:
            target = known.id if known.live or chance.random() < 0.2 else ""
        if chance.random() < 0.03:
            target = "decision-20200101-000000-00000000"
        project = chance.choice(_PROJECTS[:1] * 4 + _PROJECTS[1:])
        if known is not None and chance.random() < 0.9:
            project = known.project
        said = record.statement or "about it"
        time = (
            self.now if chance.random() < 0.8 else plus_minutes(self.now, -chance.randrange(9000))
        )
        turn = turn_of(
            "user", said, time, source="test", session=f"s{chance.randrange(4)}", project=project
        )
        made = RecordDraft(
            record, action, (receipt_of(turn, said),), project, event=event, target=target,  # type: ignore[arg-type]
            reason=self._text(chance) if chance.random() < 0.4 else "", origin=origin,  # type: ignore[arg-type]
            confidence=chance.choice((0.3, 0.7, 0.95, 7.0, float("nan"))), voice=voice,  # type: ignore[arg-type]
        )  # fmt: skip
        if record.statement and action == "create":
            self.said.append((schema, record.statement))
        self._take(made)

    def _take(self, made: RecordDraft) -> None:
        draft = AdmissionDraft(self.view, self.terms, self.now)
        admission = AdmissionContext(draft.view, redactor().clean, self.settings, self.now)
        verdict = settled(made, admission)
        self.done[f"verdict {verdict.decision}"] += 1
        self.done[f"code {verdict.decision} {verdict.code}"] += 1
        draft.enter(verdict)
        born, amended = list(draft.born), list(draft.amended)
        assert bool(born or amended) or verdict.decision in ("refuse", "same"), (
            f"nothing: {verdict}"
        )
        # what lost is told with what it lost to
        assert len(draft.events) <= 1 + 2 * len(amended), f"events: {draft.events}"
        self._check_verdict(made, verdict, born, amended)
        self._check_protection(made, born, amended)
        if made.origin != "person":
            for one in born:
                self._check_resurrection(one)
        self._write(born, amended)
        if made.origin != "person":
            for one in born:
                self._check_one_owner(one)

    # -- the person ----------------------------------------------------------------------------

    def _decide(
        self, memory: Memory | None, decision: Callable[[Memory], MemoryEdit]
    ) -> MemoryEdit | None:
        if memory is None:
            return None
        try:
            done = decision(memory)
        except _REFUSED:
            return None
        self._write([], done.pairs)
        return done

    def retire(self, chance: random.Random) -> None:
        """The person takes a memory out of use."""
        one = self._some(chance)
        done = self._decide(one, lambda it: edits.retire([it], "", self.now))
        if done is not None and one is not None:
            assert self.view.memories[one.id].status == "retired"
            self.ended.add(one.text)

    def forget(self, chance: random.Random) -> None:
        """The same, with its turns."""
        self._decide(self._some(chance), lambda it: forgetting.forget([it], "", self.now))

    def archive(self, chance: random.Random) -> None:
        """Out of the way."""
        self._decide(self._some(chance), lambda it: edits.archive([it], self.now))

    def confirm(self, chance: random.Random) -> None:
        """The person vouches for a memory."""
        self._decide(self._some(chance), lambda it: edits.confirm([it], self.now, self.terms))

    def supersede(self, chance: random.Random) -> None:
        """One memory takes the place of another."""
        other = self._some(chance)
        if other is not None:
            self._decide(
                self._some(chance),
                lambda it: edits.supersede(
                    it, self.view.memories[other.id], self.view.memory, self.now,
                    self.terms,
                ),
            )  # fmt: skip

    def restore(self, chance: random.Random) -> None:
        """Back into use: it works for whatever was not purged, if nobody else owns its words."""
        one = self._some(chance, "retired", "archived", "expired", "superseded", "needs-review")
        if one is None:
            return
        owners = self.view.owners(content_hash(one.text, one.scope))
        if any(other.live and other.id != one.id for other in owners) and not one.live:
            try:
                edits.unowned(one, self.view)
            except BadInput as error:
                assert error.told == "RESTORE_ERROR", error
                return
            raise AssertionError(f"two owners: {one.id}")
        done = edits.restore(edits.unowned(one, self.view), self.now, self.terms)
        self._write([], done.pairs)
        after = self.view.memories[one.id]
        assert (after.status, after.status_since, after.status_reason) == ("active", "", "")
        if not one.live:
            self._check_one_owner(after)

    def purge(self, chance: random.Random) -> None:
        """A memory is destroyed; its id is remembered."""
        one = self._some(chance)
        if one is not None and chance.random() < 0.5:
            self.ended.add(one.text)
            del self.disk.files[one.path]
            del self.view.memories[one.id]
            self.view.gone.append((one.id, self.now))
            for other in list(self.view.memories.values()):
                parted = {
                    name: tuple(it for it in getattr(other, name) if it != one.id)
                    for name in ("supersedes", "superseded_by", "conflicts")
                }
                if replace(other, **parted) != other:
                    self._write([], [(other, replace(other, **parted))])

    def hand_edit(self, chance: random.Random) -> None:
        """Sections, keys, title and tags in an editor; the statement too."""
        one = self._some(chance)
        if one is None:
            return
        text = self.disk.files[one.path].decode("utf-8")
        end = "\r\n" if "\r\n" in text else "\n"
        head, fence, body = text.replace("\r\n", "\n").partition("\n---\n")
        made = self._text(chance).replace("\r\n", "\n").encode("utf-8", "replace").decode()
        what = chance.choice(
            ("section", "item", "changes", "many", "key", "crlf", "words", "again")
        )
        if what == "section":
            body += f"\n## Mine {chance.randrange(3)}\n\n{made}\n"
        elif what == "item":
            form = schema_of(one.category, one.schema)
            heading = chance.choice(form.sections).place if form else "Context"
            if f"## {heading}\n" in body:
                body = body.replace(f"## {heading}\n", f"## {heading}\n- {made}\n", 1)
            else:
                body += f"\n## {heading}\n{made}\n"
        elif what == "changes":
            body += f"\n## Changes\n{made}\n- 2026-01-01 · mine\n"
        elif what == "many" and "## Changes" not in body:
            body += "\n## Changes\n" + "".join(f"- 2026-01-01 · n{n}\n" for n in range(49))
        elif what == "key" and "\nmood:" not in head:
            head += "\nmood: good"
        elif what == "crlf":
            end = "\r\n"
        elif what == "words":
            body = body.replace(".", ", as I see it.", 1)
        else:
            body = re.sub(r"(?m)^- ", "* ", body)
        self._read(one.path, (head + fence + body).replace("\n", end).encode("utf-8"))

    # -- time and nights -----------------------------------------------------------------------

    def wait(self, chance: random.Random) -> None:
        """Days pass."""
        days = chance.choice((1, 1, 2, 8, 31, 100))
        self.now = plus_days(self.now[:10], days) + self.now[10:]

    def night(self, chance: random.Random) -> None:
        """The passes about records; a second night finds nothing to do."""
        before = dict(self.view.memories)
        for plan in (window.plan, ended_records.plan, expiry.plan, grace_period.plan):
            steps = plan(self._context())
            for step in steps:
                self._apply(step)
            if plan is window.plan:
                self._check_window(before, steps)
            again = plan(self._context())
            assert not again, f"a second night: {again}"
        self._index()

    def _context(self) -> PassContext:
        return replace(context(self.view, None, now=self.now), settings=self.settings)

    def _apply(self, step: PassStep) -> None:
        assert not step.born and not step.pages, f"what is this: {step}"
        for before, _ in step.amended:
            assert self.view.memories[before.id] == before, f"a step from what is not: {step}"
        self._write([], step.amended)
        for change in step.prose:
            assert change.path == record_index.PATH, change.path
            if change.after is None:
                self.view.pages.pop(change.path, None)
            else:
                self.view.pages[change.path] = change.after.decode("utf-8")

    def _check_window(self, before: Mapping[str, Memory], steps: Sequence[PassStep]) -> None:
        """The retired are the oldest of their project, and no more go than must."""
        gone = {name for step in steps for name in step.subjects}
        projects = {one.project for one in before.values()}
        for project in sorted(projects):
            known = [
                one for one in before.values()
                if one.schema == "session" and one.status == "active" and one.project == project
                and "left_window" not in one.extras
            ]  # fmt: skip
            known.sort(key=lambda one: (one.created, one.id))
            over = {one.id for one in known[: max(len(known) - MOST, 0)]}
            assert over == gone & {one.id for one in known}, f"window: {over} {gone}"
        for name in gone:
            after = self.view.memories[name]
            assert (after.status, after.status_reason) == ("retired", "session_window"), after
        active = Counter(
            one.project for one in self.view.memories.values()
            if one.schema == "session" and one.status == "active"
            and "left_window" not in one.extras
        )  # fmt: skip
        assert all(count <= MOST for count in active.values()), f"window: {active}"

    def _index(self) -> None:
        """The page has a line for each record that is active, and no record writes another's."""
        for step in record_index.plan(self._context()):
            self._apply(step)
        assert not record_index.plan(self._context()), "index: not the same twice"
        lines = self._index_lines()
        shown = {
            one.id for one in self.view.memories.values()
            if one.status == "active" and schema_of(one.category, one.schema)
            and one.sensitivity != "secret" and one.space != "session"
        }  # fmt: skip
        assert lines.keys() == shown, f"index: {lines.keys() ^ shown}"
        if not shown:
            return
        victim = random.Random(self.now).choice(sorted(shown))
        chance = random.Random(self.now)
        held, page = self.view.memories[victim], self.view.pages[record_index.PATH]
        for title in [self._text(chance), f"x [[{victim}]]\n- y [[{min(shown)}]]"]:
            self.view.memories[victim] = replace(held, title=title)
            for step in record_index.plan(self._context()):
                self._apply(step)
            other = self._index_lines()
            same = {name: line for name, line in lines.items() if name != victim}
            assert {name: line for name, line in other.items() if name != victim} == same, (
                f"index: {title!r} changes another line"
            )
            assert victim in other, f"index: {title!r} has no line"
        self.view.memories[victim] = held
        self.view.pages[record_index.PATH] = page

    def _index_lines(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.view.pages.get(record_index.PATH, "").split("\n"):
            if line.startswith("- "):
                match = _INDEX_LINE.fullmatch(line)
                assert match, f"index: {line!r}"
                assert match[2] not in found, f"index: twice {line!r}"
                found[match[2]] = match[1]
        return found

    # -- files ---------------------------------------------------------------------------------

    def _write(self, born: Sequence[Memory], amended: Iterable[tuple[Memory, Memory]]) -> None:
        """Through the renderer into files, and back: what is read is what was meant."""
        pairs = [(before, after) for before, after in amended if before != after]
        meant = [(None, one) for one in born] + [(before, after) for before, after in pairs]
        for before, after in meant:
            changes = self.writer.changes([], [(before, after)]) if before else (
                self.writer.changes([after], [])
            )  # fmt: skip
            for change in changes:
                self._check_path(change.path)
                assert self.disk.files.get(change.path) == change.before, f"lost: {change.path}"
                if change.after is None:
                    del self.disk.files[change.path]
                else:
                    self._read(change.path, change.after)
            read = self.view.memories[after.id]
            data = self.disk.files[read.path]
            if before is None:  # what is foreign in it is made inert by the renderer
                assert render_memory(read) == data, _difference(after, read)
            else:
                assert read == replace(after, path=read.path), _difference(after, read)
            assert memory_changes(data, read, read) == data, "law: a change of nothing"

    def _read(self, path: str, data: bytes) -> None:
        self.disk.files[path] = data
        found = read_memory(path, data).memory
        self.view.memories[found.id] = found

    def _check_path(self, path: str) -> None:
        assert layout.kind_of(path) == "memory" and layout.is_storable(path), f"path: {path}"
        assert path.startswith(("facts/", f"{ARCHIVE}/")) and path.endswith(".md"), f"path: {path}"
        assert ".." not in path and path.count("/") == 2, f"path: {path}"

    # -- what must hold ------------------------------------------------------------------------

    def _check_all(self) -> None:
        for one in self.view.memories.values():
            assert one.live or one.status_reason, f"ended without a reason: {one.id}"
            assert one.path in self.disk.files, f"no file: {one.id}"
            if one.status == "superseded":
                for name in one.superseded_by:
                    by = self.view.memories.get(name)
                    assert by is None or one.id in by.supersedes, f"linked one way: {one.id}"
            record = record_of(one)
            if record is not None:
                again = made_record(
                    record.schema, record.fields, title=record.title, tags=record.tags,
                    related_files=record.related_files, confidence=record.confidence,
                )  # fmt: skip
                assert again == record, f"law: {one.id}"
        assert sorted(self.disk.files) == sorted(one.path for one in self.view.memories.values())

    def _check_verdict(
        self, made: RecordDraft, verdict: Verdict, born: Sequence[Memory],
        amended: Sequence[tuple[Memory, Memory]],
    ) -> None:  # fmt: skip
        """What was accepted stands in the record's own history, once."""
        for one in born:
            self._check_clean(one.title, one.tags)
            assert not changes_in(one), f"history: {changes_in(one)}"
            record = record_of(one)
            assert record is not None and record.schema == made.record.schema, f"form: {one.id}"
        if verdict.patch is None:
            for before, after in amended:
                assert before.sections == after.sections, "history: changed without a verdict"
            return
        ((before, after),) = amended
        if verdict.decision == "retire":
            assert (after.status, before.live) == ("retired", True), f"retire: {before.status}"
            assert replace(
                after, status=before.status, status_since=before.status_since,
                status_reason=before.status_reason, sources=before.sources,
            ) == before, "retire: more than the status"  # fmt: skip
            return
        told, known = changes_in(after), changes_in(before)
        fresh = len(verdict.patch.fields)
        assert fresh and len(set(verdict.patch.fields)) == fresh, f"history: {verdict.patch.fields}"
        log = "\n".join(text for name, text in before.sections if name.casefold() == "changes")
        if "```" in log or not (_is_list(log) or not log):
            return  # what a person wrote there hides the lines, or is hidden by them
        kept = told[:-fresh]
        # in a second section of that name, which only a person makes, there is room again
        assert kept in (known, known[max(len(known) + fresh - CHANGES_MOST, 0) :]), (
            f"history: {known[-2:]} -> {told[-3:]} {verdict.patch.fields}"
        )
        for line, name in zip(told[-fresh:], verdict.patch.fields, strict=True):
            assert line.startswith(f"{self.now[:10]} · {name} · "), f"history: {line!r} {name}"
        self._check_clean(
            after.title if after.title != before.title else "",
            tuple(tag for tag in after.tags if tag not in before.tags),
        )

    def _check_clean(self, title: str, tags: tuple[str, ...]) -> None:
        assert clean_title(title) == title, f"clean: {title!r}"
        assert clean_tags(tags, len(tags)) == tags, f"clean: {tags}"
        for text in (title, *tags):
            assert not _MARKS.search(text), f"clean: {text!r}"
            odd = {unicodedata.category(sign) for sign in text} & {"Cc", "Cs", "Zl", "Zp"}
            assert not odd, f"clean: {text!r}"

    def _check_protection(
        self, made: RecordDraft, born: Sequence[Memory], amended: Sequence[tuple[Memory, Memory]]
    ) -> None:
        trusted = made.origin == "person" or (
            made.voice == "typed" and made.record.schema != "session"
        )
        for before, after in amended:
            for name in _FIXED:
                assert getattr(before, name) == getattr(after, name), f"immutable: {name}"
            assert set(before.tags) <= set(after.tags), f"tags: {before.tags} {after.tags}"
            assert len(after.tags) <= max(TAGS_MOST, len(before.tags)), f"tags: {after.tags}"
            assert set(before.related_files) <= set(after.related_files), "files went"
            assert other_sections(before) == other_sections(after), "sections of the person"
            assert before.extras.get("mood") == after.extras.get("mood"), "keys of the person"
            assert set(before.sources) <= set(after.sources), "receipts went"
            asserted = authority_rank(before.authority) > authority_rank(AUTHORITIES[0])
            if asserted and not trusted:
                assert before.status == after.status, (
                    f"low trust: {before.status} -> {after.status} ({after.status_reason})"
                )
            form = schema_of(before.category, before.schema)
            if made.origin != "person" and form is not None and not form.retired_by_agents:
                assert after.status != "retired", f"retired by an agent: {before.id}"

    def _check_one_owner(self, one: Memory) -> None:
        """What is said by a live memory is not said by a second one, but for sessions."""
        if one.schema != "session" and one.live:
            others = self.view.owners(content_hash(one.text, one.scope))
            live = [other.id for other in others if other.live and other.id != one.id]
            assert not live, f"second owner: {one.id} beside {live}"

    def _check_resurrection(self, one: Memory) -> None:
        """Nothing that was taken away in the last day is back by id, name or content."""
        since = plus_minutes(self.now, -60 * self.settings.retention.resurrection_hours)
        digits = memory_id(one.category, one.created, one.text).split("-")[3]
        session = one.schema == "session"
        for name, time in self.view.gone:
            if time > since and is_memory_id(name):
                back = name == one.id if session else name.split("-")[3] == digits
                assert not back, f"resurrection: purged {name} as {one.id}"
        for other in self.view.memories.values():
            late = other.status == "retired" and other.status_since > since
            if not late or other.id == one.id or session:
                continue
            content = content_hash(other.text, other.scope) == content_hash(one.text, one.scope)
            here = (other.space, other.project, other.category) == (
                one.space, one.project, one.category,
            )  # fmt: skip
            slug = here and bool(set(other.aliases[:1]) & set(one.aliases))
            owners = [
                owner for owner in self.view.owners(content_hash(one.text, one.scope)) if owner.live
            ]
            assert not content or owners, f"resurrection: content of {other.id} as {one.id}"
            assert not slug, f"resurrection: name of {other.id} as {one.id}"


def _difference(meant: Memory, read: Memory) -> str:
    names = [name for name in Memory.__dataclass_fields__ if name != "path"]
    wrong = [
        f"{name}: meant {getattr(meant, name)!r}, read {getattr(read, name)!r}"
        for name in names
        if getattr(meant, name) != getattr(read, name)
    ]
    return f"law: {'; '.join(wrong)}"


#: how often each deed comes
DEEDS = {
    "draft": 16, "retire": 2, "forget": 1, "archive": 2, "confirm": 1, "supersede": 2, "restore": 3,
    "purge": 2, "hand_edit": 4, "wait": 2, "night": 3,
}  # fmt: skip


def deeds_of(seed: int) -> tuple[Step, ...]:
    """A sequence of 8 to 15 deeds."""
    chance = random.Random(seed)
    verbs = chance.choices(list(DEEDS), list(DEEDS.values()), k=chance.randrange(8, 16))
    return tuple(Step(verb, chance.randrange(10**9)) for verb in verbs)


def first_failure(deeds: Sequence[Step], done: Counter[str] | None = None) -> Failure | None:
    """What did not hold first."""
    sequence = RecordSequence()
    number = 0
    try:
        for deed in deeds:
            number += 1
            sequence.do(deed)
    except (AssertionError, Exception) as error:  # noqa: BLE001
        return Failure(kind_of_failure(error), number, f"{type(error).__name__}: {error}")
    finally:
        if done is not None:
            done.update(sequence.done)
    return None


def shortest(deeds: Sequence[Step], failure: Failure) -> tuple[tuple[Step, ...], Failure]:
    """Deeds left out, one by one, as long as the sequence fails in the same way."""
    kept = list(deeds[: failure.after])
    at = 0
    while at < len(kept):
        fewer = kept[:at] + kept[at + 1 :]
        found = first_failure(fewer)
        if found is not None and found.what == failure.what:
            kept, failure = fewer[: found.after], found
        else:
            at += 1
    return tuple(kept), failure


def sequence_on(seed: int, done: Counter[str] | None = None) -> None:
    """Fail with the seed and the fewest deeds of a sequence in which something does not hold."""
    deeds = deeds_of(seed)
    failure = first_failure(deeds, done)
    if failure is not None:
        fewest, failure = shortest(deeds, failure)
        told = ",\n".join(f"    Step{tuple(deed)}" for deed in fewest)
        raise AssertionError(f"seed {seed}: {failure.message}\nfirst_failure([\n{told},\n])")


def changes_in(memory: Memory) -> tuple[str, ...]:
    """The lines under `## Changes`, in order."""
    return tuple(change_line(one).removeprefix("- ") for one in changes_of(memory))


def _is_list(text: str) -> bool:
    return all(line.startswith("- ") for line in text.split("\n"))
