"""Kiro CLI (once Amazon Q CLI): conversations and the database that holds them -> turns.

Forms (2026-11-20): a document `{conversation_id, history: [{user, assistant}]}`; the tables
`conversations` (`key`, `value`) and `conversations_v2` (also `conversation_id`, `created_at`,
`updated_at`) of `data.sqlite3`, whose values are such documents and whose key is the working
folder; and the sessions of later engines, lines of their own (`kiro_sessions`). An entry of the
history may also be a pair, as Amazon Q wrote it.

- `user.content` is a `Prompt`, the results of tools, or cancelled tools with what was typed
  instead; an answer is a `Response` or a `ToolUse`.
- An answer has an id, and gives its prompt a name; else both are named by time, or place, and
  words. Times are often missing: then it is when the conversation was made, or first captured.
- In the newer table only conversations changed in the last day before the latest that was seen
  are read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import base_name, readable, said
from engram.capture.sources.formats.json_document import (
    decoded,
    documents,
    mapping,
    sequence,
    text_of,
)
from engram.capture.sources.formats.json_lines import (
    MAX_LINE_BYTES as MAX_LINE_BYTES,
)
from engram.capture.sources.formats.json_lines import (
    digest,
    objects,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.kiro.sessions import NAME, is_session_line, session_turns
from engram.capture.sources.shared.conversation import Conversation
from engram.capture.sources.shared.since import Since
from engram.capture.sources.shared.source_base import TranscriptSource, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.ports import ForeignRows, SourceReading
from engram.model.turn import Turn

SQLITE = b"SQLite format 3\0"
_NEWER, _OLDER = "conversations_v2", "conversations"
_COLUMNS = frozenset({"key", "conversation_id", "value", "created_at", "updated_at"})
_CREATED = re.compile(rb'create\s+table\s+(?:if\s+not\s+exists\s+)?[`"\[]?conversations\b', re.I)
_SPOKEN = re.compile(rb'"(?:Prompt|ToolUseResults|CancelledToolUses|Response|ToolUse)"\s*:')
_TOOLS_ONLY = frozenset({"ToolUseResults"})
#: Keys of the documents that lie beside sessions and describe them.
_DESCRIBED = frozenset({"session_id", "session_state", "workspacePaths"})


class Kiro(TranscriptSource):
    """The source `kiro`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".jsonl", ".sqlite3")
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The sessions, and the databases under the program's names where systems keep data."""
        places = [
            moved(environment, "XDG_DATA_HOME", home / ".local" / "share"),
            home / "Library" / "Application Support",
            moved(environment, "LOCALAPPDATA", home / "AppData" / "Local"),
        ]
        return [
            home / ".kiro" / "sessions",
            *(
                place / name / "data.sqlite3"
                for place in places
                for name in ("kiro-cli", "amazon-q")
            ),
        ]

    def recognises(self, head: bytes) -> bool:
        """Whether it begins like a conversation, its database, or a session of lines."""
        if head.startswith(SQLITE):
            made = _CREATED.search(head) is not None and b"auth_kv" in head
            return made or _NEWER.encode() in head
        bare = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\0 \t\r\n")
        first = objects(bare.split(b"\n", 1)[0])[0]
        if first and is_session_line(first[0]):
            return True
        return (
            bare[:1] == b"{"
            and b'"conversation_id"' in bare
            and b'"history"' in bare
            and _SPOKEN.search(bare) is not None
        )

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns of a document or what is new in a database, or lines from the offset on."""
        stream.seek(0)
        head = stream.readline(65_536)
        if head.startswith(SQLITE):
            if reading.database is None:
                reading.tally.unparsed_lines += 1
            else:
                yield from _stored(reading.database(), reading)
        elif any(map(is_session_line, objects(head)[0])):
            yield from session_turns(stream, reading, self._max_line_bytes)
        else:
            for value in documents(stream, reading, self._max_line_bytes):
                if isinstance(value, dict) and isinstance(value.get("history"), list):
                    yield from _told(value, reading, reading.name, "", None)
                elif not isinstance(value, dict) or not _DESCRIBED & value.keys():
                    unknown(reading, "document")


def _stored(database: ForeignRows, reading: SourceReading) -> Iterator[Turn]:
    """What is new in the database; notes in the state how far this went."""
    tables = database.tables()
    if not {_NEWER, _OLDER} & tables:
        reading.tally.unparsed_lines += 1
        return
    if _OLDER in tables:
        for (key,) in list(database.rows(f"select key from {_OLDER} order by key")):
            query = f"select value from {_OLDER} where key = ?"
            yield from _row(database, reading, query, (text_of(key),), text_of(key), None)
    if _NEWER in tables:
        yield from _newer(database, reading)


def _newer(database: ForeignRows, reading: SourceReading) -> Iterator[Turn]:
    columns = {name for (name,) in database.rows(f"select name from pragma_table_info('{_NEWER}')")}
    if not columns >= _COLUMNS:
        reading.tally.unparsed_lines += 1
        return
    since = Since(reading)
    rows = database.rows(
        f"select key, conversation_id, created_at, updated_at from {_NEWER}"
        " order by created_at, conversation_id"
    )
    for key, name, created, updated in list(rows):
        if since.is_new(updated):
            query = f"select value from {_NEWER} where key = ? and conversation_id = ?"
            names = (text_of(key), text_of(name))
            yield from _row(database, reading, query, names, text_of(key), created)
    since.settle()


def _row(
    database: ForeignRows, reading: SourceReading, query: str, names: tuple[str, ...], folder: str,
    created: object,
) -> Iterator[Turn]:  # fmt: skip
    for (column,) in list(database.rows(query, names)):
        value = decoded(column)
        if isinstance(value, dict):
            session = names[1] if len(names) > 1 else message_digest(NAME, folder)
            yield from _told(value, reading, session, folder, created)
        else:
            reading.tally.unparsed_lines += 1


def _told(
    value: Mapping[str, object], reading: SourceReading, name: str, folder: str, created: object
) -> Iterator[Turn]:
    """The turns of one conversation."""
    session = short_name(text_of(value.get("conversation_id")) or name)
    talk = Conversation(
        NAME, session, reading,
        project=short_name(base_name(folder)), began=time_of(created), folder=folder,
    )  # fmt: skip
    for number, entry in enumerate(sequence(value.get("history"))):
        reading.tally.lines += 1
        user, assistant, times = _entry(entry)
        answer = mapping(assistant.get("Response") or assistant.get("ToolUse"))
        given = text_of(answer.get("message_id"))
        talk.folder = _working_folder(user) or talk.folder
        if not talk.project:
            talk.project = short_name(base_name(talk.folder))
        text = _typed(user.get("content"), reading)
        if text:
            own = time_of(user.get("timestamp")) or time_of(times.get("request_start_timestamp_ms"))
            message = (
                message_digest(NAME, session, "user", given)
                if given
                else digest(NAME, session, "user", own, number, text)
            )
            yield from talk.say(text, own, message)
        text = readable(without_own(text_of(answer.get("content")))).strip()
        own = time_of(times.get("stream_end_timestamp_ms"))
        message = (
            message_digest(NAME, session, given)
            if given
            else digest(NAME, session, "assistant", own, number, text)
        )
        calls = (
            tool_line(call.get("name"), call.get("args"))
            for call in map(mapping, sequence(answer.get("tool_uses")))
        )
        yield from talk.answer(text, own, message, calls)
    yield from talk.close()


def _entry(entry: object) -> tuple[Mapping[str, object], ...]:
    """The user's side, the assistant's and what is known of the request."""
    if isinstance(entry, list):
        user, assistant = [*map(mapping, entry[:2]), {}, {}][:2]
        return user, assistant, {}
    both = mapping(entry)
    return (
        mapping(both.get("user")),
        mapping(both.get("assistant")),
        mapping(both.get("request_metadata")),
    )


def _working_folder(user: Mapping[str, object]) -> str:
    state = mapping(mapping(user.get("env_context")).get("env_state"))
    return text_of(state.get("current_working_directory"))


def _typed(content: object, reading: SourceReading) -> str:
    """What a person typed: a prompt, or what was said in place of a tool that was refused."""
    for kind, value in mapping(content).items():
        if kind in ("Prompt", "CancelledToolUses"):
            return said(text_of(mapping(value).get("prompt")))
        if kind not in _TOOLS_ONLY:
            unknown(reading, kind)
    return ""
