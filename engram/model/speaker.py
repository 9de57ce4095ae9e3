"""Names of speakers: as a conversation gives them -> one to show, and a number to compare them by.

    "CAROLINE  smith" and "Caroline Smith" -> one number        "Tom [3] user:\\n" -> "Tom 3 user"

Guarantees: what is shown holds letters, digits and the few signs of names, on one short line, so
that it forges neither a message of a prompt nor a line of a header; the number holds no name.
"""

from __future__ import annotations

import re
import unicodedata

from engram.model.ids import message_digest

#: a longer name is shown cut, characters
_MOST_SHOWN = 40
_WORD = re.compile(r"\w+")
_SIGNS = frozenset(" .'’&-")


def shown_name(name: str) -> str:
    """The name as prompts and headers show it; empty for one of signs alone."""
    signs = (sign if _is_of_names(sign) else " " for sign in unicodedata.normalize("NFKC", name))
    plain = " ".join("".join(signs).split())
    return plain[:_MOST_SHOWN].strip(" .'’&-") if _WORD.search(plain) else ""


def _is_of_names(sign: str) -> bool:
    return sign in _SIGNS or unicodedata.category(sign)[0] in "LMN"


def speaker_number(name: str) -> int:
    """A number for a name whatever its case, its blanks and its signs; 0 for no name."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip()
    words = " ".join(_WORD.findall(folded)) or folded
    return int(message_digest("speaker", words)[:15], 16) | 1 if words else 0
