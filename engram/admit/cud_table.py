"""Table of create, update and retire (seed 001): what there is x what is wanted -> what is done.

What there is allows (`structure`: whether a record was found, what happened, which schema), what is
wanted is somebody's opinion; the mechanical side goes first, UPDATE before DELETE, UPDATE before
CREATE where the opinion is unknown. A veto forbids the one action that it names (design 5.8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from engram.admit.record_search import FoundRecord
from engram.model.schemas import Schema
from engram.model.succession import LOWER_AUTHORITY

#: what happens to a record, in the words of seed 001
CudAction = Literal["CREATE", "UPDATE", "DELETE", "NOOP", "SKIP"]
Structural = Literal["CREATE", "UPDATE", "UPDATE_OR_DELETE", "NOOP"]

#: what there is x what is wanted (records 3.2); what is wanted and stands in no row is an update
_TABLE: Mapping[tuple[Structural, str], CudAction] = {
    ("CREATE", "CREATE"): "CREATE",
    ("CREATE", "UPDATE"): "CREATE",
    ("CREATE", "DELETE"): "NOOP",
    ("UPDATE", "CREATE"): "CREATE",
    ("UPDATE", "UPDATE"): "UPDATE",
    ("UPDATE", "DELETE"): "UPDATE",
    ("UPDATE_OR_DELETE", "CREATE"): "CREATE",
    ("UPDATE_OR_DELETE", "UPDATE"): "UPDATE",
    ("UPDATE_OR_DELETE", "DELETE"): "DELETE",
    ("NOOP", "CREATE"): "NOOP",
    ("NOOP", "UPDATE"): "NOOP",
    ("NOOP", "DELETE"): "NOOP",
}
#: why nothing is done
NO_TARGET, VETOED, LOST = "pre_action_noop", "vetoed", "candidate_failed"
#: stable codes of refusals
KEPT_FROM_AGENTS, NOOP = "kept_from_agents", "noop"


class Veto(NamedTuple):
    """One action that is forbidden, by a stable code, and why in words."""

    action: CudAction
    code: str
    reason: str


class Structure(NamedTuple):
    """What there is allows: the record found, what may become of it, what may not."""

    schema: Schema
    structural: Structural
    found: FoundRecord | None = None
    event: str = ""
    vetoes: tuple[Veto, ...] = ()

    @property
    def pre_action(self) -> CudAction | None:
        """What is certain without any opinion: a new one, or nothing; None with a candidate."""
        if self.found is not None:
            return None
        return "NOOP" if self.event else "CREATE"

    @property
    def delete_allowed(self) -> bool:
        """Whether the record found may be retired."""
        return self.found is not None and all(veto.action != "DELETE" for veto in self.vetoes)

    @property
    def hints(self) -> tuple[str, ...]:
        """What to tell of it, in seed 001's words."""
        event = f"lifecycle_event={self.event}"
        if self.found is None:
            return (f"{event} with no matching candidate; NOOP",) if self.event else ()
        hints = [f"1 candidate found (score={self.found.score})"]
        if self.event and self.delete_allowed:
            hints.append(f"{event} suggests DELETE if eligible")
        elif self.event:
            name = self.schema.seed_name
            hints.append(f"{event} present but DELETE disallowed for {name}; consider UPDATE")
        return tuple(hints)


class Resolution(NamedTuple):
    """What is done, and why nothing is, if so."""

    action: CudAction
    reason: str = ""
    veto: Veto | None = None


def structure(
    schema: Schema, found: FoundRecord | None, event: str = "", vetoes: tuple[Veto, ...] = ()
) -> Structure:
    """The table of records 3.1: candidate x event x schema."""
    if found is None:
        return Structure(schema, "NOOP" if event else "CREATE", None, event)
    may = all(veto.action != "DELETE" for veto in vetoes)
    return Structure(schema, "UPDATE_OR_DELETE" if may else "UPDATE", found, event, vetoes)


def vetoes_for(schema: Schema, *, by_person: bool, outranked: bool = False) -> tuple[Veto, ...]:
    """What must not become of a record of this schema, by whose draft it is."""
    if by_person:
        return ()
    if not schema.retired_by_agents:
        reason = f"Cannot DELETE {schema.seed_name} (triage-initiated)"
        return (Veto("DELETE", KEPT_FROM_AGENTS, reason),)
    if outranked:
        reason = "The record is of higher authority than what the draft quotes"
        return (Veto("DELETE", LOWER_AUTHORITY, reason),)
    return ()


def resolved(there: Structure | None, wanted: str) -> Resolution:
    """The table of records 3.2. None: the record that is meant is not there to decide about."""
    if there is None:
        return Resolution("SKIP", LOST)
    if there.pre_action == "NOOP":
        return Resolution("NOOP", NO_TARGET)
    action = _TABLE.get((there.structural, wanted.upper()), _TABLE[there.structural, "UPDATE"])
    veto = next((one for one in there.vetoes if one.action == action), None)
    if veto is not None:
        return Resolution("NOOP", VETOED, veto)
    return Resolution(action)
