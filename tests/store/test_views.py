"""The trace and the fact hashes: computable, appendable, mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Change, Event, Plan, Transaction
from engram.model.text import content_hash
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.commits.views import EventTrace, FactHashes, hash_lines, trace_lines
from engram.vault import Vault
from tests.effort import examples
from tests.kit import LIGHT, reopened, takes_every_turn, turns

NOON = "2026-03-06T12:00:00Z"


@pytest.fixture
def disk(tmp_path: Path) -> VaultDisk:
    return VaultDisk(tmp_path)


def transaction(number: int, events: int = 2) -> Transaction:
    made = tuple(
        Event("memory_write", f"m{number}-{at}", (("code", "new"),)) for at in range(events)
    )
    return Transaction(number, NOON, Plan("extract", (Change("a", None, b""),), made))


MADE = [transaction(number) for number in range(1, 5)]
WHOLE = b"".join(map(trace_lines, MADE))


# -- the trace ----------------------------------------------------------------------------------


def test_a_transaction_is_a_line_and_its_events_one_each() -> None:
    left = Transaction(
        7, NOON,
        Plan("undo", (Change("a", b"", None),), (Event("undone", "m", (("what", "x"),)),),
             batch="import-3", undoes=(2, 3)),
        ("facts/a.md",),
    )  # fmt: skip
    assert [json.loads(line) for line in trace_lines(left).splitlines()] == [
        {"n": 7, "time": NOON, "event": "undo", "batch": "import-3", "changes": "1",
         "left_to_the_person": "facts/a.md", "undoes": "2 3"},
        {"n": 7, "time": NOON, "event": "undone", "subject": "m", "what": "x"},
    ]  # fmt: skip


def test_a_trace_holds_no_content(vault: Vault) -> None:
    takes_every_turn(vault).capture(turns(5))
    trace = vault.parts.disk.read(layout.TRACE) or b""
    assert len(trace.splitlines()) == 7 and b"valve" not in trace


def test_following_twice_changes_nothing(disk: VaultDisk) -> None:
    trace = EventTrace(disk)
    for one in (*MADE, *MADE):
        trace.follow(one)
    assert disk.read(layout.TRACE) == WHOLE
    EventTrace(disk).follow(MADE[3])
    assert disk.read(layout.TRACE) == WHOLE


def test_one_that_looked_before_another_wrote_looks_again(disk: VaultDisk) -> None:
    one, other = EventTrace(disk), EventTrace(disk)
    one.follow(MADE[0])
    other.follow(MADE[1])
    one.follow(MADE[1])
    one.follow(MADE[2])
    other.follow(MADE[3])
    assert disk.read(layout.TRACE) == WHOLE


@given(st.integers(0, len(WHOLE)))
@examples(15, shared_fixture=True)  # the file is written anew
def test_a_trace_that_was_cut_anywhere_is_completed(disk: VaultDisk, length: int) -> None:
    disk.put(layout.TRACE, WHOLE[:length])
    # the transaction that was torn was not followed to its end: it is followed again
    torn = next(at for at in range(4) if len(b"".join(map(trace_lines, MADE[: at + 1]))) >= length)
    for one in MADE[torn:]:
        EventTrace(disk).follow(one)
    assert disk.read(layout.TRACE) == WHOLE


@pytest.mark.parametrize(
    "damaged",
    [b"", WHOLE[:-1], WHOLE[:50], b"not json\n" + WHOLE, WHOLE.replace(b"m2-0", b"m2-x"), b"[]\n"],
)
def test_mending_makes_it_what_the_journal_says(disk: VaultDisk, damaged: bytes) -> None:
    disk.put(layout.TRACE, damaged)
    assert EventTrace(disk).mend(MADE)
    assert disk.read(layout.TRACE) == WHOLE
    assert not EventTrace(disk).mend(MADE)


def test_mending_keeps_the_lines_of_what_the_journal_lost(disk: VaultDisk) -> None:
    disk.put(layout.TRACE, WHOLE + trace_lines(transaction(9)))
    assert EventTrace(disk).mend([MADE[1], MADE[3]])
    # but not of what lies beyond its end: that is another vault's
    assert disk.read(layout.TRACE) == WHOLE


# -- the fact hashes ----------------------------------------------------------------------------


def test_hashes_are_appended_sorted_and_rewritten_when_one_leaves(disk: VaultDisk) -> None:
    hashes = FactHashes(disk)
    one, two = ("1" * 64, "one"), ("2" * 64, "two")
    hashes.follow([two, one], None)
    assert disk.read(layout.HASHES) == hash_lines([one, two])
    hashes.follow([], None)
    hashes.follow([], [two])
    assert hashes.read() == [two]
    hashes.follow([], [])
    assert disk.read(layout.HASHES) == b"" and hashes.read() == []


def test_the_list_has_the_scoped_hash_of_every_live_memory(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened(vault, finder=LIGHT.finder)
    takes_every_turn(vault).capture(turns(5))
    memories = list(vault.parts.catalog.memories())
    vault.forget(memories[0].id)
    vault.forget(memories[1].id)
    vault.restore(memories[1].id)
    expected = sorted(
        (content_hash(memory.text, "project/shop/"), memory.id) for memory in memories[1:]
    )
    assert sorted(vault.parts.projections.views.hashes.read()) == expected
    assert vault.parts.catalog.live_hashes() == expected


def test_views_that_were_deleted_or_damaged_are_made_anew(vault: Vault) -> None:
    takes_every_turn(vault).capture(turns(5))
    before = {path: vault.parts.disk.read(path) for path in (layout.HASHES, layout.TRACE)}
    vault.parts.disk.put(layout.HASHES, b"\xff\xfe nonsense\n")
    vault.parts.disk.remove(layout.TRACE)
    assert {finding.code for finding in vault.doctor()} == {"stale_view"}
    assert sorted(vault.rebuild()) == sorted([*before, layout.TOPICS])
    assert vault.doctor() == []
    for path, body in before.items():
        assert sorted((vault.parts.disk.read(path) or b"").splitlines()) == sorted(
            (body or b"").splitlines()
        )
