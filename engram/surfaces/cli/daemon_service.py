"""`engram daemon install` and `uninstall`: the daemon as a service of the system, and no more."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import chosen, common
from engram.surfaces.cli.output import emit_json, say, talk, wants_json

if TYPE_CHECKING:
    from pathlib import Path

    from engram.daemon.service.install import Unit
    from engram.daemon.service.systems import ServiceManager
    from engram.daemon.service.units import ServiceDefinition

_MANAGER = click.option(
    "--for", "manager", metavar="MANAGER", type=click.Choice(["systemd", "launchd", "windows"]),
    help="The service manager: systemd, launchd or windows; that of this system if not given.",
)  # fmt: skip
_FORCE = click.option("--force", is_flag=True, help="Also a unit that was changed by hand.")


@click.command("install")
@click.option("--dry-run", is_flag=True, help="Print the unit and where it goes, change nothing.")
@click.option(
    "--command", "program", metavar="PATH", default="",
    help="The engram that the service runs; this one if not given.",
)  # fmt: skip
@_MANAGER
@_FORCE
@common
def install(dry_run: bool, program: str, manager: str | None, force: bool) -> None:
    """Let the system keep the daemon running, from each login on.

    Writes one unit and has the service manager start it: systemd on Linux, launchd on macOS, the
    Task Scheduler on Windows. Only systemd was ever tried. What is captured goes to the vault that
    every command here would use, or to that of --vault. Run it again after a new vault was made.
    """
    from engram.daemon.service import install
    from engram.daemon.service.program import program_command
    from engram.settings.paths import places_of
    from engram.surfaces.cli.opt_in import ask_once

    one = _manager(manager)
    places = places_of(os.environ)
    words = program_command(program, windowless=one.name == "windows")
    service = install.service_of(words, chosen().vault, places, os.environ)
    unit = install.planned(one, service, force=force)
    if not dry_run:
        install.install(one, unit, service, os.environ)
        ask_once(places)
    if wants_json():
        emit_json(shapes.service_unit(one.name, unit, dry_run))
    elif dry_run:
        talk(f"would write {unit.path}:" if unit.differs else f"is written already: {unit.path}")
        say(unit.after.removesuffix("\n"))
    else:
        _tell_installed(one, unit, service)


def _tell_installed(one: ServiceManager, unit: Unit, service: ServiceDefinition) -> None:
    variable = service.key_variable
    done = "installed and started" if unit.differs else "is installed already, and runs"
    say(f"{done}: {unit.path}")
    if one.name == "systemd":
        talk("note: it runs while you are logged in; `loginctl enable-linger` lets it run always")
        if _drop_in(one).exists():
            return
        talk(f"note: it has no key of a model; give it a file of yours with {variable}=... in it:")
        talk("note: `systemctl --user edit engram`, [Service], EnvironmentFile=/a/file/of/yours")
        return
    talk(f"note: nobody has tried engram with {one.title} yet: see whether `engram status` is well")
    for path in one.guarded(service.writes):
        talk(f"note: macOS asks whether engram may use {path}: it has to be allowed")
    give = f"launchctl setenv {variable} ..." if one.name == "launchd" else f"setx {variable} ..."
    talk(f"note: it has no key of a model; this gives it one: {give}")


@click.command("uninstall")
@click.option("--dry-run", is_flag=True, help="Print what would be removed, remove nothing.")
@_MANAGER
@_FORCE
@common
def uninstall(dry_run: bool, manager: str | None, force: bool) -> None:
    """Stop the daemon and remove all that it left: unit, logs, status, lock and socket.

    Your vaults, your configuration, the list of vaults and what was spent stay.
    """
    from engram.daemon.service import install
    from engram.settings.paths import places_of

    one = _manager(manager)
    places = places_of(os.environ)
    install.checked(one, places, force=force)
    trouble = ""
    if dry_run:
        found = install.installed_files(one, places, os.environ)
    else:
        found, trouble = install.uninstall(one, places, os.environ)
    if wants_json():
        emit_json(shapes.service_removed(found, dry_run))
    elif not found:
        say("there is nothing of the daemon here")
    else:
        for path in found:
            say(f"{'would remove' if dry_run else 'removed'} {path}")
    if trouble:
        talk(f"note: the service manager was not asked: {trouble}")
    if _drop_in(one).exists():
        talk(f"note: {_drop_in(one)} is yours and stays")


def _drop_in(one: ServiceManager) -> Path:
    """Where systemd looks for what the person lays over the unit."""
    return one.file.with_name(f"{one.file.name}.d")


def _manager(name: str | None) -> ServiceManager:
    from engram.daemon.service.systems import manager_name, manager_of
    from engram.settings.paths import places_of

    return manager_of(name or manager_name(), places_of(os.environ), os.environ)
