"""`make torture`: the daemon killed again and again while it captures what an agent says.

Every turn is accounted for in the end, by the files alone, and none of it is there twice.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from engram.vault import Vault
from tests.accounting import account, doubles, said
from tests.background import Background, speaker

_KILLS = int(os.environ.get("TEST_KILLS", "60"))
_TURNS = int(os.environ.get("TEST_TURNS", "6000"))
#: how long a daemon lives on the average, seconds
_LIFE = float(os.environ.get("TEST_LIFE", "3"))


def test_a_daemon_that_is_killed_loses_and_doubles_nothing(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    with open_vault() as vault:
        root = vault.root
    chance = random.Random(7)
    lives = [chance.expovariate(1 / _LIFE) for _ in range(_KILLS)]
    everything = [said(number) for number in range(_TURNS)]
    with Background(tmp_path, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        # what it has not seen is history; from here on it is live
        daemon.wait_for((daemon.state / "daemon" / "notes.json").exists)
        agent = speaker(daemon.projects, 0, _TURNS, 12, sum(lives))
        for life in lives:
            time.sleep(life)
            daemon.kill()
            daemon.start()
        assert agent.wait() == 0
        daemon.wait_until_done(range(_TURNS))
        ending = daemon.stop()
    counted = account(root, everything)
    errors = [row for row in daemon.log() if row["level"] == "error"]
    assert not errors, errors[:3]
    with Vault.open(root, environment=environment) as after:
        after.flush()
        assert after.doctor() == []
        after.consolidate(full=True)
        assert after.doctor() == []
    settled = account(root, everything, settled=True)
    assert doubles(root) == []
    assert ending < 2.5
    transactions = len(list(root.glob("state/journal/*/*.json")))
    print(
        f"{_KILLS} kills, {_TURNS} turns in {sum(lives):.0f} s: {dict(counted)}, then"
        f" {dict(settled)}; {transactions} transactions; the last ended in {ending:.1f} s",
        file=sys.stderr,
    )
