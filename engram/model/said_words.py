"""Inert Markdown -> the words as they were said: what `neutralise` escaped, where that is sure.

    the \\#1 customer is \\[\\[Acme]]      the #1 customer is [[Acme]]
    C:\\_old                            C:\\_old       nobody escaped that

An escape is taken back where `neutralise` would put it there again, else the line stays as it is;
code stays as it is. What `neutralise` drops is not known any more: the label of a code block,
control characters, other line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.model.markdown import code_lines, neutralise

#: an escaped sign; a backslash that is escaped itself stands for nothing of ours
_ESCAPED = re.compile(r"\\([\\!-/:-@\[-`{-~])")
#: so many escapes of a line are tried one by one
_TRIED = 32


def said_words(text: str) -> str:
    """The text as it was before `neutralise`, as far as that can be known."""
    if "\\" not in text:
        return text
    lines = text.split("\n")
    found = [
        line if code or "\\" not in line else _bare(line)
        for line, code in zip(lines, code_lines(lines), strict=True)
    ]
    said = "\n".join(found)
    return said if neutralise(said) == neutralise(text) else text


def _bare(line: str) -> str:
    """A line without its escapes; where only some are to be taken back, each is tried alone."""
    escapes = [hit.start() for hit in _ESCAPED.finditer(line) if hit[1] != "\\"]
    shown = line.strip()
    bare = _without(line, escapes)
    if neutralise(bare) == shown:
        return bare
    ours = [at for at in escapes[:_TRIED] if neutralise(_without(line, [at])) == shown]
    bare = _without(line, ours)
    return bare if neutralise(bare) == shown else line


def _without(line: str, places: Sequence[int]) -> str:
    """A line without the signs at some places."""
    kept = [0, *(at + 1 for at in places)]
    return "".join(line[start:end] for start, end in zip(kept, [*places, None], strict=True))
