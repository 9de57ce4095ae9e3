"""Factory Droid session files (`~/.factory/sessions/<folder>/<session>.jsonl`) -> turns.

Formats seen: session version 2 (verified 2026-11-20); unofficial and drifting, so unknown types
are counted and passed over. One turn is what a person typed, or the text of one message of the
assistant; its tool calls become elided lines.

- A `session_start` line names session, title and folder. Where it names a session that called it,
  the file is a sub-agent's: its prompts are no turns.
- A message with a `visibility` is for the model alone (the context that opens a session) or for
  the screen alone (billing notices): it is no turn. Tool results come as `user` messages.
- Beside the transcript lies `<session>.settings.json`; it holds no words and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import said
from engram.capture.sources.formats.json_lines import (
    MAX_LINE_BYTES,
    Object,
    Place,
    objects,
    unknown,
)
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords, blocks, texts
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn

NAME = "factory-droid"
_START = "session_start"
#: Types that are known and say nothing of their own.
_SILENT = frozenset(["todo_state", "compaction_state", "agent_turn_outcome", "session_end"])
#: Roles that are known and are no turns.
_OTHERS = frozenset(["system", "tool"])
#: What a header of more than the bytes looked at begins with.
_TORN = re.compile(rb'[\s\xef\xbb\xbf]*\{"type":\s*"session_start",\s*"id":\s*"')


class FactoryDroid:
    """The source `factory-droid`."""

    name = NAME
    suffixes: tuple[str, ...] = (".jsonl",)
    verified = "2026-11-20"

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The sessions folder; `FACTORY_HOME_OVERRIDE` takes the place of the home folder."""
        moved = environment.get("FACTORY_HOME_OVERRIDE")
        return [(Path(moved) if moved else home) / ".factory" / "sessions"]

    def recognises(self, head: bytes) -> bool:
        """Whether one of the first lines is the header of such a session."""
        if _TORN.match(head):
            return True
        return any(
            found.get("type") == _START and ("cwd" in found or "title" in found)
            for line in head.split(b"\n", 5)[:5]
            for found in objects(line)[0]
        )

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says."""
        dialogue = Dialogue(NAME, reading)

        def take(line: Object, place: Place) -> None:
            kind = line.get("type")
            if kind == "message":
                _hear(line, place, dialogue, reading)
            elif kind == _START:
                _begin(line, dialogue)
            elif not isinstance(kind, str) or kind not in _SILENT:
                unknown(reading, kind)

        return dialogue.read(stream, self._max_line_bytes, take)


def _begin(line: Object, dialogue: Dialogue) -> None:
    dialogue.begins(line.get("id"), line.get("cwd"), line.get("timestamp"))
    title = line.get("sessionTitle")
    dialogue.titled(title if isinstance(title, str) and title.strip() else line.get("title"))
    if line.get("callingSessionId") or line.get("callingToolUseId"):
        dialogue.delegated()


def _hear(line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
    """Take in one message: text becomes a turn, a tool call one line."""
    message = line.get("message")
    if not isinstance(message, dict):
        unknown(reading, "message without content")
        return
    if message.get("visibility") or line.get("visibility"):
        return
    role, content, own = message.get("role"), message.get("content"), line.get("id")
    named = message_digest(NAME, dialogue.session, own) if isinstance(own, str) and own else ""
    text = "\n".join(texts(content))
    if role == "user":
        dialogue.asked(SpokenWords(said(text), line.get("timestamp"), place, named))
    elif role == "assistant":
        dialogue.answered(SpokenWords(text, line.get("timestamp"), place, named))
        for block in blocks(content, "tool_use"):
            dialogue.called(tool_line(block.get("name"), block.get("input")))
    elif not isinstance(role, str) or role not in _OTHERS:
        unknown(reading, f"message of {role if isinstance(role, str) else '(none)'}")
