"""A page of prose as lines: its headings and bullets, and edits that leave every other byte.

`- ` at the beginning of a line, outside code, is a bullet; `## ` a heading. Lines keep the ends
that they have; new ones get the end of the page's first line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engram.model.markdown import code_lines

BULLET, HEADING = "- ", "## "


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet's line number, its text without the dash, and the heading it stands under."""

    line: int
    text: str
    heading: str


@dataclass(slots=True)
class Edit:
    """What to do to a page, by line number, and bullets (texts) to add under headings."""

    drop: set[int] = field(default_factory=set)
    replace: dict[int, str] = field(default_factory=dict)
    add: dict[str, list[str]] = field(default_factory=dict)


class Lines:
    """One page."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self._bare = [line.removesuffix("\r") for line in self.raw]
        self._code = code_lines(self._bare)
        self._end = "\r" if self.raw[0].endswith("\r") else ""

    @property
    def open_ended(self) -> bool:
        """Whether a code block is never closed, so that nothing can be added below it."""
        return code_lines([*self._bare, "-"])[-1]

    def headings(self) -> list[tuple[int, str]]:
        """Line number and words of every `## ` heading."""
        return [
            (number, line[len(HEADING) :].strip())
            for number, line in enumerate(self._bare)
            if line.startswith(HEADING) and not self._code[number]
        ]

    def bullets(self) -> list[Bullet]:
        """Every bullet, in order."""
        heads = dict(self.headings())
        found, heading = [], ""
        for number, line in enumerate(self._bare):
            heading = heads.get(number, heading)
            if line.startswith(BULLET) and not self._code[number]:
                found.append(Bullet(number, line[len(BULLET) :].strip(), heading))
        return found

    def edited(self, edit: Edit) -> str:
        """The page after an edit; a heading that is missing is written at the end."""
        after = self._places(edit.add)
        made: list[str] = []
        for number, line in enumerate(self.raw):
            if number in edit.replace:
                made.append(edit.replace[number] + self._end)
            elif number not in edit.drop:
                made.append(line)
            made += [BULLET + text + self._end for text in after.get(number, ())]
        missing = [heading for heading in edit.add if self._line_of(heading) < 0]
        for heading in missing:
            made = _without_blank_end(made)
            new = ["", HEADING + heading, "", *(BULLET + text for text in edit.add[heading]), ""]
            made += [line + self._end for line in new[:-1]] + new[-1:]
        return "\n".join(made)

    def _line_of(self, heading: str) -> int:
        """Where a heading stands; -1 when it does not."""
        wanted = heading.casefold()
        return next((at for at, name in self.headings() if name.casefold() == wanted), -1)

    def _places(self, add: Mapping[str, Sequence[str]]) -> dict[int, Sequence[str]]:
        """The line after which the new bullets of each heading go: the last with words in it."""
        places: dict[int, Sequence[str]] = {}
        starts = [number for number, _ in self.headings()]
        for heading, texts in add.items():
            start = self._line_of(heading)
            if start < 0:
                continue
            end = next((number for number in starts if number > start), len(self.raw))
            filled = [number for number in range(start, end) if self._bare[number].strip()]
            listed = [bullet.line for bullet in self.bullets() if start < bullet.line < end]
            places[listed[-1] if listed else filled[-1]] = texts
        return places


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
