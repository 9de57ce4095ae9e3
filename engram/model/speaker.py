"""Names of speakers: as a conversation gives them -> as they are shown, and told of in statements.

    "Tom [3] user:\\n" -> "Tom 3 user"

Guarantees: what is shown holds letters, digits and the few signs of names, on one short line, so
that it forges neither a message of a prompt nor a line of a header. `ids.speaker_number` compares.
"""

from __future__ import annotations

import re
import unicodedata

#: a longer name is shown cut, characters
_MOST_SHOWN = 40
_WORD = re.compile(r"\w+")
#: how a statement names the owner, whatever somebody else is called
_THE_USER = re.compile(r"(?:the )?user\b", re.IGNORECASE)
_SIGNS = frozenset(" .'’&-")


def shown_name(name: str) -> str:
    """The name as prompts and headers show it; empty for one of signs alone."""
    signs = (sign if _is_of_names(sign) else " " for sign in unicodedata.normalize("NFKC", name))
    plain = " ".join("".join(signs).split())
    return plain[:_MOST_SHOWN].strip(" .'’&-") if _WORD.search(plain) else ""


def _is_of_names(sign: str) -> bool:
    return sign in _SIGNS or unicodedata.category(sign)[0] in "LMN"


def is_of_owner(text: str) -> bool:
    """Whether a statement begins with "the user"."""
    return _THE_USER.match(text) is not None


def is_about(text: str, name: str) -> bool:
    """Whether a statement begins with a name, or with the first word of one."""
    said, named = text.casefold(), name.casefold()
    return not is_of_owner(text) and any(
        said.startswith(one) and not said[len(one) : len(one) + 1].isalnum()
        for one in (named, named.partition(" ")[0])
    )
