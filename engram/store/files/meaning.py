"""Meaning of a file: a digest of its content, independent of its formatting.

Editors write a header again when they save: other quotes, lists in another style, keys in another
order, other line ends. A file whose meaning is the same was not edited. The meaning is what is read
of a memory's header, or what stands in that of a page, and the body but for line ends, and
blank space at the ends of lines and of the file. A word, a link, the order of a list, an unknown
key: each of them is meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from engram.model.memory import Memory
from engram.model.text import sha256_bytes

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: fields decided by the path, and those that stand in the body or among the unknown keys as well
_ELSEWHERE = frozenset(["path", "text", "quote", "extra"])
_FIELDS = tuple(field.name for field in fields(Memory) if field.name not in _ELSEWHERE)
_encoded = json.JSONEncoder(sort_keys=True).encode


def digest_of(
    content: object, header: Mapping[str, Value], problems: Sequence[str], body: str
) -> str:
    """The digest of what was read of a file; `header` has all its keys, unknown ones too."""
    from engram.store.files.memory_file import KEYS

    memory = content if isinstance(content, Memory) else None
    said = {name: getattr(memory, name) for name in _FIELDS} if memory else {}
    known = KEYS if memory else frozenset()
    other = {key: value or [] for key, value in header.items() if key not in known}
    whole = _encoded([said, other, problems, said_in(body)])
    return sha256_bytes(whole.encode("ascii"))


def said_in(body: str) -> str:
    """A body without line ends, and blank space at the ends of lines and of the whole."""
    lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
