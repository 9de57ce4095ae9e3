"""Traced text: a question or a text of an item, as an event shows it (seed 002).

    "my password is 123"  ->  "(redacted)"

White space single; a text with a word that goes with secrets is hidden as a whole, for the word
tells where one may stand; what is longer than 200 characters is cut. Pure.
"""

from __future__ import annotations

import re

REDACTED, CUT = "(redacted)", "... (truncated)"
#: whole words, also in a name such as `api_key`
_TELLING = re.compile(
    r"(?<![^\W_])(?:keys?|secrets?|tokens?|passwords?|authorization)(?![^\W_])", re.IGNORECASE
)
_LONGEST = 200


def traced_text(value: object) -> str:
    """A value as an event shows it; empty for None."""
    line = " ".join(str("" if value is None else value).split())
    if _TELLING.search(line):
        return REDACTED
    return line if len(line) <= _LONGEST else line[:_LONGEST] + CUT
