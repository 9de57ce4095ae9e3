"""An entity's page says the entity, and what a person writes on it outlives every rewrite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.entity import Entity
from engram.model.errors import BadInput
from engram.store.files.document import parse, patch
from engram.store.files.entity_file import entity_changes, read_entity, render_entity

PATH = "entities/person-mara-holt.md"
JOINED = "fact-20260201-090000-11111111"
APPROVES = "fact-20260301-113000-22222222"
WORKS = "relationship-20260302-080000-33333333"
ENTITY = Entity(
    id="person-mara-holt",
    type="person",
    name="Mara Holt",
    aliases=("Mara H.", "person-mara-h"),
    synthesis="Mara Holt runs finance at Tern Bakery.\n\nShe approves contracts.",
    synthesis_by="model",
    timeline=(
        ("2026-02-01", JOINED, "Joined Tern Bakery as finance lead."),
        ("2026-03-01", APPROVES, "Now approves supplier contracts."),
    ),
    relations=(("company-tern-bakery", "works at", WORKS),),
    activity=(("2026-03-01", APPROVES, "learnt"), ("2026-02-01", JOINED, "learnt")),
    path=PATH,
)
FILE = f"""\
---
id: person-mara-holt
type: person
name: Mara Holt
aliases:
  - Mara H.
  - person-mara-h
synthesis_by: model
synthesis_digest: "987d82e53458"
---
# Mara Holt

## Synthesis

Mara Holt runs finance at Tern Bakery.

She approves contracts.

## Timeline

- 2026-02-01 [[{JOINED}]] Joined Tern Bakery as finance lead.
- 2026-03-01 [[{APPROVES}]] Now approves supplier contracts.

## Connected to

- [[company-tern-bakery]] works at [[{WORKS}]]

## Activity

- 2026-03-01 [[{APPROVES}]] learnt
- 2026-02-01 [[{JOINED}]] learnt
"""


def test_a_page_is_written_like_this() -> None:
    assert render_entity(ENTITY).decode() == FILE


def test_a_page_is_read_as_it_was_written() -> None:
    found = read_entity(PATH, FILE.encode())
    assert found.entity == ENTITY
    assert found.problems == ()


def test_a_merged_fragment_says_where_it_went_and_keeps_its_body() -> None:
    gone = replace(ENTITY, merged_into="person-mara-holt-weber")
    data = entity_changes(FILE.encode(), ENTITY, gone)
    assert read_entity(PATH, data).entity == gone
    header = parse(data).header
    assert (header["status"], header["merged_into"]) == ("merged", "[[person-mara-holt-weber]]")
    assert parse(data).body == parse(FILE.encode()).body


def test_an_edited_synthesis_is_the_persons_and_stays() -> None:
    edited = FILE.replace("runs finance", "ran finance until May").encode()
    mine = read_entity(PATH, edited).entity
    assert mine.synthesis_by == "person"
    with pytest.raises(BadInput, match="stays"):
        entity_changes(edited, mine, replace(mine, synthesis="New.", synthesis_by="model"))
    named = entity_changes(edited, mine, replace(mine, aliases=("Mara",)))
    assert parse(named).header["synthesis_by"] == "person"
    assert "synthesis_digest" not in parse(named).header
    assert read_entity(PATH, named).entity == replace(mine, aliases=("Mara",))


def test_an_emptied_synthesis_is_written_anew() -> None:
    emptied = FILE.replace(ENTITY.synthesis, "").encode()
    old = read_entity(PATH, emptied).entity
    assert (old.synthesis, old.synthesis_by) == ("", "")
    again = entity_changes(emptied, old, ENTITY)
    assert read_entity(PATH, again).entity == ENTITY


def test_a_changed_line_keeps_its_place_among_the_persons_lines() -> None:
    data = FILE.replace(
        "finance lead.\n", "finance lead.\n  she told me at lunch\n- my own bullet\n"
    ).encode()
    before = read_entity(PATH, data).entity
    first, second = before.timeline
    after = replace(before, timeline=((*first[:2], "Joined. (superseded)"), second))
    text = entity_changes(data, before, after).decode()
    assert "Joined. (superseded)\n  she told me at lunch\n- my own bullet\n- 2026-03-01" in text


def test_a_new_line_comes_after_what_was_added_to_the_one_before() -> None:
    data = FILE.replace("contracts.\n\n## Conn", "contracts.\n  my remark\n\n## Conn").encode()
    before = read_entity(PATH, data).entity
    new = ("2026-03-06", "fact-20260306-101000-44444444", "Wants bullets.")
    text = entity_changes(data, before, replace(before, timeline=(*before.timeline, new))).decode()
    assert f"  my remark\n- 2026-03-06 [[{new[1]}]] Wants bullets.\n\n## Connected" in text


def test_a_note_of_a_person_becomes_a_page() -> None:
    note = b"# Mara Holt\r\n\r\nMet at the fair."
    before = read_entity(PATH, note).entity
    assert (before.id, before.type, before.name) == ("person-mara-holt", "person", "Mara Holt")
    after = replace(ENTITY, aliases=())
    data = entity_changes(note, before, after)
    assert read_entity(PATH, data).entity == after
    assert b"# Mara Holt\r\n\r\nMet at the fair.\r\n\r\n## Synthesis\r\n\r\nMara" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_a_hostile_line_cannot_leave_its_line() -> None:
    nasty = "x\n## Activity\n- 2026-01-01 [[a]] ![[b]] <script> ```"
    data = render_entity(replace(ENTITY, timeline=(("2026-02-01", JOINED, nasty),)))
    found = read_entity(PATH, data).entity
    assert found.activity == ENTITY.activity
    assert len(found.timeline) == 1
    assert b"![[" not in data and b" <script" not in data


def test_a_block_that_is_never_closed_hides_no_section() -> None:
    data = FILE.replace("# Mara Holt\n", "# Mara Holt\n\n```\nhalf a block\n").encode()
    before = read_entity(PATH, data).entity
    assert before == ENTITY
    after = replace(before, activity=())
    assert read_entity(PATH, entity_changes(data, before, after)).entity == after


def test_a_heading_in_a_block_is_no_section() -> None:
    data = FILE.replace("# Mara Holt\n", "# Mara Holt\n\n```\n## Timeline\n```\n").encode()
    assert read_entity(PATH, data).entity == ENTITY


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    for page in (data, FILE.encode()[:120] + data):
        found = read_entity(PATH, page)
        assert found.entity.path == PATH
        "".join(line for item in found.entity.timeline for line in item).encode()


#: what a person may write anywhere below the title
OWN = st.sampled_from(
    [
        "some free words", "- a bullet of my own", "- 2026-03-06 lunch with her", "  - nested",
        "> a quote", "### A smaller heading", "- [[person-jane-doe]] her sister", "", "| a | b |",
        "- [ ] ask her", "tail ", "\tindented", "1. first", "%% hidden %%", "![[picture.png]]",
    ]
)  # fmt: skip
MEMORIES = [f"fact-2026030{day}-101000-{day * 11111111:08x}" for day in range(1, 8)]
INERT = st.sampled_from(["learnt", "superseded", "The shop uses C#.", "a **b**", ""])
DATED = st.lists(st.sampled_from(MEMORIES), unique=True, max_size=5).flatmap(
    lambda ids: st.tuples(
        *(st.tuples(st.just(f"2026-03-0{i[12]}"), st.just(i), INERT) for i in ids)
    )
)
RELATED = st.lists(
    st.sampled_from(["tool-redis", "person-bob", "company-tern"]), unique=True
).flatmap(
    lambda ids: st.tuples(
        *(st.tuples(st.just(i), INERT, st.sampled_from(MEMORIES)) for i in ids)
    )
)  # fmt: skip
ENTITIES = st.builds(
    replace,
    st.just(ENTITY),
    name=st.sampled_from(["Mara Holt", "mara holt", "C#", "李雷"]),
    aliases=st.lists(st.sampled_from(["a", "b c", "李雷", "x: y"]), unique=True).map(tuple),
    synthesis=st.sampled_from(["One line.", "Two\n\nparagraphs.", "- a\n- list", "```\nx\n```"]),
    synthesis_by=st.sampled_from(["listed", "model"]),
    timeline=DATED,
    relations=RELATED,
    activity=DATED,
    merged_into=st.sampled_from(["", "person-mara"]),
)


@given(ENTITIES)
def test_every_entity_is_read_as_it_was_written(entity: Entity) -> None:
    assert read_entity(PATH, render_entity(entity)).entity == entity


@given(ENTITIES, st.lists(ENTITIES, max_size=3), st.data())
def test_what_a_person_wrote_outlives_every_rewrite(
    first: Entity, later: list[Entity], data: st.DataObject
) -> None:
    lines = render_entity(first).decode().split("\n")
    top = lines.index(f"# {first.name}") + 1
    closed = lines.index("## Timeline") if "## Timeline" in lines else len(lines)
    own: list[str] = []
    for _ in range(data.draw(st.integers(1, 5))):
        # not into the synthesis, which would make it the person's, nor into the header
        place = data.draw(st.sampled_from([top, *range(closed + 1, len(lines))]))
        own.append(line := data.draw(OWN))
        lines.insert(place, line)
        closed += place < closed
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join([*lines, "## My own section", "", "- 2026-01-01 [[x]] mine"])
    page = patch(text.encode(), {"mood": "fine  # as found"})
    entity = read_entity(PATH, page).entity
    assert entity == first
    for after in later:
        page = entity_changes(page, entity, after)
        entity = read_entity(PATH, page).entity
        assert entity == after
        left = page.decode().split(newline)
        for line in own:
            assert left.count(line) >= own.count(line)
        ending = newline.join(["## My own section", "", "- 2026-01-01 [[x]] mine"])
        assert page.endswith(ending.encode())
        assert parse(page).header["mood"] == "fine  # as found"
    assert entity_changes(page, entity, entity) == page


@given(ENTITIES, ENTITIES)
def test_there_and_back_is_the_same_page(one: Entity, other: Entity) -> None:
    page = render_entity(one)
    there = entity_changes(page, one, other)
    back = entity_changes(there, other, one)
    assert read_entity(PATH, back).entity == one
    assert entity_changes(back, one, other).split(b"---")[2] == there.split(b"---")[2]
