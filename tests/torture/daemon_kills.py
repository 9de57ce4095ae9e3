"""`make torture`: the daemon killed again and again while it captures what an agent says.

Every turn is accounted for in the end, by the files alone, and none of it is there twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import Path

from engram.vault import Vault
from tests.accounting import account, doubles, said
from tests.background import Background, speaker
from tests.effort import EFFORT

_KILLS = 20 * EFFORT
_TURNS = 2000 * EFFORT
#: how long a daemon lives on the average, seconds
_LIFE = 3.0


def test_a_daemon_that_is_killed_loses_and_doubles_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    print(killed_again_and_again(tmp_path, environment, _KILLS, _TURNS, _LIFE))


def killed_again_and_again(
    home: Path, environment: Mapping[str, str], kills: int, turns: int, life: float
) -> str:
    """Kill a daemon so often while so many turns are said; what was counted."""
    root = home / "vault"
    Vault.create(root, environment=environment).close()
    chance = random.Random(7)
    lives = [chance.expovariate(1 / life) for _ in range(kills)]
    everything = [said(number) for number in range(turns)]
    with Background(home, root, environment) as daemon:
        daemon.start()
        daemon.wait_until_it_runs()
        # what it has not seen is history; from here on it is live
        daemon.wait_for((daemon.state / "daemon" / "notes.json").exists)
        agent = speaker(daemon.projects, 0, turns, 12, sum(lives))
        for one in lives:
            time.sleep(one)
            daemon.kill()
            daemon.start()
        assert agent.wait() == 0
        daemon.wait_until_done(range(turns))
        ending = daemon.stop()
        errors = [row for row in daemon.log() if row["level"] == "error"]
    assert not errors, errors[:3]
    with Vault.open(root, environment=environment) as after:
        # a daemon that is told to end may leave a commit for the next writer to finish
        assert after.doctor() == []
        counted = account(root, everything)
        after.flush()
        assert after.doctor() == []
        after.consolidate(full=True)
        assert after.doctor() == []
    settled = account(root, everything, settled=True)
    assert doubles(root) == []
    transactions = len(list(root.glob("state/journal/*/*.json")))
    return (
        f"{kills} kills, {turns} turns in {sum(lives):.0f} s: {dict(counted)}, then"
        f" {dict(settled)}; {transactions} transactions; the last ended in {ending:.1f} s"
    )
