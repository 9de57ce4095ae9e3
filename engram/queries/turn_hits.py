"""Turns that were found -> hits for a reader: two of a conversation, and what was said around each.

    hits: a1 a2 a3 b1 a4, folded          a1 a2 (2 more in it) b1
    around a2: the turn before it, and the turn after it, a line of each

An agent says at every step what it does next: such a report is passed over for the next turn that
says something (`extract.llm.portions`). Guarantees: nothing is written; a turn that is hidden, or
that a filter of the query keeps out, is not shown beside another either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from engram.language.snippet import excerpt
from engram.model.hit import Hit, TurnBeside
from engram.model.ids import docid

if TYPE_CHECKING:
    from engram.model.turn import Turn
    from engram.queries.lookup import Lookup
    from engram.recall.query import Query
    from engram.recall.rank import Ranked

#: so many turns before and after one are looked at for one that says something
_REACH = 12
#: so many of one conversation stand before those of others
_OF_ONE = 2

_Answer = TypeVar("_Answer")


class TurnHits:
    """Of one vault."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def hits(
        self, found: Sequence[tuple[Turn, Ranked]], limit: int, query: Query, *,
        around: bool = False, fold: bool = False,
    ) -> list[Hit]:  # fmt: skip
        """The first `limit` of what was `found`, with their neighbours where those are asked for.

        Folded, at most two of a conversation while others were found too; the last of it says how
        many more there are.
        """
        more: dict[str, int] = {}
        if fold:
            first, rest = two_of_each(found, lambda pair: pair[1].key)
            if len({_conversation(one.key) for _, one in first}) > 1:
                left = Counter(_conversation(one.key) for _, one in rest)
                last = {_conversation(one.key): one.key for _, one in first}
                more = {last[name]: count for name, count in left.items()}
                found = first
        found = found[:limit]
        places = self._lookup.places(one.key for _, one in found)
        return [
            self._hit(one, turn, places[one.key], query, around, more.get(one.key, 0))
            for turn, one in found
        ]

    def _hit(
        self, one: Ranked, turn: Turn, place: tuple[str, int], query: Query, around: bool, more: int
    ) -> Hit:
        path, line = place
        shown = excerpt(turn.text, query.text, instead=one.instead)
        before = after = None
        if around:
            # what may not be shown is told by filters; a phrase stands in one turn only
            may = query._replace(phrases=()).admits_turn
            before, after = turns_beside(self._lookup, one.key, turn, query.text, may)
        return Hit(
            docid=docid(one.key),
            score=one.score,
            file=path,
            line=line,
            title=turn.title or one.key.partition("#")[0],
            snippet=shown.text,
            id=one.key,
            collection="turns",
            category=turn.role,
            created=turn.time,
            project=turn.project,
            source=one.key,
            why=one.reasons(shown.others),
            spans=shown.spans,
            before=before,
            after=after,
            more=more,
        )


def two_of_each(
    found: Iterable[_Answer], link: Callable[[_Answer], str]
) -> tuple[list[_Answer], list[_Answer]]:
    """The first two turns of each conversation, and all others; each in the order they had."""
    seen: Counter[str] = Counter()
    first: list[_Answer] = []
    rest: list[_Answer] = []
    for one in found:
        name = _conversation(link(one))
        seen[name] += 1
        (first if seen[name] <= _OF_ONE else rest).append(one)
    return first, rest


def turns_beside(
    lookup: Lookup, link: str, turn: Turn, asked: str, may: Callable[[Turn], bool]
) -> tuple[TurnBeside | None, TurnBeside | None]:
    """The turns before and after one in its conversation, of those that `may` be shown.

    Each is shown by the stretch that has most of the words `asked` for.
    """
    # imported here: few searches ask for it
    from engram.extract.llm.portions import piece_of, shown_in

    found = lookup.turns_around(link, _REACH)
    before, after = ([pair for pair in side if may(pair[1])] for side in found)
    around = [*before, (link, turn), *after]
    here, telling = len(before), shown_in([piece_of(one) for _, one in around])
    # of reports alone the nearest one stands for all
    earlier = max((at for at in telling if at < here), default=here - 1)
    later = min((at for at in telling if at > here), default=here + 1)
    return (
        _beside(*around[earlier], asked) if before else None,
        _beside(*around[later], asked) if after else None,
    )


def _beside(link: str, turn: Turn, asked: str) -> TurnBeside:
    said = excerpt(turn.text, asked).text
    return TurnBeside(link, turn.role, turn.time, said, turn.speaker)


def _conversation(link: str) -> str:
    return link.partition("#")[0]
