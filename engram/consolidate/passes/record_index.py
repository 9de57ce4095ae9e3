"""Index pass: the records that are active -> `index.md`, for people and agents that read files.

    ## Sessions
    - Till sync retries (shop, 2026-03-06, partial) [[moment-20260306-091500-5a1c77e0]]

One section a schema, in the order of the table, the newest first, sessions by project. A section
shows `_MOST` lines and says how many more there are. A line that ends in a link to a record follows
it: written anew, moved, taken out; every other line is the person's and stays byte for byte. A page
that does not say so (its second line) is the person's alone and is left as it is. The page is never
read for what it says. Without records there is none: the page goes with its last line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.model.change import Change
from engram.model.ids import is_memory_id
from engram.model.instant import day_of
from engram.model.memory import SESSION, Memory, schema_name
from engram.model.page_lines import (
    BULLET,
    HEADING,
    Lines,
    Section,
    body_of,
    by_name,
    interleave,
    lines_of,
    one_line,
    sections,
)
from engram.model.schemas import SCHEMA_TABLE
from engram.model.step import Step
from engram.model.text import first_line

TASK, PATH = "record_index", "index.md"
#: schema -> heading, in the order of the page
HEADINGS = {
    SESSION: "Sessions",
    "decision": "Decisions",
    "runbook": "Runbooks",
    "constraint": "Constraints",
    "tech_debt": "Tech debt",
    "preference": "Preferences",
}
_ABOUT = (
    "*A line that ends in a link follows the record it links to. Lines of your own stay as they"
    " are. Without this line the whole page is yours.*"
)
_HEAD = f"# Index\n\n{_ABOUT}\n"
#: lines of a section; what is older is listed by `engram list`
_MOST = 50
_WIDTH = 160
_OURS = re.compile(rf"{re.escape(BULLET)}(.*?)\s*(?<!\\)\[\[([a-z0-9-]{{1,80}})\]\]\s*")
_MORE = re.compile(rf"{re.escape(BULLET)}(and [0-9,]+ more: `engram list --schema [a-z_]+`)\s*")


class _IndexLine(NamedTuple):
    """A line of ours: the memory that it links to (none: how many more there are), its text."""

    id: str
    text: str


def plan(context: PassContext) -> list[Step]:
    """One step that updates the page, or removes it; or none."""
    if context.changed is not None and not context.changed:
        return []
    before = context.view.page(PATH)
    text = before if before and before.strip() else _HEAD
    page = Lines(text)
    if _ABOUT not in text or not page.workable:
        return []
    wanted = {name: _lines(context, name) for name in SCHEMA_TABLE}
    made = _written(context, text, page.end + "\n", wanted)
    if _said(made) == _said(text):
        # what is forgotten leaves the page at once: an empty heading alone is no news
        return []
    after = None if is_bare(made) else made
    count = sum(len(lines) for lines in wanted.values())
    why = f"records on the page: {count}" if after else "there are no records to show"
    change = Change(PATH, _bytes(before), _bytes(after), "index")
    return [Step(TASK, "update" if after else "remove", (), why, prose=(change,))]


def is_bare(text: str) -> bool:
    """Whether a page has nothing but what this pass writes around its lines."""
    return not _said(text)


def _said(text: str) -> list[str]:
    """The lines of a page without what this pass writes around its own."""
    ours = {"", *_HEAD.splitlines(), *(f"{HEADING}{one}" for one in HEADINGS.values())}
    return [line for line in text.splitlines() if line.strip() not in ours]


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")


# -- what is to be shown ---------------------------------------------------------------------------


def _lines(context: PassContext, schema: str) -> list[_IndexLine]:
    """The lines of a section, in order."""
    shown = [one for one in context.view.records(schema) if _is_shown(one)]
    shown.sort(key=lambda one: (one.created, one.id), reverse=True)
    if schema == SESSION:
        shown.sort(key=lambda one: one.project)
    lines = [_IndexLine(one.id, _label(one)) for one in shown[:_MOST]]
    if more := len(shown) - len(lines):
        lines.append(_IndexLine("", f"and {more:,} more: `engram list --schema {schema}`"))
    return lines


def _is_shown(memory: Memory) -> bool:
    private = memory.sensitivity == "secret" or memory.space == "session"
    return memory.status == "active" and not private


def _label(memory: Memory) -> str:
    """What a person recognises it by, inert, with project, day, and how far a session came."""
    said = first_line(" ".join((memory.title or memory.text).split()), _WIDTH)
    outcome = memory.extras.get("outcome", "") if schema_name(memory) == SESSION else ""
    project = memory.project if memory.space == "project" else ""
    details = (project, day_of(memory.created), first_line(outcome, _WIDTH))
    return one_line(f"{said} ({', '.join(filter(None, details))})")


# -- the page --------------------------------------------------------------------------------------


def _written(
    context: PassContext, text: str, newline: str, wanted: dict[str, list[_IndexLine]]
) -> str:
    """The page with exactly these lines of ours."""
    lines = lines_of(text, newline)
    known = by_name(sections(lines))
    names = {heading.casefold(): name for name, heading in HEADINGS.items()}
    found = {section.start: names.get(heading, "") for heading, section in known.items()}
    made: list[str] = []
    done = 0
    for section in sections(lines):
        schema = found.get(section.start, "")
        made += _elsewhere(context, lines[done : section.start])
        if schema:
            made += _section(context, lines, section, wanted[schema], newline)
        else:
            made += _elsewhere(context, lines[section.start : section.end])
        done = section.end
    made += _elsewhere(context, lines[done:])
    for schema, heading in HEADINGS.items():
        if wanted[schema] and heading.casefold() not in known:
            made = _with_section(made, heading, wanted[schema], newline)
    return body_of(made, newline, text) if made else ""


def _section(
    context: PassContext, lines: Sequence[str], section: Section,
    wanted: Sequence[_IndexLine], newline: str,
) -> list[str]:  # fmt: skip
    """A section with its lines; without any, and nothing of the person's in it, nothing."""
    old = lines[section.start + 1 : section.end]
    body = interleave(old, wanted, lambda line: _ours(context, line), _id, _show, newline)
    if not wanted and not any(line.strip() for line in body):
        return []
    return [lines[section.start], *body]


def _with_section(
    made: Sequence[str], heading: str, wanted: Iterable[_IndexLine], newline: str
) -> list[str]:
    """The page with a new section at its end."""
    kept = list(made)
    while kept and not kept[-1].strip():
        kept.pop()
    new = ["", f"{HEADING}{heading}", "", *map(_show, wanted)]
    return [*kept, *(line + newline for line in new)]


def _elsewhere(context: PassContext, lines: Iterable[str]) -> Iterator[str]:
    """Lines outside our sections, without those whose record is not shown any more."""
    for line in lines:
        ours = _ours(context, line.rstrip("\r\n"))
        memory = context.view.memory(ours.id) if ours else None
        if ours is None or (memory is not None and _is_shown(memory)):
            yield line


def _ours(context: PassContext, line: str) -> _IndexLine | None:
    """A line of ours; None for one of the person's."""
    if more := _MORE.fullmatch(line):
        return _IndexLine("", more[1])
    found = _OURS.fullmatch(line)
    if found is None:
        return None
    memory = context.view.memory(found[2])
    ours = schema_name(memory) != "" if memory else is_memory_id(found[2])
    return _IndexLine(found[2], found[1]) if ours else None


def _id(line: _IndexLine) -> str:
    return line.id


def _show(line: _IndexLine) -> str:
    return f"{BULLET}{line.text} [[{line.id}]]" if line.id else f"{BULLET}{line.text}"
