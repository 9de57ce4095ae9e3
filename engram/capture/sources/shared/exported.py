"""Exported conversations and saved memories of chat services -> turns.

- A message without a time has that of the one before it, else of the one after it, else of its
  conversation, else that of the first capture.
- A message is named by its conversation's id and its own. Where either is missing, or an id comes
  twice, role, time, place and words are part of the name, so that no words are lost.
- Tool calls become elided lines on the answer they follow, or before any answer to the same
  prompt, precede.
- A saved memory is one turn of the user in the session `memories`, named by its words and its id:
  an altered one is a new message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engram.capture.clean import readable, remember, said, shortened
from engram.capture.sources.formats.json_lines import Object, short_name, time_of, unknown
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.text import first_line
from engram.model.turn import Role, Turn

#: Names of the files of an export: all conversations, numbered parts of them, one file each.
CONVERSATIONS = re.compile(r"(?:\A|/)conversations(?:[-_/][^/]*)?\.json\Z", re.IGNORECASE)
MEMORIES = re.compile(r"(?:\A|/)(?:saved_)?memor(?:y|ies)\.json\Z", re.IGNORECASE)
#: Names of lists of such memories inside a document.
MEMORY_LISTS = frozenset({"memory", "memories", "saved_memories"})
SESSION = "memories"
TITLE = "Saved memories"
_STATEMENTS = ("content", "memory", "text", "statement", "value")
_IDS = ("id", "uuid", "memory_id")
_TIMES = ("created_at", "create_time", "created_timestamp", "updated_at", "update_time")
_MAX_TITLE = 120
_MAX_TOOLS = 50


@dataclass(slots=True)
class ExportedMessage:
    """One message: who said what, when, under which id, and the elided lines of its tool calls."""

    role: Role
    text: str = ""
    time: Instant = ""
    id: str = ""
    calls: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A conversation: its source, its own id if it has one, and what is known of it."""

    source: str
    id: str = ""
    title: str = ""
    project: str = ""
    time: Instant = ""


def turns(
    talk: ExportedConversation, messages: Sequence[ExportedMessage], reading: SourceReading
) -> Iterator[Turn]:
    """The turns of a conversation; messages without text only bring their tool calls."""
    session = short_name(talk.id or reading.name)
    last = next((one.time for one in messages if one.time), talk.time) or first_capture(reading)
    seen: set[str] = set()
    for place, (one, text, calls) in enumerate(_spoken(messages)):
        if one.id and talk.id and one.id not in seen:
            seen.add(one.id)
            message = message_digest(talk.source, talk.id, one.id)
        else:
            parts = ("" if talk.id else talk.title, one.role, one.time or talk.time, one.id)
            message = message_digest(talk.source, session, *parts, f"message {place}", text)
        last = one.time or last
        yield Turn(
            talk.source, session, one.role, text, last, message, talk.project, talk.title,
            _elided(calls),
        )  # fmt: skip


def _elided(calls: list[str]) -> tuple[str, ...]:
    more = len(calls) - _MAX_TOOLS
    return (*calls[:_MAX_TOOLS], *([f"and {more} more"] if more > 0 else []))


def _spoken(messages: Sequence[ExportedMessage]) -> list[tuple[ExportedMessage, str, list[str]]]:
    """The messages that say something, their cleaned text, and the tool calls that are theirs."""
    spoken: list[tuple[ExportedMessage, str, list[str]]] = []
    #: those of the last answer, or else those that wait for the first
    calls: list[str] = []
    for one in messages:
        if one.role == "user":
            text = said(one.text)
        else:
            text = readable(without_own(one.text)).strip()
        if one.role == "user" and text:
            calls = []
            spoken.append((one, text, []))
        elif text:
            if spoken and spoken[-1][2] is calls:
                calls = []
            calls += one.calls
            spoken.append((one, text, calls))
        else:
            calls += one.calls
    return spoken


def saved(
    source: str,
    statement: str,
    reading: SourceReading,
    *,
    id: str = "",
    time: Instant = "",
    session: str = SESSION,
    project: str = "",
    title: str = TITLE,
    role: Role = "user",
) -> Turn | None:
    """The turn of a saved memory; None for one without words."""
    text = said(statement)
    if not text:
        return None
    message = message_digest(source, session, id, text)
    time = time or first_capture(reading)
    return Turn(source, short_name(session), role, text, time, message, project, title)


def saved_memory(source: str, value: object, reading: SourceReading) -> Turn | None:
    """The turn of one entry of a list of saved memories: words, or an object that holds them."""
    if isinstance(value, str):
        return saved(source, value, reading)
    if not isinstance(value, dict):
        return None
    time = next((found for key in _TIMES if (found := time_of(value.get(key)))), "")
    return saved(source, word(value, *_STATEMENTS), reading, id=word(value, *_IDS), time=time)


def memory_or_unknown(
    source: str, name: str, listed: str, value: object, reading: SourceReading
) -> Iterator[Turn]:
    """An element of an export's file that is no conversation: a saved memory, or it is counted."""
    if listed in MEMORY_LISTS or (MEMORIES.search(name) and not listed):
        turn = saved_memory(source, value, reading)
        if turn is not None:
            yield turn
    elif listed or CONVERSATIONS.search(name):
        unknown(reading, "conversation without messages")


def first_capture(reading: SourceReading) -> Instant:
    """The time for what carries none: when the file was first read, whenever it is read again."""
    if "time" not in reading.state:
        remember(reading.state, "time", reading.guess())
    return reading.state["time"]


def title_of(value: object) -> str:
    """A title on one line, cut between words; empty for anything but text."""
    if not isinstance(value, str):
        return ""
    return shortened(readable(first_line(value, len(value))), _MAX_TITLE)


def word(value: Object, *keys: str) -> str:
    """The first of some keys that holds text; empty when none does."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return found
    return ""
