"""Step of a consolidation: changes that one pass proposes, as values; the Writer makes files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.authority import Rung
from engram.model.box import Box
from engram.model.entity import Entity
from engram.model.summary import Summary

if TYPE_CHECKING:
    from engram.model.change import Change, Event
    from engram.model.instant import Instant
    from engram.model.memory import Memory

#: content with a file of its own, beside memories
Page = Box | Entity | Summary

Relation = Literal["same", "supersedes", "contradicts", "extends", "unrelated"]


class Opinion(NamedTuple):
    """A judge's opinion about an older and a newer memory.

    `sure`: it may be acted upon; an unsure one is at most a question to the person. `partial`: only
    a part of the older one is replaced, so that it stays. `code` is stable and safe to log; `why`
    is one phrase for a person.
    """

    relation: Relation
    sure: bool = False
    partial: bool = False
    code: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """How often a memory was read by a person or an agent, when last, and on how many days."""

    count: int = 0
    last: Instant = ""
    days: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One change, whole or not at all, that can be undone by itself.

    `task` names the pass and `action` what it does (`merge`, `archive`); `subjects` are the ids
    concerned, the survivor first; `why` is one phrase for a person. `amended` and `pages` hold
    `(before, after)`; None is a page that is not there. `prose` are plain pages as bytes. `events`
    are logged beside the step's own. `notes` are for the person who looks on, in the words of the
    memories: nothing logs them. `rung` is that of the ladder by which the newer of two statements
    stands, where they cannot both hold.
    """

    task: str
    action: str
    subjects: tuple[str, ...]
    why: str
    born: tuple[Memory, ...] = ()
    amended: tuple[tuple[Memory, Memory], ...] = ()
    pages: tuple[tuple[Page | None, Page | None], ...] = ()
    prose: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    notes: tuple[str, ...] = ()
    rung: Rung | None = None
