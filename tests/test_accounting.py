"""The accounting finds what is missing: a vault in order, and the same one tampered with."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.turn import turn_of
from engram.vault import Vault
from tests.accounting import account, doubles, fates, said
from tests.conftest import NOW

_SAID = [said(number) for number in range(14)]


@pytest.fixture
def root(open_vault: Callable[..., Vault]) -> Path:
    """A vault in which turns of every kind were said and extracted."""
    vault = open_vault()
    vault.capture([turn_of(one.role, one.text, NOW, message=one.token) for one in _SAID])
    vault.flush()
    vault.close()
    return vault.root


def _one(root: Path, pattern: str) -> Path:
    return min(root.glob(pattern))


def test_a_vault_in_order_is_in_order(root: Path) -> None:
    counted = account(root, _SAID, settled=True)
    assert counted == {"memory": 8, "marked": 4, "refused": 2}
    assert doubles(root) == []


def test_what_was_said_and_never_captured_is_found(root: Path) -> None:
    with pytest.raises(AssertionError, match="1 never captured"):
        account(root, [*_SAID, said(99)])


def test_what_nobody_said_is_found(root: Path) -> None:
    with pytest.raises(AssertionError, match="1 were never said"):
        account(root, _SAID[1:])


def test_without_the_transaction_turns_are_pending(root: Path) -> None:
    for fact in (root / "facts").rglob("*.md"):
        fact.unlink()
    _one(root, "state/journal/*/*.json").unlink()
    assert set(fates(root).values()) == {"pending"}


def test_a_memory_of_turns_that_are_pending_still_is_one_too_many(root: Path) -> None:
    _one(root, "state/journal/*/*.json").unlink()
    with pytest.raises(AssertionError, match="twice"):
        account(root, _SAID)


def test_a_lost_memory_is_found(root: Path) -> None:
    _one(root, "facts/*/*.md").unlink()
    account(root, _SAID)
    with pytest.raises(AssertionError, match="1 elsewhere"):
        account(root, _SAID, settled=True)


def test_a_transcript_that_is_not_marked_is_found(root: Path) -> None:
    path = _one(root, "transcripts/*/*.md")
    text = path.read_text("utf-8")
    path.write_text(text.replace("extracted: m", "extracted: x"), "utf-8")
    with pytest.raises(AssertionError, match="14 of 14 amiss"):
        account(root, _SAID)


def test_a_turn_that_is_captured_twice_is_found(root: Path) -> None:
    path = _one(root, "state/turns/*.jsonl")
    first = path.read_bytes().splitlines(keepends=True)[0]
    path.write_bytes(path.read_bytes() + first.replace(b'"seq":1,', b'"seq":99,'))
    assert fates(root)[_SAID[0].token] == "twice"


def test_a_statement_that_is_there_twice_is_found(root: Path) -> None:
    path = _one(root, "facts/*/*.md")
    shutil.copy(path, path.with_name("copy.md"))
    assert len(doubles(root)) == 1


def test_the_dead_letter_is_read(root: Path) -> None:
    transaction = _one(root, "state/journal/*/*.json")
    transaction.write_text('{"dead": [[1, 14]]}', "ascii")
    assert set(fates(root).values()) == {"lost"}
    (root / "state/dead-letter").mkdir(exist_ok=True)
    (root / "state/dead-letter/x.json").write_text('{"turns": [[1, 14]]}', "ascii")
    assert set(fates(root).values()) == {"dead"}
