"""Pi session files (`~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`) -> turns.

Formats seen: session versions 1 to 3 (verified 2026-11-20). OpenClaw wrote the same lines up to
2026.7 (`~/.openclaw/agents/<agent>/sessions/*.jsonl`), which are read as well; its newer database
is not. Unknown types are counted and passed over. One turn is what a person typed, or the text of
one message of the assistant; its tool calls become elided lines.

- A `session` line names session and folder, `session_info` the title. Everything else that is no
  `message` says nothing a person said: changes of model, summaries, what extensions put in.
- Of messages, tool results, commands that were run with `!` and summaries are no turns.
- Entries form a tree; they are read in file order, so that no branch is lost.
- A message is named by its id and time alone: copies that a fork makes are the same.
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

NAME = "pi"
_HEADER = "session"
_CHANGES = frozenset(["model_change", "thinking_level_change"])
#: Types that are known and say nothing of their own.
_SILENT = _CHANGES | frozenset(
    [
        "compaction", "branch_summary", "custom", "custom_message", "label", "usage",
        "context_edit", "context_transform", "ephemeral",
    ]
)  # fmt: skip
#: Roles that are known and are no turns.
_OTHERS = frozenset(
    ["toolResult", "bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"]
)
#: What a header of more than the bytes looked at begins with.
_TORN = re.compile(rb'[\s\xef\xbb\xbf]*\{"type":\s*"session",\s*"(?:version":\s*\d|id":\s*")')


class Pi(DialogueLog):
    """The source `pi`."""

    name = NAME
    verified = "2026-11-20"
    torn = _TORN
    first_lines = 10

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """Pi's sessions folder and OpenClaw's agents; each has its own variables that move it."""
        inside = moved(environment, "PI_CODING_AGENT_DIR", home / ".pi" / "agent") / "sessions"
        return [
            moved(environment, "PI_CODING_AGENT_SESSION_DIR", inside),
            moved(environment, "OPENCLAW_STATE_DIR", home / ".openclaw") / "agents",
        ]

    def _knows(self, line: Object) -> bool:
        kind = line.get("type")
        if kind == _HEADER:
            return isinstance(line.get("id"), str) and "timestamp" in line
        return isinstance(kind, str) and kind in _CHANGES and "timestamp" in line

    def _take(self, line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
        kind = line.get("type")
        if kind == "message":
            _hear(line, place, dialogue, reading)
        elif kind == _HEADER:
            dialogue.begins(line.get("id"), line.get("cwd"), line.get("timestamp"))
        elif kind == "session_info":
            dialogue.titled(line.get("name"))
        elif not isinstance(kind, str) or kind not in _SILENT:
            unknown(reading, kind)


def _hear(line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
    """Take in one message: text becomes a turn, a tool call one line."""
    message = line.get("message")
    if not isinstance(message, dict):
        unknown(reading, "message without content")
        return
    role, content = message.get("role"), message.get("content")
    own, stamp = line.get("id"), line.get("timestamp") or message.get("timestamp")
    named = ""
    if isinstance(own, str) and own and isinstance(stamp, str | int | float):
        named = message_digest(NAME, "", own, str(stamp))
    text = "\n".join(texts(content))
    if role == "user":
        dialogue.asked(SpokenWords(said(text), stamp, place, named))
    elif role == "assistant":
        dialogue.answered(SpokenWords(text, stamp, place, named))
        for block in blocks(content, "toolCall"):
            dialogue.called(tool_line(block.get("name"), block.get("arguments")))
    elif not isinstance(role, str) or role not in _OTHERS:
        unknown(reading, f"message of {role if isinstance(role, str) else '(none)'}")
