"""Doctor runs each connected hook as its agent does, and says what fails; nothing is written."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.shop import Shop

ROOT = Path(__file__).parents[2]
_PATIENT = "from engram.surfaces.hooks import process as p; p.DEADLINE = {deadline}; "
_RUN = "from engram.surfaces.entry import main; main()"


@pytest.fixture
def shop(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    shop.environment = {"ENGRAM_VAULT": str(shop.vault), "PYTHONPATH": str(ROOT)}
    return shop


def connect(shop: Shop, body: str) -> Path:
    """Connect an engram of this body, a shell script."""
    program = shop.folder / "engram"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o700)
    assert shop.run("connect", "codex", "--command", str(program)).code == 0
    return program


def this_engram(deadline: float = 60.0) -> str:
    script = shlex.quote(_PATIENT.format(deadline=deadline) + _RUN)
    return f'exec {shlex.quote(sys.executable)} -c {script} "$@"'


def failing(shop: Shop) -> list[str]:
    rows = json.loads(shop.run("doctor", "--json").out)
    return [row["message"] for row in rows if row["code"] == "hook_fails"]


def test_hooks_that_work_are_no_finding_and_leave_no_trace(shop: Shop) -> None:
    connect(shop, this_engram())
    shop.run("doctor")
    access = shop.vault / "state" / "access.jsonl"
    before = access.read_bytes() if access.exists() else b""
    assert failing(shop) == []
    assert (access.read_bytes() if access.exists() else b"") == before
    assert not (shop.folder / "home" / "hooks").exists()


def test_a_hook_that_fails_is_named_with_its_reason(shop: Shop) -> None:
    program = connect(shop, this_engram())
    program.unlink()
    (gone,) = failing(shop)
    assert gone == (
        "Codex calls a hook that fails (SessionStart, UserPromptSubmit, PreCompact, SessionEnd):"
        f" {program} is not there, or cannot be run"
    )
    connect(shop, 'case "$2" in prompt) exit 3;; session-start) echo engram hook x: Odd >&2;; esac')
    assert [one.partition("fails ")[2] for one in failing(shop)] == [
        "(SessionStart): Odd", f"(UserPromptSubmit): {program} ends with exit code 3",
    ]  # fmt: skip
    assert "hook" not in shop.run("doctor", "--quick").out


def test_a_hook_that_is_too_slow_is_named(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(shop, this_engram(deadline=0.0))
    (slow,) = failing(shop)
    assert slow.endswith("SessionEnd): it is too slow, and gives nothing")
    monkeypatch.setattr("engram.surfaces.hooks.hook_trial.TIMEOUT", 0.2)
    connect(shop, "sleep 60 & wait")
    (endless,) = failing(shop)
    assert endless.endswith("it does not end within 0.2 s")


def test_where_the_vault_is_gone_no_hook_is_run(shop: Shop) -> None:
    connect(shop, "exit 3")
    assert failing(shop)
    path = shop.folder / ".codex" / "hooks.json"
    settings = path.read_text("utf-8")
    path.write_text(re.sub(r"(hook [\w-]+)", rf"\1 --vault {shop.folder}/gone", settings), "utf-8")
    rows = json.loads(shop.run("doctor", "--json").out)
    codes = [row["code"] for row in rows]
    assert "hooks_without_vault" in codes and "hook_fails" not in codes
