"""Prose of a page for the index: its words without header, title and link targets.

A link is replaced by its label; without one, by an entity's name, and the ids of memories, turns,
boxes and summaries, which nobody would search for, are left out. Lines stay lines. Never raises
for bytes.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from engram.store.files.document import parse

_LINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
#: ids of memories, turns, boxes, summaries and conversations
_MADE_UP = re.compile(r"-[0-9]{8}-[0-9]{6}-[0-9a-f]{8}|#\^|^(?:box|sum)-[0-9a-f]{8}|-[0-9a-f]{12}$")
_TITLE = re.compile(r"(\s*)#[ \t][^\n]*")
_MARKER = re.compile(r"^[ \t]*(?:#{1,6}|[-*+]|>)[ \t]+", re.MULTILINE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class Prose(NamedTuple):
    """The words, how many lines of the file stand above them, and whether lines were left out."""

    text: str
    above: int
    hides: bool = False


def prose_of(data: bytes, forgotten: Container[str] = ()) -> Prose:
    """The body of a page as plain words, line by line as they stand in it.

    Lines that link to one of the `forgotten` memories are empty (design 5.21).
    """
    whole = data.decode("utf-8", "replace")
    body = parse(whole.encode("utf-8")).body
    words = _TITLE.sub(r"\1", body, count=1) if _TITLE.match(body) else body
    shown = "\n".join(
        "" if any(link[1] in forgotten for link in _LINK.finditer(line)) else line
        for line in words.split("\n")
    )
    plain = _ESCAPE.sub(r"\1", _MARKER.sub("", _LINK.sub(_shown, shown)))
    return Prose(plain, whole.count("\n") - body.count("\n"), shown != words)


def _shown(link: re.Match[str]) -> str:
    target, label = link.groups()
    return label or ("" if _MADE_UP.search(target) else target.rpartition("/")[2])
