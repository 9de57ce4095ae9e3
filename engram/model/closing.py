"""Closing: how far a conversation is on record, and what has been said in it since."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engram.model.instant import Instant
    from engram.model.memory import Memory

#: the event of a conversation that was put on record, or in which there was nothing to record: its
#: subject is the transcript; `last` is the number of its last turn, `memory` the record, if any
SESSION_CLOSED = "session_closed"


class OpenConversation(NamedTuple):
    """A conversation in which more was said since it was last put on record.

    `last` is the number of its last turn and `time` the time of it; what came after the turn
    `since` is new. `batch` names the import that brought all of that, and is empty where it was not
    one import.
    """

    transcript: str
    last: int
    time: Instant
    batch: str = ""
    since: int = 0


class SessionOnRecord(NamedTuple):
    """What is known of the record of a conversation.

    `written` is the record as engram last wrote it, as far as that is still known: what differs
    from it is a person's. `removed`: there was one, and somebody took it away.
    """

    memory: Memory | None = None
    written: Memory | None = None
    removed: bool = False
