"""The person's own vault beside that of a repository: a real daemon, and a real hook."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engram.vault import Vault
from tests.daemon.life import daemon, said, until, watch_source
from tests.hooks.conversation import said_by
from tests.hooks.test_process import PATIENT

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")


def test_what_is_said_in_two_folders_goes_to_the_own_vault_and_follows_the_person(
    tmp_path: Path, environment: dict[str, str], open_vault: Callable[..., Vault],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    watch_source(environment, "claude-code")
    own = partial(open_vault, "home/engram")  # the default
    own().close()
    till = tmp_path / "work" / "till"
    (till / ".git").mkdir(parents=True)
    theirs = partial(open_vault, "work/till")
    theirs().close()
    monkeypatch.chdir(till)
    projects = tmp_path / ".claude" / "projects"
    with daemon(environment):
        for number, name, text in (
            (1, "shop", "We decided to print receipts on recycled paper."),
            (2, "till", "We decided to use Postgres because two writers need it."),
            (3, "till", "I prefer small commits with one topic each."),
        ):
            folder = projects / name
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / f"{name}.jsonl").open("a", encoding="utf-8") as stream:
                line = said(text, number, name)
                stream.write(line.replace("/w/shop", str(tmp_path / "work" / name)))
        until(lambda: len(learnt(own)) == 3, "what was said in both")
    assert learnt(own) == [
        ("shop", "We decided to print receipts on recycled paper."),
        ("till", "The user prefers small commits with one topic each."),
        ("till", "We decided to use Postgres because two writers need it."),
    ]
    assert learnt(theirs) == [] and not any((till / "transcripts").iterdir())
    told = given(environment, till)
    assert "Postgres" in told and "small commits" in told
    assert "recycled" not in told


def learnt(opened: Callable[[], Vault]) -> list[tuple[str, str]]:
    with opened() as vault:
        memories = list(vault.parts.catalog.memories())
    return sorted((one.project, one.text) for one in memories if one.schema != "session")


def given(environment: dict[str, str], folder: Path) -> str:
    """What a real hook at the start of a session in a folder gives."""
    done = subprocess.run(
        [sys.executable, "-c", PATIENT, "hook", "session-start"], cwd=folder, check=False,
        env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])}, capture_output=True,
        input=said_by("SessionStart", folder), timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])
