"""Imports: files read once, in groups, and again only as far as they grew."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import engram.pipeline.imports
from engram.model.errors import BadInput, Conflict
from engram.pipeline.imports import by_source, read_stream
from engram.store.base.clock import FixedClock
from engram.vault import Adapters, Vault
from tests.conftest import NOW
from tests.kit import LIGHT, reopened, takes_every_turn, tree_digest


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two conversations of three turns each."""
    made = tmp_path / "conversations"
    for name, side in (("a", "north"), ("b", "south")):
        write(made / f"{name}.jsonl", *(f"The {side} valve {n} is open." for n in range(3)))
    return made


def write(path: Path, *said: str, first: int = 0, project: str = "shop") -> None:
    """Append turns of a session named after the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        for number, text in enumerate(said, first):
            row = {
                "role": "user", "content": text, "session": path.stem, "project": project,
                "timestamp": f"2026-03-05T10:{number:02d}:00Z",
            }  # fmt: skip
            stream.write(json.dumps(row) + "\n")


def texts(vault: Vault) -> list[str]:
    return sorted(memory.text for memory in vault.parts.catalog.memories() if memory.live)


def excluding(vault: Vault, *globs: str) -> Vault:
    settings = vault.settings
    capture = settings.capture._replace(exclude=globs)
    return reopened(vault, settings=settings._replace(capture=capture))


def test_the_longest_line_that_is_read_is_a_setting(vault: Vault, tmp_path: Path) -> None:
    long = "A long tale of the valve. " * 80
    write(tmp_path / "a.jsonl", "The valve is open.", long, "The pump is off.")
    capture = vault.settings.capture._replace(max_line_bytes=1024)
    reopened(vault, settings=vault.settings._replace(capture=capture))
    report, _ = vault.import_files("jsonl", tmp_path / "a.jsonl")
    assert (report.new_turns, report.tally.unparsed_lines) == (2, 1)


# -- again and again ----------------------------------------------------------------------------


def test_a_folder_is_imported_once(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    report, outcome = vault.import_files("jsonl", folder)
    assert (report.files, report.turns, report.new_turns) == (2, 6, 6)
    assert (outcome.turns, outcome.memories) == (6, 6) and report.batch == "import-1"
    assert len(report.sessions) == 2 and report.problems == []
    before = tree_digest(vault.root)
    again, nothing = vault.import_files("jsonl", folder)
    assert (again.files, again.turns, again.new_turns, again.batch) == (2, 0, 0, "")
    assert nothing.turns == 0 and tree_digest(vault.root) == before


def test_a_file_that_grew_is_read_from_where_it_ended(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    write(folder / "a.jsonl", "The fourth valve is shut.", first=3)
    report, _ = vault.import_files("jsonl", folder)
    assert (report.turns, report.new_turns, report.batch) == (1, 1, "import-2")
    assert len(texts(vault)) == 7


def test_without_cursors_it_is_read_again_and_nothing_doubles(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    for damage in (b"", b"not json", b"[]", b'{"x": 1}'):
        vault.parts.disk.put("state/cursors.json", damage)
        report, _ = vault.import_files("jsonl", folder)
        assert (report.turns, report.new_turns) == (6, 0)
    assert len(texts(vault)) == 6 and vault.doctor() == []


def test_cursors_of_an_earlier_version_lose_their_words_and_are_gone_on_from(
    vault: Vault, tmp_path: Path
) -> None:
    takes_every_turn(vault)
    path = tmp_path / "s.jsonl"

    def add(text: str, uuid: str) -> None:
        row = {
            "type": "user", "sessionId": "s1", "cwd": "/w/shop", "uuid": uuid,
            "timestamp": "2026-03-05T10:00:00Z", "message": {"content": text},
        }  # fmt: skip
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")

    add("The valve is open.", "u1")
    vault.import_files("claude-code", path)
    cursors = vault.root / "state" / "cursors.json"
    rows = json.loads(cursors.read_text(encoding="utf-8"))
    for row in rows.values():
        del row["whole"]
        row["state"] |= {
            "project s1": "shop", "session": "s1", "ai-title s1": "Narwhal",
            "queue": '[["narwhal", "s1", "", 1, false]]', "off s1": "1", "time s1": "narwhal",
        }  # fmt: skip
    cursors.write_text(json.dumps(rows), encoding="utf-8")
    add("The gate is shut.", "u2")
    vault = reopened(vault)
    report, _ = vault.import_files("claude-code", path)
    assert (report.turns, report.new_turns) == (1, 1)
    turn = list(vault.parts.turn_log.entries())[-1].turn
    assert (turn.text, turn.session, turn.project) == ("The gate is shut.", "s1", "shop")
    written = cursors.read_text(encoding="utf-8")
    assert not any(word in written.lower() for word in ("narwhal", "shop", "s1"))


def test_a_file_that_was_renamed_or_copied_brings_nothing_new(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    (folder / "a.jsonl").rename(folder / "z.jsonl")
    (folder / "copied.jsonl").write_bytes((folder / "b.jsonl").read_bytes())
    assert vault.import_files("jsonl", folder)[0].new_turns == 0
    assert len(texts(vault)) == 6


def test_an_import_after_its_undo_brings_all_back(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    facts = tree_digest(vault.root, "facts", "transcripts")
    vault.undo()
    assert texts(vault) == [] and vault.status().turns == 0
    report, outcome = vault.import_files("jsonl", folder)
    assert (report.new_turns, outcome.memories) == (6, 6)
    assert tree_digest(vault.root, "facts", "transcripts") == facts
    assert vault.doctor() == []
    vault.undo()
    assert texts(vault) == [] and vault.doctor() == []


def test_what_was_imported_anew_does_not_come_back_a_second_time(
    vault: Vault, folder: Path
) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    undone = vault.undo()
    vault.import_files("jsonl", folder)
    with pytest.raises(Conflict):
        vault.undo(str(undone.number))
    assert len(texts(vault)) == 6 and vault.doctor() == []


# -- groups -------------------------------------------------------------------------------------


def test_turns_are_made_durable_in_groups(
    vault: Vault, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engram.pipeline.imports, "GROUP_TURNS", 2)
    monkeypatch.setattr(engram.pipeline.imports, "_CURSOR_TURNS", 3)
    takes_every_turn(vault)
    report, _ = vault.import_files("jsonl", folder)
    assert report.new_turns == 6 and report.batch == "import-1"
    assert {entry.batch for entry in vault.parts.turn_log.entries()} == {"import-1"}
    assert vault.import_files("jsonl", folder)[0].turns == 0


def test_live_capture_has_no_batch_and_follows_the_triggers(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    report, _ = vault.import_files("jsonl", folder, live=True)
    assert report.new_turns == 6 and report.batch == ""
    assert {entry.batch for entry in vault.parts.turn_log.entries()} == {""}
    # old turns: the time trigger takes them
    assert len(texts(vault)) == 6


def test_an_import_may_leave_the_extraction_for_later(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder, extract=False)
    assert texts(vault) == [] and vault.status().pending == 6
    vault.flush()
    assert len(texts(vault)) == 6
    vault.undo()
    assert texts(vault) == [] and vault.status().turns == 0


# -- what is passed over ------------------------------------------------------------------------


def test_excluded_paths_are_never_opened(vault: Vault, folder: Path) -> None:
    takes_every_turn(excluding(vault, "*/a.jsonl"))
    (folder / "a.jsonl").chmod(0)
    report, _ = vault.import_files("jsonl", folder)
    assert (report.files, report.excluded, report.new_turns, report.problems) == (1, 1, 3, [])


def test_turns_of_excluded_projects_are_left_out(vault: Vault, folder: Path) -> None:
    takes_every_turn(excluding(vault, "secret-*"))
    write(folder / "c.jsonl", "The safe is behind the mirror.", project="Secret Garden")
    report, _ = vault.import_files("jsonl", folder)
    assert (report.files, report.excluded, report.new_turns) == (3, 1, 6)
    trace = b"".join(path.read_bytes() for path in vault.root.rglob("*") if path.is_file())
    assert b"mirror" not in trace


def test_one_file_that_cannot_be_read_stops_no_other(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    whole = (folder / "a.jsonl").read_bytes()
    (folder / "a.jsonl").unlink()
    (folder / "a.jsonl").symlink_to(folder / "gone.jsonl")
    report, _ = vault.import_files("jsonl", folder)
    assert report.new_turns == 3
    (folder / "a.jsonl").unlink()
    (folder / "a.jsonl").write_bytes(b"not json\n" + whole + b'{"role": "user", "content": 5}\n')
    report, _ = vault.import_files("jsonl", folder)
    assert report.new_turns == 3 and report.tally.unparsed_lines >= 1


def test_a_half_written_last_line_waits(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    path = folder / "a.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert vault.import_files("jsonl", folder)[0].new_turns == 5
    path.write_bytes(whole)
    assert vault.import_files("jsonl", folder)[0].new_turns == 1


# -- looking only -------------------------------------------------------------------------------


def test_a_dry_run_counts_and_writes_nothing(vault: Vault, folder: Path) -> None:
    takes_every_turn(vault)
    vault.import_files("jsonl", folder)
    write(folder / "a.jsonl", "The fourth valve is shut.", first=3)
    write(folder / "c.jsonl", "The fifth valve is shut.", "The sixth valve is shut.")
    before = tree_digest(vault.root)
    report, outcome = vault.import_files("jsonl", folder, dry_run=True)
    assert (report.files, report.turns, report.new_turns) == (3, 9, 3)
    assert (outcome.turns, report.batch) == (0, "") and tree_digest(vault.root) == before
    assert vault.import_files("jsonl", folder)[0].new_turns == 3


def test_files_are_sorted_by_what_they_look_like(folder: Path) -> None:
    (folder / "notes.txt").write_text("user: hello there\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    found = by_source(folder)
    assert [path.name for path in found["jsonl"]] == ["a.jsonl", "b.jsonl"]
    assert "picture.png" not in {path.name for paths in found.values() for path in paths}
    with pytest.raises(BadInput):
        by_source(folder / "nowhere")


def test_a_stream_is_read_by_what_it_looks_like(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FixedClock(NOW)
    lines = b'{"role": "user", "content": "Kim likes tea."}\n'
    (said,) = read_stream(io.BytesIO(lines), clock)
    assert (said.text, said.role) == ("Kim likes tea.", "user")
    (plain,) = read_stream(io.BytesIO("Kim likes tea, not café.\n".encode()), clock)
    assert plain.text == "Kim likes tea, not café."
    with pytest.raises(BadInput):
        read_stream(io.BytesIO(b"\x89PNG\r\n\x1a\n\0\0\xff\xfe"), clock)
    monkeypatch.setattr(engram.pipeline.imports, "STREAM_BYTES", 10)
    with pytest.raises(BadInput, match="too much"):
        read_stream(io.BytesIO(lines), clock)
