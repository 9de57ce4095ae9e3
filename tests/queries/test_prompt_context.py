"""What a model is shown of a vault: the nearest memories, known names, what was said before."""

from __future__ import annotations

from engram.model.turn import Turn, turn_of
from engram.queries.prompt_context import EARLIER, VaultPromptContext
from engram.vault import Vault


def said(text: str, minute: int, project: str = "shop", session: str = "s") -> Turn:
    time = f"2026-03-06T11:{minute:02d}:00Z"
    return turn_of("user", text, time, session=session, project=project)


def around(vault: Vault) -> VaultPromptContext:
    return VaultPromptContext(vault.parts.projections, vault.parts.turn_log, vault.parts.index)


def taught(vault: Vault) -> Vault:
    vault.capture([
        said("We decided to use Postgres because two writers need it.", 0, session="a"),
        said("We decided to use Postgres because the till needs it.", 1, "till", "b"),
        said("I prefer Postgres docs over blog posts.", 2, session="c"),
    ])  # fmt: skip
    vault.flush()
    return vault


def test_the_nearest_live_memories_of_the_project_and_the_person_are_shown(vault: Vault) -> None:
    near = around(taught(vault)).near([said("We moved from Postgres to MySQL.", 10)])
    texts = [memory.text for memory in near.memories]
    assert any("two writers" in text for text in texts)
    assert any("blog posts" in text for text in texts)
    assert not any("till" in text for text in texts)
    vault.forget(near.memories[0].id)
    again = around(vault).near([said("We moved from Postgres to MySQL.", 10)])
    assert near.memories[0].id not in {memory.id for memory in again.memories}


def test_known_names_are_those_that_occur(vault: Vault) -> None:
    near = around(taught(vault)).near([said("does POSTGRES do that?", 10)])
    assert near.entities == ("tool-postgres",)
    assert around(vault).near([said("does it do that?", 10)]).entities == ()


def test_what_was_said_just_before_is_shown_in_order(vault: Vault) -> None:
    vault.capture([said(f"Word number {number}.", number) for number in range(8)])
    last = said("And this?", 30)
    near = around(vault).near([last.numbered(vault.capture([last]).last)])
    assert [turn.text for turn in near.earlier] == [
        f"Word number {number}." for number in range(8 - EARLIER, 8)
    ]


def test_without_turns_there_is_nothing_around(vault: Vault) -> None:
    assert around(vault).near([]).memories == ()
