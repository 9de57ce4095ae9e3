"""The notes under `fixtures/foreign`, as other memory programs and editors write them."""

from __future__ import annotations

import shutil
from pathlib import Path

from engram.model.memory import Memory
from engram.store.files.content_file import read_content

FOREIGN = Path(__file__).parent / "fixtures" / "foreign"
#: the Markdown files by their path, as they are found where they are dropped
DROPPED = {
    path.relative_to(FOREIGN).as_posix(): path.read_bytes()
    for path in sorted(FOREIGN.rglob("*.md"))
    if not any(part.startswith(".") for part in path.parts)
}


def note_of(name: str) -> Memory:
    """One of them as it is read in `facts/`."""
    content = read_content(f"facts/{name}", DROPPED[name]).content
    assert isinstance(content, Memory)
    return content


def drop_into(folder: Path) -> None:
    """Copy all of them, and what lies beside them, into a folder."""
    for form in FOREIGN.iterdir():
        shutil.copytree(form, folder / form.name)
