"""The flows, one screen each: take_in(turns), extract(transcripts), settle(hand edits),
consolidate(vault). Read first.

Each takes plain values and a `Ports` of ports, and ends in one durable step: a group fsync of the
turn journal, or one transaction. `vault.py` builds the house and calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engram.admit.decide import AdmissionContext, admit
from engram.admit.draft import AdmissionDraft
from engram.capture.accept import check, cleaned
from engram.capture.trigger import due
from engram.extract.receipt import verify
from engram.model.change import Change, Event, Plan, Range
from engram.model.errors import EngramError
from engram.model.instant import Instant
from engram.model.model_request import Request
from engram.model.ports import Asker, Committer, Extractor, Judge, Model
from engram.model.step import Step
from engram.model.turn import Turn, Waiting
from engram.model.verdict import Verdict
from engram.pipeline.batch import Batch, failure, postponement
from engram.pipeline.ports import Ports

if TYPE_CHECKING:
    from engram.consolidate.context import PassContext
    from engram.consolidate.plan import ConsolidationPlan, StepKey

#: turns extracted under one transaction; bounds its file and the memory it takes
BATCH_TURNS = 2_000


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


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What `take_in` did: how many turns were new, what was redacted, which numbers they got."""

    new: int = 0
    redactions: int = 0
    first: int = 0
    last: int = 0
    transcripts: tuple[str, ...] = ()


@dataclass(slots=True)
class ExtractionResult:
    """What `extract` did, summed over its transactions."""

    turns: int = 0
    memories: int = 0
    confirmed: int = 0
    superseded: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    #: transcripts whose extraction failed, and those that wait for a model or a new budget
    failed: int = 0
    postponed: int = 0
    #: why they wait: a code, and words for the person
    reason: str = ""
    message: str = ""
    hint: str = ""
    transactions: list[int] = field(default_factory=list)


def take_in(turns: Sequence[Turn], ports: Ports, batch: str = "") -> CaptureResult:
    """Redact, scan and journal the turns that are new; durable when it returns.

    The caller moves its cursor only afterwards. Nothing is extracted here: ask `ready`. Raises
    BadInput, before anything is kept, when one of them is malformed.
    """
    for turn in turns:
        check(turn)
    with ports.committer.lock():
        ports.turns.record_shown(turns)
        seen = ports.turns.seen(turns)
        fresh: list[tuple[Turn, str]] = []
        redactions = 0
        for turn in turns:
            if turn.message in seen:
                continue
            seen.add(turn.message)
            clean, found = cleaned(turn, ports.redactor)
            redactions += found
            level = ports.signals.scan(clean.text).level if clean.role == "user" else "none"
            fresh.append((clean, level))
        entries = ports.turn_log.append(fresh, batch)
        if not entries:
            return CaptureResult()
        ports.turns.add(entries)
    names = tuple(dict.fromkeys(entry.turn.transcript for entry in entries))
    return CaptureResult(len(entries), redactions, entries[0].turn.seq, entries[-1].turn.seq, names)


def ready(ports: Ports) -> list[Waiting]:
    """The transcripts whose buffered turns are due for extraction now (seed 003)."""
    now = ports.clock.now()
    return [
        waiting for waiting in ports.turns.waiting() if due(waiting, ports.settings.trigger, now)
    ]


def extract(
    transcripts: Iterable[str], ports: Ports, progress: Callable[[int], None] = lambda _: None
) -> ExtractionResult:
    """Extract what is pending in these transcripts: one transaction for up to BATCH_TURNS turns.

    A range is leased by reading it and acknowledged only if it is still pending when the result is
    written: two processes may think about the same turns, one of them writes. What fails stays
    pending, waits longer each time, and goes to the dead letter after `max_attempts`; what fails
    because no model answers, or the budget is used up, only waits. What was paid for is committed
    at once. What came with an import carries its batch, so that undoing the import takes the
    memories along. Nothing that an extractor raises gets out of here.
    """
    outcome = ExtractionResult()
    names, last = _oldest_first(transcripts, ports), ports.turn_log.end()[2]
    _leave_to_others(names, ports)
    postponed: list[Batch] = []
    while names:
        batches: list[Batch] = []
        done: list[Batch] = []
        for transcript in names:
            batch = _lease(transcript, ports, postponed[0].error if postponed else None)
            if batches and not _together(batches, batch):
                progress(_settle_lots(batches, ports, outcome))
                batches = []
            if batch.error is not None and batch.error.patient:
                postponed.append(batch)
                continue
            batches.append(batch)
            done.append(batch)
            if batch.costly:
                progress(_settle_lots(batches, ports, outcome))
                batches = []
        progress(_settle_lots(batches, ports, outcome))
        # a transcript's batches, and what one question holds, come one at a time
        names = [batch.transcript for batch in done if _has_more(batch, last, ports)]
    _postpone(postponed, ports, outcome)
    return outcome


def _leave_to_others(transcripts: Sequence[str], ports: Ports) -> None:
    """Settle what another machine has extracted already: nobody pays for it twice."""
    with ports.committer.lock():
        found = {name: ports.turns.settled_elsewhere(name) for name in transcripts}
        ack = [pair for ranges in found.values() for pair in ranges]
        if ack:
            events = tuple(Event("extracted_elsewhere", name) for name in found if found[name])
            ports.committer.commit(Plan("extract", (), events, ack=tuple(ack)))


def _together(batches: Sequence[Batch], batch: Batch) -> bool:
    """Whether a lot may go into one transaction with those before it."""
    turns = sum(len(held.turns) for held in batches)
    return (
        turns < BATCH_TURNS
        and batch.batch == batches[0].batch
        and batch.costly == batches[0].costly
    )


def _has_more(batch: Batch, last: int, ports: Ports) -> bool:
    """Whether turns up to number `last` of its transcript wait behind a lot that is done."""
    ranges, _, _ = ports.turns.pending(batch.transcript)
    more = bool(ranges) and ranges[0][0] <= last and tuple(ranges) != batch.ranges
    return batch.error is None and more


def preview(transcripts: Iterable[str], ports: Ports) -> list[Verdict]:
    """What `extract` would decide about what is pending in these transcripts; writes nothing.

    What a model would be asked about is left out (see `questions`). Raises what the extractor
    raises.
    """
    draft = AdmissionDraft(ports.view, ports.settings, ports.clock.now())
    verdicts: list[Verdict] = []
    for transcript in transcripts:
        if _portion(transcript, ports)[0].costly:
            continue
        batch = _lease(transcript, ports)
        if batch.error is not None:
            raise batch.error
        verdicts += _admit_all(batch, draft, ports, ports.clock.now())
    return verdicts


def questions(transcripts: Iterable[str], ports: Ports) -> list[Request]:
    """What `extract` would ask a model about what is pending in these transcripts, now."""
    asked = []
    for transcript in transcripts:
        _, turns, batch = ports.turns.pending(transcript)
        extractor = _extractor(batch, ports)
        while turns and isinstance(extractor, Asker):
            count = extractor.portion(turns, 0)
            if any(turn.role == "user" for turn in turns[:count]):
                asked.append(extractor.request(turns[:count]))
            turns = turns[count:]
    return asked


def _oldest_first(transcripts: Iterable[str], ports: Ports) -> list[str]:
    """What was said first is decided first, so that a newer value finds the older one."""
    oldest = {waiting.transcript: waiting.oldest for waiting in ports.turns.waiting()}
    return sorted(transcripts, key=lambda name: (oldest.get(name, ""), name))


def _lease(transcript: str, ports: Ports, away: EngramError | None = None) -> Batch:
    """As many pending turns of a transcript as are extracted at once, and what comes of them.

    `away` is why nothing costly is to be tried any more.
    """
    batch, extractor = _portion(transcript, ports)
    if not batch.turns:
        return batch
    if batch.costly and away is not None:
        return replace(batch, error=away)
    try:
        return replace(batch, candidates=tuple(extractor.extract(batch.turns)))
    except EngramError as error:
        return replace(batch, error=error)


def _portion(transcript: str, ports: Ports) -> tuple[Batch, Extractor]:
    ranges, turns, batch = ports.turns.pending(transcript)
    extractor = _extractor(batch, ports)
    if extractor.costly and turns:
        attempts = {waiting.transcript: waiting.attempts for waiting in ports.turns.waiting()}
        turns = turns[: extractor.portion(turns, attempts.get(transcript, 0))]
        end = turns[-1].seq
        ranges = [(first, min(last, end)) for first, last in ranges if first <= end]
    return Batch(transcript, tuple(ranges), tuple(turns), batch, extractor.costly), extractor


def _extractor(batch: str, ports: Ports) -> Extractor:
    """Who reads what an import brought (its name), or live capture (no name)."""
    return ports.backlog if batch and ports.backlog is not None else ports.extractor


def _settle_lots(batches: Sequence[Batch], ports: Ports, outcome: ExtractionResult) -> int:
    """Admit the candidates of leased lots and commit them with the acknowledgement."""
    with ports.committer.lock():
        if any(batch.costly for batch in batches):
            ports.take_up()  # the lock was free while a model thought: the person may have edited
        now = ports.clock.now()
        draft = AdmissionDraft(ports.view, ports.settings, now)
        events: list[Event] = []
        ack: list[Range] = []
        settled: dict[str, int] = {}
        for batch in batches:
            if not batch.ranges or not ports.turns.still_pending(batch.ranges):
                continue
            if batch.error is not None:
                ports.committer.commit(
                    failure(batch, ports.turns.waiting(), ports.settings.trigger, now)
                )
                outcome.failed += 1
                continue
            verdicts = _admit_all(batch, draft, ports, now)
            for verdict in verdicts:
                _count(verdict, outcome)
            ack.extend(batch.ranges)
            events.append(_extracted(batch, verdicts))
            outcome.turns += len(batch.turns)
            settled[batch.transcript] = settled.get(batch.transcript, 0) + len(batch.turns)
        if not ack:
            return 0
        boxes = ports.box_weaver.seal(
            ports.view, now, born=draft.born, waiting=_unfinished(settled, ports)
        )
        changes = (
            *ports.writer.changes(draft.born, draft.amended),
            *ports.pages.pages([(None, box) for box in boxes]),
        )
        happened = (*draft.events, *events)
        plan = Plan("extract", changes, happened, ack=tuple(ack), batch=batches[0].batch)
        outcome.transactions.append(ports.committer.commit(plan).number)
        return sum(len(batch.turns) for batch in batches)


def _unfinished(settled: Mapping[str, int], ports: Ports) -> set[str]:
    """The conversations of which more turns wait than are settled now."""
    waiting = ports.turns.waiting()
    return {one.transcript for one in waiting if one.turns > settled.get(one.transcript, 0)}


def _admit_all(batch: Batch, draft: AdmissionDraft, ports: Ports, now: Instant) -> list[Verdict]:
    """One verdict a candidate, each seeing what the ones before it did."""
    admission = AdmissionContext(draft.view, ports.redactor.clean, ports.settings, now)
    per_turn: dict[str, int] = {}
    verdicts = []
    for candidate in batch.candidates:
        message = candidate.receipt.message
        per_turn[message] = per_turn.get(message, 0) + (not candidate.fault)
        code = candidate.fault or verify(candidate, batch.turns)
        if code:
            verdict = Verdict("refuse", code, candidate)
        elif per_turn[message] > ports.settings.extract.max_per_turn:
            verdict = Verdict("refuse", "too_many", candidate)
        else:
            verdict = admit(candidate, admission)
        draft.enter(verdict)
        verdicts.append(verdict)
    return verdicts


def _count(verdict: Verdict, outcome: ExtractionResult) -> None:
    if verdict.decision == "refuse":
        outcome.refused[verdict.code] = outcome.refused.get(verdict.code, 0) + 1
    elif verdict.decision == "same":
        outcome.confirmed += verdict.code == "confirmed"
    else:
        outcome.memories += 1
        if verdict.decision == "supersede":
            outcome.superseded += len(verdict.memories)


def _extracted(batch: Batch, verdicts: Sequence[Verdict]) -> Event:
    kept = sum(verdict.decision != "refuse" for verdict in verdicts)
    return Event(
        "extracted",
        batch.transcript,
        (("turns", str(len(batch.turns))), ("candidates", str(len(verdicts))), ("kept", str(kept))),
    )


def _postpone(batches: Sequence[Batch], ports: Ports, outcome: ExtractionResult) -> None:
    """Record why turns wait, however often: no attempt is counted."""
    if not batches:
        return
    with ports.committer.lock():
        plan = postponement(
            batches, ports.turns.waiting(), ports.settings.trigger, ports.clock.now()
        )
        ports.committer.commit(plan)
    first = batches[0].error
    assert first is not None  # that is why it is here
    outcome.postponed += len(batches)
    outcome.reason, outcome.message, outcome.hint = first.code, str(first), first.hint


def plan_night(night: ConsolidationRequest, ports: Ports) -> ConsolidationPlan:
    """What a consolidation would do now, every step of it checked; nothing is written."""
    from engram.consolidate.passes.order import PASSES  # here: only the night needs them
    from engram.consolidate.plan import run_passes

    return run_passes(scene_of(night, ports), PASSES, night.declined)


def scene_of(night: ConsolidationRequest, ports: Ports) -> PassContext:
    """What the passes of a night are handed."""
    from engram.consolidate.context import PassContext  # as above

    return PassContext(
        ports.view,
        ports.clock.now(),
        ports.settings,
        night.judge or ports.judge,
        ports.box_weaver,
        ports.entity_weaver,
        night.changed,
        night.closing,
        night.model,
        night.prompts,
    )


def consolidate(
    night: ConsolidationRequest,
    ports: Ports,
    planned: Sequence[Step] | None = None,
    batch: str = "",
) -> tuple[ConsolidationPlan, int]:
    """Commit what holds of a night's plan in one transaction; its number, 0 when there was none.

    A plan that was made before, while a model thought, is checked again against the vault as it is
    now. A night in which there was nothing to do is recorded if anything had happened since the
    last: what was looked at is not looked at again. The writer lock is held by the caller.
    """
    from engram.consolidate.plan import plan_of, still_sound

    found = plan_night(night, ports) if planned is None else still_sound(planned, ports.view)
    if not found.steps and not night.eventful:
        return found, 0
    plan = plan_of(found.steps, ports.writer, ports.pages, batch)
    return found, ports.committer.commit(plan).number


def settle(
    seen: Sequence[Change], subjects: Sequence[tuple[str, str]], committer: Committer
) -> int:
    """Record hand edits as found: the version seen is journalled, the followers take it up.

    `subjects` are `(id, what happened)`: created, edited, moved or removed. Returns the number of
    the transaction.
    """
    events = tuple(
        Event("hand_edit", identifier, (("what", what),)) for identifier, what in subjects
    )
    return committer.commit(Plan("settle", events=events, seen=tuple(seen))).number
