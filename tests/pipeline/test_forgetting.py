"""What is forgotten by turn, conversation or text is found by nobody, and comes back as it was."""

from __future__ import annotations

from io import BytesIO

import pytest

from engram.model.errors import NotFound
from engram.model.turn import turn_of
from engram.vault import Vault
from tests.kit import where

SAID = (
    ("user", "We use postgres for the Quaddelberg shop."),
    ("assistant", "Noted: postgres for Quaddelberg."),
    ("user", "I prefer small commits."),
)
TURNS = [
    turn_of(role, text, f"2026-03-05T10:0{number}:00Z", session="s")
    for number, (role, text) in enumerate(SAID)
]
LINKS = [f"{turn.transcript}#^{turn.block}" for turn in TURNS]


def found(vault: Vault, word: str) -> list[str]:
    """What search and grep give for a word."""
    answers = vault.search(word)
    hits = [hit.id for hit in (*answers.memories, *answers.turns)]
    return hits + [path for path, _ in vault.grep(word)]


@pytest.fixture
def told(vault: Vault) -> Vault:
    vault.capture(TURNS)
    vault.flush()
    vault.consolidate()
    return vault


@pytest.mark.parametrize(
    ("references", "text"),
    [((LINKS[0], LINKS[1]), ""), ((TURNS[0].transcript,), ""), ((), "QUADDELBERG")],
    ids=["turns", "conversation", "text"],
)
def test_what_is_forgotten_is_found_by_nobody_until_it_is_undone(
    references: tuple[str, ...], text: str, told: Vault
) -> None:
    before = found(told, "Quaddelberg")
    memory = next(one for one in told.list() if "Quaddelberg" in one.text)
    told.forget(*references, matching=text)
    assert found(told, "Quaddelberg") == []
    assert told.memory(memory.id).status == "retired"
    assert where(told.root / "boxes", "Quaddelberg") == []
    told.rebuild()
    told.capture(TURNS)
    told.consolidate(full=True)
    assert found(told, "Quaddelberg") == []
    assert told.doctor() == []
    told.undo(*(str(one.number) for one in told.log() if one.kind == "forget"))
    assert found(told, "Quaddelberg") == before
    assert told.doctor() == []


def test_nothing_is_made_of_a_turn_that_was_forgotten_while_it_waited(vault: Vault) -> None:
    said = turn_of("user", "We moved the Tannenhof to Oslo.", "2026-03-05T10:05:00Z", session="t")
    vault.parts.turns.add(vault.parts.turn_log.append([(said, "none")]))
    assert vault.status().pending == 1
    vault.forget(said.transcript)
    vault.flush()
    assert vault.status().pending == 0
    assert found(vault, "Tannenhof") == []


def test_restoring_the_memory_shows_its_turn_again(told: Vault) -> None:
    told.forget(LINKS[0])
    memory = next(one for one in told.parts.catalog.memories() if "Quaddelberg" in one.text)
    told.restore(memory.id)
    assert LINKS[0] in [hit.id for hit in told.search("Quaddelberg").turns]


def test_there_is_nothing_to_forget_twice(told: Vault) -> None:
    assert not told.forget(LINKS[1]).already
    last = told.version()
    assert told.forget(LINKS[1]).already
    assert told.version() == last
    with pytest.raises(NotFound):
        told.forget("nobody")


def test_a_look_forgets_nothing(told: Vault) -> None:
    scope = told.forget(matching="quaddelberg", dry_run=True)
    assert ([one.schema for one in scope.memories], len(scope.links)) == ([""], 2)
    assert found(told, "Quaddelberg") != []


def test_turns_forgotten_before_they_were_extracted_wait_again_after_an_undo(vault: Vault) -> None:
    vault.capture_stream(BytesIO(b"Remember that the Quaddelberg valve holds 12 bar."))
    (waiting,) = vault.waiting()
    vault.forget(waiting.transcript)
    assert vault.waiting() == []
    for pending in (1, 0, 1):
        last = vault.undo(str(vault.log()[0].number))
        assert sum(one.turns for one in vault.waiting()) == pending, last
    vault.flush()
    assert len(vault.list()) == 1
    assert vault.doctor() == []
