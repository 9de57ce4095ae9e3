"""Sessions of Kiro CLI's later engines (`~/.kiro/sessions`) -> turns. Lines that are only added.

Two forms (2026-11-20). `cli/<session>.jsonl`: `{version, kind, data: {message_id, content, meta}}`
with kinds `Prompt`, `AssistantMessage` and `ToolResults`. `<workspace>/sess_<id>/messages.jsonl`:
`{id, timestamp, payload: {type, ...}}`, where an answer is what the operation `Say` wrote and a
prompt that the program made itself says so. What a sub-agent said within a session is no answer.

The session is the name of the file, or of its folder where every file is called alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from engram.capture.clean import said
from engram.capture.sources.formats.json_document import mapping, sequence, text_of
from engram.capture.sources.formats.json_lines import Object, Place, unknown
from engram.capture.sources.shared.dialogue import Dialogue, SpokenWords
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Turn

NAME = "kiro"
_KINDS = frozenset({"Prompt", "AssistantMessage", "ToolResults", "Clear", "Compaction"})
_TYPES = frozenset(
    [
        "session_start", "user", "assistant", "tool_call", "tool_result", "turn_start", "turn_end",
        "usage_summary", "session_metadata", "session_event", "sub_agent_start", "sub_agent_end",
    ]
)  # fmt: skip
_ALIKE = "messages"


def is_session_line(line: Object) -> bool:
    """Whether an object is a line of one of the two forms."""
    if text_of(line.get("kind")) in _KINDS:
        return "data" in line
    payload = line.get("payload")
    return (
        isinstance(payload, dict)
        and text_of(payload.get("type")) in _TYPES
        and "type" not in line
        and "id" in line
    )


def session_turns(stream: BinaryIO, reading: SourceReading, most: int) -> Iterator[Turn]:
    """Turns from `reading.offset` on."""
    session = _KiroSession(reading)
    yield from session.talk.read(stream, most, session.take)


class _KiroSession:
    """The lines of one session."""

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        self.talk = Dialogue(NAME, reading)
        self.talk.begins(reading.path.parent.name if reading.name == _ALIKE else reading.name)

    def take(self, line: Object, place: Place) -> None:
        """Take in one line."""
        kind = line.get("kind") if "kind" in line else mapping(line.get("payload")).get("type")
        if not isinstance(kind, str) or kind not in _KINDS | _TYPES:
            unknown(self._reading, kind)
        elif "kind" in line:
            self._take_message(kind, mapping(line.get("data")), place)
        else:
            self._take_event(kind, line, mapping(line.get("payload")), place)

    def _take_message(self, kind: str, data: Mapping[str, object], place: Place) -> None:
        content, given = data.get("content"), data.get("message_id")
        text = "\n".join(text_of(block.get("data")) for block in _blocks(content, "text"))
        if kind == "Prompt":
            stamp = mapping(data.get("meta")).get("timestamp")
            self.talk.asked(self._words(said(text), stamp, given, place))
        elif kind == "AssistantMessage":
            self.talk.answered(self._words(text, "", given, place))
            for call in map(mapping, (block.get("data") for block in _blocks(content, "toolUse"))):
                self.talk.called(tool_line(call.get("name"), call.get("input")))

    def _take_event(
        self, kind: str, line: Object, payload: Mapping[str, object], place: Place
    ) -> None:
        if payload.get("subExecutionId"):
            return
        text, stamp, given = text_of(payload.get("content")), line.get("timestamp"), line.get("id")
        if kind == "user" and not _is_synthetic(payload):
            self.talk.asked(self._words(said(text), stamp, given, place))
        elif kind == "assistant" and payload.get("operationType") == "Say":
            self.talk.answered(self._words(text, stamp, given, place))
        elif kind == "tool_call":
            self.talk.called(tool_line(payload.get("toolName"), payload.get("args")))

    def _words(self, text: str, stamp: object, given: object, place: Place) -> SpokenWords:
        named = isinstance(given, str) and given
        message = message_digest(NAME, self.talk.session, str(given)) if named else ""
        return SpokenWords(text, stamp, place, message)


def _is_synthetic(payload: Mapping[str, object]) -> bool:
    """Whether the program made a prompt itself, and says why."""
    own = mapping(mapping(payload.get("_meta")).get("kiro"))
    return bool(own.get("syntheticUserMessageReason"))


def _blocks(content: object, kind: str) -> Iterator[Mapping[str, object]]:
    return (block for block in map(mapping, sequence(content)) if block.get("kind") == kind)
