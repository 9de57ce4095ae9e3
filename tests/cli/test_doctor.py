"""`engram doctor`: what is wrong with the daemon, and with what it would watch, found once each."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.daemon.state import pause
from engram.daemon.state.heartbeat import Heartbeat, HeartbeatFile
from engram.daemon.state.instance_lock import InstanceLock
from tests.cli.shop import Shop

UNIT = ".config/systemd/user/engram.service"


@pytest.fixture(autouse=True)
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service manager is that of Linux, whatever runs the tests."""
    monkeypatch.setattr("engram.daemon.service.systems.sys.platform", "linux")


def codes(shop: Shop, *more: str) -> list[tuple[str, str]]:
    """Code and severity of what the doctor finds."""
    rows = json.loads(shop.run("doctor", "--json", *more).out)
    assert all(row["fix"] for row in rows)
    return [(row["code"], row["severity"]) for row in rows]


def install(shop: Shop) -> None:
    shop.environment["ENGRAM_SYSTEMCTL"] = "true"
    assert shop.run("daemon", "install", "--command", "/opt/engram").code == 0


def state(shop: Shop) -> Path:
    return shop.folder / "home"


def paused(shop: Shop) -> None:
    pause.pause(state(shop), ["codex"])


def all_paused(shop: Shop) -> None:
    pause.pause(state(shop), [])


def watched_and_not_there(shop: Shop) -> None:
    shop.run("config", "set", "daemon.sources", "codex")


def watched_and_unknown(shop: Shop) -> None:
    shop.run("config", "set", "daemon.sources", "chatgpt")


def entered_by_others(shop: Shop) -> None:
    (state(shop) / "daemon").mkdir(mode=0o700)
    (state(shop) / "daemon").chmod(0o750)


def swept_by_claude_code(shop: Shop) -> None:
    (shop.folder / ".claude" / "projects").mkdir(parents=True)


def other_vault(shop: Shop) -> None:
    """A vault that was made after the service was installed, which runs."""
    install(shop)
    shop.run("init", "second")


PLANTED: list[tuple[Callable[[Shop], None], list[tuple[str, str]]]] = [
    (install, [("daemon_down", "warning")]),
    (paused, [("paused", "warning")]),
    (all_paused, [("paused", "warning")]),
    (watched_and_not_there, [("no_source", "warning")]),
    (watched_and_unknown, [("no_source", "warning")]),
    (entered_by_others, [("exposed", "error")]),
    (swept_by_claude_code, [("cleanup", "warning")]),
    (other_vault, [("daemon_down", "warning"), ("daemon_shut_out", "warning")]),
]


def test_nothing_is_found_where_nothing_is_wrong(shop: Shop) -> None:
    assert codes(shop) == []
    # also where a daemon ran and was paused, and Claude Code keeps its transcripts
    (state(shop) / "daemon").mkdir(mode=0o700)
    paused(shop)
    assert shop.run("daemon", "resume").code == 0
    swept_by_claude_code(shop)
    shop.write(".claude/settings.json", '{"cleanupPeriodDays": 9999}')
    shop.run("config", "set", "daemon.sources", "claude-code")
    assert codes(shop) == []


@pytest.mark.parametrize(("plant", "found"), PLANTED, ids=lambda one: getattr(one, "__name__", ""))
def test_what_is_wrong_is_found_once(
    plant: Callable[[Shop], None], found: list[tuple[str, str]], shop: Shop
) -> None:
    plant(shop)
    assert codes(shop) == found


@pytest.mark.parametrize(("version", "found"), [("0.0.1", [("daemon_old", "warning")]), (None, [])])
def test_a_daemon_of_another_version_is_found(
    version: str | None, found: list[tuple[str, str]], shop: Shop
) -> None:
    from engram import __version__

    install(shop)
    with InstanceLock(state(shop)).taken():
        heartbeat = Heartbeat(pid=os.getpid(), version=version or __version__)
        HeartbeatFile(state(shop), lambda: 0.0).offer(heartbeat, now=True)
        assert codes(shop) == found
        # what another one left behind says nothing of this one
        HeartbeatFile(state(shop), lambda: 0.0).offer(Heartbeat(pid=1, version="0.0.1"), now=True)
        assert codes(shop) == []


def test_the_folder_of_the_socket_is_looked_at(shop: Shop) -> None:
    runtime = shop.folder / "run"
    (runtime / "engram").mkdir(parents=True)
    (runtime / "engram").chmod(0o755)
    shop.environment["XDG_RUNTIME_DIR"] = str(runtime)
    assert codes(shop) == []  # with an ENGRAM_HOME it lies there
    shop.environment |= {
        "ENGRAM_HOME": "", "XDG_STATE_HOME": str(shop.folder / "state"),
        "XDG_CONFIG_HOME": str(shop.folder / "config"),
        "XDG_CACHE_HOME": str(shop.folder / "cache"),
    }  # fmt: skip
    assert shop.run("trust", "vault").code == 0
    assert codes(shop) == [("exposed", "error")]
    (runtime / "engram").chmod(0o700)
    assert codes(shop) == []


def test_the_trial_is_part_of_it_unless_it_is_to_be_quick(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    # where the vault of the trial would be made
    monkeypatch.setattr(tempfile, "tempdir", str(shop.folder / "nowhere"))
    ran = shop.run("doctor")
    assert ran.code == 1 and "a new memory could not be written" in ran.out
    assert codes(shop, "--quick") == []
