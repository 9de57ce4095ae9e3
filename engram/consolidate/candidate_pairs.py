"""Candidate pairs for the contradiction judge: statements of one scope that may be of one thing.

Turns a PassContext into `(older, newer)` pairs, each once, in the order of the newer one's time:
those that share rare words or a slot, or name rivals (tabs, spaces), and where a model is asked
those of one subject too (`same_subject`). What tells of an event is in no pair. A statement is
paired with only a few others: common words tell nothing, and their number bounds the work (an
incremental run reads some memories for each changed one; a full run grows with the number of
memories). Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.language.alternatives import alternatives_of, rivals_of, speaks_for_itself
from engram.language.past_events import tells_event
from engram.language.same_subject import subjects_of
from engram.language.wording import cut_words
from engram.model.entity_ids import is_entity_id, type_of
from engram.model.memory import Memory
from engram.model.view import VaultView

Pair = tuple[Memory, Memory]
#: scope, and a word or a subject
_Key = tuple[str, str, str]
#: how many of a statement's rarest words are looked up; one that more of them hold is not
_WORDS, _COMMON = 6, 40
#: how many of the nearest ones a statement is paired with at most
_NEAREST = 6
#: and with so many more of its subject, where a model is asked
_OF_TOPIC = 3
#: share of the shorter one's words, apart from those that one in fifty has, that both hold
_SHARE, _OFTEN = 0.3, 50


def pairs(context: PassContext) -> list[Pair]:
    """The pairs to be judged: of all memories, or of those that changed with all others."""
    if context.changed is None:
        found = _of_all(context.view.live(), asked=context.model is not None)
    else:
        found = _of_changed(context)
    once = {(older.id, newer.id): (older, newer) for older, newer in found}
    return sorted(once.values(), key=lambda pair: (_age(pair[1]), _age(pair[0])))


def _of_changed(context: PassContext) -> Iterator[Pair]:
    for name in sorted(context.changed or ()):
        memory = context.view.memory(name)
        if memory is None or not _states_fact(memory):
            continue
        near = [context.view.memory(other) for other in _nearest(memory, context.view)]
        held = memory.key and context.view.holders(memory.key, memory.space, memory.project)
        alike = _of_subject(memory, context.view) if context.model is not None else ()
        for other in (*near, *(held or ()), *alike):
            if other is not None and _states_fact(other) and scope(other) == scope(memory):
                yield from _ordered(memory, other)


def _nearest(memory: Memory, view: VaultView) -> list[str]:
    """The ids of those that share most of a memory's rarest words."""
    counts = view.frequencies(view.terms(memory.text))
    rarest = sorted((count, term) for term, count in counts.items() if count <= _COMMON)[:_WORDS]
    shared = Counter(name for _, term in rarest for name in view.holding([term]))
    del shared[memory.id]
    best = sorted((-count, name) for name, count in shared.items())
    rivals = view.terms(rivals_of(memory.text))
    against = view.holding(rivals)[-_NEAREST:] if rivals else ()
    return [*(name for _, name in best[:_NEAREST]), *against]


def _of_subject(memory: Memory, view: VaultView) -> list[Memory]:
    """The nearest memories of its subjects; of equally near ones the newest."""
    mine = subjects_of(memory)
    names = dict.fromkeys(memory.entities)
    if memory.space == "user":
        kinds = set(map(type_of, filter(is_entity_id, memory.entities)))
        alike = [name for name in view.mentioned() if is_entity_id(name) and type_of(name) in kinds]
        names.update(dict.fromkeys(alike[-_COMMON:]))
    found = {
        other.id: other
        for name in names
        for other in view.about(name)
        if other.id != memory.id and scope(other) == scope(memory) and mine & subjects_of(other)
    }
    said = frozenset(cut_words(memory.text))
    near = sorted(found.values(), key=_age, reverse=True)
    near.sort(key=lambda other: -len(said.intersection(cut_words(other.text))))
    return near[:_NEAREST]


def _of_all(live: Iterable[Memory], *, asked: bool) -> Iterator[Pair]:
    notes = sorted(filter(_states_fact, live), key=_age)
    telling = _telling([frozenset(cut_words(memory.text)) for memory in notes])
    blocks: dict[_Key, list[int]] = defaultdict(list)
    for number, memory in enumerate(notes):
        held = telling[number]
        keys = [(*scope(memory), word) for word in held.rarest]
        named = [(*scope(memory), f"\0{name}") for name in _subjects(memory)]
        about = subjects_of(memory) if asked else frozenset()
        topics = [(*scope(memory), f"\1{name}") for name in about]
        of_one, of_topic = _met(blocks, named), _met(blocks, topics)
        met = _met(blocks, keys) | of_one | of_topic
        for key in (*keys, *named, *topics):
            blocks[key].append(number)
        shared = {other: len(held.words & telling[other].words) for other in met}
        # of equally near ones the newest: what they replaced is replaced already
        ranked = sorted(met, key=lambda other: (-shared[other], -other))
        near = [
            other for other in ranked
            if shared[other] >= _SHARE * min(len(held.words), len(telling[other].words))
            or other in of_one
        ][:_NEAREST]  # fmt: skip
        near += [other for other in ranked if other in of_topic and other not in near][:_OF_TOPIC]
        for other in near:
            yield from _ordered(notes[other], memory)


def _met(blocks: Mapping[_Key, Sequence[int]], keys: Iterable[_Key]) -> set[int]:
    """The newest memories of some blocks."""
    return {other for key in keys for other in blocks.get(key, ())[-_COMMON:]}


def _subjects(memory: Memory) -> set[str]:
    """What two memories can have in common without a word: a slot, words that are rivals."""
    groups = {one.group for one in alternatives_of(memory.text) if speaks_for_itself(one.group)}
    return groups | {memory.key} if memory.key else groups


class _RareWords(NamedTuple):
    """The words of a statement that not every other has, and the rarest of them."""

    words: frozenset[str]
    rarest: list[str]


def _telling(said: Sequence[frozenset[str]]) -> list[_RareWords]:
    frequency = Counter(word for held in said for word in held)
    many = max(_COMMON, len(said) // _OFTEN)
    found = []
    for held in said:
        known = sorted((frequency[word], word) for word in held if frequency[word] <= many)
        rarest = [word for count, word in known if 1 < count <= _COMMON]
        found.append(_RareWords(frozenset(word for _, word in known), rarest[:_WORDS]))
    return found


def scope(memory: Memory) -> tuple[str, str]:
    """Space and project: only memories of one scope can be about the same."""
    return memory.space, memory.project if memory.space == "project" else ""


def _ordered(one: Memory, other: Memory) -> Iterator[Pair]:
    """The pair as (older, newer); none for two of one moment, as their order is unknown."""
    if one.created != other.created:
        older, newer = sorted((one, other), key=_age)
        yield older, newer


def _states_fact(memory: Memory) -> bool:
    return memory.live and not tells_event(memory)


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created, memory.id
