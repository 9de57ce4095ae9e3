"""Session space: what is asked for a conversation alone, where it stays out, and how it ends."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engram.model.instant import plus_minutes
from engram.model.memory import Memory
from engram.model.policy import Policy, RetentionRule
from engram.model.turn import Turn, turn_of
from engram.pipeline.ending import end_over
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, reopened

START = "2026-03-06T10:00:00Z"
GERMAN = "For this session, answer in German."
ROWS = tomllib.loads(
    (Path(__file__).parents[1] / "extract" / "session_sentences.toml").read_text("utf-8")
)
#: a session of five ticks; everything else as shipped
BRIEF = Policy(spaces={"session": Policy(retention={"preference": RetentionRule("decay", 5)})})
Opener = Callable[..., Vault]


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory."""
    return LIGHT


def said(text: str, *, minute: float = 0, session: str = "s", role: str = "user") -> Turn:
    return turn_of(
        "assistant" if role == "assistant" else "user", text, plus_minutes(START, minute),
        source="claude-code", session=session, project="shop",
    )  # fmt: skip


def at(open_vault: Opener, minute: float, policy: Policy | None = None) -> Vault:
    vault = open_vault(now=plus_minutes(START, minute))
    return reopened(vault, policy=policy) if policy else vault


def heard(vault: Vault, *turns: Turn) -> None:
    vault.capture(turns)
    vault.flush()


def of_sessions(vault: Vault, *, live: bool = True) -> list[Memory]:
    return [
        one for one in vault.parts.catalog.memories()
        if one.space == "session" and (one.live or not live)
    ]  # fmt: skip


def only(vault: Vault) -> Memory:
    (memory,) = of_sessions(vault, live=False)
    return memory


def told(vault: Vault, *names: str) -> list[tuple[str, str]]:
    found = [(one.type, str(one.fields.get("reason", ""))) for one in vault.events(100)]
    return [pair for pair in found if pair[0] in names]


# -- what is one ----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["tuned", "held_back"])
def test_an_order_for_the_session_is_its_memory_and_nothing_else_is(
    part: str, open_vault: Opener
) -> None:
    for kind in ("session", "other"):
        vault = open_vault(kind, now=plus_minutes(START, 5))
        texts = ROWS[part][kind]
        heard(vault, *(said(text, session=f"s{number}") for number, text in enumerate(texts)))
        found = {one.conversation for one in of_sessions(vault)}
        assert len(found) == (len(texts) if kind == "session" else 0)
        assert all(one.expires == "" for one in of_sessions(vault))


def test_an_order_of_a_session_that_is_over_is_refused(open_vault: Opener) -> None:
    vault = at(open_vault, 24 * 60)
    heard(vault, said(GERMAN))
    assert of_sessions(vault, live=False) == []
    assert ("memory_denied", "session_over") in told(vault, "memory_denied")


def test_a_session_that_goes_on_takes_its_older_orders(open_vault: Opener) -> None:
    vault = at(open_vault, 25 * 60)
    heard(vault, said(GERMAN), said("Go on.", minute=24 * 60))
    assert only(vault).live


def test_two_sessions_in_one_second_have_a_memory_each(open_vault: Opener) -> None:
    vault = at(open_vault, 5)
    heard(vault, said(GERMAN, session="a"), said(GERMAN, session="b"))
    one, other = of_sessions(vault)
    assert one.text == other.text and one.conversation != other.conversation
    assert len(one.sources) == len(other.sources) == 1


def test_what_may_not_leave_its_session_is_written_there(open_vault: Opener) -> None:
    strict = Policy(write_spaces=("session",))
    vault = at(open_vault, 5, strict)
    heard(vault, said("We decided to use Postgres for the till, because two writers need it."))
    assert only(vault).category == "decision"
    assert only(vault).live


# -- where it stays out ---------------------------------------------------------------------------

#: the same statements in the space of the person go everywhere
_NIGHT = (
    ("preference", "The user wants answers about Postgres in German.", "tool-postgres"),
    ("entity", "Postgres is the database of the till.", "tool-postgres"),
    ("correction", "The till uses Postgres, not MySQL.", "tool-postgres"),
    ("preference", "The user wants answers about Postgres in German!", "tool-postgres"),
)


@pytest.mark.parametrize("space", ["session", "user"])
def test_a_night_takes_up_nothing_of_a_session(space: str, open_vault: Opener) -> None:
    vault = at(open_vault, 5)
    born = [
        Memory(
            id=f"{category}-20260306-100000-0000000{number}", category=category, text=text,
            created=START, space=space, entities=(entity,), confidence=0.9, importance=0.9,
            authority="user_asserted", schema="constraint" if category == "entity" else "",
            sources=(f"claude-code-3f2a1c9d04be#^m{number}",),
        )
        for number, (category, text, entity) in enumerate(_NIGHT)
    ]  # fmt: skip
    from engram.model.change import Plan

    with vault.parts.committer.lock():
        vault.parts.committer.commit(Plan("remember", tuple(vault.parts.writer.changes(born, []))))
    vault.consolidate(full=True)
    pages = [
        path.relative_to(vault.root).as_posix()
        for path in (*vault.root.rglob("*.md"), *(vault.root / "state").glob("*.json*"))
        if "facts/" not in path.as_posix()
    ]
    naming = [
        name for name in pages
        if any(one.id in (vault.root / name).read_text("utf-8") for one in born)
    ]  # fmt: skip
    wanted = {"profile.md", "index.md", "boxes/", "entities/"}
    seen = {one for one in wanted if any(name.startswith(one) for name in naming)}
    assert seen == (wanted if space == "user" else set())
    merged = [one for one in vault.parts.catalog.memories() if not one.live]
    assert bool(merged) == (space == "user")
    assert vault.parts.view.weightiest("2027-01-01", 9) == [] or space == "user"
    assert [one.id for one in vault.entities()] == [] or space == "user"


def test_a_header_that_names_a_session_takes_a_memory_off_the_pages(open_vault: Opener) -> None:
    vault = at(open_vault, 5)
    kept = vault.remember("I prefer short commit messages.", category="preference")
    vault.consolidate(full=True)
    assert kept.memory.id in (vault.root / "profile.md").read_text("utf-8")
    file = vault.root / kept.memory.path
    file.write_text(file.read_text("utf-8").replace("space: user", "space: session"), "utf-8")
    vault.consolidate(full=True)
    assert kept.memory.id not in (vault.root / "profile.md").read_text("utf-8")
    assert vault.doctor() == []


# -- how it ends ----------------------------------------------------------------------------------


def test_it_ends_at_the_ticks_of_its_session(open_vault: Opener) -> None:
    vault = at(open_vault, 30, BRIEF)
    heard(vault, said(GERMAN))
    # another session's turns are no ticks of this one
    heard(vault, *(said(f"Look at part {n}.", session="other", minute=n) for n in range(1, 9)))
    heard(vault, *(said(f"Look at file {n}.", minute=n) for n in range(1, 6)))
    assert only(vault).status == "active"
    heard(vault, said("Look at file 6.", minute=6))
    assert (only(vault).status, only(vault).status_reason) == ("expired", "decay")
    assert (vault.root / only(vault).path).exists()
    assert told(vault, "memory_forget", "memory_deleted") == [
        ("memory_forget", "decay"), ("memory_deleted", "expired"),
    ]  # fmt: skip


@pytest.mark.parametrize(("mode", "ends"), [("decay", False), ("ttl", True)])
def test_a_confirmation_renews_decay_alone(mode: str, ends: bool, open_vault: Opener) -> None:
    rule = RetentionRule("ttl" if mode == "ttl" else "decay", 5)
    vault = at(open_vault, 30, Policy(spaces={"session": Policy(retention={"preference": rule})}))
    heard(vault, said(GERMAN))
    heard(vault, *(said(f"Look at file {n}.", minute=n) for n in range(1, 4)))
    vault.confirm([only(vault).id])
    heard(vault, *(said(f"Look at file {n}.", minute=n) for n in range(4, 7)))
    assert (only(vault).status == "expired") == ends


@pytest.mark.parametrize("deed", ["seal_boxes", "consolidate", "flush"])
def test_it_ends_with_a_session_that_is_silent_for_a_day(deed: str, open_vault: Opener) -> None:
    heard(at(open_vault, 1), said(GERMAN))
    vault = at(open_vault, 24 * 60 - 1)
    getattr(vault, deed)()
    assert only(vault).live
    vault = at(open_vault, 24 * 60 + 1)
    getattr(vault, deed)()
    assert (only(vault).status, only(vault).status_reason) == ("expired", "session_silent")
    last = vault.parts.committer.last
    assert end_over(vault.parts) == 0 and vault.parts.committer.last == last


def test_it_ends_when_the_agent_ends_its_session_and_returns_with_it(open_vault: Opener) -> None:
    vault = at(open_vault, 10)
    heard(vault, said(GERMAN))
    name = only(vault).conversation
    assert end_over(vault.parts, ended=[name]) == 1
    assert only(vault).status_reason == "session_ended"
    vault = at(open_vault, 60)
    heard(vault, said("Go on.", minute=50))
    assert only(vault).status == "active"
    assert ("memory_write", "restored") in told(vault, "memory_write")


def test_a_session_that_goes_on_days_later_begins_anew(open_vault: Opener) -> None:
    vault = at(open_vault, 10)
    heard(vault, said(GERMAN))
    end_over(vault.parts, ended=[only(vault).conversation])
    vault = at(open_vault, 3 * 24 * 60)
    heard(vault, said(GERMAN, minute=3 * 24 * 60 - 1))
    ended, again = of_sessions(vault, live=False)
    assert (ended.status, again.status) == ("expired", "active")


@pytest.mark.parametrize("deed", ["undo", "restore"])
def test_what_a_person_brings_back_has_another_day(deed: str, open_vault: Opener) -> None:
    heard(at(open_vault, 1), said(GERMAN))
    vault = at(open_vault, 24 * 60 + 1)
    vault.seal_boxes()
    back = only(vault).id
    vault.undo(str(vault.parts.committer.last)) if deed == "undo" else vault.restore(back)
    vault.seal_boxes()
    assert only(vault).live
    vault = at(open_vault, 2 * 24 * 60 + 2)
    vault.seal_boxes()
    assert only(vault).status == "expired"


def test_a_clock_that_went_back_ends_nothing(open_vault: Opener) -> None:
    heard(at(open_vault, 1), said(GERMAN))
    vault = at(open_vault, -60 * 24 * 400)
    vault.seal_boxes()
    vault.consolidate()
    assert only(vault).live


def test_without_its_state_it_ends_by_time_alone(open_vault: Opener, tmp_path: Path) -> None:
    vault = at(open_vault, 30, BRIEF)
    heard(vault, said(GERMAN))
    vault.close()
    shutil.rmtree(tmp_path / "vault" / "state")
    vault = at(open_vault, 40, BRIEF)
    vault.rebuild()
    vault.seal_boxes()
    assert only(vault).live
    vault = at(open_vault, 2 * 24 * 60, BRIEF)
    vault.seal_boxes()
    assert only(vault).status == "expired"


def test_ticks_of_a_policy_are_obeyed_in_other_spaces(open_vault: Opener) -> None:
    vault = at(open_vault, 30, replace(Policy(), retention={"fact": RetentionRule("ttl", 4)}))
    kept = vault.remember("The till runs on Debian 12.", category="fact", project="shop").memory
    for number in range(1, 5):
        assert vault.parts.view.memory(kept.id).live  # type: ignore[union-attr]
        heard(vault, said(f"Look at file {number}.", minute=number))
    ended = vault.parts.view.memory(kept.id)
    assert ended is not None
    assert (ended.status, ended.status_reason) == ("expired", "ttl_expired")
