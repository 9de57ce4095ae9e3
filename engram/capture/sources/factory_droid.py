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
from collections.abc import Mapping
from pathlib import Path

from engram.capture.clean import said
from engram.capture.sources.formats.json_lines import (
    Object,
    Place,
    unknown,
)
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords, blocks, texts
from engram.capture.sources.shared.source_base import DialogueLog, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.ports import SourceReading

NAME = "factory-droid"
_START = "session_start"
#: Types that are known and say nothing of their own.
_SILENT = frozenset(["todo_state", "compaction_state", "agent_turn_outcome", "session_end"])
#: Roles that are known and are no turns.
_OTHERS = frozenset(["system", "tool"])
#: What a header of more than the bytes looked at begins with.
_TORN = re.compile(rb'[\s\xef\xbb\xbf]*\{"type":\s*"session_start",\s*"id":\s*"')


class FactoryDroid(DialogueLog):
    """The source `factory-droid`."""

    name = NAME
    verified = "2026-11-20"
    torn = _TORN
    first_lines = 5

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The sessions folder; `FACTORY_HOME_OVERRIDE` takes the place of the home folder."""
        return [moved(environment, "FACTORY_HOME_OVERRIDE", home) / ".factory" / "sessions"]

    def _knows(self, line: Object) -> bool:
        return line.get("type") == _START and ("cwd" in line or "title" in line)

    def _take(self, line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
        kind = line.get("type")
        if kind == "message":
            _hear(line, place, dialogue, reading)
        elif kind == _START:
            _begin(line, dialogue)
        elif not isinstance(kind, str) or kind not in _SILENT:
            unknown(reading, kind)


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
