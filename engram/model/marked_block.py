"""One block of lines between two marks in a person's text file: put in, replaced, taken out.

    <!-- engram:begin ... -->
    ...
    <!-- engram:end -->

Guarantees: outside of the marks not a byte changes, line ends and a missing last one neither; the
block has the line ends of its file; doing anything twice changes nothing; taking out what was put
in gives the text as it was. Refused (ValueError): marks that are no pair. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

BEGIN = "<!-- engram:begin: `engram export claude` writes what stands here -->"
END = "<!-- engram:end -->"
_MARK = re.compile(r"^<!-- engram:(begin|end)\b[^\n]*?-->[ \t]*(?=\r?$)", re.MULTILINE)
#: the last line of what stands before a block, where nothing is in it
_BLANK_LINE = re.compile(r"(\A|\n)\r?\n\Z")


def has_block(text: str) -> bool:
    """Whether there is one block, between two marks."""
    try:
        return _span(text) is not None
    except ValueError:
        return False


def with_lines(text: str, lines: Sequence[str], begin: str = BEGIN) -> str:
    """The text with a block of these lines, in place of its block or at its end.

    `begin` is the mark that it begins with; what it says of the block is for people.
    """
    span = _span(text)
    told = text[: text.find("\n") + 1] if span is None else text[span[0] : span[1]]
    line_end = "\r\n" if "\r\n" in told else "\n"
    block = line_end.join((begin, *lines, END))
    if span is not None:
        return text[: span[0]] + block + text[span[1] :]
    if not text:
        return block + line_end
    if text.endswith("\n"):
        return text + line_end + block + line_end
    return text + line_end * 2 + block


def without_lines(text: str) -> str:
    """The text without its block, and without the blank line before it."""
    span = _span(text)
    if span is None:
        return text
    before, after = text[: span[0]], text[span[1] :]
    if "\n" in after:
        return _BLANK_LINE.sub(r"\1", before) + after.partition("\n")[2]
    ends = "\r\n\r\n" if before.endswith("\r\n\r\n") else "\n\n"
    return before.removesuffix(ends)


def _span(text: str) -> tuple[int, int] | None:
    """Where the block begins and ends, without the line end behind it; None without one."""
    marks = list(_MARK.finditer(text)) if "<!-- engram:" in text else []
    if not marks:
        return None
    if [mark[1] for mark in marks] != ["begin", "end"]:
        line = text.count("\n", 0, marks[0].start()) + 1
        raise ValueError(f"line {line}: the marks of engram are no pair")
    return marks[0].start(), marks[1].end()
