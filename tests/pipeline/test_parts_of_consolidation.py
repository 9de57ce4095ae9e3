"""A consolidation in several transactions: the same deeds, one undo, and what a stop leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.report import Consolidated
from engram.pipeline import consolidation
from engram.store.base import layout
from engram.vault import Vault
from tests.kit import tree_digest

#: repeats, what is replaced, names for pages, and conversations for boxes
TOLD = (
    "The shop of Katja uses Postgres for its orders.",
    "Currently the shop of Katja uses Postgres for its orders.",
    "The user's sister Katja moved to Kiel.",
    "The user's brother Jonas lives in Lyon.",
    "Jonas works on the ledger with Redis.",
    "The nightly backup of the ledger runs at two.",
    "The nightly backup of the ledger is kept for thirty days.",
    "I prefer tabs in Go.",
    "We decided to use Kubernetes for the shop.",
    "The port of the staging server is 8080.",
    "The port of the staging server is now 9090 instead of 8080.",
)
SHOWN = (*layout.CONTENT, layout.PROFILE, layout.INDEX, "home.md")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consolidation, "MOST_STEPS", 3)


def told(vault: Vault) -> Vault:
    for text in TOLD:
        vault.remember(text)
    return vault


def deeds(done: Consolidated) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(step.task, step.action, step.subjects) for step in done.steps]


def parts(vault: Vault) -> list[str]:
    rows = reversed(vault.log(99))
    return [one.batch for one in rows if one.kind == "consolidate" and not one.undone]


def test_parts_do_what_one_transaction_does(
    open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, cut = (told(open_vault(name)) for name in ("whole", "cut"))
    planned = cut.consolidate(dry_run=True)
    done = whole.consolidate()
    monkeypatch.setattr(consolidation, "MOST_STEPS", 3)
    in_parts = cut.consolidate()
    assert deeds(done) == deeds(in_parts) == deeds(planned) and len(done.steps) > 6
    assert tree_digest(cut.root, *SHOWN) == tree_digest(whole.root, *SHOWN)
    count = len(parts(cut))
    assert parts(whole) == [""] and count >= 3
    assert parts(cut) == [*(f"part-{number}" for number in range(1, count)), ""]
    for vault in (whole, cut):
        assert vault.doctor() == [] and vault.verify().holds
        assert vault.consolidate(full=True).steps == ()
    run = cut.consolidation_run(in_parts.transaction)
    assert run is not None and sum(n for _, some in run.steps for _, n in some) == len(done.steps)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("which", ["", "first", "last"])
def test_one_undo_takes_back_all_parts(which: str, vault: Vault) -> None:
    told(vault)
    before = tree_digest(vault.root, *SHOWN)
    done = vault.consolidate()
    numbers = [one.number for one in vault.log(99) if one.kind == "consolidate"]
    assert len(numbers) > 2 and max(numbers) == done.transaction
    named = {"": "", "first": str(min(numbers)), "last": str(max(numbers))}[which]
    undone = vault.undo(named)
    assert sorted(undone.plan.undoes) == sorted(numbers)
    assert tree_digest(vault.root, *SHOWN) == before and vault.doctor() == []
    # what the person took back is not done again
    again = vault.consolidate(full=True)
    assert not any(step.amended for step in again.steps)


@pytest.mark.usefixtures("small")
def test_a_step_is_taken_back_by_its_number_in_the_whole(vault: Vault) -> None:
    for name in ("one", "other"):
        note = vault.root / f"facts/{name}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text("The tram to the office takes twenty minutes.\n", "utf-8")
    done = told(vault).consolidate()
    number = next(n for n, one in enumerate(done.steps, 1) if one.task == "duplicates")
    loser = done.steps[number - 1].subjects[1]
    assert not vault.memory(loser).live
    vault.undo(f"{done.transaction}.{number}")
    assert vault.memory(loser).live
    assert not any(one.task == "duplicates" for one in vault.consolidate(full=True).steps)


_NIGHT = """
import os, signal, sys
from engram.pipeline import consolidation
from engram.store.base.clock import FixedClock
from engram.store.base.disk import VaultDisk
from engram.vault import Vault
consolidation.MOST_STEPS = 3
left = int(sys.argv[2])
place = VaultDisk.place
def placed(self, staged, path, *, fresh):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    place(self, staged, path, fresh=fresh)
vault = Vault.open(sys.argv[1], clock=FixedClock("2026-03-06T12:00:00Z"))
vault.status()
VaultDisk.place = placed
vault.consolidate()
print("done")
"""


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("writes", [1, 5, 9])
def test_one_that_was_killed_is_gone_on_with_and_nothing_is_done_twice(
    writes: int, open_vault: Callable[..., Vault], environment: dict[str, str]
) -> None:
    whole = told(open_vault("whole"))
    expected = deeds(whole.consolidate())
    vault = told(open_vault("killed"))
    before = tree_digest(vault.root, *SHOWN)
    killed = subprocess.run(
        [sys.executable, "-c", _NIGHT, str(vault.root), str(writes)],
        env=os.environ | environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = open_vault("killed")
    done = resumed.consolidate()
    steps = [
        (event.subject, dict(event.details)["step"])
        for one in resumed.log(99)
        if one.kind == "consolidate"
        for event in resumed.change(one.number).plan.events
        if event.name == "consolidated"
    ]
    numbers = {number for _, number in steps}
    assert len(steps) == len(set(steps)), "none was done twice"
    assert numbers == {str(number) for number in range(1, len(expected) + 1)}
    assert done.steps == () or done.first + len(done.steps) - 1 == len(expected)
    assert tree_digest(resumed.root, *SHOWN) == tree_digest(whole.root, *SHOWN)
    assert resumed.doctor() == [] and resumed.consolidate(full=True).steps == ()
    assert parts(resumed)[-1] == "" and len(parts(resumed)) == len(parts(whole))
    resumed.undo("")
    assert tree_digest(resumed.root, *SHOWN) == before
