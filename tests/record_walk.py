"""A random walk through one vault that is full of records (tests/walk.py says what a walk is).

To what may happen to any vault come new records (JSON and forms), edits by programs with a right
and a wrong hash, drafts of agents, nights with a small window of sessions, the collection of what
was retired, and sections typed by hand; to what always holds comes what is promised of records.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from engram.consolidate.passes import record_index
from engram.extract.receipt import receipt_of
from engram.model.change import Plan
from engram.model.errors import BadInput, Conflict
from engram.model.findings import Finding
from engram.model.instant import minutes_between
from engram.model.memory import SCHEMAS, Memory, schema_name
from engram.model.record import FieldValue, made_record, record_of
from engram.model.record_draft import RecordDraft
from engram.model.record_form import form_text
from engram.model.schemas import CHANGES_MOST, SCHEMA_TABLE
from engram.model.text import content_hash, sha256_bytes
from engram.model.turn import turn_of
from engram.pipeline.session_closing import admit_drafts
from engram.pipeline.writing import writing
from engram.store.base import layout
from engram.store.files.memory_file import memory_changes, read_memory
from tests.record_sequence import changes_in
from tests.walk import Walk, word, words_in

#: sessions of a project that stay
_MOST = 2
_STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "session": ("Make the {w} retry its sync.", "Port {w} to Go."),
    "decision": (
        "We use {w} instead of SQLite because two writers are needed.",
        "We decided to keep {w} on port {n}.",
    ),
    "runbook": ("When `make {w}` fails with error {n}, always lower SYNC_BATCH to 50.",),
    "constraint": ("The {w} API never allows more than {n} requests per minute.",),
    "tech_debt": ("The retries of `{w}.py` must get a jitter before every release.",),
    "preference": ("I always prefer {w} over spaces in Go code.",),
}
_TEXTS = (
    "the {w} locks the file", "run {w} against staging", "[x] {w} is done", "кассa {w}",
    "# {w}", "## Changes {w}", "a [[{w}]] b", "{w} -> facts/x.md #tags:a", "<!-- {w} -->",
    "{w} — rejected: {n}", "数据库 {w}", "`{w}`: \"yes\"", "{w}, {n}",
)  # fmt: skip
#: what a person may be told, by seed 001's name
_CODES = frozenset([
    "VALIDATION_ERROR", "ANTI_RESURRECTION_ERROR", "CREATE_OVERWRITE_ERROR", "SECURITY_ERROR",
])  # fmt: skip
#: how often each step comes
_REVERSIBLE = {
    "new_record": 14, "draft_record": 18, "edit_from": 6, "collect": 3, "consolidate": 6,
    "remember": 2, "talk": 1, "bring": 1, "follow": 1, "extract": 1, "forget": 3, "restore": 4,
    "supersede": 3, "archive": 3, "retire": 4, "confirm": 2, "resolve": 1, "edit": 2, "seal": 1,
    "undo_last": 4, "undo_number": 3, "undo_step": 2, "undo_import": 1, "redo": 3, "rebuild": 1,
    "reopen": 1, "wait": 3,
}  # fmt: skip
_FINAL = {"type_in": 4, "write_a_note": 1, "edit_a_page": 3, "purge": 5, "type_a_section": 6}
_LINE = re.compile(r"- .* \[\[([a-z0-9-]+)\]\]")


class RecordWalk(Walk):
    """One vault of records, and all that may happen to it."""

    def __init__(self, folder: Path) -> None:
        self.told: Counter[str] = Counter()
        #: statements of records that there are or were
        self.statements: list[tuple[str, str, str]] = []
        home = folder / "user" / "engram"
        home.mkdir(parents=True)
        (home / "config.toml").write_text(f"[records]\nsessions = {_MOST}\n", encoding="utf-8")
        super().__init__(folder)
        assert self.vault.settings.records.sessions == _MOST

    @classmethod
    def reversible(cls) -> dict[str, int]:
        return _REVERSIBLE

    @classmethod
    def final_steps(cls) -> dict[str, int]:
        return _FINAL

    # -- records -------------------------------------------------------------------------------

    def _records(self) -> list[Memory]:
        return [one for one in self.memories() if schema_name(one)]

    def _text(self, chance: random.Random) -> str:
        made = chance.choice(_TEXTS) if chance.random() < 0.5 else "it holds {w}"
        return made.replace("{w}", word(chance)).replace("{n}", str(chance.randrange(99)))

    def _fields(
        self, chance: random.Random, schema: str, statement: str, share: float
    ) -> dict[str, FieldValue]:
        form = SCHEMA_TABLE[schema]
        fields: dict[str, FieldValue] = {}
        for one in form.fields[1:]:
            needed = one.required and share > 0.5
            if not (needed or chance.random() < share):
                continue
            if one.choices:
                fields[one.name] = chance.choice(one.choices)
            elif one.kind == "switch":
                fields[one.name] = chance.choice(("true", "false"))
            elif one.is_list:
                fields[one.name] = tuple(self._text(chance) for _ in range(chance.choice((1, 2))))
            else:
                fields[one.name] = self._text(chance)
        if statement:
            fields[form.statement.name] = statement
        return fields

    def _statement(self, chance: random.Random, schema: str) -> tuple[str, str]:
        """What a record says, and its title; at times those of one that there was."""
        known = [one for one in self.statements if one[0] == schema]
        made = chance.choice(_STATEMENTS[schema])
        made = made.replace("{w}", word(chance)).replace("{n}", str(chance.randrange(99)))
        title = f"About {word(chance)}"
        if known and chance.random() < 0.35:
            made = chance.choice(known)[1]
        if known and chance.random() < 0.2:
            title = chance.choice(known)[2]
        self.statements.append((schema, made, title))
        return made, title

    def new_record(self, chance: random.Random) -> None:
        """A program's JSON or a person's form; nothing comes back that was retired today."""
        schema = chance.choice(SCHEMAS)
        statement, title = self._statement(chance, schema)
        fields = self._fields(chance, schema, statement, 0.8)
        project = self._project(chance)
        tags = [word(chance), "one"]
        if chance.random() < 0.5:
            data = self._as_json(schema, title, tags, fields)
        else:
            data = self._as_form(schema, title, tags, fields)
        self.vault.take_up_edits()
        last = self.vault.parts.committer.last
        before = {one.id: one for one in self.memories()}
        try:
            done = self.vault.new(data, schema, project=project)
        except BadInput as error:
            assert error.told in _CODES, f"new: {error.told} {error}"
            assert self.vault.parts.committer.last == last, "new: refused and written"
            self.told[f"new {error.told}"] += 1
            return
        self.told[f"new {done.decision}"] += 1
        self.hidden -= words_in(data)
        self.purged -= words_in(data)
        one = self.vault.memory(done.memory.id)
        assert one.status == "active" or done.decision == "same", f"new: {one.status}"
        if done.decision == "new":
            assert one.id not in before, f"new: {one.id} was there"
            self._check_not_resurrected(one, before)
            assert schema_name(one) == schema, f"new: {schema_name(one)} of {schema}"

    def _as_json(
        self, schema: str, title: str, tags: list[str], fields: Mapping[str, FieldValue]
    ) -> bytes:
        from engram.model.record_json import content_json

        made = made_record(schema, fields, title=title, tags=tags)
        return json.dumps({"title": title, "tags": tags, "content": content_json(made)}).encode()

    def _as_form(
        self, schema: str, title: str, tags: list[str], fields: Mapping[str, FieldValue]
    ) -> bytes:
        text = form_text(SCHEMA_TABLE[schema], title=title, tags=tags)
        form = SCHEMA_TABLE[schema]
        head, _, body = text.partition("\n---\n")
        for one in form.scalars:
            if one.name in fields:
                value = json.dumps(fields[one.name], ensure_ascii=False)
                head = re.sub(
                    rf"(?m)^{one.place}:.*$", lambda _, p=one.place, v=value: f"{p}: {v}", head
                )
        body = f"{fields[form.statement.name]}\n"
        for one in form.sections:
            value = fields.get(one.name, ())
            if value:
                items = value if isinstance(value, tuple) else ()
                lines = "\n".join(f"- {item}" for item in items) or f"{value}"
                body += f"\n## {one.place}\n{lines}\n"
        return f"{head}\n---\n{body}".encode()

    def _check_not_resurrected(self, made: Memory, before: Mapping[str, Memory]) -> None:
        """By id, name or content, of what was retired in the last day."""
        if schema_name(made) == "session":
            return
        for other in before.values():
            if other.status != "retired" or not other.status_since:
                continue
            if minutes_between(other.status_since, self.clock.now()) >= 24 * 60:
                continue
            same = content_hash(other.text, other.scope) == content_hash(made.text, made.scope)
            assert not same, f"resurrection: content of {other.id} as {made.id}"
            here = (other.space, other.project, schema_name(other)) == (
                made.space, made.project, schema_name(made),
            )  # fmt: skip
            named = set(other.aliases[:1]) & set(made.aliases)
            assert not (here and named), f"resurrection: name of {other.id} as {made.id}"

    def edit_from(self, chance: random.Random) -> None:
        """A program's edit: another version than it read is a conflict, and nothing is written."""
        found = self._records()
        if not found:
            return
        one = chance.choice(found)
        self.vault.take_up_edits()
        path = self.root / one.path
        if not path.exists():
            return
        data = path.read_bytes()
        after = self._rewritten(chance, data)
        right = chance.random() < 0.7
        expected = sha256_bytes(data) if right else sha256_bytes(data + b"x")
        try:
            done = self.vault.replace_text(one.id, after, expected)
        except Conflict as error:
            assert not right and error.told == "OCC_CONFLICT", f"edit: {error.told} {error}"
            assert path.read_bytes() == data, "edit: refused and written"
            self.told["edit conflict"] += 1
        except BadInput as error:
            assert path.read_bytes() == data, "edit: refused and written"
            self.told[f"edit {error.told}"] += 1
        else:
            assert right, "edit: another version was written over"
            assert (self.root / done.after.path).read_bytes() == after, "edit: not as given"
            self.told["edit"] += 1

    def _rewritten(self, chance: random.Random, data: bytes) -> bytes:
        text = data.decode("utf-8")
        crlf = "\r\n" in text
        text = text.replace("\r\n", "\n")
        what = chance.choice(("item", "status", "section", "key", "statement"))
        if what == "item" and "\n## " in text:
            text = text.rstrip("\n") + f"\n- {self._text(chance)}\n"
        elif what == "status":
            text = text.replace("\nstatus: active", "\nstatus: retired", 1)
        elif what == "section" and "\n## Mine" not in text:
            text = text.rstrip("\n") + f"\n\n## Mine\n{word(chance)}\n"
        elif what == "key" and "\nmood:" not in text:
            text = text.replace("\nstatus:", f"\nmood: {word(chance)}\nstatus:", 1)
        else:
            head, fence, body = text.partition("\n---\n")
            text = head + fence + body.replace(".", f", as {word(chance)} says.", 1)
        return (text.replace("\n", "\r\n") if crlf else text).encode()

    def draft_record(self, chance: random.Random) -> None:
        """What an agent heard in a conversation becomes a record, changes one, ends one."""
        schema, known = chance.choice(SCHEMAS), None
        found = self._records()
        if found and chance.random() < 0.6:
            known = chance.choice(found)
            schema = schema_name(known)
        action = chance.choice(("create", "update", "update", "retire")) if known else "create"
        statement, title = self._statement(chance, schema)
        if known is not None and action != "create" and chance.random() < 0.7:
            statement = known.text if chance.random() < 0.5 else ""
        share = 0.8 if action == "create" else 0.4
        fields = self._fields(chance, schema, statement, share)
        record = made_record(
            schema, fields, title=title if chance.random() < 0.7 else "",
            tags=[word(chance) for _ in range(chance.choice((1, 2, 7)))],
            related_files=[f"src/{word(chance)}.py"] if chance.random() < 0.3 else [],
        )  # fmt: skip
        project = known.project if known is not None else chance.choice(("shop", "harbor"))
        said = record.statement or f"that is about {word(chance)}"
        turn = turn_of(
            "user", said, self.clock.now(), source="agent", session=f"talk{chance.randrange(5)}",
            project=project,
        )  # fmt: skip
        self.vault.capture([turn])
        self.hidden -= words_in(f"{said}\n{project}")
        self.purged -= words_in(f"{said}\n{title}\n{project}")
        self.captured.add(turn.transcript)
        self.said.append([turn])
        events = ("resolved", "removed", "reversed", "superseded", "deprecated")
        self._take(
            RecordDraft(
                record, action, (receipt_of(turn, said),), project,  # type: ignore[arg-type]
                event=chance.choice(events) if action != "create" and chance.random() < 0.5 else "",  # type: ignore[arg-type]
                target=known.id if known is not None and chance.random() < 0.75 else "",
                reason=f"because of {word(chance)}" if chance.random() < 0.5 else "",
                origin=chance.choice(("rules", "model")), space="project" if project else "user",  # type: ignore[arg-type]
                voice="typed" if chance.random() < 0.8 else "agent",
            )
        )  # fmt: skip

    def _take(self, made: RecordDraft) -> None:
        parts = self.vault.parts
        with writing(parts):
            before = {one.id: one for one in self.memories()}
            draft = admit_drafts([made], parts)
            changes = parts.writer.changes(draft.born, draft.amended)
            parts.committer.commit(Plan("close", tuple(changes), tuple(draft.events)))
        ((event, *_),) = [draft.events[:1]] if draft.events else [[None]]
        self.told[f"draft {event.name if event else 'nothing'}"] += 1
        for one in draft.born:
            self._check_not_resurrected(self.vault.memory(one.id), before)
        if event is not None and event.name == "record_updated":
            fields = dict(event.details)["fields"].split()
            self._check_history(
                before[event.subject], self.vault.memory(event.subject), len(fields)
            )
        for old, _ in draft.amended:
            after = self.vault.memory(old.id)
            for name in ("id", "created", "category", "schema", "text", "quote"):
                assert getattr(old, name) == getattr(after, name), f"immutable: {name}"
            assert set(old.tags) <= set(after.tags), f"tags: {old.tags} {after.tags}"

    def _check_history(self, before: Memory, after: Memory, fresh: int) -> None:
        log = [text for name, text in before.sections if name.casefold() == "changes"]
        if len(log) > 1 or "```" in "".join(log):
            return
        known, told = changes_in(before), changes_in(after)
        most = max(len(known) + fresh - CHANGES_MOST, 0)
        assert told[:-fresh] in (known, known[most:]), f"history: {known[-2:]} {told[-3:]}"

    def collect(self, chance: random.Random) -> None:
        """`engram gc`; at once again there is nothing to do."""
        self.vault.gc()
        again = self.vault.gc()
        assert not again.moved and not again.dated, f"gc: {again}"

    def consolidate(self, chance: random.Random) -> None:
        super().consolidate(chance)
        self._check_window()
        self._check_index()

    def type_a_section(self, chance: random.Random) -> None:
        """A section in the person's editor: a field's, one of their own, or lines of change."""
        found = self._records()
        if not found:
            return
        one = chance.choice(found)
        path = self.root / one.path
        if not path.exists():
            return
        self.final = True
        form = SCHEMA_TABLE[schema_name(one)]
        made = self._text(chance)
        heading = chance.choice((chance.choice(form.sections).place, "Mine", "Changes"))
        text = path.read_bytes().decode("utf-8").rstrip("\n")
        path.write_text(f"{text}\n\n## {heading}\n- {made}\n", encoding="utf-8")
        self.typed |= dict.fromkeys(words_in(made), one.id)

    # -- what always holds ---------------------------------------------------------------------

    def _is_the_persons(self, finding: Finding) -> bool:
        """What of a record is not as its schema says, was typed so."""
        typed = self.final and finding.code == "record"
        return typed or super()._is_the_persons(finding)

    def check(self) -> None:
        super().check()
        self._check_files()
        self._check_ended_is_not_given()

    def _check_files(self) -> None:
        """The catalog says what the files say; a change of nothing changes nothing."""
        for one in self.memories():
            path = self.root / one.path
            if not path.exists():
                continue
            data = path.read_bytes()
            read = read_memory(one.path, data).memory
            assert read == one, f"catalog: {read} {one}"
            assert memory_changes(data, read, read) == data, f"law: {one.id}"
            assert layout.kind_of(one.path) == "memory", f"path: {one.path}"
            record = record_of(one)
            if record is not None:
                again = made_record(
                    record.schema, record.fields, title=record.title, tags=record.tags,
                    related_files=record.related_files, confidence=record.confidence,
                )  # fmt: skip
                assert again == record, f"law: {one.id}"

    def _check_ended_is_not_given(self) -> None:
        """Search and recall give nothing that is out of use."""
        every = self.memories()
        ended = {one.id for one in every if not one.live}
        for one in [one for one in every if not one.live][:4]:
            for made in sorted(words_in(f"{one.title} {one.text}"))[:2]:
                found = self.vault.search(f"{made}*", limit=20)
                hits = [hit.id for hit in found.memories if hit.id in ended]
                assert not hits, f"ended and found: {made} {hits}"
            block = self.vault.recall(one.text[:200])
            given = set(block.shown) & ended
            assert not given, f"ended and given: {given}"
            if one.project:
                block = self.vault.recall(one.text[:200], projects=[one.project])
                assert not set(block.shown) & ended, "ended and given to an agent"

    def _check_window(self) -> None:
        """Of each project so many are active, beside those that the person brought back."""
        active = Counter(
            one.project
            for one in self._records()
            if schema_name(one) == "session" and one.status == "active"
            and "left_window" not in one.extras and not self._was_undone(one.id)
        )  # fmt: skip
        assert all(count <= _MOST for count in active.values()), f"window: {active}"

    def _was_undone(self, name: str) -> bool:
        return any(row[2].name == "undone" for row in self.vault.parts.catalog.log.events(name))

    def _check_index(self) -> None:
        path = self.root / record_index.PATH
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        names = [found[1] for line in text.split("\n") if (found := _LINE.fullmatch(line))]
        assert len(set(names)) == len(names), f"index: twice {names}"
        there = {one.id: one for one in self.memories()}
        for name in names:
            one = there.get(name)
            # a memory whose schema a person took away is a link like any other
            stale = one is None or (schema_name(one) and one.status != "active")
            assert not stale, f"index: {name} {one.status if one else 'is gone'}"
        shown = {
            one.id for one in self._records()
            if one.status == "active" and one.sensitivity != "secret" and one.space != "session"
        }  # fmt: skip
        if record_index._ABOUT in text or (shown and not text):
            counted = Counter(schema_name(there[name]) for name in shown)
            if all(count <= 50 for count in counted.values()):
                assert shown <= set(names), f"index: without {shown - set(names)}"
