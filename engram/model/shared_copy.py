"""Shared copy: a memory of a person's own -> the memory of it in a vault shared with others.

    statement, tags, entities, fields and sections of its schema   ->  as they are
    sources, links to other memories, paths outside of the project ->  left out
    the words that were said                                       ->  only where asked for

It keeps id, category and time, and no number that one machine gave it, so that two machines make
the same file of one memory. When it ends is left out as well: what a group shares holds until one
of them says otherwise. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from engram.model.memory import FULFILLED, PARTICIPANT, Memory
from engram.model.project_path import is_project_path
from engram.model.promotion import PROMOTED_FROM, PROMOTION_REASON
from engram.model.record import without_receipt
from engram.model.schemas import CHANGES, schema_of

#: header key of what was promoted into a shared vault: `@NAME` of that
PROMOTED_TO = "promoted_to"
#: header keys beside those of the schema that say how a memory stands, or of whom it is
_STATES = frozenset({"due", "commitment_state", "debt_state", FULFILLED, PARTICIPANT})


def shared_copy(
    memory: Memory, space: str, reason: str, authority: str, *, with_quote: bool = False
) -> Memory:
    """The copy in a vault for memories of `space`; `reason` is the code of why it was promoted."""
    form = schema_of(memory.category, memory.schema)
    known = _STATES | {one.place for one in form.scalars} if form is not None else _STATES
    scalars = tuple((name, value) for name, value in memory.extra if name in known)
    marks = ((PROMOTED_FROM, memory.id), (PROMOTION_REASON, reason))
    return replace(
        memory,
        path="",
        status="active",
        status_since="",
        status_reason="",
        expires="",
        authority=authority,
        project=memory.project if space == "project" else "",
        space=space,
        quote=memory.quote if with_quote else "",
        related_files=tuple(filter(is_project_path, memory.related_files)),
        sources=(),
        supersedes=(),
        superseded_by=(),
        conflicts=(),
        extra=(*scalars, *marks),
        sections=tuple(
            (heading, _without_receipts(text))
            for heading, text in memory.sections
            # what is told of each change is told with its turn
            if heading.casefold() != CHANGES.casefold()
        ),
    )


def _without_receipts(text: str) -> str:
    return "\n".join(map(without_receipt, text.split("\n")))
