"""Candidate: one memory that extraction proposes, with its receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from engram.model.memory import scope_of

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant
    from engram.model.promotion import SpaceWish

Origin = Literal["rules", "model", "person"]
#: whose words a quote is: typed by the person, pasted by them, said by the agent, written by a
#: program on the person's line, held by another memory store, or said by another person
Voice = Literal["typed", "pasted", "agent", "program", "stored", "participant"]
#: whether the conversation says so, or not as it is told (another number, a denial), or not at all
Support = Literal["full", "doubted", "none"]
#: how far each is believed, 0..3; 2 is the project's own file, which only supports
TRUST: Mapping[Voice, int] = {
    "typed": 3, "participant": 1, "pasted": 1, "agent": 1, "stored": 1, "program": 0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Receipt:
    """Evidence of a candidate: the turn, and its words that say so, verbatim.

    `role` is who said it, `time` when; `link` is `[[transcript#^block]]` without the brackets.
    `local` and `guessed` are as in `Turn`.
    """

    message: str
    link: str
    quote: str
    role: str
    time: Instant
    local: str = field(default="", compare=False)
    guessed: bool = field(default=False, compare=False)

    @property
    def day(self) -> Day:
        """The day on which it was said, in the vault's time zone where that is known."""
        return (self.local or self.time)[:10]


class Appraisal(NamedTuple):
    """What a model thinks of its item: how long it lasts and how much it matters, -1, 0 or 1 each.

    `guessed` is 1 where it says itself that it only guesses.
    """

    lasting: int = 0
    useful: int = 0
    guessed: int = 0


NO_APPRAISAL = Appraisal()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposed memory.

    `text` stands alone (subjects named); `confidence` and `importance` are 0..1; `slot` names the
    subject and attribute whose value it sets (`user::editor`), empty when it sets none;
    `fields` are schema scalars for the header (`due`, `decision_state`, `severity`).
    """

    category: str
    text: str
    receipt: Receipt
    confidence: float
    importance: float = 0.5
    kind: Literal["episode", "note"] = "note"
    schema: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    project: str = ""
    space: str = "project"
    slot: str = ""
    valid_from: Day = ""
    fields: tuple[tuple[str, str], ...] = field(default=())
    authority: str = "ai_inferred"
    origin: Origin = "rules"
    rule: str = ""
    #: ids of memories this one replaces, when the extractor (or the person) named them
    supersedes: tuple[str, ...] = ()
    #: the known memory that is only said again, or was carried out; it brings no other statement
    confirms: str = ""
    fulfils: str = ""
    #: the turn's message corrects an earlier statement
    corrects: bool = False
    #: whose words the quote is
    voice: Voice = "typed"
    #: the whole sentences of the turn in which the quote stands, on one line
    sentence: str = ""
    #: receipts beside the first: the agent's option that the person took, or the words in which
    #: the person agreed to what the agent proposed
    also: tuple[Receipt, ...] = ()
    #: what the model that proposes it thinks of it; nothing of what rules propose
    appraisal: Appraisal = NO_APPRAISAL
    #: the code with which the extractor itself refuses it; empty for a valid candidate
    fault: str = ""
    #: how far what a model was shown supports it
    support: Support = "full"
    #: of a record: heading and text of its sections, the files that it is about, its other names
    sections: tuple[tuple[str, str], ...] = ()
    related_files: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    #: the space in which the person asked for it to hold, and the words that ask
    wish: SpaceWish | None = None
    #: the space that it comes from, of a memory that the rules of promotion let out of there
    leaves: str = ""

    @property
    def conversation(self) -> str:
        """The transcript that its receipt points into; empty without one."""
        return self.receipt.link.partition("#")[0]

    @property
    def scope(self) -> str:
        """The scope of its content hash."""
        return scope_of(self.space, self.project, self.entities, self.conversation)

    @property
    def in_own_words(self) -> bool:
        """Whether its words are the person's: asked to be remembered, or typed."""
        return self.origin == "person" or TRUST[self.voice] == TRUST["typed"]

    @property
    def is_guess(self) -> bool:
        """Whether its words are an agent's, pasted, or a program's: nobody vouches for them."""
        return self.origin != "person" and self.voice in ("agent", "pasted", "program")

    @property
    def wanted(self) -> bool:
        """Whether it is kept as it stands: asked to be remembered, or held somewhere already."""
        held = self.voice == "stored" or bool(self.leaves)
        return self.origin == "person" or held or (self.wish is not None and self.in_own_words)
