"""Turn: one message of a conversation, as capture yields it and the journal keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from engram.model.errors import BadInput
from engram.model.ids import block_id, is_id, message_digest, session_digest
from engram.model.instant import Day, Instant, instant_of, local_time

#: the owner of the vault, another person, an agent
Role = Literal["user", "participant", "assistant"]
ROLES: tuple[Role, ...] = ("user", "participant", "assistant")
#: sources of what was dictated, of notes, and of other stores of memories
_NO_CONVERSATION = frozenset({"remember", "markdown", "mem0", "mcp-memory"})
#: the event of an import whose turns a model is to read, because the person says so
MODEL_CHOSEN = "model_chosen"
#: a turn of an agent of fewer bytes may be a report of progress
_REPORT = 350
_MESSAGE = re.compile(r"[0-9a-f]{16}")


def is_conversation(transcript: str) -> bool:
    """Whether the turns of a transcript follow from one another, as its source tells."""
    return transcript.rpartition("-")[0] not in _NO_CONVERSATION


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    `message` is its digest (16 hex digits, `ids.message_digest`), `text` what was said after
    wrappers were stripped; `tools` are elided lines about tool calls (`Edit app.py`), for the
    transcript only. `seq` is its number in the turn journal, 0 before it has one. `queued` turns
    stand on no turn of their own there: typed while the agent worked, or behind a command.
    `speaker` is who said it, by name, where a conversation names people. The journal keeps the
    role that the conversation gives, and who of its people is the owner is asked when a turn is
    read (`store.commits.attributed_turns`). `folder` is the working
    folder it was said in, where that is known: it decides what is kept out, and is never written.
    `program`: a program wrote it on the person's line, as the format of the conversation tells.
    `guessed`: its source carries no time, and this one is the file's.
    `local` is its time in the vault's time zone, with the offset, where it was read for that zone.
    """

    source: str
    session: str
    role: Role
    text: str
    time: Instant
    message: str
    project: str = ""
    title: str = ""
    tools: tuple[str, ...] = ()
    seq: int = 0
    queued: bool = False
    speaker: str = ""
    folder: str = field(default="", compare=False)
    program: bool = False
    guessed: bool = False
    local: str = field(default="", compare=False)

    @property
    def block(self) -> str:
        """The block id in the transcript, `m` and ten hex digits."""
        return block_id(self.message)

    @property
    def transcript(self) -> str:
        """The base name of the transcript file, `<source>-<session12>`."""
        return f"{self.source}-{session_digest(self.source, self.session)}"

    @property
    def local_time(self) -> str:
        """When it was said, as the vault's time zone writes it; in UTC where that is not known."""
        return self.local or self.time

    @property
    def day(self) -> Day:
        """The day on which it was said: that of `local_time`."""
        return self.local_time[:10]

    @property
    def nameless(self) -> Turn:
        """The same turn without the title and the name of its conversation."""
        session = f"#{session_digest(self.source, self.session)}"
        return replace(self, title="", session=session)

    @property
    def by_person(self) -> bool:
        """Whether a person said it: the owner, or somebody else."""
        return self.role != "assistant"

    @property
    def may_report(self) -> bool:
        """Whether an agent says so little that it may only report what it does.

        Who is named is a person among several, and never reports progress.
        """
        if self.by_person or self.speaker:
            return False
        return len(self.text.encode("utf-8", "replace")) < _REPORT

    def in_zone(self, timezone: str) -> Turn:
        """The same turn with its time in a time zone. Raises ValueError for an unknown one."""
        local = local_time(self.time, timezone)
        return self if local == self.local_time else replace(self, local=local)

    def numbered(self, seq: int) -> Turn:
        """The same turn with its journal number."""
        return replace(self, seq=seq)


def check(turn: Turn) -> None:
    """Raise BadInput for a turn that cannot become a file name, an instant or a block id.

    No value is repeated.
    """
    texts = (turn.source, turn.session, turn.text, turn.time, turn.message, turn.project)
    for text in (*texts, turn.title, turn.speaker, *turn.tools):
        if not isinstance(text, str):
            raise BadInput("a field of a turn is no text")
    if not is_id(turn.source):
        raise BadInput("the source of a turn is no name", "use a-z, 0-9 and hyphens")
    if turn.role not in ROLES:
        raise BadInput(f"the role of a turn is none of {', '.join(ROLES)}")
    if not _MESSAGE.fullmatch(turn.message):
        raise BadInput("the digest of a turn is not 16 hex digits", "`turn_of` makes it")
    try:
        proper = instant_of(turn.time) == turn.time
    except ValueError:
        proper = False
    if not proper:
        raise BadInput("the time of a turn is no instant", "write it like 2026-03-06T10:10:00Z")


class TurnEntry(NamedTuple):
    """A turn as it stands in the turn journal.

    `signal` is the level of its local scan; `batch` names the import that brought it (empty for
    live capture); `segment` is the journal file, `offset` and `length` the bytes of its line.
    `tick` is 0 in what older versions wrote.
    """

    turn: Turn
    signal: str
    batch: str
    segment: str
    offset: int
    length: int
    tick: int = 0


class NextTurn(NamedTuple):
    """The number and the time of the next pending turn of a conversation."""

    seq: int
    time: Instant


@dataclass(frozen=True, slots=True)
class Waiting:
    """The pending turns of one transcript: how many, since when, whether one is a HIGH signal.

    `oldest` is the time of the oldest of them; `attempts` and `retry_at` tell of failures, `reason`
    is the code of the last one. Without attempts they only wait, for a model or a new budget.
    `for_model`: a person chose that a model is to read them, though an import brought them.
    """

    transcript: str
    turns: int
    oldest: Instant
    high: bool = False
    attempts: int = 0
    retry_at: Instant = ""
    reason: str = ""
    for_model: bool = False


def turn_of(
    role: Role,
    text: str,
    time: Instant,
    *,
    source: str = "api",
    session: str = "default",
    project: str = "",
    message: str = "",
    title: str = "",
    tools: tuple[str, ...] = (),
) -> Turn:
    """A Turn whose digest is made from its own message id, or else from role, time and text."""
    digest = message_digest(source, session, *((message,) if message else (role, time, text)))
    return Turn(source, session, role, text, time, digest, project, title, tools)
