"""Paths of one user's files on one machine: configuration, registry, default vault, cache.

With ENGRAM_HOME engram's own files are under that folder; otherwise the platform's own folders are
used (on Linux below ~/.config, ~/.local/state and ~/.cache, or where XDG_* point). The default
vault is the person's, ~/engram, wherever those lie. Nothing is created here: a writer makes the
folder, with mode 0700.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from engram.model.errors import ConfigError


class UserPaths(NamedTuple):
    """Absolute paths. `vault` is where the first vault is made when no layer names another.

    `home` is the meaning of `~` in the user's settings.
    """

    config_file: Path
    registry_file: Path
    cache_dir: Path
    vault: Path
    home: Path

    @property
    def policy_file(self) -> Path:
        """The person's policy, beside their settings."""
        return self.config_file.with_name("policy.toml")

    @property
    def state_dir(self) -> Path:
        """Data of this machine that is no cache: the registry, the spending."""
        return self.registry_file.parent


def places_of(environment: Mapping[str, str]) -> UserPaths:
    """The paths by environment: below ENGRAM_HOME, else the platform's.

    Raises ConfigError for a user that has no home.
    """
    home = _home(environment)
    if moved := environment.get("ENGRAM_HOME", ""):
        tilde = moved == "~" or moved.startswith(("~/", "~\\"))
        root = Path(os.path.abspath(home / moved[2:] if tilde else moved))
        return UserPaths(
            root / "config.toml", root / "vaults.json", root / "cache", home / "engram", home
        )
    config, state, cache = _folders(home)
    return UserPaths(config / "config.toml", state / "vaults.json", cache, home / "engram", home)


def _folders(home: Path) -> tuple[Path, Path, Path]:
    """The platform's folders for configuration, state and cache."""
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        # as platformdirs says, whose import takes longer than all the rest: a hook has no time
        return (
            _moved("XDG_CONFIG_HOME", home / ".config"),
            _moved("XDG_STATE_HOME", home / ".local" / "state"),
            _moved("XDG_CACHE_HOME", home / ".cache"),
        )
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("engram", appauthor=False)
    return dirs.user_config_path, dirs.user_state_path, dirs.user_cache_path


def _moved(variable: str, usual: Path) -> Path:
    named = os.environ.get(variable, "")
    return (Path(named) if named.strip() else usual) / "engram"


def _home(environment: Mapping[str, str]) -> Path:
    named = environment.get("HOME") or environment.get("USERPROFILE")
    try:
        return Path(named) if named else Path.home()
    except RuntimeError as error:
        hint = "set HOME to the folder where your files are"
        raise ConfigError("you have no home folder on this machine", hint) from error
