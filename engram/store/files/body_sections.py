"""Sections of a memory's body: `##` headings with their text <-> lines of the file.

`sections_in` reads them; a heading inside fenced code is none. `with_sections` changes a body from
one state of its sections to another: only lines that differ are written, everything else, what a
person added between them too, keeps its bytes. It reads its own result back and refuses, rather
than guess, when that does not say exactly what was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from engram.model.errors import BadInput
from engram.model.page_lines import HEADING, Section, bare, body_of, lines_of, sections

Sections = tuple[tuple[str, str], ...]


def sections_in(body: str) -> Sections:
    """Heading and text of each section, in order; the text has no blank lines around it."""
    lines = lines_of(body, "\n")
    return tuple((one.heading, _text(lines, one)) for one in sections(lines))


def section_blocks(found: Iterable[tuple[str, str]]) -> list[str]:
    """The sections as blocks of a new body."""
    return [f"{HEADING}{heading}\n{text}".rstrip("\n") for heading, text in found]


def with_sections(body: str, before: Sections, after: Sections, newline: str) -> str:
    """A body whose sections say `after` and no longer `before`. Raises BadInput."""
    lines, standing = lines_of(body, newline), sections(lines_of(body, newline))
    names = [[heading for heading, _ in found] for found in (before, after)]
    edits: list[tuple[int, int, list[str]]] = []
    for what, start, end, first, last in SequenceMatcher(
        None, names[0], names[1], autojunk=False
    ).get_opcodes():
        if what == "equal":
            for section, (_, old), (_, new) in zip(
                standing[start:end], before[start:end], after[first:last], strict=True
            ):
                if old != new:
                    edits.extend(_changed(lines, section, new, newline))
            continue
        edits.extend((one.start, one.end, []) for one in standing[start:end])
        place = standing[end - 1].end if end else _first_place(lines, standing)
        made = [line for heading, text in after[first:last] for line in _new(heading, text)]
        if made:
            edits.append((place, place, _set_apart(lines, place, made, newline)))
    edits.reverse()  # of two at one place the first is put in last, and so stands first
    for start, end, made in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        lines[start:end] = made
    result = body_of(lines, newline, body) if lines else ""
    if sections_in(result) != after:
        raise BadInput(
            "the sections of the file cannot be changed line by line",
            "close open code blocks in it, in an editor; then try again",
        )
    return result


def _inner(lines: Sequence[str], section: Section) -> tuple[int, int]:
    """The lines of a section's text, without blank ones around it."""
    first, last = section.start + 1, section.end
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def _text(lines: Sequence[str], section: Section) -> str:
    first, last = _inner(lines, section)
    return "\n".join(bare(line) for line in lines[first:last])


def _changed(
    lines: Sequence[str], section: Section, text: str, newline: str
) -> list[tuple[int, int, list[str]]]:
    """The lines of one section that differ from a new text, as edits."""
    first, last = _inner(lines, section)
    old, new = [bare(line) for line in lines[first:last]], text.split("\n") if text else []
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        (first + start, first + end, [line + newline for line in new[to_start:to_end]])
        for what, start, end, to_start, to_end in found
        if what != "equal"
    ]


def _first_place(lines: Sequence[str], standing: Sequence[Section]) -> int:
    return standing[0].start if standing else len(lines)


def _new(heading: str, text: str) -> list[str]:
    return [HEADING + heading, *(text.split("\n") if text else ()), ""]


def _set_apart(lines: Sequence[str], place: int, made: list[str], newline: str) -> list[str]:
    """New lines before a line, with a blank line on either side."""
    if place and lines[place - 1].strip():
        made = ["", *made]
    if place == len(lines):
        made = made[:-1]
    return [line + newline for line in made]
