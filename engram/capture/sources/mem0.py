"""Memories of mem0, as its `get_all`, search or export writes them -> turns, one a memory.

Forms, as documented (2026-11-20; no real export was at hand): `{"results": [...]}`,
`{"memories": [...]}`, a bare list, JSON Lines; a memory is an object with its statement under
`memory`, in older forms under `text` or `data`.

The time of a turn is when the memory was made, its session the user's or else the run's id. Who
made a memory is seldom told, so a turn is the user's but where the memory says that the assistant
spoke. A memory that was changed is a new message. A project is taken only from what looks like a
name. Relations of a graph beside the results say nothing that the memories do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from engram.capture.sources.formats.json_lines import Object, time_of, unknown
from engram.capture.sources.formats.json_stream import elements
from engram.capture.sources.shared.exported import saved, word
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.model.ports import SourceReading, Tally
from engram.model.turn import Turn

NAME = "mem0"
_LISTS = frozenset({"results", "memories"})
_STATEMENTS = ("memory", "text", "data")
#: One of these stands beside the statement of every memory.
_MARKS = frozenset({"user_id", "agent_id", "run_id", "hash", "categories", "metadata"})
_NAME = re.compile(r"\w[\w .-]{0,79}")
_IDENTIFIER = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.I)


class Mem0(TranscriptSource):
    """The source `mem0`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".jsonl")
    verified = ""

    def recognises(self, head: bytes) -> bool:
        """Whether the first element is a memory with what mem0 writes beside it."""
        for listed, value in elements(BytesIO(head), Tally(), len(head), _LISTS):
            return isinstance(value, dict) and _is_memory(value, listed)
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All memories, as `model.ports.Source` says."""
        if stream.seekable():
            stream.seek(0)
        for _, value in elements(stream, reading.tally, self._max_line_bytes, _LISTS):
            turn = _turn(value, reading) if isinstance(value, dict) else None
            if turn is not None:
                yield turn
            elif not isinstance(value, dict) or not word(value, *_STATEMENTS):
                unknown(reading, "no memory")


def _is_memory(value: Object, listed: str) -> bool:
    if "role" in value and "content" in value:
        return False  # a message
    known = _STATEMENTS if listed else _STATEMENTS[:1]
    return bool(word(value, *known)) and bool(value.keys() & _MARKS)


def _turn(value: Object, reading: SourceReading) -> Turn | None:
    metadata = value.get("metadata")
    within: Object = metadata if isinstance(metadata, dict) else {}
    names = (within.get("project"), within.get("app_id"), value.get("app_id"))
    return saved(
        NAME,
        word(value, *_STATEMENTS),
        reading,
        id=_identifier(value.get("id")),
        time=time_of(value.get("created_at")) or time_of(value.get("updated_at")),
        session=_identifier(value.get("user_id")) or _identifier(value.get("run_id")) or NAME,
        project=next((name for one in names if (name := _plain(one))), ""),
        title="",
        role="assistant" if value.get("role") == "assistant" else "user",
    )


def _identifier(value: object) -> str:
    """An id as text: words, or a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _plain(value: object) -> str:
    """A project's name; empty for paths, ids and anything that is no name."""
    if not isinstance(value, str):
        return ""
    name = value.strip()
    return name if _NAME.fullmatch(name) and not _IDENTIFIER.fullmatch(name) else ""
