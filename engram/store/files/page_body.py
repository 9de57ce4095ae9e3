"""Body of a page in sections: the lines of a page <-> its title and sections, changed in place.

A page has `# Title`, lines above its first section, and `##` sections, which are found by their
name whatever its case. Only the lines of a named part are replaced; every other line keeps its
bytes. A section that is missing is made in its place among those in `order`, and one that is left
without words goes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engram.model.markdown import inert_line
from engram.model.page_lines import Section, by_name, headings, sections

#: the name of the part above the first section, below the title
LEAD = ""


@dataclass(slots=True)
class PageBody:
    """The lines of a body with their ends; `newline` is the end of a new one.

    `order` are the sections of the program, in the order in which they stand.
    """

    lines: list[str]
    newline: str
    order: Sequence[str] = ()

    def title(self) -> str:
        """The first heading of the first level."""
        return next((text for _, level, text in headings(self.lines) if level == 1), "")

    def rename(self, old: str, new: str) -> None:
        """Write another title where the old one still stands; an empty one is no line."""
        if not self.title():
            self.lines[:0] = [f"# {inert_line(new)}{self.newline}"]
            return
        for number, level, text in headings(self.lines):
            if level == 1 and text == inert_line(old):
                made = [f"# {inert_line(new)}{self.newline}"] if new else []
                self.lines[number : number + 1] = made
                return

    def section(self, name: str) -> list[str]:
        """The lines of a section, or of the part above all of them (LEAD)."""
        found = self._found(name)
        return self.lines[found.start + 1 : found.end] if found else []

    def replace(self, name: str, new: list[str]) -> None:
        """Give a section other lines, with a blank one around them."""
        found = by_name(sections(self.lines))
        here, blank = self._found(name), self.newline
        if new and new[0].strip():
            new = [blank, *new]
        if here is not None:
            start, stop = here.start + 1, here.end
        else:
            start = stop = self._place(name, found)
            new = [f"## {name}{blank}", *new]
            if start and self.lines[start - 1].strip():
                new = [blank, *new]
        if not any(line.strip() for line in new):
            start, new = (start, [blank]) if name == LEAD else (start - 1, [])
        elif stop < len(self.lines) and new[-1].strip():
            new = [*new, blank]
        self.lines[start:stop] = new

    def _found(self, name: str) -> Section | None:
        found = sections(self.lines)
        if name != LEAD:
            return by_name(found).get(name.casefold())
        first = found[0].start if found else len(self.lines)
        titles = (number for number, level, _ in headings(self.lines) if level == 1)
        return Section(LEAD, next((number for number in titles if number < first), -1), first)

    def _place(self, name: str, found: Mapping[str, Section]) -> int:
        """Where a new section goes: after those that precede it, else before those that follow."""
        order = [one.casefold() for one in self.order]
        at = order.index(name.casefold())
        earlier = [found[one].end for one in order[:at] if one in found]
        later = [found[one].start for one in order[at:] if one in found]
        return max(earlier) if earlier else min(later, default=len(self.lines))
