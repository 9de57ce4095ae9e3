"""Consolidation: merge, replace, age and tidy, in transactions that one `undo` takes back.

Plans over the vault as it is, checks every step, and commits what holds, in parts of at most 2,000
steps. One that is stopped in between is gone on with by the next: the last part alone says that all
was looked at. A model is asked without
the writer lock, by one process at a time; what changed meanwhile is looked at in the same run, and
after a purge nothing is written that was planned before it. Each run has a record. Sealing boxes,
bringing conflict copies together and links that follow renamed files stand here too: every
consolidation does all of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from engram.model.change import PART, Plan
from engram.model.consolidation_run import (
    AFTER_EXTRACTIONS,
    BY_RULES,
    NO_MODEL,
    ConsolidationRun,
    ModelUse,
    by_pass,
    tier_changes,
    touched_by,
)
from engram.model.errors import BadInput, Locked, StorageError
from engram.model.model_request import Tier
from engram.model.pair_verdict import text_digest
from engram.model.ports import CopyMerger, Judge, RunModel
from engram.model.report import ConflictCopy, Consolidated, MergeReport
from engram.pipeline.ending import end_silent
from engram.pipeline.session_closing import close_silent
from engram.pipeline.writing import take_up_transcripts, writing

if TYPE_CHECKING:
    from engram.consolidate.context import PassContext, StepKey
    from engram.consolidate.plan import ConsolidationPart, ConsolidationPlan
    from engram.model.box import Box
    from engram.model.change import Transaction
    from engram.model.step import Step
    from engram.pipeline.ports import Ports


#: steps in one transaction
MOST_STEPS = 2_000


@dataclass(frozen=True, slots=True)
class ConsolidationRequest:
    """What a consolidation looks at: what changed since the last (None: everything), which deeds
    the person took back, and the model that may be asked, if any, with a judge and prompts.

    `eventful`: something happened since; `closing`: open boxes are sealed too; `summarises`:
    clusters and summaries are due; `skipped`: what is left out, and why.
    """

    changed: frozenset[str] | None = None
    eventful: bool = True
    closing: bool = True
    declined: frozenset[StepKey] = frozenset()
    model: RunModel | None = None
    judge: Judge | None = None
    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    summarises: bool = True
    skipped: tuple[tuple[str, str], ...] = ()


class ConsolidationMode(NamedTuple):
    """How a consolidation is done: over everything or not, with what, and who may be asked."""

    full: bool = False
    closing: bool = True
    summarises: bool = True
    tier: Tier = "auto"
    batch: str = ""
    #: told of the steps of each part that is committed
    progress: Callable[[int], None] = lambda _: None


def consolidate(ports: Ports, mode: ConsolidationMode = ConsolidationMode()) -> Consolidated:
    """Look at what changed since the last time, or at everything, and do what is due.

    A model, where one is configured and the tier is not "rules", is asked without the writer lock,
    by one process at a time: raises Locked when another does so for too long. Raises BadInput for
    a model that is none, ConfigError for a policy that is not understood where one would be asked.
    """
    model = _model(mode.tier, ports)
    if mode.closing:
        end_silent(ports)
    if model is None:
        with writing(ports):
            merge_copies(ports)
            follow_links(ports)
            return _finish(ports, _request(mode, model, ports), mode)
    with _thinking(ports):
        with writing(ports):
            merge_copies(ports)
            follow_links(ports)
            seen = ports.committer.last
        planned = plan_steps(_request(mode, model, ports), ports)
        with writing(ports):
            late, request = ports.history.changed(seen), _request(mode, model, ports)
            purged = ports.history.purged(seen)
            with suppress(StorageError, BadInput):  # they are asked about again
                ports.verdicts.save(lambda: set() if purged else _standing(ports))
            if purged:
                # any page of the plan, and any reason of a verdict, may hold words that are gone
                planned = plan_steps(replace(request, model=None, judge=None), ports)
                late = frozenset()
            return _finish(ports, request, mode, planned, late)


def _standing(ports: Ports) -> set[str]:
    return {text_digest(one.text) for one in ports.view.live()}


def _finish(
    ports: Ports, request: ConsolidationRequest, mode: ConsolidationMode,
    planned: ConsolidationPlan | None = None, late: frozenset[str] = frozenset(),
) -> Consolidated:  # fmt: skip
    """Commit what was planned, or is planned now; `late` came while the model thought."""
    done = commit_steps(request, ports, mode, planned, late)
    if late:
        # the next consolidation begins after this one
        rest = replace(request, changed=late, model=None, judge=None)
        commit_steps(rest, ports, mode)
    if not done.transaction:
        ports.derived.write_topics()  # no transaction brings them
    return done


def preview(ports: Ports, mode: ConsolidationMode = ConsolidationMode()) -> Consolidated:
    """What `consolidate` would do now; a model is asked too, nothing is written."""
    model = _model(mode.tier, ports)
    ports.settler.within(math.inf)
    with nullcontext() if model is None else _thinking(ports):
        request = _request(mode, model, ports)
        return _report(request, ports, plan_steps(request, ports))


@contextmanager
def _thinking(ports: Ports) -> Iterator[None]:
    """While a model is asked: two at once would ask the same. Raises Locked."""
    with ExitStack() as held:
        try:
            held.enter_context(ports.thinking(None))
        except Locked as error:
            raise Locked(
                "another engram is asking a model about this vault",
                "wait until it is done; `--rules` asks none",
            ) from error
        yield


def consolidate_if_due(ports: Ports, batch: str = "") -> None:
    """Every N extractions that changed something (seed 003); an import asks no model for it.

    Clusters and summaries wait for the next one that the daemon or the person begins.
    """
    every = ports.settings.consolidate.every_extractions
    if every and ports.history.extractions() >= every:
        tier: Tier = "rules" if batch else "auto"
        consolidate(ports, ConsolidationMode(False, False, False, tier, batch))


def _model(tier: Tier, ports: Ports) -> RunModel | None:
    check_tier(tier, ports)
    if tier == "rules" or not ports.asks_model:
        return None
    _ = ports.policy  # before a model is paid under a policy that is not understood
    return ports.model_for_run()


def check_tier(tier: Tier, ports: Ports) -> None:
    """Raise BadInput where a model is to read, and none is configured."""
    if tier == "model" and not ports.asks_model:
        raise BadInput(
            "no model is configured (llm.model)",
            "`engram config set llm.model NAME`, or a local one",
        )


def _request(mode: ConsolidationMode, model: RunModel | None, ports: Ports) -> ConsolidationRequest:
    after = last_whole(ports) if mode.summarises else ports.history.last()
    changed = ports.history.changed(after)
    everything = mode.full or after == 0
    skipped = []
    if model is None:
        skipped.append(("model", BY_RULES if mode.tier == "rules" else NO_MODEL))
    if not mode.summarises:
        skipped.append(("summaries", AFTER_EXTRACTIONS))
    known = ConsolidationRequest(
        None if everything else changed, bool(changed), mode.closing, ports.history.declined(),
        summarises=mode.summarises, skipped=tuple(skipped),
    )  # fmt: skip
    if model is None:
        return known
    return replace(known, model=model, judge=ports.judge_with(model), prompts=ports.prompts)


def last_whole(ports: Ports) -> int:
    """The number of the last consolidation that left no part for later, 0 when there was none.

    Where there is no record of any it is the last one.
    """
    last = ports.history.last()
    if ports.runs.last() is None:
        return last
    whole = ports.runs.last(whole=True)
    return 0 if whole is None else min(whole.number, last)


def _report(
    request: ConsolidationRequest, ports: Ports, found: ConsolidationPlan,
    committed: Transaction | None = None, seconds: float = 0.0,
) -> Consolidated:  # fmt: skip
    """What was done, or would be, and the record of it; `committed` is the last part."""
    full = request.changed is None
    refused = tuple(sorted(found.refused.items()))
    run = ConsolidationRun(
        0 if committed is None else committed.number,
        ports.clock.now() if committed is None else committed.time,
        full,
        len(ports.view.live() if request.changed is None else request.changed),
        by_pass(found.steps),
        refused,
        request.skipped,
        model=ModelUse() if request.model is None else request.model.used,
        passes=tuple((name, round(taken, 3)) for name, taken in found.seconds.items()),
        seconds=round(seconds, 3),
    )
    return Consolidated(tuple(found.steps), refused, run.number, run)


def plan_steps(request: ConsolidationRequest, ports: Ports) -> ConsolidationPlan:
    """What a consolidation would do now, every step of it checked; nothing is written."""
    found = _no_plan()
    for part in _planned_parts(request, ports, found, most=0):
        found.steps += part.steps
    return found


def _no_plan() -> ConsolidationPlan:
    from engram.consolidate.plan import ConsolidationPlan  # most extractions are not followed

    return ConsolidationPlan()


def _planned_parts(
    request: ConsolidationRequest, ports: Ports, found: ConsolidationPlan, most: int
) -> Iterator[ConsolidationPart]:
    """The parts of a consolidation, each planned on what is then true."""
    # imported here as above
    from engram.consolidate.passes.order import DECIDING, SHARED_PASSES, SHOWING
    from engram.consolidate.plan import PartPlanner
    from engram.model.lasting_view import LastingView

    planner = PartPlanner(
        lambda: LastingView(ports.view), found, request.declined, ports.stopwatch.seconds, most
    )
    context = pass_context(request, ports)
    if ports.shared:
        return planner.parts(context, SHARED_PASSES, ())
    return planner.parts(context, DECIDING, SHOWING)


def pass_context(request: ConsolidationRequest, ports: Ports) -> PassContext:
    """What the passes of a consolidation are handed."""
    from engram.consolidate.context import PassContext  # as above
    from engram.model.lasting_view import LastingView

    return PassContext(
        LastingView(ports.view),
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
        summarises=request.summarises,
        side_by_side=ports.side_by_side,
        verdicts=None if request.model is None else ports.verdicts,
        asked_as=ports.asked_as,
        policy=ports.terms.policy,
    )


def commit_steps(
    request: ConsolidationRequest, ports: Ports, mode: ConsolidationMode = ConsolidationMode(),
    planned: ConsolidationPlan | None = None, late: frozenset[str] = frozenset(),
) -> Consolidated:  # fmt: skip
    """Commit what holds of a plan part by part, and put the run on record.

    A plan that was made before, while a model thought, is checked again against the vault as it is
    now; `late` are the memories that changed since. A run in which there was nothing to do is
    recorded if anything had happened since the last: what was looked at is not looked at again.
    The writer lock is held by the caller.
    """
    from engram.consolidate.plan import parts_of, plan_of, still_sound

    began = ports.stopwatch.seconds()
    if planned is None:
        found = _no_plan()
        parts = _planned_parts(request, ports, found, MOST_STEPS)
    else:
        sound = still_sound(planned, ports.view, boxes=not late)
        found = replace(sound, steps=[])
        parts = parts_of(sound.steps, MOST_STEPS)
    number, before = ports.history.unfinished()
    first, changes, now = before + 1, Counter[str](), ports.clock.now()
    committed: Transaction | None = None
    for part in parts:
        if part.last and not (part.steps or number or request.eventful):
            return _report(request, ports, found)
        number += 1
        plan = plan_of(
            part.steps, ports.writer, ports.pages,
            mode.batch if part.last else f"{PART}{number}", first + len(found.steps),
        )  # fmt: skip
        touched = touched_by(part.steps)
        tiers = ports.tiers.of(touched, now)
        committed = ports.committer.commit(plan)
        changes.update(dict(tier_changes(tiers, ports.tiers.of(touched, now))))
        found.steps += part.steps if part.last else map(_told, part.steps)
        mode.progress(len(part.steps))
    seconds = ports.stopwatch.seconds() - began
    if planned is not None:
        seconds += sum(planned.seconds.values())
    done = _report(request, ports, found, committed, seconds)
    done = replace(done, first=first, run=replace(done.run, tiers=tuple(sorted(changes.items()))))
    with suppress(StorageError, BadInput):  # it is done all the same
        ports.runs.put(done.run)
    return done


def _told(step: Step) -> Step:
    """What is told of a step that is done, without the memories and pages that it changed."""
    return replace(step, born=(), amended=(), pages=(), prose=(), events=())


# -- boxes ----------------------------------------------------------------------------------------


def seal_boxes(ports: Ports, reason: str = "") -> int:
    """Seal the boxes of conversations that have been silent for the gap; returns how many.

    For a `reason` ("shutdown") every other open box too, in one transaction, and in a hurry: hand
    edits and the index can wait for the next opening, the end of a daemon cannot. Where each of
    these conversations stopped is put on record. Where there is nothing to seal or to record,
    nothing is locked or written.
    """
    if reason:
        close_silent(ports, reason)
    else:
        end_silent(ports)
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


# -- links ----------------------------------------------------------------------------------------


def follow_links(ports: Ports) -> int:
    """Let the links of the program's own files follow renamed files; returns how many changed.

    One transaction that `undo N` takes back; the writer lock is held, and hand edits are taken up.
    """
    plan = ports.links_to_follow()
    if plan.changes:
        ports.committer.commit(plan)
    return len(plan.changes)


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
