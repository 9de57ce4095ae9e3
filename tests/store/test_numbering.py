"""Whatever happens to a vault, in whatever order: no item is given twice, and ticks only rise."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engram.model.errors import EngramError
from engram.model.item import kind_of, store_of_memory
from engram.model.numbering import NUMBERED, items_in
from engram.model.policy import Policy
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.commits.transaction import decode, encode
from engram.vault import Vault
from tests.conftest import NOW
from tests.effort import examples
from tests.kit import LIGHT, reopened, takes_every_turn, turns

_ANY = st.integers(0, 99)
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


class _Crash(BaseException):
    """The process ends here."""


class Numbered(RuleBasedStateMachine):
    """One vault that is written, edited, undone, purged, interrupted and built anew."""

    def __init__(self) -> None:
        super().__init__()
        self._patched = pytest.MonkeyPatch()
        self._patched.setattr(os, "fsync", lambda handle: None)
        self._folder = Path(tempfile.mkdtemp())
        made = Vault.create(
            self._folder / "vault", environment={"ENGRAM_HOME": str(self._folder / "home")},
            clock=FixedClock(NOW), adapters=LIGHT,
        )  # fmt: skip
        self.vault = takes_every_turn(made)
        self._count = 0
        self._meant: dict[str, str] = {}

    def teardown(self) -> None:
        self.vault.close()
        self._patched.undo()
        shutil.rmtree(self._folder)

    def _memory(self, which: int) -> str:
        names = [one.id for one in self.vault.parts.catalog.memories()]
        return names[which % len(names)] if names else ""

    @rule()
    def hear(self) -> None:
        self._count += 1
        self.vault.capture(turns(1, "heard", self._count))
        self.vault.flush()

    @rule(text=st.sampled_from(["My editor is Emacs.", "My editor is Vim.", "The till is slow."]))
    def remember(self, text: str) -> None:
        self.vault.remember(text)

    @rule()
    def write_a_note(self) -> None:
        self._count += 1
        (self.vault.root / "facts" / f"note-{self._count}.md").write_text(f"Tea {self._count}.\n")

    @rule(which=_ANY, name=st.sampled_from(["bakery", "shop"]))
    def move_to_a_project(self, which: int, name: str) -> None:
        if identifier := self._memory(which):
            path = self.vault.root / self.vault.show(identifier).content.path  # type: ignore[union-attr]
            text = path.read_text()
            if "\nproject: shop\n" in text:
                path.write_text(text.replace("\nproject: shop\n", f"\nproject: {name}\n"))

    @rule()
    def undo(self) -> None:
        try:
            self.vault.undo()
        except EngramError:
            return  # nothing to undo

    @rule(which=_ANY)
    def purge(self, which: int) -> None:
        if identifier := self._memory(which):
            self.vault.purge(identifier)

    @rule()
    def stop_after_the_commit(self) -> None:
        def stopped(*_: object, **__: object) -> None:
            raise _Crash

        self._count += 1
        with pytest.MonkeyPatch.context() as patched, pytest.raises(_Crash):
            patched.setattr(self.vault.parts.committer, "_finish", stopped)
            self.vault.remember(f"The shelf {self._count} is green.")
        self._reopen()

    @rule(now=st.sampled_from([NOW, "2019-01-01T00:00:00Z", "2031-01-01T00:00:00Z"]))
    def set_the_clock(self, now: str) -> None:
        self._reopen(clock=FixedClock(now))

    @rule()
    def lose_the_cache(self) -> None:
        self.vault.close()
        shutil.rmtree(self.vault.parts.cache)
        self._reopen()

    def _reopen(self, **adapters: object) -> None:
        self.vault = reopened(self.vault, **adapters)

    @precondition(lambda self: self.vault.parts.catalog.last)
    @invariant()
    def no_number_is_given_twice_and_ticks_rise(self) -> None:
        with self.vault.parts.committer.lock():
            parts = self.vault.parts
            given: dict[str, str] = {}
            ticks: list[int] = []
            for one in parts.transaction_log.all():
                for found in items_in(one):
                    assert str(found.item) not in given
                    given[str(found.item)] = found.file
                    ticks.append(found.tick)
                assert not ticks or one.tick >= ticks[-1]
            assert ticks == sorted(set(ticks))
            said = [entry.tick for entry in parts.turn_log.entries()]
            assert said == sorted(set(said)) and not set(said).intersection(ticks)
            rows = parts.catalog.items
            assert rows.tick == max((*ticks, *said, 0))
            # what an item meant once it means for ever, whatever is undone, purged or rebuilt
            assert self._meant.items() <= given.items()
            self._meant = given
            owed = {name for name, *_ in rows.owed()}
            for memory in parts.catalog.memories():
                item = rows.of(memory.id)
                here = item is not None and rows.file_of(item) == memory.id
                placed = item and (item.store, item.kind)
                assert here or memory.id in owed
                where = store_of_memory(memory), kind_of(memory.key)
                assert (memory.id in owed) == (placed != where)


TestNumbered = Numbered.TestCase
TestNumbered.settings = examples(3, stateful_step_count=10, phases=_PHASES)


# -- one case each ------------------------------------------------------------------------------


def test_a_denied_candidate_uses_a_number_up(vault: Vault) -> None:
    takes_every_turn(vault)
    said = turns(3)
    secret = "The password of the till is hunter2-Marzipan."
    vault.capture([said[0], said[1].__class__(**_fields(said[1], secret)), said[2]])
    vault.flush()
    items = [one for two in vault.parts.transaction_log.all() for one in items_in(two)]
    semantic = [one for one in items if str(one.item.store) == "project:shop"]
    assert [one.item.number for one in semantic] == [1, 2, 3]
    assert [bool(one.file) for one in semantic].count(False) == 1


def _fields(turn: object, text: str) -> dict[str, object]:
    names = ("source", "session", "role", "time", "message", "project")
    return {name: getattr(turn, name) for name in names} | {"text": text}


def test_every_verb_takes_the_id_of_an_item_also_an_earlier_one(vault: Vault) -> None:
    kept = vault.remember("My editor is Emacs.").memory
    first = vault.parts.catalog.items.of(kept.id)
    assert first is not None and str(first) == "user:me:profile:1"
    assert vault.show(str(first)).content == vault.show(kept.id).content  # type: ignore[union-attr]
    path = vault.root / kept.path
    path.write_text(path.read_text().replace("space: user", "space: project\nproject: shop"))
    vault.retire([str(first)])
    second = vault.parts.catalog.items.of(kept.id)
    assert second is not None and str(second) == "project:shop:profile:1"
    assert vault.parts.catalog.memory(kept.id).status == "retired"  # type: ignore[union-attr]
    vault.restore(str(second))
    assert [one.id for one in vault.forget(str(first)).memories] == [kept.id]
    path.unlink()
    assert vault.restore(str(first)) and path.exists()
    vault.purge(str(second))
    assert vault.parts.catalog.items.file_of(first) == kept.id
    with pytest.raises(EngramError, match="no memory"):
        vault.show(str(first))


def test_a_vault_of_an_older_version_is_numbered_with_its_next_transaction(vault: Vault) -> None:
    for number in (3, 1, 2):
        vault.remember(f"The shelf {number} is green.")
    vault.close()
    for path in (vault.root / layout.JOURNAL).rglob("*.json"):  # as no version had numbers
        old = decode(path.read_bytes())
        events = tuple(
            event._replace(details=tuple(x for x in event.details if x[0] not in ("item", "tick")))
            for event in old.plan.events
        )
        path.write_bytes(encode(old._replace(plan=old.plan._replace(events=events), tick=0)))
    shutil.rmtree(vault.parts.cache)
    reopened(vault)
    vault.ready_to_read()
    assert len(vault.parts.catalog.items.owed()) == 3 and vault.parts.catalog.last == 3
    vault.remember("The till is slow.")
    last = vault.parts.transaction_log.read(4)
    assert last is not None
    assert [one.item.number for one in items_in(last)] == [1, 2, 3, 4]
    assert [event.name for event in last.plan.events][:3] == [NUMBERED] * 3
    created = [
        (vault.parts.catalog.memory(one.file) or pytest.fail()).created for one in items_in(last)
    ]
    assert created == sorted(created) and not vault.parts.catalog.items.owed()


def test_files_that_came_by_hand_are_numbered_in_the_order_of_their_time(vault: Vault) -> None:
    head = "---\nid: {}\ncategory: fact\nstatus: active\ncreated: {}\nproject: shop\n---\nTea {}.\n"
    folder = vault.root / "facts"
    for name, day in (("a", "2026-03-03"), ("b", "2026-03-01"), ("c", "2026-03-02")):
        (folder / f"{name}.md").write_text(head.format(name, f"{day}T10:00:00Z", name))
    vault.remember("The till is slow.")
    found = {name: vault.parts.catalog.items.of(name) for name in "abc"}
    assert {name: str(item) for name, item in found.items()} == {
        "b": "project:shop:semantic:1", "c": "project:shop:semantic:2",
        "a": "project:shop:semantic:3",
    }  # fmt: skip


def test_a_vault_without_its_logs_counts_from_the_beginning(vault: Vault) -> None:
    for number in (1, 2):
        vault.remember(f"The shelf {number} is green.")
    vault.close()
    shutil.rmtree(vault.root / layout.STATE)
    reopened(vault)
    vault.remember("The till is slow.")
    assert sorted(str(one) for one in map(vault.parts.catalog.items.of, _names(vault))) == [
        "user:me:semantic:1", "user:me:semantic:2", "user:me:semantic:3",
    ]  # fmt: skip


def _names(vault: Vault) -> list[str]:
    return [memory.id for memory in vault.parts.catalog.memories()]


@pytest.mark.parametrize("number", ["9" * 40, "-1", "x"])
def test_a_log_from_elsewhere_with_numbers_that_none_are_is_read(vault: Vault, number: str) -> None:
    vault.remember("The shelf is green.")
    vault.close()
    (path,) = (vault.root / layout.JOURNAL).rglob("*.json")
    old = decode(path.read_bytes())
    foreign = {"item": f"user:me:semantic:{number}", "tick": number}
    events = tuple(
        event._replace(details=tuple((dict(event.details) | foreign).items()))
        for event in old.plan.events
    )
    huge = int("9" * 40) if number.isdigit() else -1
    path.write_bytes(encode(old._replace(plan=old.plan._replace(events=events), tick=huge)))
    shutil.rmtree(vault.parts.cache)
    reopened(vault)
    vault.remember("The till is slow.")
    assert all(item is not None for item in map(vault.parts.catalog.items.of, _names(vault)))
    assert vault.parts.catalog.items.tick < 100


def test_mixed_logs_of_two_machines_give_one_memory_the_number_and_the_other_a_new_one(
    vault: Vault,
) -> None:
    for word in ("green", "red"):
        vault.remember(f"The shelf is {word} and the door {word * 2}.")
    vault.close()
    _, path = sorted((vault.root / layout.JOURNAL).rglob("*.json"))
    old = decode(path.read_bytes())
    events = tuple(
        event._replace(
            details=tuple(
                (name, value.replace("semantic:2", "semantic:1")) for name, value in event.details
            )
        )
        for event in old.plan.events
    )
    path.write_bytes(encode(old._replace(plan=old.plan._replace(events=events))))
    reopened(vault)
    vault.remember("The till is slow.")
    items = [str(vault.parts.catalog.items.of(name)) for name in _names(vault)]
    assert len(set(items)) == 3 and "None" not in items


def test_a_purge_of_a_projects_name_gives_no_number_free(vault: Vault) -> None:
    said = vault.remember("Marzipan uses Postgres for the till.", project="marzipan").memory
    other = vault.remember("The ovens are hot before five.", project="marzipan").memory
    assert str(vault.parts.catalog.items.of(said.id)) == "project:marzipan:semantic:1"
    vault.purge(matching="marzipan")
    journal = b"".join(one.read_bytes() for one in (vault.root / layout.JOURNAL).rglob("*.json"))
    assert b"marzipan" not in journal.lower() and b'"project:(purged):semantic:2"' in journal
    later = vault.remember("It uses Redis for the tills.", project="marzipan").memory
    # what is still told of the project has an item there again
    found = [str(vault.parts.catalog.items.of(one.id)) for one in (other, later)]
    assert found == ["project:marzipan:semantic:3", "project:marzipan:semantic:4"]


def test_a_policy_is_written_down_once_before_what_it_decided(vault: Vault) -> None:
    vault.remember("The shelf is green.")
    vault.remember("The till is slow.")
    digests = {one.policy for one in vault.parts.transaction_log.all()}
    (digest,) = digests
    assert digest == vault.parts.policy.digest and isinstance(vault.parts.policy, Policy)
    assert vault.parts.disk.names(layout.POLICIES) == [f"{digest}.json"]


def test_the_item_of_a_memory_is_found_by_an_index(vault: Vault) -> None:
    asked = "explain query plan select number from items where id = ?"
    assert "items_id" in vault.parts.catalog.db.rows(asked, "x")[0][3]
