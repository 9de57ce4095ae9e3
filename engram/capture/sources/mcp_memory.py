"""The knowledge graph of the reference MCP memory server -> turns, one a statement.

Forms, as documented (2026-11-20; no real file was at hand): the server's own, a JSON object a line
(`entity`, `relation`), and the graph as one document, `{"entities": [...], "relations": [...]}`.

An observation becomes `NAME (TYPE): observation`, a relation `FROM relation words TO.`, each the
user's in the session `mcp-memory`. The file has no times and is rewritten whole: a statement has
the time of the file's first capture and is named by its words, so that one which moved is the same
message. Names and observations come from models: each is put on one line, and cut between words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import said, shortened
from engram.capture.sources.formats.json_lines import Object, short_name, unknown
from engram.capture.sources.formats.json_stream import elements
from engram.capture.sources.shared.exported import saved, word
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.model.ports import SourceReading, Tally
from engram.model.turn import Turn

NAME = "mcp-memory"
_LISTS = {"entities": "entity", "relations": "relation"}
MAX_OBSERVATION = 4000


class McpMemory(TranscriptSource):
    """The source `mcp-memory`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".jsonl")
    verified = ""

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The file that `MEMORY_FILE_PATH` names; elsewhere the server keeps it in its program."""
        named = Path(environment.get("MEMORY_FILE_PATH", ""))
        return [named] if named.is_absolute() else []

    def recognises(self, head: bytes) -> bool:
        """Whether the first element is an entity or a relation."""
        lists = frozenset(_LISTS)
        for listed, value in elements(BytesIO(head), Tally(), len(head), lists):
            if not isinstance(value, dict):
                return False
            kind = value.get("type") or _LISTS.get(listed)
            if kind == "entity":
                return bool(word(value, "name")) and isinstance(value.get("observations"), list)
            return kind == "relation" and bool(word(value, "from") and word(value, "relationType"))
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All statements of the graph, as `model.ports.Source` says."""
        if stream.seekable():
            stream.seek(0)
        lists = frozenset(_LISTS)
        for listed, value in elements(stream, reading.tally, self._max_line_bytes, lists):
            for statement in _statements(listed, value, reading):
                turn = saved(NAME, statement, reading, session=NAME, title="")
                if turn is not None:
                    yield turn


def _statements(listed: str, value: object, reading: SourceReading) -> Iterator[str]:
    kind = (value.get("type") or _LISTS.get(listed)) if isinstance(value, dict) else None
    if isinstance(value, dict) and kind == "entity":
        yield from _observations(value)
    elif isinstance(value, dict) and kind == "relation":
        yield from _relation(value)
    else:
        unknown(reading, kind)


def _observations(entity: Object) -> Iterator[str]:
    name, kind = _name(entity.get("name")), _name(entity.get("entityType"))
    observations = entity.get("observations")
    for one in observations if name and isinstance(observations, list) else ():
        text = shortened(_line(one), MAX_OBSERVATION)
        if text:
            yield f"{name} ({kind}): {text}" if kind else f"{name}: {text}"


def _relation(relation: Object) -> Iterator[str]:
    begin, end = _name(relation.get("from")), _name(relation.get("to"))
    kind = _name(relation.get("relationType")).replace("_", " ").strip()
    if begin and kind and end:
        yield f"{begin} {kind} {end}."


def _name(value: object) -> str:
    return short_name(_line(value))


def _line(value: object) -> str:
    """Text on one line; empty for anything else."""
    return " ".join(said(value).split()) if isinstance(value, str) else ""
