"""Phases: a person's wish -> a line of `phases.md`, in one transaction that can be undone.

What is called as the current phase of its store begins nothing: the wish was heard. Refuses
(BadInput) a name without words and what the policy leaves no phases; a refusal by the policy
leaves its event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.phase import (
    DISABLED,
    PhaseLine,
    PhasePage,
    StartedPhase,
    phase_at,
    phase_request,
    plain_name,
    plain_reason,
)
from engram.model.trace import BORDER_CHECK, PHASE_STARTED, STORE
from engram.pipeline.edits import reason_of
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.model.item import Store
    from engram.pipeline.ports import Ports


def start_phase(
    store: Store, name: str, reason: str, ports: Ports
) -> StartedPhase:  # fmt: skip
    """Begin a phase of a store now. Raises BadInput."""
    called, why = (reason_of(text, ports) for text in (name, reason))
    asked = phase_request(plain_name(called), plain_name(called), plain_reason(why))
    if asked is None:
        raise BadInput("a phase needs a name", "`engram phases start beta`")
    with writing(ports, index=False):
        if not ports.policy.of_space(store.space).phase.enabled:
            told = (("action", "phase_start"), (STORE, str(store)), ("code", DISABLED))
            ports.committer.commit(Plan("phase", (), (Event(BORDER_CHECK, "", told),)))
            raise BadInput(
                f"refused: {DISABLED} (the policy has no phases in {store.space} space)",
                "`engram policy show` tells which file says so",
            )
        now = ports.clock.now()
        page = ports.phases.read()
        current = phase_at(page.phases(store), now)
        if current.name == asked.token:
            return StartedPhase(store, current, 0, began=False)
        line = PhaseLine(now, store, asked.token, asked.reason)
        phase = phase_at(PhasePage((*page.lines, line)).phases(store), now)
        told = ((STORE, str(store)), ("phase", phase.id), ("at", now))
        plan = Plan("phase", (ports.phases.with_line(line),), (Event(PHASE_STARTED, "", told),))
        return StartedPhase(store, phase, ports.committer.commit(plan).tick, began=True)
