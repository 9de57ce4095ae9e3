"""Agents whose settings call our hooks -> findings, where the hooks are of no use.

They have no vault to give of, or a hook fails that is run once as the agent runs it (`hook_trial`).
Nothing is written. Settings that cannot be parsed count as not connected: their agent calls no
hook of them either.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from engram.model.errors import ConfigError, EngramError
from engram.model.findings import Finding
from engram.settings.paths import UserPaths
from engram.settings.user_files import read_small
from engram.settings.vaults_read import own_entry
from engram.surfaces.hooks.agent_settings import command_in
from engram.surfaces.hooks.agents import AGENTS, Command


def findings(environment: Mapping[str, str], places: UserPaths, *, run: bool) -> Iterator[Finding]:
    """Why a connected agent is given nothing; the hooks are only `run` where that is asked for."""
    for agent in AGENTS.values():
        path = agent.settings_file(environment, places.home)
        command = _connected(path)
        if command is None:
            continue
        _, named, *_ = (*shlex.split(command.options), "", "")
        try:
            own_entry(named, environment, places)
        except EngramError as error:
            message = f"{agent.title} is connected, and given nothing: {error}"
            yield Finding("error", "hooks_without_vault", agent.name, message, error.hint)
            continue
        if run:
            # imported here: it starts processes, which a quick check does not
            from engram.surfaces.hooks.hook_trial import tried

            yield from tried(agent, path, environment)


def _connected(path: Path) -> Command | None:
    with suppress(ConfigError, ValueError, RecursionError):
        return command_in(read_small(path) or "{}")
    return None
