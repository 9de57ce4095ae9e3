"""Which memories an agent may be given, and at the start of a session, in which order.

Pure, and by headers alone, which the catalog has at hand: the words of a memory are read only when
its turn has come. What its words say of its audience was decided when the catalog took it up
(`audience`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import date
from functools import cache
from typing import NamedTuple

from engram.model.instant import Day
from engram.model.memory import Audience, Memory, closed_as
from engram.model.standing import in_dispute

#: What an agent should know before it begins, first of all: how this person wants things done.
_CATEGORY = {
    "principle": 1.0, "preference": 1.0, "correction": 0.95, "decision": 0.85, "commitment": 0.8,
    "skill": 0.5, "relationship": 0.45, "fact": 0.4, "entity": 0.35, "moment": 0.2,
}  # fmt: skip
#: Shares of category, importance and recency in the order, and what belonging here adds.
_BY_CATEGORY, _BY_IMPORTANCE, _BY_RECENCY, _HERE = 0.5, 0.3, 0.2, 0.1
#: Days in which recency halves. It counts from the newest memory: no clock, equal bytes.
_HALF_LIFE = 60.0
#: So many of the person's own come before what belongs here; a project is not to be crowded out.
_OWN_FIRST = 5

#: The header of a live memory, as the catalog keeps it: number, category, day of creation,
#: importance, audience, space, project, `valid_until`, `expires`.
InjectionCandidate = tuple[int, str, Day, float, Audience, str, str, Day, Day]


class Recipient(NamedTuple):
    """An agent that is to be given something: the names of its project, none outside of any.

    `personal` is the setting `recall.share_personal`; `excludes` tells which projects are kept out.
    """

    projects: tuple[str, ...] = ()
    personal: bool = False
    excludes: Callable[[str], bool] = lambda project: False


def is_open_to(recipient: Recipient, audience: Audience, space: str, project: str) -> bool:
    """Whether an agent may be given a memory of this audience, space and project."""
    if audience == "nobody" or space == "session" or (project and recipient.excludes(project)):
        return False
    if audience == "everyone":
        return True
    if audience == "project":
        return project in recipient.projects
    own = space != "project" or not project
    return recipient.personal and (own or project in recipient.projects)


def most_useful(
    candidates: Iterable[InjectionCandidate], recipient: Recipient, today: Day
) -> list[int]:
    """The numbers of memories to give at the start of a session, best first."""
    known = [
        (number, category, day, importance, project in recipient.projects)
        for number, category, day, importance, whose, space, project, until, expires in candidates
        if is_open_to(recipient, whose, space, project) and _in_force(until, expires, today)
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

    ordered = sorted(known, key=worth)
    own = [number for number, *_, here in ordered if not here]
    later = frozenset(own[_OWN_FIRST:])
    first = [number for number, *_ in ordered if number not in later]
    return [*first, *own[_OWN_FIRST:]]


def _days_between(day: str, later: str) -> int:
    """Days from one day to another; very many from what is no day."""
    try:
        return (date.fromisoformat(later) - date.fromisoformat(day)).days
    except ValueError:
        return 36_500


def _in_force(valid_until: Day, expires: Day, today: Day) -> bool:
    """Whether an active memory is still true, and its time not yet up."""
    return not (valid_until and valid_until < today) and not (expires and expires <= today)


def is_given(
    memory: Memory, audience: Audience, recipient: Recipient, today: Day,
    statuses: Collection[str] = ("active",),
) -> bool:  # fmt: skip
    """Whether an agent may be given a memory: meant for it, not yet done with, and it stands.

    What stood on an earlier day has one of more `statuses` by now. One in dispute is given beside
    its opponents (`disputed`).
    """
    return (
        (memory.status in statuses or in_dispute(memory))
        and is_open_to(recipient, audience, memory.space, memory.project)
        and _in_force(memory.valid_until, memory.expires, today)
        and not (memory.category == "commitment" and closed_as(memory))
    )
