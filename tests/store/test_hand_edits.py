"""Whatever an editor does to a vault, in whatever order: rebuilt from its files it is the same."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engram.model.errors import BadInput, Conflict
from engram.store.base.clock import FixedClock
from engram.store.files.document import patch
from engram.vault import Vault
from tests.conftest import NOW
from tests.effort import examples
from tests.kit import LIGHT, takes_every_turn, turns
from tests.store.editor import Style

#: a failing story is short enough as it is, and each step of another costs a rebuild
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
_ANY = st.integers(0, 99)
_STYLES = st.builds(
    Style, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans()
)
_HEADER = st.sampled_from(
    [("key", "drink"), ("status", "retired"), ("status", "active"), ("category", "decision"),
     ("entities", ["[[tool-valve]]"]), ("tags", ["tea", "db"]), ("mood", "calm"),
     ("project", "shop")]
)  # fmt: skip
_QUESTIONS = ("valve", "bar", "tea", "note", "marzipan")


def known(vault: Vault) -> dict[str, object]:
    """Everything that catalog, hashes and search say of a vault."""
    vault.ready_to_read()
    catalog, view = vault.parts.catalog, vault.parts.projections.view
    rows = {path: row[4:] for path, row in catalog.files().items()}
    found = {
        (asked, collection): [
            (one.key, round(one.score, 9))
            for one in vault.parts.index.find(asked, collection, 99)  # type: ignore[arg-type]
        ]
        for asked in _QUESTIONS
        for collection in ("memories", "turns", "pages")
    }
    return {
        "files": rows,
        "memories": list(catalog.memories()),
        "hashes": catalog.live_hashes(),
        "topics": catalog.topics.totals(),
        "found": found,
        "pages": [*view.boxes(), *view.entities()],
    }


class HandEdits(RuleBasedStateMachine):
    """One vault, some memories, and a person with an editor."""

    def __init__(self) -> None:
        super().__init__()
        self._patched = pytest.MonkeyPatch()
        self._patched.setattr(os, "fsync", lambda handle: None)
        self._folder = Path(tempfile.mkdtemp())
        environment = {"ENGRAM_HOME": str(self._folder / "home")}
        clock, path = FixedClock(NOW), self._folder / "vault"
        made = Vault.create(path, environment=environment, clock=clock, adapters=LIGHT)
        self.vault = takes_every_turn(made)
        self.vault.capture(turns(3))
        (self.vault.root / "entities").mkdir(exist_ok=True)
        self._new = 0

    def teardown(self) -> None:
        self.vault.close()
        self._patched.undo()
        shutil.rmtree(self._folder)

    def _files(self) -> list[Path]:
        tops = ("facts", "archive", "entities")
        return sorted(path for top in tops for path in (self.vault.root / top).rglob("*.md"))

    def _file(self, which: int) -> Path:
        return self._files()[which % len(self._files())]

    @rule()
    def remember(self) -> None:
        self._new += 1
        self.vault.capture(turns(1, "more", self._new))

    @rule(text=st.sampled_from(["A note on marzipan.\n", "---\nid: note\n---\nTea note.\n"]))
    def write_a_note(self, text: str) -> None:
        self._new += 1
        (self.vault.root / "facts" / f"Note {self._new}.md").write_text(text, encoding="utf-8")

    @rule()
    def write_an_entity(self) -> None:
        self._new += 1
        path = self.vault.root / "entities" / f"tool-valve-{self._new % 3}.md"
        path.write_text(f"# Valve {self._new}\n\nIt holds a bar.\n", encoding="utf-8")

    @precondition(lambda self: self._files())
    @rule(which=_ANY, word=st.sampled_from(["tea", "valve", "marzipan"]))
    def say_more(self, which: int, word: str) -> None:
        path = self._file(which)
        path.write_bytes(path.read_bytes() + f"\nAnd {word}.\n".encode())

    @precondition(lambda self: self._files())
    @rule(which=_ANY, change=_HEADER)
    def change_the_header(self, which: int, change: tuple[str, str | list[str]]) -> None:
        path = self._file(which)
        if path.read_bytes().startswith(b"---"):
            text = path.read_bytes()
            if b"\n---" in text:
                path.write_bytes(patch(text, dict([change])))

    @precondition(lambda self: self._files())
    @rule(which=_ANY, style=_STYLES)
    def save_in_another_style(self, which: int, style: Style) -> None:
        self.vault.ready_to_read()
        before = known(self.vault)["memories"]
        last = self.vault.parts.catalog.last
        style.rewrite(self._file(which))
        self.vault.ready_to_read()
        assert self.vault.parts.catalog.last == last
        after = known(self.vault)["memories"]
        assert [one.id for one in after] == [one.id for one in before]  # type: ignore[attr-defined]

    @precondition(lambda self: self._files())
    @rule(which=_ANY, folder=st.sampled_from(["facts", "archive", "facts/of mine"]))
    def move(self, which: int, folder: str) -> None:
        self._to(which, lambda path: self.vault.root / folder / path.name)

    @precondition(lambda self: self._files())
    @rule(which=_ANY)
    def rename(self, which: int) -> None:
        self._new += 1
        self._to(which, lambda path: path.with_name(f"renamed {self._new}.md"))

    def _to(self, which: int, place: Callable[[Path], Path]) -> None:
        path = self._file(which)
        to = place(path)
        if path.parent.name != "entities" and not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            path.rename(to)

    @precondition(lambda self: self._files())
    @rule(which=_ANY)
    def remove(self, which: int) -> None:
        self._file(which).unlink()

    @precondition(lambda self: self._files())
    @rule(which=_ANY)
    def duplicate(self, which: int) -> None:
        self._new += 1
        path = self._file(which)
        path.with_name(f"copy {self._new}.md").write_bytes(path.read_bytes())

    @precondition(lambda self: len(self._files()) > 1)
    @rule(which=_ANY, other=_ANY)
    def swap(self, which: int, other: int) -> None:
        one, two = self._file(which), self._file(other)
        mine = one.read_bytes()
        one.write_bytes(two.read_bytes())
        two.write_bytes(mine)

    @precondition(lambda self: self._files())
    @rule(which=_ANY)
    def break_the_header(self, which: int) -> None:
        path = self._file(which)
        path.write_bytes(path.read_bytes().replace(b"\n---", b"\n--", 1))

    @precondition(lambda self: self._files())
    @rule(which=_ANY)
    def mend_the_header(self, which: int) -> None:
        path = self._file(which)
        path.write_bytes(path.read_bytes().replace(b"\n--\n", b"\n---\n", 1))

    @rule()
    def undo(self) -> None:
        last = next((one for one in self.vault.log(50) if one.kind == "extract"), None)
        if last is not None and not last.undone:
            with suppress(BadInput, Conflict):
                self.vault.undo(str(last.number))

    @rule()
    def wait_for_the_program(self) -> None:
        self.vault.ready_to_read()

    @invariant()
    def rebuilt_it_is_the_same(self) -> None:
        before = known(self.vault)
        last = self.vault.parts.catalog.last
        self.vault.rebuild()
        assert known(self.vault) == before
        assert self.vault.parts.catalog.last == last

    @invariant()
    def the_hashes_are_those_of_the_living(self) -> None:
        written = sorted(self.vault.parts.projections.views.hashes.read())
        assert written == self.vault.parts.catalog.live_hashes()


TestHandEdits = HandEdits.TestCase
TestHandEdits.settings = examples(5, stateful_step_count=12, phases=_PHASES)
