"""A connected agent without a daemon: what is said in its sessions is learnt by itself."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from engram.daemon import catch_up as daemon_catch_up
from engram.daemon.catch_up import CaughtUp, last_catch_up, unattended, waiting_for
from engram.daemon.service.detached import begin
from engram.daemon.spool import (
    ENDED,
    LAST,
    STARTED,
    TranscriptNotice,
    hook_failures,
    noted,
    put_back,
    taken,
)
from engram.daemon.state import pause
from engram.daemon.state.instance_lock import InstanceLock
from engram.surfaces.hooks.background import is_wanted
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import said_by

ROOT = Path(__file__).parents[2]
NOW = "2026-03-06T12:00:00Z"
#: how long anything is waited for, seconds; generous, because machines are busy
PATIENCE = 120.0


def turn(number: int, text: str) -> str:
    said = {
        "type": "user", "uuid": str(number), "sessionId": "s9", "cwd": "/home/kim/shop",
        "timestamp": f"2026-03-06T11:{number:02}:00Z",
        "message": {"role": "user", "content": text},
    }  # fmt: skip
    return json.dumps(said) + "\n"


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


# -- from connect to recall ------------------------------------------------------------------------


class Agent(NamedTuple):
    """Claude Code of one person: runs the commands that stand in its settings."""

    shop: Shop
    environment: dict[str, str]

    @property
    def transcript(self) -> Path:
        return self.shop.folder / ".claude" / "projects" / "-home-kim-shop" / "s9.jsonl"

    def calls(self, host_event: str) -> str:
        """What a hook answers. Stands for a host that reads the pipe to its end."""
        settings = json.loads((self.shop.folder / ".claude" / "settings.json").read_text("utf-8"))
        (group,) = settings["hooks"][host_event]
        said = said_by(host_event, transcript_path=str(self.transcript), source="startup")
        done = subprocess.run(
            ["sh", "-c", group["hooks"][0]["command"]], input=said, env=self.environment,
            capture_output=True, check=True, timeout=PATIENCE,
        )  # fmt: skip
        assert done.stderr == b""
        return done.stdout.decode()

    @property
    def state(self) -> Path:
        return self.shop.folder / "home"

    def notice(self, event: str) -> TranscriptNotice:
        vault = str(self.shop.vault)
        return TranscriptNotice(NOW, event, "claude-code", str(self.transcript), vault)

    def says(self, number: int, text: str) -> None:
        """A turn of the person in the session's transcript."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(turn(number, text))

    def learnt(self, words: str) -> bool:
        """Whether a file of the vault says it: no command is run that could take it in."""
        files = self.shop.vault.glob("facts/*/*.md")
        return any(words in path.read_text("utf-8") for path in files)


@pytest.fixture
def agent(shop: Shop, tmp_path: Path) -> Iterator[Agent]:
    """A connected agent; ends when nothing of it runs any more."""
    program = tmp_path / "engram"
    # time enough on any machine: a hook that is late says nothing
    script = "from engram.surfaces.hooks import process as p; p.DEADLINE = 60.0; "
    script += "from engram.surfaces.entry import main; main()"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{script}" "$@"\n')
    program.chmod(0o700)
    environment = prompt_context(shop.folder) | {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    ran = shop.run("connect", "claude-code", "--command", str(program))
    assert ran.code == 0
    made = Agent(shop, environment)
    made.transcript.parent.mkdir(parents=True)
    yield made
    with taken(made.state, PATIENCE):
        pass  # nothing of it runs any more


def test_a_session_is_learnt_without_any_command(agent: Agent) -> None:
    assert "Postgres" in agent.calls("SessionStart")
    agent.says(1, "We decided to print receipts on recycled paper.")
    assert agent.calls("SessionEnd") == ""
    wait_for(lambda: agent.learnt("recycled paper") and not noted(agent.state))
    assert "recycled paper" in agent.calls("SessionStart")
    assert "recycled paper" in agent.shop.run("search", "receipts").out


def test_a_session_that_was_killed_is_learnt_at_the_next_start(agent: Agent) -> None:
    put_back(agent.state, [agent.notice("session-start")])
    agent.says(1, "We decided to print receipts on recycled paper.")
    agent.calls("SessionStart")
    wait_for(lambda: agent.learnt("recycled paper"))


def test_the_background_process_shares_nothing_with_its_host(agent: Agent) -> None:
    """A host that reads its pipe to the end, or ends a whole group, has nothing to do with it."""
    folder = agent.shop.folder
    (folder / "tell.py").write_text(
        "import json, os, sys\n"
        "names = [f'/dev/fd/{one}' for one in os.listdir('/dev/fd')]\n"
        "files = [os.path.realpath(name) for name in names if os.path.lexists(name)]\n"
        "with open(sys.argv[1] + '.part', 'w') as file:\n"
        "    json.dump([os.getsid(0) == os.getpid(), files], file)\n"
        "os.rename(sys.argv[1] + '.part', sys.argv[1])\n"
    )
    told = folder / "told"
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        begin("tell", str(told), agent.environment | {"PYTHONPATH": str(folder)})
    finally:
        os.close(writer)
    with open(reader, "rb") as pipe:
        assert pipe.read() == b""
    wait_for(told.exists)
    leads, files = json.loads(told.read_text())
    assert leads
    assert set(files[:3]) == {os.devnull}
    assert not [one for one in files if "pipe" in one]


# -- when none is begun ----------------------------------------------------------------------------


@pytest.fixture
def state(shop: Shop) -> Path:
    """The state of a person one of whose transcripts waits."""
    state = shop.folder / "home"
    put_back(state, [TranscriptNotice(NOW, ENDED, "codex", "/x", str(shop.vault))])
    return state


def test_none_is_begun_where_somebody_else_does_it_or_nothing_can_be_written(
    shop: Shop, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wanted(event: str = "session-end") -> bool:
        return is_wanted(event, shop.vault, state)

    assert wanted() and wanted("session-start")
    assert not wanted("prompt") and not wanted("pre-compact")
    with InstanceLock(state).taken():
        assert not wanted()
    assert wanted()
    pause.pause(state, ["codex"])
    assert wanted(), "another source may go on"
    pause.pause(state, [])
    assert not wanted()
    pause.resume(state, [])
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: Path(path) != shop.vault / "state")
        assert not wanted()
    with monkeypatch.context() as patch:
        full = SimpleNamespace(f_bavail=1, f_frsize=4096)
        patch.setattr(os, "statvfs", lambda path: full)
        assert not wanted()
    shutil.rmtree(shop.vault)
    assert not wanted()


def test_where_nothing_waits_one_is_begun_at_a_start_once_an_hour(shop: Shop, state: Path) -> None:
    with taken(state) as waiting:
        waiting.clear()
    assert not is_wanted("session-end", shop.vault, state)
    assert is_wanted("session-start", shop.vault, state)
    unattended(str(shop.vault), prompt_context(shop.folder))
    assert not is_wanted("session-start", shop.vault, state)
    os.utime(state / LAST, (0, 0))
    assert is_wanted("session-start", shop.vault, state)


def test_what_is_disabled_notes_and_begins_nothing(agent: Agent) -> None:
    agent.says(1, "We decided to print receipts on recycled paper.")
    agent.environment["ENGRAM_DISABLE"] = "1"
    assert agent.calls("SessionStart") == agent.calls("SessionEnd") == ""
    assert noted(agent.state) == [] and last_catch_up(agent.state) is None


# -- what the background process does --------------------------------------------------------------


def caught(shop: Shop) -> CaughtUp | None:
    unattended(str(shop.vault), prompt_context(shop.folder))
    return last_catch_up(shop.folder / "home")


def test_it_leaves_all_to_a_daemon_and_to_a_pause(shop: Shop, state: Path) -> None:
    with InstanceLock(state).taken():
        assert caught(shop) is None
    pause.pause(state, [])
    assert caught(shop) is None
    pause.resume(state, [])
    pause.pause(state, ["codex"])
    assert caught(shop) == CaughtUp(NOW)
    assert len(noted(state)) == 1
    pause.resume(state, [])
    assert caught(shop) == CaughtUp(NOW)
    assert noted(state) == [], "the transcript is gone"


def test_two_at_once_take_in_everything_once(shop: Shop, agent: Agent) -> None:
    agent.says(1, "We decided to print receipts on recycled paper.")
    put_back(agent.state, [agent.notice(ENDED)])
    with taken(agent.state):
        assert caught(shop) is None, "whoever takes looks again before it ends"
    both = [threading.Thread(target=caught, args=(shop,)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert noted(agent.state) == []
    assert shop.run("list", "--project", "shop").out.count("recycled paper") == 1


def test_what_fails_waits_and_holds_up_no_other(shop: Shop, agent: Agent) -> None:
    agent.says(1, "We decided to print receipts on recycled paper.")
    other = shop.write(".codex/sessions/x.jsonl", "{}")
    gone = TranscriptNotice(NOW, ENDED, "codex", str(other), str(shop.folder / "gone"))
    put_back(agent.state, [gone, agent.notice(ENDED)])
    assert caught(shop) == CaughtUp(NOW, 1, 1, 1, {str(other): "NotFound"})
    assert noted(agent.state) == [gone]
    told = " ".join(shop.run("status").out.split())
    assert f"{other}: NotFound" in told and " waits:" not in told
    found = json.loads(shop.run("doctor", "--quick", "--json").out)
    assert "not_taken_in" in [one["code"] for one in found]


def test_a_process_that_cannot_tell_anybody_leaves_a_line(
    shop: Shop, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*_: object, **__: object) -> CaughtUp:
        raise ZeroDivisionError("nobody reads this")

    monkeypatch.setattr(daemon_catch_up, "catch_up", bug)
    unattended(str(shop.vault), prompt_context(shop.folder))
    count, log = hook_failures(state)
    assert count == 1
    assert "ZeroDivisionError at tests.hooks.test_catch_up" in log.read_text()
    assert "nobody reads this" not in log.read_text()


def test_a_session_that_goes_on_is_looked_at_again_until_it_ends_or_falls_silent(
    shop: Shop, agent: Agent
) -> None:
    put_back(agent.state, [agent.notice(STARTED)])
    waits = partial(waiting_for, agent.state, str(shop.vault))
    assert (waits(), caught(shop), waits()) == (
        0,
        CaughtUp(NOW, open={str(agent.transcript): 0}),
        0,
    )
    agent.says(1, "We decided to print receipts on recycled paper.")
    assert waits() == 1
    done = caught(shop)
    assert done is not None and (done.files, done.turns, waits()) == (1, 1, 0)
    agent.says(2, "We decided to give the old printer to the school.")
    put_back(agent.state, [agent.notice(ENDED)])
    assert waits() == 1
    done = caught(shop)
    assert done is not None and (done.turns, done.open, noted(agent.state)) == (1, {}, [])
    put_back(agent.state, [replace(agent.notice(STARTED), time="2026-03-05T12:00:00Z")])
    os.utime(agent.transcript, (0, 0))
    assert caught(shop) is not None and noted(agent.state) == []
