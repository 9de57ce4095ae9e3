"""Transcripts on this machine, by source: what lies where, how much, and whether it is understood.

No vault is needed and nothing is written. Raises BadInput for a source that there is none of.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engram.capture.note_folders import NOTES
from engram.capture.sources import SOURCES, source
from engram.model.errors import NotFound
from engram.settings.paths import places_of

if TYPE_CHECKING:
    from engram.model.findings import Finding
    from engram.model.intake import NotesFound, SourceCheck, SourceStock


class LocalSources:
    """The sources of a person's machine; `names` are those that `engram import` takes."""

    names = SOURCES
    #: those that read any text
    notes = NOTES

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._home = places_of(environment).home

    def places(self, name: str) -> list[Path]:
        """Where a source keeps its transcripts, whether that is there or not."""
        return source(name).discover(self._home, self._environment)

    def here(self, name: str) -> list[Path]:
        """Those of its places that are there."""
        return [place for place in self.places(name) if os.path.exists(place)]

    def stock(self, name: str) -> SourceStock:
        """How much lies there, from when to when; no file is read."""
        from engram.queries.source_survey import stock

        return stock(source(name), self.places(name))

    def files(self, paths: Sequence[Path] = ()) -> dict[str, list[Path]]:
        """The files at some paths, or without any in the usual places, by what they look like.

        Raises NotFound for a path without a transcript.
        """
        from engram.capture.follow import walk
        from engram.pipeline.imports import by_source

        if not paths:
            found = {
                name: [file for place in self.here(name) for file in walk(place, source(name))]
                for name in SOURCES
            }
            return {name: files for name, files in found.items() if files}
        named: dict[str, list[Path]] = {}
        for path in paths:
            below = by_source(path)
            if not below:
                raise NotFound(
                    f"there is no transcript at {path}", "`engram sources` lists what is understood"
                )
            for name, files in below.items():
                named.setdefault(name, []).extend(files)
        return named

    def to_import(self, name: str, path: Path | None = None) -> dict[str, list[Path]]:
        """What an import of a source, or of all with `auto`, would read, by source.

        Raises NotFound when there is nothing.
        """
        from engram.pipeline.imports import by_source

        every = name == "auto"
        if path is not None:
            found = by_source(path) if every else {name: [path]}
        else:
            found = {
                one: here for one in (SOURCES if every else [name]) if (here := self.here(one))
            }
        if not found:
            hint = "`engram sources` lists sources and places"
            if every and path is None:
                hint = "`engram import auto PATH` reads an export or a folder of notes; " + hint
            raise NotFound(
                f"there are no {'' if every else f'{name} '}transcripts {self._where(name, path)}",
                hint,
            )
        return found

    def _where(self, name: str, path: Path | None) -> str:
        """The places that were looked at, as far as they are few."""
        if path is not None:
            return f"in {path}"
        if name == "auto":
            return "in their usual places"
        places = self.places(name)
        if not places:
            return "without a PATH: they lie wherever you saved them"
        return f"in {', '.join(map(str, places))}"

    def notes_below(self, name: str, path: Path) -> NotesFound | None:
        """What an import of notes would read below a folder, and what it leaves out.

        None for a path that is no folder, and for a source that has files of its own.
        """
        from engram.capture.follow import walk_noting
        from engram.model.intake import NotesFound

        files, sieve = walk_noting(path, source(name))
        if sieve is None:
            return None
        by_folder: dict[str, list[Path]] = {}
        for file in files:
            by_folder.setdefault(file.parent.relative_to(path).as_posix(), []).append(file)
        return NotesFound(by_folder, sieve.left_out, tuple(sieve.unasked))

    def looks_like(self, path: Path) -> list[str]:
        """The sources that the files at or below a path look like, that of the most files first.

        Raises BadInput when there is nothing at the path.
        """
        from engram.pipeline.imports import by_source

        found = by_source(path)
        return sorted(found, key=lambda name: -len(found[name]))

    def check(
        self, files: Mapping[str, Iterable[Path]], advance: Callable[[int], None]
    ) -> list[SourceCheck]:
        """Read files to the end and count; `advance` is told of bytes."""
        from engram.queries.source_survey import check
        from engram.store.base.clock import clock_of
        from engram.store.base.foreign_database import ForeignDatabase

        clock = clock_of(self._environment)
        return [
            check(source(name), some, clock, ForeignDatabase, advance)
            for name, some in files.items()
        ]

    def findings(
        self, checked: Sequence[SourceCheck], files: Mapping[str, Sequence[Path]]
    ) -> list[Finding]:
        """What is strange about what was read, and what deletes it unasked."""
        from engram.queries.source_survey import cleanup, findings

        read = files.get("claude-code", ())
        folders = [at for at in self.here("claude-code") if any(f.is_relative_to(at) for f in read)]
        return [*findings(checked), *cleanup(folders)]

    def cleanup(self) -> list[Finding]:
        """A finding when Claude Code deletes its transcripts unasked."""
        from engram.queries.source_survey import cleanup

        return cleanup(self.here("claude-code"))


def size_of(files: Mapping[str, Iterable[Path]]) -> int:
    """The bytes of files; those that are gone count nothing."""
    from engram.capture.follow import size_of

    return sum(size_of(path) for some in files.values() for path in some)
