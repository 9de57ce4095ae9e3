"""The lines of a Markdown note as Obsidian and its plugins write them -> the words of its author.

- Links become what they show: `[[Projects/Shop|the shop]]` is `the shop`; embeds and block ids go.
- A callout (`> [!note] Title`) is the author's own and loses its `>`; a quotation keeps it.
- Passed over: comments (`%% ... %%`), blocks that a plugin runs or stores (`dataview`, `tasks`,
  drawings), lines with nothing but template placeholders, list items without words.

Code in other fences stays as it is. Works line by line, so that an unclosed block ends with the
note.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s{0,3}(?:```+|~~~+)\s*([\w-]*)")
#: Fenced blocks whose content is a question to a plugin or its store.
_MACHINE = frozenset(
    [
        "dataview", "dataviewjs", "tasks", "query", "base", "button", "compressed-json",
        "datacore", "datacorejs", "datacorejsx", "datacoretsx", "meta-bind", "meta-bind-button",
    ]
)  # fmt: skip
_COMMENT = re.compile(r"%%.*?%%")
_COMMENT_OPENS = re.compile(r"\s*%%\s*(?:kanban:settings)?\s*\Z")
_CALLOUT = re.compile(r"\s{0,3}>\s*\[!(?!quote|cite)[\w-]+[^\]\n]*\][+-]?\s*", re.IGNORECASE)
_QUOTED = re.compile(r"\s{0,3}> ?")
_LINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,300})\]\]")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*\Z")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}|<%[^\n]*?%>")
_EMPTY_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])(?:\s+\[.\])?\s*\Z")


class NoteLines:
    """What is open at a line of one note: a fence, a comment, a callout."""

    def __init__(self) -> None:
        #: an open fence: "code", or "machine" where its lines are passed over
        self._fence = ""
        self._comment = False
        self._callout = False

    def plain(self, text: str, *, inner: bool = False) -> str:
        """The words of a line, with its end; empty when it is passed over.

        `inner` is for a piece that goes on from one before it: it opens and closes nothing.
        """
        if inner:
            return "" if self._fence == "machine" or self._comment else text
        fence = _FENCE.match(text) if not self._comment else None
        if fence is not None:
            opens = "machine" if fence[1].lower() in _MACHINE else "code"
            shown = "machine" not in (self._fence, opens)
            self._fence = "" if self._fence else opens
            return text if shown else ""
        if self._fence:
            return text if self._fence == "code" else ""
        if self._comment or _COMMENT_OPENS.match(text):
            self._comment = not (self._comment and text.rstrip().endswith("%%"))
            return ""
        return _words(self._unquoted(text))

    def _unquoted(self, text: str) -> str:
        """A line of a callout without its mark."""
        opens = _CALLOUT.match(text)
        mark = opens or (_QUOTED.match(text) if self._callout else None)
        self._callout = mark is not None
        return text[mark.end() :] or "\n" if mark is not None else text


def _words(text: str) -> str:
    """A line with its links as they are shown; empty when only marks are left of it."""
    bare = _COMMENT.sub("", text) if "%%" in text else text
    if "[[" in bare:
        bare = _LINK.sub(_shown, bare)
    if "^" in bare:
        bare = _BLOCK_ID.sub("\n", bare)
    if "{{" in bare or "<%" in bare:
        rest = _PLACEHOLDER.sub("", bare)
        bare = bare if any(sign.isalnum() for sign in rest) else ""
    if (bare != text and not bare.strip()) or _EMPTY_ITEM.match(bare):
        return ""
    return bare


def _shown(link: re.Match[str]) -> str:
    """What a link shows: its own words, or else the name of the note or heading it leads to."""
    if link[1]:
        return ""
    target, _, words = link[2].partition("|")
    if words.strip():
        return words.strip()
    note, _, heading = target.rstrip("\\").partition("#")
    name = note[note.rfind("/") + 1 :]
    return name or heading.lstrip("^")
