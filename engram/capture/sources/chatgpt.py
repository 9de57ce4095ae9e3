"""The data export of ChatGPT (the zip, its folder, or a `conversations.json`) -> turns.

Compared on 2026-11-20 with one reformatted sample and with a description of three others.
Only described by others, never seen here: numbered parts of large exports
(`conversations-000.json`), speech, single conversations from the web page's own interface. The
form of saved memories is a guess, and so a wide one.

- A conversation is a tree of messages. Its turns are those on the way from `current_node` up to
  the root: what an edit or a second try replaced is left out. Where that node is missing, the way
  begins at the last message of the tree that has no successor. A way in a circle ends.
- Of user and assistant the text and the transcripts of speech are taken. No turns are hidden
  messages, custom instructions, code and its output, web pages, thoughts, and what the assistant
  writes to a tool (its memory is one): that becomes an elided line on the answer beside it.
- The memories that ChatGPT saved are turns of the session `memories`, where the export has them:
  a file of their own, or a list in another file. The other files of an export say nothing.
- Project and custom GPT are known by id only: no project is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from engram.capture.sources.formats.json_lines import Object, time_of, unknown
from engram.capture.sources.formats.json_stream import elements, first_keys
from engram.capture.sources.formats.zip_archive import documents, glimpses
from engram.capture.sources.shared.exported import (
    CONVERSATIONS,
    MEMORIES,
    MEMORY_LISTS,
    ExportedConversation,
    ExportedMessage,
    memory_or_unknown,
    title_of,
    turns,
    word,
)
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.capture.sources.shared.tools import tool_line
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.turn import Turn

NAME = "chatgpt"
_LISTS = MEMORY_LISTS | {"conversations"}
_USER = re.compile(r"(?:\A|/)user\.json\Z", re.IGNORECASE)
#: Files that only this export has.
_OWN_FILES = (
    "chat.html", "message_feedback.json", "model_comparisons.json", "shared_conversations.json",
)  # fmt: skip
_SPOKEN = frozenset({"text", "multimodal_text"})
#: Kinds of content that are known and say nothing of their own.
_SILENT = frozenset(
    [
        "code", "execution_output", "tether_quote", "tether_browsing_display",
        "tether_browsing_code", "user_editable_context", "model_editable_context", "system_error",
        "system_message", "thoughts", "reasoning_recap", "sonic_webpage", "computer_output",
        "citable_code_output", "app_pairing_content", "super_widget",
    ]
)  # fmt: skip
_OTHERS = frozenset({"system", "tool", "developer"})


class ChatGpt(TranscriptSource):
    """The source `chatgpt`."""

    name = NAME
    suffixes: tuple[str, ...] = (".json", ".zip")
    verified = "2026-11-20"

    def recognises(self, head: bytes) -> bool:
        """Whether the first conversation has a tree of messages, or an archive begins like one."""
        if not head.startswith(b"PK"):
            return _is_conversation(head)
        return any(
            name.rpartition("/")[2].lower() in _OWN_FILES
            or (CONVERSATIONS.search(name) is not None and _is_conversation(content))
            or (_USER.search(name) is not None and b'"chatgpt_plus_user"' in content)
            for name, content in glimpses(head)
        )

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """All turns of the export, as `model.ports.Source` says; BadInput for a hopeless zip."""
        for name, document in documents(stream, reading, (CONVERSATIONS, MEMORIES, _USER)):
            for listed, value in elements(document, reading.tally, self._max_line_bytes, _LISTS):
                if isinstance(value, dict) and isinstance(value.get("mapping"), dict):
                    yield from _conversation(value, reading)
                else:
                    yield from memory_or_unknown(NAME, name, listed, value, reading)


def _is_conversation(head: bytes) -> bool:
    keys = first_keys(head)
    return keys.get("mapping") == "{" and bool(
        keys.keys() & {"title", "create_time", "current_node", "conversation_id"}
    )


def _conversation(whole: Object, reading: SourceReading) -> Iterator[Turn]:
    mapping = whole.get("mapping")
    nodes: Object = mapping if isinstance(mapping, dict) else {}
    path = _path(nodes, whole.get("current_node"))
    own = word(whole, "conversation_id", "id")
    time = _time(whole, "create_time") or _time(whole, "update_time")
    talk = ExportedConversation(NAME, own, title_of(whole.get("title")), "", time)
    messages = [said for key in path if (said := _said(key, nodes[key], reading)) is not None]
    return turns(talk, messages, reading)


def _path(nodes: Object, current: object) -> list[str]:
    """The keys on the way from the root to the current node."""
    at = current if isinstance(current, str) and current in nodes else _last(nodes)
    path: dict[str, None] = {}
    while at is not None and at not in path:
        path[at] = None
        node = nodes[at]
        above = node.get("parent") if isinstance(node, dict) else None
        at = above if isinstance(above, str) and above in nodes else None
    return list(reversed(path))


def _last(nodes: Object) -> str | None:
    """The last node without a successor: newer exports name children in part, or parents only."""
    parents = {
        above
        for node in nodes.values()
        if isinstance(node, dict) and isinstance(above := node.get("parent"), str)
    }
    for key in reversed(nodes):
        node = nodes[key]
        if key not in parents and isinstance(node, dict) and not node.get("children"):
            return key
    return None


def _said(key: str, node: object, reading: SourceReading) -> ExportedMessage | None:
    """What a node of the tree holds: words, or a call of a tool; None for anything else.

    The node's key is the message's own id, and unlike the id inside it is there once.
    """
    message = node.get("message") if isinstance(node, dict) else None
    if not isinstance(message, dict):
        return None
    author, metadata, content = (message.get(k) for k in ("author", "metadata", "content"))
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    role = author.get("role") if isinstance(author, dict) else None
    if role == "user":
        return ExportedMessage("user", _text(content, reading), _time(message, "create_time"), key)
    if role != "assistant":
        if not isinstance(role, str) or role not in _OTHERS:
            unknown(reading, role)
        return None
    recipient = message.get("recipient")
    if recipient not in (None, "all"):
        call = tool_line(recipient, None)
        return ExportedMessage("assistant", calls=[call]) if call else None
    return ExportedMessage("assistant", _text(content, reading), _time(message, "create_time"), key)


def _text(content: object, reading: SourceReading) -> str:
    """The words of a content, those of spoken parts too; empty, counted if strange, without any."""
    if not isinstance(content, dict):
        return ""
    kind = content.get("content_type")
    if not isinstance(kind, str) or kind not in _SPOKEN:
        if not isinstance(kind, str) or kind not in _SILENT:
            unknown(reading, kind)
        return ""
    parts = content.get("parts")
    words = [_part(part) for part in parts] if isinstance(parts, list) else []
    return "\n".join(part for part in words if part is not None)


def _part(part: object) -> str | None:
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        part = part.get("text")
    return part if isinstance(part, str) else None


def _time(value: Object, key: str) -> Instant:
    """A time of this export; 0 stands for none."""
    found = value.get(key)
    return time_of(found) if found else ""
