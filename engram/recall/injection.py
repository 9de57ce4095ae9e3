"""Which memories may be given to whom, and at the start of a session, in which order.

Pure, and by headers alone, which the catalog has at hand: the words of a memory are read only when
its turn has come. What its words say of its audience was decided when the catalog took it up
(`audience`). Of times only the day counts: a vault that stays as it is gives the same all day.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from engram.model.instant import Day, Instant
from engram.model.memory import Audience, Memory, closed_as, has_expired
from engram.model.standing import in_dispute
from engram.model.tier import Aging, MemoryTier, Retained, retention, tier_of, tiers_of
from engram.recall.borders import Recipient, is_memory_open_to, is_open_to

if TYPE_CHECKING:
    from engram.model.step import Access
    from engram.model.summary import Summary

#: What an agent should know before it begins, first of all: how this person wants things done.
_CATEGORY = {
    "principle": 1.0, "preference": 1.0, "correction": 0.95, "decision": 0.85, "commitment": 0.8,
    "skill": 0.5, "relationship": 0.45, "fact": 0.4, "entity": 0.35, "moment": 0.2,
}  # fmt: skip
#: Shares of category, importance and confidence in the order.
_BY_CATEGORY, _BY_IMPORTANCE, _BY_CONFIDENCE = 0.5, 0.3, 0.1
#: Shares of belonging here, of recency and of reads, by what is preferred (`recall.prefer`).
_PREFERRED = {
    "relevance": (0.2, 0.2, 0.1),
    "recency": (0.1, 0.4, 0.1),
    "activation": (0.1, 0.2, 0.4),
}
#: Days in which recency halves. It counts from the newest memory: no clock, equal bytes.
_HALF_LIFE = 60.0
#: So many of the person's own come before what belongs here; a project is not to be crowded out.
_OWN_FIRST = 5
#: Hot ones are given first, then warm ones; all else is too cold to be given unasked.
_RANKS: dict[MemoryTier, int] = {tier: rank for rank, tier in enumerate(tiers_of("standard"))}
_COLD = len(_RANKS)
#: The least confidence of a summary that is given, and how many are looked at.
_SURE = 0.7
_MOST_SUMMARIES = 30


class InjectionCandidate(NamedTuple):
    """The header of a live memory, as the catalog keeps it; `settled` as in `model/tier`.

    `conversation` is known of what belongs to a session alone.
    """

    number: int
    category: str
    day: Day
    importance: float
    audience: Audience
    space: str
    project: str
    valid_until: Day
    expires: Day
    confidence: float = 0.0
    settled: bool = False
    conversation: str = ""


class InjectionOrder(NamedTuple):
    """By what memories are put in order, beside their headers.

    `aging` are the settings of tiers; None: age leaves nothing out. `prefer` is `recall.prefer`,
    `reads` are by the number of the memory. What a summary tells is not put lower: the summary
    stands in its place, and where it may not be given the memory does.
    """

    aging: Aging | None = None
    prefer: str = "relevance"
    reads: Mapping[int, Access] = {}


class MostUseful(NamedTuple):
    """The numbers of memories to give, best first, and of those that are too cold to be."""

    given: list[int]
    cold: list[int]


def most_useful(
    candidates: Iterable[InjectionCandidate], recipient: Recipient, today: Day,
    order: InjectionOrder = InjectionOrder(),
) -> MostUseful:  # fmt: skip
    """Those of the candidates that a recipient may be given, hot ones first, then warm ones.

    Within a tier by category, importance, confidence and what is preferred.
    """
    is_open = cache(partial(is_open_to, recipient))
    known = [
        one
        for one in candidates
        if is_open(one.audience, one.space, one.project, one.conversation)
        and _in_force(one.valid_until, one.expires, today)
    ]
    place = _places(order, max((one.day for one in known), default=""), today)
    ranked = []
    for one in known:
        here = one.project in recipient.projects
        ranked.append((*place(one, here), one.number, here))
    ranked.sort()
    given = [one for one in ranked if one[0] < _COLD]
    own = [number for _, _, number, here in given if not here]
    later = frozenset(own[_OWN_FIRST:])
    first = [number for _, _, number, _ in given if number not in later]
    cold = [number for _, _, number, _ in ranked[len(given) :]]
    return MostUseful([*first, *own[_OWN_FIRST:]], cold)


def with_summaries(
    useful: MostUseful, summaries: Mapping[str, Collection[int]]
) -> Iterator[int | str]:
    """Numbers of memories and ids of summaries, best first.

    A summary, of which the numbers of its live memories are told, stands before the first of them;
    one whose memories are all too cold at the end. Left out are those with a memory that may not be
    given; of several in one place the one that tells most comes first.
    """
    wanted = frozenset(chain.from_iterable(summaries.values()))
    order = enumerate(chain(useful.given, useful.cold))
    place = {number: at for at, number in order if number in wanted}
    near = sorted(
        (min(place[number] for number in numbers), -len(numbers), name)
        for name, numbers in summaries.items()
        if numbers and all(number in place for number in numbers)
    )
    before: dict[int, list[str]] = {}
    for at, _, name in near[:_MOST_SUMMARIES]:
        before.setdefault(min(at, len(useful.given)), []).append(name)
    for at, number in enumerate(useful.given):
        yield from before.get(at, ())
        yield number
    yield from before.get(len(useful.given), ())


def _places(
    order: InjectionOrder, newest: Day, today: Day
) -> Callable[[InjectionCandidate, bool], tuple[int, float]]:
    """The rank of a candidate's tier, and its worth below 0; by its header, and if it is here."""
    by_here, by_recency, by_reads = _PREFERRED[order.prefer]
    aging, now = order.aging, _midnight(today)

    def placed(
        here: bool, category: str, day: Day, importance: float, confidence: float, settled: bool,
        read: Access | None = None,
    ) -> tuple[int, float]:  # fmt: skip
        worth = (
            (by_here if here else 0.0)
            + _BY_CATEGORY * _CATEGORY.get(category, 0.3)
            + _BY_IMPORTANCE * _share(importance)
            + _BY_CONFIDENCE * _share(confidence)
            + by_recency * 0.5 ** (_days_between(day, newest) / _HALF_LIFE)
        )
        if aging is None:
            return 0, -worth
        memory = Retained(_midnight(day), category, importance, settled=settled)
        if read is None:
            tier = tier_of(memory, None, now, aging)
        else:
            retained = retention(memory, read, now, aging)
            tier = retained.tier
            worth += by_reads * retained.score.activation
        return _RANKS.get(tier, _COLD), -worth

    # many have the same header
    unread, reads = cache(placed), order.reads

    def place(one: InjectionCandidate, here: bool) -> tuple[int, float]:
        number, category, day, importance, _, _, _, _, _, confidence, settled, _ = one
        if number in reads:
            read = reads[number]
            return placed(here, category, day, importance, confidence, settled, read)
        return unread(here, category, day, importance, confidence, settled)

    return place


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


def _midnight(day: Day) -> Instant:
    """When a day begins; empty for what is no day."""
    try:
        return f"{date.fromisoformat(day)}T00:00:00Z"
    except ValueError:
        return ""


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
        and is_memory_open_to(recipient, audience, memory)
        and not recipient.is_older(memory)
        and _in_force(memory.valid_until, memory.expires, today)
        and not (memory.category == "commitment" and closed_as(memory))
    )


def is_told(memory: Memory, audience: Audience, recipient: Recipient, today: Day) -> bool:
    """Whether the person is told a memory who asks by hand: not forgotten, and not over.

    What waits to be asked about is not over, and of what was replaced the query decides. Without a
    day nothing is over.
    """
    if memory.status == "retired" or not is_memory_open_to(recipient, audience, memory):
        return False
    past = memory.live and "" < memory.valid_until < today
    return not past and not has_expired(memory, today)


def summed_up(
    summary: Summary, named: Collection[tuple[Memory, Audience]], recipient: Recipient, today: Day
) -> tuple[Memory, ...]:
    """The memories that a summary stands for, if all that it names may be given; else none.

    It stands for those that a line of it tells: what was left out for room is given beside it.
    Of what was replaced only the audience counts. What a person wrote into a page was not judged as
    what they write into a memory is: the memories are given instead.
    """
    if summary.edited or summary.confidence < _SURE or len(named) != len(summary.memories):
        return ()
    for memory, audience in named:
        if memory.id not in summary.consolidates:
            given = is_memory_open_to(recipient, audience, memory)
        else:
            given = memory.status == "active" and is_given(memory, audience, recipient, today)
        if not given:
            return ()
    standing = set(summary.consolidates).intersection(summary.told)
    return tuple(memory for memory, _ in named if memory.id in standing)
