"""What a conversation gave for records: drafts with what speaks for care, and what was left out."""

from __future__ import annotations

from typing import NamedTuple

from engram.model.record_draft import RecordDraft

#: why a whole draft was left out
UNKNOWN_SCHEMA, MALFORMED, FLOOD = "unknown_schema", "malformed", "flood"
NO_STATEMENT, NO_RECEIPT, UNKNOWN_TARGET = "no_statement", "no_receipt", "unknown_target"
LOW_TRUST, UNTRUE, INCOMPLETE, BLOCKED = "low_trust", "untrue", "incomplete", "blocked"
#: nothing was shown of a schema that was to be drafted: a warning
NO_EXCERPT, NO_ROOM = "no_excerpt", "no_room"
#: the checking model gave no answer: a warning, and blocks nothing
CHECK_FAILED = "check_failed"
#: an advisory: it goes into the event, by code
THIN_TAGS, NO_RATIONALE, DROPPED, ADVISED = "thin_tags", "no_rationale", "dropped", "advised"


class RecordFault(NamedTuple):
    """One thing that was left out: of which schema, why, and which field of a draft, if one.

    It holds no words of what was left out.
    """

    schema: str
    code: str
    field: str = ""


class DraftFound(NamedTuple):
    """A draft, and the codes of what is to be seen to in it (`advisories`)."""

    draft: RecordDraft
    advisories: tuple[str, ...] = ()


class RecordsFound(NamedTuple):
    """The drafts of one conversation, in the order of the answer, and what was left out."""

    drafts: tuple[DraftFound, ...] = ()
    faults: tuple[RecordFault, ...] = ()
