"""The name of a conversation and the first line of a box -> the title of the box.

    "Apartment Hamburg", its first box  ->  "Apartment Hamburg"
    "Apartment Hamburg", a later one    ->  "Apartment Hamburg: the deposit is two rents"

A conversation that nothing names gives its boxes what their first memory says. The topics of a box
are no title; older boxes that have them as one are given the title that they would have today where
they are shown, and where their file changes. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from engram.model.box import Box
from engram.model.markdown import inert_line
from engram.model.titles import title_of

#: characters of a conversation's name before what a later box tells
_NAME = 36
#: so many topics were a title once
_TITLE_TOPICS = 3


def box_title(box: Box, name: str, *, later: bool) -> str:
    """The title of a box of a conversation, `later` where another box of it came before."""
    line = box.lines[0][1] if box.lines else ""
    said = title_of(line) or line
    if not name:
        return said
    if not later:
        return inert_line(name)
    return f"{inert_line(title_of(name, _NAME).rstrip('…'))}: {said}" if said else name


def is_made(box: Box, name: str) -> bool:
    """Whether the title of a box is none that a person gave it."""
    made = [box_title(box, name, later=later) for later in (False, True)]
    return box.title in (
        "", *made, topic_title(box.topics), *(line for _, line in box.lines[:1]),
    )  # fmt: skip


def is_of_topics(box: Box) -> bool:
    """Whether a box is called by its topics, as older boxes are."""
    return bool(box.title) and box.title == topic_title(box.topics)


def topic_title(topics: Sequence[str]) -> str:
    """`Reports, writing style`: how boxes were called once."""
    words = inert_line(", ".join(topic.replace("-", " ") for topic in topics[:_TITLE_TOPICS]))
    return words[:1].upper() + words[1:]
