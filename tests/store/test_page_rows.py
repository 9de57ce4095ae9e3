"""Boxes and entities are files of the vault like memories: catalogued, followed, made anew."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from engram.model.box import Box, traces_of
from engram.model.entity import Entity
from engram.model.errors import BadInput, Conflict
from engram.store.base import layout
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, box, entity, takes_every_turn, tree_digest, turns, where, write_pages

DAY = "boxes/2026-03-06"


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


def boxes(vault: Vault) -> list[str]:
    return [one.path for one in vault.parts.projections.view.boxes()]


def problems(vault: Vault) -> dict[str, str]:
    return {path: row.problem for path, row in vault.parts.catalog.files().items()}


def traces(vault: Vault) -> dict[str, dict[str, object]]:
    data = vault.parts.disk.read(layout.TRACES)
    return {} if data is None else json.loads(data)["traces"]


# -- followed -----------------------------------------------------------------------------------


def test_a_page_is_known_as_its_file_says_it(vault: Vault) -> None:
    one, kim = box("box-a", "fact-1", "fact-2", trace="t"), entity("person-kim", "fact-1")
    write_pages(vault, (None, one), (None, kim))
    pages = vault.parts.projections.view
    assert pages.box("box-a") == Box(**fields(one) | {"path": f"{DAY}/box-a.md"})
    assert pages.box_of("fact-2") == pages.box("box-a") and pages.box_of("fact-3") is None
    assert pages.entities() == [Entity(**fields(kim) | {"path": "entities/person-kim.md"})]
    assert pages.entity("person-kim") in pages.entities() and pages.entity("person-joe") is None
    assert vault.doctor() == []


def fields(value: Box | Entity) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}


def test_taken_names_are_those_of_pages_too(vault: Vault) -> None:
    renamed = entity("person-kim", path="entities/Kim.md")
    write_pages(vault, (None, box("box-a")), (None, renamed))
    names = ["box-a", "person-kim", "Kim", "free"]
    assert vault.parts.projections.view.taken(names) == {"box-a", "person-kim", "Kim"}


def test_what_leaves_a_box_is_in_none(vault: Vault) -> None:
    before = box("box-a", "fact-1", "fact-2")
    write_pages(vault, (None, before))
    found = vault.parts.projections.view.box("box-a")
    assert found is not None
    write_pages(vault, (found, box("box-a", "fact-2", path=found.path)))
    pages = vault.parts.projections.view
    assert pages.box_of("fact-1") is None and pages.box_of("fact-2") is not None
    write_pages(vault, (pages.box("box-a"), None))
    assert pages.box_of("fact-2") is None and pages.boxes() == []


def test_the_links_of_a_page_are_no_secrets_and_its_words_are(vault: Vault) -> None:
    ids = ("fact-20260306-100000-e9d42ace", "fact-20260306-100100-c7d437a5")
    lines = tuple((name, "The tokenb0000 valve holds 0 bar.") for name in ids)
    write_pages(vault, (None, box("box-a", lines=lines)))
    assert vault.doctor() == []
    path = vault.root / DAY / "box-a.md"
    path.write_bytes(path.read_bytes() + b"The token is fact-20260306-100100-c7d437a5.\n")
    assert {one.code for one in vault.doctor()} == {"secret"}


# -- hand edits ---------------------------------------------------------------------------------


def test_a_box_that_a_person_moves_edits_and_removes_is_followed(vault: Vault) -> None:
    pair = [box("box-a", "fact-1", trace="t"), box("box-b", "fact-2", trace="mine")]
    write_pages(vault, *((None, one) for one in pair))
    (vault.root / DAY / "box-a.md").rename(vault.root / "boxes" / "My box.md")
    assert vault.parts.settler.within(1e9)
    assert "boxes/My box.md" in boxes(vault) and list(traces(vault)) == []
    mine = vault.root / "boxes" / "My box.md"
    mine.write_bytes(mine.read_bytes().replace(b"trace: t\n", b"trace: mine\n"))
    assert vault.parts.settler.within(1e9) and list(traces(vault)) == ["mine"]
    mine.unlink()
    assert vault.parts.settler.within(1e9)
    assert len(boxes(vault)) == 1 and traces(vault) == {}
    said = [(event.name, event.details) for _, _, event in vault.parts.catalog.log.events("box-a")]
    whats = [dict(details)["what"] for name, details in said if name == "hand_edit"]
    assert whats == ["moved", "edited", "removed"]
    assert vault.doctor() == []


def test_a_removed_page_is_restored_once(vault: Vault) -> None:
    write_pages(vault, (None, entity("person-kim", "fact-1")))
    body = vault.parts.disk.read("entities/person-kim.md")
    (vault.root / "entities/person-kim.md").unlink()
    assert vault.restore("person-kim") == "person-kim"
    assert vault.parts.disk.read("entities/person-kim.md") == body
    (vault.root / "entities/person-kim.md").rename(vault.root / "entities/Kim.md")
    with pytest.raises(BadInput, match="not gone"):
        vault.restore("person-kim")


@pytest.mark.parametrize("page", [box("box-a", "fact-1"), entity("person-kim", "fact-1")])
def test_of_two_files_with_one_id_the_first_known_has_it(vault: Vault, page: Box | Entity) -> None:
    write_pages(vault, (None, page))
    first = layout.page_path(page)
    copy = vault.root / first.replace(page.id, "copy")
    copy.write_bytes((vault.root / first).read_bytes())
    assert vault.parts.settler.within(1e9)
    assert f"belongs to {first}" in problems(vault)[first.replace(page.id, "copy")]
    vault.rebuild()
    assert f"belongs to {first}" in problems(vault)[first.replace(page.id, "copy")]
    (vault.root / first).unlink()
    assert vault.parts.settler.within(1e9)
    assert [row.id for row in vault.parts.catalog.files().values()] == [page.id]


def test_a_memory_an_entity_and_a_box_may_share_an_id(vault: Vault) -> None:
    write_pages(vault, (None, box("kim")), (None, entity("kim", type="person")))
    note = vault.root / "facts" / "kim.md"
    note.write_text("Kim likes tea.\n", encoding="utf-8")
    assert vault.parts.settler.within(1e9)
    note.unlink()
    assert vault.parts.settler.within(1e9)
    view = vault.parts.projections.view
    assert view.memory("kim") is None
    assert view.box("kim") is not None and view.entity("kim") is not None


def test_any_bytes_in_a_page_are_a_problem_and_no_failure(vault: Vault) -> None:
    (vault.root / "boxes/odd.md").write_bytes(b"\xff\x00---\nid: [")
    (vault.root / "entities/odd.md").write_bytes(b"")
    assert vault.parts.settler.within(1e9)
    assert problems(vault)["boxes/odd.md"]
    assert sorted(vault.parts.catalog.files()) == ["boxes/odd.md", "entities/odd.md"]


# -- taken back and made anew -------------------------------------------------------------------


def test_undo_takes_pages_and_traces_back_and_brings_them_again(vault: Vault) -> None:
    vault.ready_to_read()
    empty = tree_digest(vault.root, "boxes", "entities") + str(traces(vault))
    write_pages(vault, (None, box("box-a", "fact-1", trace="t")), (None, entity("tool-x")))
    made, seen = tree_digest(vault.root, "boxes", "entities"), traces(vault)
    vault.undo()
    assert tree_digest(vault.root, "boxes", "entities") + str(traces(vault)) == empty
    assert vault.parts.disk.read(layout.TRACES) is None and boxes(vault) == []
    vault.undo("2")
    assert (tree_digest(vault.root, "boxes", "entities"), traces(vault)) == (made, seen)
    assert vault.doctor() == []


def test_an_undo_does_not_make_a_second_file_of_a_moved_box(vault: Vault) -> None:
    write_pages(vault, (None, box("box-a")))
    body = vault.parts.disk.read(f"{DAY}/box-a.md")
    removed = write_pages(vault, (vault.parts.projections.view.box("box-a"), None))
    (vault.root / "boxes/mine.md").write_bytes(body or b"")
    with pytest.raises(Conflict, match=r"boxes/mine\.md"):
        vault.undo(str(removed))


def test_the_traces_are_made_anew_byte_for_byte(
    vault: Vault, open_vault: Callable[..., Vault]
) -> None:
    later = {"created": "2026-03-07T10:00:00Z", "sealed": "2026-03-07T11:00:00Z"}
    write_pages(
        vault, (None, box("box-b", "fact-2", trace="t", topics=("tea", "cups"), **later)),
        (None, box("box-a", "fact-1", trace="t")), (None, box("box-c", "fact-3", trace="s")),
        (None, box("box-d", "fact-4")),
    )  # fmt: skip
    written = vault.parts.disk.read(layout.TRACES)
    assert traces(vault)["t"] == {
        "boxes": ["box-a", "box-b"], "topics": ["tea"],
        "first": "2026-03-06T10:00:00Z", "last": "2026-03-07T11:00:00Z",
    }  # fmt: skip
    assert list(traces(vault)) == ["t"]
    (vault.root / DAY / "box-a.md").rename(vault.root / "boxes" / "Renamed.md")
    assert vault.parts.settler.within(1e9)
    (vault.root / layout.TRACES).unlink()
    assert layout.TRACES in vault.stale_views()
    assert layout.TRACES in vault.rebuild()
    assert vault.parts.disk.read(layout.TRACES) == written and vault.doctor() == []
    vault.parts.disk.put(layout.TRACES, b"{}")
    assert [one.subject for one in vault.doctor()] == [layout.TRACES]


def test_a_catalog_made_anew_says_the_same(vault: Vault) -> None:
    write_pages(vault, (None, box("box-a", "fact-1", trace="t")), (None, entity("tool-x", "m")))
    pages = vault.parts.projections.view
    before = pages.boxes(), pages.entities(), pages.box_of("fact-1")
    vault.rebuild()
    pages = vault.parts.projections.view
    assert (pages.boxes(), pages.entities(), pages.box_of("fact-1")) == before
    assert vault.parts.settler.within(1e9) and vault.parts.catalog.last == 1


def test_the_topics_of_a_trace_are_those_that_boxes_share_the_most_frequent_first() -> None:
    many = tuple(f"t{number:02d}" for number in range(20))
    later = box("a", trace="x", topics=("z", *many), created="2026-03-06T11:00:00Z")
    last = box("c", trace="x", topics=("y", "z"), created="2026-03-06T12:00:00Z")
    (trace,) = traces_of([last, later, box("b", trace="x", topics=(*many, "z"))])
    assert trace.topics == ("z", *many[:15]) and trace.boxes == ("b", "a", "c")


def test_one_box_makes_no_trace() -> None:
    assert traces_of([box("a", trace="x", topics=("z",))]) == []


# -- purged -------------------------------------------------------------------------------------


def test_a_purged_memory_vanishes_from_every_page_and_the_rest_stays(vault: Vault) -> None:
    purged, kept = turns(2)
    word = purged.text.split()[1]
    takes_every_turn(vault).capture([purged, kept])
    vault.flush()
    named = {memory.text: memory.id for memory in vault.parts.catalog.memories()}
    gone, stays = named[purged.text], named[kept.text]
    one = box(
        "box-a", gone, stays, lines=((gone, purged.text), (stays, kept.text)), goal=purged.text,
        outcome=purged.text, title=purged.text, trace="t",
    )  # fmt: skip
    tool = entity(
        "tool-valve", gone, stays, synthesis=f"{purged.text}\n{kept.text}", synthesis_by="model",
        timeline=(("2026-03-06", gone, purged.text), ("2026-03-06", stays, kept.text)),
        relations=(("tool-pump", f"next to {word}", gone),),
        activity=(("2026-03-06", gone, f"learnt {word}"),),
    )  # fmt: skip
    number = write_pages(vault, (None, one), (None, tool))
    profile = f"# Me\n\n- {purged.text}\n- [[{gone}]] said so\n- {kept.text}\n".encode()
    vault.parts.disk.put(layout.PROFILE, profile)
    mine = vault.root / DAY / "box-a.md"
    mine.write_bytes(mine.read_bytes() + f"I say: {purged.text}\nMy own line.\n".encode())
    vault.purge(gone)
    assert vault.doctor() == []
    vault.close()
    assert where(vault.root, word) == [] and where(vault.parts.cache, word) == []
    assert vault.parts.disk.read(layout.PROFILE) == f"# Me\n\n- {kept.text}\n".encode()
    found = vault.parts.projections.view.box("box-a")
    assert found is not None and found.lines == ((stays, kept.text),) and found.trace == "t"
    assert b"My own line.\n" in mine.read_bytes()
    known = vault.parts.projections.view.entity("tool-valve")
    assert known is not None and [item[1] for item in known.timeline] == [stays]
    assert kept.text in known.synthesis
    vault.rebuild()
    last = vault.parts.catalog.last
    assert vault.parts.settler.within(1e9) and vault.parts.catalog.last == last
    # what the journal knows of the pages was rewritten too: without the person's lines, they go
    mine.write_bytes(mine.read_bytes().replace(b"My own line.\n", b""))
    vault.undo(str(number))
    assert not (vault.root / DAY / "box-a.md").exists() and vault.doctor() == []
