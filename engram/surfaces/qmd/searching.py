"""`search`, `vsearch`, `query`: a question on the command line -> printed rows."""

from __future__ import annotations

import os
from collections.abc import Iterable

from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.face import ALL, Face
from engram.surfaces.qmd.fulltext import question_of
from engram.surfaces.qmd.output import Ended, tell
from engram.surfaces.qmd.results import FORMATS, Style, show, show_none
from engram.surfaces.qmd.rows import Mode, ResultRow

_MOST = {"json": 20, "files": 20}
_ALL_OF_A_QUERY = 500
_OTHER_NAMES: dict[str, Mode] = {"vector-search": "vsearch", "deep-search": "query"}
_MODES: dict[str, Mode] = {
    "search": "search", "vsearch": "vsearch", "query": "query", **_OTHER_NAMES,
}  # fmt: skip


def run(face: Face, asked: Arguments) -> int:
    """Answer a question. Raises Ended, BadQuery, Unusable."""
    form = format_of(asked)
    mode = _MODES[asked.command]
    if not asked.query:
        raise Ended(1, f"Usage: qmd {mode} [options] <query>")
    names = known_collections(face, asked)
    intent, query = asked.text("intent"), asked.query
    shown = query
    if mode == "query":
        shown = question_of(query).shown
    everything = asked.has("all")
    limit = _limit(asked, form)
    if everything:
        limit = ALL if mode == "search" else _ALL_OF_A_QUERY
    least = asked.share("min-score") or 0.0

    def rows_above(score: float, most: int) -> list[ResultRow]:
        return face.search(
            query, mode=mode, collections=names, limit=most, min_score=score, intent=intent,
            full=asked.has("full"), snippet_length=300 if form == "json" else 500,
            explain=asked.has("explain"),
        )  # fmt: skip

    rows = rows_above(least, limit)
    if not rows:
        show_none(form, too_low=bool(least > 0 and rows_above(0.0, 1)))
        _hint_at_update(face)
        return 0
    paths = _paths(face, rows) if asked.has("full-path") else None
    style = Style(
        form, shown, asked.has("full"), asked.has("line-numbers"), paths is not None, paths
    )
    show(rows, style)
    if paths is not None:
        warn_of_missing(len(rows) - len(paths), len(rows))
    return 0


def format_of(asked: Arguments) -> str:
    """The output form. Raises Ended for an unknown one."""
    named = asked.text("format").strip().lower()
    if named:
        if named not in FORMATS:
            raise Ended(
                1, f"Unknown --format value: {asked.text('format')}", f"Valid: {', '.join(FORMATS)}"
            )
        return named
    return next((form for form in ("csv", "md", "xml", "files", "json") if asked.has(form)), "cli")


def known_collections(face: Face, asked: Arguments) -> list[str]:
    """The named collections. Raises Ended for an unknown one."""
    if asked.collections:
        config = face.config()
        for name in asked.collections:
            if config.collection(name) is None:
                raise Ended(1, f"Collection not found: {name}")
    return asked.collections


def full_path(face: Face, collection: str, path: str) -> str | None:
    """A file as it lies on disk: `./...` below the working directory, else absolute."""
    place = face.on_disk(collection, path)
    if place is None:
        return None
    real, here = os.path.realpath(place), os.path.realpath(face.places.here)
    if real.startswith(here + os.sep):
        return f"./{os.path.relpath(real, here)}"
    return real


def warn_of_missing(missing: int, total: int) -> None:
    """Say that some rows could not be shown as files on disk."""
    if missing > 0:
        subject = "the file" if total == 1 else f"{missing} of {total} results"
        tell(
            f"warning: --full-path could not resolve {subject} on disk (moved or deleted since"
            " indexing); showing qmd:// + docid instead. Run 'qmd update' to refresh the index."
        )


def _hint_at_update(face: Face) -> None:
    """Tell a user without any collection that one has to be added first."""
    for one in face.config().collections:
        if not one.written:
            with face.index() as index:
                if one.name not in index.counts():
                    tell(f"Tip: your vault {one.path} is not indexed yet. Run 'qmd update'.")


def _limit(asked: Arguments, form: str) -> int:
    given = asked.whole("n")
    return given if given is not None and given > 0 else _MOST.get(form, 5)


def _paths(face: Face, rows: Iterable[ResultRow]) -> dict[str, str]:
    found = ((row.file, full_path(face, row.collection, row.path)) for row in rows)
    return {file: path for file, path in found if path is not None}
