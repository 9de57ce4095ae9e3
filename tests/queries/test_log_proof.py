"""Proof of the log: what `engram events --verify` finds, and what it leaves alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.proof import Proof
from engram.queries.log_proof import prove
from engram.store.base import layout
from engram.store.commits.transaction import decode, encode
from engram.vault import Adapters, Vault
from tests.kit import LIGHT, takes_every_turn, turns


@pytest.fixture
def adapters() -> Adapters:
    """The index in memory: nothing is searched here."""
    return LIGHT


@pytest.fixture
def lived_in(vault: Vault) -> Vault:
    """Turns, a memory that replaces one, a reason, a refusal, a night and an undo."""
    takes_every_turn(vault).capture(turns(3))
    vault.remember("My editor is Vim.")
    vault.remember("Actually, my editor is Emacs.")
    first = vault.list()[-1]
    vault.forget(first.id, reason="the swordfish pond is gone")
    vault.undo()
    vault.remember("We named the kiosk Falconet.", project="falconet")
    vault.consolidate()
    return vault


def journal(vault: Vault) -> list[Path]:
    return [vault.root / path for path in vault.parts.transaction_log.paths()]


_NAME, _SUBJECT, _WHOLE = "the name", "the subject", "the whole event"


def changed(path: Path, at: int, what: str) -> None:
    """A transaction whose event says something else, with everything else as it was."""
    row = json.loads(path.read_bytes())
    if what == _WHOLE:
        del row["events"][at]
    elif what in (_NAME, _SUBJECT):
        row["events"][at][(_NAME, _SUBJECT).index(what)] = "other"
    else:
        row["events"][at][2][what] = "other"
    path.write_bytes(encode(decode(json.dumps(row).encode())))


def looked_at(vault: Vault) -> Proof:
    """What is found where nothing is taken up."""
    return prove(vault.parts.disk, vault.parts.transaction_log, lambda: None)


def places(found: Proof) -> list[tuple[str, int, int]]:
    return [(one.file, one.line, one.transaction) for one in found.breaks]


def test_a_log_that_nobody_touched_holds(lived_in: Vault) -> None:
    found = lived_in.verify()
    assert found.holds and not found.taken_up and found.chained_from == 1
    assert found.head == lived_in.parts.transaction_log.existing(found.transactions).chain
    assert lived_in.verify() == found


def test_each_detail_of_each_event_that_is_changed_is_named(lived_in: Vault) -> None:
    """Words of persons and models show by the trace, all else by the link too."""
    for path in journal(lived_in):
        before, row = path.read_bytes(), json.loads(path.read_bytes())
        for at, (name, _, details) in enumerate(row["events"]):
            for key in [*details, _NAME, _SUBJECT, _WHOLE]:
                changed(path, at, key)
                found = looked_at(lived_in)
                told = (path.name, name, key, found.breaks)
                assert found.breaks[0].transaction == row["n"], told
                here = found.breaks[0].file.rpartition("/")[2]
                assert here == (path.name if key not in ("why", "explanation") else here), told
                path.write_bytes(before)
    assert lived_in.verify().holds


def test_a_line_of_the_trace_that_is_changed_is_named_with_its_line(lived_in: Vault) -> None:
    path = lived_in.root / layout.TRACE
    lines = path.read_bytes().splitlines(keepends=True)
    for at, line in enumerate(lines):
        number = json.loads(line)["n"]
        for other in (b"", line.replace(b'"event": "', b'"event": "x', 1), b"garbage\n", line * 2):
            path.write_bytes(b"".join((*lines[:at], other, *lines[at + 1 :])))
            second = other == line * 2  # the first of two equal lines is as it should be
            found = places(looked_at(lived_in))[0]
            assert found == (layout.TRACE, at + 1 + second, number), (at, other)
    path.write_bytes(b"".join(lines))
    assert lived_in.verify().holds


def test_a_transaction_that_is_missing_torn_or_of_another_vault_is_one_break(
    lived_in: Vault, open_vault: Callable[..., Vault]
) -> None:
    path = journal(lived_in)[3]
    before = path.read_bytes()
    other = open_vault("other")
    for said in ("One.", "Two.", "Three.", "Four.", "Five."):
        other.remember(f"The shop's rule is number {said}")
    path.unlink()
    assert lived_in.verify().breaks[0].what == "transaction 4 is missing"
    path.write_bytes(before[: len(before) // 2])
    assert "cannot be read" in lived_in.verify().breaks[0].what
    path.write_bytes(journal(other)[3].read_bytes())
    broken = lived_in.verify()
    assert {one[2] for one in places(broken)} == {4, 5}  # and the next does not follow on it
    path.write_bytes(before)
    lived_in.rebuild()
    assert lived_in.verify().holds


def test_the_chain_begins_with_the_first_transaction_that_has_a_link(lived_in: Vault) -> None:
    """An older version wrote none; one without a link after that is a break."""
    for path in journal(lived_in):
        path.write_bytes(encode(decode(path.read_bytes())._replace(chain="")))
    lived_in.rebuild()
    assert lived_in.verify().chained_from == 0
    first = lived_in.parts.catalog.last + 1
    for said in ("The gate is blue.", "The door is red.", "The roof is flat."):
        lived_in.remember(said)
    found = lived_in.verify()
    assert found.holds and found.chained_from == first
    path = journal(lived_in)[first]
    path.write_bytes(encode(decode(path.read_bytes())._replace(chain="")))
    assert [one.transaction for one in lived_in.verify().breaks] == [first + 1, first + 2]


def test_a_log_that_is_cut_off_shows_by_the_link_that_was_noted(lived_in: Vault) -> None:
    """A chain proves what is there; a backup of state/ that comes back goes on from its end."""
    noted = lived_in.verify().head
    backup = lived_in.root.parent / "backup"
    shutil.copytree(lived_in.root, backup)
    lived_in.remember("The cellar is dry.")
    lived_in.close()
    shutil.rmtree(lived_in.root)
    shutil.copytree(backup, lived_in.root)
    assert lived_in.verify().head == noted and lived_in.verify().holds
    lived_in.remember("The attic is damp.")
    assert lived_in.verify().holds


def test_a_purge_leaves_the_chain_as_provable_as_it_was(lived_in: Vault) -> None:
    """Free words are not covered; where names go, the links from there on are made anew."""
    before = {path.name: decode(path.read_bytes()) for path in journal(lived_in)}
    named = next(one for one in lived_in.list() if "Falconet" in one.text)
    lived_in.purge(named.id)
    after = {path.name: decode(path.read_bytes()) for path in journal(lived_in)}
    relinked = [name for name, one in before.items() if one.chain != after[name].chain]
    first = min(name for name, one in before.items() if b"falconet" in encode(one).lower())
    assert relinked == [name for name in before if name >= first]
    assert not any(b"falconet" in path.read_bytes().lower() for path in journal(lived_in))
    assert lived_in.verify().holds
    vim = next(one for one in lived_in.parts.catalog.memories() if "Vim" in one.text)
    lived_in.purge(vim.id)
    assert lived_in.verify().holds


def test_a_purge_heals_no_break(lived_in: Vault) -> None:
    path = journal(lived_in)[1]
    changed(path, 0, _NAME)
    number = json.loads(path.read_bytes())["n"]
    (lived_in.root / layout.TRACE).unlink()
    named = next(one for one in lived_in.list() if "Falconet" in one.text)
    lived_in.purge(named.id)
    assert number in {one.transaction for one in lived_in.verify().breaks}


def test_a_file_that_nothing_explains_is_named_and_a_hand_edit_explains_one(
    lived_in: Vault,
) -> None:
    path = lived_in.root / lived_in.list()[0].path
    path.write_bytes(path.read_bytes().replace(b".\n", b", I think.\n", 1))
    note = lived_in.root / "facts" / "a note.md"
    note.write_text("The keys hang in the hall.\n", encoding="utf-8")
    found = lived_in.verify()
    assert found.holds and len(found.taken_up) == 2
    assert not lived_in.verify().taken_up
    note.with_name("link.md").symlink_to(note)
    assert lived_in.verify().unexplained == ("facts/link.md",)
    journal(lived_in)[-1].unlink()  # which had taken both up
    edited = path.relative_to(lived_in.root).as_posix()
    found = lived_in.verify()
    assert set(found.unexplained) == {"facts/link.md", "facts/a note.md", edited}
    assert found.broken and not found.taken_up


def test_what_nobody_may_write_is_told_as_it_is(lived_in: Vault) -> None:
    """Nothing is taken up in a vault of a newer engram: its files are named."""
    gone = lived_in.root / lived_in.list()[0].path
    (lived_in.root / "facts" / "a note.md").write_text("The keys are gone.\n", encoding="utf-8")
    header = (lived_in.root / layout.CONFIG).read_text(encoding="utf-8")
    newer = re.sub(r"(?m)^format = 1", "format = 2", header)
    (lived_in.root / layout.CONFIG).write_text(newer, encoding="utf-8")
    lived_in.close()
    gone.unlink()
    environment = lived_in.parts.environment
    with Vault.open(lived_in.root, environment=environment, adapters=LIGHT) as vault:
        found = vault.verify()
    assert found.unexplained == ("facts/a note.md",)
    assert found.missing == (gone.relative_to(lived_in.root).as_posix(),) and not found.broken
