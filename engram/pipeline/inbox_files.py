"""Files of an inbox: what an import would keep of one, and why one is left lying.

A path -> its turns, clean and redacted, and whether that is all that the file says. Guarantees:
nothing is written, and a file is held in memory only up to WHOLE_BYTES. Raises BadInput for a file
that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from engram.capture.accept import cleaned
from engram.capture.clean import kept
from engram.capture.exclusion import Exclusion
from engram.capture.follow import head_of, read_whole, size_of
from engram.capture.sources import recognise, source
from engram.model.errors import BadInput
from engram.model.intake import ReadFile, Removed
from engram.model.turn import Turn
from engram.pipeline.ports import Ports

#: types of files in an inbox, and the source of each where its first bytes say nothing
KINDS = {".md": "markdown", ".txt": "text", ".jsonl": "jsonl"}
#: the largest file that is held in memory as a whole: of larger ones the inbox keeps no copy
WHOLE_BYTES = 64_000_000
#: a word that may tell what was kept out
WORD = re.compile(r"[^\W_]{4,}")


def inbox_source(path: Path) -> str:
    """The source that reads a file of an inbox: by its first bytes, else by its name."""
    suffix = path.suffix.lower()
    try:
        found = recognise(head_of(path), suffix)
    except BadInput:
        found = None
    return KINDS[suffix] if found is None else found.name


def read_file_whole(path: Path, ports: Ports) -> ReadFile:
    """What an import of a file of an inbox keeps, captured before or not; writes nothing.

    Raises BadInput for a file that cannot be read.
    """
    kind = source(inbox_source(path), ports.settings.capture.max_line_bytes)
    removed = Removed()
    found, reading = read_whole(path, kind, ports.clock, ports.foreign_rows)
    outside = Exclusion(ports.settings.capture.exclude)
    turns = [
        cleaned(turn, ports.redactor)[0] for turn in kept(found, reading.state, removed, outside)
    ]
    complete = not reading.tally.unparsed_lines and reading.offset in (0, size_of(path))
    if any("\ufffd" in turn.text for turn in turns):
        complete = complete and _is_utf8(path)
    told = bool(found) or not head_of(path).strip()
    return ReadFile(turns, complete and told, _words(found) - _words(turns))


def why_left(path: Path, ports: Ports) -> str:
    """Why the inbox does not take a file; empty for one that it takes."""
    if path.is_symlink() or not path.is_file():
        return "it is a link, a folder or no regular file"
    if path.suffix.lower() not in KINDS:
        return f"only {' '.join(KINDS)} files are read"
    try:
        whole = size_of(path) > WHOLE_BYTES or read_file_whole(path, ports).complete
    except BadInput as error:
        return str(error)
    return "" if whole else "it cannot be read to its end (a torn line, no UTF-8, nothing said)"


def _words(turns: Iterable[Turn]) -> frozenset[str]:
    texts = (f"{turn.text} {turn.title} {turn.project} {turn.speaker}" for turn in turns)
    return frozenset(word for text in texts for word in WORD.findall(text.casefold()))


def _is_utf8(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True
