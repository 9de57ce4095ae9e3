"""Statements on a page that say the same, and those that say something new.

Two are alike when their normalised words are equal, or when one holds the other, which is longer
than 20 characters and than 60 % of it (lifecycle 1.6). Unlike there, whole words are compared
("Team 12" is not in "Team 123"), and what is alike within one batch counts once.
"""

from __future__ import annotations

from collections.abc import Iterable

from engram.model.text import normalise

#: what is held by a longer statement has at least so many characters, and that share of it
_LEAST, _SHARE = 20, 0.6


def alike(one: str, other: str) -> bool:
    """Whether two statements, normalised already, say the same."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > max(_LEAST, _SHARE * len(long)) and f" {short} " in f" {long} "


def unsaid(known: Iterable[str], said: Iterable[str]) -> list[int]:
    """The places of those statements that neither `known` nor one before them says."""
    normals = dict.fromkeys(map(normalise, known))
    found = []
    for place, text in enumerate(said):
        normal = normalise(text)
        if normal and normal not in normals and not any(alike(normal, one) for one in normals):
            found.append(place)
            normals[normal] = None
    return found


def substance(statements: Iterable[str]) -> int:
    """How many characters the distinct statements have, normalised."""
    texts = list(statements)
    return sum(len(normalise(texts[place])) for place in unsaid((), texts))
