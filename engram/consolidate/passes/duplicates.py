"""Duplicate pass: memories that say the same become one.

    exact   equal normalised text in one scope: hand-made files, imported vaults
    near    equal phrasing (`language.paraphrase`) in one space and project
    asked   nearly equal words, and a judge that asks a model is sure that they mean the same

A full run compares all live memories at once; an incremental one looks up, by its rarest words,
what says the same as each changed memory, and finds for it what a full run finds. Every memory of a
group says the same as the survivor, not only as another of the group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from engram.consolidate.context import PassContext
from engram.consolidate.duplicate_merging import SAID_SAME, may_merge, merged, rank
from engram.language.near_duplicates import joined, prefix_of, rarest
from engram.language.paraphrase.phrasing import phrasing
from engram.language.paraphrase.restatement import class_of, may_take
from engram.language.paraphrase.tables import surfaces
from engram.model.memory import Memory
from engram.model.step import Step
from engram.model.text import content_hash

#: keys of a memory; two that share one say the same
Names = Callable[[Memory], tuple[Hashable, ...]]
Group = tuple[Memory, list[Memory]]
Pair = tuple[Memory, Memory]
#: pairs that one run asks about here at most: the judge's other questions have to be paid too
_MOST_PAIRS = 40


def plan(context: PassContext) -> list[Step]:
    """One step for each group of memories that say the same."""
    known = context.view.live() if context.changed is None else _around(context)
    found = list(groups(known, names))
    if context.model is not None:
        gone = {loser.id for _, losers in found for loser in losers}
        left = [memory for memory in known if memory.id not in gone]
        said = _called_same(context, _doubtful(left, context))
        if said:
            found = list(groups(known, _with(said)))
    return [
        merged(survivor, losers, _why(survivor, losers))
        for survivor, losers in found
        if any(context.concerns(memory.id) for memory in (survivor, *losers))
    ]


def names(memory: Memory) -> tuple[Hashable, ...]:
    """Its normalised text, and its phrasing."""
    form = phrasing(memory.text).form
    return (*exactly(memory), form) if form else exactly(memory)


def exactly(memory: Memory) -> tuple[Hashable, ...]:
    """Its normalised text, and the scope."""
    return (content_hash(memory.text, memory.scope),)


def groups(memories: Iterable[Memory], same: Names) -> Iterator[Group]:
    """Groups of duplicates, the survivor first; a memory is in one group at most."""
    ranked = sorted(filter(may_merge, memories), key=rank)
    named = [[(class_of(one), name) for name in same(one)] for one in ranked]
    sharing: dict[Hashable, list[Memory]] = defaultdict(list)
    for memory, own in zip(ranked, named, strict=True):
        for name in own:
            sharing[name].append(memory)
    taken: set[str] = set()
    for survivor, own in zip(ranked, named, strict=True):
        if survivor.id in taken:
            continue
        taken.add(survivor.id)
        losers = {
            other.id: other
            for name in own
            for other in sharing[name]
            if other.id not in taken and may_take(survivor, other)
        }
        if losers:
            taken |= losers.keys()
            yield survivor, sorted(losers.values(), key=rank)


def _why(survivor: Memory, losers: Sequence[Memory]) -> str:
    own = set(names(survivor))
    if all(exactly(survivor) == exactly(loser) for loser in losers):
        return "the same words again"
    if all(own & set(names(loser)) for loser in losers):
        return "the same said in other words"
    return SAID_SAME


# -- candidates --------------------------------------------------------------------------------


def _around(context: PassContext) -> list[Memory]:
    """The changed memories, and all that could be merged with one of them."""
    known = map(context.view.memory, sorted(context.changed or ()))
    waiting = [memory for memory in known if memory is not None and may_merge(memory)]
    found: dict[str, Memory] = {}
    beside: dict[str, Memory] = {}
    while waiting:
        memory = waiting.pop()
        if memory.id not in found:
            found[memory.id] = memory
            for other in _candidates(memory, context):
                if set(names(memory)) & set(names(other)):
                    waiting.append(other)
                elif context.model is not None and context.concerns(memory.id):
                    beside[other.id] = other
    return list({**beside, **found}.values())


def _candidates(memory: Memory, context: PassContext) -> Iterator[Memory]:
    """Every memory of its class that says the same; with a model, also what may say it."""
    view = context.view
    said = phrasing(memory.text).terms
    spoken = {term: [view.terms(word) for word in surfaces(term)] for term in said}
    # "I" is no search word, so that "user" does not find everything about the user
    looked_up = {term: words for term, words in spoken.items() if all(words)}
    if not looked_up:
        # no words, or a document: only the same text is the same, and it has every term
        looked_up = {term: [frozenset({term})] for term in view.terms(memory.text)}
    held = view.frequencies({one for some in looked_up.values() for ones in some for one in ones})
    count = prefix_of(len(said)) if context.model is not None and said else 1
    for identifier in view.holding(rarest(looked_up, held, count)):
        other = view.memory(identifier) if identifier != memory.id else None
        if other is not None and class_of(other) == class_of(memory):
            yield other


def _doubtful(memories: Iterable[Memory], context: PassContext) -> list[Pair]:
    """Pairs with nearly the same words, the most similar first, as many as may be asked."""
    classes: dict[Hashable, list[Memory]] = defaultdict(list)
    for memory in memories:
        if may_merge(memory):
            classes[class_of(memory)].append(memory)
    found: list[tuple[int, str, str, Pair]] = []
    for some in classes.values():
        for one, other, percent in joined([phrasing(memory.text) for memory in some]):
            first, second = sorted((some[one], some[other]), key=rank)
            concerned = context.concerns(first.id) or context.concerns(second.id)
            if concerned and may_take(first, second):
                found.append((-percent, first.id, second.id, (first, second)))
    return [pair for *_, pair in sorted(found, key=lambda row: row[:3])[:_MOST_PAIRS]]


def _called_same(context: PassContext, pairs: Sequence[Pair]) -> list[Pair]:
    """Those of some pairs that the judge is sure to say the same."""
    in_time = [sorted(pair, key=lambda one: (one.created, one.id)) for pair in pairs]
    said = context.judge.compare_all([(older, newer) for older, newer in in_time])
    return [
        pair for pair, one in zip(pairs, said, strict=True) if one.relation == "same" and one.sure
    ]


def _with(said: Sequence[Pair]) -> Names:
    """`names`, with one more key for each confirmed pair."""
    links: Mapping[Hashable, list[Hashable]] = defaultdict(list)
    for number, pair in enumerate(said):
        for name in {name for memory in pair for name in names(memory)}:
            links[name].append(("asked", number))
    return lambda memory: (
        *names(memory),
        *(link for name in names(memory) for link in links.get(name, ())),
    )
