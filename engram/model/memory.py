"""Memory: what was admitted and has a file, and the closed lists its header may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engram.model.instant import local_day, minutes_between

if TYPE_CHECKING:
    from engram.model.instant import Day, Instant

#: seed 003, in display order
CATEGORIES = (
    "correction", "principle", "preference", "commitment", "decision",
    "relationship", "entity", "moment", "skill", "fact",
)  # fmt: skip
STATUSES = ("active", "needs-review", "superseded", "retired", "archived", "expired")
#: what search covers unless asked for more (design 5.20)
LIVE = frozenset({"active", "needs-review"})
#: the folder of what is archived, and of what was retired long ago
ARCHIVE = "archive"
#: of the header's `decision_state`: until the person agreed, and since
DECISION_STATES = ("proposed", "accepted")
#: the header key with the day on which a commitment or a plan was carried out
FULFILLED = "fulfilled"
#: the header key of the day on which the person forgot it and wanted it never to be learnt again
NEVER_AGAIN = "never_again"
SPACES = ("session", "user", "project", "system")
#: a session in which nothing was said for so long is over, hours
SESSION_HOURS = 24
#: these become needs-review at `expires`, the rest expires (design 5.12)
PROTECTED = frozenset({"decision", "preference", "principle"})

#: the values that the header key `schema` may have (`model.schemas` has their table)
SCHEMAS = ("session", "decision", "runbook", "constraint", "tech_debt", "preference")
#: those whose category says the schema already; the program leaves the key out
SCHEMAS_BY_CATEGORY = frozenset(["decision", "preference"])
#: the schema of the record of a conversation: it tells where that stopped, and is no fact
SESSION = "session"

#: header keys with the state of a promise: our own (records 9), and a person's
_STATES = ("commitment_state", "debt_state", "state", "outcome")
#: tags, and values of the state, that close a promise
_CLOSING_TAGS = frozenset(["fulfilled", "expired", "done", "cancelled", "canceled", "completed"])
_CLOSED = _CLOSING_TAGS | frozenset(
    [
        "abandoned",
        "closed",
        "dropped",
        "fixed",
        "kept",
        "obsolete",
        "resolved",
        "wont_fix",
        "wontfix",
    ]
)

Tier = Literal["explicit", "implied", "inferred", "speculative"]
#: to whom a memory may be given; `recall.audience` decides it
Audience = Literal["everyone", "project", "person", "nobody"]
Confidence = Literal["low", "medium", "high"]
Level = Literal["trivial", "low", "normal", "high", "critical"]
LEVELS: tuple[Level, ...] = ("trivial", "low", "normal", "high", "critical")

#: seed 003: confidence below 0.40 is speculative
_TIERS: tuple[tuple[float, Tier], ...] = ((0.95, "explicit"), (0.70, "implied"), (0.40, "inferred"))
_LEVELS: tuple[tuple[float, Level], ...] = (
    (0.9, "critical"), (0.7, "high"), (0.4, "normal"), (0.2, "low"),
)  # fmt: skip
#: seed 003: speculative memories expire after 30 days unless confirmed
SPECULATIVE_DAYS = 30
#: the header key that tells what the time of a memory or a transcript is, and its value where the
#: source carries none
DATED, DATE_GUESSED = "dated", "guessed"
#: the schema scalar that names whose words or matter it is, when they are not the owner's
PARTICIPANT = "participant"
#: what a memory loses while another one contradicts it, and the least that is left of it
_DISPUTED, _LEAST_CONFIDENCE = 0.15, 0.10


def dating(*, guessed: bool) -> tuple[tuple[str, str], ...]:
    """What a header says of the time, beside it: nothing, unless it is guessed."""
    return ((DATED, DATE_GUESSED),) if guessed else ()


def is_silent(last: Instant, now: Instant) -> bool:
    """Whether a session is over by time: nothing was said for 24 hours.

    Where the clock went back it is not.
    """
    return minutes_between(last, now) >= SESSION_HOURS * 60


def kind_of(slot: str) -> Literal["semantic", "profile"]:
    """`profile` for one value of a slot (the header's `key`), else `semantic` (seed 002)."""
    return "profile" if slot else "semantic"


def confidence_tier(confidence: float) -> Tier:
    """explicit >= .95, implied >= .70, inferred >= .40, else speculative (seed 003)."""
    return next((tier for least, tier in _TIERS if confidence >= least), "speculative")


def speculative_days(confidence: float) -> int | None:
    """Days that an unconfirmed memory of this confidence lives; None when it is no speculation."""
    return SPECULATIVE_DAYS if confidence_tier(confidence) == "speculative" else None


def confidence_level(confidence: float) -> Confidence:
    """low < .40, medium < .85, else high (seed 000)."""
    if confidence < 0.40:
        return "low"
    return "medium" if confidence < 0.85 else "high"


def importance_level(importance: float) -> Level:
    """critical >= .9, high >= .7, normal >= .4, low >= .2, else trivial."""
    return next((level for least, level in _LEVELS if importance >= least), "trivial")


def at_least(level: Level, threshold: Level) -> bool:
    """Whether a level reaches a threshold."""
    return LEVELS.index(level) >= LEVELS.index(threshold)


def memory_type(category: str, schema: str = "") -> Literal["episodic", "semantic", "procedural"]:
    """moment and session are episodic, skill and runbook procedural, the rest semantic."""
    if category == "moment" or schema == SESSION:
        return "episodic"
    if category == "skill" or schema == "runbook":
        return "procedural"
    return "semantic"


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as its file says it (design 4.1); `path` is relative to the vault, POSIX form.

    `text` is the statement without the quote; `quote` the first quoted receipt of the body;
    `sources` are `transcript#^block` links, one per confirmation. `extra` holds the schema scalars
    and unknown keys of the header as text. `sections` are heading and text of every `##` section,
    in the order of the file.
    """

    id: str
    category: str
    text: str
    path: str = ""
    status: str = "active"
    kind: str = "note"
    schema: str = ""
    title: str = ""
    created: Instant = ""
    status_since: Instant = ""
    status_reason: str = ""
    valid_from: Day = ""
    valid_until: Day = ""
    expires: Day = ""
    confidence: float = 0.0
    importance: float = 0.5
    sensitivity: str = "internal"
    authority: str = "ai_inferred"
    project: str = ""
    space: str = "project"
    key: str = ""
    quote: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related_files: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    extra: tuple[tuple[str, str], ...] = ()
    sections: tuple[tuple[str, str], ...] = ()

    @property
    def live(self) -> bool:
        """Whether search and recall show it by default."""
        return self.status in LIVE

    @property
    def date_guessed(self) -> bool:
        """Whether `created` is only the time of the file that it was read from."""
        return self.extras.get(DATED) == DATE_GUESSED

    def said_on(self, timezone: str = "UTC") -> str:
        """The day on which it was said, in a time zone, as it is shown: `about` one guessed."""
        day = local_day(self.created, timezone) if self.created else ""
        return f"about {day}" if day and self.date_guessed else day

    @property
    def conversation(self) -> str:
        """The transcript that its first receipt points into; empty without one."""
        return self.sources[0].partition("#")[0] if self.sources else ""

    @property
    def scope(self) -> str:
        """The scope of its content hash: the same words in another project are another fact.

        What was to be reached in a session states nothing that another memory could say again.
        """
        scope = scope_of(self.space, self.project, self.entities, self.conversation)
        return f"{scope}/{SESSION} {self.id}" if self.schema == SESSION else scope

    @property
    def of_owner(self) -> bool:
        """Whether no other person said it of themselves, and it was said of none by name."""
        return all(name != PARTICIPANT for name, _ in self.extra)

    @property
    def extras(self) -> dict[str, str]:
        """Schema scalars and unknown keys by name."""
        return dict(self.extra)


def schema_name(memory: Memory) -> str:
    """The name of a memory's schema; empty for a memory without a form."""
    name = memory.schema or (memory.category if memory.category in SCHEMAS_BY_CATEGORY else "")
    return name if name in SCHEMAS else ""


def current_confidence(memory: Memory) -> float:
    """The confidence of a memory as it stands: its header's, less while it is in dispute."""
    if memory.status != "needs-review" or not memory.conflicts:
        return memory.confidence
    return round(max(memory.confidence - _DISPUTED, _LEAST_CONFIDENCE), 3)


def is_proposed(memory: Memory) -> bool:
    """Whether it is a decision to which the person has not agreed yet."""
    return memory.extras.get("decision_state") == DECISION_STATES[0]


def closed_as(memory: Memory) -> str:
    """The state or tag that closes a promise; empty while it is open."""
    extras = memory.extras
    states = [extras.get(name, "").strip().casefold() for name in _STATES]
    found = [state for state in states if state in _CLOSED]
    found += [tag for tag in map(str.casefold, memory.tags) if tag in _CLOSING_TAGS]
    return found[0] if found else ""


def is_settled(memory: Memory) -> bool:
    """Whether a promise was kept or dropped."""
    return bool(memory.extras.get(FULFILLED) or closed_as(memory))


def is_reviewed_when_due(memory: Memory) -> bool:
    """Whether the person is asked at its `expires` if it still holds; the rest ends (design 5.12).

    What is speculative always ends, and a promise that is closed.
    """
    if speculative_days(memory.confidence) is not None:
        return False
    if memory.category == "commitment":
        return not closed_as(memory)
    return memory.category in PROTECTED or memory.schema == "constraint"


def has_expired(memory: Memory, day: Day) -> bool:
    """Whether its time was up on a day, though no night has said so yet; not without a day."""
    if memory.status == "expired" and memory.status_since[:10] <= day:
        return day != ""
    ends = (memory.live or memory.status == "expired") and not is_reviewed_when_due(memory)
    return ends and "" < memory.expires <= day


def is_uncollected(memory: Memory) -> bool:
    """Whether a memory is retired and its file does not lie in the archive."""
    return memory.status == "retired" and not memory.path.startswith(f"{ARCHIVE}/")


def scope_of(space: str, project: str, entities: tuple[str, ...], conversation: str = "") -> str:
    """The scope of hash ownership: the place and the one entity it is about (design 5.3)."""
    about = entities[0] if entities else ""
    return f"{space}/{_within(space, project, conversation)}/{about}"


def space_and_project(memory: Memory) -> tuple[str, str]:
    """The space and its project: only where both are equal memories can be about the same.

    In the space of sessions its conversation stands there; elsewhere nothing does.
    """
    return memory.space, _within(memory.space, memory.project, memory.conversation)


def _within(space: str, project: str, conversation: str) -> str:
    return {"project": project, SESSION: conversation}.get(space, "")
