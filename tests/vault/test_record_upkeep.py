"""A vault over weeks: sessions retire, move to the archive, come back; index.md follows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.memory import Memory
from engram.vault import Adapters, Vault
from tests.kit import LIGHT

Open = Callable[..., Vault]
SESSION = """\
---
id: moment-2026030{day}-090000-5a1c77e{day}
category: moment
kind: episode
schema: session
title: Till sync, part {day}
status: active
outcome: partial
created: 2026-03-0{day}T09:00:00Z
confidence: 0.69
project: shop
---
Make the till retry its sync, part {day}.
{more}"""
LEFT = """
## Next actions
- [ ] ask the bank for a staging certificate
- [x] write the migration
"""
OLDEST = "moment-20260301-090000-5a1c77e1"
NEWEST = "moment-20260306-090000-5a1c77e6"


@pytest.fixture
def adapters() -> Adapters:
    return LIGHT


def write_sessions(vault: Vault, days: range = range(1, 7)) -> None:
    """The record of a session for each of these days of March, as files of a person."""
    for day in days:
        path = vault.root / f"facts/2026-03-0{day}/moment-2026030{day}-090000-5a1c77e{day}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = SESSION.format(day=day, more=LEFT if day == 1 else "")
        path.write_text(text, encoding="utf-8")


def known(vault: Vault, name: str) -> Memory:
    return vault.parts.lookup.memory(name)


def status(vault: Vault, name: str) -> str:
    return known(vault, name).status


def index(vault: Vault) -> str:
    path: Path = vault.root / "index.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_the_oldest_session_retires_at_night_and_undo_brings_it_back(vault: Vault) -> None:
    write_sessions(vault)
    done = vault.consolidate()
    assert [step.subjects[0] for step in done.steps if step.task == "sessions"] == [OLDEST]
    assert status(vault, OLDEST) == "retired"
    assert OLDEST not in index(vault)
    assert index(vault).index(NEWEST) < index(vault).index("moment-20260302")
    vault.undo()
    assert status(vault, OLDEST) == "active"
    assert index(vault) == ""
    again = vault.consolidate(full=True)
    assert "sessions" not in {step.task for step in again.steps}


def test_a_second_night_finds_nothing_to_do(vault: Vault) -> None:
    write_sessions(vault)
    vault.consolidate()
    assert vault.consolidate(full=True).steps == ()


def test_what_a_session_left_to_be_done_is_kept_as_a_commitment(vault: Vault) -> None:
    write_sessions(vault)
    (step,) = [one for one in vault.consolidate().steps if one.task == "sessions"]
    assert step.notes == ("next action: ask the bank for a staging certificate",)
    trace = (vault.root / "state/trace.jsonl").read_text(encoding="utf-8")
    assert "certificate" not in trace
    (item,) = [one for one in vault.to_review() if one.reason == "unheld"]
    assert (item.item, item.memories[0].id) == ("ask the bank for a staging certificate", OLDEST)
    kept = vault.remember(item.item, category="commitment", project="shop").memory
    assert (kept.category, kept.project) == ("commitment", "shop")
    assert [one for one in vault.to_review() if one.reason == "unheld"] == []


def test_a_month_later_its_file_moves_and_everything_brings_it_back(open_vault: Open) -> None:
    vault = open_vault()
    write_sessions(vault)
    vault.consolidate()
    vault.close()
    vault = open_vault(now="2026-04-05T12:00:00Z")
    before = known(vault, OLDEST).path
    assert [memory.id for memory, _ in vault.gc(dry_run=True).moved] == [OLDEST]
    assert known(vault, OLDEST).path == before
    body = (vault.root / before).read_bytes()
    vault.gc()
    moved = known(vault, OLDEST)
    assert (moved.path, moved.status) == (f"archive/{before.removeprefix('facts/')}", "retired")
    assert (vault.root / moved.path).read_bytes() == body
    assert vault.gc().moved == ()
    vault.undo()
    assert known(vault, OLDEST).path == before
    assert "gc" not in {step.task for step in vault.consolidate().steps}
    vault.gc()
    vault.restore(OLDEST)
    back = known(vault, OLDEST)
    assert (back.status, back.path) == ("active", before)
    assert "sessions" not in {step.task for step in vault.consolidate(full=True).steps}


def test_the_night_moves_it_too_and_logs_a_tombstone(open_vault: Open) -> None:
    vault = open_vault()
    write_sessions(vault)
    vault.consolidate()
    vault.close()
    vault = open_vault(now="2026-04-05T12:00:00Z")
    assert [step.subjects for step in vault.consolidate().steps if step.task == "gc"] == [(OLDEST,)]
    told = [event for _, _, event in vault.parts.catalog.log.events(OLDEST)]
    tombstone = dict(next(event for event in told if event.name == "memory_collected").details)
    assert (tombstone["retired"], tombstone["collected"]) == ("2026-03-06", "2026-04-05")
    vault.undo()
    assert known(vault, OLDEST).path.startswith("facts/")


def test_a_retired_file_without_a_date_goes_by_the_log(open_vault: Open) -> None:
    vault = open_vault()
    write_sessions(vault, range(1, 2))
    vault.take_up_edits()
    path = vault.root / known(vault, OLDEST).path
    path.write_text(path.read_text().replace("status: active", "status: retired"))
    vault.take_up_edits()
    vault.close()
    assert open_vault(now="2026-04-01T12:00:00Z").gc().waiting == 1
    assert [one.id for one, _ in open_vault(now="2026-04-05T12:00:00Z").gc().moved] == [OLDEST]


def test_what_is_forgotten_or_purged_leaves_the_index(vault: Vault) -> None:
    write_sessions(vault)
    vault.consolidate()
    vault.forget(NEWEST)
    assert NEWEST not in index(vault)
    vault.purge("moment-20260305-090000-5a1c77e5")
    assert "part 5" not in index(vault)


def test_status_counts_records_by_schema(vault: Vault) -> None:
    write_sessions(vault)
    changes = "".join(f"- 2026-03-0{day} · outcome · x → y · why\n" for day in range(1, 7))
    vault.take_up_edits()
    path = vault.root / known(vault, NEWEST).path
    path.write_text(f"{path.read_text()}\n## Changes\n{changes}", encoding="utf-8")
    vault.consolidate()
    counts = vault.status().records["session"]
    assert (counts.live, counts.often_updated, counts.retired, counts.many) == (5, 1, 1, False)


FAULTY = """\
---
id: wall
category: fact
schema: constraint
status: active
severity: enormous
created: 2026-03-01T09:00:00Z
---
The printer takes 40 columns.

## Impact
- long names are cut

## impact
- totals are cut
"""


def test_the_doctor_names_what_of_a_record_is_not_as_its_schema_says(vault: Vault) -> None:
    write_sessions(vault)
    assert vault.doctor() == []
    path = vault.root / "facts/2026-03-01/wall.md"
    path.write_text(FAULTY, encoding="utf-8")
    (finding,) = vault.doctor()
    assert (finding.severity, finding.code) == ("warning", "record")
    assert "expected one of high, medium, low, got 'enormous'" in finding.message
    assert "2 sections are called 'impact'" in finding.message
    assert path.read_text(encoding="utf-8") == FAULTY
