"""`engram sources`: the kinds of transcripts that can be imported, and what is on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, plural, say, wants_json
from engram.surfaces.cli.terminal import progress

if TYPE_CHECKING:
    from pathlib import Path

    from engram.survey import Stock

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@click.command("sources")
@common
def command() -> None:
    """List the sources with what lies on this machine: how much, from when to when.

    Nothing is read: the dates are those of the files. The last date of a line is the day on which
    the format was compared with real files.
    """
    from engram.capture.sources import SOURCES, source
    from engram.settings.places import places_of
    from engram.survey import stock

    home = places_of(os.environ).home
    found: list[tuple[Stock, list[Path]]] = []
    with progress(("looking around", len(SOURCES))) as tell:
        for name in SOURCES:
            kind = source(name)
            places = kind.discover(home, os.environ)
            found.append((stock(kind, places), places))
            tell[0](1)
    if wants_json():
        emit_json([_row(one, places) for one, places in found])
    else:
        _say(found)


def _say(found: list[tuple[Stock, list[Path]]]) -> None:
    here = [(one, places) for one, places in found if one.files]
    width = max((len(one.source) for one, _ in here), default=0) + 2
    for one, places in here:
        say(f"{one.source:<{width}}{_summary(one)}")
        for place in places:
            if os.path.exists(place):
                say(f"{'':<{width}}{place}")
    absent = [one.source for one, _ in found if not one.files]
    if absent:
        say(f"nothing here of: {', '.join(absent)}")
    say("any file or folder can be named: engram import SOURCE PATH")


def _summary(one: Stock) -> str:
    days = one.first if one.first == one.last else f"{one.first} to {one.last}"
    files = plural(one.files, "file") if one.complete else f"more than {one.files:,} files"
    checked = f"; format of {one.verified}" if one.verified else ""
    return f"{files}, {_size(one.bytes)}, {days}{checked}"


def _size(count: float) -> str:
    """`17 bytes`, `3.4 MB`."""
    unit = 0
    while count >= 999.5 and unit < len(_UNITS) - 1:
        count /= 1000
        unit += 1
    return (
        f"{count:.1f} {_UNITS[unit]}" if unit and count < 99.95 else f"{count:.0f} {_UNITS[unit]}"
    )


def _row(one: Stock, places: list[Path]) -> dict[str, object]:
    return {
        "source": one.source,
        "files": one.files,
        "bytes": one.bytes,
        "first": one.first,
        "last": one.last,
        "complete": one.complete,
        "verified": one.verified,
        "places": [{"path": str(path), "exists": os.path.exists(path)} for path in places],
    }
