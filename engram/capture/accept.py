"""Acceptance of a turn from any caller: validation and redaction before it is kept (design 1.6).

`check` refuses, with BadInput and without repeating a value, what cannot become a file name, an
instant or a block id. `cleaned` gives the turn whose every field can be written as UTF-8 and has
passed the redactor: the words first, then what is made of them, for a secret that was folded to a
project's slug would not be recognised any more. Control characters are removed before that, because
rendering drops them, and a secret that they had split for the redactor would be whole again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.errors import BadInput
from engram.model.ids import is_id, slug
from engram.model.instant import instant_of

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.model.turn import Turn

#: a longer name of a speaker is dropped
MOST_NAME = 80
_MESSAGE = re.compile(r"[0-9a-f]{16}")
#: Separator of texts that are redacted together: no rule matches across it, so that the end of one
#: and the beginning of the next do not become something else.
APART = "\n\0\n"
#: all control characters but those that end lines or separate words
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")


def check(turn: Turn) -> None:
    """Raise BadInput for a turn with an invalid source, role, time or message digest."""
    texts = (turn.source, turn.session, turn.text, turn.time, turn.message, turn.project)
    if not all(isinstance(text, str) for text in (*texts, turn.title, turn.speaker, *turn.tools)):
        raise BadInput("a field of a turn is no text")
    if not is_id(turn.source):
        raise BadInput("the source of a turn is no name", "use a-z, 0-9 and hyphens")
    if turn.role not in ("user", "assistant"):
        raise BadInput("the role of a turn is neither user nor assistant")
    if not _MESSAGE.fullmatch(turn.message):
        raise BadInput("the digest of a turn is not 16 hex digits", "`turn_of` makes it")
    try:
        proper = instant_of(turn.time) == turn.time
    except ValueError:
        proper = False
    if not proper:
        raise BadInput("the time of a turn is no instant", "write it like 2026-03-06T10:10:00Z")


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
