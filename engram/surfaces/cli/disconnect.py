"""`engram disconnect AGENT`: take our hooks out of an agent's settings, and our skill away."""

from __future__ import annotations

import os

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.connect import diff, tell_left
from engram.surfaces.cli.output import emit_json, say, talk, wants_json
from engram.surfaces.hooks.agent_settings import BACKUP, disconnect
from engram.surfaces.hooks.agents import AGENTS
from engram.surfaces.hooks.skill import take_out


@click.command("disconnect")
@click.argument("agent", type=click.Choice(list(AGENTS)), metavar="AGENT")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@common
def command(agent: str, dry_run: bool) -> None:
    """Take the hooks of `engram connect` out of the settings of AGENT.

    The file is byte for byte what it was before, and gone when there was none. Where it was changed
    since, only our hooks go and the rest stays. The skill and the commands go too, but for those
    that you changed.
    """
    from engram.settings.paths import places_of

    one = AGENTS[agent]
    path = one.settings_file(os.environ, places_of(os.environ).home)
    changed = disconnect(path, one, dry_run=dry_run)
    skill = take_out(path.parent, one, dry_run=dry_run)
    shown = "".join([diff(changed), *map(diff, skill)])
    if wants_json():
        shape = shapes.agent_settings(
            one.name, changed, skill, dry_run, shown, as_before=changed.exact
        )
        emit_json(shape)
        return
    if not shown:
        say(f"{one.title} is not connected")
    elif dry_run:
        say(shown.removesuffix("\n"))
    else:
        say(f"disconnected {one.title}: {path}")
        if not changed.exact:
            talk("note: the file was changed since; only our hooks were taken out")
            if os.path.exists(f"{path}{BACKUP}"):
                talk(f"note: what it was before is in {path}{BACKUP}")
    tell_left(skill)
