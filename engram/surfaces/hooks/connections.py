"""Agents whose settings call our hooks -> findings, where the hooks have no vault to give of.

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


def findings(environment: Mapping[str, str], places: UserPaths) -> Iterator[Finding]:
    """One for each connected agent that is given nothing, with the reason."""
    for agent in AGENTS.values():
        command = _connected(agent.settings_file(environment, places.home))
        if command is None:
            continue
        _, named, *_ = (*shlex.split(command.options), "", "")
        try:
            own_entry(named, environment, places)
        except EngramError as error:
            message = f"{agent.title} is connected, and given nothing: {error}"
            yield Finding("error", "hooks_without_vault", agent.name, message, error.hint)


def _connected(path: Path) -> Command | None:
    with suppress(ConfigError, ValueError, RecursionError):
        return command_in(read_small(path) or "{}")
    return None
