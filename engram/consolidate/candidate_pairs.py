"""Candidate pairs for the contradiction judge: statements of one scope that may be of one thing.

Turns a PassContext into `(older, newer)` pairs, each once, in the order of the newer one's time:
each statement with the five nearest before it (`near_words`), with the holders of its slot, and
with those that name a rival of what it names (tabs, spaces). The older one tells no event.
Without a model, which judges by more than words, only those of the nearest are paired of which the
rules could conclude something: that are much alike, or of which the newer one speaks of a change.
An incremental run reads some memories for each changed one; a full run grows with the number of
memories. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engram.consolidate.context import PassContext
from engram.consolidate.near_words import NearWords, Stems, Words
from engram.language.alternatives import alternatives_of, rivals_of, speaks_for_itself
from engram.language.changes import speaks_of_change
from engram.language.past_events import tells_event
from engram.language.same_subject import subjects_of
from engram.model.entity_ids import is_entity_id, type_of
from engram.model.memory import Memory, memory_type, space_and_project
from engram.model.view import VaultView

Pair = tuple[Memory, Memory]
#: how many of the nearest a statement is paired with, and how many of its slot and rivals
_NEAREST, _OF_ONE = 5, 6
#: how like two statements must be for the rules, and where the newer one speaks of a change
_ALIKE, _CHANGED = 0.4, 0.15
#: an incremental run looks up so many words, each held by no more, and loads so many memories
_WORDS, _COMMON, _LOADED = 8, 400, 20


def pairs(context: PassContext) -> list[Pair]:
    """The pairs to be judged: of all memories, or of those that changed with all others."""
    asked = context.model is not None
    if context.changed is None:
        found = _of_all(context.view.live(), asked=asked)
    else:
        found = _of_changed(context.changed, context.view, asked=asked)
    once = {(older.id, newer.id): (older, newer) for older, newer in found}
    return sorted(once.values(), key=in_time)


def in_time(pair: Pair) -> tuple[tuple[str, str], tuple[str, str]]:
    """Sort key of pairs: the time of the newer one, then that of the older one."""
    older, newer = pair
    return _age(newer), _age(older)


def _of_all(live: Iterable[Memory], *, asked: bool) -> Iterator[Pair]:
    notes = sorted(filter(_speaks, live), key=_age)
    stems = Stems()
    # a subject is as good as a word where a model judges: it needs no word in common
    said = [stems.of(one.text) | (subjects_of(one) if asked else frozenset()) for one in notes]
    scopes: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, memory in enumerate(notes):
        scopes[space_and_project(memory)].append(number)
    for numbers in scopes.values():
        near = NearWords(Counter(word for number in numbers for word in said[number]))
        of_one: dict[str, list[int]] = defaultdict(list)
        for place, number in enumerate(numbers):
            memory, met = notes[number], set[int]()
            for name in _subjects(memory):
                met.update(of_one[name][-_OF_ONE:])
                of_one[name].append(place)
            least = 0.0 if asked else _least(memory)
            found = near.nearest(said[number], _NEAREST)
            met.update(other for likeness, other in found if likeness >= least)
            near.add(said[number])
            for other in sorted(met):
                yield from _ordered(notes[numbers[other]], memory)


def _of_changed(changed: Iterable[str], view: VaultView, *, asked: bool) -> Iterator[Pair]:
    for name in sorted(changed):
        memory = view.memory(name)
        if memory is None or not _speaks(memory):
            continue
        held = view.holders(memory.key, memory.space, memory.project) if memory.key else ()
        rivals = view.terms(rivals_of(memory.text))
        against = map(view.memory, view.holding(rivals)[-_OF_ONE:] if rivals else ())
        of_one = [other for other in (*held[-_OF_ONE:], *against) if other is not None]
        for other in (*of_one, *_nearest(memory, view, asked=asked)):
            if _speaks(other) and space_and_project(other) == space_and_project(memory):
                yield from _ordered(memory, other)


def _nearest(memory: Memory, view: VaultView, *, asked: bool) -> list[Memory]:
    """Those that share most of a memory's seldom words."""
    own = view.terms(memory.text)
    counts = view.frequencies(own)
    seldom = sorted((count, word) for word, count in counts.items() if count <= _COMMON)[:_WORDS]
    shared: defaultdict[str, float] = defaultdict(float)
    for count, word in seldom:
        for name in view.holding([word]):
            shared[name] += 1 / count
    shared.pop(memory.id, None)
    best = sorted(shared, key=lambda name: (-shared[name], name))[:_LOADED]
    loaded = {name: view.memory(name) for name in best}
    if asked:
        loaded |= {one.id: one for one in _of_subject(memory, view)}
    place = space_and_project(memory)
    known = (one for one in loaded.values() if one is not None and space_and_project(one) == place)
    here = sorted(filter(_speaks, known), key=_age)
    said = [view.terms(one.text) for one in here]
    counts = view.frequencies(own.union(*said))
    if asked:
        own |= subjects_of(memory)
        said = [words | subjects_of(one) for words, one in zip(said, here, strict=True)]
    near = _near(said, counts)
    return [
        here[number]
        for likeness, number in near.nearest(own, _NEAREST)
        if asked or likeness >= _least(max(memory, here[number], key=_age))
    ]


def _of_subject(memory: Memory, view: VaultView) -> list[Memory]:
    """The newest memories of its entities, and of its person's entities of the same kind."""
    names = dict.fromkeys(memory.entities)
    if memory.space == "user":
        kinds = set(map(type_of, filter(is_entity_id, memory.entities)))
        alike = [name for name in view.mentioned() if is_entity_id(name) and type_of(name) in kinds]
        names.update(dict.fromkeys(alike[-_LOADED:]))
    mine = subjects_of(memory)
    found = {one.id: one for name in names for one in view.about(name) if mine & subjects_of(one)}
    found.pop(memory.id, None)
    return sorted(found.values(), key=_age)[-_LOADED:]


def _near(said: Sequence[Words], frequency: Mapping[str, int]) -> NearWords:
    near = NearWords(frequency)
    for words in said:
        near.add(words)
    return near


def _least(newer: Memory) -> float:
    """How like it a statement must be for the rules to conclude something."""
    told = newer.category == "correction" or speaks_of_change(f"{newer.text}\n{newer.quote}")
    return _CHANGED if told else _ALIKE


def _subjects(memory: Memory) -> set[str]:
    """What two memories can have in common without a word: a slot, words that are rivals."""
    groups = {one.group for one in alternatives_of(memory.text) if speaks_for_itself(one.group)}
    return groups | {f"={memory.key}"} if memory.key else groups


def _ordered(one: Memory, other: Memory) -> Iterator[Pair]:
    """The pair as (older, newer); none where the order is unknown, or the older tells an event."""
    older, newer = sorted((one, other), key=_age)
    if older.created != newer.created and not tells_event(older):
        yield older, newer


def _speaks(memory: Memory) -> bool:
    """Whether a memory may replace another, or be replaced: also what happened ends a state."""
    return memory.live and memory_type(memory.category, memory.schema) != "episodic"


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created, memory.id
