"""Turns of a conversation -> its exchanges: what the person asked, and what the agent answered.

An exchange begins with a turn that stands on the person's line, whoever wrote it. Interruptions
are no requests: they end the exchange that they interrupt. What an exchange reports is read from
its last message with words, when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engram.extract.closing_report import Report, report_of
from engram.language.requests import is_typed
from engram.model.turn import Turn

_INTERRUPTED = re.compile(r"\s*\[Request interrupted", re.IGNORECASE)


@dataclass(slots=True)
class Exchange:
    """What was asked, None before the first turn of a person, and what the agent did then."""

    asked: Turn | None
    answers: list[Turn] = field(default_factory=list)
    interrupted: bool = False
    _report: Report | None = None

    @property
    def spoken(self) -> list[Turn]:
        """The answers with words."""
        return [turn for turn in self.answers if turn.text.strip()]

    @property
    def tools(self) -> list[str]:
        """The lines of its tool calls."""
        return [line for turn in self.answers for line in turn.tools]

    @property
    def report(self) -> Report:
        """What its last message reports; where calls of tools follow that, the work goes on."""
        if self._report is None:
            spoken = self.spoken
            self._report = report_of(spoken[-1].text) if spoken else Report()
            if spoken and self.answers[-1] is not spoken[-1] and not self._report.done:
                self._report.goes_on = True
        return self._report

    @property
    def is_typed(self) -> bool:
        """Whether the person asked, and no program in their name."""
        return self.asked is not None and is_typed(self.asked)


def exchanges_of(turns: Sequence[Turn]) -> list[Exchange]:
    """The exchanges of a conversation, in order."""
    found: list[Exchange] = []
    for turn in turns:
        if turn.role == "assistant":
            if not found:
                found.append(Exchange(None))
            found[-1].answers.append(turn)
        elif _INTERRUPTED.match(turn.text):
            if found:
                found[-1].interrupted = True
        elif turn.text.strip():
            found.append(Exchange(turn))
    return found
