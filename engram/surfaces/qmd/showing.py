"""`get`, `multi-get`, `ls`: documents of the index as they were indexed, and their list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from engram.surfaces.qmd.addresses import address_of, is_docid
from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.output import Ended, as_json, csv_cell, say, size_of, tell
from engram.surfaces.qmd.results import quoted_context
from engram.surfaces.qmd.rows import DocumentText, NotThere, Skipped
from engram.surfaces.qmd.searching import format_of, full_path, warn_of_missing

MOST_BYTES = 65_536
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HALF_A_YEAR = timedelta(days=180)
_RULE = "=" * 60


def get(face: Face, asked: Arguments) -> int:
    """Print one document. Raises Ended, Unusable."""
    if not asked.word(0):
        raise Ended(
            1,
            "Usage: qmd get <filepath>[:from[:count]] [--from <line>] [-l <lines>]"
            " [--no-line-numbers] [--full-path]",
        )
    found = face.get(
        asked.word(0),
        from_line=asked.whole("from"),
        max_lines=asked.whole("l"),
        line_numbers=not asked.has("no-line-numbers"),
    )
    if isinstance(found, NotThere):
        near = ["Similar files:", *(f"  {path}" for path in found.similar)] if found.similar else []
        raise Ended(1, found.message, *found.notes, *near)
    head = f"qmd://{found.display}  {found.docid}"
    if asked.has("full-path"):
        path = full_path(face, found.collection, found.path)
        head = path or head
        warn_of_missing(path is None, 1)
    say(head)
    if found.context:
        say(f"Folder Context: {found.context}")
    say("---\n")
    say(found.text)
    return 0


def multi_get(face: Face, asked: Arguments) -> int:
    """Print several documents. Raises Ended, Unusable."""
    form = format_of(asked)
    pattern = asked.word(0)
    if not pattern:
        raise Ended(
            1,
            "Usage: qmd multi-get <pattern> [-l <lines>] [--max-bytes <bytes>] [--no-line-numbers]"
            " [--full-path] [--format json|csv|md|xml|files]",
            "  pattern: glob (e.g., 'journals/2025-05*.md') or comma-separated list",
        )
    most = asked.whole("max-bytes")
    given = face.multi_get(
        pattern,
        max_lines=asked.whole("l"),
        max_bytes=MOST_BYTES if most is None else most,
        line_numbers=not asked.has("no-line-numbers"),
    )
    found = [one for one in given if not (isinstance(one, Skipped) and one.absent)]
    for one in given:
        if isinstance(one, Skipped) and one.absent:
            tell(one.reason)
    if not found and (is_docid(pattern) or "," not in pattern or set("*?{") & set(pattern)):
        return 1
    paths: dict[str, str] = {}
    if asked.has("full-path"):
        for one in found:
            if path := full_path(face, one.collection, one.path):
                paths[one.file] = path
    _print(found, form, paths)
    if asked.has("full-path"):
        warn_of_missing(len(found) - len(paths), len(found))
    return 0


def ls(face: Face, asked: Arguments) -> int:
    """Print the collections, or the files of one. Raises Ended, Unusable."""
    config = face.config()
    wanted = asked.word(0)
    with face.index() as index:
        if not wanted:
            if not config.collections:
                say("No collections found. Run 'qmd collection add .' to index files.")
                return 0
            counts = index.counts()
            say("Collections:\n")
            for held in config.collections:
                say(f"  qmd://{held.name}/  ({counts.get(held.name, (0, ''))[0]} files)")
            return 0
        address = address_of(wanted)
        if address is None:
            name, _, prefix = wanted.partition("/")
        else:
            name, prefix = address.collection, address.path
        if config.collection(name) is None:
            raise Ended(
                1, f"Collection not found: {name}", "Run 'qmd ls' to see available collections."
            )
        files = [
            one for one in index.documents("collection = ?", (name,)) if one.path.startswith(prefix)
        ]
    if not files:
        say(
            f"No files found under qmd://{name}/{prefix}"
            if prefix
            else f"No files found in collection: {name}"
        )
        return 0
    sizes = [size_of(one.length) for one in files]
    width = max(map(len, sizes))
    for one, size in zip(files, sizes, strict=True):
        say(f"{size:>{width}}  {_day(one.mtime_ns)}  {one.uri}")
    return 0


def _print(found: Sequence[DocumentText | Skipped], form: str, paths: dict[str, str]) -> None:
    if form == "json":
        say(as_json([_record(one, paths) for one in found]))
    elif form == "csv":
        say("docid,file,title,context,skipped,body")
        for one in found:
            skipped = isinstance(one, Skipped)
            cells = (
                _docid(one, paths), _name(one, paths), one.title, one.context,
                "true" if skipped else "false", _text(one),
            )  # fmt: skip
            say(",".join(map(csv_cell, cells)))
    elif form == "files":
        for one in found:
            docid = _docid(one, paths)
            mark = ",[SKIPPED]" if isinstance(one, Skipped) else ""
            context = quoted_context(one.context)
            say(f"{docid}{',' if docid else ''}{_name(one, paths)}{context}{mark}")
    elif form == "md":
        for one in found:
            _markdown(one, paths)
    elif form == "xml":
        say('<?xml version="1.0" encoding="UTF-8"?>\n<documents>')
        for one in found:
            _element(one, paths)
        say("</documents>")
    else:
        for one in found:
            docid = _docid(one, paths)
            say(f"\n{_RULE}\nFile: {_name(one, paths)}{'  ' if docid else ''}{docid}\n{_RULE}\n")
            if isinstance(one, Skipped):
                say(f"[SKIPPED: {_text(one)}]")
                continue
            if one.context:
                say(f"Folder Context: {one.context}\n---\n")
            say(one.text)


def _record(one: DocumentText | Skipped, paths: dict[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {"file": _name(one, paths)}
    if docid := _docid(one, paths):
        record["docid"] = docid
    record["title"] = one.title
    if one.context:
        record["context"] = one.context
    if isinstance(one, Skipped):
        return record | {"skipped": True, "reason": _text(one)}
    return record | {"body": one.text}


def _markdown(one: DocumentText | Skipped, paths: dict[str, str]) -> None:
    say(f"## {_name(one, paths)}\n")
    if docid := _docid(one, paths):
        say(f"**docid:** `{docid}`\n")
    if one.title and one.title != one.listed:
        say(f"**Title:** {one.title}\n")
    if one.context:
        say(f"**Context:** {one.context}\n")
    if isinstance(one, Skipped):
        say(f"> {_text(one)}\n")
    else:
        say(f"```\n{one.text}\n```\n")


def _element(one: DocumentText | Skipped, paths: dict[str, str]) -> None:
    docid = _docid(one, paths)
    attribute = f' docid="{docid}"' if docid else ""
    say(f"  <document{attribute}>")
    say(f"    <file>{_escaped(_name(one, paths))}</file>")
    say(f"    <title>{_escaped(one.title)}</title>")
    if one.context:
        say(f"    <context>{_escaped(one.context)}</context>")
    if isinstance(one, Skipped):
        say(f"    <skipped>true</skipped>\n    <reason>{_escaped(_text(one))}</reason>")
    else:
        say(f"    <body>{_escaped(one.text)}</body>")
    say("  </document>")


def _text(one: DocumentText | Skipped) -> str:
    if isinstance(one, Skipped):
        return f"{one.reason}. Use 'qmd get {one.listed}' to retrieve."
    return one.text


def _docid(one: DocumentText | Skipped, paths: dict[str, str]) -> str:
    return "" if one.file in paths else one.docid


def _name(one: DocumentText | Skipped, paths: dict[str, str]) -> str:
    return paths.get(one.file, one.listed)


def _escaped(text: str) -> str:
    for sign, instead in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, instead)
    return text.replace("'", "&apos;")


def _day(mtime_ns: int) -> str:
    """`Mar  5  2024`, or within half a year `Mar  5 12:00`, as `ls -l` has it."""
    try:
        moment = datetime.fromtimestamp(mtime_ns / 1e9)
    except (OverflowError, ValueError, OSError):
        moment = datetime.fromtimestamp(0)
    day = f"{_MONTHS[moment.month - 1]} {moment.day:2d}"
    if moment < datetime.now() - _HALF_A_YEAR:
        return f"{day}  {moment.year}"
    return f"{day} {moment:%H:%M}"
