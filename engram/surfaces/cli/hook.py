"""`engram hook EVENT`: what an agent calls by itself; and `catch-up`, what came of it.

The console script sends the events of hosts the short way (`surfaces.hooks.process`); here is the
same for whoever comes through the command line. An event that nobody knows is no failure either:
a host must never be stopped by a program that is older than its settings.
"""

from __future__ import annotations

import os

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import chosen, common
from engram.surfaces.cli.output import emit_json, plural, say, talk, wants_json

_CATCH_UP = "catch-up"


@click.command("hook", context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", metavar="EVENT")
@common
def command(event: str) -> None:
    """Answer an agent: EVENT is session-start, prompt, pre-compact or session-end.

    Reads the agent's JSON from standard input and prints what the agent is to know, or nothing.
    Whatever goes wrong, it prints nothing and the exit code is 0. `engram connect` installs it.

    EVENT can also be catch-up: take in the transcripts that agents said had grown.
    """
    from engram.surfaces.hooks.process import FOR_HOSTS, in_this_process

    if event == _CATCH_UP:
        _catch_up()
    elif event in FOR_HOSTS:
        options = ["--vault", chosen().vault] if chosen().vault else []
        if said := in_this_process([event, *options]):
            say(said.removesuffix("\n"), raw=True)
    else:
        talk(f"note: engram knows no hook {event!r}")


def _catch_up() -> None:
    """Import the transcripts that hooks reported; what fails now waits for the next time."""
    from engram.daemon.catch_up import catch_up
    from engram.daemon.spool import hook_failures
    from engram.settings.paths import places_of

    state = places_of(os.environ).state_dir
    done = catch_up(state, os.environ, tell=lambda path, why: talk(f"note: {path}: {why}"))
    failed, log = hook_failures(state)
    if failed:
        talk(f"note: {plural(failed, 'hook')} gave up and said nothing: {log}")
    if wants_json():
        emit_json(shapes.caught_up(done.turns, done.files, len(done.failed), failed))
    else:
        say(f"took in {plural(done.turns, 'new turn')} from {plural(done.files, 'transcript')}")
