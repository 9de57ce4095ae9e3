"""Edits of JSON text that leave everything else byte for byte.

Another program's settings are not reformatted to add a line: the text is parsed into values with
positions, and only what is added or removed changes. An element or member that was added here and
is removed again leaves the bytes as they were. Refused (ValueError): what is not strict JSON, a
name that stands twice in one object, and nesting deeper than any settings.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\[\]{}\"]+")
_DEEPEST = 64


@dataclass(slots=True)
class Node:
    """A value and its position; `members` of an object, `items` of an array.

    A member's `start` is that of its name.
    """

    start: int
    end: int
    value: Any
    members: dict[str, tuple[int, Node]] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)

    def member(self, name: str) -> Node | None:
        """The value of a member."""
        found = self.members.get(name)
        return found[1] if found else None

    def parts(self) -> list[tuple[int, int]]:
        """Start and end of each member or item."""
        if self.members:
            return [(start, node.end) for start, node in self.members.values()]
        return [(node.start, node.end) for node in self.items]


def parse(text: str) -> Node:
    """The one value of a text. Raises ValueError."""
    json.loads(text)  # validates; what follows only finds the positions
    return _value(text, _skip(text, 0), 0)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    if text[at] == "{":
        return _object(text, at, depth)
    if text[at] == "[":
        return _array(text, at, depth)
    found = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
    if found is None:
        raise ValueError(f"not understood at character {at}")
    return Node(at, found.end(), json.loads(found.group()))


def _object(text: str, start: int, depth: int) -> Node:
    node = Node(start, start, {})
    at = _skip(text, start + 1)
    while text[at] != "}":
        name_at = at
        name = _value(text, at, depth + 1)
        at = _skip(text, _skip(text, name.end) + 1)
        child = _value(text, at, depth + 1)
        if name.value in node.members:
            raise ValueError(f"the name {name.value!r} stands twice in one object")
        node.members[name.value] = (name_at, child)
        node.value[name.value] = child.value
        at = _skip(text, child.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _array(text: str, start: int, depth: int) -> Node:
    node = Node(start, start, [])
    at = _skip(text, start + 1)
    while text[at] != "]":
        child = _value(text, at, depth + 1)
        node.items.append(child)
        node.value.append(child.value)
        at = _skip(text, child.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1
    return node


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None  # the pattern matches the empty text, too
    return found.end()


# -- changes ---------------------------------------------------------------------------------------


def added(text: str, container: Node, depth: int, value: object, name: str = "") -> str:
    """The text with one more item, or member of that name, at the end of a container.

    `depth` is the nesting of the container. A container on several lines gets a new line.
    """
    line = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    label = f"{json.dumps(name)}: " if name else ""
    parts = container.parts()
    inline = bool(parts) and "\n" not in text[container.start : parts[0][0]]
    if inline:
        new = label + json.dumps(value, ensure_ascii=False)
        return _spliced(text, parts[-1][1], parts[-1][1], f", {new}")
    inner, outer = line + unit * (depth + 1), line + unit * depth
    body = json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", inner)
    if parts:
        return _spliced(text, parts[-1][1], parts[-1][1], f",{inner}{label}{body}")
    return _spliced(text, container.start + 1, container.end - 1, f"{inner}{label}{body}{outer}")


def removed(text: str, container: Node, which: int) -> str:
    """The text without one item or member of a container, and without the comma it needed."""
    parts = container.parts()
    start, end = parts[which]
    if len(parts) == 1:
        return _spliced(text, container.start + 1, container.end - 1, "")
    if which == 0:
        return _spliced(text, start, parts[1][0], "")
    return _spliced(text, parts[which - 1][1], end, "")


def _unit(text: str) -> str:
    """One step of indentation in a text."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "


def _spliced(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]
