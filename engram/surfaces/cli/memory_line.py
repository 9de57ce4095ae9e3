"""A memory -> the one line by which every verb shows it to a person.

    #8f26a5 2026-03-04 decision shop  We decided to use postgres instead of sqlite
    #0c11de 2026-03-01 preference  Prefers short answers (superseded)

The short id, which every verb takes (without `#` too), the day in the vault's time zone, category
(`session` for the record of one), project if it has one, two blanks, the title, and its standing
where it is not simply active. A line that is wider than the terminal goes on below, indented. A day
that is only guessed is `about` one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.display import plain, plain_line
from engram.model.ids import docid
from engram.model.instant import local_day
from engram.model.memory import SESSION, is_proposed, schema_name
from engram.model.titles import shown_title
from engram.surfaces.cli.arguments import chosen
from engram.surfaces.cli.terminal import hanging, styled

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.memory import Memory

#: columns by which the rest of a line that is too wide is set in
_INDENT = 4


def memory_line(memory: Memory, before: str = "", *, note: str = "") -> str:
    """The line of a memory, after the words `before`, with a `note` at its end."""
    return line_of(
        docid(memory.id), memory.created, _kind(memory), memory.project, shown_title(memory),
        standing(memory), note, before=before, guessed=memory.date_guessed,
    )  # fmt: skip


def line_of(
    short_id: str, created: Instant, category: str, project: str, title: str, *notes: str,
    before: str = "", guessed: bool = False,
) -> str:  # fmt: skip
    """The line of anything that has a short id; harmless on a terminal."""
    day = f"{'about ' if guessed else ''}{local_day(created, chosen().timezone)}"
    about = plain_line(" ".join(filter(None, (short_id, day, category, project))))
    said = ", ".join(filter(None, notes))
    noted = f" ({said})" if said else ""
    shown = f"  {plain_line(title)}{noted}" if title else noted
    line = hanging(f"{plain(before)}{about}{shown}", _INDENT)
    return line.replace(short_id, styled(short_id, fg="cyan"), 1)


def standing(memory: Memory) -> str:
    """`superseded`, `retired` ..., or `proposed` for what nobody agreed to; empty if active."""
    if memory.status != "active":
        return memory.status
    return "proposed" if is_proposed(memory) else ""


def _kind(memory: Memory) -> str:
    """Its category; where a conversation stopped is a session to everybody."""
    return SESSION if schema_name(memory) == SESSION else memory.category
