"""Lines of a prose page: headings and bullets, and edits that leave every other byte.

`- ` at the beginning of a line, outside code, is a bullet; `## ` a heading. Lines keep their line
ends; new ones get that of the page's first line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engram.model.markdown import code_lines, neutralise

BULLET, HEADING = "- ", "## "


@dataclass(frozen=True, slots=True)
class Bullet:
    """A bullet's line number, its text without the dash, and the heading it stands under."""

    line: int
    text: str
    heading: str


class Section(NamedTuple):
    """A heading, its line number, and the number of the first line that is no longer under it."""

    heading: str
    start: int
    end: int


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
        #: what precedes the line feed at the end of a new line
        self.end = "\r" if self.raw[0].endswith("\r") else ""

    @property
    def workable(self) -> bool:
        """Whether it can be edited: it decoded as text, and no code block is left open, in which
        any addition would be code."""
        readable = not any("\ufffd" in line for line in self.raw)
        return readable and not code_lines([*self._bare, "-"])[-1]

    def headings(self) -> list[tuple[int, str]]:
        """Line number and words of every `## ` heading."""
        return [
            (number, line[len(HEADING) :].strip())
            for number, line in enumerate(self._bare)
            if line.startswith(HEADING) and not self._code[number]
        ]

    def sections(self) -> list[Section]:
        """Each `## ` heading with its extent, up to the next heading of its rank or above."""
        heads = self.headings()
        starts = [
            number
            for number, line in enumerate(self._bare)
            if line.startswith((HEADING, "# ")) and not self._code[number]
        ]
        return [
            Section(name, number, next((at for at in starts if at > number), len(self.raw)))
            for number, name in heads
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
                made.append(edit.replace[number] + self.end)
            elif number not in edit.drop:
                made.append(line)
            made += [BULLET + text + self.end for text in after.get(number, ())]
        known = {name.casefold() for _, name in self.headings()}
        missing = [heading for heading in edit.add if heading.casefold() not in known]
        for heading in missing:
            made = _without_blank_end(made)
            new = ["", HEADING + heading, "", *(BULLET + text for text in edit.add[heading]), ""]
            made += [line + self.end for line in new[:-1]] + new[-1:]
        return "\n".join(made)

    def _places(self, add: Mapping[str, Sequence[str]]) -> dict[int, Sequence[str]]:
        """The line after which new bullets of each heading go: the last one that is not blank."""
        places: dict[int, Sequence[str]] = {}
        sections = {section.heading.casefold(): section for section in reversed(self.sections())}
        for heading, texts in add.items():
            if (section := sections.get(heading.casefold())) is not None:
                inside = range(section.start, section.end)
                filled = [number for number in inside if self._bare[number].strip()]
                listed = [bullet.line for bullet in self.bullets() if bullet.line in inside]
                places[listed[-1] if listed else filled[-1]] = texts
        return places


def one_line(text: str) -> str:
    """Inert Markdown on one line, which begins no code block."""
    inert = neutralise(text)
    return neutralise(text.replace("`", "'").replace("~", "-")) if "\n" in inert else inert


def _without_blank_end(lines: Sequence[str]) -> list[str]:
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept
