"""Conversation builder: messages of one conversation, in order -> turns; for documents, databases.

- A tool call becomes an elided line on the answer that it follows, or on the next one when nothing
  was answered yet; a prompt begins anew.
- A turn's time is its own, or else the last one known, or else when the conversation began, or
  else the time of the first capture, which the state of the reading keeps.
- An answer that was read while it was still being written is given again as it was, and the rest
  as a turn of its own: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engram.capture.clean import of_session, remember
from engram.capture.sources.shared.dialogue import Calls
from engram.model.ids import message_digest
from engram.model.instant import Instant
from engram.model.ports import SourceReading
from engram.model.turn import Role, Turn

_TIME = "time"
_ANSWER = "answer"


@dataclass(slots=True)
class _PendingAnswer:
    """An answer that may still get tool calls."""

    text: str
    time: Instant
    message: str
    calls: Calls
    folder: str


class Conversation:
    """What is known of one conversation while its messages go by.

    `began` is the time in its header, `folder` the working folder, if it has one.
    """

    def __init__(
        self, source: str, session: str, reading: SourceReading, *,
        project: str = "", title: str = "", began: Instant = "", folder: str = "",
    ) -> None:  # fmt: skip
        self._source = source
        self.session = session
        self.project = project
        self.folder = folder
        self.title = title
        self.began = began
        self._reading = reading
        self._last: Instant = ""
        self._calls = Calls()
        self._answer: _PendingAnswer | None = None

    def say(self, text: str, own: Instant, message: str) -> list[Turn]:
        """The turns that are complete by a person's prompt: the answer before it, and itself."""
        ready = self.close()
        self._calls = Calls()
        return [*ready, self._turn("user", text, self._time(own), message)]

    def answer(
        self, text: str, own: Instant, message: str, calls: Iterable[str] = ()
    ) -> list[Turn]:
        """The turn that is complete by an answer: the one before it. Without text it only calls."""
        ready: list[Turn] = []
        if text:
            ready = self.close()
            time = self._time(own)
            self._answer = _PendingAnswer(text, time, message, self._calls, self.folder)
            self._calls = Calls()
        held = self._calls if self._answer is None else self._answer.calls
        for call in calls:
            held.add(call)
        return ready

    def close(self) -> list[Turn]:
        """The answer that is held, if any."""
        answer, self._answer = self._answer, None
        if answer is None:
            return []
        calls = answer.calls.lines()
        turn = self._turn("assistant", answer.text, answer.time, answer.message, calls)
        return [replace(turn, folder=answer.folder)]

    def _time(self, own: Instant) -> Instant:
        self._last = own or self._last
        known = self._last or self.began
        if known:
            return known
        state, key = self._reading.state, of_session(_TIME, self.session)
        if key not in state:
            remember(state, key, self._reading.guess())
        return state[key]

    def _turn(
        self, role: Role, text: str, time: Instant, message: str, tools: tuple[str, ...] = ()
    ) -> Turn:
        return Turn(
            self._source, self.session, role, text, time, message, self.project, self.title, tools,
            folder=self.folder,
        )  # fmt: skip


class Growing:
    """The last answer of a file that is rewritten while it is read: how much of it was given.

    The state's entry names the answer and says, for every piece of it that was given, how far it
    reached and what stood up to there. A text that was rewritten otherwise is not cut.
    """

    def __init__(self, state: dict[str, str]) -> None:
        self._state = state
        self._name, *self._ends = state.get(_ANSWER, "").split(" ")

    def pieces(self, message: str, text: str, *, last: bool) -> list[tuple[str, str]]:
        """`(digest, text)` of an answer: whole, or as it came; of the last one that is noted."""
        cuts = self._cuts(text) if message == self._name else []
        starts = [0, *cuts]
        if last:
            ends = [_end(text, cut) for cut in (*cuts, len(text))]
            remember(self._state, _ANSWER, " ".join((message, *ends)))
        return [
            (message_digest("rest", message, str(start)) if start else message, piece)
            for start, stop in zip(starts, [*cuts, len(text)], strict=True)
            if (piece := text[start:stop].strip())
        ]

    def _cuts(self, text: str) -> list[int]:
        """Where the pieces given before ended, without the end of the text itself."""
        cuts: list[int] = []
        for end in self._ends:
            number = end.partition(":")[0]
            cut = int(number) if number.isascii() and number.isdigit() and len(number) < 12 else 0
            if cut <= (cuts[-1] if cuts else 0) or cut >= len(text) or _end(text, cut) != end:
                break
            cuts.append(cut)
        return cuts


def _end(text: str, cut: int) -> str:
    return f"{cut}:{message_digest('end', text[:cut])[:8]}"
