"""Facts about the installed and running daemon of this user, collected as plain values.

Turns paths, settings and the text of an installed unit into a `DaemonSnapshot`; judges nothing
(that is `health.daemon_health`), writes nothing and asks no service manager.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from engram import __version__
from engram.capture.sources import SOURCES, source
from engram.daemon.catch_up import last_catch_up
from engram.daemon.rpc import messages
from engram.daemon.service.units import writes_of
from engram.daemon.spool import hook_failures
from engram.daemon.state import pause
from engram.daemon.state.heartbeat import read_heartbeat
from engram.daemon.state.instance_lock import FOLDER, InstanceLock
from engram.health.daemon_health import DaemonSnapshot, attended
from engram.model.findings import Finding
from engram.settings.load import load
from engram.settings.paths import UserPaths
from engram.settings.registry import Registry

_GROUP_AND_OTHERS = 0o077


def findings(
    places: UserPaths, environment: Mapping[str, str], unit: Path, text: str | None
) -> list[Finding]:
    """What is to be said of what is there; `text` is that of the unit, None for none."""
    return list(attended(look(places, environment, unit, text)))


def look(
    places: UserPaths, environment: Mapping[str, str], unit: Path, text: str | None
) -> DaemonSnapshot:
    """The snapshot; `text` is that of the installed unit, None where none is installed."""
    state = places.state_dir
    pid = InstanceLock(state).holder()
    heartbeat = read_heartbeat(state)
    paused = pause.read(state)
    caught = last_catch_up(state)
    failed, log = hook_failures(state)
    return DaemonSnapshot(
        unit=str(unit) if text is not None else "",
        unwritable=_unwritable(places, text),
        pid=pid,
        version=heartbeat.version if heartbeat is not None and heartbeat.pid == pid else "",
        ours=__version__,
        paused=["everything"] if paused.everything else sorted(paused.sources),
        absent=_absent(load(None, environment).settings.daemon.sources, places, environment),
        exposed=_exposed([state / FOLDER, *session_folder(places, environment)]),
        left=caught.failed if caught is not None else {},
        failed_hooks=failed,
        hooks_log=str(log),
    )


def session_folder(places: UserPaths, environment: Mapping[str, str]) -> list[Path]:
    """The folder of the control socket, where that is a folder of the login session; else none."""
    folder = os.path.normpath(os.path.dirname(messages.place(environment)))
    own = places.state_dir / FOLDER
    return [Path(folder)] if os.path.isabs(folder) and Path(folder) != own else []


def _unwritable(places: UserPaths, text: str | None) -> list[str]:
    """The vaults that a unit's write list leaves out; a unit without a list leaves out none."""
    allowed = writes_of(text or "")
    if not allowed:
        return []
    return [
        str(one.path)
        for one in Registry(places).entries()
        if not any(one.path.is_relative_to(folder) for folder in allowed)
    ]


def _absent(
    names: Iterable[str], places: UserPaths, environment: Mapping[str, str]
) -> dict[str, str]:
    """Where each missing source would lie; "" for one without a fixed place."""
    found = {}
    for name in names:
        known = source(name).discover(places.home, environment) if name in SOURCES else []
        if not any(map(os.path.exists, known)):
            found[name] = str(known[0]) if known else ""
    return found


def _exposed(folders: Iterable[Path]) -> list[str]:
    if os.name == "nt":
        return []
    return [
        str(path) for path in folders if path.is_dir() and path.stat().st_mode & _GROUP_AND_OTHERS
    ]
