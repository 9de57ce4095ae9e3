"""Two memories of one scope -> how they stand to each other, by conservative rules on their words.

Implements the Judge port. `sure` is only what a text says itself, by a word of change or as a
correction: a value that it leaves behind and that the older one names, another value of an
attribute that has one, another number of the same quantity, the other of two alternatives, the
older statement denied; and another value of one slot. What does not agree and has no such word is
a suspicion (`contradicts`), for the person to decide; the rest stands beside each other. A missed
replacement is better than a wrong one (seed 004). Never sure: plans, questions, conditions,
exceptions and additions, what held for a while, what holds elsewhere (staging), what cannot change
(a day of birth). What happened cannot be contradicted. Pure; English only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from engram.admit.judge.state_rules import ends, given_again, is_of_another, says_more, settled
from engram.admit.judge.statement import Statement, statement_of
from engram.admit.slot import attributes_of, overtaken
from engram.language.alternatives import speaks_for_itself
from engram.language.any_case import AnyCase
from engram.language.calendar_words import NUMBERS
from engram.language.changes import StatedChange
from engram.language.claims import SHARED
from engram.language.numerals import has_other_numbers, values_of
from engram.language.past_events import tells_event
from engram.language.rulings import outranked
from engram.language.wording import telling, terms_of
from engram.model.memory import Memory, space_and_project
from engram.model.step import Opinion
from engram.model.succession import EARLIER_CORRECTION, LIKELY, LOWER_AUTHORITY
from engram.model.text import jaccard, normalise, words

_UNRELATED = Opinion("unrelated", code="unrelated")
_WHY_IT_STANDS = {
    LOWER_AUTHORITY: "the older one has more authority",
    EARLIER_CORRECTION: "the older one is a correction, and the newer one tells no change",
}
#: so much of what two statements name must agree for a model to be asked first (cosine)
_LIKELY = 0.15
#: as much of what two statements name must agree for a suspicion
_ALIKE = 0.6
#: and so many words of it: fragments are not held against each other
_SUSPICIOUS = 3
#: a statement with more words beside the thing that is given up is about more than that
_ABOUT_IT = 3
#: and of two statements about one birthday
_OF_ONE = 0.25
#: words for leaving and keeping, which tell nothing of what is left or kept
_DECIDING = terms_of(
    "decided agreed chose voted against drop dropped abandon remove ditch scrap stop keep stay"
    " stick after all"
)
_NUMBERS = terms_of(" ".join(NUMBERS))
_BEST = AnyCase(r"\b(?:(?:my|our|her|his|\w+'s) [\w ]{0,20}?(?:best|record|fastest)|best \w+ is)\b")
_BEATEN = AnyCase(
    r"\bnew (?:personal |own |club )?(?:best|record)\b"
    r"|\bnever (?:been|run|swum|ridden) (?:faster|better|further|higher|longer)\b"
)
_WHO = AnyCase(r"^(?:my|our|his|her|their|the) (?P<who>\w+) (?:has|had|just|ran|set|swam|got)\b")
_OF_RECORDS = terms_of("best record personal new fastest time run ran")
_IMMUTABLE = AnyCase(
    r"\b(?:born|birthday|birth ?date|died|founded|released|graduated|married|invented|published"
    r"|discovered|native|nationality|blood type|alma mater|first (?:job|name|release))\b"
)


class RuleJudge:
    """The judge that asks nobody; what was said "on Friday" was said on a day of `timezone`."""

    def __init__(self, timezone: str = "UTC") -> None:
        self._timezone = timezone

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The opinion about two memories; pairs of one moment, and of another scope, have none."""
        if not comparable(older, newer):
            return _UNRELATED
        if normalise(older.text) == normalise(newer.text):
            return Opinion("same", sure=True, code="same", why="it says the same")
        opinion = _opinion(older, newer, self._timezone)
        if opinion.relation == "supersedes" and (code := outranked(older, newer)):
            return Opinion("contradicts", code=code, why=_WHY_IT_STANDS[code])
        return opinion

    def compare_all(self, pairs: Sequence[tuple[Memory, Memory]]) -> list[Opinion]:
        """The opinion about each pair."""
        return [self.compare(older, newer) for older, newer in pairs]


def comparable(older: Memory, newer: Memory) -> bool:
    """Whether one could replace the other: of one scope, the newer later, the older no event."""
    in_time = older.created < newer.created
    same = space_and_project(older) == space_and_project(newer)
    return in_time and same and not tells_event(older)


def _opinion(older: Memory, newer: Memory, timezone: str) -> Opinion:
    if older.key and older.key == newer.key:
        return _sure("slot", "it gives another value of the same slot")
    attributes = _by_attributes(older, newer)
    if attributes is not None:
        return attributes
    before, after = _taken_apart(older, timezone), _taken_apart(newer, timezone)
    for rule in _GUARDED_RULES if after.guarded else _RULES:
        opinion = rule(before, after, older, newer)
        if opinion is not None:
            doubts = opinion.relation == "contradicts"
            return _beside(before, after) if doubts and tells_event(newer) else opinion
    beside = _beside(before, after)
    return beside._replace(code=LIKELY) if _is_likely(before, after) else beside


@lru_cache(maxsize=1_024)
def _taken_apart(memory: Memory, timezone: str) -> Statement:
    return statement_of(memory, timezone)


def _by_attributes(older: Memory, newer: Memory) -> Opinion | None:
    """Header attributes of one entity, where the words say the values too."""
    keys = overtaken(older, newer)
    held, said = attributes_of(older), attributes_of(newer)
    spoken = [
        key for key in keys
        if _says(older, held[key]) and _says(newer, said[key])
    ]  # fmt: skip
    if not spoken:
        return None
    partial = len(spoken) < len(held)
    return Opinion("supersedes", True, partial, "attribute", f"another value of {spoken[0]}")


def _says(memory: Memory, value: str) -> bool:
    return set(words(value)) <= set(words(memory.text))


# -- the rules, in order ------------------------------------------------------------------------

Rule = Callable[[Statement, Statement, Memory, Memory], Opinion | None]


def _elsewhere(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """Other environments, years, platforms: both may be true."""
    if before.limits != after.limits:
        return _beside(before, after)
    return None


def _anothers(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """Things of somebody whom the other one does not name: both may be true."""
    if before.holders <= after.every and after.holders <= before.every:
        return None
    return _beside(before, after)


def _unchangeable(
    before: Statement, after: Statement, older: Memory, newer: Memory
) -> Opinion | None:
    """A day of birth does not change: one of both is wrong, unless the newer sets it right."""
    if newer.category == "correction":
        return None
    if not (_is_fixed(older.text) and _is_fixed(newer.text)):
        return None
    alike = jaccard(before.terms, after.terms) >= _OF_ONE
    if alike and (before.values, before.limits) != (after.values, after.limits):
        return _suspicion("immutable", "this cannot have changed: one of both is wrong")
    return _beside(before, after)


@lru_cache(maxsize=256)
def _is_fixed(text: str) -> bool:
    return _IMMUTABLE.search(text) is not None


def _leaves(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """The newer one names what it leaves behind, and the older one says just that."""
    if before.negative or before.guarded or before.passing:
        return None
    for change in after.changes:
        if not change.left or not change.left <= before.every:
            continue
        if any(change.left <= other.left for other in before.changes):
            continue  # the older one left it behind as well
        found = _left(change, before, after, newer.project)
        if found is not None:
            return found
    return None


def _left(
    change: StatedChange, before: Statement, after: Statement, project: str
) -> Opinion | None:
    # what belongs to the project in which both were said needs no naming
    here = terms_of(project.replace("-", " "))
    rest_before = telling(before.terms - change.left - here)
    rest_after = telling(after.terms - change.left - (change.taken - before.terms) - here)
    claimed = any(change.left <= claim.value for claim in before.claims)
    claimed = claimed or change.left == before.complement
    if rest_after:
        shared = rest_before & rest_after
        whole = bool(shared) and (rest_before <= rest_after or rest_after <= rest_before)
        whole = whole and not is_of_another(after.phrases, before.every | change.taken)
    elif len(rest_before) > 1 and not claimed:
        about_it = len(rest_before) <= _ABOUT_IT
        return _suspicion("left", "it may be over with that") if about_it else None
    else:
        whole = True
    return _sure("left", "it says what it replaces") if whole else None


def _returns(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """The newer one goes on with what the older one left behind."""
    if before.guarded or before.passing or not after.kept:
        return None
    for change in before.changes:
        if change.left and change.left <= after.kept <= before.every | _DECIDING:
            rest_before = telling(before.terms - change.left - change.taken) - _DECIDING
            rest_after = telling(after.terms - after.kept) - _DECIDING
            if rest_before <= rest_after or rest_after <= rest_before:
                return _sure("returned", "it goes back to what was left")
    return None


def _betters(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """A record of the same, which the newer one says to be beaten."""
    if before.negative or before.guarded or before.limits != after.limits:
        return None
    numbers = has_other_numbers(older.text, values_of(newer.text))
    if not (numbers and _BEST.search(older.text) and _BEATEN.search(newer.text)):
        return None
    if (found := _WHO.search(newer.text)) and not terms_of(found["who"]) <= before.every:
        return None
    shared = telling(before.every & after.every) - _OF_RECORDS
    return _sure("record", "it tells a better one") if shared else None


def _alternatives(
    before: Statement, after: Statement, older: Memory, newer: Memory
) -> Opinion | None:
    """The other one of two of which only one can hold: tabs and spaces, Monday and Tuesday."""
    if before.negative or after.negative or _held_or_told_otherwise(before, after):
        return None
    held, said = telling(before.terms) - _NUMBERS, telling(after.terms) - _NUMBERS
    for group in {group for group, _ in before.choices} & {group for group, _ in after.choices}:
        if any(one in after.choices for one in before.choices if one[0] == group):
            continue
        same_subject = held <= said or said <= held
        narrower = (said and not held) or is_of_another(after.phrases, before.every)
        if speaks_for_itself(group) and narrower:
            continue  # "spaces in Python files" is narrower than "tabs"
        if same_subject and (speaks_for_itself(group) or held & said):
            return _other(after, "alternative", f"another {group}")
    return None


def _claims(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """An attribute of one value has another."""
    if after.negative or before.negative or _held_or_told_otherwise(before, after):
        return None
    if any(attribute != SHARED or after.changing for attribute in _clashes(before, after)):
        return _other(after, "value", "another value of the same")
    return None


def _clashes(before: Statement, after: Statement) -> list[str]:
    """The attributes of which both give one subject different values."""
    if before.quantities and before.values == after.values:
        return []  # 30 minutes are 1800 seconds
    return [
        held.attribute
        for held in before.claims
        for said in after.claims
        if held.about == said.about and not held.value & said.value
    ]


def _amounts(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """The same quantity has another number."""
    units_before = {one.unit: one.value for one in before.quantities}
    units_after = {one.unit: one.value for one in after.quantities}
    shared = units_before.keys() & units_after.keys()
    if len(shared) != 1 or len(units_before) != len(before.quantities):
        return None
    (unit,) = shared
    if units_before[unit] == units_after[unit] or before.negative or after.negative:
        return None
    held, said = telling(before.terms), telling(after.terms)
    # what counts other things too has to share more than one word
    least = 2 if units_after.keys() - shared else 1
    if len(held & said) < least or (held - said and said - held):
        return None
    if _held_or_told_otherwise(before, after) or before.choices != after.choices:
        return None
    if says_more(older) or any(is_of_another(lead, held) for lead in after.leads):
        return None
    if held == said or (after.changing and len(held & said) * 2 >= min(len(held), len(said))):
        return _other(after, "amount", "another number of the same")
    return None


def _denies(before: Statement, after: Statement, older: Memory, newer: Memory) -> Opinion | None:
    """The same said the other way round."""
    if before.negative == after.negative:
        return None
    held, said = telling(before.terms), telling(after.terms)
    if before.guarded or (before.quantities and before.values != after.values):
        return None
    if before.choices - after.choices or not (held or before.choices):
        return None
    if after.recanting and not before.passing and held and len(held & said) * 2 >= len(held):
        if len(held & said) >= _SUSPICIOUS:
            return _sure("denied", "it takes back what was meant")
        return _suspicion("opposite", "it takes back what was meant")
    so_now = before.negative and after.changing and len(held) > 1
    if so_now and any(set(phrase) == held for phrase in after.phrases):
        return _sure("denied", "it says that this is so now")
    if telling(after.subject) & (said - held):
        return None  # of somebody or something else
    if held == said and not (before.passing or after.passing):
        return _other(after, "denied", "the opposite")
    if held <= said and after.changing and len(said - held) <= 1:
        return _sure("denied", "it says that this is no longer so")
    if len(held & said) >= _SUSPICIOUS and jaccard(held, said) >= _ALIKE:
        return _suspicion("opposite", "one says the opposite of the other")
    return None


_RULES: tuple[Rule, ...] = (
    _unchangeable, _anothers, ends, _elsewhere, _leaves, _returns, _betters, settled, _alternatives,
    _claims, _amounts, given_again, _denies,
)  # fmt: skip
#: what is asked of a plan, a question, a condition
_GUARDED_RULES: tuple[Rule, ...] = (_unchangeable, _anothers, ends, _elsewhere, _leaves)


def _beside(before: Statement, after: Statement) -> Opinion:
    """Neither retires the other: the same, more of the same, or something else."""
    if before.terms and _said(before) == _said(after):
        return Opinion("same", code="alike", why="it says the same in other words")
    if len(telling(before.terms) & telling(after.terms)) >= 2 or before.terms < after.terms:
        return Opinion("extends", code="more", why="it says more of the same")
    return _UNRELATED


def _said(statement: Statement) -> tuple[object, ...]:
    """All that two statements of one meaning have in common."""
    return (
        statement.terms, statement.values, statement.limits, statement.changes, statement.negative,
        statement.choices,
    )  # fmt: skip


def _is_likely(before: Statement, after: Statement) -> bool:
    """Whether the newer one tells of a change, and is about something that the older one names."""
    if after.guarded or not after.changing or before.limits != after.limits:
        return False
    size = len(before.every) * len(after.every)
    return len(before.every & after.every) >= _LIKELY * math.sqrt(size) > 0


def _held_or_told_otherwise(before: Statement, after: Statement) -> bool:
    """Whether one of both is no plain statement of what is so: nothing is concluded from it."""
    return before.guarded or before.passing or after.passing


def _other(after: Statement, code: str, what: str) -> Opinion:
    """What gives another value replaces by its own words of change, else it casts doubt."""
    if after.changing:
        return _sure(code, f"it gives {what}")
    return _suspicion(code, f"it gives {what}, and no word of a change")


def _sure(code: str, why: str) -> Opinion:
    return Opinion("supersedes", sure=True, code=code, why=why)


def _suspicion(code: str, why: str) -> Opinion:
    return Opinion("contradicts", code=code, why=why)
