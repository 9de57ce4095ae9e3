"""Install the daemon as a service of the operating system, and uninstall it completely.

`service_of` turns places and environment into the content of the unit; `install` and `uninstall`
write and remove its file and call the service manager. Guarantees: doing either twice changes
nothing; a unit that was edited, was not written by engram or serves another ENGRAM_HOME is not
touched unless forced (Conflict); after `uninstall` only the user's own files are left: vaults,
configuration, registry, spend, cache, and drop-ins of the unit.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engram.daemon.inspect import session_folder
from engram.daemon.service.systems import ServiceManager
from engram.daemon.service.units import ServiceDefinition, home_of, seal_of
from engram.daemon.state.instance_lock import FOLDER, InstanceLock
from engram.model.errors import Conflict, EngramError, Locked, NotFound, StorageError
from engram.settings.load import load
from engram.settings.paths import UserPaths
from engram.settings.registry import Registry
from engram.settings.user_files import refuse_symlink, replace
from engram.settings.vault_folders import is_shared, not_own, own_vault

#: variables that decide where files lie, ours and those of the agents; none of them holds a secret
_CARRIED = (
    "AIDER_CHAT_HISTORY_FILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME",
    "ENGRAM_LLM_KEY_VARIABLE", "FACTORY_HOME_OVERRIDE", "GEMINI_CLI_HOME", "MEMORY_FILE_PATH",
    "OPENCLAW_STATE_DIR", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
)  # fmt: skip
#: how long a daemon may take to end, and how often to check whether it did, seconds
_PATIENCE, _LOOK = 10.0, 0.05
_FORCE = "look at it first; `--force` goes on nevertheless"


@dataclass(frozen=True, slots=True)
class Unit:
    """File of a unit as it is and as it will be; `before` None: there is none."""

    path: Path
    before: str | None
    after: str

    @property
    def differs(self) -> bool:
        """Whether the file has to be written."""
        return self.before != self.after


def service_of(
    program: tuple[str, ...], vault: str, places: UserPaths, environment: Mapping[str, str]
) -> ServiceDefinition:
    """The definition of the service: captured turns go to the vault that is selected now.

    Raises NotFound unless that vault is registered, and BadInput for one that is shared.
    """
    registered = [str(one.path) for one in Registry(places).entries()]
    settings = load(None, environment).settings
    target = os.path.realpath(own_vault(vault, environment))
    if target not in registered:
        raise NotFound(
            f"{target} is no vault that is registered here",
            "`engram init PATH` makes one; name it: `engram daemon install --vault PATH`",
        )
    if is_shared(Path(target), environment):
        raise not_own(Path(target))
    # not the one that the daemon would select by itself
    named = () if target == os.path.realpath(settings.vault) else ("--vault", target)
    state = str(places.state_dir)
    folders = [*registered, state, str(places.cache_dir), str(places.config_file.parent)]
    user, domain = environment.get("USERNAME", ""), environment.get("USERDOMAIN", "")
    return ServiceDefinition(
        program=program[0],
        arguments=(*program[1:], *named, "daemon", "run"),
        state=state,
        writes=_outermost(folders),
        log=str(places.state_dir / FOLDER / "stderr.log"),
        environment=_carried(places, environment),
        key_variable=settings.llm.key_variable,
        user=f"{domain}\\{user}" if domain and user else user,
        in_session=_in_session(places, environment),
    )


def _in_session(places: UserPaths, environment: Mapping[str, str]) -> bool:
    """Whether the control socket lies in a session folder, though that may not exist just now."""
    return bool(session_folder(places, {"XDG_RUNTIME_DIR": os.sep, **environment}))


def _carried(places: UserPaths, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables to write into the unit, as a service manager does not know them."""
    pairs = [(name, environment[name]) for name in _CARRIED if environment.get(name)]
    if environment.get("ENGRAM_HOME"):
        pairs.append(("ENGRAM_HOME", str(places.config_file.parent)))
    return tuple(sorted(pairs))


def _outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Folders in their order, without those that lie inside another one."""
    unique = list(dict.fromkeys(folders))
    return tuple(
        one for one in unique
        if not any(one != other and one.startswith(f"{other}{os.sep}") for other in unique)
    )  # fmt: skip


# -- install ---------------------------------------------------------------------------------------


def planned(manager: ServiceManager, service: ServiceDefinition, *, force: bool = False) -> Unit:
    """The unit that `install` would write. Raises Conflict for one that is not ours to replace."""
    before = manager.text()
    if before is not None and not force:
        _refuse_foreign(manager.file, before, home_of(service))
    return Unit(manager.file, before, manager.render(service))


def install(
    manager: ServiceManager, unit: Unit, service: ServiceDefinition, environment: Mapping[str, str]
) -> None:
    """Write the unit, start the service now and at each login. Raises Locked."""
    manager.check(environment)
    if (pid := InstanceLock(Path(service.state)).holder()) and not manager.runs(environment):
        raise Locked(
            f"a daemon that was started by hand is running (process {pid})",
            "`engram daemon stop` ends it; then install again",
        )
    # for a running service a folder that is made later stays read-only
    for folder in (*service.writes, os.path.dirname(service.log)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    if unit.differs:
        refuse_symlink(unit.path)
        replace(unit.path, unit.after.encode(manager.encoding))
    manager.ask(manager.begin if unit.differs else manager.begin_again, environment)


def _refuse_foreign(path: Path, text: str, home: str) -> None:
    seal = seal_of(text)
    if seal is None:
        raise Conflict(f"{path} was not written by engram", _FORCE)
    if seal.home != home:
        raise Conflict(f"{path} serves another ENGRAM_HOME", _FORCE)
    if not seal.intact:
        raise Conflict(f"{path} was changed by hand", _FORCE)


# -- uninstall -------------------------------------------------------------------------------------


def installed_files(
    manager: ServiceManager, places: UserPaths, environment: Mapping[str, str]
) -> list[Path]:
    """The existing files and folders that the daemon made on this machine."""
    folders = [places.state_dir / FOLDER, *session_folder(places, environment)]
    # the link of `systemctl enable`, in case systemctl is not there to remove it
    enabled = manager.file.parent / "default.target.wants" / manager.file.name
    return [path for path in (manager.file, enabled, *folders) if os.path.lexists(path)]


def checked(manager: ServiceManager, places: UserPaths, *, force: bool = False) -> None:
    """Raise Conflict when the unit is not ours to remove."""
    text = manager.text()
    if text is not None and not force:
        _refuse_foreign(manager.file, text, home_of(_of_home(places)))


def _of_home(places: UserPaths) -> ServiceDefinition:
    return ServiceDefinition("", (), str(places.state_dir), (), "")


def uninstall(
    manager: ServiceManager, places: UserPaths, environment: Mapping[str, str]
) -> tuple[list[Path], str]:
    """Stop and remove all of it; returns what was removed, and why the manager was not called."""
    found = installed_files(manager, places, environment)
    trouble = ""
    if manager.file in found:
        try:
            manager.check(environment)
            manager.ask(manager.end, environment)
        except EngramError as error:
            trouble = str(error)
    _end(InstanceLock(places.state_dir))
    for path in found:
        _remove(path)
    # folders that were made and stayed empty
    empty = (places.state_dir / "hooks", places.cache_dir, places.config_file.parent)
    for folder in (*empty, *_own_folders(manager.file)):
        with suppress(OSError):
            folder.rmdir()
    if manager.file in found and not trouble:
        manager.ask(manager.after, environment)
    return found, trouble


def _end(instance_lock: InstanceLock) -> None:
    """End a daemon that no service manager ended. Raises Locked for one that does not stop."""
    give_up = time.monotonic() + _PATIENCE
    asked = 0
    while pid := instance_lock.holder():
        if pid != asked:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            asked = pid
        if time.monotonic() > give_up:
            raise Locked(f"the daemon (process {pid}) does not end", "end it by hand, try again")
        time.sleep(_LOOK)


def _own_folders(unit: Path) -> list[Path]:
    """The folders of systemd's user units, innermost first: removed when empty."""
    if unit.parent.parts[-2:] != ("systemd", "user"):
        return []
    return [unit.parent / "default.target.wants", unit.parent, unit.parent.parent]


def _remove(path: Path) -> None:
    """Remove a file, or a folder with its content; a symlink is removed, not followed."""
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError(f"{path}: cannot be removed: {error.strerror}") from error
