"""Phases of a page and what changed between two: every hand edit, every order, every tie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput
from engram.model.item import Store
from engram.model.phase import (
    AUTO,
    MANUAL,
    Phase,
    PhaseLine,
    phase_at,
    phase_named,
    phase_request,
    plain_name,
    plain_reason,
    read_page,
    store_in_words,
    store_words,
    united,
    with_line,
)
from engram.model.phase_diff import MOST_CHANGES, PhaseItem, phase_diff
from tests.kit import failing

SHOP = Store("project", "shop")
BETA = PhaseLine("2026-03-04T10:00:00Z", SHOP, "beta", "release")
_STORES = st.sampled_from([SHOP, Store("user", "me"), Store("session", "codex-0a1b"),
                           Store("system", "system"), Store("project", "unknown")])  # fmt: skip
_TIMES = st.integers(0, 9).map(lambda n: f"2026-03-04T10:00:0{n}Z")
_LINES = st.builds(
    PhaseLine, _TIMES, _STORES, st.text(max_size=70).map(plain_name),
    st.text(max_size=70).map(plain_reason),
)  # fmt: skip
_PROSE = st.text(st.characters(blacklist_characters="-*", blacklist_categories=["Cs"])).filter(
    lambda text: not text.lstrip().startswith(("-", "*"))
)


def test_a_page_as_people_edit_it() -> None:
    """Of each line: the phase that it begins, or a word of why it begins none, or nothing."""
    rows = (
        ('- 2026-03-04T10:00:00Z project/shop "beta": release', BETA),
        ('  *  2026-03-04T11:00:00+01:00  project/shop "beta" :release  ', BETA),
        ("- 2026-03-04T10:00:00Z user", ("user:me", "", MANUAL)),
        ("- 2026-03-04T10:00:00Z user/me: new job", ("user:me", "", "new job")),
        ('- 2026-03-04T10:00:00Z project "x"', ("project:unknown", "x", MANUAL)),
        ('- 2026-03-04T10:00:00Z session/codex-1: a: b "c"', ("session:codex-1", "", 'a: b "c"')),
        ("# Phases", None),
        ("2026-03-04T10:00:00Z project/shop", None),
        ("", None),
        ("- 2026-03-04 project/shop", "time"),
        ("- yesterday project/shop", "time"),
        ("- 2026-02-31T10:00:00Z project/shop", "time"),
        ("- 1026-03-04T10:00:00Z project/shop", "time"),
        ("- 2026-03-04T10:00:00Z shop", "store"),
        ("- 2026-03-04T10:00:00Z user/bob", "store"),
        ("- 2026-03-04T10:00:00Z session/", "store"),
        ("- 2026-03-04T10:0", "form"),
        ('- 2026-03-04T10:00:00Z project/shop "be', "form"),
        ("- " + "2026-03-04T10:00:00Z user: " + "x" * 2_000, "form"),
        ("-", None),
    )

    def check(row: tuple[str, object]) -> None:
        line, wanted = row
        page = read_page(f"{line}\r\n")
        told = page.lines[0] if page.lines else page.wrong[0][1] if page.wrong else None
        if isinstance(wanted, str):
            assert isinstance(told, str), told
            assert wanted in told, told
        elif isinstance(wanted, PhaseLine) or wanted is None:
            assert told == wanted, told
        else:
            assert isinstance(told, PhaseLine), told
            assert (str(told.store), told.name, told.reason) == wanted

    assert failing(rows, check) == ""


@given(_PROSE, st.lists(_LINES, max_size=6))
def test_what_is_written_is_read_and_all_else_stays(prose: str, lines: list[PhaseLine]) -> None:
    page = prose
    for line in lines:
        page = with_line(page, line)
    assert list(read_page(page).lines) == lines
    assert page.startswith(prose)
    assert read_page(page).wrong == ()


@given(st.lists(_LINES, max_size=5), st.lists(_LINES, max_size=5), st.lists(_LINES, max_size=5))
def test_two_machines_have_the_same_phases(
    common: list[PhaseLine], here: list[PhaseLine], there: list[PhaseLine]
) -> None:
    def page(lines: list[PhaseLine]) -> str:
        text = "mine\n"
        for line in (*common, *lines):
            text = with_line(text, line)
        return text

    one, other = page(here), page(there)
    merged = united(one, other)
    assert set(read_page(merged).lines) == {*common, *here, *there}
    assert united(merged, other) == merged
    assert united(merged, one) == merged


@given(st.lists(_LINES, max_size=8), _TIMES)
def test_each_moment_is_in_one_phase(lines: list[PhaseLine], moment: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    phases = read_page(text).phases(SHOP)
    assert [one.number for one in phases] == list(range(1, len(phases) + 1))
    assert (phases[0].start, phases[0].reason, phases[-1].end) == ("", AUTO, "")
    assert [one.end for one in phases[:-1]] == [one.start for one in phases[1:]]
    assert [one.start for one in phases] == sorted(one.start for one in phases)
    found = phase_at(phases, moment)
    assert found.start <= moment
    assert not found.end or moment < found.end
    assert read_page(text + text).phases(SHOP) == phases  # what stands twice counts once


def test_a_phase_has_what_was_made_before_its_end_and_had_not_ended_by_then() -> None:
    first, last = Phase(1, "", "2026-03-04", "", ""), Phase(2, "2026-03-04", "", "", "")
    rows = (
        # created, ended, had by the first, had by the last
        ("2026-03-03", "", True, True),
        ("2026-03-04", "", False, True),  # in the second of its start
        ("2026-03-05", "", False, True),
        ("2026-03-03", "2026-03-03", False, False),
        ("2026-03-03", "2026-03-04", True, False),
        ("2026-03-05", "2026-03-06", False, False),
    )

    def check(row: tuple[str, str, bool, bool]) -> None:
        created, ended, one, other = row
        assert (first.had(created, ended), last.had(created, ended)) == (one, other)

    assert failing(rows, check) == ""


def test_a_phase_is_named_by_id_number_or_a_name_of_its_own() -> None:
    text = "".join(
        f'- 2026-03-0{day}T10:00:00Z project/shop "{name}"\n'
        for day, name in ((1, "beta"), (2, "2"), (3, "beta"))
    )
    phases = read_page(text).phases(SHOP)
    assert phase_named(phases, "phase-3", SHOP).name == "2"
    assert phase_named(phases, "2", SHOP).name == "beta"  # a number comes before a name
    with pytest.raises(BadInput, match="several phases") as told:
        phase_named(phases, "beta", SHOP)
    assert "phase-2" in told.value.hint
    assert "phase-4" in told.value.hint
    with pytest.raises(BadInput, match="no phase of project/shop"):
        phase_named(phases, "gamma", SHOP)


def test_a_wish_without_a_token_is_none() -> None:
    assert phase_request("  ") is None
    assert phase_request(" t ", "n") == ("t", "n", MANUAL)


@given(_STORES)
def test_a_store_is_read_as_it_is_written(store: Store) -> None:
    assert store_in_words(store_words(store)) == store


_ITEMS = st.lists(
    st.builds(
        PhaseItem, st.integers(1, 30).map(lambda n: f"project:shop:semantic:{n}"),
        st.just("semantic"), st.sampled_from(["", "fact:a", "fact:b", "fact:c"]),
    ),
    unique_by=lambda one: one.id,
)  # fmt: skip


@given(_ITEMS, _ITEMS)
def test_a_difference_tells_each_item_that_one_phase_has_alone(
    before: list[PhaseItem], after: list[PhaseItem]
) -> None:
    found = phase_diff(before, after)
    olds, news = {one.id for one in before}, {one.id for one in after}
    gone = [one.id for one in found.deleted] + [one.before.id for one in found.replaced]
    came = [one.id for one in found.added] + [one.after.id for one in found.replaced]
    assert sorted(gone) == sorted(olds - news)
    assert sorted(came) == sorted(news - olds)
    assert all(one.key == one.before.key == one.after.key != "" for one in found.replaced)
    assert len(found.top_changes) == min(MOST_CHANGES, len(gone) + len(found.added))
    back = phase_diff(after, before)
    assert (back.added, back.deleted) == (found.deleted, found.added)
    assert phase_diff(before, before).counts == (0, 0, 0)


def test_items_are_told_by_their_number() -> None:
    names = [f"project:shop:semantic:{n}" for n in (10, 9, 100, 1)]
    found = phase_diff([], [PhaseItem(name, "semantic", "") for name in names])
    assert [one.id.rpartition(":")[2] for one in found.added] == ["1", "9", "10", "100"]
