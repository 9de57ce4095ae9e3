"""Searches go on, whole and without a fault, while writers are killed (`make torture`: more)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engram.vault import Vault
from tests.effort import EFFORT
from tests.index.killing import kill_while_reading
from tests.kit import takes_every_turn

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")


@pytest.mark.parametrize("rebuilding", [False, True])
def test_no_search_is_empty_or_fails_while_writers_are_killed(
    rebuilding: bool, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    counted = kill_while_reading(open_vault(), environment, 5 * EFFORT, rebuilding=rebuilding)
    for counts in counted.values():
        assert (counts.empty, counts.exceptions, counts.reasons) == (0, 0, [])
        assert counts.searches > 0
    with takes_every_turn(open_vault()) as after:
        assert after.doctor() == []
        said = sum(1 for _ in after.parts.turn_log.entries())
        assert after.parts.index.counts()[1] == said
