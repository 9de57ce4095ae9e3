"""What an undo took back stays away, with every page that told of it, and comes back whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from engram.model.errors import Conflict, NotFound
from engram.vault import Vault
from tests.kit import where

#: history, which is never given to anybody: journal, transactions and event trace
LOGS = ("state/turns/", "state/journal/", "state/trace.jsonl")


def line(text: str, minute: int, session: str = "a", role: str = "user") -> str:
    row = {"role": role, "content": text, "session": session, "project": "shop",
           "timestamp": f"2026-03-04T09:{minute:02}:00Z"}  # fmt: skip
    return json.dumps(row) + "\n"


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A conversation that gives three memories and names a person often enough for a page."""
    path = tmp_path / "first.jsonl"
    path.write_text(
        line("We decided to use Postgres because Zwiebel needs two writers.", 0)
        + line("I prefer Zwiebel commits with one topic each.", 5)
        + line("My manager Frau Zwiebel works at Finkenwerder and likes Postgres.", 6),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def second(tmp_path: Path) -> Path:
    path = tmp_path / "second.jsonl"
    path.write_text(
        line("The deploy runs on Fridays with Kubernetes.", 20, "b")
        + line("I prefer small functions.", 21, "b"),
        encoding="utf-8",
    )
    return path


def told(vault: Vault, word: str = "Zwiebel") -> list[str]:
    """Where a word stands that nothing is to tell: files, search over everything, lines."""
    found = [path for word in (word, word.lower()) for path in where(vault.root, word)]
    hits = vault.search(word, all_statuses=True)
    return [
        *(path for path in found if not path.startswith(LOGS)),
        *(hit.docid for hit in (*hits.memories, *hits.turns)),
        *(path for path, _ in vault.grep(word, ignore_case=True)),
    ]


def texts(vault: Vault) -> list[str]:
    return sorted(memory.text for memory in vault.list())


def undone(vault: Vault, what: str = "import-1") -> str:
    """Undo; the number to undo that with. Nothing is told afterwards."""
    number = vault.undo(what).number
    assert told(vault) == []
    assert vault.doctor() == []
    return str(number)


# -- it stays away --------------------------------------------------------------------------------


def test_turns_taken_back_are_not_captured_when_the_conversation_goes_on(
    vault: Vault, first: Path, open_vault: Callable[..., Vault]
) -> None:
    vault.import_files("jsonl", first)
    undone(vault)
    with first.open("a", encoding="utf-8") as file:
        file.write(line("From now on always write the changelog.", 30))
    assert vault.import_files("jsonl", first, live=True)[0].new_turns == 1
    (vault.root / "state/cursors.json").unlink()
    shutil.rmtree(vault.parts.cache)
    again = open_vault()
    for how in ({"live": True}, {"again": False}):
        assert again.import_files("jsonl", first, **how)[0].new_turns == 0  # type: ignore[arg-type]
    copy = first.rename(first.with_name("renamed.jsonl"))
    report = again.import_files("jsonl", copy, again=False)[0]
    assert (report.new_turns, report.withheld) == (0, 3)
    assert told(again) == []
    assert len(texts(again)) == 1


def test_an_import_by_the_person_brings_back_what_was_taken_back(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    before = texts(vault)
    undone(vault)
    assert vault.import_files("jsonl", first, dry_run=True)[0].returned == 3
    report, _ = vault.import_files("jsonl", first)
    assert (report.new_turns, report.returned) == (3, 3)
    assert texts(vault) == before
    assert vault.import_files("jsonl", first)[0].new_turns == 0
    assert vault.doctor() == []


def test_a_title_of_turns_taken_back_is_not_written_again(vault: Vault, tmp_path: Path) -> None:
    path = tmp_path / "titled.jsonl"
    rows = [json.loads(line(f"The valve {number} is open.", number)) for number in range(2)]
    said = [json.dumps(row | {"title": "Zwiebel"}) + "\n" for row in rows]
    path.write_text(said[0], encoding="utf-8")
    vault.import_files("jsonl", path)
    vault.undo("import-1")
    (vault.root / "state/cursors.json").unlink()
    path.write_text("".join(said), encoding="utf-8")
    assert vault.import_files("jsonl", path, live=True)[0].new_turns == 1
    assert [found for found in told(vault) if found != "state/cursors.json"] == []


def test_a_redo_puts_every_turn_back_once_and_in_its_place(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    vault.consolidate()
    before = texts(vault)
    redo = undone(vault)
    with first.open("a", encoding="utf-8") as file:
        file.write(line("The newest turn of all.", 30))
    vault.import_files("jsonl", first, live=True)
    vault.undo(redo)
    (transcript,) = (vault.root / "transcripts").rglob("*.md")
    shown = transcript.read_text(encoding="utf-8")
    places = [shown.index(part) for part in ("two writers", "one topic", "manager", "newest")]
    assert places == sorted(places)
    assert shown.count("**user**") == 4
    assert texts(vault) == before
    assert vault.doctor() == []


# -- the pages that told of it --------------------------------------------------------------------


def test_pages_written_since_go_along_and_others_stay(
    vault: Vault, first: Path, second: Path
) -> None:
    vault.import_files("jsonl", second)
    vault.import_files("jsonl", first)
    vault.seal_boxes("shutdown")
    vault.consolidate(full=True)
    batch = next(entry.batch for entry in vault.log() if entry.kind == "import")
    assert any(path.startswith("entities/") for path in told(vault))
    undone(vault, batch)
    assert texts(vault) == ["The deploy runs on Fridays with Kubernetes.",
                            "The user prefers small functions."]  # fmt: skip
    assert "small functions" in (vault.root / "profile.md").read_text(encoding="utf-8")
    assert any("Kubernetes" in text for _, text in vault.boxes()[0].lines)
    vault.rebuild()
    assert told(vault) == [] and vault.doctor() == []
    vault.consolidate(full=True)
    assert told(vault) == []


def test_imports_that_met_in_one_memory_are_taken_back_in_any_order(
    vault: Vault, first: Path, tmp_path: Path
) -> None:
    vault.import_files("jsonl", first)
    other = tmp_path / "other.jsonl"
    other.write_text(
        line("I prefer Zwiebel commits with one topic each.", 50)
        + line("The deploy runs on Fridays with Zwiebel.", 51),
        encoding="utf-8",
    )
    batch = vault.import_files("jsonl", other)[0].batch
    vault.consolidate(full=True)
    vault.undo("import-1")
    redo = undone(vault, batch)
    vault.undo(redo)
    # the goal of their common conversation was the first import's
    assert all("two writers" not in box.goal for box in vault.boxes())
    undone(vault, batch)


def test_words_of_a_person_on_a_page_that_goes_stay(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    vault.consolidate(full=True)
    (entity,) = (vault.root / "entities").glob("person-*.md")
    with entity.open("a", encoding="utf-8") as file:
        file.write("\nShe owes me a coffee.\n")
    vault.take_up_edits()
    vault.undo("import-1")
    left = entity.read_text(encoding="utf-8")
    assert "She owes me a coffee." in left and "Finkenwerder" not in left
    assert vault.doctor() == []


def test_a_merge_of_other_memories_in_the_same_consolidation_stands(
    vault: Vault, first: Path, second: Path
) -> None:
    vault.import_files("jsonl", first)
    vault.import_files("jsonl", second)
    twin = next(memory for memory in vault.list() if "small functions" in memory.text)
    copy = vault.root / "facts" / "twin.md"
    body = (vault.root / twin.path).read_text(encoding="utf-8")
    copy.write_text(body.replace(twin.id, f"{twin.id}-2"), encoding="utf-8")
    vault.consolidate(full=True)
    undone(vault)
    assert texts(vault).count("The user prefers small functions.") == 1
    assert vault.parts.history.declined() == frozenset()


def test_an_edit_taken_back_is_taken_out_of_the_pages_that_followed_it(vault: Vault) -> None:
    memory = vault.remember("The till runs on a Raspberry Pi.", category="fact").memory
    draft = vault.to_edit(memory.id)
    vault.edit(memory, draft.before, draft.before.replace(b"Raspberry", b"Zwiebel"))
    edit = next(entry.number for entry in vault.log() if entry.kind == "edit")
    vault.consolidate(full=True)
    vault.undo(str(edit))
    assert told(vault) == []
    assert any("Raspberry" in text for _, text in vault.boxes()[0].lines)


# -- what came since ------------------------------------------------------------------------------


def test_turns_that_confirmed_what_goes_are_extracted_anew(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    said = line("I prefer Zwiebel commits with one topic each.", 40, "live").encode()
    vault.capture_stream(BytesIO(said))
    vault.flush()
    assert len(texts(vault)) == 3
    plan = vault.undo("import-1").plan
    assert plan.requeue and texts(vault) == []
    vault.flush()
    (memory,) = vault.list()
    assert len(memory.sources) == 1 and "one topic" in memory.text
    assert vault.doctor() == []


def test_memories_that_replaced_what_goes_do_not_cite_it(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    vault.capture_stream(BytesIO(line("We moved from Postgres to SQLite.", 40, "live").encode()))
    vault.flush()
    newer = next(memory for memory in vault.list() if "SQLite" in memory.text)
    assert newer.supersedes
    undone(vault)
    assert vault.memory(newer.id).supersedes == ()


def test_files_are_taken_back_where_a_person_moved_them(vault: Vault, first: Path) -> None:
    vault.import_files("jsonl", first)
    for number, memory in enumerate(vault.list()):
        (vault.root / memory.path).rename(vault.root / "facts" / f"Note {number}.md")
    undone(vault)
    assert list((vault.root / "facts").glob("*.md")) == []


def test_what_was_forgotten_or_archived_since_goes_too_and_what_was_confirmed_does_not(
    vault: Vault, first: Path
) -> None:
    vault.import_files("jsonl", first)
    names = [memory.id for memory in vault.list()]
    vault.forget(names[0])
    vault.archive(names[1:2])
    before = {name: vault.memory(name) for name in names}
    redo = undone(vault)
    assert [
        entry.number for entry in vault.log() if entry.kind != "undo" and not entry.undone
    ] == []
    with pytest.raises(NotFound):
        vault.undo()
    vault.undo(redo)
    assert {name: vault.memory(name) for name in names} == before
    vault.confirm(names[2:])
    with pytest.raises(Conflict, match="changed since"):
        vault.undo("import-1")


def test_a_plain_undo_passes_over_what_went_with_another(vault: Vault, first: Path) -> None:
    vault.remember("I live in Bonn.")
    vault.import_files("jsonl", first, live=True)
    vault.flush()
    batch = vault.import_files("jsonl", first)[0].batch  # nothing new, but it may consolidate
    vault.retire([next(memory.id for memory in vault.list() if "one topic" in memory.text)])
    extraction = next(entry for entry in vault.log() if entry.kind == "extract" and entry.changes)
    vault.undo(str(extraction.number))
    assert texts(vault) == ["I live in Bonn."], batch
    vault.undo()
    assert texts(vault) == []
    with pytest.raises(NotFound):
        vault.undo()
    assert vault.doctor() == []


def test_changes_are_taken_back_in_any_order_and_come_back_the_same(vault: Vault) -> None:
    memory = vault.remember("I live in Bonn.").memory
    path = vault.root / memory.path
    written = path.read_bytes()
    vault.edit(memory, written, written.replace(b"\n---\n", b"\nmood: fine\n---\n"))
    vault.retire([memory.id])
    retired = path.read_bytes()
    first = vault.undo("2").number
    assert path.read_bytes() == retired.replace(b"mood: fine\n", b"")
    second = vault.undo("3").number
    assert path.read_bytes() == written
    vault.undo(str(first))
    vault.undo(str(second))
    assert path.read_bytes() == retired
    assert vault.doctor() == []


@pytest.mark.parametrize("how", ["edit", "editor"])
def test_words_of_a_person_are_never_taken_back_with_an_import(
    how: str, vault: Vault, first: Path
) -> None:
    vault.import_files("jsonl", first)
    memory = next(memory for memory in vault.list() if "one topic" in memory.text)
    path = vault.root / memory.path
    mine = path.read_bytes().replace(b"one topic", b"one subject")
    if how == "edit":
        vault.edit(memory, path.read_bytes(), mine)
    else:
        path.write_bytes(mine)
    vault.archive([one.id for one in vault.list() if one.id != memory.id])
    with pytest.raises(Conflict, match="changed since") as refused:
        vault.undo("import-1")
    assert "one subject" in refused.value.hint and "one topic" in refused.value.hint
    assert path.read_bytes() == mine and len(vault.parts.catalog.files()) > 1


def test_what_was_purged_is_passed_over_and_the_rest_is_taken_back(
    vault: Vault, first: Path
) -> None:
    vault.import_files("jsonl", first)
    vault.consolidate(full=True)
    gone = next(memory for memory in vault.list() if "one topic" in memory.text)
    vault.purge(gone.id)
    plan = vault.undo_plan("import-1")
    assert [event.subject for event in plan.events if ("what", "purged") in event.details] == [
        gone.id
    ]
    redo = undone(vault)
    vault.undo(redo)
    assert len(texts(vault)) == 2 and where(vault.root, "one topic") == []
    assert vault.doctor() == []


# -- what a person says ---------------------------------------------------------------------------


def test_what_was_remembered_and_taken_back_is_found_nowhere(vault: Vault) -> None:
    vault.remember("My codename is Zwiebel.")
    redo = undone(vault, "")
    vault.undo(redo)
    assert texts(vault) == ["My codename is Zwiebel."]
    vault.consolidate(full=True)
    undone(vault, "1")
    vault.remember("My codename is Zwiebel.")
    assert texts(vault) == ["My codename is Zwiebel."]


def test_what_replaced_another_gives_it_back(vault: Vault) -> None:
    vault.remember("I live in Bonn.")
    vault.remember("I live in Zwiebel now.")
    assert len(texts(vault)) == 1
    undone(vault, "")
    assert texts(vault) == ["I live in Bonn."]


def test_what_was_piped_in_is_one_change_and_stays_taken_back(vault: Vault) -> None:
    vault.remember("I live in Bonn.")
    said = line("From now on always use Zwiebel.", 1).encode()
    taken = vault.capture_stream(BytesIO(said))
    vault.flush()
    assert taken.batch == "capture-1" and len(texts(vault)) == 2
    undone(vault, "")
    assert texts(vault) == ["I live in Bonn."]
    assert vault.capture_stream(BytesIO(said)).withheld == 1
    assert told(vault) == []
