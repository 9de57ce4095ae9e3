"""What sources have in common: the bound on what is held, and logs known by their first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, ClassVar

from engram.capture.sources.formats.json_lines import MAX_LINE_BYTES, Object, Place, objects
from engram.capture.sources.shared.dialogue import Dialogue
from engram.model.ports import SourceReading
from engram.model.turn import Turn


class TranscriptSource:
    """A source with a bound on one line, whose files lie wherever the person saved them."""

    in_any_order = False

    def __init__(self, max_line_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_line_bytes = max_line_bytes

    def discover(self, home: Path, environment: Mapping[str, str]) -> list[Path]:
        """The folders or files of this source on a machine: nothing is looked for."""
        return []


class DialogueLog(TranscriptSource):
    """A log of JSON Lines that is read into a dialogue."""

    name: str
    suffixes: tuple[str, ...] = (".jsonl",)
    #: what a first line of more than the bytes looked at begins with
    torn: ClassVar[re.Pattern[bytes]]
    #: in how many lines one that is known is looked for
    first_lines: ClassVar[int] = 20

    def recognises(self, head: bytes) -> bool:
        """Whether one of the first lines is known."""
        if self.torn.match(head):
            return True
        lines = head.split(b"\n", self.first_lines)[: self.first_lines]
        return any(self._knows(found) for line in lines for found in objects(line)[0])

    def parse(self, stream: BinaryIO, reading: SourceReading) -> Iterator[Turn]:
        """Turns from `reading.offset` on, as `model.ports.Source` says."""
        dialogue = Dialogue(self.name, reading)

        def take(line: Object, place: Place) -> None:
            self._take(line, place, dialogue, reading)

        return dialogue.read(stream, self._max_line_bytes, take)

    def _knows(self, line: Object) -> bool:
        raise NotImplementedError

    def _take(self, line: Object, place: Place, dialogue: Dialogue, reading: SourceReading) -> None:
        raise NotImplementedError


def moved(environment: Mapping[str, str], variable: str, usual: Path) -> Path:
    """A folder that a variable of the environment moves; an empty one does not."""
    return Path(environment.get(variable) or usual)
