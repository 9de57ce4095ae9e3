"""Generic JSON Lines -> turns: one object a line with `role` and `content`, as programs export.

| key | other names | meaning |
|---|---|---|
| `role` | | `user`, `human`; `participant`: another person; `assistant`, `ai`, `model` |
| `content` | `text`, `message` | a string, or a list of strings and blocks with a `text` |
| `timestamp` | `time`, `ts`, `created_at` | ISO 8601 or Unix time; else the last one known |
| `session` | `session_id`, `sessionId` | conversation; else the file's name |
| `project` | | name or working folder |
| `speaker` | `author`, `name` | who said it, where people are named |
| `caption` | | of a picture that was sent along: `[photo: ...]` behind the words |
| `id` | `uuid`, `message_id` | part of the message's name |

A message without time is named by its line, so that a second "yes" is not taken for the first.
Objects that are no message are counted by their type or role, never raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from engram.capture.clean import base_name, readable, remember, said, shortened
from engram.capture.sources.formats.json_lines import (
    Object,
    digest,
    objects,
    records,
    short_name,
    time_of,
    unknown,
)
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.model.ids import message_digest
from engram.model.ports import SourceReading
from engram.model.turn import Role, Turn

NAME = "jsonl"
_ROLES: dict[str, Role] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant",
    "model": "assistant", "participant": "participant",
}  # fmt: skip
#: Roles that are known and say nothing of their own.
_OTHERS = frozenset({"system", "developer", "tool", "function"})
_CONTENTS = ("content", "text", "message")
_TIMES = ("timestamp", "time", "ts", "created_at")
_SESSIONS = ("session", "session_id", "sessionId")
_IDS = ("id", "uuid", "message_id")
_SPEAKERS = ("speaker", "author", "name")
_BLOCKS = ("text", "input_text", "output_text")


class JsonLines(TranscriptSource):
    """The source `jsonl`."""

    name = NAME
    suffixes: tuple[str, ...] = (".jsonl", ".ndjson")
    verified = ""
    in_any_order = True

    def recognises(self, head: bytes) -> bool:
        """Whether one of the first lines is an object with a role and a content of this format."""
        for line in head.split(b"\n", 20)[:20]:
            for found in objects(line)[0]:
                if _role(found) is not None and _text(found) is not None:
                    return True
        return False

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says."""
        end = (reading.offset, reading.line)
        for found, before, end in records(stream, reading, self._max_line_bytes):
            turns = [turn for one in found if (turn := _turn(one, reading, before[1])) is not None]
            for left in range(len(turns), 0, -1):
                reading.offset, reading.line = before if left > 1 else end
                yield turns[-left]
        reading.offset, reading.line = end


def _turn(line: Object, reading: SourceReading, number: int) -> Turn | None:
    """The turn of one object; None, counted where it is strange, when it is no message."""
    role, content = _role(line), _text(line)
    if role is None:
        kind = line.get("role") or line.get("type")
        if not isinstance(kind, str) or kind not in _OTHERS:
            unknown(reading, kind)
        return None
    if content is None:
        unknown(reading, f"{role} without content")
        return None
    caption = _word(line, ("caption",))
    text = said(f"{content}\n[photo: {caption}]" if caption else content)
    if not text:
        return None
    own = next((time for key in _TIMES if (time := time_of(line.get(key)))), "")
    if own:
        remember(reading.state, "time", own)
    time = own or reading.state.get("time") or reading.guess()
    session = short_name(_word(line, _SESSIONS) or reading.name)
    given = _word(line, _IDS)
    if given:
        message = message_digest(NAME, session, given, role, own, text)
    else:
        message = digest(NAME, session, role, own, number, text)
    folder = _word(line, ("project",))
    project = short_name(base_name(folder))
    title = shortened(readable(_word(line, ("title",))), 120)
    speaker = readable(_word(line, _SPEAKERS))
    return Turn(
        NAME, session, role, text, time, message, project, title, speaker=speaker, folder=folder
    )


def _role(line: Object) -> Role | None:
    role = line.get("role")
    return _ROLES.get(role.lower()) if isinstance(role, str) else None


def _text(line: Object) -> str | None:
    """The words of an object; None when it has no content that could hold any."""
    content = next((line[key] for key in _CONTENTS if line.get(key) is not None), None)
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = (block if isinstance(block, str) else _block(block) for block in content)
    return "\n".join(part for part in parts if part)


def _block(block: object) -> str:
    """The text of a block of a content list; empty when it is of another kind."""
    if not isinstance(block, dict) or block.get("type", "text") not in _BLOCKS:
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _word(line: Object, keys: tuple[str, ...]) -> str:
    """The first of some keys that has a word or a number, as text; empty when none has."""
    for key in keys:
        value = line.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""
