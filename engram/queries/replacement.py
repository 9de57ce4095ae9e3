"""The text that a program gives for a memory's file -> nothing, or the error for which it is none.

A person's own edit of a file is never refused; what comes through a pipe says which version it was
made of (OCC_CONFLICT), keeps what only a verb changes (MERGE_ERROR), and is a record that can be
read (VALIDATION_ERROR, PATH_ERROR).
"""

from __future__ import annotations

from collections import Counter

from engram.model.errors import BadInput, Conflict
from engram.model.memory import Memory
from engram.model.project_path import is_project_path
from engram.model.record import faults_of, record_of
from engram.model.schemas import RECORD_MOST, schema_of
from engram.model.text import sha256_bytes
from engram.store.files.memory_file import read_memory

#: what says which memory it is, and what only the program or a verb writes
_KEPT = (
    "id", "category", "schema", "created", "status", "status_since", "status_reason", "authority",
    "superseded_by",
)  # fmt: skip
_INVALID = "VALIDATION_ERROR"


def check_replacement(memory: Memory, before: bytes, after: bytes, expected: str) -> None:
    """Raise Conflict or BadInput for bytes that cannot take the place of a memory's file.

    `expected` is the SHA-256 of the bytes that were read; empty where nobody says it.
    """
    current = sha256_bytes(before)
    if expected and expected.strip().lower() != current:
        raise Conflict(
            f"the file of {memory.id} is another one now: its SHA-256 is {current}",
            f"read it again (`engram show {memory.id} --json`), then repeat the change",
        )
    if len(after) > RECORD_MOST:
        raise BadInput(f"it is longer than {RECORD_MOST // 1024} kB", code=_INVALID)
    hint = f"`engram show {memory.id}` prints the file as it is"
    was, read = read_memory(memory.path, before), read_memory(memory.path, after)
    if not read.memory.text or read.document.header_lines is None:
        raise BadInput("it has no header or no statement: nothing was changed", hint, code=_INVALID)
    if new := [one for one in read.problems if one not in was.problems]:
        raise BadInput(f"it cannot be read: {'; '.join(new)[:300]}", hint, code=_INVALID)
    for name in _KEPT:
        old, new_value = getattr(was.memory, name), getattr(read.memory, name)
        if old != new_value:
            why = _why(name, was.memory.id)
            raise BadInput(f"{name} is not changed by an edit: {why}", hint, code="MERGE_ERROR")
    added = set(read.memory.related_files) - set(was.memory.related_files)
    if not all(map(is_project_path, added)):
        raise BadInput("related_files: a path leads out of the project", hint, code="PATH_ERROR")
    _check_record(was.memory, read.memory, hint)


def _why(name: str, memory: str) -> str:
    if name.startswith("status"):
        return f"`engram retire {memory}`, `archive` and `restore` do that"
    if name == "authority":
        return f"`engram confirm {memory}` makes it yours"
    return "it says which memory this is"


def _check_record(before: Memory, after: Memory, hint: str) -> None:
    """Raise BadInput for faults that the record did not have before."""
    form, record, was = schema_of(after.category, after.schema), record_of(after), record_of(before)
    if form is None or record is None or was is None:
        return
    known = {one.place.casefold() for one in form.sections}
    counted = Counter(heading.casefold() for heading, _ in after.sections)
    if twice := [name for name, times in counted.items() if times > 1 and name in known]:
        raise BadInput(f"## {twice[0]} stands in it more than once", hint, code=_INVALID)
    old = set(faults_of(was, whole=False))
    if found := [one for one in faults_of(record, whole=False) if one not in old]:
        raise BadInput("; ".join(map(str, found[:5])), hint, code=_INVALID)
