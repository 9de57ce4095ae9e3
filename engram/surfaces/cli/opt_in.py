"""Opt-in per source: no transcripts are watched before the user has chosen their source.

Asked once, on a terminal, with what lies on this machine; the answer is a setting. Elsewhere it is
said how to choose, and only vaults and inboxes are watched.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable

from engram.settings.paths import UserPaths
from engram.surfaces.cli.output import plural, talk

KEY = "daemon.sources"


def ask_once(places: UserPaths) -> None:
    """Ask which sources to watch, once, and on a terminal only."""
    from engram.settings.load import load

    origin = load(None, os.environ, home=places).origins[KEY]
    if origin.layer != "shipped":
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        talk("note: no transcripts are watched; `engram sources --watch NAME` chooses whose")
        return
    from engram.surfaces.cli.asking import agreed

    found = list(_here())
    if not found:
        return
    for name, files in found:
        talk(f"  {name:<14}{plural(files, 'file')}")
    wanted = agreed("watch the transcripts of these from now on?")
    choose(places, [name for name, _ in found] if wanted else [])
    if not wanted:
        talk("note: none is watched; `engram sources --watch NAME` chooses single ones")


def choose(places: UserPaths, names: Iterable[str]) -> None:
    """Write the chosen sources down, and tell a daemon that runs. Raises as settings do."""
    from engram.daemon.state.instance_lock import InstanceLock
    from engram.settings.toml_edit import set_user_key

    set_user_key(places, KEY, ",".join(names))
    holder = InstanceLock(places.state_dir).holder()
    if holder and hasattr(signal, "SIGHUP"):
        os.kill(holder, signal.SIGHUP)


def _here() -> Iterable[tuple[str, int]]:
    """The sources that have files on this machine, with how many."""
    from engram.vault.local_sources import LocalSources

    local = LocalSources(os.environ)
    for name in local.names:
        found = local.stock(name)
        if found.files:
            yield name, found.files
