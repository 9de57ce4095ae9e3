"""Codex CLI rollouts (`~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`) -> turns.

Formats seen: the bare items of September 2025 (no envelope, no times), and the envelope
`{timestamp, type, payload}` of 0.118 to 0.142 (verified 2026-11-20). Unofficial and drifting, so
unknown types are counted and passed over. Compressed rollouts (`.jsonl.zst`) are not read.

- In the envelope a text stands twice: as an event (what the person saw) and as an item (what the
  model saw). Turns come from the events, one for each message; items are taken only where a log
  has no such events (`rollout_form` decides). Context that the program puts in is no turn.
- Commands become elided lines on the answer they follow. They are taken from the items that call
  them; the events that tell how they ended (`exec_command_end`, `patch_apply_end`) are the same
  commands again, or ones that the person ran.
- The first `session_meta` (or bare first line) names session and folder: a fork repeats the one
  of the log it was copied from. The prompts of a sub-agent's log are a model's, and no turns; those
  of a session that a script drives (`source: exec`, `mcp`) are turns that a program wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from engram.capture.clean import said
from engram.capture.sources.codex.calls import CALLS, call_line
from engram.capture.sources.codex.rollout_form import RolloutForm
from engram.capture.sources.formats.json_lines import (
    MAX_LINE_BYTES as MAX_LINE_BYTES,
)
from engram.capture.sources.formats.json_lines import (
    Object,
    Place,
    unknown,
)
from engram.capture.sources.formats.json_lines import (
    objects as objects,
)
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords, texts
from engram.capture.sources.shared.source_base import DialogueLog, moved
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn

NAME = "codex"
_META, _ITEM, _EVENT, _CONTEXT = "session_meta", "response_item", "event_msg", "turn_context"
_ENVELOPES = frozenset([_META, _ITEM, _EVENT, _CONTEXT, "compacted"])
#: Types of lines that are known and say nothing of their own.
_SILENT = frozenset(["compacted", "world_state", "inter_agent_communication"])
#: Items that are known and say nothing of their own.
_SILENT_ITEMS = frozenset(
    [
        "function_call_output", "custom_tool_call_output", "tool_search_call",
        "tool_search_output", "image_generation_call", "ghost_snapshot", "compaction",
        "compaction_summary", "context_compaction", "additional_tools", "agent_message",
    ]
)  # fmt: skip
_ITEMS = _SILENT_ITEMS | CALLS | {"message", "reasoning"}
#: Events that are known and hold no turn of their own.
_SILENT_EVENTS = frozenset(
    [
        "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
        "token_count", "task_started", "task_complete", "turn_started", "turn_complete",
        "turn_aborted", "exec_command_begin", "exec_command_end", "patch_apply_begin",
        "patch_apply_end", "mcp_tool_call_begin", "mcp_tool_call_end", "web_search_begin",
        "web_search_end", "view_image_tool_call", "image_generation_end", "thread_goal_updated",
        "thread_name_updated", "thread_rolled_back", "context_compacted", "entered_review_mode",
        "exited_review_mode", "undo_completed", "item_completed", "injected_message",
        "sub_agent_activity", "error", "warning", "stream_error", "background_event",
        "plan_update", "turn_diff", "shutdown_complete", "session_configured",
        "guardian_assessment", "dynamic_tool_call_request", "dynamic_tool_call_response",
        "collab_agent_spawn_end", "collab_agent_interaction_end", "collab_waiting_end",
        "collab_close_end", "collab_resume_end",
    ]
)  # fmt: skip
_BLOCKS = ("text", "input_text", "output_text")
#: How a text begins that the program put in for the model.
_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS"
    r"|(?:skills|apps|plugins)_instructions|skill|turn_aborted|collaboration_mode"
    r"|subagent_notification|user_shell_command|user_action|hook_prompt|goal_context"
    r"|codex_internal_context|personality_spec|model_switch|realtime_conversation)\b"
    r"|# AGENTS\.md instructions|Another language model started to solve this problem)"
)
#: where a session began that a script or another agent drives (`codex exec`, the MCP server)
_SCRIPTED = ("exec", "mcp")
#: The tags around a picture.
_PICTURE = re.compile(r"\s*</?image\b[^<>]*>\s*")
#: What an editor puts before the words that were typed.
_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
_FOLDER = re.compile(r"<cwd>([^<>\n]{1,500})</cwd>")
#: What a first line of more than the bytes looked at begins with.
_TORN = re.compile(
    rb'[\s\xef\xbb\xbf]*\{"timestamp":\s*"[^"\\]{1,40}",\s*"type":\s*"'
    rb'(?:session_meta|response_item|event_msg|turn_context|compacted)",\s*"payload":\s*\{'
    rb'|[\s\xef\xbb\xbf]*\{"id":\s*"[^"\\]{1,80}",\s*"timestamp":\s*"[^"\\]{1,40}",'
    rb'\s*"instructions":'
)


class Codex(DialogueLog):
    """The source `codex`."""

    name = NAME
    verified = "2026-11-20"
    torn = _TORN

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folders of sessions and archived ones; `CODEX_HOME` moves them."""
        root = moved(environment, "CODEX_HOME", home / ".codex")
        return [root / "sessions", root / "archived_sessions"]

    def _knows(self, line: Object) -> bool:
        kind = line.get("type")
        if isinstance(line.get("payload"), dict):
            return isinstance(kind, str) and kind in _ENVELOPES
        return "record_type" in line or _is_bare_header(line)

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says."""
        rollout = _Rollout(reading)
        return rollout.dialogue.read(stream, self._max_line_bytes, rollout.take)


def _is_bare_header(line: Object) -> bool:
    return (
        "type" not in line
        and isinstance(line.get("id"), str)
        and "timestamp" in line
        and ("instructions" in line or "git" in line)
    )


class _Rollout:
    """One rollout as it is read."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self.dialogue = Dialogue(NAME, reading)
        self._form = RolloutForm(self.dialogue)

    def take(self, line: Object, place: Place) -> None:
        """Take in one object of a line."""
        kind, payload, stamp = line.get("type"), line.get("payload"), line.get("timestamp")
        if isinstance(payload, dict):
            if kind == _ITEM:
                self._item(payload, stamp, place)
            elif kind == _EVENT:
                self._event(payload, stamp, place)
            elif kind == _META:
                self._begin(payload, stamp)
            elif kind == _CONTEXT:
                self.dialogue.begins(None, payload.get("cwd"))
            elif not isinstance(kind, str) or kind not in _SILENT:
                unknown(self._reading, kind)
        elif _is_bare_header(line):
            self._form.without_events()
            self.dialogue.begins(line.get("id"), None, stamp)
        elif isinstance(kind, str) and kind in _ITEMS:
            self._form.without_events()
            self._item(line, stamp, place)
        elif "record_type" not in line:
            unknown(self._reading, kind)

    def _begin(self, meta: Object, stamp: object) -> None:
        """The header; only the first one counts."""
        first = "session" not in self.dialogue.state
        session = meta.get("id") or meta.get("session_id")
        self.dialogue.begins(session, meta.get("cwd"), meta.get("timestamp") or stamp)
        if first and _is_sub_agent(meta):
            self.dialogue.delegated()
        if first and meta.get("source") in _SCRIPTED:
            self.dialogue.scripted()

    def _event(self, event: Object, stamp: object, place: Place) -> None:
        kind, text = event.get("type"), event.get("message")
        if kind in ("user_message", "agent_message"):
            if not isinstance(text, str):
                unknown(self._reading, f"{kind} without text")
            elif kind == "agent_message":
                self._form.heard(SpokenWords(text, stamp, place))
            elif event.get("kind") in (None, "plain"):
                self._form.asked(SpokenWords(_typed([text]), stamp, place))
        elif not isinstance(kind, str) or kind not in _SILENT_EVENTS:
            unknown(self._reading, kind)

    def _item(self, item: Object, stamp: object, place: Place) -> None:
        kind = item.get("type")
        if kind == "message":
            self._message(item, stamp, place)
        elif kind == "reasoning":
            self._form.without_events()
        elif isinstance(kind, str) and kind in CALLS:
            self._form.without_events()
            self.dialogue.called(call_line(item))
        elif not isinstance(kind, str) or kind not in _SILENT_ITEMS:
            unknown(self._reading, kind)

    def _message(self, item: Object, stamp: object, place: Place) -> None:
        """An item with text; whether it counts is for the form to say."""
        role, own, parts = item.get("role"), item.get("id"), texts(item.get("content"), _BLOCKS)
        if role == "user":
            self._note_folder(parts)
            text, say = _typed(parts), self._form.item_asked
        elif role == "assistant":
            text, say = "\n".join(parts), self._form.item_heard
        else:
            if role not in ("developer", "system"):
                unknown(self._reading, f"message of {role if isinstance(role, str) else '(none)'}")
            return
        named = message_digest(NAME, "", own, text) if isinstance(own, str) and own else ""
        say(SpokenWords(text, stamp, place, named))

    def _note_folder(self, parts: list[str]) -> None:
        """The bare form names the folder nowhere but in the context for the model."""
        for part in parts:
            if "<environment_context>" in part[:100]:
                folder = _FOLDER.search(part)
                if folder is not None:
                    self.dialogue.begins(None, folder[1])


def _is_sub_agent(meta: Object) -> bool:
    source = meta.get("source")
    if isinstance(source, dict) and ("subagent" in source or "internal" in source):
        return True
    return meta.get("thread_source") in ("subagent", "memory_consolidation")


def _typed(parts: list[str]) -> str:
    """What a person typed in the texts of a prompt; empty when a program wrote them all."""
    own = [part for part in parts if not _INJECTED.match(part) and not _PICTURE.fullmatch(part)]
    text = said("\n".join(own))
    if text.startswith(_EDITOR):
        _, found, request = text.partition(_REQUEST)
        return request.strip() if found else text
    return text
