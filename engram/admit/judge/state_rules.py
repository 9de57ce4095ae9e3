"""Rules of the judge about what ended, what came to be so, and a value that was given again.

Each turns two statements into an opinion, or none. They go by what is spoken of, not by equal
words: what the newer one puts side by side must be what the older one names, or nothing of it
("the team plan" is not "the free plan"). Pure; English only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from engram.admit.judge.statement import Statement
from engram.language.any_case import AnyCase
from engram.language.endings import Ending
from engram.language.wording import Terms, telling
from engram.model.memory import Memory
from engram.model.step import Opinion

#: a statement with more words beside the thing that is over is about more than that
_ABOUT_IT = 4
#: one with more words beside a value says more than that value
_ABOUT_VALUE = 5
#: so many words at least say what was settled
_SETTLED = 2
#: a day that was is no value that changes
_TOLD = AnyCase(r"\b(?:was|were)\b")
#: a second statement in one sentence
_MORE = AnyCase(r"(?:[,;]| and) (?:i|we|he|she|it|they) \w")
#: what somebody has one of
_OF_SOMEBODY = ("phone", "email")
_MINE = AnyCase(r"\b(?:my|me)\b")
#: what ends when two people part
_TOGETHER = AnyCase(
    r"\b(?:dating|seeing|partner|boyfriend|girlfriend|husband|wife|married|engaged|couple"
    r"|together)\b"
)


def ends(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """The newer one says that what the older one is about is over."""
    if before.negative or before.guarded or before.passing or not after.limits <= before.limits:
        return None
    for ending in after.endings:
        if not ending.thing <= before.every or not ending.beside <= before.every:
            continue
        if any(ending.thing <= one.thing for one in before.endings):
            continue
        if ending.parted:
            if _TOGETHER.search(older.text):
                return _over()
            continue
        found = _ended(ending, before, after)
        if found is not None:
            return found
    return None


def _ended(ending: Ending, before: Statement, after: Statement) -> Opinion | None:
    rest_before = telling(before.terms - ending.thing)
    rest_after = telling(after.terms - ending.thing)
    named = ending.thing <= before.names | after.names
    # "old" stands in no phrase
    thing = ending.thing.intersection(word for phrase in before.phrases for word in phrase)
    if not named and not (thing and any(_is_about(phrase, thing) for phrase in before.phrases)):
        return None
    of_it = (bool(thing) and thing <= set(before.phrases[0])) or ending.thing == before.complement
    if not (named or len(ending.thing) > 1 or of_it):
        return None
    if rest_before & rest_after or of_it:
        return _over()
    if len(rest_before) > _ABOUT_IT:
        return None
    if ending.first:
        return Opinion("contradicts", code="over", why="what it uses is over elsewhere")
    return _over()


def _is_about(phrase: tuple[str, ...], thing: Terms) -> bool:
    """Whether words side by side are the thing, and not something that is called after it."""
    return set(phrase[: len(thing)]) == thing or set(phrase[-len(thing) :]) == thing


def settled(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """What the older one plans or waits for came to be so."""
    if after.guarded or after.negative or not before.awaits & after.settles:
        return None
    held, said = telling(before.every), telling(after.every)
    same = bool(telling(before.subject & after.subject)) and "off" in before.awaits & after.settles
    if len(held & said) < (1 if same else _SETTLED) or is_of_another(after.phrases, held):
        return None
    return Opinion("supersedes", sure=True, code="settled", why="it came to be so")


def given_again(
    before: Statement, after: Statement, older: Memory, newer: Memory
) -> Opinion | None:
    """The same quantity of the same thing, told in other words, with a word of change."""
    if not (after.changing and after.quantities and before.quantities):
        return None
    if before.guarded or before.negative or after.negative or after.passing:
        return None
    if _labels(before) != _labels(after):
        return None
    of_before = {one.unit: one.value for one in before.quantities}
    if len(of_before) != len(before.quantities) or len(telling(before.terms)) > _ABOUT_VALUE:
        return None
    for one, lead in zip(after.quantities, after.leads, strict=True):
        if of_before.get(one.unit, one.value) == one.value:
            continue
        if one.unit == "date" and _TOLD.search(older.text):
            continue
        if says_more(older):
            continue  # it says more than that value, which stands
        if one.unit in _OF_SOMEBODY and _MINE.search(older.text) and _MINE.search(newer.text):
            return Opinion("supersedes", sure=True, code="again", why="it gives another number")
        if _is_of(lead, before, after):
            return Opinion("supersedes", sure=True, code="again", why="it gives another number")
    return None


def says_more(memory: Memory) -> bool:
    """Whether a sentence makes a second statement: a value of it alone does not replace it."""
    return _MORE.search(memory.text) is not None


def _labels(statement: Statement) -> Terms:
    """ "room 12", "hall b": of another number it is another."""
    return frozenset(one for one in statement.terms if " " in one)


def _is_of(lead: Sequence[tuple[str, ...]], before: Statement, after: Statement) -> bool:
    """Whether what stands before a value is about what the older statement names."""
    known = telling(before.terms)
    if any(
        phrase[-1] not in after.every and after.every.intersection(phrase)
        for phrase in before.phrases
    ):
        return False  # "the record limit" is no record
    if not lead or not all(map(known.intersection, lead)) or is_of_another(lead, known):
        return False
    opening = before.phrases[0] if before.phrases else ()
    # one word in common, beside what the older one is about, is not enough
    return bool(after.terms.intersection(opening)) or len(known & after.terms) * 2 >= len(known)


def is_of_another(phrases: Iterable[tuple[str, ...]], known: Terms) -> bool:
    """Whether a known word stands beside an unknown one: "the website cache", "YAML files"."""
    return any(
        (one in known) != (other in known) for phrase in phrases for one, other in pairwise(phrase)
    )


def _over() -> Opinion:
    return Opinion("supersedes", sure=True, code="over", why="it says that this is over")
