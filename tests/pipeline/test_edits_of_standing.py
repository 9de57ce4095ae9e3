"""What a person decides about memories, as one change each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import BadInput, Conflict
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.report import MemoryEdit
from engram.model.retention import Terms
from engram.model.settings import RetentionSettings
from engram.model.standing import disputes, settled_with
from engram.pipeline import edits
from engram.vault import Vault
from tests.admit.cases import EARLIER, NOW, memory

TABLE = Terms(RetentionSettings())
OLD = memory("The shop deploys on Fridays.")
NEW = memory("The shop deploys on Mondays.", created=NOW)
THIRD = memory("The shop deploys on Sundays.", created=plus_days(NOW, 1) + "T00:00:00Z")


def after(edit: MemoryEdit) -> dict[str, Memory]:
    return {new.id: new for _, new in edit.pairs}


def disputed(one: Memory, *others: Memory) -> Memory:
    return replace(
        one, conflicts=tuple(other.id for other in others), status="needs-review",
        status_since=NOW, status_reason="contradicts",
    )  # fmt: skip


def nothing(_: str) -> None:
    return None


# -- confirm, retire, archive -------------------------------------------------------------------


def test_what_is_confirmed_is_explicit_and_lives_on() -> None:
    stale = replace(
        OLD, status="needs-review", status_since=EARLIER, status_reason="stale", confidence=0.3,
        expires="2026-03-01",
    )  # fmt: skip
    held = after(edits.confirm([stale, stale], NOW, TABLE))[OLD.id]
    assert (held.status, held.status_since, held.status_reason) == ("active", "", "")
    assert (held.confidence, held.authority) == (0.95, "user_asserted")
    assert held.expires > NOW[:10]


def test_confirming_takes_nothing_away() -> None:
    strong = replace(OLD, confidence=0.99, authority="system_imposed", expires="")
    assert after(edits.confirm([strong], NOW, TABLE))[OLD.id] == strong


def test_what_holds_is_replaced_by_nothing() -> None:
    odd = replace(OLD, superseded_by=(NEW.id,))
    assert after(edits.confirm([odd], NOW, TABLE))[OLD.id].superseded_by == ()


@pytest.mark.parametrize("status", ["superseded", "retired", "archived", "expired"])
def test_only_what_is_in_use_is_confirmed(status: str) -> None:
    with pytest.raises(BadInput, match=f"is {status}"):
        edits.confirm([replace(OLD, status=status)], NOW, TABLE)


def test_what_is_retired_or_archived_says_so_and_keeps_the_rest() -> None:
    for edit, status, code in (
        (edits.retire([OLD], "", NOW), "retired", "retired"),
        (edits.archive([OLD], NOW), "archived", "by_hand"),
    ):
        kept = replace(OLD, status=status, status_since=NOW, status_reason=code)
        assert edit.pairs == ((OLD, kept),)
        again = edits.retire([kept], "", NOW) if status == "retired" else edits.archive([kept], NOW)
        assert (again.pairs, again.events) == (((kept, kept),), ())


def test_what_was_forgotten_does_not_come_back_by_being_archived() -> None:
    with pytest.raises(BadInput, match="restore it first") as refused:
        edits.archive([replace(OLD, status="retired", status_reason="forgotten")], NOW)
    assert refused.value.told == "ARCHIVE_ERROR"


def test_what_is_archived_is_retired_after_it_was_restored() -> None:
    with pytest.raises(BadInput, match="restore it first") as refused:
        edits.retire([replace(OLD, status="archived")], "", NOW)
    assert refused.value.told == "RETIRE_ERROR"


# -- supersede ----------------------------------------------------------------------------------


def test_a_replacement_is_linked_both_ways_and_ends_the_dispute() -> None:
    found = after(edits.supersede(OLD, disputed(NEW, OLD), nothing, NOW, TABLE))
    assert (found[OLD.id].status, found[OLD.id].superseded_by) == ("superseded", (NEW.id,))
    assert (found[NEW.id].status, found[NEW.id].supersedes) == ("active", (OLD.id,))
    assert found[NEW.id].conflicts == () and found[OLD.id].valid_until == NOW[:10]


def test_neither_side_may_be_out_of_use_or_the_other() -> None:
    gone = replace(NEW, status="retired")
    for pair in ((OLD, gone), (gone, OLD), (OLD, OLD)):
        with pytest.raises(BadInput):
            edits.supersede(*pair, nothing, NOW, TABLE)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_whatever_is_replaced_and_restored_no_circle_is_left(moves: list[tuple[int, int]]) -> None:
    known = {f"m{n}": replace(OLD, id=f"m{n}") for n in range(5)}
    for old, new in moves:
        pair = known[f"m{old}"], known[f"m{new}"]
        for name in (pair[0].id, pair[1].id):
            if not known[name].live:
                known[name] = replace(known[name], status="active", superseded_by=())
        if old != new:
            edit = edits.supersede(
                known[pair[0].id], known[pair[1].id], known.get, NOW, TABLE
            )  # fmt: skip
            known.update(after(edit))
    for start in known:
        assert start not in below(known, start, lambda one: one.superseded_by)
        assert start not in below(known, start, lambda one: one.supersedes)


def below(
    known: dict[str, Memory], start: str, links: Callable[[Memory], tuple[str, ...]]
) -> set[str]:
    """All that links lead to from a memory, over one step or more."""
    seen: set[str] = set()
    waiting = list(links(known[start]))
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += links(known[name])
    return seen


# -- resolve ------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", ["here", "there", "both"])
def test_what_holds_replaces_what_stands_against_it(named: str) -> None:
    one = disputed(OLD, NEW) if named != "there" else OLD
    other = disputed(NEW, OLD) if named != "here" else NEW
    found = after(edits.resolve(one, [other], NOW, TABLE))
    assert (found[OLD.id].status, found[OLD.id].supersedes) == ("active", (NEW.id,))
    assert (found[NEW.id].status, found[NEW.id].superseded_by) == ("superseded", (OLD.id,))
    assert found[OLD.id].conflicts == found[NEW.id].conflicts == ()


def test_who_is_over_already_only_loses_the_link() -> None:
    gone = replace(NEW, status="archived", conflicts=(OLD.id,))
    found = after(edits.resolve(OLD, [gone], NOW, TABLE))
    assert found[NEW.id] == replace(gone, conflicts=())
    assert found[OLD.id].supersedes == ()


def test_where_both_hold_nobody_raises_it_again() -> None:
    found = after(edits.reconcile(disputed(OLD, NEW), [disputed(NEW, OLD)], NOW, TABLE))
    assert [one.status for one in found.values()] == ["active", "active"]
    assert disputes(found.values()) == []
    assert settled_with(found[OLD.id]) == {NEW.id} and settled_with(found[NEW.id]) == {OLD.id}


def test_who_stands_against_a_third_one_waits_on() -> None:
    waiting = disputed(NEW, OLD, THIRD)
    found = after(edits.reconcile(disputed(OLD, NEW), [waiting], NOW, TABLE))
    assert (found[NEW.id].status, found[NEW.id].conflicts) == ("needs-review", (THIRD.id,))
    left = after(edits.reconcile(waiting, [disputed(OLD, NEW)], NOW, TABLE, (THIRD.id,)))
    assert (left[NEW.id].status, left[NEW.id].conflicts) == ("needs-review", (THIRD.id,))


@pytest.mark.parametrize("decide", [edits.resolve, edits.reconcile])
def test_there_must_be_something_to_settle(decide: Callable[..., MemoryEdit]) -> None:
    with pytest.raises(BadInput, match="nothing contradicts"):
        decide(OLD, [], NOW, TABLE)
    with pytest.raises(BadInput, match="is retired"):
        decide(replace(OLD, status="retired"), [NEW], NOW, TABLE)


# -- in a vault ---------------------------------------------------------------------------------


@pytest.fixture
def pair(vault: Vault) -> tuple[str, str]:
    """Two memories of which the newer one says that it contradicts the older."""
    older = vault.remember("The shop deploys on Fridays.").memory
    newer = vault.remember("The shop deploys on Mondays.").memory
    link = f'conflicts:\n  - "[[{older.id}]]"\n'
    for one, more in ((older, ""), (newer, link)):
        path = vault.root / one.path
        text = path.read_text("utf-8").replace("confidence: 0.95\n", f"confidence: 0.5\n{more}")
        path.write_text(text, "utf-8")
    return older.id, newer.id


@pytest.mark.parametrize("verb", ["confirm", "retire", "archive", "supersede", "resolve", "both"])
def test_a_decision_is_one_change_and_a_dry_run_is_none(
    vault: Vault, pair: tuple[str, str], verb: str
) -> None:
    older, newer = pair
    decide: Callable[[bool], MemoryEdit] = {
        "confirm": lambda dry: vault.confirm(pair, dry_run=dry),
        "retire": lambda dry: vault.retire(pair, "no more", dry_run=dry),
        "archive": lambda dry: vault.archive(pair, dry_run=dry),
        "supersede": lambda dry: vault.supersede(older, newer, dry_run=dry),
        "resolve": lambda dry: vault.resolve(older, dry_run=dry),
        "both": lambda dry: vault.resolve(newer, both=True, against=older, dry_run=dry),
    }[verb]
    vault.parts.settler.within(1e9)
    before = [vault.parts.lookup.memory(name) for name in pair]
    last = vault.parts.catalog.last
    planned = decide(True)
    assert vault.parts.catalog.last == last
    assert decide(False) == planned
    assert vault.parts.catalog.last == last + 1
    found = {name: vault.parts.lookup.memory(name) for name in pair}
    for _, wanted in planned.pairs:
        assert replace(found[wanted.id], path="") == replace(wanted, path="")
    vault.undo()
    assert [vault.parts.lookup.memory(name) for name in pair] == before


def test_an_edit_is_a_change_that_can_be_taken_back(vault: Vault) -> None:
    memory = vault.remember("The shop deploys on Fridays.").memory
    before = (vault.root / memory.path).read_bytes()
    done = vault.edit(memory, before, before.replace(b"Fridays", b"Mondays"))
    assert done.after is not None and done.after.text == "The shop deploys on Mondays."
    assert [hit.id for hit in vault.search("mondays").memories] == [memory.id]
    vault.undo()
    assert (vault.root / memory.path).read_bytes() == before


def test_an_edit_of_what_was_changed_meanwhile_is_refused(vault: Vault) -> None:
    memory = vault.remember("The shop deploys on Fridays.").memory
    path = vault.root / memory.path
    before = path.read_bytes()
    path.write_bytes(before + b"\nmore\n")
    with pytest.raises(Conflict):
        vault.edit(memory, before, before.replace(b"Fridays", b"Mondays"))
    assert path.read_bytes() == before + b"\nmore\n"


def test_only_one_of_several_is_settled_where_it_is_named(
    vault: Vault, pair: tuple[str, str]
) -> None:
    older, newer = pair
    third = vault.remember("The shop deploys on Sundays.").memory
    path = vault.root / vault.parts.lookup.memory(newer).path
    text = path.read_text("utf-8").replace("conflicts:\n", f'conflicts:\n  - "[[{third.id}]]"\n')
    path.write_text(text, "utf-8")
    vault.resolve(newer, against=older)
    assert vault.parts.lookup.memory(newer).conflicts == (third.id,)
    assert vault.parts.lookup.memory(third.id).status == "active"
    with pytest.raises(BadInput, match="does not contradict"):
        vault.resolve(third.id, against=older)


@pytest.mark.parametrize("both", [True, False])
def test_no_night_raises_again_what_the_person_settled(vault: Vault, both: bool) -> None:
    folder = vault.root / "facts" / "2026-03-05"
    folder.mkdir(parents=True)
    for hour, port in enumerate((8080, 9090)):
        against = 'conflicts:\n  - "[[port-8080]]"\n' if both and hour else ""
        (folder / f"port-{port}.md").write_text(
            f"---\nid: port-{port}\ncategory: fact\nstatus: active\nkind: note\n"
            f"created: 2026-03-05T0{hour}:00:00Z\n{against}---\nThe api listens on port {port}.\n",
            "utf-8",
        )
    if both:
        vault.resolve("port-9090", both=True)
    vault.consolidate(full=True)
    live = {one.id: one.status for one in vault.parts.view.live()}
    assert live == dict.fromkeys(("port-8080", "port-9090"), "active" if both else "needs-review")
