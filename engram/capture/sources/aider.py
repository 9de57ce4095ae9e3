"""aider's chat history (`.aider.chat.history.md`, one a repository) -> turns.

Formats seen: 0.84 to 0.86, and files that a formatter went over (verified 2026-11-20).

| a line | is |
|---|---|
| `# aider chat started at 2025-01-02 10:11:12` | the beginning of a session, in local time |
| `#### words` | typed by the person; lines and prompts with nothing between are one turn |
| `> words` | said by the program: the work that was done, tokens, questions, errors |
| anything else behind a prompt | the answer, up to the next prompt |

- No turns are: answers to the program's questions (`(Y)es/(N)o`), prompts without words and slash
  commands. `/ask words` is logged a second time as a prompt of `words`: that one is taken, and
  marked `queued`, for it stands on no turn of its own.
- The program ends its lines with two spaces. Once a file has shown that, a `#### Heading` or a
  `> quotation` without them is the assistant's own; in a file without any it cannot be told.
- Reasoning blocks are cut, SEARCH/REPLACE blocks become `…`; `Applied edit to` is a tool call.
- The time has no zone and is taken as UTC; every turn of a session has the time of its header.
- A session is named by its header and first prompt, a message by its place in the session, so that
  a copy of the file, or of a session in another file, gives the same messages.

The file only grows. What is added to an answer after the end of an earlier reading is a turn of its
own. A last line of the program that lacks its newline is torn, and waits; other text is taken.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from engram.capture.clean import base_name, readable, remember, said
from engram.capture.sources.formats.json_lines import (
    Place,
    short_name,
    time_of,
)
from engram.capture.sources.shared.dialogue import Calls
from engram.capture.sources.shared.source_base import TranscriptSource
from engram.capture.sources.shared.tools import tool_line
from engram.model.ids import message_digest
from engram.model.injected_block import without_own
from engram.model.ports import SourceReading
from engram.model.turn import Role, Turn

NAME = "aider"
FILE = ".aider.chat.history.md"
_HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?")
_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*# aider chat started at \d{4}-\d\d-\d\d ")
_PROMPT = "#### "
_CONFIRMED = "(Y)es/(N)o"
_NOTHING = "<blank>"
#: Commands behind which a prompt of the program's own making is logged.
_OWN_PROMPTS = frozenset({"/help", "/ok"})
_WORK = re.compile(r"> (?:Applied edit to (?P<path>\S.*)|Running (?P<command>\S.*))")
_FOLDER = re.compile(r"> Git working dir: (\S.*)")
_THINKING = re.compile(r"<(thinking-content-\w+|think)>\s*\Z")
_SEARCH = re.compile(r"<{5,9} SEARCH\b")
_REPLACE = re.compile(r">{5,9} REPLACE\b")
_EDIT = "edit"
_ELIDED = "…"
#: How a line begins that may be the program's, or open or close a block: torn, it waits.
_TELLING = ("#", ">", "<")
#: A turn longer than this is closed and goes on as another: memory stays bounded.
_MAX_TURN = 1 << 20
#: Folders whose members are persons, not projects.
_HOMES = frozenset({"home", "Users"})
#: What a later reading must know, by the attributes of `_AiderChat`.
_KEPT = (
    "session", "begun", "start", "project", "role", "part", "own", "led", "inside", "exact", "torn",
)  # fmt: skip


class Aider(TranscriptSource):
    """The source `aider`."""

    name = NAME
    suffixes: tuple[str, ...] = (FILE,)
    verified = "2026-11-20"

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The file that `AIDER_CHAT_HISTORY_FILE` names wherever one is, and the one at home.

        The files in repositories are found below a folder that a person names.
        """
        named = environment.get("AIDER_CHAT_HISTORY_FILE", "")
        place = home / named[2:] if named.startswith(("~/", "~\\")) else Path(named)
        found = [place] if named and place.is_absolute() else []
        return [*found, *(path for path in [home / FILE] if path not in found)]

    def recognises(self, head: bytes) -> bool:
        """Whether the first line that says anything is the header of a session."""
        return _BEGINS.match(head) is not None

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says."""
        chat = _AiderChat(reading)
        end = (reading.offset, reading.line)
        for line in _lines(stream, reading, self._max_line_bytes):
            if not line.ended and not chat.torn and line.text.startswith(_TELLING):
                break
            reading.tally.lines += not chat.torn
            kind = chat.kind(line.text)
            if chat.ended_by(kind):
                yield from chat.close(line.before)
            chat.take(kind, line)
            end = line.after
        yield from chat.close(end)
        chat.settle(end)


@dataclass(frozen=True, slots=True)
class _ChatLine:
    """A line without its end, and the places around it; `ended` when its newline is there."""

    text: str
    before: Place
    after: Place
    ended: bool


def _lines(stream: BinaryIO, reading: SourceReading, most: int) -> Iterator[_ChatLine]:
    """The lines from `reading.offset` on; one of more than `most` bytes is counted and empty.

    What has no newline is given up to its last whole character.
    """
    if stream.seekable():
        stream.seek(reading.offset)
    offset, number = reading.offset, reading.line
    while data := stream.readline(most):
        before, size = (offset, number), len(data)
        ended, long = data[-1] == 0x0A, len(data) >= most
        if long and not ended:
            while not ended and (piece := stream.readline(most)):
                size += len(piece)
                ended = piece[-1] == 0x0A
            if not ended:
                return
            data = b""
            reading.tally.unparsed_lines += 1
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(data, ended)
        size -= len(decoder.getstate()[0])
        if not size:
            return
        offset, number = offset + size, number + ended
        text = text.rstrip("\r\n")
        yield _ChatLine(
            text if before[0] else text.lstrip("\ufeff"), before, (offset, number), ended
        )


class _AiderChat:
    """The turn that is being put together, and what must be known of the lines so far.

    Flags are text, "1" or empty, as the state of a reading holds them.
    """

    def __init__(self, reading: SourceReading) -> None:
        self._reading = reading
        state = reading.state
        self.session = state.get("session", "")
        #: the header's time, as it stands there
        self.begun = state.get("begun", "")
        #: where the header stands
        self.start = state.get("start", "0")
        self.project = state.get("project", "") or _folder(reading.path)
        #: whose words the last lines were: user, tool, assistant; empty before any prompt
        self.role = state.get("role", "")
        #: within a prompt: whether it is words ("words") or passed over ("other")
        self.part = state.get("part", "")
        #: the next prompt is one of the program's own making
        self.own = state.get("own", "")
        #: the prompt began with a command or an answer to the program
        self.led = state.get("led", "")
        #: within an answer: the block that is passed over
        self.inside = state.get("inside", "")
        #: the program's lines end with two spaces in this file
        self.exact = state.get("exact", "")
        #: the last line was taken before its newline was there
        self.torn = state.get("torn", "")
        self._open: list[str] = []
        self._size = 0
        self._since = 0
        self._calls = Calls()

    def kind(self, text: str) -> str:
        """What a line is: `session`, `user`, `tool`, `text` or `blank`."""
        if not self.torn:
            if _HEADER.match(text):
                return "session"
            own = text.endswith("  ") or not self.exact
            if own and (text.startswith(_PROMPT) or (text == "####" and self.role == "user")):
                return "user"
            own = own or self.role != "assistant"
            if own and (text.startswith("> ") or text.strip() == ">"):
                return "tool"
        return "text" if text.strip() else "blank"

    def ended_by(self, kind: str) -> bool:
        """Whether the turn that is open ends before a line of that kind."""
        if self._size > _MAX_TURN:
            return True
        if kind == "user":
            return self.role != "user"
        return kind == "session" or (self.role == "user" and kind in ("tool", "text"))

    def take(self, kind: str, line: _ChatLine) -> None:
        """Take in one line."""
        if kind == "user":
            self._ask(line)
        else:
            self.part = ""
            if kind == "session":
                self._begin(line)
            elif kind == "tool":
                self._note(line.text)
            elif self.role == "assistant" or (kind == "text" and self.role):
                self.role = "assistant"
                self._answer(line)
        self.torn = "" if line.ended else "1"

    def _begin(self, line: _ChatLine) -> None:
        header = _HEADER.match(line.text)
        self.begun = (header[1] if header else "") or line.text
        self.start = str(line.before[0])
        self.session = self.role = self.own = self.inside = ""
        time = time_of(header[1] if header else None)
        if time:
            remember(self._reading.state, "time", time)

    def _ask(self, line: _ChatLine) -> None:
        """A line that a person typed, or that is logged as if one had."""
        first = self.role != "user"
        if first:
            self.role, self.own, self.inside, self.led = "user", "", "", ""
            self._calls = Calls()
        self.exact = self.exact or ("1" if line.text.endswith("  ") else "")
        text = line.text[len(_PROMPT) :].rstrip()
        if not self.session:
            named = message_digest(NAME, self.begun, text)
            self.session = short_name(f"{self.begun or self._reading.name} {named}")
        if not self.part:
            command = text.split(maxsplit=1)[0] if text.startswith("/") else ""
            passed = command or self.own or text == _NOTHING or _CONFIRMED in text
            self.part = "other" if passed else "words"
            if first and (command or _CONFIRMED in text):
                self.led = "1"
            self.own = "1" if command in _OWN_PROMPTS else ""
        if self.part == "words":
            self._add(text, line)

    def _note(self, text: str) -> None:
        """A line of the program: what it did for the answer, or where it works."""
        if self.role == "user":
            self.role = "tool"
        work, folder = _WORK.match(text), _FOLDER.match(text)
        if work is not None:
            path, command = work["path"], work["command"]
            call = tool_line("Edit", {"path": path.rstrip()}) if path else ""
            self._calls.add(call or tool_line("Run", {"command": command}))
        elif folder is not None:
            self.project = short_name(base_name(folder[1].rstrip()))

    def _answer(self, line: _ChatLine) -> None:
        """A line of the answer, unless it is reasoning or part of an edit."""
        text = line.text
        thinking = _THINKING.match(text)
        if self.torn:  # the rest of a line: no mark begins here
            if not self.inside:
                self._add(text, line)
        elif self.inside:
            edited = self.inside == _EDIT and _REPLACE.match(text)
            if edited or text.strip() == f"</{self.inside}>":
                self.inside = ""
        elif thinking is not None:
            self.inside = thinking[1]
        elif _SEARCH.match(text):
            self.inside = _EDIT
            self._add(_ELIDED, line)
        else:
            self._add(text, line)

    def _add(self, text: str, line: _ChatLine) -> None:
        if not self._open:
            if not text.strip():
                return
            self._since = line.before[0]
        self._open.append(text)
        self._size += len(text) + 1

    def close(self, place: Place) -> Iterator[Turn]:
        """The turn that is open, if it says anything; the reading then stands at `place`."""
        lines, self._open, self._size = self._open, [], 0
        role: Role = "user" if self.role == "user" else "assistant"
        text = "\n".join(lines)
        text = said(text) if role == "user" else readable(without_own(text)).strip()
        if not text:
            return
        tools: tuple[str, ...] = ()
        if role == "assistant":
            tools, self._calls = self._calls.lines(), Calls()
        state = self._reading.state
        time = state.get("time") or self._reading.guess()
        remember(state, "time", time)
        message = message_digest(NAME, self.session, role, str(self._since - int(self.start)))
        self.settle(place)
        led = role == "user" and bool(self.led)
        yield Turn(
            NAME, self.session, role, text, time, message, self.project, "", tools, queued=led
        )

    def settle(self, place: Place) -> None:
        """Bring the reading to a place, with all that a later one must know there."""
        reading = self._reading
        reading.offset, reading.line = place
        for key in _KEPT:
            value: str = getattr(self, key)
            if value:
                remember(reading.state, key, value)
            else:
                reading.state.pop(key, None)


def _folder(path: PurePath) -> str:
    """The project that a history file belongs to: the folder it lies in, if that is a project."""
    folder = path.parent
    if path.name != FILE or folder.parent.name in _HOMES:
        return ""
    return short_name(folder.name)
