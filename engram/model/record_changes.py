"""RecordChange: one line of a record's `## Changes` <-> date, field, old and new value, reason.

`- 2026-02-10 · status · proposed → accepted · agreed in review`; for an item that a list gained
`- 2026-02-10 · rationale · added: two writers · agreed`. A line that `change_line` made reads back
as it was; one that a person wrote in other ways is read as a date, if it begins with one, and a
reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from engram.model.markdown import inert_line
from engram.model.memory import Memory
from engram.model.record import items_in, sections_by_name
from engram.model.schemas import CHANGES

_BETWEEN, _ARROW = " · ", " → "
#: a day, or a day with its time, as seed 001 writes it
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?")
_FIELD = re.compile(r"[a-z][a-z_]{0,39}")
_BULLET = "- "


class RecordChange(NamedTuple):
    """One change: `date` is a Day or an Instant, `reason` the why, or what was added."""

    date: str
    field: str = ""
    old: str = ""
    new: str = ""
    reason: str = ""


def change_line(change: RecordChange) -> str:
    """The line of a change, as inert Markdown."""
    parts = [change.date] if change.date else []
    if change.field:
        parts.append(change.field)
    if change.old or change.new:
        parts.append(f"{_part(change.old)}{_ARROW}{_part(change.new)}".strip())
    if change.reason or len(parts) == 1:
        # what came to a list is the first part of the reason
        bare = change.field and not (change.old or change.new)
        parts += map(_part, change.reason.split(_BETWEEN) if bare else [change.reason])
    return _BULLET + _BETWEEN.join(parts)


def list_change(date: str, field: str, told: str, why: str = "") -> RecordChange:
    """What came to a list, or went, and why."""
    said = filter(None, map(_one_part, (told, why)))
    return RecordChange(date, field, reason=_BETWEEN.join(said))


def change_of(line: str) -> RecordChange:
    """The change that a line tells of, with or without its bullet."""
    parts = line.removeprefix(_BULLET).strip().split(_BETWEEN)
    date = parts.pop(0) if _DATE.fullmatch(parts[0].strip()) else ""
    field = parts.pop(0) if len(parts) > 1 and _FIELD.fullmatch(parts[0]) else ""
    old = new = ""
    if field and _ARROW.strip() in parts[0].split():
        old, _, new = f" {parts.pop(0)} ".partition(_ARROW)
    return RecordChange(date, field, old.strip(), new.strip(), _BETWEEN.join(parts).strip())


def changes_of(memory: Memory) -> tuple[RecordChange, ...]:
    """What the `## Changes` of a memory tell, in the order of the file."""
    return changes_in(sections_by_name(memory.sections).get(CHANGES.casefold(), ()))


def changes_in(texts: Iterable[str]) -> tuple[RecordChange, ...]:
    """What the texts of `## Changes` tell."""
    return tuple(change_of(item) for text in texts for item in items_in(text))


def changes_text(changes: Iterable[RecordChange]) -> str:
    """The text of a section that tells of changes."""
    return "\n".join(map(change_line, changes))


def _part(text: str) -> str:
    """A part of a line: on one line, inert, and with nothing in it that ends a part."""
    return _one_part(inert_line(text))


def _one_part(text: str) -> str:
    return text.replace("·", "-").replace("→", "->")
