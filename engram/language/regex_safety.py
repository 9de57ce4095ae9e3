"""A person's regular expression -> the reason why it could hang the program, or nothing.

The standard engine backtracks, so a pattern of a few characters can need longer than the universe
on a line of text. This is decided from the pattern's structure alone, never by trying it out, and
on the safe side: some harmless patterns are refused, and the reason says how to write them.
Refused: a variable repeat inside a repeat (`(a+)+`); a repeated group whose alternatives may start
with the same character (`(a|ab)*`); more than two open-ended repeats that can take the same
characters with nothing between them to tell them apart (`.*.*.*`); back-references.
Raises re.error for what is no regular expression.

Characters are judged over ASCII and a handful of samples beyond it, which is exact for the
classes people write (`\\w`, `\\s`, `.`, `[a-z]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

#: A repeat that may run longer than this counts as open-ended.
_LONG = 10
#: Open-ended repeats over the same characters: two cost at worst length squared from each start.
_MOST_OVERLAPPING = 2

_SAMPLES = [chr(number) for number in range(128)] + list("éßİжあ中٣\u00a0\u2003🙂")
_EVERY = frozenset(_SAMPLES)
_CLASSES = {
    code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D",
    code.CATEGORY_SPACE: r"\s", code.CATEGORY_NOT_SPACE: r"\S",
    code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_WIDTHLESS = (code.AT, code.ASSERT, code.ASSERT_NOT)

_Chars = frozenset[str]


def why_explosive(pattern: str) -> str:
    """The reason to refuse a pattern, one phrase; empty when its cost is bounded.

    Raises re.error (also for nesting too deep to read) when it does not compile.
    """
    try:
        return _judge(list(parser.parse(pattern, re.IGNORECASE)))
    except (RecursionError, OverflowError) as error:
        raise re.error("the pattern is nested too deeply") from error


def _judge(items: list[Any]) -> str:
    reason = next((why for item in items if (why := _judge_item(item))), "")
    if reason:
        return reason
    most = max((open_count for open_count, _ in _overlaps(items, [])), default=0)
    if most > _MOST_OVERLAPPING:
        return f"{most} open-ended repeats can take the same text; put a fixed word between them"
    return ""


def _judge_item(item: Any) -> str:
    operation, value = item
    if operation in (code.GROUPREF, code.GROUPREF_EXISTS):
        return "back-references are not allowed"
    if operation in _REPEATS:
        _, most, body = value
        if most > 1 and _has_variable_repeat(list(body)):
            return "a repeat inside a repeat; repeat the outer or the inner part, not both"
        if most > 1 and _has_unclear_choice(list(body)):
            return "alternatives inside a repeat may start with the same character"
    return next((why for body in _bodies(item) if (why := _judge_bodies(body))), "")


def _judge_bodies(body: list[Any]) -> str:
    return next((why for item in body if (why := _judge_item(item))), "")


def _bodies(item: Any) -> Iterable[list[Any]]:
    """The item lists that an item contains."""
    operation, value = item
    if operation in _REPEATS:
        yield list(value[2])
    elif operation is code.SUBPATTERN:
        yield list(value[3])
    elif operation is code.ATOMIC_GROUP:
        yield list(value)
    elif operation in (code.ASSERT, code.ASSERT_NOT):
        yield list(value[1])
    elif operation is code.BRANCH:
        yield from (list(branch) for branch in value[1])


def _has_variable_repeat(items: list[Any]) -> bool:
    for item in items:
        operation, value = item
        if operation in _REPEATS and value[0] != value[1]:
            return True
        if any(_has_variable_repeat(body) for body in _bodies(item)):
            return True
    return False


def _has_unclear_choice(items: list[Any]) -> bool:
    for item in items:
        if item[0] is code.BRANCH:
            seen: set[str] = set()
            for branch in item[1][1]:
                first = _first(list(branch))
                if not first or seen & first:
                    return True
                seen |= first
        if any(_has_unclear_choice(body) for body in _bodies(item)):
            return True
    return False


def _overlaps(items: list[Any], running: list[_Chars]) -> list[tuple[int, list[_Chars]]]:
    """Every way through the items: how many open-ended repeats overlapped, and those still open."""
    ways: list[tuple[int, list[_Chars]]] = [(0, running)]
    for item in items:
        ways = [
            (max(most, more), after) for most, before in ways for more, after in _step(item, before)
        ]
        # The worst way is all that matters; keeping one bounds the work for many alternatives.
        ways = [max(ways, key=lambda way: (way[0], len(way[1])))]
    return ways


def _step(item: Any, running: list[_Chars]) -> list[tuple[int, list[_Chars]]]:
    operation, value = item
    if operation in _WIDTHLESS:
        return [(0, running)]
    if operation in _REPEATS:
        least, most, body = value
        if most > _LONG:
            taken = _chars(list(body))
            kept = running if least == 0 else [one for one in running if one & taken]
            return [(1 + sum(1 for one in kept if one & taken), [*kept, taken])]
        if least == 0:
            return [(0, running)]
    ways = [way for body in _bodies(item) for way in _overlaps(body, running)]
    if ways:
        return ways
    taken = _chars([item])
    return [(0, [one for one in running if one & taken])]


def _first(items: list[Any]) -> _Chars:
    """The characters that a text matched by the items may start with; empty for an empty match."""
    found: set[str] = set()
    for item in items:
        if item[0] in _WIDTHLESS:
            continue
        found |= _chars([item])
        if not (item[0] in _REPEATS and item[1][0] == 0):
            return frozenset(found)
    return frozenset()


def _chars(items: list[Any]) -> _Chars:
    """Every sample character that the items can take anywhere."""
    found: set[str] = set()
    for item in items:
        operation, value = item
        if operation is code.LITERAL:
            found |= {chr(value), chr(value).lower(), chr(value).upper()}
        elif operation is code.NOT_LITERAL:
            found |= _EVERY - {chr(value)}
        elif operation is code.ANY:
            found |= _EVERY
        elif operation is code.IN:
            found |= _set(value)
        for body in _bodies(item):
            found |= _chars(body)
    return frozenset(found)


def _set(members: list[Any]) -> set[str]:
    """The sample characters of a `[...]`."""
    found: set[str] = set()
    for operation, value in members:
        if operation is code.LITERAL:
            found |= {chr(value), chr(value).lower(), chr(value).upper()}
        elif operation is code.RANGE:
            low, high = value
            found |= {
                ch for ch in _SAMPLES if any(low <= ord(c) <= high for c in ch.lower() + ch.upper())
            }
        elif operation is code.CATEGORY:
            found |= {ch for ch in _SAMPLES if re.match(_CLASSES[value], ch)}
    if members and members[0][0] is code.NEGATE:
        return set(_EVERY) - found
    return found
