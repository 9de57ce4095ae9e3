"""Consolidation: merge, replace, age and tidy, in one transaction that `undo` takes back.

Plans over the vault as it is, checks every step, and commits what holds. A model is asked without
the writer lock; what changed meanwhile is looked at in the same run. Sealing boxes and bringing
conflict copies together stand here too: every consolidation does both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engram.model.change import Plan
from engram.model.errors import BadInput
from engram.model.model_request import Tier
from engram.model.pair_verdict import text_digest
from engram.model.ports import CopyMerger, Judge, Model
from engram.model.report import ConflictCopy, Consolidated, MergeReport
from engram.model.step import Step
from engram.pipeline.session_closing import close_silent
from engram.pipeline.writing import take_up_transcripts, writing

if TYPE_CHECKING:
    from engram.consolidate.context import PassContext
    from engram.consolidate.plan import ConsolidationPlan, StepKey
    from engram.model.box import Box
    from engram.pipeline.ports import Ports


@dataclass(frozen=True, slots=True)
class ConsolidationRequest:
    """What a consolidation looks at: what changed since the last (None: everything), which deeds
    the person took back, and the model that may be asked, if any, with a judge and prompts.

    `eventful`: something happened since; `closing`: open boxes are sealed too.
    """

    changed: frozenset[str] | None = None
    eventful: bool = True
    closing: bool = True
    declined: frozenset[StepKey] = frozenset()
    model: Model | None = None
    judge: Judge | None = None
    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def consolidate(
    ports: Ports, *, full: bool = False, closing: bool = True, tier: Tier = "auto", batch: str = ""
) -> Consolidated:
    """Look at what changed since the last time, or with `full` at everything, and do what is due.

    A model, where one is configured and `tier` is not "rules", is asked without the writer lock.
    With `closing` boxes that are open are sealed too. Raises BadInput for a model that is none.
    """
    model = _model(tier, ports)
    if closing:
        close_silent(ports)
    copies, planned, late = ports.conflict_copies(), None, frozenset[str]()
    if model is not None:
        with writing(ports):
            merge_copies(ports, copies)
            seen = ports.committer.last
        planned = plan_steps(_request(full, closing, model, ports), ports).steps
    with writing(ports):
        if model is None:
            merge_copies(ports, copies)
        else:
            late = ports.history.changed(seen)
            ports.verdicts.save(lambda: {text_digest(one.text) for one in ports.view.live()})
        request = _request(full, closing, model, ports)
        found, number = commit_steps(request, ports, planned, batch)
        if late:
            # came while the model thought: the next consolidation begins after this one
            rest = replace(request, changed=late, model=None, judge=None)
            commit_steps(rest, ports, batch=batch)
        if not number:
            ports.derived.write_topics()  # no transaction brings them
    return _report(found, number)


def preview(
    ports: Ports, *, full: bool = False, closing: bool = True, tier: Tier = "auto"
) -> Consolidated:
    """What `consolidate` would do now; a model is asked too, nothing is written."""
    model = _model(tier, ports)
    ports.settler.within(math.inf)
    return _report(plan_steps(_request(full, closing, model, ports), ports))


def consolidate_if_due(ports: Ports, batch: str = "") -> None:
    """Every N extractions that changed something (seed 003); an import asks no model for it."""
    every = ports.settings.consolidate.every_extractions
    if every and ports.history.extractions() >= every:
        consolidate(ports, closing=False, tier="rules" if batch else "auto", batch=batch)


def _model(tier: Tier, ports: Ports) -> Model | None:
    check_tier(tier, ports)
    asked = tier != "rules" and ports.asks_model
    return ports.model_for_run() if asked else None


def check_tier(tier: Tier, ports: Ports) -> None:
    """Raise BadInput where a model is to read, and none is configured."""
    if tier == "model" and not ports.asks_model:
        raise BadInput(
            "no model is configured", "`engram config set llm.model NAME`, or a local one"
        )


def _request(full: bool, closing: bool, model: Model | None, ports: Ports) -> ConsolidationRequest:
    changed = ports.history.changed()
    everything = full or not ports.history.last()
    declined = ports.history.declined()
    known = ConsolidationRequest(None if everything else changed, bool(changed), closing, declined)
    if model is None:
        return known
    return replace(known, model=model, judge=ports.judge_with(model), prompts=ports.prompts)


def _report(found: ConsolidationPlan, number: int = 0) -> Consolidated:
    return Consolidated(tuple(found.steps), tuple(sorted(found.refused.items())), number)


def plan_steps(request: ConsolidationRequest, ports: Ports) -> ConsolidationPlan:
    """What a consolidation would do now, every step of it checked; nothing is written."""
    from engram.consolidate.passes.order import PASSES  # here: most extractions are not followed
    from engram.consolidate.plan import run_passes

    return run_passes(pass_context(request, ports), PASSES, request.declined)


def pass_context(request: ConsolidationRequest, ports: Ports) -> PassContext:
    """What the passes of a consolidation are handed."""
    from engram.consolidate.context import PassContext  # as above

    return PassContext(
        ports.view,
        ports.clock.now(),
        ports.settings,
        request.judge or ports.judge,
        ports.box_weaver,
        ports.entity_page,
        request.changed,
        request.closing,
        request.model,
        request.prompts,
        ports.timezone,
    )


def commit_steps(
    request: ConsolidationRequest,
    ports: Ports,
    planned: Sequence[Step] | None = None,
    batch: str = "",
) -> tuple[ConsolidationPlan, int]:
    """Commit what holds of a plan in one transaction; its number, 0 when there was none.

    A plan that was made before, while a model thought, is checked again against the vault as it is
    now. A run in which there was nothing to do is recorded if anything had happened since the
    last: what was looked at is not looked at again. The writer lock is held by the caller.
    """
    from engram.consolidate.plan import plan_of, still_sound

    found = plan_steps(request, ports) if planned is None else still_sound(planned, ports.view)
    if not found.steps and not request.eventful:
        return found, 0
    plan = plan_of(found.steps, ports.writer, ports.pages, batch)
    return found, ports.committer.commit(plan).number


# -- boxes ----------------------------------------------------------------------------------------


def seal_boxes(ports: Ports, reason: str = "") -> int:
    """Seal the boxes of conversations that have been silent for the gap; returns how many.

    For a `reason` ("shutdown") every other open box too, in one transaction, and in a hurry: hand
    edits and the index can wait for the next opening, the end of a daemon cannot. Where each of
    these conversations stopped is put on record. Where there is nothing to seal or to record,
    nothing is locked or written.
    """
    close_silent(ports, reason)
    if not _sealed(ports, reason):
        return 0
    with writing(ports, index=not reason, settle=not reason):
        boxes = _sealed(ports, reason)
        if boxes:
            changes = ports.pages.pages([(None, box) for box in boxes])
            ports.committer.commit(Plan("seal", tuple(changes)))
        return len(boxes)


def _sealed(ports: Ports, reason: str) -> list[Box]:
    waiting = {one.transcript for one in ports.turns.waiting()}
    return ports.box_weaver.seal(ports.view, ports.clock.now(), reason, waiting=waiting)


# -- conflict copies ------------------------------------------------------------------------------


def merge_copies(ports: Ports, copies: CopyMerger | None = None) -> MergeReport:
    """Take in what sync tools and git left apart, as far as that is sure (decision 0017).

    One transaction that `undo` takes back; what is a question goes to review. The writer lock is
    held, and hand edits are taken up.
    """
    copies = copies or ports.conflict_copies()
    shown = copies.transcripts()
    plan, apart = copies.plan()
    number = 0 if plan.empty else ports.committer.commit(plan).number
    take_up_transcripts(ports, [one.original for one in shown if not one.why])
    return _merged(shown, apart, number)


def preview_copies(ports: Ports) -> MergeReport:
    """What `merge_copies` would do now; nothing is written."""
    ports.settler.within(math.inf)
    copies = ports.conflict_copies()
    return _merged(copies.transcripts(dry_run=True), copies.plan()[1])


def _merged(
    shown: Sequence[ConflictCopy], apart: Sequence[ConflictCopy], number: int = 0
) -> MergeReport:
    found = sorted([*shown, *apart], key=lambda one: one.path)
    return MergeReport(tuple(found), number)
