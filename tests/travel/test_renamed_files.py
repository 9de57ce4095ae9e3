"""Files that people rename, move, merge and cut: the same memories, and links that lead there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.memory import Memory
from engram.store.base import layout
from tests.effort import examples
from tests.machines import Machine
from tests.obsidian import Obsidian

SAID = (
    "We decided to use Postgres instead of Oracle because two writers need it.",
    "I prefer tabs over spaces in Python code.",
    "From now on never push to main without a review.",
    "My sister Rosa lives in Porto.",
    "Rosa is allergic to nuts.",
    "I prefer short emails with Rosa.",
    "We decided to keep Postgres on port 5433.",
)
LAST = "2026-03-06T23:00:00Z"
#: a link to an entity without a page leads nowhere, renamed or not
_UNPAGED = re.compile(r"\[\[(?:tool|person|place|project|company|other)-[a-z0-9-]+\]\]")
_NAMES = st.sampled_from(
    ["Lena hates tofu", "LENA HATES TOFU", "Rosa", "Rosa's nuts", "naïve 😀", "2026 - plan B",
     'a "quoted" name', "tool-postgres-2", "archive", "C++, Go & co", "Lena: plan"]
)  # fmt: skip
_FOLDERS = st.sampled_from(["", "2026-03-06/", "mine/", "mine/deeper/"])


class Home(Machine):
    """A machine with a vault in which something was learnt, open in Obsidian."""

    @property
    def editor(self) -> Obsidian:
        return Obsidian(self.root)

    def one(self, folder: str, having: str = "") -> str:
        """The first note of a folder that holds a text."""
        notes = self.editor.notes().items()
        return next(
            name for name, path in notes if name.startswith(folder) and having in path.read_text()
        )

    def memories(self) -> list[Memory]:
        with self.vault(LAST) as vault:
            return sorted(vault.list(), key=lambda memory: memory.id)

    def told(self) -> list[tuple[object, ...]]:
        """What a rename must not change of the memories."""
        return [
            (one.id, one.text, one.status, one.sources, one.entities, one.superseded_by)
            for one in self.memories()
        ]

    def dead(self) -> list[tuple[str, str]]:
        return [one for one in self.editor.dead() if not _UNPAGED.fullmatch(one[1])]

    def text(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """What every test begins with; copied, never changed."""
    home = Home(tmp_path_factory.mktemp("learnt"))
    home.hears(*SAID)
    home.consolidates()
    assert not home.dead()
    return home


@pytest.fixture
def home(learnt: Home, tmp_path: Path) -> Home:
    return _copy(learnt, tmp_path / "home")


def _copy(home: Home, folder: Path) -> Home:
    import shutil

    shutil.copytree(home.home, folder, symlinks=True)
    return Home(folder)


def _repeated(home: Home) -> list[str]:
    """The lines that stand twice on a page that lists memories."""
    pages = [name for name in home.editor.notes() if layout.is_page(name)]
    lines = (
        (name, line) for name in pages for line in home.text(name).splitlines()
        if line.startswith("- ") and "[[" in line
    )  # fmt: skip
    return [f"{name}: {line}" for (name, line), count in Counter(lines).items() if count > 1]


@examples(6)
@given(st.data())
def test_whatever_is_renamed_the_memories_stay_and_every_link_leads_somewhere(
    learnt: Home, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    home = _copy(learnt, tmp_path_factory.mktemp("renamed") / "home")
    before, boxes = home.told(), len(list(home.root.glob("boxes/**/*.md")))
    for _ in range(data.draw(st.integers(1, 5))):
        tops = ("facts/", "boxes/", "entities/", "transcripts/")
        note = data.draw(
            st.sampled_from([name for name in home.editor.notes() if name.startswith(tops)])
        )
        new = f"{note.partition('/')[0]}/{data.draw(_FOLDERS)}{data.draw(_NAMES)}.md"
        taken = {Path(name).stem.casefold() for name in home.editor.notes()} - {Path(note).stem}
        if Path(new).stem.casefold() in taken:
            continue  # a link by a name that two files have means another one than before
        home.editor.rename(note, new, links=data.draw(st.booleans()))
        if data.draw(st.booleans()):
            home.memories()  # a command in between
    home.consolidates("2026-03-06T14:00:00Z")
    pages = _pages(home)
    home.consolidates("2026-03-06T15:00:00Z")
    assert _pages(home) == pages, "the second consolidation finds nothing to do"
    assert home.told() == before
    assert len(list(home.root.glob("boxes/**/*.md"))) == boxes
    assert not home.dead()
    assert not _repeated(home)
    forgotten = data.draw(st.sampled_from([one.id for one in home.memories()]))
    with home.vault("2026-03-06T16:00:00Z") as vault:
        text, path = vault.memory(forgotten).text, vault.memory(forgotten).path
        vault.forget(forgotten)
    home.consolidates("2026-03-06T17:00:00Z")
    link = f"[[{Path(path).stem}]]"
    for name in ("profile.md", "index.md"):
        assert text not in home.text(name), name
        assert link not in home.text(name), name
    with home.vault("2026-03-06T18:00:00Z") as vault:
        number = next(one.number for one in vault.log() if one.kind == "forget")
        vault.undo(str(number))
    home.consolidates("2026-03-06T19:00:00Z")
    assert home.told() == before
    assert not home.dead()
    assert not _repeated(home)


def _pages(home: Home) -> dict[str, str]:
    notes = home.editor.notes()
    return {name: home.text(name) for name in notes if layout.is_page(name)}
