"""`make torture`: 100 writers killed while they commit, 100 while they rebuild, readers counting.

Not part of `make test`: it takes minutes. No search may be empty, and none may raise.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engram.vault import Vault
from tests.effort import EFFORT
from tests.index.killing import kill_while_reading
from tests.kit import takes_every_turn

_KILLS = 10 * EFFORT


@pytest.mark.parametrize("rebuilding", [False, True], ids=["commit", "rebuild"])
def test_readers_see_nothing_of_killed_writers(
    rebuilding: bool, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    counted = kill_while_reading(open_vault(), environment, _KILLS, rebuilding=rebuilding)
    for level, counts in counted.items():
        print(f"\n{'rebuild' if rebuilding else 'commit'}, reader of the {level}: {counts}")
    with takes_every_turn(open_vault()) as after:
        assert after.doctor() == []
        assert after.parts.index.counts()[1] == sum(1 for _ in after.parts.turn_log.entries())
    for counts in counted.values():
        assert (counts.empty, counts.exceptions, counts.reasons) == (0, 0, [])
