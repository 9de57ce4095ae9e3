"""What was taken in: turns, extractions, imports, and the transcripts of a machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.ports.outside import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engram.model.instant import Day
    from engram.model.memory import Memory
    from engram.model.turn import Turn


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What `take_in` did: how many turns were new, what was redacted, which numbers they got.

    Of the turns that an undo had taken back, `returned` are here again, `withheld` were left out.
    """

    new: int = 0
    redactions: int = 0
    first: int = 0
    last: int = 0
    transcripts: tuple[str, ...] = ()
    batch: str = ""
    returned: int = 0
    withheld: int = 0


@dataclass(slots=True)
class ExtractionResult:
    """What `extract` did, summed over its transactions."""

    turns: int = 0
    memories: int = 0
    confirmed: int = 0
    superseded: int = 0
    #: records of which more is known since
    updated: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    #: transcripts whose extraction failed, and those that wait for a model or a new budget
    failed: int = 0
    postponed: int = 0
    #: why they wait: a code, and words for the person
    reason: str = ""
    message: str = ""
    hint: str = ""
    transactions: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Removed:
    """How much was kept out: private parts, turns off the record (questions and answers), turns of
    our own questions to a model, and turns in excluded folders and projects."""

    private: int = 0
    off_record: int = 0
    own: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class NotesFound:
    """Files of notes by the folder that they lie in, relative to the one that was named.

    `left_out` has what is not read, by the reason: a folder stands for all that lies in it.
    `unasked` are repositories of which it is not known what git ignores.
    """

    files: Mapping[str, Sequence[Path]]
    left_out: Mapping[str, Sequence[Path]]
    unasked: tuple[Path, ...] = ()

    @property
    def count(self) -> int:
        """How many files are read."""
        return sum(map(len, self.files.values()))


@dataclass(slots=True)
class ImportReport:
    """What an import read and took in; `problems` are `(file name, what is wrong)`.

    Of the turns that an undo had taken back, `returned` are here again, `withheld` were left out.
    """

    files: int = 0
    turns: int = 0
    user_turns: int = 0
    assistant_turns: int = 0
    queued_turns: int = 0
    new_turns: int = 0
    returned: int = 0
    withheld: int = 0
    redactions: int = 0
    excluded: int = 0
    sessions: set[str] = field(default_factory=set)
    transcripts: dict[str, None] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    removed: Removed = field(default_factory=Removed)
    problems: list[tuple[str, str]] = field(default_factory=list)
    batch: str = ""


#: the command that finds a memory: by a question, or by words
FindVerb = Literal["recall", "search"]


class Learnt(NamedTuple):
    """The memories that an import wrote and that are in use, best first; a command that finds one.

    `verb` is "recall" with a question or "search" with words in `asked`; `asked` is empty where
    neither finds one.
    """

    memories: Sequence[Memory] = ()
    verb: FindVerb = "recall"
    asked: str = ""


@dataclass(slots=True)
class SourceStock:
    """What lies at the places of a source. `complete` is False when there was too much to count."""

    source: str
    verified: Day
    files: int = 0
    bytes: int = 0
    #: the days on which the oldest and the newest file were last written
    first: Day = ""
    last: Day = ""
    complete: bool = True


@dataclass(slots=True)
class SourceCheck:
    """What was found by reading the transcripts of one source; `problems` are `(file, why)`."""

    source: str
    verified: Day
    files: int = 0
    user_turns: int = 0
    assistant_turns: int = 0
    tally: Tally = field(default_factory=Tally)
    problems: list[tuple[str, str]] = field(default_factory=list)


class ReadFile(NamedTuple):
    """A file as an import keeps it: its turns clean and redacted, and whether that is all of it.

    `removed` are the words of the file that stand in none of the turns.
    """

    turns: list[Turn]
    complete: bool
    removed: frozenset[str]
