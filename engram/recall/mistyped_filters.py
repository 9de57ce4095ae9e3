"""The words of a query -> the first that is meant as a filter of a value that there is none of.

`category:decisions` and `since:banana` would find nothing as words, and nobody would know why.
`status:500` is a word: of status, kind and space only what nearly is one of their values is a slip.
Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engram.model.memory import CATEGORIES, SPACES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable

_FILTER = re.compile(r"(category|status|kind|space|since|before):([\w,.-]+)", re.IGNORECASE)
_VALUES = {
    "category": CATEGORIES, "status": STATUSES, "kind": ("episode", "note"), "space": SPACES,
}  # fmt: skip
#: how alike a word is to a value that it is a slip of
_ALIKE = 0.75


class MistypedFilter(NamedTuple):
    """What is wrong with a filter, and what to write instead."""

    problem: str
    fix: str


def mistyped_filter(words: Iterable[str]) -> MistypedFilter | None:
    """The first slip among the words that a query looks for; None where there is none."""
    for word in words:
        if match := _FILTER.fullmatch(word):
            found = _slip(match[1].casefold(), match[2], word)
            if found is not None:
                return found
    return None


def _slip(name: str, value: str, word: str) -> MistypedFilter | None:
    quoted = f"or quote it to look for the word: '\"{word}\"'"
    if name not in _VALUES:
        return MistypedFilter(
            f"{value!r} is no day like 2026-03-06, nor a month like 2026-03",
            f"`engram search {name}:2026-03 WORDS`, {quoted}",
        )
    from difflib import get_close_matches

    known = _VALUES[name]
    wrong = next((one for one in value.casefold().split(",") if one not in known), "")
    near = get_close_matches(wrong, known, n=1, cutoff=_ALIKE)
    if not near and name != "category":
        return None
    meant = f"did you mean `{name}:{near[0]}`? " if near else ""
    return MistypedFilter(
        f"there is no {name} {wrong!r}", f"{meant}one of: {', '.join(known)}; {quoted}"
    )
