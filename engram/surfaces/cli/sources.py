"""`engram sources`: the kinds of transcripts that can be imported, and where they would be."""

from __future__ import annotations

import os
from pathlib import Path

import click

from engram.surfaces.cli.output import common, emit_json, say, wants_json


@click.command("sources")
@common
def command(vault_path: str | None, as_json: bool) -> None:
    """List the sources with the places where their transcripts lie on this machine."""
    from engram.capture.sources import SOURCES, source

    found = {name: source(name).discover(Path.home(), os.environ) for name in SOURCES}
    if wants_json(as_json):
        emit_json([
            {"source": name, "places": [{"path": str(at), "exists": at.exists()} for at in places]}
            for name, places in found.items()
        ])  # fmt: skip
        return
    for name, places in found.items():
        say(f"{name:<14}{'' if places else 'any file or folder that you name'}".rstrip())
        for place in places:
            say(f"{'':<14}{place}{'' if place.exists() else '  (not here)'}")
