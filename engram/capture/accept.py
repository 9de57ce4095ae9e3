"""Acceptance of a turn from any caller: what is done to its texts before it is kept (design 1.6).

`cleaned` gives the turn whose every field can be written as UTF-8 and has
passed the redactor: the words first, then what is made of them, for a secret that was folded to a
project's slug would not be recognised any more. Control characters are removed before that, because
rendering drops them, and a secret that they had split for the redactor would be whole again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.ids import slug

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.model.turn import Turn

#: a longer name of a speaker is dropped
MOST_NAME = 80
#: Separator of texts that are redacted together: no rule matches across it, so that the end of one
#: and the beginning of the next do not become something else.
APART = "\n\0\n"
#: all control characters but those that end lines or separate words
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")


def cleaned(turn: Turn, redactor: Redactor) -> tuple[Turn, int]:
    """The turn with every field legible and redacted, and the number of redactions."""
    vault_parts = (turn.text, turn.session, turn.title, turn.project, turn.speaker)
    fields = [legible(text) for text in (*vault_parts, *turn.tools)]
    found = 0
    # nearly always nothing is found: one pass over everything costs least
    if not redactor.clean(APART.join(fields)):
        parts = [redactor.redact(text) for text in fields]
        found = sum(len(part.found) for part in parts)
        fields = [part.text for part in parts]
    text, session, title, project, speaker, *tools = fields
    kept = replace(
        turn,
        text=text,
        folder="",
        session=session,
        title=title,
        project=slug(project) if project else "",
        tools=tuple(tools),
        speaker=" ".join(speaker.split())[:MOST_NAME],
    )
    return kept, found


def legible(text: str) -> str:
    """Text that can be written as UTF-8, without control characters but for line ends and tabs."""
    from engram.capture.clean import readable

    return readable(_CONTROLS.sub("", text))
