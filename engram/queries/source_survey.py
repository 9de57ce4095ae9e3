"""The survey: what transcripts lie on a machine, and whether their sources still understand them.

`stock` looks at folders without reading a file: how many, how big, from when to when. `check` reads
transcripts to the end and keeps nothing of them but counts; `findings` says what is strange about
these. No vault is needed and nothing is written. Formats of other programs drift without notice:
a type of line that nobody knows, or files in which nobody speaks, are how that shows.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from engram.capture.follow import belongs, read_file, size_of
from engram.model.display import plain_line
from engram.model.errors import BadInput
from engram.model.findings import Finding
from engram.model.instant import Day, day_of, instant_of
from engram.model.intake import SourceCheck, SourceStock
from engram.model.ports import Clock, ForeignRows, Source

#: More names than this below the places of one source are not looked at.
MAX_NAMES = 200_000
#: Days after which Claude Code deletes a transcript, unless its settings say otherwise.
_CLEANUP_DAYS = 30
_CLEANUP = "cleanupPeriodDays"
_MAX_SETTINGS = 1_000_000
#: In fewer lines it may well be that nobody says anything.
_SILENT_LINES = 40
#: Unknown types that a finding names; the rest is a number.
_NAMED = 8


def stock(source: Source, places: Iterable[Path], most: int = MAX_NAMES) -> SourceStock:
    """Count the files of a source at its places, from what their folders say of them."""
    found = SourceStock(source.name, source.verified)
    left = most
    for place in places:
        for size, written in _entries(place, source):
            left -= 1
            if left < 0:
                found.complete = False
                return found
            if size is None:
                continue
            found.files += 1
            found.bytes += size
            day = _day(written)
            found.first = min(found.first or day, day)
            found.last = max(found.last, day)
    return found


def _entries(place: Path, source: Source) -> Iterator[tuple[int | None, float]]:
    """Size and time of each file of a source at or below a place; no size for any other name.

    As `follow.walk` does, it follows no links, enters no hidden folder and passes over what it may
    not list.
    """
    try:
        seen = os.stat(place)
    except (OSError, ValueError):
        return
    if not stat.S_ISDIR(seen.st_mode):
        yield (seen.st_size if stat.S_ISREG(seen.st_mode) else None), seen.st_mtime
        return
    folders = [os.fspath(place)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    size, written = None, 0.0
                    if entry.is_dir(follow_symlinks=False):
                        if not entry.name.startswith("."):
                            folders.append(entry.path)
                    elif belongs(entry.name, source) and entry.is_file(follow_symlinks=False):
                        seen = entry.stat(follow_symlinks=False)
                        size, written = seen.st_size, seen.st_mtime
                    yield size, written
        except OSError:
            continue


def _day(written: float) -> Day:
    """The day of a file's time; the first there is for a time that is none."""
    try:
        return day_of(instant_of(int(written)))
    except (ValueError, OverflowError):
        return "1970-01-01"


def check(
    source: Source, files: Iterable[Path], clock: Clock, databases: Callable[[Path], ForeignRows],
    advance: Callable[[int], None] = lambda _: None,
) -> SourceCheck:  # fmt: skip
    """Read files of a source from beginning to end; `advance` is told of the bytes of each."""
    found = SourceCheck(source.name, source.verified)
    for path in files:
        try:
            chunks = read_file(path, source, {}, clock, tally=found.tally, databases=databases)
            for turns, _ in chunks:
                said = sum(turn.by_person for turn in turns)
                found.user_turns += said
                found.assistant_turns += len(turns) - said
            found.files += 1
        except BadInput as error:
            found.problems.append((str(path), str(error)))
        advance(size_of(path))
    return found


def findings(checked: Sequence[SourceCheck]) -> list[Finding]:
    """What is strange about what was read, each with one thing to do about it."""
    return [finding for found in checked for finding in _strange(found)]


def _strange(found: SourceCheck) -> Iterator[Finding]:
    name, tally = found.source, found.tally
    for path, why in found.problems:
        yield Finding("warning", "unreadable", path, why, "check the file's type, owner and mode")
    if tally.lines >= _SILENT_LINES and not (found.user_turns or found.assistant_turns):
        yield Finding(
            "warning", "silent", name, f"{name}: nobody says anything in what was read",
            f"if somebody does, the format has changed: {_report(found)}",
        )  # fmt: skip
    if tally.unparsed_lines:
        yield Finding(
            "warning", "unparsed", name,
            f"{name}: {tally.unparsed_lines:,} of {tally.lines:,} lines could not be read",
            f"a few are torn lines; if they are many, the format has changed: {_report(found)}",
        )  # fmt: skip
    if tally.unknown:
        yield Finding(
            "warning", "unknown", name, f"{name}: types that it does not know: {_types(found)}",
            f"what they hold is not read; {_report(found)}",
        )  # fmt: skip


def _types(found: SourceCheck) -> str:
    counts = sorted(found.tally.unknown.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{plain_line(kind)} ({count:,})" for kind, count in counts[:_NAMED]]
    more = len(counts) - len(named)
    return ", ".join([*named, *([f"and {more} more"] if more else [])])


def _report(found: SourceCheck) -> str:
    """How to tell of it; what no program owns was never compared with real files."""
    since = f" (format of {found.verified})" if found.verified else ""
    return f"report this line and the version of the program{since}"


def cleanup(projects: Iterable[Path]) -> list[Finding]:
    """A finding when Claude Code deletes the transcripts in its projects folders unasked."""
    return [
        Finding(
            "warning", "cleanup", str(settings),
            f"Claude Code deletes transcripts after {_CLEANUP_DAYS} days: "
            f"{settings} sets no {_CLEANUP}",
            "take in what is there before it is gone: `engram import claude-code`",
        )
        for folder in projects
        if not _says(settings := folder.parent / "settings.json", _CLEANUP)
    ]  # fmt: skip


def _says(path: Path, key: str) -> bool:
    """Whether a JSON file sets a key; one that cannot be read sets nothing."""
    try:
        with open(path, encoding="utf-8-sig") as stream:
            settings = json.loads(stream.read(_MAX_SETTINGS))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(settings, dict) and settings.get(key) is not None
