"""Refusals: the events of refused candidates -> what was refused and still is, newest first.

What an undo took back counts as never refused, and what the person kept all the same
(`engram review --refused`) as refused no longer. Events hold no text: the words of a turn are read
from the turn journal when they are asked for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engram.model.instant import Instant, plus_days
from engram.model.refusal_codes import KEPT, REFUSED, is_withheld
from engram.model.shown import Refusal
from engram.model.text import first_line
from engram.model.trace import TICK
from engram.store.commits.transaction_log import undone_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engram.model.turn import Turn
    from engram.queries.lookup import Lookup
    from engram.store.catalog.catalog import Catalog

#: so many days back refusals are counted, and read anew
_DAYS = 30
_NO_FACTORS = frozenset({"code", "origin", "rule", "source", "length", TICK})
_SHOWN = 200
#: so many turns before it are read with a turn: what it answers, and what that answered
_BEFORE = 4


def recent(now: Instant) -> str:
    """The day from which on a refusal is of the last 30 days."""
    return plus_days(now, -_DAYS)


def refusals(catalog: Catalog, since: str = "") -> list[Refusal]:
    """What was refused from a day on, newest first; without words."""
    undone = undone_in(catalog.log.rows())
    kept = Counter(
        (details["source"], details["code"])
        for number, _, event in catalog.log.since(KEPT, since)
        if number not in undone and (details := dict(event.details))
    )
    found = []
    for number, time, event in reversed(catalog.log.since(REFUSED, since)):
        details = dict(event.details)
        if number in undone:
            continue
        name = details.get("source", ""), details["code"]
        if kept[name]:
            kept[name] -= 1
            continue
        factors = tuple(
            (key, int(value))
            for key, value in details.items()
            if key not in _NO_FACTORS and value.lstrip("-").isdecimal()
        )
        origin, rule = details.get("origin", ""), details.get("rule", "")
        found.append(Refusal(number, time, name[1], origin, rule, name[0], factors))
    return found


def turns_to_read(catalog: Catalog, lookup: Lookup, since: str) -> Iterator[list[Turn]]:
    """The turns that refusals since a day came from, newest first, each behind those before it."""
    for link in dict.fromkeys(one.link for one in refusals(catalog, since) if one.link):
        turns = lookup.with_turns_before(link, _BEFORE)
        if turns:
            yield turns


def refusal_counts(found: Iterable[Refusal]) -> dict[str, int]:
    """How many by code, in the order of the codes."""
    return dict(sorted(Counter(one.code for one in found).items()))


def with_words(found: Sequence[Refusal], lookup: Lookup) -> list[Refusal]:
    """Each with the first line of its turn, where that may be shown."""
    links = {one.link for one in found if one.link and not is_withheld(one.code)}
    turns = lookup.turns_in_sight(sorted(links))
    said = {link: first_line(turn.text, _SHOWN) for link, turn in turns.items()}
    return [
        one._replace(said="" if is_withheld(one.code) else said.get(one.link, "")) for one in found
    ]
