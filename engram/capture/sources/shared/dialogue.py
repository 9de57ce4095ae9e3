"""Dialogue builder: the lines of an agent's log -> turns of one conversation; for growing logs.

A source says what it finds on a line (`begins`, `asked`, `answered`, `called`); a `Dialogue` makes
turns of it and keeps what a later reading must know:

- An answer is held until the next answer or prompt begins, or the stream ends, because the tool
  calls behind it belong to it; calls before any text belong to the answer that follows them.
- The session is the first one that is named, the project its first folder; a turn's working folder
  is the last one that was named before it.
- A time that is missing is the last one known, else the clock's at the first capture, which is
  kept: a file that grows goes on with it.
- At every turn the reading stands where a later one can go on without losing text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from engram.capture.clean import base_name, readable, remember, shortened
from engram.capture.sources.formats.json_lines import (
    Object,
    Place,
    digest,
    records,
    short_name,
    time_of,
)
from engram.model.injected_block import without_own
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.text import first_line
from engram.model.turn import Role, Turn

MAX_TOOLS = 50
MAX_TITLE = 120
_TEXT = ("text",)


@dataclass(slots=True)
class Calls:
    """The elided lines of tool calls, the first of many in full and the rest as a number."""

    shown: list[str] = field(default_factory=list)
    more: int = 0

    def add(self, call: str) -> None:
        """Take in the line of one more call; an empty one is none."""
        if not call:
            return
        if len(self.shown) < MAX_TOOLS:
            self.shown.append(call)
        else:
            self.more += 1

    def lines(self) -> tuple[str, ...]:
        """What stands on the turn."""
        return (*self.shown, *([f"and {self.more} more"] if self.more else []))


def texts(content: object, kinds: Collection[str] = _TEXT) -> list[str]:
    """The texts of a message's content: a plain string, or the text blocks of a list."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [
        text
        for block in content
        if isinstance(block, dict) and block.get("type") in kinds
        if isinstance(text := block.get("text"), str)
    ]


def blocks(content: object, kind: str) -> list[Object]:
    """The blocks of one kind in a message's content."""
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """What one line says: the text, the time as it stands there, the place, the digest if named."""

    text: str
    stamp: object
    place: Place
    #: the digest of a message with an id of its own; empty where it has none
    message: str = ""


@dataclass(slots=True)
class _Held:
    """An answer whose tool calls are still coming in; `since` is where its line begins."""

    turn: Turn
    since: Place
    calls: Calls


class Dialogue:
    """One conversation as it is read."""

    def __init__(self, source: str, reading: SourceReading) -> None:
        self._source = source
        self._reading = reading
        self.state = reading.state
        #: where a later reading must begin because something there is not decided yet
        self.undecided: Place | None = None
        self._held: _Held | None = None
        #: tool calls before any text since the last prompt
        self._calls = Calls()
        #: turns that are complete, each with where its line begins
        self._ready: list[tuple[Turn, Place]] = []

    def read(
        self, stream: BinaryIO, most: int, take: Callable[[Object, Place], None]
    ) -> Iterator[Turn]:
        """The turns of a stream; `take` is given each object with the place of its line."""
        reading = self._reading
        end = (reading.offset, reading.line)
        for found, before, end in records(stream, reading, most):
            for line in found:
                take(line, before)
            if self._ready:
                yield from self._hand_over(end)
        self._close()
        reading.offset, reading.line = self.undecided or end
        yield from self._hand_over(end)

    def _hand_over(self, end: Place) -> Iterator[Turn]:
        """The complete turns; behind each the reading stands where the next one begins."""
        ready, self._ready = self._ready, []
        last = self._held.since if self._held is not None else self.undecided or end
        places = [*(place for _, place in ready), last]
        for (turn, _), place in zip(ready, places[1:], strict=True):
            self._reading.offset, self._reading.line = place
            yield turn

    @property
    def session(self) -> str:
        """The session that the log names, or else its file's name."""
        return self.state.get("session") or self._reading.name

    def begins(self, session: object, folder: object = None, stamp: object = None) -> None:
        """Take in a header: the first session, project and time that are named are kept."""
        if isinstance(session, str) and session.strip() and "session" not in self.state:
            remember(self.state, "session", short_name(session.strip()))
        if isinstance(folder, str) and base_name(folder):
            remember(self.state, "folder", folder)
            if "project" not in self.state:
                remember(self.state, "project", short_name(base_name(folder)))
        time = time_of(stamp)
        if time and "time" not in self.state:
            remember(self.state, "time", time)

    def delegated(self) -> None:
        """The whole log is a sub-agent's: its prompts were written by a model, not by a person."""
        remember(self.state, "delegated", "1")

    def scripted(self) -> None:
        """No person sits before the program: the prompts of the log are a script's."""
        remember(self.state, "scripted", "1")

    def titled(self, title: object) -> None:
        """Take in a title; the newest one counts."""
        if isinstance(title, str) and title.strip():
            whole = readable(first_line(title, len(title)))
            remember(self.state, "title", shortened(whole, MAX_TITLE))

    def asked(self, words: SpokenWords) -> None:
        """A person said something."""
        if not words.text or "delegated" in self.state:
            return
        self._close()
        self._calls = Calls()
        turn = replace(self._turn("user", words), program="scripted" in self.state)
        self._ready.append((turn, words.place))

    def answered(self, words: SpokenWords) -> None:
        """The assistant said something; empty text is no answer."""
        text = readable(without_own(words.text)).strip()
        if not text:
            return
        self._close()
        turn = self._turn("assistant", replace(words, text=text))
        self._held = _Held(turn, words.place, self._calls)
        self._calls = Calls()

    def called(self, call: str) -> None:
        """The assistant called a tool."""
        (self._calls if self._held is None else self._held.calls).add(call)

    def _close(self) -> None:
        """Complete the answer that is held, if any."""
        held, self._held = self._held, None
        if held is not None:
            self._ready.append((replace(held.turn, tools=held.calls.lines()), held.since))

    def _turn(self, role: Role, words: SpokenWords) -> Turn:
        state, session, text = self.state, self.session, words.text
        own = time_of(words.stamp)
        message = words.message or digest(self._source, session, role, own, words.place[1], text)
        project, title = state.get("project", ""), state.get("title", "")
        time, folder = self._time(own), state.get("folder", "")
        return Turn(self._source, session, role, text, time, message, project, title, folder=folder)

    def _time(self, own: Instant) -> Instant:
        """The time of a message, or else the last one known, or else now, for good."""
        time = own or self.state.get("time") or self._reading.guess()
        remember(self.state, "time", time)
        return time
