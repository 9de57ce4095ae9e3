"""`make torture`: purges of much at once, of words that stand elsewhere, beside others that write.

Each is done to a real vault with its index on disk; afterwards the whole home folder is searched.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from pathlib import Path

from engram.model.turn import turn_of
from engram.vault import Vault
from tests.accounting import said
from tests.background import Background, say
from tests.effort import EFFORT
from tests.kit import takes_every_turn, turns, where
from tests.walk import word

_MANY = 500 * EFFORT
_ELSEWHERE = 400


def _left(home: Path, *words: str) -> list[str]:
    return [path for one in words for path in where(home, one)]


def test_thousands_of_memories_are_purged_at_once(vault: Vault, tmp_path: Path) -> None:
    """Of a conversation with many turns, by a text that all of them hold; a few stay."""
    takes_every_turn(vault).capture([*turns(_MANY, "gone"), *turns(5, "kept")])
    vault.flush()
    vault.consolidate()
    held = len(where(vault.root, "tokengone"))
    began = time.monotonic()
    report = vault.purge(matching="tokengone")
    took = time.monotonic() - began
    assert report.left == () and len(report.purged.memories) == _MANY
    assert vault.doctor() == []
    assert len(list(vault.parts.catalog.memories())) == 5
    assert vault.search("tokenkept0001").turns
    vault.close()
    assert _left(tmp_path, "tokengone") == []
    print(f"\n{_MANY} memories in {held} files purged in {took:.0f} s", file=sys.stderr)


def test_many_memories_are_purged_one_after_the_other(vault: Vault, tmp_path: Path) -> None:
    """Each of a vault with many; what is not purged yet stays."""
    said_in_all = [*turns(2 * EFFORT, "gone"), *turns(_MANY, "kept")]
    takes_every_turn(vault).capture(said_in_all)
    vault.flush()
    vault.consolidate()
    names = [one.id for one in vault.parts.catalog.memories() if "tokengone" in one.text]
    began = time.process_time()
    for name in names:
        assert vault.purge(name).left == ()
    took = (time.process_time() - began) / len(names)
    assert len(list(vault.parts.catalog.memories())) == _MANY and vault.doctor() == []
    vault.close()
    assert _left(tmp_path, "tokengone") == []
    print(f"\na purge of one among {_MANY}: {took:.2f} s of processor time", file=sys.stderr)


def test_a_word_of_four_hundred_other_turns_stays_there(vault: Vault, tmp_path: Path) -> None:
    common, rare = (word(random.Random(number)) for number in (1, 2))
    times = (f"2026-03-05T{number // 60:02d}:{number % 60:02d}:00Z" for number in range(_ELSEWHERE))
    others = [
        turn_of("user", f"The {common} gate number {number} is open.", time, session="o")
        for number, time in enumerate(times)
    ]
    mine = turn_of(
        "user", f"The {common} key lies below {rare}.", "2026-03-06T10:00:00Z", session="m"
    )
    takes_every_turn(vault).capture([*others, mine])
    vault.flush()
    vault.consolidate()
    (name,) = [one.id for one in vault.parts.catalog.memories() if rare in one.text]
    report = vault.purge(name)
    assert report.left == ()
    kept = [one.text for one in vault.parts.catalog.memories()]
    assert sorted(kept) == sorted(turn.text for turn in others)
    assert vault.doctor() == []
    vault.close()
    assert _left(tmp_path, rare) == [] and where(vault.root, common)


def test_a_foreign_index_and_a_foreign_catalog_keep_no_purged_word(
    vault: Vault, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Whatever lies in the cache in place of the vault's own is searched too, or named."""
    (gone,), (kept,) = turns(1, "gone"), turns(1, "kept")
    takes_every_turn(vault).capture([gone, kept])
    vault.flush()
    vault.search("valve")
    with Vault.create(tmp_path / "other", environment=environment) as other:
        takes_every_turn(other).capture([gone])
        other.flush()
        other.search("valve")
        foreign = other.parts.cache
    cache = vault.parts.cache
    vault.close()
    for name in ("index", "catalog.sqlite"):
        there, here = foreign / name, cache / name
        if here.is_dir():
            shutil.rmtree(here)
            shutil.copytree(there, here)
        else:
            shutil.copy(there, here)
    with Vault.open(vault.root, environment=environment) as again:
        report = again.purge(gone.transcript)
        assert again.doctor() == []
        assert [one.text for one in again.parts.catalog.memories()] == [kept.text]
    token = gone.text.split()[1]
    named = {path for path, _ in report.left}
    assert _left(vault.root, token) == []
    assert {str(cache / path) for path in where(cache, token)} <= named


def test_a_conversation_that_goes_on_under_the_daemon_keeps_no_purged_word(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Every third turn is purged while the same and other conversations are captured."""
    root = tmp_path / "vault"
    Vault.create(root, environment=environment).close()
    purged: list[str] = []
    count = 0
    with Background(tmp_path, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        for _ in range(2 * EFFORT):
            say(daemon.projects, "session", range(count, count + 7))
            count += 7
            daemon.wait_until_done([count - 7])
            token = said(count - 7).token
            with Vault.open(root, environment=environment) as vault:
                report = vault.purge(matching=token)
                assert {path for path, _ in report.left} == set(), report.left
            purged.append(token)
        say(daemon.projects, "session", range(count, count + 7))
        daemon.wait_until_done(range(count, count + 7))
        daemon.stop()
    with Vault.open(root, environment=environment) as vault:
        vault.flush()
        assert vault.doctor() == []
    mine = [path for path in tmp_path.iterdir() if path.name != ".claude"]
    assert [found for path in mine if path.is_dir() for found in _left(path, *purged)] == []
    journal = b"".join(path.read_bytes() for path in root.glob("state/turns/*.jsonl"))
    there = {said(number).token for number in range(count + 7)} - set(purged)
    assert all(token.encode() in journal for token in there)
