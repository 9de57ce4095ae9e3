"""Purge of the access log: the questions that tell of what was purged -> marks.

The log is appended to by hooks and commands that take no lock, so it is never replaced: a question
is overwritten where it stands, the length of every line stays, and no line that comes meanwhile is
lost. What is counted stays too. A line that names what was purged loses its whole question, any
other the purged words alone; an item of a project whose name was purged loses its id. What cannot
be read, after a crash for instance, is counted by nobody: blanks take its place. Repeating changes
nothing.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from engram.model.errors import BadInput
from engram.store.base import layout
from engram.store.catalog.diff_line import diff_of
from engram.store.catalog.given_line import block_of, line_of

if TYPE_CHECKING:
    from engram.model.phase_diff import AskedDiff
    from engram.store.base.disk import VaultDisk

_QUESTION, _MARK = b'"question"', b'"(purged)"'
#: read at once, bytes; a longer line is none of ours
_PIECE = 1 << 20
#: the spaces whose items have a name in their ids, which are of so many parts
_NAMED, _PARTS = ("session", "project"), 4
_OWNER = re.compile(rb'"(?:session|project):([^:"\s]{1,1200}):(?:semantic|profile):')
#: an append of another process is done by then, seconds
_APPENDED = 0.05


def purge_questions(disk: VaultDisk, names: Collection[str], cleaned: Callable[[str], str]) -> None:
    """Overwrite the questions of lines that name one of `names`, and what `cleaned` changes."""
    written = [json.dumps(name).encode("ascii") for name in names]
    found = list(_overwritten(disk, written, cleaned))
    if found:
        disk.overwrite(layout.ACCESS, found)


def holds_questions(disk: VaultDisk, cleaned: Callable[[str], str]) -> bool:
    """Whether there is a question that `cleaned` would change."""
    return any(
        (question := _question(line)) is not None and cleaned(question) != question
        for _, line in _lines(disk)
        if _QUESTION in line
    )


def _overwritten(
    disk: VaultDisk, names: Collection[bytes], cleaned: Callable[[str], str]
) -> Iterator[tuple[int, bytes]]:
    for start, line in _lines(disk):
        if (unnamed := _without_owners(line, names, cleaned)) is not None:
            yield start, unnamed
            continue
        sound = line.startswith(b"{") and line.endswith(b"}")
        if (sound and _QUESTION not in line) or not line.strip():
            continue
        question = _question(line)
        if question is None:
            yield start, b" " * len(line)
            continue
        kept = json.dumps(cleaned(question)).encode("ascii")
        if any(name in line for name in names):
            kept = _MARK
        value = json.dumps(question).encode("ascii")
        if kept != value and value != b'""' and question != "(purged)":
            kept = next(one for one in (kept, _MARK, b'""') if len(one) <= len(value))
            yield start + line.index(value, line.index(_QUESTION)), kept.ljust(len(value))


def _without_owners(
    line: bytes, names: Collection[bytes], cleaned: Callable[[str], str]
) -> bytes | None:
    """The line of a block that has an item of a purged name, without that; None for any other.

    An item without an id takes less room than one with it.
    """
    try:
        owners = {json.loads(b'"%b"' % one) for one in _OWNER.findall(line)}
    except ValueError:
        return None
    purged = {owner for owner in owners if cleaned(owner) != owner}
    asked = diff_of(line)
    if asked is not None:
        words = " ".join((asked.store.partition(":")[2], *_keys(asked)))
        return b" " * len(line) if purged or cleaned(words) != words else None
    block = block_of(line) if purged else None
    if block is None:
        return None
    items = tuple(
        one._replace(item="") if _owner(one.item) in purged else one for one in block.items
    )
    named = any(name in line for name in names)
    question = json.loads(_MARK) if named else cleaned(block.question)
    told = (question if block.question else "", "")
    lines = (line_of(block._replace(items=items, question=one))[:-1] for one in told)
    return next((one for one in lines if len(one) <= len(line)), b"").ljust(len(line))


def _keys(asked: AskedDiff) -> Iterator[str]:
    return (one.get("dedupe_key", "").replace(":", " ") for one in asked.changes)


def _owner(item: str) -> str:
    """The project or conversation that an item's id names; '' without one."""
    parts = item.split(":")
    return parts[1] if len(parts) == _PARTS and parts[0] in _NAMED else ""


def _question(line: bytes) -> str | None:
    """The question of a line, '' without one; None for a line that is not of our form."""
    try:
        row = json.loads(line)
        question = row.get("question", "")
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(question, str) or line.count(_QUESTION) > 1:
        return None
    value = json.dumps(question).encode("ascii")
    return question if not question or value in line.partition(_QUESTION)[2] else None


def _lines(disk: VaultDisk) -> Iterator[tuple[int, bytes]]:
    """Every line without its end, with the byte at which it begins; the torn end as well."""
    start, waited = 0, False
    while piece := _piece(disk, start):
        whole = piece[: piece.rfind(b"\n") + 1]
        if not whole and len(piece) < _PIECE and not waited:
            # perhaps an append that is going on
            waited = True
            time.sleep(_APPENDED)
            continue
        whole = whole or piece
        at = start
        for line in whole.split(b"\n"):
            yield at, line
            at += len(line) + 1
        start += len(whole)


def _piece(disk: VaultDisk, start: int) -> bytes:
    """A part of the log; a link, a pipe or a folder in its place is none of ours."""
    try:
        return disk.pieces(layout.ACCESS, [(start, _PIECE)])[0]
    except BadInput:
        return b""
