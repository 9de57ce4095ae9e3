"""Clusters: live memories of one scope that are about one subject, whenever they were said.

    memories of a PassContext -> clusters of 3 to 20, by the words that they share

Compared are the stems of what they say, the rarer a word the more it counts; numbers count
nothing. Each member holds a word that half of them hold, by which the subject can be named, and
more than one word that hardly anything but the cluster holds; without the word that most of them
hold the others still connect them all. Of two statements about different things that share a rare
word there are many, and a page about two subjects is worse than none. Names, what is written like
code and the units of numbers are no such words: one tool is named in much that has nothing else in
common. Left out are records of sessions, and more than twenty memories that no word tells apart.

Loose clusters are those of which a model is to say what belongs together: they need no more than
words in common, and most have members of several subjects. The order of the memories has no effect.
Pure.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import Literal, NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook
from engram.consolidate.linkage import Vector, cosine, linked_groups, total, unit
from engram.consolidate.summary_sources import LEAST_SOURCES
from engram.language.stem import stem
from engram.language.stop_words import LIGHT, TAG, is_german
from engram.model.entity_ids import is_entity_id
from engram.model.ids import is_memory_id
from engram.model.memory import SESSION, Memory, space_and_project
from engram.model.view import VaultView

#: members of a cluster at most
_MOST = 20
#: mean likeness of two groups that become one, and of a member to the others
_LINKED = _ALIKE = 0.12
#: the same of a loose cluster, where words that only one memory holds count nothing
_LOOSELY_LINKED = 0.05
#: mean likeness of two members of a cluster that leaves no doubt
_SURE = 2 * _ALIKE
#: the share of the members that hold a word which names the subject
_SHARE = 0.5
#: what the words of a member must tell together, and one of them at most: it takes two
_TOLD, _BY_ONE = 0.5, 0.4
#: the share of the members that are of one entity, whose page then tells of them
_OF_ENTITY = 0.8
#: added to the number of memories: how rare a word is must not hang on the size of a small vault
_OTHERS = 1_000
#: words that name no subject
_EMPTY = frozenset(stem(word) for word in TAG | LIGHT)
#: a token without the signs around it; what stands only in code; what ends a sentence
_CORE = re.compile(r"\w(?:.*\w)?")
_CODE = re.compile(r"[\d/\\_.@:#=]")
_ENDS = (".", "!", "?", ":")


class Cluster(NamedTuple):
    """Memories of one subject, oldest first.

    `likeness` is how sure that is: 0 to 1 by the mean likeness of two members; 1 where a model says
    that they belong together. `about` is the entity that at least four fifths of them are of; its
    page tells of them. Empty: of none.
    """

    memories: tuple[Memory, ...]
    likeness: float
    about: str = ""


class _Wording(NamedTuple):
    """The stems that tell what a memory is about, and how they are written."""

    words: frozenset[str]
    named: frozenset[str]
    plain: frozenset[str]


def clusters_of(context: PassContext, *, loose: bool = False) -> list[Cluster]:
    """The clusters of a vault, in the order of their oldest memories.

    In a run over what changed without a model those of the scopes in which something did: the
    others are as the run before found them.
    """
    changed = None if context.model is not None else _changed_scopes(context)
    scopes: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in sorted(context.view.live(), key=_age):
        if memory.schema != SESSION and memory.space != SESSION:
            scopes[space_and_project(memory)].append(memory)
    reader, book = _TokenReader(context.view), EntityBook(context)
    found = []
    for scope, notes in scopes.items():
        if changed is not None and scope not in changed:
            continue
        said = [reader.read(memory) for memory in notes]
        for memories, likeness in _grouped(notes, said, loose=loose):
            found.append(Cluster(tuple(memories), likeness, _entity(memories, book)))
    return sorted(found, key=lambda cluster: _age(cluster.memories[0]))


def _changed_scopes(context: PassContext) -> set[tuple[str, str]] | None:
    """The scopes of what changed, and of all that a page tells of it; None for every scope."""
    if context.changed is None:
        return None
    names = set(context.changed)
    for page in context.view.summaries():
        if page.id in names or not names.isdisjoint(page.consolidates):
            names.update(page.consolidates)
    found = {name: context.view.memory(name) for name in names}
    if any(memory is None and is_memory_id(name) for name, memory in found.items()):
        return None  # nobody knows where it was
    return {space_and_project(memory) for memory in found.values() if memory is not None}


def members_of(cluster: Cluster, names: Set[str], book: EntityBook) -> Cluster:
    """What is left of a cluster where a model says that only these memories belong together."""
    kept = tuple(memory for memory in cluster.memories if memory.id in names)
    return Cluster(kept, 1.0, _entity(kept, book))


def _grouped(
    notes: Sequence[Memory], said: Sequence[_Wording], *, loose: bool
) -> list[tuple[list[Memory], float]]:
    """The clusters of one scope and their likeness."""
    names = {word for one in said for word in one.named}
    names -= {word for one in said for word in one.plain}
    frequency = Counter(word for one in said for word in one.words)
    alike: dict[frozenset[str], list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        if loose:
            one = one._replace(words=frozenset(word for word in one.words if frequency[word] > 1))
        if loose or _most_told(one.words - names, frequency) >= _TOLD:
            alike[one.words].append(place)
    points = {words: places for words, places in alike.items() if len(places) <= _MOST}
    many = len(notes) + _OTHERS
    # in the order of the words: sums of the same weights are the same then
    vectors = [
        unit({word: math.log(many / frequency[word]) for word in sorted(words)}) for words in points
    ]
    members = list(points.values())
    found = []
    counts, least = list(map(len, members)), _LOOSELY_LINKED if loose else _LINKED
    for group in linked_groups(vectors, counts, least, _MOST):
        places = sorted((place, number) for number in group for place in members[number])
        own = [vectors[number] for _, number in places]
        kept = list(range(len(own))) if loose else _of_one_subject(own, frequency, names)
        if len(kept) >= LEAST_SOURCES:
            likeness = _likeness([own[at] for at in kept])
            found.append(([notes[places[at][0]] for at in kept], likeness))
    return found


def _likeness(vectors: Sequence[Vector]) -> float:
    """How sure it is that vectors of unit length are about one subject: 0 to 1."""
    whole, many = total(vectors), len(vectors)
    mean = (cosine(whole, whole) - many) / (many * (many - 1))
    return min(1.0, max(0.0, mean / _SURE))


def _most_told(words: Set[str], frequency: Mapping[str, int]) -> float:
    """What some words can tell at most, in a cluster of any size."""
    return sum(_told(min(frequency[word], _MOST), frequency[word]) for word in words)


def _told(held: int, all: int) -> float:
    """What a word tells that so many members hold, of so many memories."""
    return min(_BY_ONE, (held - 1) / all)


def _of_one_subject(
    vectors: Sequence[Vector], frequency: Mapping[str, int], names: Set[str]
) -> list[int]:
    """The places of those that are about one subject; empty when these are too few."""
    kept = list(range(len(vectors)))
    while len(kept) >= LEAST_SOURCES:
        held = Counter(word for at in kept for word in vectors[at])
        told = {
            word: _told(count, frequency[word])
            for word, count in held.items()
            if count > 1 and word not in names
        }
        subject = {word for word in told if held[word] >= max(LEAST_SOURCES, _SHARE * len(kept))}
        whole = total([vectors[at] for at in kept])
        left = [
            at for at in kept
            if subject & vectors[at].keys()
            and sum(told.get(word, 0.0) for word in vectors[at]) >= _TOLD
            and cosine(vectors[at], whole) - 1.0 >= _ALIKE * (len(kept) - 1)
        ]  # fmt: skip
        if left == kept:
            most = max(told, key=lambda word: (held[word], word))
            left = _connected(kept, vectors, told.keys() - {most})
            if left == kept:
                return kept
        kept = left
    return []


def _connected(places: Sequence[int], vectors: Sequence[Vector], words: Set[str]) -> list[int]:
    """The largest part of some places that these words connect; of equal ones the first."""
    waiting, best = list(places), list[int]()
    while waiting:
        found = [waiting.pop(0)]
        for one in found:
            near = [at for at in waiting if words & vectors[one].keys() & vectors[at].keys()]
            found += near
            waiting = [at for at in waiting if at not in near]
        best = max(best, found, key=len)
    return sorted(best)


class _Token(NamedTuple):
    """A piece of text without white space: its stems, and how it is written."""

    words: frozenset[str]
    style: Literal["plain", "capital", "code"]
    is_number: bool
    ends: bool


class _TokenReader:
    """What memories say; each token is looked at once."""

    def __init__(self, view: VaultView) -> None:
        self._view = view
        self._known: dict[str, _Token] = {}

    def read(self, memory: Memory) -> _Wording:
        """The words of a memory: title and statement."""
        words: set[str] = set()
        named: set[str] = set()
        plain: set[str] = set()
        for text in (memory.title, memory.text):
            capitals = not is_german(text)
            opening, counted = True, False
            for piece in text.split():
                token = self._known.get(piece) or self._token(piece)
                words |= token.words
                if counted or token.style == "code":
                    named |= token.words
                elif not capitals or token.style == "plain":
                    plain |= token.words
                elif not opening:  # at the beginning of a sentence a capital says nothing
                    named |= token.words
                opening, counted = token.ends, token.is_number
        return _Wording(frozenset(words), frozenset(named), frozenset(plain))

    def _token(self, piece: str) -> _Token:
        hit = _CORE.search(piece)
        core = hit[0] if hit is not None else ""
        found = self._view.terms(core) - _EMPTY
        words = frozenset(word for word in found if len(word) > 1 and not word[0].isdigit())
        style: Literal["plain", "capital", "code"] = "plain"
        if _CODE.search(core):
            style = "code"
        elif core[:1].isupper() and not core.isupper():
            style = "capital"
        made = _Token(words, style, core[:1].isdigit(), piece.endswith(_ENDS))
        self._known[piece] = made
        return made


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
