"""Hit, answers, matching line, context block and document: what questions and an index exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Collection as Some
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from engram.model.ids import message_digest

if TYPE_CHECKING:
    from engram.model.answer import ReasonedAnswer
    from engram.model.instant import Day
    from engram.model.tier import MemoryTier

#: pages are boxes, entities and summaries
Collection = Literal["memories", "turns", "pages"]

#: parts of a score: what words give that stand for those asked for, and what the conversation does
RELATED, BEGUN = "related words", "words that begin like it"
STANDING_IN, WHOLE_CONVERSATION = (RELATED, BEGUN), "conversation"
#: the most turns of a conversation before its places overlap with another's
ORDINALS = 1 << 20
_CONVERSATIONS = 1 << 43


def place_in(transcript: str, ordinal: int) -> int:
    """Place of a turn as one number: neighbours in a conversation differ by 1; above 0.

    `ordinal` counts from 1. Conversations are far apart; two share a number once in 10^13.
    """
    name = int(message_digest("place", transcript), 16) % _CONVERSATIONS + 1
    return name * ORDINALS + min(max(ordinal, 1), ORDINALS - 3) + 1


class Document(NamedTuple):
    """One searchable thing: a memory, a turn, or a page. `key` is unique in its collection.

    `day` is when it was said, `speaker` who said it by name, `place` where a turn stands;
    `sections` is the text below the headings of a record, which counts less than its statement.
    """

    key: str
    collection: Collection
    title: str
    body: str
    day: Day = ""
    speaker: str = ""
    place: int = 0
    sections: str = ""


class Hints(NamedTuple):
    """Parts of a query beside its words.

    `prefixes` are beginnings of words; `spans` are days that it names (first, last), which count
    more; only what lies from `since` and before `before` is found. `when`: it asks for a time;
    `named`: for who, where or which. `related`: words that mean nearly the same are looked for too.
    """

    prefixes: tuple[str, ...] = ()
    spans: tuple[tuple[Day, Day], ...] = ()
    since: Day = ""
    before: Day = ""
    when: bool = False
    named: bool = False
    related: bool = True


#: filter: which of some keys, in order of their scores, may be found
Admit = Callable[[list[str]], Some[str]]


class Found(NamedTuple):
    """One raw answer of a Finder: best first, `score` comparable within one query only.

    `parts` name what the score is made of; `instead` are terms that stand in it for others that
    were asked for, which a part of the kind RELATED or BEGUN counts.
    """

    key: str
    collection: Collection
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    instead: tuple[str, ...] = ()

    @property
    def by_others(self) -> bool:
        """Whether no word of the question stands in it or near it, only such as stand for one."""
        return bool(self.instead) and all(
            name == WHOLE_CONVERSATION or name.startswith(STANDING_IN) for name, _ in self.parts
        )


class TurnBeside(NamedTuple):
    """The turn before or after one that was found: its link, and a line of its words.

    `category` is its role, `created` when it was said, `speaker` who said it where that is known.
    """

    id: str
    category: str
    created: str
    snippet: str
    speaker: str = ""


class Hit(NamedTuple):
    """One answer for a person or a program (design 6: the shape of `search --json`).

    `docid` is `#` and six hex digits; `file` is relative to the vault; `line` is 1-based.
    `why` says in words how the score came about; `spans` are (start, end) offsets of the matches
    in `snippet`. `section` is the heading of the section that the snippet is of, if any; `tier` is
    that of a memory, empty for all else.
    Of a turn, where that is asked for: `before` and `after` are its neighbours, if they may be
    shown; `more` counts the turns of its conversation that match too, for the last hit of it.
    `date_guessed`: `created` is no day on which it is known to have been said.
    """

    docid: str
    score: float
    file: str
    line: int
    title: str
    snippet: str
    id: str
    collection: Collection
    category: str = ""
    status: str = ""
    created: str = ""
    project: str = ""
    source: str = ""
    why: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    section: str = ""
    tier: MemoryTier | Literal[""] = ""
    before: TurnBeside | None = None
    after: TurnBeside | None = None
    more: int = 0
    date_guessed: bool = False


@dataclass(frozen=True, slots=True)
class Answers(Sequence[Hit]):
    """What a search found: a sequence of hits, memories first, then turns, then pages.

    `behind` says that hand edits were not all taken up. `meant` are words to try instead when
    nothing holds those of the query; `inexact`: no phrase was found as such; `other_words`: no
    memory and no turn holds a word of the query, only such as stand for one; `words_alone`: why
    no vectors were looked at, where there is a model for them.
    """

    memories: list[Hit] = field(default_factory=list)
    turns: list[Hit] = field(default_factory=list)
    pages: list[Hit] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)
    behind: bool = False
    inexact: bool = False
    other_words: bool = False
    words_alone: str = ""

    @property
    def hits(self) -> list[Hit]:
        """All of them in that order (design 6)."""
        return [*self.memories, *self.turns, *self.pages]

    def __len__(self) -> int:
        """How many hits there are."""
        return len(self.memories) + len(self.turns) + len(self.pages)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...

    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        """A hit by its rank, or several."""
        return self.hits[place]


class MatchingLine(NamedTuple):
    """A matching line: its 1-based number, its (cut) text, and (start, end) offsets in that."""

    number: int
    text: str
    spans: tuple[tuple[int, int], ...]


class RulesBlock(NamedTuple):
    """The lines of a block for a file of rules; `shown` are the ids of the memories in it."""

    lines: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    left_out: int = 0


class HistoryStep(NamedTuple):
    """A memory in a chain of replacements: its words, from when to when it was true, and why not
    any longer. `until` is empty for what still is, `reason` for what was not replaced."""

    id: str
    text: str
    status: str
    since: Day
    until: Day
    reason: str


class ContextBlock(NamedTuple):
    """`shown` are the ids of the memories in `text`, in order; `left_out` counts the others.

    What is given unasked counts only those that were looked at. `answer` is what a question of time
    is answered with, None for others; `text` begins with it where there is room. `history` has the
    chain of each memory in `shown` that has one; None where nobody asked for it.
    """

    text: str = ""
    shown: tuple[str, ...] = ()
    left_out: int = 0
    answer: ReasonedAnswer | None = None
    history: tuple[tuple[str, tuple[HistoryStep, ...]], ...] | None = None

    @property
    def used_tokens(self) -> int:
        """What it takes of the budget."""
        from engram.model.text import tokens_of

        return tokens_of(self.text, typical=True)
