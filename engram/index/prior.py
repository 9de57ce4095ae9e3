"""What a text is like, in a byte: how much of it asks, whether it speaks of a time, and of a name.

    "Where were you? I was in Lisbon yesterday." -> half of it asks, a time, a name

A question is answered by what tells, so what asks counts less; a question for a time by what speaks
of one, and a question for who, where or which by what has a name (a capital inside a sentence) or a
title in quotes. `factors` turns what is asked for into the factor of each byte.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: what is taken from a text that only asks, and added for a time or a name that is asked for
ASKING, TIMED, NAMED = 0.3, 0.2, 0.1
#: a byte holds the share that asks in so many parts, then a bit for times and one for names
_PARTS, _TIME, _NAME = 15, 16, 32
#: a longer text is judged by its beginning, characters
_MOST_TEXT = 4_000
_HAS_NAME = re.compile(
    r"(?<![.!?…:;\"“(])[ \t][\"“'(]?(?!I\b|I['’])[A-Z][\w'’-]*|[\"“][A-Z][^\"“”\n]{1,80}[\"”]"
)


def prior(text: str, *, timed: bool) -> int:
    """The byte of a text, which speaks of a time or does not."""
    text = text[:_MOST_TEXT]
    asking = 0
    if "?" in text or "？" in text:
        # imported here: a search asks for the factors alone
        from engram.model.sentences import sentences_of

        sentences = sentences_of(text)
        asks = sum(1 for one in sentences if one.rstrip("\"')]*").endswith(("?", "？")))
        asking = round(_PARTS * asks / max(len(sentences), 1))
    named = _NAME if _HAS_NAME.search(text) else 0
    return asking | (_TIME if timed else 0) | named


def factors(*, when: bool, named: bool) -> Sequence[float]:
    """The factor of each byte for a question that asks for a time, or for who, where or which."""
    return [
        1.0
        - ASKING * (byte % _TIME) / _PARTS
        + (TIMED if when and byte & _TIME else 0.0)
        + (NAMED if named and byte & _NAME else 0.0)
        for byte in range(2 * _NAME)
    ]
