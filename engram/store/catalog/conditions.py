"""SQL conditions of a filter without words: tag, day, category, status, space, project, record.

What passes is exactly what `recall.filter.Filter` admits, and no memory is decoded to find out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

#: columns of a memory's tags; its days are the index on `created`
_DAY = "substr(created, 1, 10)"
_LENGTH_OF_DAY = 10


class Where(NamedTuple):
    """A condition on rows of `memories`, and the values of its placeholders."""

    condition: str
    values: tuple[str, ...]


def where(
    *,
    statuses: Iterable[str],
    categories: Iterable[str] = (),
    project: str = "",
    tag: str = "",
    since: str = "",
    before: str = "",
    space: str = "",
    without: str = "",
) -> Where:
    """The memories of these statuses, but records of the schema `without`.

    Empty arguments do not filter.

    `since` is the first day that counts and `before` the first that does not; a month or a year is
    compared as text, as days are.
    """
    said = [_one_of("status", statuses)]
    if wanted := tuple(categories):
        said.append(_one_of("category", wanted))
    if project:
        said.append(Where("project = ?", (project,)))
    if space:
        said.append(Where("space = ?", (space,)))
    if without:
        said.append(Where("record != ?", (without,)))
    if tag:
        said.append(Where("id in (select id from tags where tag = ?)", (tag,)))
    if since:
        # the first condition is what the index can answer, the second what was asked
        said.append(Where(f"created >= ? and {_DAY} >= ?", (since[:_LENGTH_OF_DAY], since)))
    if before:
        said.append(Where(f"{_DAY} < ?", (before,)))
        if len(before) <= _LENGTH_OF_DAY:
            said.append(Where("created < ?", (before,)))
    return Where(
        " and ".join(one.condition for one in said),
        tuple(value.encode("utf-8", "replace").decode() for one in said for value in one.values),
    )


def _one_of(column: str, values: Iterable[str]) -> Where:
    given = tuple(sorted(values))
    return Where(f"{column} in ({','.join('?' * len(given))})", given)
