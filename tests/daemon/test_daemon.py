"""`engram daemon`: a real process, real files, real events."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.daemon.life import daemon, events, ran, rows, said, started, until, watch_source

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

FRIDAY = "Remember that we never deploy on a Friday."


@pytest.fixture
def root(vault: Vault) -> Path:
    return vault.root


@pytest.fixture
def projects(tmp_path: Path, environment: dict[str, str]) -> Path:
    """Where Claude Code keeps its transcripts; it is watched."""
    watch_source(environment, "claude-code")
    folder = tmp_path / ".claude" / "projects" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def texts(open_vault: Callable[..., Vault], root: Path) -> Iterator[Callable[[], list[str]]]:
    """The memories' words, seen by another process."""

    def all_of_them() -> list[str]:
        with open_vault() as vault:
            return sorted(memory.text for memory in vault.parts.catalog.memories())

    yield all_of_them


def settled(open_vault: Callable[..., Vault]) -> int:
    """How many transactions hand edits made."""
    with open_vault() as vault:
        return sum(entry.kind == "settle" for entry in vault.log(1000))


def pending(open_vault: Callable[..., Vault]) -> int:
    with open_vault() as vault:
        return sum(waiting.turns for waiting in vault.waiting())


# -- hand edits --------------------------------------------------------------------------------


def in_place(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def truncated_first(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.flush()
        time.sleep(0.05)
        stream.write(text)


def as_vim_does(path: Path, text: str) -> None:
    probe = path.with_name("4913")
    probe.touch()
    probe.unlink()
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    path.write_text(text, encoding="utf-8")
    backup.unlink()


def atomically(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.tmp-17")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def as_sed_does(path: Path, text: str) -> None:
    aside = path.with_name("sedX7f3Qa")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def with_a_linked_backup(path: Path, text: str) -> None:
    backup = path.with_name(path.name + "~")
    os.link(path, backup)
    path.unlink()
    path.write_text(text, encoding="utf-8")
    backup.unlink()


def from_elsewhere(path: Path, text: str) -> None:
    aside = path.parents[3] / "outside.md"
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def with_its_old_time(path: Path, text: str) -> None:
    before = path.stat()
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


PATTERNS = (
    in_place, truncated_first, as_vim_does, atomically, as_sed_does, with_a_linked_backup,
    from_elsewhere, with_its_old_time,
)  # fmt: skip


def test_daemon_takes_every_way_of_saving_as_one_edit(
    root: Path, environment: dict[str, str], open_vault: Callable[..., Vault],
    texts: Callable[[], list[str]],
) -> None:  # fmt: skip
    with open_vault() as vault:
        vault.remember("The shop uses Postgres.")
        path = next((vault.root / "facts").rglob("*.md"))
    with daemon(environment, root):
        before, seen = path.read_text(encoding="utf-8"), 0
        for number, save in enumerate(PATTERNS, 1):
            # of one length, so that no stat but the time of change tells
            wanted = before.replace("Postgres", f"Postgre{number}")
            save(path, wanted)
            found = f"The shop uses Postgre{number}."
            until(lambda found=found: texts() == [found], save.__name__)
            assert path.read_text(encoding="utf-8") == wanted
            # on a busy machine an empty file may stand for longer than the daemon waits
            most = 2 if save is truncated_first else 1
            assert 1 <= settled(open_vault) - seen <= most, save.__name__
            seen = settled(open_vault)
        moved = path.parents[1] / "2026-03-07" / "moved.md"
        moved.parent.mkdir()
        path.rename(moved)
        until(lambda: settled(open_vault) == seen + 1, "a move")
        moved.unlink()
        until(lambda: texts() == [], "a removal")
        moved.write_text(before, encoding="utf-8")
        until(lambda: texts() == ["The shop uses Postgres."], "a new file")
    with open_vault() as vault:
        vault.consolidate()  # links follow the file that has its name again
        assert vault.doctor() == []


# -- transcripts -------------------------------------------------------------------------------


def test_daemon_makes_memories_of_turns_and_not_of_what_was_injected(
    root: Path, projects: Path, environment: dict[str, str], texts: Callable[[], list[str]],
    open_vault: Callable[..., Vault],
) -> None:  # fmt: skip
    with open_vault() as vault:
        vault.remember("The shop uses Postgres.")
        block = vault.recall("postgres").text
    assert "Postgres" in block
    with daemon(environment, root):
        deep = projects / "deep"
        deep.mkdir()
        with (deep / "s1.jsonl").open("a", encoding="utf-8") as stream:
            torn = said(f"{block}\n\nWe decided to use Redis because it is there.", 1)
            stream.write(torn[:50])
            stream.flush()
            time.sleep(0.4)
            stream.write(torn[50:])
            stream.flush()
            stream.write(said(FRIDAY, 2))
        until(lambda: len(texts()) == 3, "two memories")
        inbox = root / "inbox" / "note.md"
        inbox.write_text("I prefer dark mode in every editor.\n", encoding="utf-8")
        until(lambda: len(texts()) == 4, "a note in the inbox")
        until(lambda: not inbox.exists(), "the note to be put away")
        assert inbox.parent.joinpath("taken", "note.md").exists()
    with open_vault() as vault:
        known = next(m for m in vault.parts.catalog.memories() if "Postgres" in m.text)
        assert len(known.sources) == 1, "what was injected confirms nothing"
        assert vault.doctor() == []


def test_daemon_ends_in_the_middle_of_an_import_and_goes_on_with_it(
    root: Path, projects: Path, environment: dict[str, str], open_vault: Callable[..., Vault]
) -> None:
    count = 800
    with (projects / "s1.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(
            said(f"Remember that valve {number} holds {number} bar.", number, f"s{number % 20}")
            for number in range(count)
        )
    process = started(environment, "--vault", str(root), "daemon", "run")
    until(lambda: any((root / "state" / "turns").iterdir()), "the first turns")
    process.send_signal(signal.SIGTERM)
    _, said_last = process.communicate(timeout=30)
    assert process.returncode == 0, said_last
    assert "Traceback" not in said_last
    assert "took" not in events(environment), "it was to be ended in the middle"
    with daemon(environment, root):
        until(lambda: "took" in events(environment), "the import")
        until(lambda: not pending(open_vault), "the rest of it")
    with open_vault() as vault:
        assert vault.status().turns == count
        assert vault.doctor() == []


# -- the process -------------------------------------------------------------------------------


def test_daemon_runs_once_tells_what_it_does_and_ends_when_told(
    root: Path, environment: dict[str, str], tmp_path: Path, texts: Callable[[], list[str]]
) -> None:
    with daemon(environment, root) as process:
        second = ran(environment, "--vault", str(root), "daemon", "run")
        assert second.returncode == 3
        assert re.search(rf"^error: .*running already.*{process.pid}", second.stderr, re.M)
        state = json.loads(ran(environment, "daemon", "status", "--json").stdout)
        assert (state["running"], state["pid"]) == (True, process.pid)
        # chosen while it runs: the settings are read anew
        assert ran(environment, "sources", "--watch", "claude-code").returncode == 0
        until(lambda: "reloaded" in events(environment), "the new settings")
        folder = tmp_path / ".claude" / "projects" / "shop"
        folder.mkdir(parents=True)
        folder.joinpath("s1.jsonl").write_text(said(FRIDAY, 1), encoding="utf-8")
        until(lambda: len(texts()) == 1, "a source that was installed later")
        ran(environment, "daemon", "pause", "claude-code")
        until(lambda: "paused" in events(environment), "the pause")
        assert json.loads(ran(environment, "daemon", "status", "--json").stdout)["paused"] == [
            "claude-code"
        ]
        assert "paused: claude-code" in ran(environment, "daemon", "pause", "claude-code").stdout
        ran(environment, "daemon", "resume")
        until(lambda: "resumed" in events(environment), "the end of the pause")
        stopped = ran(environment, "daemon", "stop")
        assert f"process {process.pid}" in stopped.stdout, stopped.stderr
        assert process.wait(timeout=30) == 0
    assert "not running" in ran(environment, "daemon", "status").stdout
    logs = ran(environment, "daemon", "logs").stdout
    assert "started" in logs and "stopped" in logs and "Friday" not in logs
    assert {row["machine"] for row in rows(environment)} == {platform.node()}


def test_daemon_starts_detached_and_its_lock_is_free_once_it_is_killed(
    root: Path, environment: dict[str, str]
) -> None:
    for _ in range(2):
        begun = ran(environment, "--vault", str(root), "daemon", "start", "--json")
        assert begun.returncode == 0, begun.stderr
        pid = json.loads(begun.stdout)["pid"]
        assert os.getsid(pid) == pid, "a session of its own"
        again = ran(environment, "--vault", str(root), "daemon", "start")
        assert again.returncode == 3
        os.kill(pid, signal.SIGKILL)
        until(lambda: "not running" in ran(environment, "daemon", "status").stdout, "its end")


def test_daemon_closes_a_vault_that_is_moved_away_and_reopens_it(
    root: Path, environment: dict[str, str], texts: Callable[[], list[str]]
) -> None:
    with daemon(environment, root):
        away = root.with_name("away")
        root.rename(away)
        until(lambda: "vault_away" in events(environment), "its leave")
        assert not root.exists()
        away.rename(root)
        until(lambda: events(environment).count("vault_opened") == 2, "its return")
        (root / "facts").joinpath("new.md").write_text("Written by hand.\n", encoding="utf-8")
        until(lambda: texts() == ["Written by hand."], "an edit after its return")


def test_daemon_refuses_what_is_no_registered_vault(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "engram.toml").write_text('format = 1\nid = "x"\n', encoding="utf-8")
    for place in (tmp_path / "nothing", tmp_path, stranger):
        refused = ran(environment, "--vault", str(place), "daemon", "run")
        assert refused.returncode == 1
        assert refused.stderr.startswith("error: ")
