"""A statement -> the title that people recognise its memory by, at most 60 characters.

    "We decided to use postgres instead of sqlite because two writers need it."
    -> "We decided to use postgres instead of sqlite"

A title is made of the statement's own words in their order: its first sentence, without its reason,
without "The user" before it, and ended at a clause or at a word with `…` where it is longer. It has
no Markdown and is one line. A memory that was given a title keeps it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engram.model.display import plain_line
from engram.model.sentences import sentences_of

if TYPE_CHECKING:
    from engram.model.memory import Memory

#: characters of a title
WIDTH = 60
#: letters that a title has at least before its reason is left out
_LEAST = 24
#: the share of the width that a title fills at least before it ends at a clause
_FILLED = 2 / 3
#: who is meant by nearly every statement
_OWNER = re.compile(r"(?:The user|I) (?=[a-z])|The user's (?=\w)")
_SIGNS = re.compile(r"[`*]+|\[\[|\]\]|(?<!\w)_+|_+(?!\w)|^[#>\s]+|^[-+] ")
#: a statement is as true without its reason; without its condition it is not
_REASON = re.compile(r",? (?:because|so that|since it|since they|as it|that is why|weil|damit) ")
_CLAUSE = re.compile(r"[;,] | [—–-] | (?=\(\w)| (?=(?:and|but|und|aber) )")
#: words that nothing can end with
_DANGLING = re.compile(
    r"(?:\s+(?:a|an|the|of|to|in|on|at|for|with|by|from|and|or|but|so|as|is|are|was|that|which|who"
    r"|not|no|our|my|its|their|der|die|das|und|mit|von|zu|für))+$",
    re.IGNORECASE,
)


def title_of(statement: str, width: int = WIDTH) -> str:
    """The title of a statement, at most `width` characters.

    Empty only where it holds no letter or digit.
    """
    sentence = next((said for one in sentences_of(statement) if (said := _words_of(one))), "")
    owner = _OWNER.match(sentence)
    said = (sentence[owner.end() :] if owner else sentence).strip()
    reason = _REASON.search(said, _LEAST)
    said = _ended(said[: reason.start()] if reason else said, width)
    return f"{said[:1].upper()}{said[1:]}"


def shown_title(memory: Memory) -> str:
    """The title that a memory was given, else that of its statement, else its id; one line."""
    return plain_line(memory.title) or title_of(memory.text) or memory.id


def _words_of(sentence: str) -> str:
    """A sentence without Markdown, on one line; empty where it holds no letter or digit."""
    line = plain_line(_SIGNS.sub("", plain_line(sentence)))
    return line if any(map(str.isalnum, line)) else ""


def _ended(said: str, width: int) -> str:
    """At most so many characters, ended where a reader would pause."""
    said = said.rstrip(" .,;:。")
    if len(said) <= width:
        return said
    ends = [end.start() for end in _CLAUSE.finditer(said, int(width * _FILLED), width)]
    cut = said[: ends[-1]] if ends else said[: width - 1].rpartition(" ")[0]
    cut = _DANGLING.sub("", cut or said[: width - 1])
    return cut.rstrip(" .,;:([“\"'") + "…"
