"""Notes that another program wrote, in the folder of a vault that engram has never seen.

Either invented ones (`Invented.note`), or the first so many of a folder, with the times of their
files. Some of them, evenly spread, are given a word that no other has: when a search finds it in
all of these, everything is searchable.
"""

from __future__ import annotations

import os
import shutil
from datetime import datetime
from pathlib import Path

from tests.benchmarks.invented import Invented
from tests.benchmarks.processes import edit

MARK = "zyqadopted"
#: so many notes are marked, or all where there are fewer
MARKED = 20


def count_of(folder: Path | None, wanted: int) -> int:
    """How many notes a vault of `wanted` gets: no more than the folder has."""
    return wanted if folder is None else min(wanted, len(list(folder.rglob("*.md"))))


def write_notes(vault: Path, count: int, folder: Path | None = None) -> None:
    """So many notes into `facts/`; a folder that has a `facts/` itself is taken as a vault's."""
    if folder is None:
        _invent(vault, count)
    else:
        top = folder / "facts" if (folder / "facts").is_dir() else folder
        for note in sorted(top.rglob("*.md"))[:count]:
            path = vault / "facts" / note.relative_to(top)
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(note, path)
    files = files_of(vault)
    for number in range(min(MARKED, count)):
        file = files[number * count // min(MARKED, count)]
        state = file.stat()
        edit(file, MARK)
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def _invent(vault: Path, count: int) -> None:
    invented = Invented()
    for number in range(count):
        name, created, text = invented.note(number)
        path = vault / "facts" / created[:10] / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        when = datetime.fromisoformat(created).timestamp()
        os.utime(path, (when, when))


def files_of(vault: Path) -> list[Path]:
    """The files of the memories, in order."""
    return sorted((vault / "facts").rglob("*.md"))
