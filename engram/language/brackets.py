"""A text -> whether each round bracket in it has its other half, in this order. Pure.

"carry a pen) so nothing with nuts" -> no
"1) use tabs :)"                    -> yes: a list's label and a face close nothing
"""

from __future__ import annotations

import re

_BRACKET = re.compile(r"[()]")
_CLOSES_NONE = re.compile(r"(?:(?:^|[\s(])\w{1,2}|[:;]-?)\Z")


def is_balanced(text: str) -> bool:
    """Whether none is left open and none closes what was not opened."""
    depth = 0
    for mark in _BRACKET.finditer(text):
        if mark[0] == "(":
            depth += 1
        elif depth:
            depth -= 1
        elif not _CLOSES_NONE.search(text, 0, mark.start()):
            return False
    return depth == 0
