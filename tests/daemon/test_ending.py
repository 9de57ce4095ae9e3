"""The end of `engram daemon`: by signals at any moment, and beside patterns that take for ever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.daemon.state.instance_lock import InstanceLock
from engram.vault import Vault
from tests.daemon.life import daemon, events, ran, said, started, until, watch_source
from tests.effort import EFFORT

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

ROOT = Path(__file__).parents[2]
#: in how many steps a start is gone through, and how long the longest is, seconds
_STEPS, _START = 6 * EFFORT, 0.8
#: what takes for ever on a line of many letters
SLOW = "(?:a|a)*b"
LETTERS = "a" * 60 + "! b"


def entered(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """A process of the console script, with nothing changed in it."""
    return subprocess.Popen(
        [sys.executable, "-m", "engram", *arguments],
        env=os.environ | environment | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def catches(process: subprocess.Popen[str], number: int) -> bool:
    """Whether a process does not leave a signal to the system."""
    status = Path(f"/proc/{process.pid}/status").read_bytes()
    return bool(int(status.partition(b"SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel who catches signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_daemon_cleanly_at_any_moment_of_its_start(
    vault: Vault, environment: dict[str, str], number: signal.Signals
) -> None:
    for step in range(_STEPS):
        process = entered(environment, "--vault", str(vault.root), "daemon", "run")
        until(lambda: catches(process, signal.SIGTERM), "the first line of the program")  # noqa: B023
        time.sleep(_START * step / _STEPS)
        process.send_signal(signal.SIGHUP)  # is no reason to end
        process.send_signal(number)
        _, last = process.communicate(timeout=60)
        assert (process.returncode, "Traceback" in last) == (0, False), (step, last)
        assert InstanceLock(Path(environment["ENGRAM_HOME"])).holder() == 0
    assert vault.doctor() == []


def test_daemon_tells_of_itself_as_soon_as_it_was_started(
    vault: Vault, environment: dict[str, str]
) -> None:
    for _ in range(2):
        begun = ran(environment, "--vault", str(vault.root), "daemon", "start", "--json")
        pid = json.loads(begun.stdout)["pid"]
        state = json.loads(ran(environment, "daemon", "status", "--json").stdout)
        assert (state["running"], state["pid"]) == (True, pid)
        assert f"running since {state['since']} (process {pid})" in (
            ran(environment, "daemon", "status").stdout
        )
        assert state["since"]
        assert f"process {pid}" in ran(environment, "daemon", "stop").stdout
        assert "not running" in ran(environment, "daemon", "status").stdout


def test_status_of_a_daemon_that_ended_is_not_taken_for_the_present_one(
    vault: Vault, environment: dict[str, str]
) -> None:
    with daemon(environment, vault.root):
        pass
    with InstanceLock(Path(environment["ENGRAM_HOME"])).taken():
        said = ran(environment, "daemon", "status").stdout
        assert said.startswith(f"daemon     starting (process {os.getpid()})")


def test_daemon_ends_while_a_call_does_not_return(
    vault: Vault, environment: dict[str, str]
) -> None:
    code = (
        "import sys, regex\n"
        "from engram.daemon.loop import DaemonLoop\n"
        "from engram.surfaces.cli.app import main\n"
        "def step(*_):\n"
        "    print('stuck', flush=True)\n"
        f"    regex.search({SLOW!r}, {LETTERS!r})\n"
        "DaemonLoop.step = step\n"
        "main(sys.argv[1:])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, "--vault", str(vault.root), "daemon", "run"],
        env=os.environ | environment | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "stuck\n"
    process.send_signal(signal.SIGTERM)
    _, last = process.communicate(timeout=60)
    assert process.returncode == 0, last


def captured(root: Path, word: str) -> Callable[[], bool]:
    """Whether words stand in a transcript."""
    return lambda: any(word in file.read_text() for file in root.glob("transcripts/*/*.md"))


def test_daemon_captures_and_ends_while_slow_patterns_are_searched_for(
    vault: Vault, tmp_path: Path, environment: dict[str, str]
) -> None:
    watch_source(environment, "claude-code")
    folder = tmp_path / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    file = folder / "s1.jsonl"
    file.write_text("".join(said(f"{LETTERS} line {at}", at) for at in range(200)))
    with daemon(environment, vault.root) as process:
        until(captured(vault.root, "line 199"), "the conversation")
        slow = [started(environment, "--vault", str(vault.root), "grep", SLOW) for _ in range(3)]
        slow.append(entered(environment, "--vault", str(vault.root), "grep", SLOW))
        with file.open("a", encoding="utf-8") as stream:
            stream.write(said("a turn beside them", 200))
        until(captured(vault.root, "a turn beside them"), "a turn in the meantime")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        for one in slow:
            assert "takes too long" in one.communicate(timeout=120)[1]
            assert one.returncode == 1
    assert vault.doctor() == []


def test_daemon_captures_beside_a_slow_pattern_of_its_settings(
    vault: Vault, tmp_path: Path, environment: dict[str, str]
) -> None:
    watch_source(environment, "claude-code")
    with (tmp_path / "home" / "config.toml").open("a", encoding="utf-8") as stream:
        stream.write(f'\n[capture]\nhigh_signal_patterns = ["{SLOW}"]\n')
    folder = tmp_path / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    text = "".join(said(f"{LETTERS} line {at}", at) for at in range(200))
    (folder / "s1.jsonl").write_text(text, encoding="utf-8")
    with daemon(environment, vault.root):
        until(captured(vault.root, "line 199"), "the conversation")
    assert events(environment).count("failed") == 0
    assert "engram.capture.signals" in ran(environment, "daemon", "logs").stdout
