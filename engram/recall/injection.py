"""Which memories are given to an agent unasked: of which project, still in force, best first.

Pure, and by headers alone, which the catalog has at hand: the words of a memory are read only when
its turn has come.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache

from engram.model.instant import Day
from engram.model.memory import PROTECTED, Memory, closed_as

#: What an agent should know before it begins, first of all: how this person wants things done.
_CATEGORY = {
    "principle": 1.0, "preference": 1.0, "correction": 0.95, "decision": 0.85, "commitment": 0.8,
    "skill": 0.5, "relationship": 0.45, "fact": 0.4, "entity": 0.35, "moment": 0.2,
}  # fmt: skip
#: Shares of category, importance and recency in the order, and what belonging here adds.
_BY_CATEGORY, _BY_IMPORTANCE, _BY_RECENCY, _HERE = 0.5, 0.3, 0.2, 0.1
#: Days in which recency halves. It counts from the newest memory: no clock, equal bytes.
_HALF_LIFE = 60.0
_EVERYWHERE = frozenset({"user", "system"})


#: The header of an active memory, as the catalog keeps it: number, category, day of creation,
#: importance, space, project, `valid_until`, `expires`.
InjectionCandidate = tuple[int, str, Day, float, str, str, Day, Day]


def most_useful(
    candidates: Iterable[InjectionCandidate], projects: Sequence[str], today: Day
) -> list[int]:
    """The numbers of memories to give at the start of a session, best first."""
    known = [
        (number, category, day, importance, space == "project" and project != "")
        for number, category, day, importance, space, project, until, expires in candidates
        if _belongs(space, project, projects) and _in_force(category, until, expires, today)
    ]
    newest = max((day for _, _, day, _, _ in known), default="")
    recency = cache(lambda day: _BY_RECENCY * 0.5 ** (_days_between(day, newest) / _HALF_LIFE))

    def worth(one: tuple[int, str, Day, float, bool]) -> tuple[float, int]:
        number, category, day, importance, here = one
        return (
            -_BY_CATEGORY * _CATEGORY.get(category, 0.3)
            - _BY_IMPORTANCE * min(1.0, max(0.0, importance))
            - recency(day)
            - (_HERE if here else 0.0)
        ), number

    return [number for number, *_ in sorted(known, key=worth)]


def _days_between(day: str, later: str) -> int:
    """Days from one day to another; very many from what is no day."""
    try:
        return (date.fromisoformat(later) - date.fromisoformat(day)).days
    except ValueError:
        return 36_500


def _in_force(category: str, valid_until: Day, expires: Day, today: Day) -> bool:
    """Whether an active memory is still true, and its time not yet up."""
    if valid_until and valid_until < today:
        return False
    # what is to be reviewed at that day is given until somebody said otherwise
    return not expires or expires > today or category in PROTECTED


def _belongs(space: str, project: str, projects: Sequence[str]) -> bool:
    """Whether a memory is of one of these projects, of none, or of the person."""
    if space == "project":
        return not project or project in projects
    return space in _EVERYWHERE


def is_given(memory: Memory, projects: Sequence[str], today: Day) -> bool:
    """Whether a memory may be given unasked: active, of this project, and not yet done with."""
    return (
        memory.status == "active"
        and _belongs(memory.space, memory.project, projects)
        and _in_force(memory.category, memory.valid_until, memory.expires, today)
        and not (memory.category == "commitment" and closed_as(memory))
    )
