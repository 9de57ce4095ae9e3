"""The long proofs of `make torture`, run small: that they hold, and that they can fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.effort import EFFORT
from tests.torture.a_day import lived
from tests.torture.daemon_kills import killed_again_and_again
from tests.torture.eight import worked
from tests.torture.idle import left_alone
from tests.torture.many_at_once import remembered_at_once
from tests.torture.steady import loaded
from tests.torture.storm import stormed

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_daemon_that_is_killed_loses_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    assert killed_again_and_again(
        tmp_path, environment, kills=2 * EFFORT, turns=60 * EFFORT, life=0.7
    )


@linux
def test_files_made_while_the_daemon_stands_still_are_found(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    assert stormed(tmp_path, environment, files=100 * EFFORT, sessions=4)


def test_some_hours_with_a_bad_provider_cost_what_they_say(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    assert lived(tmp_path, environment, hours=2 * EFFORT, turns=20 * EFFORT, cap=20_000)


@linux
def test_an_idle_daemon_writes_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    assert left_alone(tmp_path, environment, memories=50 * EFFORT, seconds=2 * EFFORT)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_many_processes_at_one_vault_get_along(tmp_path: Path, environment: dict[str, str]) -> None:
    assert worked(tmp_path, environment, seconds=2 * EFFORT)


@pytest.mark.parametrize("with_daemon", [False, True])
def test_commands_at_the_same_moment_all_land(
    tmp_path: Path, environment: dict[str, str], with_daemon: bool
) -> None:
    assert remembered_at_once(tmp_path, environment, 4 * EFFORT, 0, with_daemon=with_daemon)


@linux
def test_a_daemon_under_steady_load_keeps_no_removed_file(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    samples = loaded(tmp_path, environment, 6.0 * EFFORT, 8.0, 0.5, samples=2)
    assert samples[-1].files["(deleted)"] == 0
