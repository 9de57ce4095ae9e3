"""`engram daemon run|start|stop|status|pause|resume|logs`, and `install`, `uninstall` beside them.

`run` is the daemon, in the foreground; `start` runs the same detached from the terminal, or has the
service manager run it where a unit is installed. All others only read and write small files in the
person's state folder, or send a signal: they work whether it runs or not.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.model.errors import EngramError, Locked, NotFound, StorageError, Untrusted
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import Verbs, chosen, common
from engram.surfaces.cli.daemon_service import install, uninstall
from engram.surfaces.cli.output import emit_json, line, plural, say, talk, wants_json

if TYPE_CHECKING:
    from engram.daemon.state.heartbeat import Heartbeat
    from engram.daemon.state.pause import Paused
    from engram.settings.paths import UserPaths

#: how long a daemon that was started or stopped is waited for, seconds
_PATIENCE = 15.0
_LOOK = 0.05
#: how often a log is looked at that is followed, seconds
_FOLLOW = 0.5


@click.group("daemon", cls=Verbs, no_args_is_help=False)
@common
def command() -> None:
    """Capture in the background: transcripts, hand edits and inboxes, as they are written."""


command.add_command(install)
command.add_command(uninstall)


@command.command("run")
@common
def run() -> None:
    """Be the daemon, in the foreground, until Ctrl-C or SIGTERM.

    What it captures goes to the vault that --vault and the like name; hand edits and inboxes are
    taken up in every vault that is registered here. SIGHUP reads the settings anew.
    """
    from engram.daemon.rpc.server import ControlServer
    from engram.daemon.run import Daemon
    from engram.surfaces.cli.opt_in import ask_once
    from engram.surfaces.remote.handler import RemoteCommands

    places, target = _places(), _target()
    ask_once(places)
    Daemon(target, places, os.environ, talk, ControlServer(RemoteCommands(), os.environ)).run()


@command.command("start")
@common
def start() -> None:
    """Start it: by the service manager where `engram daemon install` was run, else detached."""
    from engram.daemon.service.detached import detach
    from engram.daemon.service.systems import manager_name, manager_of
    from engram.daemon.state.instance_lock import InstanceLock
    from engram.surfaces.cli.opt_in import ask_once

    places, target = _places(), _target()
    instance_lock = InstanceLock(places.state_dir)
    if holder := instance_lock.holder():
        raise Locked(
            f"the daemon is running already (process {holder})", "`engram daemon status` shows it"
        )
    ask_once(places)
    one = manager_of(manager_name(), places, os.environ)
    by = ""
    if one.file.exists():
        one.check(os.environ)
        one.ask(one.begin_again, os.environ)
        by = one.title
    else:
        detach(["--vault", str(target), "daemon", "run"], places, os.environ)
    _wait(lambda: _is_up(instance_lock.holder(), places), "the daemon did not start")
    if wants_json():
        emit_json(shapes.daemon_started(instance_lock.holder(), by))
        return
    say(f"started (process {instance_lock.holder()}){f' by the {by}' if by else ''}")
    if not by:
        talk("note: it runs until you log out or stop it; `engram daemon install` keeps it running")


@command.command("stop")
@common
def stop() -> None:
    """End it, with everything durable, and wait until it is gone."""
    from engram.daemon.state.instance_lock import InstanceLock

    instance_lock = InstanceLock(_places().state_dir)
    holder = instance_lock.holder()
    if holder:
        os.kill(holder, signal.SIGTERM)
        _wait(lambda: not instance_lock.holder(), f"process {holder} does not end")
    if wants_json():
        emit_json(shapes.daemon_stopped(holder))
    else:
        say(f"stopped (process {holder})" if holder else "it was not running")


@command.command("status")
@common
def status() -> None:
    """What it is doing: the last event, what waits, what was spent today, what went wrong."""
    from engram.daemon.state.heartbeat import Heartbeat, read_heartbeat
    from engram.daemon.state.instance_lock import InstanceLock
    from engram.daemon.state.pause import read

    state = _places().state_dir
    holder, heartbeat = InstanceLock(state).holder(), read_heartbeat(state) or Heartbeat()
    running = bool(holder)
    if running and heartbeat.pid != holder:
        heartbeat = Heartbeat(pid=holder)  # the last one is of a daemon that ended
    if wants_json():
        emit_json(shapes.daemon_status(running, heartbeat, _names(read(state))))
        return
    if heartbeat.since and running:
        line(f"daemon     running since {heartbeat.since} (process {holder})")
    elif running:
        line(f"daemon     starting (process {holder})")
    else:
        line("daemon     not running; `engram daemon start` starts it")
    if paused := _names(read(state)):
        line(f"paused     {', '.join(paused)}; `engram daemon resume` goes on")
    if running:
        _say_pulse(heartbeat)
    elif heartbeat.last_event:
        line(f"last event {heartbeat.last_event}")


def _say_pulse(heartbeat: Heartbeat) -> None:
    line(f"last event {heartbeat.last_event or 'none yet'}")
    line(
        f"queue      {plural(heartbeat.queue, 'path')},"
        f" {plural(heartbeat.pending_turns, 'pending turn')}"
    )
    line(f"spent      ${heartbeat.spent_usd:.4f} and {heartbeat.spent_tokens:,} tokens today (UTC)")
    line(f"sources    {', '.join(heartbeat.sources) or 'none; `engram sources --watch NAME`'}")
    for name, since in sorted(heartbeat.unread.items()):
        line(f"           {name}: unread since {since}")
    for vault in heartbeat.vaults:
        line(f"vault      {vault}")
    for vault, code in sorted(heartbeat.away.items()):
        line(f"away       {vault} ({code})")
    for folder in heartbeat.deaf:
        line(f"polled     {folder}")
    for task, code in sorted(heartbeat.failing.items()):
        line(f"failing    {task} ({code}); it is tried again")
    for at, task, code in heartbeat.errors[-3:]:
        line(f"error      {at} {task} ({code})")
    if heartbeat.on_battery:
        line("battery    what can wait waits longer")


@command.command("pause")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@common
def pause(sources: tuple[str, ...]) -> None:
    """Read nothing more of these sources, or do nothing at all; also after a restart.

    What is written meanwhile is read once it goes on. `inbox` is a source too.
    """
    from engram.daemon.state.pause import pause as put

    _check(sources)
    _tell(put(_places().state_dir, sources))


@command.command("resume")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@common
def resume(sources: tuple[str, ...]) -> None:
    """Go on with these sources, or with everything."""
    from engram.daemon.state.pause import read
    from engram.daemon.state.pause import resume as put

    _check(sources)
    before = _names(read(_places().state_dir))
    paused = put(_places().state_dir, sources)
    if wants_json() or _names(paused) or not before:
        _tell(paused)
    else:
        say(f"reads again: {', '.join(before)}")


def _check(names: tuple[str, ...]) -> None:
    from engram.vault.local_sources import LocalSources

    for name in names:
        if name != "inbox":
            LocalSources(os.environ).places(name)  # there has to be one


def _tell(paused: Paused) -> None:
    names = _names(paused)
    if wants_json():
        emit_json(shapes.paused_sources(names))
    else:
        say(f"paused: {', '.join(names)}" if names else "nothing is paused")


def _names(paused: Paused) -> list[str]:
    return [*(["everything"] if paused.everything else []), *sorted(paused.sources)]


@command.command("logs")
@click.option("--follow", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(0, 1_000_000),
              metavar="N", help="The most lines.")  # fmt: skip
@common
def logs(follow: bool, limit: int) -> None:
    """What it did, newest last: events, counts and codes, never a word of a conversation."""
    from engram.daemon.run import log_file
    from engram.daemon.state.event_log import plain, read_log

    path = log_file(_places().state_dir)
    size = _size(path)
    rows = list(read_log(path))
    rows = rows[len(rows) - min(limit, len(rows)) :]
    if wants_json() and not follow:
        emit_json(rows)
        return
    for row in rows:
        say(plain(row))
    if follow:
        _follow(path, size)
    elif not rows:
        talk("it has not run yet")


def _follow(path: Path, size: int) -> None:
    import sys

    from engram.daemon.state.event_log import plain, rows_of

    rest = b""
    while True:
        sys.stdout.flush()
        time.sleep(_FOLLOW)
        now = _size(path)
        if now == size:
            continue
        size = 0 if now < size else size  # it was rotated
        with open(path, "rb") as stream:
            stream.seek(size)
            data = rest + stream.read()
            size = stream.tell()
        whole, _, rest = data.rpartition(b"\n")
        for row in rows_of(whole.splitlines()):
            say(plain(row))


def _is_up(holder: int, places: UserPaths) -> bool:
    """Whether the process that holds the lock has said that it works."""
    from engram.daemon.state.heartbeat import read_heartbeat

    heartbeat = read_heartbeat(places.state_dir)
    return holder > 0 and heartbeat is not None and heartbeat.pid == holder


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _wait(condition: Callable[[], bool], message: str) -> None:
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise StorageError(message, "`engram daemon logs` says what it did last")
        time.sleep(_LOOK)


def _places() -> UserPaths:
    from engram.settings.paths import places_of

    return places_of(os.environ)


def _target() -> Path:
    """The registered vault that captured turns go to; it may be away at present."""
    from engram.settings.registry import Registry
    from engram.settings.vault_folders import is_shared, not_own, own_vault, real_root

    named = own_vault(chosen().vault, os.environ)
    registered = {entry.path for entry in Registry(_places()).entries()}
    try:
        root = real_root(named)
    except EngramError:
        root = Path(os.path.realpath(named.expanduser()))
        if root not in registered:
            raise
    if root not in registered:
        if not (root / "engram.toml").is_file():
            raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
        raise Untrusted(f"{root} is not registered on this machine", f"`engram trust {root}`")
    if is_shared(root, os.environ):
        raise not_own(root)
    return root
