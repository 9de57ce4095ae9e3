"""YAML headers of any shape -> texts by key, behind a guard; and export by python-frontmatter.

The one module of the vault that imports `yaml` and `frontmatter`, and only when it is called: files
of our own shape are read without them. The guard (design 4.3): 16 kB and 200 lines for the header,
nesting of 8, no anchors, aliases, tags or merge keys. Brackets are counted on the text before a
parser sees it, then the events are walked, which is exact and does not recurse; only then values
are composed, because composing deep nesting ends the process and no `except` helps.

Every scalar stays the text that it was: no numbers, no `yes` or `010`, no days. Null is the empty
text; what is nested in a list or a mapping becomes JSON. Nothing here raises on any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TextIO

Value = str | list[str]
Lines = Callable[[str, str | Sequence[str]], list[str]]

#: the largest header that is parsed as YAML
MAX_BYTES = 16_384
MAX_LINES = 200
MAX_DEPTH = 8

_STARTS = frozenset(["MappingStartEvent", "SequenceStartEvent"])
_ENDS = frozenset(["MappingEndEvent", "SequenceEndEvent"])


def oversize(header: Sequence[str]) -> str:
    """Why a header is too large for YAML; empty when it is not."""
    if len(header) > MAX_LINES:
        return f"more than {MAX_LINES} lines"
    if sum(len(line.encode("utf-8", "surrogatepass")) + 1 for line in header) > MAX_BYTES:
        return f"more than {MAX_BYTES} bytes"
    return ""


def read_yaml(lines: Sequence[str]) -> dict[str, Value] | str:
    """The mapping that some lines of a header say, or in words why it was not read."""
    text = "\n".join(lines) + "\n"
    if why := _refusal(text):
        return why
    events, load, faults = _yaml()
    try:
        why, _ = refused(events(text), MAX_DEPTH)
        if why:
            return why
        found = load(text)
    except faults as fault:
        reason = str(getattr(fault, "problem", None) or fault)
        return " ".join(reason.split())[:120] or "no YAML"
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        return "not a list of keys and values"
    return {key: _flat(value) for key, value in found.items()}


def export(header: Mapping[str, str | Sequence[str]], lines: Lines) -> str:
    """A whole new header through python-frontmatter, keys in the order given, without fences.

    `lines` writes one key: the dumpers of PyYAML wrap and quote otherwise than design 4.1 shows,
    and the one that can be taught to do so is ten times slower.
    """
    from frontmatter.default_handlers import YAMLHandler

    dumper = partial(_Dumper, lines)
    return str(YAMLHandler().export(dict(header), Dumper=dumper, sort_keys=False))


class _Dumper:
    """What PyYAML asks of a dumper, written with our own lines."""

    def __init__(self, lines: Lines, stream: TextIO, **_: object) -> None:
        self._lines = lines
        self._stream = stream

    def represent(self, header: Mapping[str, str | Sequence[str]]) -> None:
        for key, value in header.items():
            self._stream.write("\n".join(self._lines(key, value)) + "\n")

    def open(self) -> None: ...

    def close(self) -> None: ...

    def dispose(self) -> None: ...


def _refusal(text: str) -> str:
    """Why a text is refused before YAML parses it."""
    if re.search("[\ud800-\udfff]", text):
        return "bytes that are not UTF-8"
    if re.search("[\x85\u2028\u2029]", text):
        return "line ends that YAML versions read differently"
    depth = 0
    for mark in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if mark in "[{" else max(0, depth - 1)
        if depth > MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH}"
    return ""


def refused(events: Iterable[Any], most_depth: int) -> tuple[str, int]:
    """Why parsed YAML may not become values, and on which line; `("", 0)` when it may."""
    depth = documents = 0
    for event in events:
        name = type(event).__name__
        depth += (name in _STARTS) - (name in _ENDS)
        documents += name == "DocumentStartEvent"
        why = ""
        if name == "AliasEvent" or getattr(event, "anchor", None) is not None:
            why = "anchors and aliases are not read"
        elif getattr(event, "tag", None) is not None:
            why = "tags are not read"
        elif name == "ScalarEvent" and event.value == "<<" and event.implicit[0]:
            why = "merge keys are not read"
        elif depth > most_depth:
            why = f"nested deeper than {most_depth}"
        elif documents > 1:
            why = "only one document is read"
        if why:
            return why, event.start_mark.line + 1
    return "", 0


def _flat(value: object) -> Value:
    """A value as text or a list of texts."""
    if isinstance(value, list):
        return [item if isinstance(item, str) else _json(item) for item in value]
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


@cache
def _yaml() -> tuple[Callable[[str], Iterable[Any]], Callable[[str], object], tuple[Any, ...]]:
    """Parser, loader and their errors."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    nulls = {
        first: kept
        for first, rules in base.yaml_implicit_resolvers.items()
        if (kept := [rule for rule in rules if rule[0] == "tag:yaml.org,2002:null"])
    }
    words = type("Words", (base,), {"yaml_implicit_resolvers": nulls})
    handler = YAMLHandler()
    return (
        lambda text: yaml.parse(text, Loader=words),
        lambda text: handler.load(text, Loader=words),
        (yaml.YAMLError, ValueError, OverflowError),
    )
