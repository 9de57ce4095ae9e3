"""Notes of a folder: what would be read of it, by folder, what is left out, and the question.

A folder that somebody names in passing may hold thousands of files that are no notes of theirs. So
above fifty files the person sees where they lie, with an example of each folder, and is asked;
without a terminal the import is refused unless they said `--yes`.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engram.model.display import plain_line
from engram.model.errors import BadInput
from engram.surfaces.cli.arguments import program
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.output import plural, say, talk, wants_json

if TYPE_CHECKING:
    from engram.model.intake import NotesFound

#: more files than these are read only when the person says so
_UNASKED = 50
#: so many folders are listed; the rest is a number
_FOLDERS = 20


def agreed_notes(source: str, path: Path, found: NotesFound, *, dry_run: bool, yes: bool) -> bool:
    """Whether to go on with the notes of a folder; what is left out is said in any case.

    Raises BadInput where somebody has to be asked and nobody is there.
    """
    many = found.count > _UNASKED
    if (dry_run or (many and not yes)) and not wants_json():
        _say_folders(found)
    for reason, paths in sorted(found.left_out.items()):
        such = _shown(min(paths).relative_to(path))
        talk(f"left out: {plural(len(paths), 'path')} ({reason}), such as {such}")
    for repository in found.unasked:
        talk(f"git did not say what it ignores in {_shown(repository)}: all of it counts")
    if dry_run or yes or not many:
        return True
    if not sys.stdin.isatty():
        command = f"{program()} import {source} {shlex.quote(str(path))}"
        raise BadInput(
            f"{found.count:,} files lie below {_shown(path)}, and nobody is here to be asked",
            f"`{command} --dry-run` lists them by folder, `{command} --yes` takes them in",
        )
    if agreed(f"read {plural(found.count, 'file')}?"):
        return True
    talk("nothing was imported")
    return False


def _say_folders(found: NotesFound) -> None:
    """The folders with the most files first, each with how many they are and one of them."""
    folders = sorted(found.files.items(), key=lambda one: (-len(one[1]), one[0]))
    for folder, files in folders[:_FOLDERS]:
        name = "the folder itself" if folder == "." else _shown(Path(folder))
        say(f"{name}: {plural(len(files), 'file')}, such as {_shown(Path(files[0].name))}")
    if len(folders) > _FOLDERS:
        rest = sum(len(files) for _, files in folders[_FOLDERS:])
        say(f"{plural(len(folders) - _FOLDERS, 'more folder')}: {plural(rest, 'file')}")


def _shown(path: Path) -> str:
    """A path on one line, with nothing in it that a terminal would obey."""
    return plain_line(str(path))
