"""The text of a model -> the JSON object in it, or None.

Tolerant of what models put around it: prose, code fences, an object given twice (the last whole one
with the key counts), a bare list, line ends inside texts. Intolerant of halves: a torn object is
not used, because what is missing cannot be known. Nothing is raised, and the work grows linearly
with the text.
"""

from __future__ import annotations

import json
import re

#: how many places where an object could begin are tried
_MOST_STARTS = 200
_START = re.compile(r"[{\[]")
_FENCED = re.compile(r"```[\w-]*\s*\n(.*)\n\s*```", re.DOTALL)
#: what may stand after the place where a torn text breaks off: half a word of JSON, a fence
_END = re.compile(r"[\w.+-]{0,8}[\s`]*\Z")
_decode = json.JSONDecoder(strict=False).raw_decode


def value_of(text: str, key: str) -> dict[str, object] | None:
    """The object that has `key`; a bare list is taken for its value. None when there is none."""
    text = text.lstrip("\ufeff").strip()
    fenced = _FENCED.fullmatch(text)
    whole, end, _ = _value(fenced[1] if fenced else text, 0)
    if end == len(fenced[1].rstrip() if fenced else text):
        return {key: []} if whole == [] else _keyed(whole, key)
    found: dict[str, object] | None = None
    at, broken = 0, False
    for _ in range(_MOST_STARTS):
        start = _START.search(text, at)
        if start is None:
            break
        value, at, torn = _value(text, start.start())
        if torn:
            break
        broken = broken or not at
        at = at or start.end()
        keyed = _keyed(value, key)
        # a list inside of something that cannot be parsed is no answer: it may be a list of tags
        if keyed is not None and (isinstance(value, dict) or not (broken or found)):
            found = keyed
    return found


def _value(text: str, at: int) -> tuple[object, int, bool]:
    """The value at a place, its end (0 when it cannot be parsed), and whether it is torn."""
    try:
        return *_decode(text, at), False
    except json.JSONDecodeError as error:
        open_text = error.msg.startswith("Unterminated string")
        return None, 0, open_text or _END.match(text, error.pos) is not None
    except (ValueError, RecursionError):
        return None, 0, False


def _keyed(value: object, key: str) -> dict[str, object] | None:
    if isinstance(value, dict):
        return value if key in value else None
    if isinstance(value, list) and all(isinstance(item, dict) for item in value) and value:
        return {key: value}
    return None
