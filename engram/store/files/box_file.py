"""File of a Memory Box: bytes <-> Box (design 4, 5.9; seed 003).

A box is a page to be read: a title, one sentence that says when and how much, its memories as links
with their first lines, its outcome, and links to the boxes before and after it in its trace. What
the program needs stands in the header; title and memories are read from the body.

Reading is tolerant and never raises: the id is the header's, so that a renamed file is the same
box; its memories are the first list of links outside code, and what a person wrote behind, between
and around them is ignored. Writing neutralises all foreign text. An existing file is never
rendered again: `box_changes` patches header keys and touches only those lines of the body that the
program wrote and that have changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from engram.model.box import SEALS, Box
from engram.model.ids import is_id, slug
from engram.model.instant import Instant, day_of, instant_of
from engram.model.markdown import code_lines, inert_line, inert_value
from engram.store.files.document import parse, patch, render
from engram.store.files.links import LINK, target_of, targets_of

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: Header keys in the order in which they are written.
_ORDER = (
    "id", "created", "sealed", "seal", "session", "project", "trace", "previous", "next", "topics",
    "goal", "outcome",
)  # fmt: skip
_ALWAYS = frozenset(["id", "created", "sealed", "seal"])
_LINKS = frozenset(["session", "previous", "next"])

_ITEM = re.compile(rf"[-*+] {LINK.pattern}(.*)")
#: A list goes on over blank lines, other items, and what is indented below one.
_GOES_ON = re.compile(r"\s*$|[ \t]|[-*+] ")


@dataclass(frozen=True, slots=True)
class BoxFile:
    """A box as read from its file, and in words what of the file could not be used."""

    box: Box
    problems: tuple[str, ...] = ()


def read_box(path: str, data: bytes) -> BoxFile:
    """Any bytes as a box; `path` is relative to the vault, POSIX form. Never raises."""
    document = parse(data)
    problems = [document.problem] if document.problem else []
    if document.problem:
        document = parse(data.decode("utf-8", "replace").encode("utf-8"))
    header, lines = document.header, _bare(document.body.split("\n"))
    items = _items(lines)
    seal = _text(header, "seal")
    if seal not in SEALS:
        problems.append(f"seal {seal!r} is unknown: read as consolidation")
    heading = next((line for line in lines if line.startswith("# ")), "")
    box = Box(
        id=_identity(path, _text(header, "id"), problems),
        lines=tuple((name, text) for name, text in items.values()),
        created=_time(header, "created", problems),
        sealed=_time(header, "sealed", problems),
        session=_link(header, "session"),
        project=_text(header, "project"),
        topics=_topics(header.get("topics", [])),
        seal=seal if seal in SEALS else "consolidation",
        title=heading[2:].strip(),
        goal=_text(header, "goal"),
        outcome=_text(header, "outcome"),
        trace=_name(header, "trace", problems),
        previous=_name(header, "previous", problems),
        next=_name(header, "next", problems),
        path=path,
    )
    return BoxFile(box, tuple(problems))


def render_box(box: Box) -> bytes:
    """The file of a new box."""
    header = {key: value for key in _ORDER if (value := _written(box, key)) is not None}
    items = "\n".join(_item(name, text) for name, text in box.lines)
    blocks = (_heading(box), _span(box), items, _outcome(box), _neighbours(box))
    return render(header, "\n\n".join(block for block in blocks if block))


def box_changes(data: bytes, before: Box, after: Box) -> bytes:
    """The file with what differs between two states of its box; every other byte stays.

    A line that the program wrote is replaced only as long as a person left it as it was. The order
    of memories that stay is the file's. Raises BadInput when the header cannot be patched.
    """
    changes = {
        key: _written(after, key) for key in _ORDER if getattr(before, key) != getattr(after, key)
    }
    patched = patch(data, changes, create=True)
    document = parse(data)
    page = _Page(document.body.split("\n"), "\r" if document.newline == "\r\n" else "")
    page.relist(before, after)
    for write in (_heading, _span, _outcome, _neighbours):
        page.reword(write(before), write(after))
    old = len(document.body.encode("utf-8", "surrogateescape"))
    new = "\n".join(page.lines).encode("utf-8", "surrogateescape")
    return patched[: len(patched) - old] + new


def box_remains(data: bytes, box: Box) -> bytes | None:
    """The file of a removed box: None, or the page of a person who wrote on it.

    Such a page loses its memories and their lines. Raises BadInput when its header cannot be
    patched.
    """
    page, own = parse(data), parse(render_box(box))
    lines = [sorted(filter(None, _bare(one.body.split("\n")))) for one in (page, own)]
    if page.header == own.header and lines[0] == lines[1]:
        return None
    return box_changes(data, box, replace(box, lines=(), topics=(), goal="", outcome=""))


# -- reading -----------------------------------------------------------------------------------


def _items(lines: Sequence[str]) -> dict[int, tuple[str, str]]:
    """The memories of the first list of links: line number -> id and the words behind it."""
    found: dict[int, tuple[str, str]] = {}
    for number, (line, code) in enumerate(zip(lines, code_lines(lines), strict=True)):
        item = None if code else _ITEM.fullmatch(line)
        name = target_of(item[1]) if item else ""
        if item and is_id(name):
            if all(name != known for known, _ in found.values()):
                found[number] = (name, item[2].strip())
        elif found and not code and not _GOES_ON.match(line):
            break
    return found


def _identity(path: str, given: str, problems: list[str]) -> str:
    """The header's id, else one made from the file's name."""
    if is_id(given):
        return given
    made = slug(PurePosixPath(path).stem, fallback="box")
    problems.append(f"id {given!r} is no id: read as {made}" if given else "id is missing")
    return made


def _text(header: Mapping[str, Value], key: str) -> str:
    value = header.get(key, "")
    return value if isinstance(value, str) else ", ".join(value)


def _time(header: Mapping[str, Value], key: str, problems: list[str]) -> Instant:
    value = _text(header, key)
    try:
        return instant_of(value)
    except ValueError:
        problems.append(f"{key} {value!r} is no time: not used" if value else f"{key} is missing")
        return ""


def _name(header: Mapping[str, Value], key: str, problems: list[str]) -> str:
    """The id of a trace or of another box."""
    name = _link(header, key)
    if not name or is_id(name):
        return name
    problems.append(f"{key} {name!r} is no id: not used")
    return ""


def _link(header: Mapping[str, Value], key: str) -> str:
    return next(iter(targets_of(header.get(key))), "")


def _topics(value: Value) -> tuple[str, ...]:
    """A list as it is; one text instead of it is cut at commas."""
    items = value.split(",") if isinstance(value, str) else value
    return tuple(item for raw in items if (item := raw.strip()))


# -- writing -----------------------------------------------------------------------------------


def _written(box: Box, key: str) -> Value | None:
    """A field as its header key says it; None when the key is left out."""
    value = getattr(box, key)
    if not value and key not in _ALWAYS:
        return None
    if isinstance(value, tuple):
        return [inert_value(item) for item in value]
    return f"[[{value}]]" if key in _LINKS else inert_value(str(value))


def _heading(box: Box) -> str:
    title = inert_line(box.title)
    return f"# {title}" if title else ""


def _item(name: str, text: str) -> str:
    return f"- [[{name}]] {inert_line(text)}".rstrip()


def _span(box: Box) -> str:
    """How many memories, from where, of when, and with what it began, in one sentence."""
    count = f"{len(box.lines)} {'memory' if len(box.lines) == 1 else 'memories'}"
    session = f" from [[{box.session}|a conversation]]" if is_id(box.session) else ""
    project = f" about {inert_line(box.project)}" if box.project else ""
    goal = f", which began with “{inert_line(box.goal)}”" if box.goal else ""
    return f"{count}{session}{project}{_when(box)}{goal}."


def _when(box: Box) -> str:
    """` on 2026-03-06, 10:10 to 10:52 UTC`; empty when a time is missing."""
    if not box.created or not box.sealed:
        return ""
    day, start, end = day_of(box.created), box.created[11:16], box.sealed[11:16]
    if day_of(box.sealed) != day:
        return f" from {day} {start} to {day_of(box.sealed)} {end} UTC"
    return f" on {day}, {start} UTC" if start == end else f" on {day}, {start} to {end} UTC"


def _outcome(box: Box) -> str:
    return f"Outcome: {inert_line(box.outcome)}" if box.outcome else ""


def _neighbours(box: Box) -> str:
    earlier = f"Earlier: [[{box.previous}]]" if box.previous else ""
    later = f"Later: [[{box.next}]]" if box.next else ""
    return " · ".join(part for part in (earlier, later) if part)


# -- changing ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Page:
    """A body, line by line; `end` is what stands before the line feed of a new line."""

    lines: list[str]
    end: str

    def relist(self, before: Box, after: Box) -> None:
        """Remove, add or rewrite the lines of memories that differ between two states."""
        items = _items(_bare(self.lines))
        old, new = dict(before.lines), dict(after.lines)
        place = {name: number for number, (name, _) in items.items() if name in new}
        coming: dict[int, list[str]] = {}
        below = _list_end(self.lines, items)
        for name in reversed(after.memories):
            if name in place:
                below = place[name]
            elif name not in old:
                coming.setdefault(below, []).insert(0, _item(name, new[name]) + self.end)
        for number in sorted({*items, *coming}, reverse=True):
            name = items[number][0] if number in items else ""
            if name in old and name not in new:
                del self.lines[number]
            elif name in new and old.get(name) != new[name]:
                self.lines[number] = _item(name, new[name]) + self.end
            self.lines[number:number] = coming.get(number, [])

    def reword(self, old: str, new: str) -> None:
        """Replace a line of ours, take it out with the blank above it, or put it at the end."""
        if old == new:
            return
        if not old:
            tail = [""] if self.lines[-1] == "" else []
            body = self.lines[:-1] if tail else self.lines
            self.lines = [*body, *([self.end] if body else []), new + self.end, *tail]
            return
        bare = _bare(self.lines)
        if old not in bare:
            return
        at = bare.index(old)
        if new:
            self.lines[at] = new + self.end
        else:
            del self.lines[at - (at > 0 and not bare[at - 1]) : at + 1]


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.removesuffix("\r") for line in lines]


def _list_end(lines: Sequence[str], items: Mapping[int, object]) -> int:
    """The line behind the last item and what is indented below it; without items, the end."""
    end = max(items, default=len(lines) - 2) + 1
    while items and end < len(lines) and lines[end][:1] in (" ", "\t"):
        end += 1
    return end
