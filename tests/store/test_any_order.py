"""Whatever is done to a vault, in whatever order: nothing is lost, and the books balance."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.memory import Memory
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.catalog.trace_rows import trace_list
from engram.store.catalog.turn_rows import PURGED
from engram.store.files.content_file import read_content
from engram.vault import Vault
from tests.conftest import NOW
from tests.effort import examples
from tests.kit import LIGHT, box, entity, takes_every_turn, turns, write_pages

_WORDS = st.sampled_from(["Kim likes tea.", "Kim likes cake.", "The shop opens at nine."])
_ANY = st.integers(0, 99)


class AnyOrder(RuleBasedStateMachine):
    """One vault, and all that a person, an agent and an editor may do to it."""

    def __init__(self) -> None:
        super().__init__()
        self._patched = pytest.MonkeyPatch()
        self._patched.setattr(os, "fsync", lambda handle: None)
        self._folder = Path(tempfile.mkdtemp())
        self._said = {"a": 0, "b": 0}
        self._notes = 0
        self._pages = 0
        self._open()

    def _open(self) -> None:
        make = Vault.open if (self._folder / "vault").exists() else Vault.create
        environment = {"ENGRAM_HOME": str(self._folder / "home")}
        clock, path = FixedClock(NOW), self._folder / "vault"
        made = make(path, environment=environment, clock=clock, adapters=LIGHT)
        self.vault = takes_every_turn(made)

    def teardown(self) -> None:
        self.vault.close()
        self._patched.undo()
        shutil.rmtree(self._folder)

    def _memories(self) -> list[Memory]:
        return list(self.vault.parts.catalog.memories())

    def _ever(self) -> list[str]:
        """Every id that a transaction gave."""
        created = [
            event.subject
            for one in self.vault.parts.transaction_log.all()
            for event in one.plan.events
            if event.name == "memory_created"
        ]
        return sorted(set(created))

    # -- agents --------------------------------------------------------------------------------

    @rule(session=st.sampled_from(["a", "b"]), count=st.integers(1, 3))
    def capture(self, session: str, count: int) -> None:
        self.vault.capture(turns(count, session, self._said[session]))
        self._said[session] += count

    @rule(session=st.sampled_from(["a", "b"]))
    def capture_again(self, session: str) -> None:
        self.vault.capture(turns(self._said[session], session))

    @rule(extract=st.booleans())
    def import_more(self, extract: bool) -> None:
        path = self._folder / "conversation.jsonl"
        with path.open("a", encoding="utf-8") as stream:
            for number in range(2):
                at = path.stat().st_size
                row = {"role": "user", "content": f"Line {at} {number} is open.", "session": "i"}
                stream.write(json.dumps(row) + "\n")
                stream.flush()
        self.vault.import_files("jsonl", path, extract=extract)

    @rule()
    def extract(self) -> None:
        self.vault.flush()
        assert self.vault.waiting() == []

    # -- the person ----------------------------------------------------------------------------

    @rule(text=_WORDS)
    def remember(self, text: str) -> None:
        memory = self.vault.remember(text).memory
        assert memory.live and memory.text == text

    @precondition(lambda self: self._memories())
    @rule(which=_ANY)
    def forget(self, which: int) -> None:
        memory = self._memories()[which % len(self._memories())]
        try:
            self.vault.forget(memory.id)
        except BadInput:
            assert memory.status == "retired"

    @precondition(lambda self: self._ever())
    @rule(which=_ANY)
    def restore(self, which: int) -> None:
        name = self._ever()[which % len(self._ever())]
        found = self.vault.parts.lookup.find_memory(name)
        try:
            self.vault.restore(name)
        except BadInput:
            assert found is not None and found.status == "active"
        except NotFound:
            self._is_purged(name)

    @rule()
    def undo(self) -> None:
        self._undo("")

    @precondition(lambda self: self.vault.parts.catalog.last)
    @rule(which=_ANY)
    def undo_one(self, which: int) -> None:
        self._undo(str(which % self.vault.parts.catalog.last + 1))

    @precondition(lambda self: self.vault.log(1) and self.vault.log(1)[0].kind == "undo")
    @rule()
    def redo(self) -> None:
        self._undo(str(self.vault.log(1)[0].number))

    def _undo(self, what: str) -> None:
        last = self.vault.parts.catalog.last
        try:
            assert self.vault.undo(what).number > last
        except (BadInput, Conflict, NotFound):
            kinds = [entry.kind for entry in self.vault.log(5) if entry.number > last]
            assert set(kinds) <= {"settle"}

    @precondition(lambda self: self._memories())
    @rule(which=_ANY)
    def purge(self, which: int) -> None:
        memory = self._memories()[which % len(self._memories())]
        self.vault.purge(memory.id)
        assert self.vault.parts.catalog.memory(memory.id) is None
        for path in self._page_files():
            assert f"[[{memory.id}]]".encode() not in path.read_bytes()

    # -- boxes and entities --------------------------------------------------------------------

    def _page_files(self) -> list[Path]:
        self.vault.parts.settler.within(1e9)
        paths = [path for path in self.vault.parts.catalog.files() if layout.is_page(path)]
        return [self.vault.root / path for path in paths]

    @rule(which=_ANY, trace=st.sampled_from(["", "t", "u"]))
    def weave(self, which: int, trace: str) -> None:
        memories = self._memories()[which % 3 :][:3]
        lines = tuple((one.id, one.text.splitlines()[0]) for one in memories)
        days = tuple(("2026-03-06", name, text) for name, text in lines)
        self._pages += 1
        write_pages(
            self.vault, (None, box(f"box-{self._pages}", lines=lines, trace=trace)),
            (None, entity(f"tool-{self._pages}", timeline=days)),
        )  # fmt: skip

    @precondition(lambda self: self._page_files())
    @rule(which=_ANY, what=st.sampled_from(["words", "trace", "rename", "remove", "copy"]))
    def edit_a_page(self, which: int, what: str) -> None:
        path = self._page_files()[which % len(self._page_files())]
        data = path.read_bytes()
        if what == "words":
            path.write_bytes(data + b"\nMy own words.\n")
        elif what == "trace":
            path.write_bytes(data.replace(b"trace: t\n", b"trace: mine\n"))
        elif what == "rename":
            path.rename(path.with_name(f"{path.stem} renamed.md"))
        elif what == "remove":
            path.unlink()
        else:
            path.with_name(f"{path.stem} copied.md").write_bytes(data)

    # -- the editor ----------------------------------------------------------------------------

    @precondition(lambda self: self._memories())
    @rule(which=_ANY, what=st.sampled_from(["words", "header", "rename", "remove", "touch"]))
    def edit(self, which: int, what: str) -> None:
        path = self.vault.root / self._memories()[which % len(self._memories())].path
        text = path.read_text(encoding="utf-8")
        if what == "words":
            path.write_text(text + "\nMy own words.\n", encoding="utf-8")
        elif what == "header":
            path.write_text(text.replace("---\n", "---\nmood: calm\n", 1), encoding="utf-8")
        elif what == "rename":
            path.rename(path.with_name(f"{path.stem} renamed.md"))
        elif what == "remove":
            path.unlink()
        else:
            os.utime(path, ns=(which, which))

    @rule()
    def write_a_note(self) -> None:
        self._notes += 1
        path = self.vault.root / "facts" / f"Note {self._notes}.md"
        path.write_text(f"Note {self._notes} says this.\n", encoding="utf-8")

    # -- the machine ---------------------------------------------------------------------------

    @rule(cache=st.booleans())
    def begin_anew(self, cache: bool) -> None:
        self.vault.close()
        if cache:
            shutil.rmtree(self.vault.parts.cache)
        self._open()

    # -- what always holds ---------------------------------------------------------------------

    @invariant()
    def the_doctor_finds_no_error(self) -> None:
        found = [one for one in self.vault.doctor() if one.severity == "error"]
        # of boxes and entities the person makes copies
        assert all(one.code == "duplicate_id" and "facts/" not in one.message for one in found)

    @invariant()
    def every_memory_has_its_file_or_was_taken_away(self) -> None:
        for name in self._ever():
            if self.vault.parts.lookup.find_memory(name) is not None:
                continue
            last = self.vault.parts.catalog.log.events(name)[-1][2]
            assert (last.name, dict(last.details).get("what", "")) in (
                ("undone", "taken back"), ("hand_edit", "removed"), ("memory_purged", ""),
            )  # fmt: skip

    def _is_purged(self, name: str) -> None:
        names = [event.name for _, _, event in self.vault.parts.catalog.log.events(name)]
        assert "memory_purged" in names

    @invariant()
    def every_turn_is_accounted_for(self) -> None:
        counts = self.vault.parts.catalog.turns.counts()
        kept = len(list(self.vault.parts.turn_log.entries()))
        assert sum(counts.values()) - counts.get(PURGED, 0) == kept
        waiting = sum(one.turns for one in self.vault.waiting())
        assert waiting == self.vault.status().pending

    @invariant()
    def the_hashes_are_those_of_the_living(self) -> None:
        written = sorted(self.vault.parts.projections.views.hashes.read())
        assert written == self.vault.parts.catalog.live_hashes()
        assert len(written) == sum(memory.live for memory in self._memories())

    @invariant()
    def the_traces_are_those_of_the_boxes(self) -> None:
        boxes = self.vault.parts.projections.view.boxes()
        assert (self.vault.parts.disk.read(layout.TRACES) or b"") == trace_list(boxes)
        read = (
            read_content(row.path, (self.vault.root / row.path).read_bytes()).content
            for row in self.vault.parts.catalog.files().values()
            if row.id and layout.kind_of(row.path) == "box"
        )
        assert sorted(read, key=lambda one: (one.created, one.id)) == boxes  # type: ignore[union-attr]

    @invariant()
    def the_index_holds_what_the_vault_holds(self) -> None:
        self.vault.parts.index.refresh()
        transcripts = self.vault.parts.projections.transcripts
        shown = sum(len(transcripts.blocks(path)) for path in transcripts.paths())
        assert self.vault.parts.index.counts()[0] == len(self._memories())
        assert self.vault.parts.index.counts()[1] <= shown


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = examples(5, stateful_step_count=15)
