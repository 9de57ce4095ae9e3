"""Files shipped with the program: the tables and pages of `config/`, and the template.

In a wheel they lie in `engram/_shipped`, in a checkout beside the package. A table is parsed once
a process; callers share it and do not change it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from engram.model.errors import ConfigError
from engram.model.text import sha256_bytes, sha256_text

_NAME = re.compile(r"(?:[a-z]{1,20}/)?[a-z][a-z0-9-]{0,40}")
_REINSTALL = "the installation is not complete: install engram again"


def shipped(name: str) -> dict[str, Any]:
    """The table `config/<name>.toml`. Raises ConfigError when it is missing or broken."""
    return _table(shipped_path(name))


def shipped_path(name: str) -> Path:
    """The path of `config/<name>.toml`. Raises ConfigError when there is none."""
    path = _root() / "config" / f"{name}.toml"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise ConfigError(f"{path}: is not there", _REINSTALL)
    return path


def shipped_page(name: str) -> str:
    """The text of `config/<name>.md`, such as `claude-code/SKILL`. Raises ConfigError."""
    path = _root() / "config" / f"{name}.md"
    try:
        return path.read_text(encoding="utf-8")
    except (ValueError, OSError) as error:
        raise ConfigError(f"{path}: is not there", _REINSTALL) from error


def fingerprint(name: str, more: Iterable[str] = ()) -> str:
    """A text that is another one when `config/<name>.toml`, or one of these, is another one."""
    table = sha256_bytes(shipped_path(name).read_bytes())
    return sha256_text("\n".join((table, *more)))[:16]


def vault_template() -> Path:
    """The folder that `engram init` copies. Raises ConfigError when there is none."""
    return _folder("vault-template")


def shared_template() -> Path:
    """The folder that `engram init --shared` copies. Raises ConfigError when there is none."""
    return _folder("config/shared-vault")


def _folder(name: str) -> Path:
    path = _root() / name
    if not path.is_dir():
        raise ConfigError(f"{path}: is not there", _REINSTALL)
    return path


@cache
def _table(path: Path) -> dict[str, Any]:
    try:
        # our own file: the limits for foreign files do not apply
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise ConfigError(f"{path}: is not valid TOML: {error}", _REINSTALL) from error


@cache
def _root() -> Path:
    package = Path(__file__).resolve().parent.parent
    installed = package / "_shipped"
    return installed if installed.is_dir() else package.parent
