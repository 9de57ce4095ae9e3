"""Service managers of the operating systems: the calls that start, restart and stop the daemon.

Turns a verb (`begin`, `begin_again`, `end`) into calls of `systemctl`, `launchctl` or `schtasks`,
which the user can replace by another program (ENGRAM_SYSTEMCTL, ENGRAM_LAUNCHCTL,
ENGRAM_SCHTASKS). Nothing else is started, nothing goes through a shell. Raises NotFound where there
is no such manager, as in a container, and StorageError with its own message when it refuses.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engram.daemon.service.units import (
    LABEL,
    NAME,
    ServiceDefinition,
    launchd_plist,
    systemd_unit,
    windows_task,
)
from engram.daemon.state.instance_lock import FOLDER
from engram.model.errors import ConfigError, NotFound, StorageError
from engram.settings.paths import UserPaths
from engram.settings.user_files import read_small, refuse_symlink

#: time-out of one call, seconds
_PATIENCE = 60.0
#: the folders of a home for which macOS asks the user's permission
_GUARDED = (
    "Desktop", "Documents", "Downloads", "Library/CloudStorage", "Library/Mobile Documents",
)  # fmt: skip
_WITHOUT = "`engram daemon start` runs it without one, until you log out or restart"
_Call = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """One service manager: its program, the file that it reads, and its calls.

    `reach` asks whether it is there at all. A call in `begin` or `end` that starts with "?" may
    fail: it undoes what may not be there.
    """

    name: str
    title: str
    variable: str
    program: str
    file: Path
    render: Callable[[ServiceDefinition], str]
    reach: _Call
    active: _Call
    begin: tuple[_Call, ...]
    begin_again: tuple[_Call, ...]
    end: tuple[_Call, ...]
    after: tuple[_Call, ...] = ()
    encoding: str = "utf-8"
    #: folders that a service may enter only after the user allowed it
    private: tuple[Path, ...] = ()

    def text(self) -> str | None:
        """The text of the installed unit, None for none. Raises ConfigError."""
        if self.encoding == "utf-8":
            return read_small(self.file, follow=False)
        refuse_symlink(self.file)
        try:
            return self.file.read_bytes().decode(self.encoding)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeError) as error:
            raise ConfigError(f"{self.file}: cannot be read: {error}", "move it away") from error

    def guarded(self, folders: Iterable[str]) -> list[str]:
        """Those of some folders for which the system asks the user first."""
        return [one for one in folders if any(map(Path(one).is_relative_to, self.private))]

    def check(self, environment: Mapping[str, str]) -> None:
        """Raise NotFound unless the manager answers."""
        done = _run(self._found(environment), self.reach)
        if done.returncode:
            raise NotFound(f"there is no {self.title} for you here: {_said(done)}", _WITHOUT)

    def runs(self, environment: Mapping[str, str]) -> bool:
        """Whether the manager says that the daemon is running."""
        return _run(self._found(environment), self.active).returncode == 0

    def ask(self, calls: tuple[_Call, ...], environment: Mapping[str, str]) -> None:
        """Make these calls in order. Raises StorageError for the first that fails."""
        program = self._found(environment)
        for call in calls:
            tolerated = call[0] == "?"
            done = _run(program, call[1:] if tolerated else call)
            if done.returncode and not tolerated:
                shown = " ".join((self.program, *call))
                raise StorageError(f"`{shown}` failed: {_said(done)}", _WITHOUT)

    def _found(self, environment: Mapping[str, str]) -> str:
        wanted = environment.get(self.variable) or self.program
        found = shutil.which(wanted, path=environment.get("PATH"))
        if found is None:
            raise NotFound(f"there is no {self.title} here: {wanted} is not found", _WITHOUT)
        return found


def _run(program: str, call: _Call) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [program, *call], stdin=subprocess.DEVNULL, capture_output=True, check=False,
            timeout=_PATIENCE, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
    except OSError as error:
        raise NotFound(f"{program} cannot be started: {error.strerror}", _WITHOUT) from error
    except subprocess.TimeoutExpired as error:
        raise StorageError(f"{program} has not answered for {_PATIENCE:g} s", _WITHOUT) from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of a program's output, or its exit code where it printed nothing."""
    said = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace").splitlines()
    return said[0].strip() if said else f"exit code {done.returncode}"


def manager_name() -> str:
    """The name of the service manager of this operating system."""
    return {"darwin": "launchd", "win32": "windows"}.get(sys.platform, "systemd")


def manager_of(name: str, places: UserPaths, environment: Mapping[str, str]) -> ServiceManager:
    """The service manager of a name: systemd, launchd or windows."""
    return _KNOWN[name](places, environment)


def _systemd(places: UserPaths, environment: Mapping[str, str]) -> ServiceManager:
    named = environment.get("XDG_CONFIG_HOME", "")
    config = Path(named) if os.path.isabs(named) else places.home / ".config"
    unit, user = f"{NAME}.service", "--user"
    return ServiceManager(
        "systemd", "systemd user manager", "ENGRAM_SYSTEMCTL", "systemctl",
        config / "systemd" / "user" / unit, systemd_unit,
        reach=(user, "show", "--property=Version"),
        active=(user, "is-active", "--quiet", unit),
        begin=((user, "daemon-reload"), (user, "enable", unit), (user, "restart", unit)),
        begin_again=((user, "enable", "--now", unit),),
        end=((user, "disable", "--now", unit),),
        after=((user, "daemon-reload"), ("?", user, "reset-failed", unit)),
    )  # fmt: skip


def _launchd(places: UserPaths, environment: Mapping[str, str]) -> ServiceManager:
    file = places.home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    domain = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
    job = f"{domain}/{LABEL}"
    return ServiceManager(
        "launchd", "launchd", "ENGRAM_LAUNCHCTL", "launchctl", file, launchd_plist,
        reach=("print", domain),
        active=("print", job),
        begin=(("?", "bootout", job), ("enable", job), ("bootstrap", domain, str(file))),
        begin_again=(("?", "bootstrap", domain, str(file)), ("kickstart", job)),
        end=(("?", "bootout", job),),
        private=tuple(places.home / name for name in _GUARDED),
    )  # fmt: skip


def _windows(places: UserPaths, environment: Mapping[str, str]) -> ServiceManager:
    file = places.state_dir / FOLDER / "task.xml"
    return ServiceManager(
        "windows", "Task Scheduler", "ENGRAM_SCHTASKS", "schtasks", file, windows_task,
        reach=("/Query", "/FO", "LIST"),
        active=("/Query", "/TN", NAME),
        begin=(("/Create", "/TN", NAME, "/XML", str(file), "/F"), ("/Run", "/TN", NAME)),
        begin_again=(("/Run", "/TN", NAME),),
        end=(("?", "/End", "/TN", NAME), ("/Delete", "/TN", NAME, "/F")),
        encoding="utf-16",
    )  # fmt: skip


_KNOWN = {"systemd": _systemd, "launchd": _launchd, "windows": _windows}
