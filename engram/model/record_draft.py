"""RecordDraft: what is to become of a record, as a closing, rules, a model or a person propose it.

A draft proposes and decides nothing: `admit/cud.py` makes a verdict of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engram.model.candidate import Origin, Receipt, Voice
from engram.model.record import Record

#: what is proposed (seed 001: create, update, delete)
DraftAction = Literal["create", "update", "retire"]
#: what happened to the thing that a record is about (seed 001), if the draft says so
LifecycleEvent = Literal["", "resolved", "removed", "reversed", "superseded", "deprecated"]


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """One proposal for one record.

    `record` holds the fields that the draft knows of, all of them for a new one. `receipts` are the
    turns that say so, the one of the statement first. `target` is the id of the record that is
    meant, where the draft knows it; else it is looked for. `reason` is one line for `## Changes`
    or for a retirement. `voice` is whose words the first receipt quotes.
    """

    record: Record
    action: DraftAction
    receipts: tuple[Receipt, ...]
    project: str
    event: LifecycleEvent = ""
    target: str = ""
    reason: str = ""
    origin: Origin = "rules"
    confidence: float = 0.7
    voice: Voice = "typed"
    space: str = "project"
    entities: tuple[str, ...] = ()
