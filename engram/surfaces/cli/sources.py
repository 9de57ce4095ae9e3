"""`engram sources`: the kinds of transcripts that can be imported, and what is on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.output import emit_json, line, plural, say, wants_json
from engram.surfaces.cli.terminal import progress

if TYPE_CHECKING:
    from pathlib import Path

    from engram.model.intake import SourceStock
    from engram.settings.paths import UserPaths

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


_WATCH, _UNWATCH = (
    click.option(f"--{option}", multiple=True, metavar="NAME", help=help_text)
    for option, help_text in (
        ("watch", "Let the daemon watch this source; can be repeated."),
        ("unwatch", "Let the daemon watch this source no longer."),
    )
)


@click.command("sources")
@_WATCH
@_UNWATCH
@common
def command(watch: tuple[str, ...], unwatch: tuple[str, ...]) -> None:
    """List the sources with what lies on this machine: how much, from when to when.

    Nothing is read: the dates are those of the files. The last date of a line is the day on which
    the format was compared with real files.

    With --watch or --unwatch, choose whose transcripts the daemon captures as they are written.
    """
    from engram.settings.paths import places_of
    from engram.vault.local_sources import LocalSources

    places = places_of(os.environ)
    watched = _watched(places)
    if watch or unwatch:
        _choose(places, watched, watch, unwatch)
        return
    local, found = LocalSources(os.environ), list[tuple["SourceStock", list["Path"]]]()
    with progress(("looking around", len(local.names))) as tell:
        for name in local.names:
            found.append((local.stock(name), local.places(name)))
            tell[0](1)
    if wants_json():
        emit_json([
            shapes.source_stock(
                one, {str(place): os.path.exists(place) for place in here}, one.source in watched
            )
            for one, here in found
        ])  # fmt: skip
    else:
        _say(found, watched)


def _watched(places: UserPaths) -> tuple[str, ...]:
    from engram.settings.load import load

    return load(None, os.environ, home=places).settings.daemon.sources


def _choose(
    places: UserPaths, before: tuple[str, ...], watch: tuple[str, ...], unwatch: tuple[str, ...]
) -> None:
    from engram.surfaces.cli.opt_in import choose
    from engram.vault.local_sources import LocalSources

    for name in (*watch, *unwatch):
        LocalSources(os.environ).places(name)  # there has to be one
    chosen = [name for name in dict.fromkeys((*before, *watch)) if name not in unwatch]
    choose(places, chosen)
    if wants_json():
        emit_json(shapes.watched_sources(chosen))
    else:
        say(f"watched: {', '.join(chosen)}" if chosen else "no source is watched")


def _say(found: list[tuple[SourceStock, list[Path]]], watched: tuple[str, ...]) -> None:
    here = [(one, places) for one, places in found if one.files]
    width = max((len(one.source) for one, places in found if one.files or places), default=0) + 2
    for one, places in here:
        mark = "; watched" if one.source in watched else ""
        line(f"{one.source:<{width}}{_summary(one)}{mark}", width)
        for place in places:
            if os.path.exists(place):
                say(f"{'':<{width}}{place}")
    absent = [(one.source, places) for one, places in found if not one.files]
    for source, places in absent:
        if places:
            line(f"{source:<{width}}nothing; looked in", 4)
            for place in places:
                say(f"{'':<{width}}{place}")
    if saved := [source for source, places in absent if not places]:
        line(f"wherever you saved them: {', '.join(saved)}", 4)
    line("any file or folder can be named: engram import SOURCE PATH", 4)


def _summary(one: SourceStock) -> str:
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
