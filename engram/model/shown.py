"""What a vault shows by name: files, turns, the origin of a memory, entities, changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.trace import UNDONE, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engram.model.change import Event
    from engram.model.instant import Day, Instant
    from engram.model.item import MemoryItem
    from engram.model.memory import Memory
    from engram.model.step import Page
    from engram.model.tier import Retention
    from engram.model.turn import Turn


class SourceStep(NamedTuple):
    """What made a memory: rules, model, person, consolidation or hand (a file); by which rule.

    Empty where the log does not know.
    """

    origin: str = ""
    rule: str = ""


class ShownFile(NamedTuple):
    """A memory or page, and the text of its file as it is on disk.

    `sha256` is that of a memory's bytes: who edits it says which version was read. `retention` is
    that of a memory before it was shown.
    """

    content: Memory | Page
    text: str
    step: SourceStep = SourceStep()
    sha256: str = ""
    retention: Retention | None = None


class LifeLine(NamedTuple):
    """A sentence of a memory's life, its local day, and the transaction that it tells of (or 0)."""

    day: Day
    number: int
    text: str


class MemoryOrigin(NamedTuple):
    """Where a memory came from: its receipts as the transcripts show them, and all its events.

    `retention` is that before it was asked about, `life` the same in sentences, oldest first.
    `places` has for each receipt the transcript (empty where none shows it) and the line in it that
    holds the quote.
    """

    memory: Memory
    receipts: tuple[tuple[str, str, str, str], ...]
    events: tuple[tuple[int, Instant, Event], ...]
    step: SourceStep
    retention: Retention | None = None
    life: tuple[LifeLine, ...] = ()
    places: tuple[tuple[str, int], ...] = ()


def source_step(events: Iterable[Event]) -> SourceStep:
    """What made the memory of these events, oldest first; the last time, if it was made again."""
    found = SourceStep()
    for event in events:
        details = dict(event.details)
        if event.name == WRITE and details.get("reason") != UNDONE:
            # what a consolidation wrote has its pass in place of a rule
            rule = details.get("rule", "") or details.get("task", "")
            found = SourceStep(details.get("origin", ""), rule)
        elif event.name == "hand_edit" and details.get("what") == "created":
            found = SourceStep("hand")
        elif event.name == "consolidated" and not found.origin:
            found = SourceStep("consolidation", details.get("task", ""))
    return found


class Refusal(NamedTuple):
    """A candidate that became no memory: when, why, by what, and the link of its turn.

    `factors` are the numbers of its score; `said` is what the turn says now, empty where it was
    forgotten or purged, or where the code keeps it from being shown.
    """

    number: int
    time: Instant
    code: str
    origin: str
    rule: str
    link: str
    factors: tuple[tuple[str, int], ...]
    said: str = ""


class GivenTo(NamedTuple):
    """One time that a memory was given: to whom, in which session, how, why, and for what.

    `how` and `why` are the codes of the access log; `summary` is the page that told it in its
    place. `link` is the turn whose words `question` are, if they are those of a turn; both are
    empty where it was forgotten, purged or not captured.
    """

    time: Instant
    by: str
    session: str
    how: str
    why: tuple[str, ...]
    summary: str = ""
    link: str = ""
    question: str = ""


class ShownTurn(NamedTuple):
    """One turn by name: its link, the transcript that shows it (relative), and from which line."""

    link: str
    file: str
    line: int
    turn: Turn


class ShownSession(NamedTuple):
    """A conversation: its transcript (relative), its turns, and the items of its short-term memory.

    All oldest first; of the items a summary of what was said before stands first.
    """

    name: str
    file: str
    items: tuple[MemoryItem, ...]
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One line of the list: `memories` are live ones, `last` the day of the newest."""

    id: str
    type: str
    name: str
    memories: int
    last: Day
    file: str


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """One line of the log. `undone` is whether it is out of force at present.

    `subjects` are the memories that a person's own change was about, without purged ones.
    """

    number: int
    time: Instant
    kind: str
    batch: str
    changes: int
    left: tuple[str, ...]
    undoes: tuple[int, ...]
    undone: bool
    subjects: tuple[str, ...] = ()


class EditDraft(NamedTuple):
    """A memory that a person is about to edit: its bytes, and where their copy may lie."""

    memory: Memory
    before: bytes
    copy: Path
