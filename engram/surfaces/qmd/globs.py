"""Glob patterns, matched in bounded time.

As qmd has them: `*` and `?` within one part of a path, `**` over parts, `[a-z]`, `{a,b}`, a
backslash before a literal sign, a leading `!` for everything else. A part that begins with a dot is
matched only by one that says so, unless `dot` is asked for. Nothing raises: what is no pattern is
taken literally.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, pairwise

#: `{a,b}{c,d}...` multiplies: the most alternatives of one pattern
_MOST = 128
_LONGEST = 4_096


class Glob:
    """One pattern, ready to be asked."""

    def __init__(self, pattern: str, *, dot: bool = False) -> None:
        pattern = pattern[:_LONGEST]
        self._other = pattern.startswith("!") and not pattern.startswith("!(")
        alternatives = islice(expanded(pattern[1:] if self._other else pattern), _MOST)
        self._ways = [_Way(one, dot) for one in dict.fromkeys(alternatives)]

    def matches(self, path: str) -> bool:
        """Whether the whole path matches."""
        parts = path.split("/")
        return any(way.matches(parts) for way in self._ways) != self._other


class _Way:
    """One alternative: parts of which `**` stands for any number."""

    def __init__(self, pattern: str, dot: bool) -> None:
        self._dot = dot
        parts = pattern.removeprefix("./").split("/")
        self._parts = [None if part == "**" else _part(part, dot) for part in parts]

    def matches(self, parts: list[str]) -> bool:
        """As a shell does with `*`: the last `**` is the only one to be tried again."""
        wanted, at, here = self._parts, 0, 0
        again, back = -1, 0
        while here < len(parts):
            if at < len(wanted) and wanted[at] is None:
                again, back, at = at, here, at + 1
                continue
            one = wanted[at] if at < len(wanted) else None
            if one is not None and one.fullmatch(parts[here]):
                at, here = at + 1, here + 1
                continue
            if again < 0 or (not self._dot and parts[back].startswith(".")):
                return False
            back += 1
            at, here = again + 1, back
        return all(one is None for one in wanted[at:])


def expanded(pattern: str) -> list[str]:
    """The patterns without braces that a pattern with braces stands for."""
    ways = [pattern]
    done: list[str] = []
    while ways and len(ways) + len(done) <= _MOST:
        way = ways.pop()
        cut = _braces(way)
        if cut is None:
            done.append(way)
        else:
            before, options, after = cut
            ways += [before + option + after for option in reversed(options)]
    return done + ways


def masks(mask: str) -> list[str]:
    """The patterns of a mask: a comma that stands in no bracket separates them."""
    parts, depth = [""], 0
    for sign in mask:
        depth += (sign in "{[") - (sign in "}]" and depth > 0)
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _braces(pattern: str) -> tuple[str, list[str], str] | None:
    """What stands before the first `{a,b}`, its options, and what stands behind it."""
    depth, start, commas = 0, -1, list[int]()
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif sign == "{":
            depth += 1
            if depth == 1:
                start, commas = at, []
        elif sign == "," and depth == 1:
            commas.append(at)
        elif sign == "}" and depth:
            depth -= 1
            if not depth and commas:
                edges = [start, *commas, at]
                options = [pattern[left + 1 : right] for left, right in pairwise(edges)]
                return pattern[:start], options, pattern[at + 1 :]
        at += 1
    return None


@lru_cache(maxsize=1_024)
def _part(pattern: str, dot: bool) -> re.Pattern[str]:
    """One part of a path; stars are atomic, so that no name takes long."""
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "*":
            if pieces[-1:] != ["*"]:
                pieces.append("*")
        elif sign == "?":
            pieces.append("[^/]")
        elif sign == "[" and (close := pattern.find("]", at + 1)) > 0:
            pieces.append(_class(pattern[at:close]))
            at = close + 1
        elif sign == "\\" and at < len(pattern):
            pieces.append(re.escape(pattern[at]))
            at += 1
        else:
            pieces.append(re.escape(sign))
    hidden = "" if dot or pattern.startswith((".", "\\.")) else r"(?!\.)"
    if pattern == "*":
        return re.compile(rf"(?s){hidden}.+")
    return re.compile(f"(?s){hidden}{_with_stars(pieces)}")


def _with_stars(pieces: list[str]) -> str:
    """As `fnmatch` does: each star but the last takes the shortest that lets what follows match."""
    runs, run = [], ""
    for piece in pieces:
        if piece == "*":
            runs.append(run)
            run = ""
        else:
            run += piece
    if not runs:
        return run
    first, *between = runs
    return first + "".join(f"(?>.*?{fixed})" for fixed in between) + ".*" + run


def _class(inside: str) -> str:
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    safe = body.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    safe = re.sub(r"([&~|])", r"\\\1", safe).replace("^", "\\^")
    form = f"[{'^' if negated else ''}{safe}]"
    try:
        re.compile(form)
    except re.error:
        return re.escape(f"[{inside}]")
    return form
