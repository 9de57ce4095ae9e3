"""Hooks in the settings of agents -> findings: each command line is run once, as its agent runs it.

The line is given to a shell with an empty request, in a dry run in which a hook notes nothing and
starts nothing (`DRY_RUN`), and is ended after the time that a host gives it. A hook tells nobody
when it fails, and its exit code is 0 whatever happens: here what it says on stderr counts. Nothing
else is run than what stands in those settings as a hook of engram.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from engram.model.findings import Finding
from engram.settings.user_files import read_small
from engram.surfaces.hooks.agent_settings import lines_in
from engram.surfaces.hooks.agents import TIMEOUT, Agent
from engram.surfaces.hooks.process import DRY_RUN, TOO_SLOW

_SAID = re.compile(r"^engram hook [\w-]+: (.+)$", re.M)
#: exit codes of a shell that finds no program, or one that cannot be run
_GONE = frozenset({126, 127, 9009})


def tried(agent: Agent, path: Path, environment: Mapping[str, str]) -> Iterator[Finding]:
    """What fails of the hooks in an agent's settings file; one finding for each reason."""
    failing: dict[str, list[str]] = {}
    for event, line in lines_in(read_small(path) or "{}"):
        if reason := _reason(event, line, environment):
            failing.setdefault(reason, []).append(event)
    for reason, events in failing.items():
        yield Finding(
            "error", "hook_fails", agent.name,
            f"{agent.title} calls a hook that fails ({', '.join(events)}): {reason}",
            f"`engram connect {agent.name}` puts in those of this engram; `engram status` tells "
            "of the vault",
        )  # fmt: skip


def _kill(process: subprocess.Popen[str]) -> None:
    """End a shell and what it started, which may hold its pipes."""
    with suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _reason(event: str, line: str, environment: Mapping[str, str]) -> str:
    """Why a command line is of no use; empty for one that works."""
    asked = json.dumps({"hook_event_name": event, "session_id": "", "cwd": "", "prompt": ""})
    seen = {**environment, DRY_RUN: "1", "ENGRAM_DISABLE": ""}
    process = subprocess.Popen(
        line, shell=True, env=seen, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True, errors="replace",
    )  # fmt: skip
    try:
        _, told = process.communicate(asked, TIMEOUT)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.communicate()
        return f"it does not end within {TIMEOUT} s"
    if process.returncode in _GONE:
        return f"{line.partition(' hook ')[0]} is not there, or cannot be run"
    if process.returncode:
        return f"{line.partition(' hook ')[0]} ends with exit code {process.returncode}"
    found = _SAID.search(told)
    if found is None:
        return ""
    return "it is too slow, and gives nothing" if found[1] == TOO_SLOW else found[1]
