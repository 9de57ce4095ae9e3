"""Entity: a person, project, tool, company or place that memories name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.model.instant import Day

#: header field of a memory: names of its entities that its text does not spell
NAMES_FIELD = "names"
TYPES = ("person", "project", "tool", "company", "place", "other")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as its file says it; `id` is `<type>-<slug>` and the stem of its file.

    `aliases` are other names and former ids that lead here. `synthesis` says what holds now:
    `listed` of the newest active memories, written by a `model`, or by the `person`, whose words
    stay. `timeline` holds `(day, memory id, first line)` oldest first, `relations`
    `(entity id, label, memory id)`, `activity` `(day, memory id, note)` newest first: each says by
    its memory where it comes from. `merged_into` is the id of the entity that a fragment became
    part of.
    """

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    synthesis: str = ""
    synthesis_by: str = ""
    timeline: tuple[tuple[Day, str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    activity: tuple[tuple[Day, str, str], ...] = ()
    merged_into: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """Names of an entity, by which two can be found to be one.

    `names` are spellings and aliases, `memories` how many live ones link to it, `paged` whether it
    has a page.
    """

    id: str
    names: tuple[str, ...] = ()
    memories: int = 0
    paged: bool = False
