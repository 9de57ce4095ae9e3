"""A sample of the memories that a person judges, and the precision that follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.health.sample import drawn
from engram.model.errors import NotFound
from engram.model.judgement import Judgement, last_of_each, measured, wilson
from engram.model.memory import SESSION
from engram.model.turn import turn_of
from engram.vault import Vault
from tests.admit.cases import memory
from tests.kit import takes_every_turn, where

MEMORIES = [replace(memory(f"Oven {number} is hot."), id=f"oven-{number}") for number in range(50)]


def ids(seed: str, most: int = 10, passed: frozenset[str] = frozenset()) -> list[str]:
    return [one.id for one in drawn(MEMORIES, seed, most, passed)]


def test_the_same_seed_draws_the_same_and_another_one_another() -> None:
    assert ids("vault 2026-03-06") == ids("vault 2026-03-06")
    assert ids("vault 2026-03-06") != ids("vault 2026-03-07")
    assert len(set(ids("a", 50))) == 50


def test_what_was_judged_leaves_the_rest_of_the_order_as_it_is() -> None:
    whole = ids("a", 50)
    assert ids("a", 10, frozenset(whole[:3])) == whole[3:13]


def test_only_statements_that_are_in_use_are_drawn() -> None:
    retired = replace(MEMORIES[0], status="retired")
    record = replace(MEMORIES[1], schema=SESSION)
    assert drawn([retired, record, MEMORIES[2]], "a", 10) == [MEMORIES[2]]


def test_the_measure_of_forty_is_a_share_with_its_bounds() -> None:
    said = [Judgement(str(number), "good", "") for number in range(34)]
    said += [Judgement(f"bad-{number}", "wrong", "") for number in range(6)]
    found = measured(said)
    assert found is not None
    assert (found.judged, found.good, found.share, found.low, found.high) == (
        40, 34, 0.85, 0.709, 0.929,
    )  # fmt: skip
    assert found.verdicts == {"good": 34, "wrong": 6}
    assert measured([]) is None


@given(
    st.integers(1, 5000).flatmap(lambda judged: st.tuples(st.integers(0, judged), st.just(judged)))
)
def test_the_share_lies_within_its_bounds(counts: tuple[int, int]) -> None:
    low, high = wilson(*counts)
    assert 0 <= low <= counts[0] / counts[1] + 1e-12 and counts[0] / counts[1] - 1e-12 <= high <= 1


def test_the_last_word_about_a_memory_counts() -> None:
    said = [Judgement("a", "wrong", ""), Judgement("b", "good", ""), Judgement("a", "good", "")]
    assert [one.verdict for one in last_of_each(said).values()] == ["good", "good"]
    assert "b" not in last_of_each([*said, Judgement("b", "", "")])


# -- in a vault -----------------------------------------------------------------------------------


@pytest.fixture
def bakery(open_vault: Callable[..., Vault]) -> Vault:
    """Six statements of an import, and one of the person's own."""
    vault = takes_every_turn(open_vault())
    vault.capture([
        turn_of("user", f"The bakery has oven{number} in room {number}.", "2026-03-04T09:00:00Z",
                source="test", session="s", project="bakery", message=str(number))
        for number in range(6)
    ])  # fmt: skip
    vault.flush()
    vault.remember("The bakery is closed on Mondays.")
    return vault


def counted(vault: Vault) -> tuple[int, int]:
    found = vault.measured()
    return (found.judged, found.good) if found else (0, 0)


def test_the_person_s_own_word_is_not_drawn_and_what_was_judged_is_not_drawn_again(
    bakery: Vault,
) -> None:
    first = bakery.sample(4)
    assert len(first) == 4 and first == bakery.sample(4)
    for one in first:
        bakery.judge(one.id, "good")
    rest = bakery.sample(10)
    assert len(rest) == 2 and not {one.id for one in first} & {one.id for one in rest}


def test_what_is_forgotten_or_purged_for_being_wrong_still_counts(bakery: Vault) -> None:
    wrong, gone, good, *_ = (one.id for one in bakery.sample(10))
    bakery.judge(wrong, "wrong")
    bakery.judge(gone, "others")
    bakery.judge(good, "good")
    bakery.forget(wrong)
    bakery.purge(gone)
    assert counted(bakery) == (3, 1)
    assert bakery.status().measured == bakery.audit().measured == bakery.measured()


def test_what_came_with_an_undone_change_does_not_count(bakery: Vault) -> None:
    one = bakery.sample(1)[0]
    bakery.judge(one.id, "wrong")
    number = next(entry.number for entry in bakery.log(20) if entry.kind == "extract")
    bakery.undo(str(number))
    assert counted(bakery) == (0, 0)
    bakery.undo(str(bakery.log(1)[0].number))
    assert counted(bakery) == (1, 0)


def test_judgements_hold_no_words_and_outlive_a_torn_line(bakery: Vault) -> None:
    first, second, *_ = bakery.sample(10)
    bakery.judge(first.id, "useless")
    path = bakery.root / "state" / "judged.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id": "x", "verdict": "gre')
    bakery.judge(second.id, "good")
    assert counted(bakery) == (2, 1)
    assert "state/judged.jsonl" not in where(bakery.root, "oven")
    with pytest.raises(NotFound):
        bakery.judge("no-such-memory", "good")
