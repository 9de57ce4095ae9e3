"""Display of foreign text: safe on a terminal, in a table, in a spreadsheet.

`plain` guarantees that nothing in a memory, a transcript or a file name can move the cursor,
recolour or clear a terminal, reverse the reading order, hide letters, or fail to be encoded.
What changes how text looks without being seen is shown as an escape, never dropped silently;
characters that people write (accents, joiners inside emoji, every script) stay as they are.
`csv_cell` guarantees that a spreadsheet reads the cell as text. Nothing is refused.
"""

from __future__ import annotations

import re

#: C0 without tab and line feed, delete, C1. A carriage return goes too: it overwrites a line.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: Seen by nobody, obeyed by every renderer: Arabic letter mark, directional marks, embeddings,
#: overrides and isolates; line and paragraph separators; deprecated format characters; the byte
#: order mark; interlinear annotations; tag characters, which can carry a hidden English sentence;
#: lone surrogates, which no stream can encode.
_UNSEEN = re.compile(
    "[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

#: The flags of England, Scotland and Wales are the one honest use of tag characters.
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{4,6}\U000e007f")

#: A cell that begins so is a formula for some spreadsheet, also in its full-width form.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def plain(text: str) -> str:
    """Text without control characters, and with unseen ones as `\\u202e`; idempotent.

    Tabs and line feeds stay, `\\r\\n` becomes `\\n`.
    """
    if text.isascii():
        return _CONTROLS.sub("", text)
    shown: list[str] = []
    start = 0
    for flag in _FLAG.finditer(text):
        shown += (_seen(text[start : flag.start()]), flag.group())
        start = flag.end()
    shown.append(_seen(text[start:]))
    return "".join(shown)


def plain_line(text: str) -> str:
    """`plain`, on one line: every run of white space is one space."""
    return " ".join(plain(text).split())


def csv_cell(text: str) -> str:
    """`plain` text that no spreadsheet takes for a formula: an apostrophe is put before it.

    Quoting commas, quotes and line feeds is left to the `csv` module.
    """
    cell = plain(text)
    risky = cell.startswith(("\t", "\n")) or cell.lstrip().startswith(_FORMULA)
    return "'" + cell if risky else cell


def _seen(text: str) -> str:
    return _UNSEEN.sub(_escape, _CONTROLS.sub("", text))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns(text: str) -> int:
    """How many columns of a terminal a line of plain text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    import unicodedata  # a line of ASCII needs no tables

    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
