"""The lines of a Markdown page: headings, sections, bullets; edits that keep all other bytes.

`# ` and `## ` at the beginning of a line, outside code, are headings; `- ` a bullet. A section runs
from a heading of the second level to the next heading of either. Only `\n` ends a line; lines keep
the ends that they have, and new ones get the end of the page. Headings are found as well where
code begins that never ends: that hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from engram.model.markdown import code_lines, neutralise

Item = TypeVar("Item")

BULLET, HEADING = "- ", "## "
_HEADING = re.compile(r"(#{1,2})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")


class Heading(NamedTuple):
    """A heading of the first or second level."""

    line: int
    level: int
    text: str


class Section(NamedTuple):
    """A heading, its line number, and the number of the first line that is no longer under it."""

    heading: str
    start: int
    end: int


class Bullet(NamedTuple):
    """A bullet's line number, its text without the dash, and the heading it stands under."""

    line: int
    text: str
    heading: str


def bare(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r")


def headings(lines: Sequence[str]) -> list[Heading]:
    """Every heading of the first two levels, in order."""
    plain = [bare(line) for line in lines]
    # the line that is added is inside only where the last block stays open
    code = code_lines([*plain, ""])
    if code.pop():
        code = [False] * len(plain)
    return [
        Heading(number, len(match[1]), match[2].strip())
        for number, line in enumerate(plain)
        if not code[number] and (match := _HEADING.fullmatch(line))
    ]


def sections(lines: Sequence[str]) -> list[Section]:
    """Every section, in order."""
    marks = headings(lines)
    ends = [*(mark.line for mark in marks[1:]), len(lines)]
    return [
        Section(mark.text, mark.line, end)
        for mark, end in zip(marks, ends, strict=False)
        if mark.level == 2
    ]


def by_name(found: Sequence[Section]) -> dict[str, Section]:
    """Sections by their casefolded heading; of two with one name the first counts."""
    return {section.heading.casefold(): section for section in reversed(found)}


@dataclass(slots=True)
class Edit:
    """What to do to a page, by line number, and bullets (texts) to add under headings.

    `order` are headings: a missing one is written before those of the page that follow it there.
    """

    drop: set[int] = field(default_factory=set)
    replace: dict[int, str] = field(default_factory=dict)
    add: dict[str, list[str]] = field(default_factory=dict)
    order: Sequence[str] = ()


class Lines:
    """One page, its lines without their line feeds."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")
        self._bare = [bare(line) for line in self.raw]
        self._code = code_lines(self._bare)
        self.sections = sections(self.raw)
        #: what precedes the line feed at the end of a new line
        self.end = "\r" if self.raw[0].endswith("\r") else ""

    @property
    def workable(self) -> bool:
        """Whether it can be edited: it decoded as text, and no code block is left open, in which
        any addition would be code."""
        readable = not any("\ufffd" in line for line in self.raw)
        return readable and not code_lines([*self._bare, "-"])[-1]

    def bullets(self) -> list[Bullet]:
        """Every bullet, in order."""
        heads = {section.start: section.heading for section in self.sections}
        found, heading = [], ""
        for number, line in enumerate(self._bare):
            heading = heads.get(number, heading)
            if line.startswith(BULLET) and not self._code[number]:
                found.append(Bullet(number, line[len(BULLET) :].strip(), heading))
        return found

    def edited(self, edit: Edit) -> str:
        """The page after an edit; a heading that is missing comes in its order, or at the end."""
        after = self._places(edit.add)
        before = self._missing(edit)
        made: list[str] = []
        for number, line in enumerate(self.raw):
            for heading in before.get(number, ()):
                new = [HEADING + heading, "", *(BULLET + text for text in edit.add[heading]), ""]
                made += [one + self.end for one in new]
            if number in edit.replace:
                made.append(edit.replace[number] + self.end)
            elif number not in edit.drop:
                made.append(line)
            made += [BULLET + text + self.end for text in after.get(number, ())]
        known = by_name(self.sections)
        for heading in edit.add:
            if heading.casefold() in known or any(heading in names for names in before.values()):
                continue
            while made and not made[-1].strip():
                made.pop()
            new = ["", HEADING + heading, "", *(BULLET + text for text in edit.add[heading]), ""]
            made += [line + self.end for line in new[:-1]] + new[-1:]
        return "\n".join(made)

    def _missing(self, edit: Edit) -> dict[int, list[str]]:
        """The headings to be written before a line: that of the next section in the order."""
        ranks = {heading.casefold(): rank for rank, heading in enumerate(edit.order)}
        known = by_name(self.sections)
        found: dict[int, list[str]] = {}
        for heading in edit.add:
            rank = ranks.get(heading.casefold())
            if rank is None or heading.casefold() in known:
                continue
            later = (
                section.start
                for section in self.sections
                if ranks.get(section.heading.casefold(), -1) > rank
            )
            if (place := min(later, default=None)) is not None:
                found.setdefault(place, []).append(heading)
        return found

    def _places(self, add: Mapping[str, Sequence[str]]) -> dict[int, Sequence[str]]:
        """The line after which new bullets of each heading go: the last one that is not blank."""
        places: dict[int, Sequence[str]] = {}
        known = by_name(self.sections)
        for heading, texts in add.items():
            if section := known.get(heading.casefold()):
                inside = range(section.start, section.end)
                filled = [number for number in inside if self._bare[number].strip()]
                listed = [bullet.line for bullet in self.bullets() if bullet.line in inside]
                places[listed[-1] if listed else filled[-1]] = texts
        return places


def one_line(text: str) -> str:
    """Inert Markdown on one line, which begins no code block."""
    inert = neutralise(text)
    return neutralise(text.replace("`", "'").replace("~", "-")) if "\n" in inert else inert


def lines_of(body: str, newline: str) -> list[str]:
    """The lines, each with its end; only `\n` ends one, and the last one is given `newline`."""
    lines = [line + "\n" for line in body.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last + newline] if last else lines


def body_of(lines: Sequence[str], newline: str, old: str) -> str:
    """The lines as a body; the last line of `old` gets no end where it still is the last."""
    body = "".join(lines)
    last = old.rpartition("\n")[2]
    return body.removesuffix(newline) if last and lines[-1] == last + newline else body


def interleave(
    old: Sequence[str],
    wanted: Sequence[Item],
    read: Callable[[str], Item | None],
    key: Callable[[Item], Hashable],
    show: Callable[[Item], str],
    newline: str,
) -> list[str]:
    """The lines of a list with exactly the wanted items in their order, and every other line.

    A line is an item when `read` says so. An item that is there keeps its place among the other
    lines, and its bytes when it says the same; the lines of items that are not wanted go. Lines
    have their ends, but what `read` is given and `show` gives has none.
    """
    places = {key(item): place for place, item in enumerate(wanted)}
    new: list[str] = []
    done = end = 0
    for line in old:
        item = read(bare(line))
        if item is None:
            new.append(line)
            if line[:1] in (" ", "\t") and line.strip() and end == len(new) - 1:
                end = len(new)  # goes on from the item above
            continue
        place = places.get(key(item), -1)
        if place >= done:
            new += [show(one) + newline for one in wanted[done:place]]
            new.append(line if item == wanted[place] else show(wanted[place]) + newline)
            done = place + 1
        end = len(new)
    if not end:
        end = len(new)
        while end and not new[end - 1].strip():
            end -= 1
    new[end:end] = [show(one) + newline for one in wanted[done:]]
    return new
