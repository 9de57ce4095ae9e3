"""Clusters: live memories of one scope that are about one subject, whenever they were said.

    memories of a PassContext -> clusters of 3 to 20, by the words that they share

Compared are the stems of what they say, the rarer a word the more it counts; numbers count
nothing. A cluster has a subject that can be named: a word that most of its members hold, and that
is not only a name; who does not hold it, or is not like the others, is left out. Pages of two
subjects are worse than none, so that what shares few words stays alone. Left out are records of
sessions, and more than twenty memories that no word tells apart. The order of the memories has
no effect. Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engram.consolidate.candidate_pairs import scope
from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook
from engram.consolidate.linkage import Vector, cosine, linked_groups, total, unit
from engram.language.stem import stem
from engram.language.stop_words import LIGHT, TAG
from engram.model.entity_ids import is_entity_id
from engram.model.memory import SESSION, Memory
from engram.model.view import VaultView

#: members of a cluster
LEAST, MOST = 3, 20
#: mean likeness of two groups that are one, and of a member to the others
_LINKED, _ALIKE = 0.10, 0.12
#: the share of the members that a word must be held by to name the subject
_SHARE = 0.6
#: the share of the members that are of one entity, whose page then tells of them
_OF_ENTITY = 0.8
#: added to the number of memories: how rare a word is must not hang on the size of a small vault
_OTHERS = 1_000
#: words that name no subject
_EMPTY = frozenset(stem(word) for word in TAG | LIGHT)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_ENDED = re.compile(r"(?:^|[.!?:]\s+|\n\s*)\W*$")


class Cluster(NamedTuple):
    """Memories of one subject, oldest first.

    `likeness` is the mean likeness of the members to their centre, 0 to 1. `about` is the entity
    that at least four fifths of them are of; its page tells of them. Empty: of none.
    """

    memories: tuple[Memory, ...]
    likeness: float
    about: str = ""


def clusters_of(context: PassContext) -> list[Cluster]:
    """The clusters of a vault, in the order of their oldest memories."""
    scopes: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in context.view.live():
        if memory.schema != SESSION and memory.space != SESSION:
            scopes[scope(memory)].append(memory)
    book = EntityBook(context)
    found = [
        Cluster(tuple(memories), likeness, _entity(memories, book))
        for some in scopes.values()
        for memories, likeness in _grouped(sorted(some, key=_age), context.view)
    ]
    return sorted(found, key=lambda cluster: _age(cluster.memories[0]))


def _grouped(notes: Sequence[Memory], view: VaultView) -> list[tuple[list[Memory], float]]:
    """The clusters of one scope and their likeness."""
    if len(notes) < LEAST:
        return []
    said = [_words(memory, view) for memory in notes]
    alike: dict[frozenset[str], list[int]] = defaultdict(list)
    for place, words in enumerate(said):
        alike[words].append(place)
    points = [places for words, places in alike.items() if words and len(places) <= MOST]
    weights = _weights(said)
    vectors = [unit({word: weights[word] for word in said[places[0]]}) for places in points]
    names = _names(notes, view)
    found = []
    for group in linked_groups(vectors, [len(places) for places in points], _LINKED, MOST):
        members = sorted((place, number) for number in group for place in points[number])
        kept = _of_one_subject([vectors[number] for _, number in members], names)
        if kept:
            own = total([vectors[members[at][1]] for at in kept])
            likeness = min(1.0, math.hypot(*own.values()) / len(kept))
            found.append(([notes[members[at][0]] for at in kept], likeness))
    return found


def _words(memory: Memory, view: VaultView) -> frozenset[str]:
    """The stems that tell what a memory is about."""
    found = view.terms(f"{memory.title}\n{memory.text}") - _EMPTY
    return frozenset(word for word in found if len(word) > 1 and not word[0].isdigit())


def _weights(said: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """How much each word tells: the fewer memories hold it, the more."""
    frequency = Counter(word for words in said for word in words)
    many = len(said) + _OTHERS
    return {word: math.log(many / count) for word, count in frequency.items()}


def _of_one_subject(vectors: Sequence[Vector], names: frozenset[str]) -> list[int]:
    """The places of those that are about one subject; empty when these are too few."""
    kept = list(range(len(vectors)))
    while len(kept) >= LEAST:
        held = Counter(word for at in kept for word in vectors[at])
        many = max(LEAST, _SHARE * len(kept))
        subject = {word for word, count in held.items() if count >= many} - names
        whole = total([vectors[at] for at in kept])
        left = [
            at for at in kept
            if subject & vectors[at].keys()
            and cosine(vectors[at], whole) - 1.0 >= _ALIKE * (len(kept) - 1)
        ]  # fmt: skip
        if left == kept:
            return kept
        kept = left
    return []


def _names(notes: Sequence[Memory], view: VaultView) -> frozenset[str]:
    """The stems that are written with a capital within sentences and nowhere else."""
    capital: set[str] = set()
    small: set[str] = set()
    for memory in notes:
        for hit in _WORD.finditer(memory.text):
            word = hit[0]
            if word[0].islower():
                small.add(word)
            elif word[1:].islower() and not _ENDED.search(memory.text, 0, hit.start()):
                capital.add(word)
    return frozenset(_stems(capital, view) - _stems(small, view))


def _stems(words: set[str], view: VaultView) -> frozenset[str]:
    return view.terms(" ".join(sorted(words)))


def _entity(memories: Sequence[Memory], book: EntityBook) -> str:
    """The entity that most of some memories are of; empty when there is none."""
    named = Counter(
        one for memory in memories
        for one in {book.lead(name) for name in memory.entities if is_entity_id(name)}
    )  # fmt: skip
    often = [(-count, one) for one, count in named.items() if count >= _OF_ENTITY * len(memories)]
    return min(often)[1] if often else ""


def _age(memory: Memory) -> tuple[str, str]:
    return memory.created, memory.id
