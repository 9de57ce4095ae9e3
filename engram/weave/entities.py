"""Entity page: memories about an entity and its page so far -> the new page (a pure fold).

The timeline holds every memory but those that were retired, the activity their changes of status,
the relations who and what is named with it; all of it is computed anew, so that the same memories
give the same page. The name is the most frequent spelling, the aliases only grow. The synthesis is
the person's where they wrote one, else what a model wrote of the same timeline, else a line that
says who or what it is and the newest active statements verbatim; nothing is generated here. Lines
in which a person links to something else than a memory stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from engram.language.proper_names import mentioned_in, proper_names
from engram.language.spelling import preferred, spellings
from engram.model.entity import NAMES_FIELD, Entity
from engram.model.entity_ids import entity_id, is_entity_id, stem_of, type_of
from engram.model.ids import is_memory_id, slug
from engram.model.instant import Day, day_of
from engram.model.markdown import inert_line, neutralise
from engram.model.memory import Memory
from engram.model.text import first_line

#: lifecycle spec 1.4
MOST_ACTIVITY = 20
#: statements in place of a synthesis, and characters of each
_LISTED, _LISTED_WIDTH = 5, 240
#: the newest memories decide on the spelling of the name
_READ_FOR_NAME = 200
#: where the spelling of a name is looked for, in turn
_SPELT_IN: tuple[Callable[[Memory], str], ...] = (
    lambda memory: memory.text,
    lambda memory: memory.extras.get(NAMES_FIELD, ""),
    lambda memory: memory.quote,
)
#: how many memories must name both for a relation that none states
_TOGETHER, _MOST_TOGETHER = 2, 20
_TOGETHER_LABEL = "named together"
_LONGEST_LABEL = 4
#: the sources of a line: (field of its link, ...)
Line = tuple[str, str, str]


def fold(
    identifier: str,
    memories: Iterable[Memory],
    former: Entity | None = None,
    aliases: Sequence[str] = (),
    lead: Callable[[str], str] = str,
    said: str = "",
) -> Entity:
    """The page of an entity; its synthesis is a list, unless the person's or a model's holds.

    `memories` link to the entity or to one that was merged into it, `aliases` are names that lead
    here from now on, `lead` resolves the id of an entity, `said` is a model's synthesis.
    """
    everything = {memory.id: memory for memory in memories}
    told = sorted(
        (memory for memory in everything.values() if memory.status != "retired"),
        key=lambda memory: (memory.created, memory.id),
    )
    former = former or Entity(identifier, type_of(identifier), "")
    ids = set(everything)
    known = {identifier, *filter(is_entity_id, (*former.aliases, *aliases))}
    name = _name(identifier, told, former, known)
    entity = replace(
        former,
        id=identifier,
        name=name,
        aliases=_aliases((*former.aliases, *aliases), {identifier, name, ""}),
        timeline=_with_own(_timeline(told), former.timeline, ids, 1),
        relations=_with_own(_relations(told, known, lead), former.relations, ids, 2),
        activity=_with_own(_activity(told), former.activity, ids, 1, newest_first=True),
    )
    if former.synthesis_by == "person":
        return entity
    if not said and former.synthesis_by == "model" and entity.timeline == former.timeline:
        return entity
    synthesis = neutralise(said or _listed(entity, told, known, lead))
    by = ("model" if said else "listed") if synthesis else ""
    return replace(entity, synthesis=synthesis, synthesis_by=by)


def _listed(
    entity: Entity, memories: Sequence[Memory], known: Iterable[str], lead: Callable[[str], str]
) -> str:
    """Who or what it is, and the newest active statements, one a line."""
    active = [memory for memory in memories if memory.status == "active"]
    active.sort(key=lambda memory: (_day(memory), memory.created, memory.id), reverse=True)
    lines: dict[str, None] = {}
    for memory in active:
        lines[inert_line(first_line(memory.text, _LISTED_WIDTH))] = None
        if len(lines) == _LISTED:
            break
    if not any(memory.live for memory in memories):
        return ""
    role = next(filter(None, (_role(one, known, lead) for one in active)), "")
    last = max(day_of(memory.created) for memory in memories)
    listed = ["", *(f"- {line}" for line in lines)] if lines else []
    return "\n".join([_described(entity.type, role, last), *listed])


def _described(type: str, role: str, last: Day) -> str:
    """`Person: the user's sister. Last spoken of on 2026-03-06.`"""
    kind = "" if type == "other" else type.capitalize()
    told = ": ".join(filter(None, (kind, inert_line(role))))
    spoken = f"Last spoken of on {last}." if last else ""
    return " ".join(filter(None, (told and f"{told[0].upper()}{told[1:]}.", spoken)))


def _role(memory: Memory, known: Iterable[str], lead: Callable[[str], str]) -> str:
    """The relation that a memory states of an entity: `the user's sister`, `sister of Jonas`."""
    own = set(known)
    roles = (one.role for one in proper_names(memory.text) if one.role and lead(one.id) in own)
    found = next(roles, "")
    return found if " of " in found or not found else f"the user's {found}"


def _day(memory: Memory) -> str:
    """`valid_from` of a memory, or the day it was created."""
    return memory.valid_from or day_of(memory.created)


def _timeline(memories: Iterable[Memory]) -> list[Line]:
    """`(day, memory, first line)`, oldest first; what no longer holds is marked.

    A memory without a day is left out.
    """
    told = sorted(
        filter(_day, memories), key=lambda memory: (_day(memory), memory.created, memory.id)
    )
    lines = []
    for memory in told:
        mark = "" if memory.live else f" ({memory.status})"
        lines.append((_day(memory), memory.id, inert_line(first_line(memory.text) + mark)))
    return lines


def _activity(memories: Iterable[Memory]) -> list[Line]:
    """`(day, memory, what happened)`, newest first."""
    events = []
    for memory in memories:
        if memory.created:
            events.append((memory.created, memory.id, "learnt"))
        if memory.status != "active" and memory.status_since:
            events.append((memory.status_since, memory.id, memory.status.replace("-", " ")))
    events.sort(reverse=True)
    return [(day_of(time), name, note) for time, name, note in events[:MOST_ACTIVITY]]


def _relations(
    memories: Iterable[Memory], known: Iterable[str], lead: Callable[[str], str]
) -> list[Line]:
    """`(entity, label, memory)`: what relationship memories state, then frequent company.

    The newest statement counts, and of memories that merely name both the first.
    """
    mine = set(known)
    stated: dict[str, Line] = {}
    together: defaultdict[str, list[str]] = defaultdict(list)
    for memory in memories:
        if memory.status != "active":
            continue
        for name in mentioned_in(memory):
            other = lead(name)
            if name in mine or other in mine or not is_entity_id(other):
                continue
            together[other].append(memory.id)
            if memory.category == "relationship":
                stated[other] = (other, _label(memory.text, mine, name), memory.id)
    often = sorted(
        (other for other, ids in together.items() if other not in stated and len(ids) >= _TOGETHER),
        key=lambda other: (-len(together[other]), other),
    )
    merely = [(other, _TOGETHER_LABEL, together[other][0]) for other in often[:_MOST_TOGETHER]]
    return [*(stated[other] for other in sorted(stated)), *sorted(merely)]


def _label(text: str, mine: Iterable[str], other: str) -> str:
    """The words between two names, else the whole statement."""
    own = spellings([text], sorted(map(stem_of, mine)))
    others = spellings([text], [stem_of(other)])
    for name in sorted(own, key=text.find):
        for named in sorted(others, key=text.find):
            _, _, rest = text.partition(name)
            words, found, _ = rest.partition(named)
            if found and 0 < len(words.split()) <= _LONGEST_LABEL and words.isascii():
                label = " ".join(words.split())
                if re.fullmatch(r"[A-Za-z' -]+", label):
                    return label.removesuffix(" the").removesuffix(" a")
    return inert_line(first_line(text))


def _with_own(
    made: list[Line],
    former: Sequence[Line],
    ids: set[str],
    place: int,
    *,
    newest_first: bool = False,
) -> tuple[Line, ...]:
    """The lines merged with those of the person, which link to no memory of ours.

    `place` is the index of the link in a line.
    """
    own = [line for line in former if line[place] not in ids and not is_memory_id(line[place])]
    if not own:
        return tuple(made)
    if place == 2:
        there = {line[0] for line in made}
        return (*made, *(line for line in own if line[0] not in there))
    # a stable sort: the program's lines of one day stay in their order
    return tuple(sorted([*made, *own], key=lambda line: line[0], reverse=newest_first))


def _name(identifier: str, memories: Sequence[Memory], former: Entity, known: Iterable[str]) -> str:
    """The most frequent spelling, unless the person gave another name."""
    stems = [stem_of(one) for one in sorted(known)]
    if former.name and slug(former.name) not in stems and not _is_spelling(former.name, known):
        return former.name
    for words in _SPELT_IN:
        if found := spellings(map(words, memories[-_READ_FOR_NAME:]), stems):
            return preferred(found, former.name)
    return former.name or _made_name(identifier)


def _is_spelling(name: str, known: Iterable[str]) -> bool:
    return any(entity_id(name, type_of(one)) == one for one in known)


def _made_name(identifier: str) -> str:
    """A name made from the id, where no text spells one."""
    words = stem_of(identifier).replace("-", " ")
    return words if type_of(identifier) in ("tool", "other") else words.title()


def _aliases(names: Iterable[str], taken: set[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name not in taken)
