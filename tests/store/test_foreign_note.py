"""Notes of Remnic, basic-memory and Obsidian: what is read of them, and what is no memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.store.files.content_file import read_content
from tests.foreign import DROPPED, note_of

#: of each note: category, day, whether that is guessed, title, tags
READ = {
    "remnic/facts/2026-03-06/preference-1772791800123-k3f9.md": (
        "preference", "2026-03-06", False, "", ("writing-style", "reports")),
    "remnic/facts/2026-03-07/procedure-1772873000000-77qq.md": (
        "skill", "2026-03-07", False, "", ("mill", "dust")),
    "remnic/facts/2026-03-07/rule-1772874000000-1rul.md": (
        "principle", "2026-03-07", False, "", ("mill",)),
    "remnic/facts/2026-03-07/commitment-1772880000000-cc01.md": (
        "commitment", "2026-03-07", False, "", ("drink, hot", "mill")),
    "remnic/facts/2026-03-08/fact-1772960000000-9z9z.md": ("fact", "2026-03-08", False, "", ()),
    "remnic/entities/person-greta-olsen.md": ("entity", "2026-02-01", False, "Greta Olsen", ()),
    "basic_memory/projects/Sourdough Bakery.md": (
        "fact", "2026-01-14", False, "Sourdough Bakery",
        ("bakery", "project", "rye", "milling", "oven")),
    "basic_memory/people/Tomas Wick.md": ("entity", "", False, "Tomas Wick", ("starter",)),
    "basic_memory/decisions/Use spelt on weekends.md": (
        "decision", "", False, "Use spelt on weekends", ("spelt",)),
    "basic_memory/meetings/Weekly 2026-02-11.md": (
        "moment", "2026-02-11", True, "Weekly 2026-02-11", ()),
    "basic_memory/notes/quoted.md": (
        "fact", "", False, "Prices: flour and salt", ("prices", "salt")),
    "basic_memory/conversations/chat.md": ("fact", "2026-02-14", False, "chat", ("size",)),
    "obsidian/Daily/2026-03-04.md": ("fact", "2026-03-04", False, "", ()),
    "obsidian/Daily/2026-13-45.md": ("fact", "", False, "", ()),
    "obsidian/People/Nils Aaberg.md": (
        "fact", "", False, "Nils Aaberg", ("person", "harbour/office")),
    "obsidian/Boat shed.md": ("fact", "2025-11-02", False, "The boat shed", ("boats",)),
    "obsidian/boat shed/rent.md": ("fact", "", False, "", ()),
    "obsidian/Boats/Rent.md": ("fact", "", False, "Rent", ()),
    "obsidian/windows.md": ("fact", "2025-06-01", False, "", ("tools",)),
    "obsidian/20260306142530 Tide table.md": ("fact", "2026-03-06", False, "Tide table", ()),
    "obsidian/1772791800123.md": ("fact", "2026-03-06", False, "", ()),
    "obsidian/Unicode — Übung.md": ("preference", "2026-01-09", False, "Übung", ()),
}  # fmt: skip

LEFT_OUT = {
    "remnic/boxes/2026-03-06/box-1772791860000-p0q2.md": "page of another program",
    "remnic/questions/q-m1x2y3-4z.md": "question",
    "basic_memory/notes/Rye Flour.md": "empty note",
    "basic_memory/notes/schema.md": "template",
    "obsidian/Vorlagen/Person.md": "template",
    "obsidian/Templates/Daily.md": "template",
    "obsidian/Daily/2026-03-05.md": "empty note",
    "obsidian/README.md": "readme",
    "obsidian/LICENSE.md": "licence",
    "obsidian/Projects/Index.md": "index of links",
    "obsidian/Projects/drawing.excalidraw.md": "drawing",
}


def test_category_day_title_and_tags_are_what_the_note_says() -> None:
    for name, wanted in READ.items():
        memory = note_of(name)
        read = (
            memory.category, memory.created[:10], memory.date_guessed, memory.title, memory.tags,
        )  # fmt: skip
        assert read == wanted, name


def test_what_is_no_memory_is_told_by_its_kind() -> None:
    kinds = {
        name: kind
        for name, data in DROPPED.items()
        if (kind := read_content(f"facts/{name}", data).left_out)
    }
    assert kinds == LEFT_OUT


def test_a_note_that_speaks_of_templates_is_none() -> None:
    said = b"The letter begins with the name.\n\n- [[Boat shed]]\n\nMIT is a licence.\n"
    assert read_content("facts/mine/Letters.md", said).left_out == ""


def test_what_was_replaced_or_archived_elsewhere_is_so_here() -> None:
    old = note_of("remnic/facts/2026-02-02/decision-1770000000000-zz10.md")
    assert (old.status, old.superseded_by) == ("superseded", ("decision-1772793000000-aa01",))
    assert old.status_since == "2026-03-06T10:30:00Z"
    assert note_of("remnic/archive/2026-01-20/fact-1765000000000-arch.md").status == "archived"
    unsure = note_of("remnic/facts/2026-03-07/fact-1772870400000-1a2b.md")
    assert (unsure.expires, unsure.confidence) == ("2026-04-06", 0.35)
    told = note_of("remnic/facts/2026-03-06/preference-1772791800123-k3f9.md")
    assert (told.importance, told.entities) == (0.77, ("person-greta-olsen",))


def test_observations_and_a_synthesis_are_the_statement() -> None:
    bakery = note_of("basic_memory/projects/Sourdough Bakery.md").text
    assert bakery.startswith("A shop in the harbour street") and "280 degrees" in bakery
    assert "part_of" not in bakery
    assert note_of("basic_memory/people/Tomas Wick.md").text.startswith("- [role] Bakes the bread")
    greta = note_of("remnic/entities/person-greta-olsen.md").text
    assert greta.startswith("Greta Olsen keeps the books") and "**Type:**" not in greta


def test_names_that_differ_in_case_signs_or_folder_only_are_different_memories() -> None:
    names = [
        "facts/Rent.md", "facts/rent.md", "facts/RENT.md", "facts/a b.md", "facts/a-b.md",
        "facts/one/rent.md", "facts/two/rent.md", "facts/one/Rent.md", "facts/one/two/rent.md",
    ]  # fmt: skip
    made = [read_content(name, b"Rent is due.\n").id for name in names]
    assert len(set(made)) == len(names)
    assert made[1] == "rent" and made[4] == "a-b"
    assert read_content("facts/2026-03-06/rent.md", b"Rent is due.\n").id == "rent"


@given(st.text(max_size=30), st.text(max_size=200))
def test_a_name_and_any_text_are_read_without_a_fault(name: str, text: str) -> None:
    path = f"facts/mine/{name.replace('/', '')}.md"
    data = text.encode("utf-8", "surrogatepass")
    try:
        path.encode()
    except UnicodeEncodeError:
        return
    assert read_content(path, data).id == read_content(path, bytes(data)).id


@pytest.mark.parametrize("key", ["date", "Date", "createdAt", "created_at", "created"])
def test_a_day_is_the_same_day_in_every_usual_time_zone(key: str) -> None:
    memory = read_content("facts/mine/n.md", f"---\n{key}: 2026-03-04\n---\nTea.\n".encode())
    assert getattr(memory.content, "created", "") == "2026-03-04T12:00:00Z"
