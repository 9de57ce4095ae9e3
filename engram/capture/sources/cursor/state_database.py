"""The database of Cursor's editor (`state.vscdb`) -> turns.

The table `cursorDiskKV` (2026-11-20) holds a JSON value for each key: `composerData:<id>` a
conversation, whose messages are `bubbleId:<id>:<bubble>` in the order of its
`fullConversationHeadersOnly`, or stand in it (`conversation`, older versions). A bubble's type is
1 for the person, 2 for the assistant.

- Conversations that changed in the last day before the latest one that was seen are read again,
  and all that have no time; digests keep copies out.
- While an answer is generated its last bubble is left for the next reading.
- Conversations of sub-agents are the model's own, and a bubble that marks a compaction says
  nothing: no turns. One whose words take more than a line may have is counted and passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from engram.capture.clean import base_name, readable, said, shortened
from engram.capture.sources.formats.json_document import decoded, mapping, sequence, text_of
from engram.capture.sources.formats.json_lines import short_name, time_of, unknown
from engram.capture.sources.shared.conversation import Conversation
from engram.capture.sources.shared.since import Since
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import ForeignRows, SourceReading
from engram.model.text import first_line
from engram.model.turn import Turn

NAME = "cursor"
SQLITE = b"SQLite format 3\0"
TABLE = "cursorDiskKV"
#: From so many characters on a text is a name of its own within its conversation.
_TELLING = 40
_MAX_TITLE = 120
_USER, _ASSISTANT, _COMPACTION = 1, 2, 22
_COMPOSER = "composerData:"


def named(session: str, role: str, text: str, place: str) -> str:
    """The digest of a message: from its words, and its place where they are few."""
    parts = (role, text) if len(text) >= _TELLING else (role, text, place)
    return message_digest(NAME, session, *parts)


def stored(database: ForeignRows, reading: SourceReading, most: int) -> Iterator[Turn]:
    """What is new in the database; notes in the state how far this went."""
    if TABLE not in database.tables():
        reading.tally.unparsed_lines += 1
        return
    since = Since(reading)
    keys = [
        (text_of(key), empty)
        for key, empty in database.rows(
            f"select key, value is null from {TABLE} where key >= ? and key < ? order by key",
            (_COMPOSER, _COMPOSER[:-1] + ";"),
        )
    ]
    for key, empty in keys:
        if empty:
            continue
        composer = _value(database, key)
        if composer is None:
            reading.tally.unparsed_lines += 1
            continue
        if since.is_new(composer.get("lastUpdatedAt") or composer.get("createdAt")):
            session = key.removeprefix(_COMPOSER)
            yield from _Composer(session, composer, database, reading, most).turns()
    since.settle()


def _value(database: ForeignRows, key: str) -> Mapping[str, object] | None:
    for (value,) in database.rows(f"select value from {TABLE} where key = ?", (key,)):
        found = decoded(value)
        return found if isinstance(found, dict) else None
    return None


@dataclass(frozen=True, slots=True)
class _Bubble:
    """What is kept of a message: the rest of its value is the editor's own."""

    role: int
    text: str
    time: Instant
    call: str


class _Composer:
    """One conversation."""

    def __init__(
        self,
        session: str,
        composer: Mapping[str, object],
        database: ForeignRows,
        reading: SourceReading,
        most: int,
    ) -> None:
        self._composer = composer
        self._session = session
        self._database = database
        self._reading = reading
        self._most = most
        self._folder = _folder(mapping(composer.get("workspaceIdentifier")).get("uri"))

    def turns(self) -> Iterator[Turn]:
        """Its turns in order."""
        composer = self._composer
        if composer.get("subagentInfo") or composer.get("isSubagent") is True:
            return
        bubbles = self._bubbles()
        title = text_of(composer.get("name"))
        talk = Conversation(
            NAME, short_name(self._session), self._reading,
            project=short_name(base_name(self._folder)),
            title=shortened(readable(first_line(title, len(title))), _MAX_TITLE),
            began=time_of(composer.get("createdAt")),
            folder=self._folder,
        )  # fmt: skip
        for name, bubble in bubbles:
            self._reading.tally.lines += 1
            if bubble.role == _USER:
                text = said(bubble.text)
                if text:
                    message = named(talk.session, "user", text, name)
                    yield from talk.say(text, bubble.time, message)
            elif bubble.role == _ASSISTANT:
                text = readable(without_own(bubble.text)).strip()
                message = named(talk.session, "assistant", text, name)
                yield from talk.answer(text, bubble.time, message, [bubble.call])
            else:
                unknown(self._reading, f"bubble type {bubble.role}")
        yield from talk.close()

    def _bubbles(self) -> list[tuple[str, _Bubble]]:
        """The messages by their names, in order, without one that is being written."""
        inline = sequence(self._composer.get("conversation"))
        headers = sequence(self._composer.get("fullConversationHeadersOnly")) or inline
        names = [text_of(mapping(header).get("bubbleId")) for header in headers]
        if inline:
            held = {
                name or f"#{number}": self._bubble(mapping(value))
                for number, (name, value) in enumerate(zip(names, inline, strict=False))
            }
            found = list(held.items())
        else:
            kept = self._kept(set(names))
            found = [(name, kept[name]) for name in dict.fromkeys(names) if name in kept]
        writing = self._composer.get("status") == "generating"
        if writing and found and found[-1][1].role == _ASSISTANT:
            found.pop()
        return found

    def _kept(self, names: set[str]) -> dict[str, _Bubble]:
        """The messages that stand under keys of their own."""
        first = f"bubbleId:{self._session}:"
        kept: dict[str, _Bubble] = {}
        size = 0
        if not names:
            return kept
        for key, value in self._database.rows(
            f"select key, value from {TABLE} where key >= ? and key < ?", (first, first[:-1] + ";")
        ):
            name = text_of(key).removeprefix(first)
            if name not in names:
                continue
            found = decoded(value)
            if not isinstance(found, dict):
                self._reading.tally.unparsed_lines += 1
                continue
            kept[name] = bubble = self._bubble(found)
            size += len(bubble.text)
            if size > self._most:
                self._reading.tally.unparsed_lines += 1
                return {}
        return kept

    def _bubble(self, value: Mapping[str, object]) -> _Bubble:
        if not self._folder:
            self._folder = next(map(_folder, sequence(value.get("workspaceUris"))), "")
        role = value.get("type")
        text = text_of(value.get("text"))
        if value.get("capabilityType") == _COMPACTION:
            text = ""
        clock = mapping(value.get("timingInfo")).get("clientStartTime")
        tool = mapping(value.get("toolFormerData"))
        arguments = decoded(tool.get("rawArgs")) or decoded(tool.get("params"))
        return _Bubble(
            role if isinstance(role, int) else 0,
            text,
            time_of(value.get("createdAt")) or time_of(clock),
            tool_line(tool.get("name"), arguments),
        )


def _folder(uri: object) -> str:
    """The folder of an address as the editor writes it: text, or an object of its parts."""
    if isinstance(uri, dict):
        return text_of(uri.get("fsPath")) or text_of(uri.get("path"))
    address = text_of(uri)
    if not address.startswith("file:"):
        return ""
    try:
        return unquote(urlsplit(address).path)
    except ValueError:
        return ""
