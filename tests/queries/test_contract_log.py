"""The log of a vault in the words of the memory contract: every event whole, by real commands."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable

import pytest

from engram.model.change import Event
from engram.model.contract_event import (
    LoggedTransaction,
    events_of,
    events_of_block,
)
from engram.model.given import GivenBlock, GivenItem
from engram.model.item import Store, check_item
from engram.model.item_view import item_row
from engram.model.turn import turn_of
from engram.model.write_rules import Attempt
from engram.queries.contract_log import ordered
from engram.store.base import layout
from engram.store.catalog.given_line import line_of
from engram.vault import Vault

Open = Callable[..., Vault]

#: seed 002: what each event has beside `type`, `ai_profile` and `session`
REQUIRED = {
    "memory_recall": "query recalled policy deterministic_hash spaces_consulted recall_counts"
    " phase_counts current_phase",
    "memory_write": "written reason",
    "memory_denied": "attempted reason policy_snapshot",
    "memory_conflict": "winner_id loser_id rule dedup_key",
    "memory_forget": "memory_id reason policy_snapshot",
    "memory_border_check": "action from_space allowed reason policy_snapshot",
    "memory_phase_started": "space owner phase_id reason policy_snapshot",
    "memory_deleted": "space owner phase_id memory_id reason policy_snapshot",
    "memory_phase_diff": "space owner from_phase_id to_phase_id added_count deleted_count"
    " replaced_count top_changes summary_lines",
}
ITEM = re.compile(r"(session|user|project|system):[^:]+:(semantic|profile):[0-9]+")
SECRET = "hunter2-of-the-nas"


def lived(open_vault: Open) -> Vault:
    """A vault in which each thing that a person can do to a memory was done."""
    vault = open_vault()
    ids = {
        name: vault.remember(text, project="shop").memory.id
        for name, text in (
            ("forgotten", "The till runs on a Raspberry Pi."),
            ("retired", "The shop opens at nine."),
            ("archived", "The landlord is called Jonas."),
            ("old", "The shop sells bread."),
            ("new", "The shop sells cakes and no bread."),
            ("undone", "The oven is from 1998."),
            ("expired", "The baker parks behind the house."),
        )
    }
    vault.forget(ids["forgotten"], reason="it was wrong")
    shop = Store("project", "shop")
    vault.start_phase(shop, "beta", "release")
    vault.phase_diff(shop)
    vault.retire([ids["retired"]])
    vault.archive([ids["archived"]])
    vault.supersede(ids["old"], ids["new"])
    vault.retire([ids["undone"]])
    vault.undo()
    path = vault.root / vault.memory(ids["expired"]).path
    text = re.sub(r"expires: .*\n", "", path.read_text("utf-8"))
    path.write_text(text.replace("\nstatus:", "\nexpires: 2026-03-01\nstatus:", 1), "utf-8")
    vault.take_up_edits()
    vault.consolidate()
    vault.capture(
        [
            turn_of(
                "user", "Please do not add the full names to the till.", "2026-03-06T11:00:00Z",
                source="t", session="a",
            ),
            turn_of(
                "user", "We decided to bake at night.", "2026-03-06T11:01:00Z", source="t",
                session="a", project="shop",
            ),
        ]
    )  # fmt: skip
    vault.flush()
    return vault


def given(vault: Vault, **more: object) -> GivenBlock:
    """A block with the first memory, as a hook logs it."""
    memory = vault.list()[0]
    item = vault.parts.catalog.items.of(memory.id)
    assert item is not None
    one = GivenItem(memory.id, str(item), item.kind, item.store.space, ("importance",))
    block = GivenBlock(
        "2026-03-06T11:30:00Z", "claude-code", "claude-code-3f2a1c9d04be", "prompt", (one,),
        "7" * 64, ("session", "user", "project", "system"), "9f2c41d07a6be813",
        vault.parts.catalog.last,
    )  # fmt: skip
    return block._replace(**more)


def test_each_reason_of_a_deletion_is_told_by_its_command(open_vault: Open) -> None:
    vault = lived(open_vault)
    found = [one.fields for one in vault.events(999, event="memory_deleted")]
    reasons = [one["reason"] for one in found]
    assert sorted(set(map(str, reasons))) == [
        "archived", "expired", "forgotten", "retired", "superseded",
    ]  # fmt: skip
    replaced = next(one for one in found if one["reason"] == "superseded")
    (conflict,) = vault.events(event="memory_conflict")
    assert conflict.fields["rule"] == "correction"
    assert (conflict.fields["winner_id"], conflict.fields["loser_id"]) == (
        replaced["replaced_by"], replaced["memory_id"],
    )  # fmt: skip
    written = vault.events(999, event="memory_write")
    returned = [one for one in written if one.fields["reason"] == "undone"]
    assert len(returned) == 1
    vault.undo(str(returned[0].number))
    assert vault.events(event="memory_deleted")[-1].fields["reason"] == "undone"


def test_the_tags_of_a_write_are_those_of_the_steps_that_it_passed(open_vault: Open) -> None:
    """Also of what only the person's own request let in, under a section of its space."""
    vault = open_vault()
    (vault.root / "policy.toml").write_text(
        'allow_event_types = ["fact", "decision"]\n[space.project]\nwrite_policy = "none"\n'
        '[space.project.promotion]\nsemantic = ["decision"]\n',
        encoding="utf-8",
    )
    vault.remember("The till runs on a Raspberry Pi.", project="shop")
    vault.capture([turn_of("user", "My editor is Emacs.", "2026-03-06T11:00:00Z", source="t")])
    vault.flush()
    found = {}
    for one in vault.events(99, event="memory_write"):
        (row,) = one.row["written"]
        found[row["meta"]["space"]] = row["meta"]["policy_tags"]
    assert found == {
        "project": ["allowed_by:privacy", "allowed_by:by_hand", "allowed_by:policy_event_types"],
        "user": [
            "allowed_by:privacy", "allowed_by:write_policy:normal",
            "allowed_by:policy_event_types", "allowed_by:promotion_rule",
        ],
    }  # fmt: skip


def test_every_event_has_what_the_contract_asks_for(open_vault: Open) -> None:
    vault = lived(open_vault)
    vault.parts.disk.append(layout.ACCESS, line_of(given(vault)), sync=False)
    found = vault.events(9999)
    assert not REQUIRED.keys() - {one.type for one in found}
    ticks = [one.tick for one in found]
    for one in found:
        row = json.loads(json.dumps(one.row))
        assert {"type", "n", "tick", "at", "ai_profile", "session"} <= row.keys()
        assert set(REQUIRED.get(one.type, "").split()) <= row.keys(), row
        for item in (*row.get("written", ()), *row.get("recalled", ())):
            assert item_row(check_item(item)) == item
        for name in ("memory_id", "winner_id", "loser_id", "subject_id"):
            assert name not in row or ITEM.fullmatch(row[name]), row
    assert max(ticks) == vault.parts.catalog.items.tick
    (forget,) = (at for at, one in enumerate(found) if one.type == "memory_forget")
    expired = [at for at, one in enumerate(found) if one.fields.get("reason") == "expired"]
    assert expired == [forget + 1]


def test_a_projection_is_the_same_after_the_catalog_is_made_anew(open_vault: Open) -> None:
    vault = lived(open_vault)
    before = [one.row for one in vault.events(9999)]
    vault.rebuild()
    assert [one.row for one in vault.events(9999)] == before
    vault.close()
    shutil.rmtree(vault.root / "state")
    bare = open_vault()
    assert not [one for one in bare.events(9999) if one.type == "memory_deleted"]


def test_filters_find_what_a_look_at_all_events_finds(open_vault: Open) -> None:
    vault = lived(open_vault)
    everything = vault.events(9999)
    for name in {one.type for one in everything}:
        assert vault.events(9999, event=name) == [one for one in everything if one.type == name]
    for space in ("user", "project", "system"):
        wanted = [one for one in everything if space in one.spaces]
        assert vault.events(9999, space=space) == wanted
    for session in {one.session for one in everything}:
        # what a person typed has a transcript, and is by hand
        typed = "remember-" if session == "by-hand" else session
        wanted = [one for one in everything if one.session == session or typed in one.session]
        assert vault.events(9999, session=session) == wanted
    assert vault.events(3) == everything[-3:]
    assert vault.events(9999, since="2026-03-07") == []


def test_words_that_were_purged_or_are_gone_are_not_told(open_vault: Open) -> None:
    vault = open_vault()
    purged = vault.remember(f"The nas of the shop is called {SECRET}.").memory
    gone = vault.remember("The printer is on the second floor.").memory
    (vault.root / gone.path).unlink()
    vault.take_up_edits()
    vault.purge(purged.id)
    rows = [one.row for one in vault.events(999)]
    texts = [item["text"] for row in rows for item in row.get("written", ())]  # type: ignore[attr-defined]
    assert sorted(texts) == ["(gone)", "(purged)"]
    assert SECRET not in json.dumps(rows)


class Nothing:
    """A Known of a vault that was lost."""

    def item(self, file: str, number: int) -> str:
        return file

    def view(self, file: str, item: str, meta: object) -> dict[str, object]:
        return {"id": item or file, "text": "(gone)", "meta": {}}

    def tags(self, policy: str, attempt: Attempt) -> tuple[str, ...]:
        return ()

    def question(self, block: GivenBlock) -> str:
        return block.question

    def is_first(self, item: str, time: str) -> bool:
        return False

    def page_phase(self, store: Store, start: str) -> None:
        return None

    def phase_id(self, store: str, time: str) -> str:
        return "phase-unknown"

    def phase_counts(self, block: GivenBlock) -> dict[str, dict[str, int]]:
        return {}

    def current_phase(self, block: GivenBlock) -> None:
        return None


def logged(number: int, *events: Event, **more: object) -> LoggedTransaction:
    return LoggedTransaction(number, "2026-03-06T12:00:00Z", "extract", "", number, events)


def test_what_is_written_comes_first_and_all_else_as_it_was_judged() -> None:
    def event(name: str, subject: str, n: int, **details: str) -> Event:
        about = {"item": f"user:me:semantic:{n}", "tick": str(n), "source": "t-0123456789ab#^m1"}
        return Event(name, subject, tuple((about | details).items()))

    one = logged(
        7,
        event("memory_denied", "", 1, code="low_score", type="fact", length="12"),
        event("memory_write", "b", 2),
        Event("memory_conflict", "a", (("winner", "b"), ("rule", "recency"))),
        Event("memory_deleted", "a", (("reason", "superseded"), ("replaced_by", "b"))),
        event("memory_denied", "", 3, code="write_space_disallowed"),
        event("memory_confirmed", "b", 4),
    )
    told = list(events_of(one, Nothing()))
    assert [(row.type, row.tick) for row in told] == [
        ("memory_write", 2), ("memory_border_check", 1), ("memory_denied", 1),
        ("memory_border_check", 2), ("memory_conflict", 7), ("memory_deleted", 7),
        ("memory_border_check", 3), ("memory_border_check", 4), ("memory_confirmed", 4),
    ]  # fmt: skip
    checks = [row.fields for row in told if row.type == "memory_border_check"]
    assert [check["allowed"] for check in checks] == [True, True, False, True]
    assert checks[2]["reason"] == "write_space_disallowed"
    assert {(row.ai_profile, row.session) for row in told[:2]} == {("t", "t-0123456789ab")}
    assert told[2].fields["attempted"] == {
        "id": "user:me:semantic:1", "kind": "semantic", "source": "user",
        "meta": {"event_type": "fact", "space": "user", "owner": "me", "length": 12},
    }  # fmt: skip


def test_a_block_comes_after_the_transaction_it_saw_whatever_the_clock_says() -> None:
    def block(time: str, last: int) -> GivenBlock:
        return GivenBlock(time, "codex", "by-hand", "recall", (), "0" * 64, ("user",), last=last)

    blocks = [block("2026-01-01T00:00:00Z", 2), block("2027-01-01T00:00:00Z", 1)]
    found = list(ordered([logged(3), logged(2), logged(1)], blocks))
    assert [one.number if isinstance(one, LoggedTransaction) else -one.last for one in found] == [
        3, -2, 2, -1, 1,
    ]  # fmt: skip
    recall, check, *refused = events_of_block(blocks[0], 5, Nothing())
    assert (recall.type, recall.number, recall.tick) == ("memory_recall", 2, 5)
    assert recall.fields["current_phase"] is None
    assert (check.fields["action"], check.fields["reason"]) == ("read", "allowed")
    assert [(one.fields["from_space"], one.fields["reason"]) for one in refused] == [
        (space, "space_disabled") for space in ("session", "project", "system")
    ]


@pytest.mark.parametrize(
    "event",
    [
        Event("memory_write", "\x1b[31m\u202e", (("item", "user:me:x:1"), ("tick", "\u0663"))),
        Event("memory_write", "", (("item", "::::"), ("tick", "-1"), ("source", "../..#x"))),
        Event("memory_deleted", "a", (("reason", ""), ("replaced_by", "\n"))),
        Event("memory_conflict", "", ()),
        Event("type", "n", (("type", "x"), ("subject", "y"))),
    ],
)
def test_a_hostile_event_is_told_as_any_other(event: Event) -> None:
    (row, *_) = [one.row for one in events_of(logged(1, event), Nothing())]
    assert row["type"] == event.name
    assert row["session"] == "by-hand"
    json.dumps(row)
