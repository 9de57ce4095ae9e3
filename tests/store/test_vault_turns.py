"""The turn book: which turns were captured, which wait, and what became of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Event, Plan
from engram.model.ports import TurnLog, TurnStore
from engram.model.turn import Waiting
from engram.store.catalog.turn_rows import DEAD, DONE, PENDING, PURGED, WITHDRAWN, ranges_of
from engram.vault import Adapters, Vault
from tests.effort import examples
from tests.kit import LIGHT, turns


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


@pytest.fixture
def book(vault: Vault) -> TurnStore:
    return vault.parts.turns


def take(vault: Vault, count: int, session: str = "s", *, first: int = 0, batch: str = "") -> None:
    """Journal turns and enter them, extracting nothing."""
    turn_log: TurnLog = vault.parts.turn_log
    with vault.parts.committer.lock():
        made = [(turn, "none") for turn in turns(count, session, first)]
        vault.parts.turns.add(turn_log.append(made, batch))


def commit(vault: Vault, **ranges: object) -> None:
    vault.parts.committer.commit(Plan("test", **ranges))  # type: ignore[arg-type]


def states(vault: Vault) -> list[int]:
    """The state of every turn, in order."""
    rows = vault.parts.catalog.turns
    last = vault.parts.turn_log.end()[2]
    return [next(iter(rows.states([(seq, seq)]))) for seq in range(1, last + 1)]


NAMES = {session: turns(1, session)[0].transcript for session in ("s", "t")}


def test_what_was_captured_is_known_and_waits_by_transcript(vault: Vault, book: TurnStore) -> None:
    take(vault, 2)
    take(vault, 1, "t")
    take(vault, 1, first=2)
    assert book.seen([*turns(4), *turns(2, "t")]) == {
        turn.message for turn in (*turns(3), *turns(1, "t"))
    }
    assert book.waiting() == [
        Waiting(NAMES["s"], 3, "2026-03-06T10:00:00Z"),
        Waiting(NAMES["t"], 1, "2026-03-06T10:00:00Z"),
    ]
    ranges, waiting, batch = book.pending(NAMES["s"])
    assert ranges == [(1, 2), (4, 4)] and batch == ""
    assert [turn.seq for turn in waiting] == [1, 2, 4]
    assert [turn.text for turn in waiting] == [turn.text for turn in turns(3)]
    assert book.pending("nobody") == ([], [], "")


def test_a_thousand_turns_are_asked_for_at_once(vault: Vault, book: TurnStore) -> None:
    take(vault, 3)
    asked = [replace(turns(1)[0], message=f"{number:016x}") for number in range(1000)]
    assert book.seen([*asked, *turns(3)]) == {turn.message for turn in turns(3)}
    assert book.seen([]) == set()


def test_batches_of_a_transcript_wait_one_after_the_other(vault: Vault, book: TurnStore) -> None:
    take(vault, 2, batch="import-1")
    take(vault, 1, first=2)
    take(vault, 1, first=3, batch="import-1")
    ranges, _, batch = book.pending(NAMES["s"])
    assert (ranges, batch) == ([(1, 2), (4, 4)], "import-1")
    commit(vault, ack=tuple(ranges))
    assert book.pending(NAMES["s"])[0] == [(3, 3)]
    assert book.pending(NAMES["s"])[2] == ""


def test_a_range_is_still_pending_until_any_of_it_is_settled(vault: Vault, book: TurnStore) -> None:
    take(vault, 4)
    assert book.still_pending([(1, 4)])
    commit(vault, ack=((2, 2),))
    assert not book.still_pending([(1, 4)]) and not book.still_pending([(2, 2)])
    assert book.still_pending([(1, 1), (3, 4)])


def test_settled_failed_requeued_withdrawn_and_readmitted(vault: Vault, book: TurnStore) -> None:
    take(vault, 5)
    commit(vault, ack=((1, 1),), dead=((2, 2),))
    assert states(vault) == [DONE, DEAD, PENDING, PENDING, PENDING]
    commit(vault, requeue=((2, 2),))
    commit(vault, withdraw=((1, 3),))
    assert states(vault) == [WITHDRAWN, WITHDRAWN, WITHDRAWN, PENDING, PENDING]
    # what was taken back is known, so that it is not captured again by itself
    assert book.seen(turns(6)) == {turn.message for turn in turns(5)}
    assert book.taken_back(turns(6)) == {turn.message for turn in turns(3)}
    assert book.count_taken_back("test") == 3
    commit(vault, readmit=((1, 3),))
    assert states(vault) == [DONE, PENDING, PENDING, PENDING, PENDING]
    assert book.taken_back(turns(5)) == set()
    # what is withdrawn is neither settled nor failed by a late transaction
    commit(vault, withdraw=((4, 4),))
    commit(vault, ack=((4, 4),), dead=((5, 5),))
    assert states(vault) == [DONE, PENDING, PENDING, WITHDRAWN, DEAD]


def test_withdrawing_twice_still_knows_what_was_before(vault: Vault) -> None:
    take(vault, 1)
    commit(vault, ack=((1, 1),))
    commit(vault, withdraw=((1, 1),))
    commit(vault, withdraw=((1, 1),))
    commit(vault, readmit=((1, 1),))
    assert states(vault) == [DONE]


def test_what_was_purged_is_neither_taken_back_nor_taken_in_again(
    vault: Vault, book: TurnStore
) -> None:
    take(vault, 2, batch="import-1")
    (turn, kept) = turns(2)
    event = Event("memory_purged", "a", (("turns", f"{turn.transcript}#^{turn.block}"),))
    commit(vault, events=(event,))
    assert states(vault) == [PURGED, PENDING]
    assert vault.parts.catalog.turns.batch_range("import-1") == [(2, 2)]
    commit(vault, withdraw=((1, 2),))
    assert states(vault) == [PURGED, WITHDRAWN]
    assert book.seen([turn, kept]) == {turn.message, kept.message}
    assert book.taken_back([turn, kept]) == {kept.message}


def test_failures_are_counted_until_it_works(vault: Vault, book: TurnStore) -> None:
    take(vault, 1)
    details = (("attempt", "2"), ("retry_at", "2026-03-06T12:05:00Z"), ("error", "StorageError"))
    commit(vault, events=(Event("extraction_failed", NAMES["s"], details),))
    (waiting,) = book.waiting()
    assert (waiting.attempts, waiting.retry_at) == (2, "2026-03-06T12:05:00Z")
    commit(vault, events=(Event("extracted", NAMES["s"]),))
    assert book.waiting()[0].attempts == 0


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ack", "dead", "requeue", "withdraw", "readmit"]),
            st.integers(1, 6), st.integers(0, 3),
        ),
        max_size=8,
    )
)  # fmt: skip
@examples(5, shared_fixture=True)  # the states go on from there
def test_every_turn_is_in_one_state_and_the_counts_add_up(
    vault: Vault, steps: list[tuple[str, int, int]]
) -> None:
    if not vault.parts.turn_log.end()[2]:
        take(vault, 6)
    for name, first, length in steps:
        commit(vault, **{name: ((first, min(first + length, 6)),)})
    counts = vault.parts.catalog.turns.counts()
    assert sum(counts.values()) == 6
    now = states(vault)
    assert counts == {state: now.count(state) for state in set(now)}
    expected = vault.parts.catalog.turns.pending()
    assert sum(row[1] for row in expected) == now.count(PENDING)
    vault.parts.projections.rebuild()
    assert states(vault) == now


@given(st.sets(st.integers(0, 30)))
@examples(15)
def test_ranges_are_the_numbers_without_gaps_inside(numbers: set[int]) -> None:
    ranges = ranges_of(sorted(numbers))
    assert {at for first, last in ranges for at in range(first, last + 1)} == numbers
    assert all(one[1] + 1 < other[0] for one, other in pairwise(ranges))
