"""Home pass: what the vault has -> the block of links in `home.md`.

    - [[profile]]: who you are, your people, what you prefer, your rules
    - [[person-katja|Katja]]: the user's sister
    - 2026-03-06 [[box-2fbf8c50|Choosing the database]], from [[claude-code-3f2a|a conversation]]

The page comes with the vault; its tables are Obsidian's affair. The block between the marks
(`model/marked_block`) is for every other reader, and for what no table shows: it links the profile,
the people who are named most, and the newest boxes with their conversations, each only where its
file is there. All other bytes are the person's. A page without marks is the person's alone, and one
that is not there is not made.
"""

from __future__ import annotations

import re
from collections import Counter

from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook
from engram.model.box import Box
from engram.model.change import Change
from engram.model.display import plain_line
from engram.model.entity import Entity
from engram.model.instant import day_of
from engram.model.markdown import inert_line
from engram.model.marked_block import has_block, with_lines
from engram.model.step import Step
from engram.model.text import first_line

TASK, PATH = "home_page", "home.md"
BEGIN = "<!-- engram:begin: engram keeps these links; without the marks the page is yours alone -->"
_PAGES = (
    ("profile", "who you are, your people, what you prefer, your rules"),
    ("index", "sessions, decisions, runbooks and other records by name"),
)
_MOST_PEOPLE, _MOST_BOXES = 12, 10
_WIDTH = 80
#: what ends a link, or leaves an escape in its words
_ENDS_LINK = re.compile(r"[\\\[\]]+\s*")


def plan(context: PassContext) -> list[Step]:
    """One step that updates the block, or none."""
    if context.changed is not None and not context.changed:
        return []
    before = context.view.page(PATH)
    if before is None or not has_block(before):
        return []
    made = with_lines(before, _lines(context), BEGIN)
    if made == before or "\ufffd" in before:
        return []
    change = Change(PATH, before.encode("utf-8"), made.encode("utf-8"), "home")
    return [Step(TASK, "update", (), "its links follow what there is", prose=(change,))]


def _lines(context: PassContext) -> list[str]:
    """The lines between the marks."""
    pages = [f"- [[{name}]]: {about}" for name, about in _PAGES if context.view.page(f"{name}.md")]
    people = [_person(one) for one in _people(context)]
    boxes = [_box(one) for one in _boxes(context)]
    lines = ["", *pages]
    if people:
        lines += ["", "**People**", "", *people]
    if boxes:
        lines += ["", "**Newest conversations**", "", *boxes]
    return [*lines, ""] if len(lines) > 1 else []


def _people(context: PassContext) -> list[Entity]:
    """The persons with a page, those whom most memories name first."""
    book = EntityBook(context)
    counts: Counter[str] = Counter()
    for name, live in context.view.mentioned().items():
        counts[book.lead(name)] += live
    pages = (one for one in context.view.entities() if one.type == "person")
    known = [one for one in pages if not one.merged_into and counts[one.id]]
    return sorted(known, key=lambda one: (-counts[one.id], one.id))[:_MOST_PEOPLE]


def _person(entity: Entity) -> str:
    """`- [[person-katja|Katja]]: the user's sister`."""
    who = first_line(entity.synthesis).partition(". ")[0].partition("Person: ")[2]
    listed = who.rstrip(".") if entity.synthesis_by == "listed" else ""
    link = f"[[{entity.id}|{_alias(entity.name) or entity.id}]]"
    return f"- {link}: {inert_line(listed)}" if listed else f"- {link}"


def _boxes(context: PassContext) -> list[Box]:
    boxes = sorted(context.view.boxes(), key=lambda one: (one.sealed, one.id), reverse=True)
    return boxes[:_MOST_BOXES]


def _box(box: Box) -> str:
    """`- 2026-03-06 [[box-2fbf8c50|Title]] ([[claude-code-3f2a|all that was said]])`."""
    told = f"- {day_of(box.sealed)} [[{box.id}|{_alias(box.title) or box.id}]]"
    return f"{told} ([[{box.session}|all that was said]])" if box.session else told


def _alias(text: str) -> str:
    """The words of a link, which nothing in them ends, and which read in their order."""
    words = _ENDS_LINK.sub(" ", plain_line(text.replace("|", "/")))
    return inert_line(first_line(words.strip(), _WIDTH))
