"""Copilot CLI logs (`~/.copilot/session-state/<session>/events.jsonl`) -> turns.

Formats seen: 1.0.40 to 1.0.64 (verified 2026-11-20); unofficial and drifting, so unknown types
are counted and passed over. One turn is what a person typed, or the text of one
`assistant.message`; the tools that are run behind it become elided lines.

- Every line is `{type, data, id, timestamp, parentId}`; most are hooks and tool calls.
- Of a prompt `content` is what was typed; `transformedContent` has context added to it. A prompt
  with a `source` (a skill's body, an agent), of a sub-agent, or of the autopilot was not typed.
- `session.start` names session and folder. The folder a log lies in is not its session.
- Sessions of before the event log (`history-session-state/*.json`) are not read: the program
  itself turns one into an event log when it is resumed.
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
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords
from engram.capture.sources.shared.source_base import DialogueLog, moved
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.ports import SourceReading

NAME = "copilot-cli"
#: Types that are known and hold no turn of their own.
_SILENT = frozenset(
    [
        "session.error", "session.idle", "session.info", "session.warning",
        "session.model_change", "session.mode_changed", "session.plan_changed",
        "session.workspace_file_changed", "session.import_legacy", "session.handoff",
        "session.truncation", "session.snapshot_rewind", "session.shutdown",
        "session.context_changed", "session.usage_info", "session.compaction_start",
        "session.compaction_complete", "session.task_complete", "session.tools_updated",
        "session.background_tasks_changed", "session.skills_loaded",
        "session.custom_agents_updated", "session.mcp_servers_loaded",
        "session.mcp_server_status_changed", "session.extensions_loaded",
        "assistant.turn_start", "assistant.turn_end", "assistant.intent", "assistant.reasoning",
        "assistant.usage", "tool.user_requested", "tool.execution_partial_result",
        "tool.execution_progress", "tool.execution_complete", "skill.invoked",
        "subagent.started", "subagent.completed", "subagent.failed", "subagent.selected",
        "subagent.deselected", "hook.start", "hook.end", "system.message",
        "system.notification", "permission.requested", "permission.completed",
        "user_input.requested", "user_input.completed", "elicitation.requested",
        "elicitation.completed", "external_tool.requested", "external_tool.completed",
        "command.queued", "command.completed", "exit_plan_mode.requested",
        "exit_plan_mode.completed", "pending_messages.modified", "abort",
    ]
)  # fmt: skip
_HEADERS = frozenset(["session.start", "session.resume"])
_TITLE = "session.title_changed"
_SPOKEN = frozenset(["user.message", "assistant.message", "tool.execution_start"])
#: What a first line of more than the bytes looked at begins with.
_TORN = re.compile(rb'[\s\xef\xbb\xbf]*\{"type":\s*"session\.start",\s*"data":\s*\{')


class CopilotCli(DialogueLog):
    """The source `copilot-cli`."""

    name = NAME
    verified = "2026-11-20"
    torn = _TORN

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folder of session states; `COPILOT_HOME` moves it."""
        return [moved(environment, "COPILOT_HOME", home / ".copilot") / "session-state"]

    def _knows(self, line: Object) -> bool:
        kind = line.get("type")
        return (
            isinstance(kind, str)
            and "." in kind
            and (kind in _SILENT or kind in _HEADERS or kind in _SPOKEN)
            and isinstance(line.get("data"), dict)
        )

    def _take(self, line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
        kind, data = line.get("type"), line.get("data")
        if not isinstance(kind, str) or kind in _SILENT:
            if not isinstance(kind, str):
                unknown(reading, kind)
        elif not isinstance(data, dict):
            unknown(reading, f"{kind} without data")
        elif kind in _SPOKEN:
            _hear(kind, data, line, place, dialogue)
        elif kind in _HEADERS:
            context = data.get("context")
            folder = context.get("cwd") if isinstance(context, dict) else None
            stamp = data.get("startTime") or line.get("timestamp")
            dialogue.begins(data.get("sessionId"), folder, stamp)
        elif kind == _TITLE:
            dialogue.titled(data.get("title"))
        else:
            unknown(reading, kind)


def _hear(kind: str, data: Object, line: Object, place: Place, dialogue: Dialogue) -> None:
    """Take in one event of the conversation."""
    if kind == "tool.execution_start":
        dialogue.called(tool_line(data.get("toolName"), data.get("arguments")))
        return
    content, own = data.get("content"), line.get("id")
    if not isinstance(content, str):
        return
    named = message_digest(NAME, dialogue.session, own) if isinstance(own, str) and own else ""
    if kind == "assistant.message":
        dialogue.answered(SpokenWords(content, line.get("timestamp"), place, named))
    elif _was_typed(data, line):
        dialogue.asked(SpokenWords(said(content), line.get("timestamp"), place, named))


def _was_typed(data: Object, line: Object) -> bool:
    """Whether a person wrote a prompt, not a skill, an agent or the autopilot."""
    if data.get("source") not in (None, "", "user") or data.get("isAutopilotContinuation"):
        return False
    return not (line.get("agentId") or data.get("parentToolCallId"))
