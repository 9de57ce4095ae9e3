"""Records of seed 001's `.claude/memory` folder -> turns, one a record.

Form: six folders (`sessions`, `decisions`, `runbooks`, `constraints`, `tech-debt`, `preferences`)
with one JSON object a file; other files of the folder say nothing. A record says itself what it is:
one in the wrong folder is read by its category. What a record lacks, or has in another way than the
format says, is told in a note and left out; refused (BadInput) is a file that is no such object,
without statement or date, or beyond the limits of a record. The text of the turn is the whole
record (`model/record_note`), so that an altered one is a new message. The project is the folder
that holds `.claude`; where a record was put away elsewhere, nothing tells it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from engram.capture.clean import shortened
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.model.errors import BadInput
from engram.model.ids import is_id, message_digest
from engram.model.json_schema import REASON_MOST
from engram.model.ports import SourceReading
from engram.model.record import FieldFault, Record, faults_of
from engram.model.record_json import CommonFields, record_from_json
from engram.model.record_note import STORE, RecordNote, note_text
from engram.model.record_words import record_alias
from engram.model.schemas import RECORD_MOST, SCHEMA_TABLE, TAGS_MOST, TITLE_MOST
from engram.model.text import first_line
from engram.model.turn import Turn

_FOLDERS = frozenset(one.folder for one in SCHEMA_TABLE.values())
_HOME = (".claude", "memory")
#: a backslash between names; one before a sign keeps that from being markup
_SEPARATOR = re.compile(r"\\(?=[\w.])")
#: escapes and indentation may make a file so much longer than what it says
_FILE_MOST = 4 * RECORD_MOST
#: what seed 001 writes where there are no tags, and where a constraint has no end
_NO_TAGS, _NO_END = "untagged", "none"


class ClaudeMemory(TranscriptSource):
    """The source `claude-memory`; imported by hand alone."""

    name = STORE
    suffixes: tuple[str, ...] = (".json",)
    verified = "2026-11-22"

    def recognises(self, head: bytes) -> bool:
        """Never: whose memories a folder holds, only the person knows who names it."""
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """The record of one file, as `model.ports.Source` says."""
        path = Path(os.path.abspath(reading.path or reading.name))
        if path.parent.name not in _FOLDERS:
            return
        if stream.seekable():
            stream.seek(0)
        reading.tally.lines += 1
        notes: list[str] = []
        note = _note(_object(stream.read(_FILE_MOST + 1)), path, notes)
        reading.tally.notes += [(f"{path.parent.name}/{path.name}", one) for one in notes]
        yield _turn(note, _project(path))


def _object(data: bytes) -> Mapping[str, object]:
    if len(data) > _FILE_MOST:
        raise BadInput(f"it has more than {_FILE_MOST // 1024} kB, too much for a record")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput("it is no JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise BadInput("it is no JSON object")
    return value


def _note(data: Mapping[str, object], path: Path, notes: list[str]) -> RecordNote:
    """The note of an object; what is left out of it is told in `notes`."""
    record, common, faults = record_from_json(data)
    if record is None:
        raise BadInput(_told(faults, "category"))
    notes += [str(one) for one in faults if one.field not in ("id", "created_at")]
    if record.form.folder != path.parent.name:
        notes.append(f"a {record.form.seed_name} in the folder of others")
    if not record.statement:
        raise BadInput(f"{record.form.statement.name}: it says nothing")
    record = _within_limits(record, notes)
    return RecordNote(record, _common(common, record, path, notes))


def _told(faults: tuple[FieldFault, ...], field: str) -> str:
    return next((str(one) for one in faults if one.field == field), f"{field}: missing")


def _within_limits(record: Record, notes: list[str]) -> Record:
    """The record with what a vault can hold of it. Raises BadInput for texts that are too long."""
    title = record.title.strip() or first_line(record.statement, TITLE_MOST)
    if len(title) > TITLE_MOST:
        notes.append(f"the title has more than {TITLE_MOST} characters")
        title = shortened(title, TITLE_MOST) or title[:TITLE_MOST]
    tags = tuple(dict.fromkeys(filter(None, map(_tag, record.tags))))
    if len(tags) > TAGS_MOST:
        notes.append(f"{len(tags) - TAGS_MOST} tags more than {TAGS_MOST}")
    files = tuple(name for one in record.related_files if (name := _inside(one)))
    if len(files) < len(record.related_files):
        notes.append("related_files: paths that lead out of the project")
    record = replace(record, title=title, tags=tags[:TAGS_MOST], related_files=files)
    left = {one.name for one in record.form.fields if one.choices or one.name == "expires"}
    wrong = {one.field for one in faults_of(record, whole=False)} & left
    notes += [str(one) for one in faults_of(record, whole=False) if one.field in wrong]
    values = tuple(
        (name, value)
        for name, value in record.values
        if name not in wrong and (name, value) != ("expires", _NO_END)
    )
    record = replace(record, values=values)
    if faults := faults_of(record, whole=False):
        raise BadInput(str(faults[0]))
    return record


def _tag(name: str) -> str:
    """A tag as a header holds it; empty for what seed 001 writes where there is none."""
    tag = " ".join(name.replace(",", " ").split()).lstrip("# ")
    return "" if tag == _NO_TAGS else tag


def _inside(name: str) -> str:
    """A path below the project's root, POSIX form; empty for one that may lead out of it."""
    path = _SEPARATOR.sub("/", name.strip())
    parts = PurePosixPath(path).parts
    if "\0" in path or path.startswith(("/", "~")) or ".." in parts or ":" in path[:2]:
        return ""
    return "" if "://" in path else "/".join(parts)


def _common(
    common: CommonFields, record: Record, path: Path, notes: list[str]
) -> CommonFields:  # fmt: skip
    created = common.created or common.updated
    if not created:
        raise BadInput("created_at: expected a time such as 2026-03-06T10:10:00Z")
    name = common.id
    if not name:
        name = path.stem if is_id(path.stem) else record_alias(path.stem)
        notes.append(f"the id is none, called {name}")
    since = "" if common.status == "active" else common.since or common.updated or created
    return common._replace(
        id=name, created=created, since=since,
        reason=shortened(" ".join(common.reason.split()), REASON_MOST),
    )  # fmt: skip


def _project(path: Path) -> str:
    """The folder that holds `.claude/memory`; empty for a folder elsewhere."""
    folder = path.parent.parent
    return folder.parent.parent.name if folder.parts[-2:] == _HOME else ""


def _turn(note: RecordNote, project: str) -> Turn:
    text = note_text(note)
    message = message_digest(STORE, project, note.record.schema, note.common.id, text)
    title = f"Records of {project}" if project else "Records"
    session = project or STORE
    return Turn(STORE, session, "assistant", text, note.common.created, message, project, title)
