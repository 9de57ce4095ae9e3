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
from tests.kit import where
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


def test_a_renamed_memory_is_found_by_the_name_of_its_file_and_forgotten_with_its_lines(
    home: Home,
) -> None:
    home.editor.rename(home.one("facts/", "tabs"), "facts/mine/No spaces!.md")
    with home.vault(LAST) as vault:
        names = ("No spaces!", "[[no SPACES!|so]]", "facts/mine/No spaces!.md", "mine/No spaces!")
        assert len({vault.memory(name).id for name in names}) == 1
        assert vault.undo_plan("")  # links that were rewritten are no edit of anybody's
        vault.forget("No spaces!")
    assert "No spaces!" not in home.text("profile.md") + home.text("index.md")
    with home.vault(LAST) as vault:
        vault.purge("No spaces!")
    assert not where(home.root, "[[No spaces!]]") and not where(home.root, "Python code")


def test_links_follow_a_file_that_a_shell_renamed_and_an_undo_of_that_stands(home: Home) -> None:
    (home.root / "Plan.md").write_text(f"See [[{Path(home.one('facts/', 'tabs')).stem}]].\n")
    for folder, having in (("facts/", "tabs"), ("entities/", "Rosa"), ("transcripts/", "Rosa")):
        name = f"{folder}{having.title()} again.md"
        home.editor.rename(home.one(folder, having), name, links=False)
    with home.vault(LAST) as vault:
        assert [one for one in vault.doctor() if one.code == "links"]
    before = {name: home.text(name) for name in home.editor.notes()}
    home.consolidates(LAST)
    assert {note for note, _ in home.dead()} == {"Plan.md"}
    with home.vault(LAST) as vault:
        assert not [one for one in vault.doctor() if one.code == "links"]
        dead = [one for row in vault.audit().rows if row.name == "dead_links" for one in row.flaws]
        assert [one.ids for one in dead] == [("Plan.md",)] and "called Tabs again now" in dead[
            0
        ].what
        (followed,) = [one for one in vault.log() if one.kind == "relink"]
        rewritten = {change.path for change in vault.change(followed.number).plan.changes}
        assert rewritten == {name for name, text in before.items() if text != home.text(name)}
        vault.undo(str(followed.number))
    assert {name: home.text(name) for name in home.editor.notes()} == before
    home.consolidates(LAST)
    assert {name: home.text(name) for name in home.editor.notes()} == before


def test_a_conversation_goes_on_in_the_transcript_that_a_person_renamed(home: Home) -> None:
    home.editor.rename(home.one("transcripts/"), "transcripts/mine/The first.md")
    home.hears(*SAID, "I prefer dark mode in editors.")
    assert len([name for name in home.editor.notes() if name.startswith("transcripts/")]) == 1
    assert "dark mode" in home.text("transcripts/mine/The first.md")
    home.consolidates(LAST)
    assert not home.dead()
    with home.vault(LAST) as vault:
        assert vault.show("The first").file == "transcripts/mine/The first.md"


@pytest.mark.parametrize("new", ["Chats/One.md", "transcripts/One.md"])
def test_a_turn_is_known_under_whatever_name_of_its_conversation(home: Home, new: str) -> None:
    before = home.told()
    home.editor.rename(home.one("transcripts/"), new)
    with home.vault(LAST) as vault:
        vault.rebuild()
    assert home.told() == before


def test_notes_that_are_merged_are_one_memory_and_no_page_lists_it_twice(home: Home) -> None:
    home.editor.merge(home.one("facts/", "5433"), home.one("facts/", "Oracle"))
    home.consolidates(LAST)
    once = _pages(home)
    home.consolidates(LAST)
    assert _pages(home) == once
    assert not home.dead() and not _repeated(home)
    assert len(home.memories()) == len(SAID) - 1


def test_a_cut_makes_a_note_of_its_own_and_changes_no_other(home: Home) -> None:
    before = home.told()
    cut = home.editor.extract(home.one("facts/", "5433"), "5433", "The port")
    home.consolidates(LAST)
    assert not home.dead() and not _repeated(home)
    changed = [one for one in home.told() if one not in before]
    assert [one[1] for one in changed] == [
        "We decided to keep Postgres on port [[The port]].",
        "5433",
    ]
    assert home.text(cut) == "5433"


def test_a_file_out_of_the_vaults_folders_is_no_memory_until_it_comes_back(home: Home) -> None:
    before = home.told()
    home.editor.rename(home.one("facts/", "tabs"), "Notes/Tabs.md")
    assert len(home.told()) == len(before) - 1
    home.consolidates(LAST)
    home.editor.rename("Notes/Tabs.md", "facts/Tabs.md")
    home.consolidates(LAST)
    assert home.told() == before
    assert not home.dead() and not _repeated(home)


def test_a_folder_that_is_renamed_and_a_name_in_other_letters_change_nothing(home: Home) -> None:
    before = home.told()
    (home.root / "facts/2026-03-06").rename(home.root / "facts/March")
    home.editor.rename(home.one("facts/", "tabs"), "facts/March/tabs.md")
    home.consolidates(LAST)
    home.editor.rename("facts/March/tabs.md", "facts/March/Tabs.md")
    home.consolidates(LAST)
    assert home.told() == before
    assert not home.dead() and not _repeated(home)


def test_a_name_that_no_link_can_lead_to_is_named_by_the_audit(home: Home) -> None:
    before = home.told()
    home.editor.rename(home.one("facts/", "tabs"), "facts/C# [tabs].md", links=False)
    home.consolidates(LAST)
    assert home.told() == before
    with home.vault(LAST) as vault:
        dead = [one for row in vault.audit().rows if row.name == "dead_links" for one in row.flaws]
    assert dead and all("rename it" in one.what for one in dead)


def test_two_files_of_one_name_are_linked_with_their_folders(home: Home) -> None:
    before = home.told()
    home.editor.rename(home.one("facts/", "tabs"), "facts/a/Same.md", links=False)
    home.editor.rename(home.one("facts/", "5433"), "facts/b/Same.md", links=False)
    home.consolidates(LAST)
    assert home.told() == before
    assert "[[facts/a/Same]]" in home.text("profile.md")
    assert not home.dead() and not _repeated(home)


def test_a_file_that_is_dragged_to_another_vault_is_a_memory_there_and_here_no_more(
    learnt: Home, home: Home, tmp_path: Path
) -> None:
    other = Home(tmp_path / "other")
    with other.vault():
        pass
    moved = home.one("facts/", "tabs")
    (home.root / moved).rename(other.root / "facts" / "Tabs.md")
    for vault in (home, other):
        vault.consolidates(LAST)
        assert not _repeated(vault)
    assert [one.text for one in other.memories()] == [
        "The user prefers tabs over spaces in Python code."
    ]
    assert "tabs" not in home.text("profile.md") and "[[Tabs]]" in other.text("profile.md")
    assert not home.dead()
    (other.root / "facts" / "Tabs.md").rename(home.root / moved)
    home.consolidates(LAST)
    assert home.told() == learnt.told()
