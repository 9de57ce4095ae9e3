"""Candidates of the rules + those of a model for the same turns -> one list.

The model understood the sentence, so its item wins where both quote the same words; from the rules'
item it takes what only rules give for certain: the slot, whose one value it sets, and names. Where
the model read the words and proposes nothing, nothing is kept: it saw what was taken back, and what
is half of a question. An item of the rules stands all the same where it sets a slot, or the person
asked for it ("remember ..."); where its turn has an item of the model's that could not be used, if
its rule is of high precision; and where the model was not shown the words. Order: as the turns were
said, the model's items in its own order within a turn.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace

from engram.model.candidate import Candidate
from engram.model.turn import Turn

#: a rule of this confidence or more is believed where the model's item could not be used
PRECISE = 0.8
#: the person asks for something to be kept in mind, and does not ask whether it is
_WANTED = re.compile(
    r"(?:^|[.,;:!?(]\s+|\b(?:please|also|and|but|so|ok|okay)\s+)"
    r"(?:remember(?! (?:when|how|what|why|where)\b)|(?:keep|bear) in mind|for the record"
    r"|don['’]?t (?:let me )?forget|remind me)\b",
    re.IGNORECASE,
)
#: two quotes mean the same sentence when this share of the shorter lies within the other
_SHARED = 0.5


def merged(
    rules: Sequence[Candidate], model: Sequence[Candidate], turns: Sequence[Turn], shown: str
) -> list[Candidate]:
    """One list of candidates from both; `shown` are the messages as the model was given them."""
    texts = {turn.message: turn.text for turn in turns}
    places = {turn.message: number for number, turn in enumerate(turns)}
    matched: set[int] = set()
    found: list[Candidate] = []
    for item in model:
        known = item.confirms or item.fulfils
        twin = None if item.fault or known else _twin(item, rules, matched, texts)
        if twin is not None:
            matched |= _twins(item, rules, texts)
            item = _enriched(item, rules[twin])
        found.append(item if known or item.fault else _with_wish(item, rules, texts))
    unusable = {item.receipt.message for item in model if item.fault}
    found += [
        item
        for number, item in enumerate(rules)
        if number not in matched and _stands(item, unusable, shown)
    ]
    last = len(turns)
    return sorted(found, key=lambda item: places.get(item.receipt.message, last))


def _stands(item: Candidate, unusable: Container[str], shown: str) -> bool:
    """Whether an item of the rules is kept beside what the model proposes, or does not."""
    if item.receipt.quote not in shown or item.slot or item.wish is not None:
        return True
    if _WANTED.search(item.sentence):
        return True
    return item.receipt.message in unusable and item.confidence >= PRECISE


def _with_wish(item: Candidate, rules: Sequence[Candidate], texts: dict[str, str]) -> Candidate:
    """The item with the space that the person's own words ask for, whatever the model says."""
    wishes = (rules[number].wish for number in sorted(_twins(item, rules, texts)))
    wish = next(filter(None, wishes), None)
    return item if wish is None else replace(item, wish=wish)


def _twin(
    item: Candidate, rules: Sequence[Candidate], taken: set[int], texts: dict[str, str]
) -> int | None:
    """The rules' item about the same words: one of the same category before others."""
    near = [number for number in sorted(_twins(item, rules, texts)) if number not in taken]
    alike = [number for number in near if rules[number].category == item.category]
    return next(iter(alike or near), None)


def _twins(item: Candidate, rules: Sequence[Candidate], texts: dict[str, str]) -> set[int]:
    """Indexes of the rules' items that quote the same words as this one."""
    return {number for number, other in enumerate(rules) if _overlap(item, other, texts) >= _SHARED}


def _overlap(one: Candidate, other: Candidate, texts: dict[str, str]) -> float:
    """The shared part of two quotes of one turn, of the shorter's length."""
    if one.receipt.message != other.receipt.message:
        return 0.0
    text = texts.get(one.receipt.message, "")
    spans = []
    for quote in (one.receipt.quote, other.receipt.quote):
        start = text.find(quote)
        if start < 0 or not quote:
            return 0.0
        spans.append((start, start + len(quote)))
    (left, right), (from_, to) = spans
    shared = min(right, to) - max(left, from_)
    return max(shared, 0) / min(right - left, to - from_)


def _enriched(item: Candidate, twin: Candidate) -> Candidate:
    """The model's item with what the rule knows for certain."""
    names = tuple(dict.fromkeys((*twin.entities, *item.entities)))
    if twin.category != item.category:
        return replace(item, entities=names)
    return replace(
        item,
        slot=twin.slot,
        space=twin.space if twin.slot else item.space,
        schema=item.schema or twin.schema,
        fields=tuple({**dict(item.fields), **dict(twin.fields)}.items()),
        entities=names,
        confidence=max(item.confidence, twin.confidence),
        rule=twin.rule,
    )
