"""`engram sources`: the kinds of transcripts that can be imported, and where they would be."""

from __future__ import annotations

import os
from pathlib import Path

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, say, wants_json


@click.command("sources")
@common
def command() -> None:
    """List the sources with the places where their transcripts lie on this machine."""
    from engram.capture.sources import SOURCES, source
    from engram.settings.places import places_of

    home = places_of(os.environ).home
    found = {name: source(name).discover(home, os.environ) for name in SOURCES}
    if wants_json():
        emit_json([
            {"source": name, "places": [_place(path) for path in places]}
            for name, places in found.items()
        ])  # fmt: skip
        return
    width = max(map(len, found)) + 2
    for name, places in found.items():
        if not places:
            say(f"{name:<{width}}any file or folder that you name")
        for number, place in enumerate(places):
            absent = "" if os.path.exists(place) else "  (not here)"
            say(f"{'' if number else name:<{width}}{place}{absent}")


def _place(path: Path) -> dict[str, object]:
    return {"path": str(path), "exists": os.path.exists(path)}
