"""Extraction: pending turns become candidates, verdicts, and one transaction (design 3).

Guarantees: a turn is acknowledged in the transaction that holds what was made of it; what fails
stays pending, waits longer each time and ends in the dead letter; a model thinks without the writer
lock, and in one process at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.capture.trigger import due
from engram.extract.llm.portions import MOST_READ
from engram.extract.receipt import verify
from engram.extract.voice import voiced
from engram.extract.withdrawn import let_stand
from engram.model.change import IMPORT, Event, Plan, Range
from engram.model.errors import EngramError, Locked, ModelRefuses
from engram.model.instant import Instant
from engram.model.intake import ExtractionResult
from engram.model.model_request import Request, Tier
from engram.model.ports import Asker, Extractor
from engram.model.record_note import is_stored_record
from engram.model.turn import MODEL_CHOSEN, Waiting
from engram.model.verdict import Verdict
from engram.pipeline.batch import Batch, failure, postponement
from engram.pipeline.consolidation import check_tier, consolidate_if_due
from engram.pipeline.ending import end_silent
from engram.pipeline.first_pages import first_pages
from engram.pipeline.ports import Ports
from engram.pipeline.promoting import promote_as_asked
from engram.pipeline.record_import import enter_records
from engram.pipeline.writing import writing

#: a turn may propose as many memories again for every so many characters
_LONG_TURN = 2_000
#: turns extracted under one transaction; bounds its file and the memory it takes
BATCH_TURNS = 2_000
#: pending turns of a conversation that are read for one question: more than it can hold
_READ_AHEAD = MOST_READ + 1
#: what to do where a model was chosen, and is not configured any more
_NONE = "`engram config set llm.model NAME`, or give up waiting: `engram extract --rules`"
#: how long another process is waited for that brings the index up, seconds
_PATIENCE = 1.0


def ready(ports: Ports) -> list[Waiting]:
    """The transcripts whose buffered turns are due for extraction now (seed 003)."""
    now = ports.clock.now()
    return [
        waiting for waiting in ports.turns.waiting() if due(waiting, ports.settings.trigger, now)
    ]


def extract_due(ports: Ports) -> ExtractionResult:
    """Extract what the triggers say is due now; the index is not brought up."""
    return extract([waiting.transcript for waiting in ready(ports)], ports)


def tick(ports: Ports) -> ExtractionResult:
    """What a ticker calls: the time trigger and retries, without new traffic (design 5.11)."""
    due_now = [waiting.transcript for waiting in ready(ports)]
    if not due_now:
        return ExtractionResult()
    try:
        return run(due_now, ports, patience=0.0)
    except Locked:
        return ExtractionResult()  # somebody thinks already; the turns wait for the next tick


def run(
    transcripts: Iterable[str], ports: Ports, tier: Tier = "auto",
    progress: Callable[[int], None] = lambda _: None, *,
    patience: float | None = None, batch: str = "",
) -> ExtractionResult:  # fmt: skip
    """Extract, and consolidate if it is time; due or not.

    A model thinks without the writer lock, and one process of them at a time: raises Locked after
    `patience` seconds. `batch` is the import that is extracted.
    """
    check_tier(tier, ports)
    transcripts = list(transcripts)
    if tier == "rules" or not ports.asks_model:
        with writing(ports):
            outcome = extract(transcripts, ports, progress, tier)
            end_silent(ports, transcripts)
            consolidate_if_due(ports, batch)
            return outcome
    with writing(ports):  # hand edits, and the index that the model is shown the neighbours from
        if tier == "model":
            choose_model(ports.turns.unchosen(transcripts), ports)
    try:
        with ports.thinking(patience):
            ports.begin_run()
            outcome = extract(transcripts, ports, progress, tier)
            consolidate_if_due(ports, batch)
        end_silent(ports, transcripts)  # it asks by itself
        return outcome
    except Locked as error:
        raise Locked(
            "another engram is asking a model about this vault", "wait until it is done"
        ) from error
    finally:
        ports.index.refresh(_PATIENCE)


def choose_model(batches: Sequence[str], ports: Ports, kind: str = "extract") -> None:
    """Record that a model is to read what these imports brought: so it stays while it is away."""
    for batch in batches:
        chosen = Event(MODEL_CHOSEN, batch)
        ports.committer.commit(
            Plan(kind, events=(chosen,), batch=batch if kind == "import" else "")
        )


def extract(
    transcripts: Iterable[str], ports: Ports, progress: Callable[[int], None] = lambda _: None,
    tier: Tier = "auto",
) -> ExtractionResult:  # fmt: skip
    """Extract what is pending in these transcripts: one transaction for up to BATCH_TURNS turns.

    What was said first is decided first, so that a newer value finds the older one: a portion of a
    conversation waits until no other one has an older turn pending.
    A range is leased by reading it and acknowledged only if it is still pending when the result is
    written: two processes may think about the same turns, one of them writes. What fails stays
    pending, waits longer each time, and goes to the dead letter after `max_attempts`; what fails
    because no model answers, or the budget is used up, only waits. What was paid for is committed
    at once. What came with an import carries its batch, so that undoing the import takes the
    memories along. Nothing that an extractor raises gets out of here. Records of another store are
    taken as they are. Raises ConfigError for a policy that is not understood; then all waits.
    """
    _ = ports.policy  # before a model is paid for what could not be admitted
    outcome = ExtractionResult()
    names, last = list(dict.fromkeys(transcripts)), ports.turn_log.end()[2]
    _leave_to_others(names, ports)
    enter_records(filter(is_stored_record, names), ports, outcome)
    names = [name for name in names if not is_stored_record(name)]
    queue = [(first.time, name) for name in names if (first := ports.turns.next_pending(name))]
    heapify(queue)
    batches: dict[str, Batch] = {}
    postponed: list[Batch] = []

    def commit() -> None:
        progress(_commit_batches([*batches.values()], ports, outcome))
        batches.clear()

    while queue:
        _, transcript = heappop(queue)
        if transcript in batches:
            commit()
        batch = _lease(transcript, ports, tier, postponed[0].error if postponed else None)
        if batches and not _together([*batches.values()], batch):
            commit()
        if batch.error is not None and batch.error.patient:
            postponed.append(batch)
        elif batch.turns:
            batches[transcript] = batch
            following = ports.turns.next_pending(transcript, batch.ranges)
            if batch.error is None and following is not None and following.seq <= last:
                heappush(queue, (following.time, transcript))
            if batch.costly:
                commit()
    commit()
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
    """Whether a batch may go into one transaction with those before it."""
    turns = sum(len(held.turns) for held in batches)
    return (
        turns < BATCH_TURNS
        and batch.batch == batches[0].batch
        and batch.costly == batches[0].costly
    )


def preview(transcripts: Iterable[str], ports: Ports, tier: Tier = "auto") -> list[Verdict]:
    """What `extract` would decide about what is pending in these transcripts; writes nothing.

    What a model would be asked about is left out (see `questions`). Raises what the extractor
    raises, and BadInput for a model that is none.
    """
    check_tier(tier, ports)
    draft = AdmissionDraft(ports.view, ports.terms, ports.clock.now())
    verdicts: list[Verdict] = []
    for transcript in transcripts:
        portion, _ = _portion(transcript, ports, tier)
        if portion.costly or portion.error is not None:
            continue
        batch = _lease(transcript, ports, tier)
        if batch.error is not None:
            raise batch.error
        verdicts += admit_all(batch, draft, ports, ports.clock.now())
    return verdicts


def questions(transcripts: Iterable[str], ports: Ports, tier: Tier = "auto") -> list[Request]:
    """What `extract` would ask a model about what is pending in these transcripts, now.

    As it would be sent: redacted.
    """
    check_tier(tier, ports)
    redact, asked = ports.redactor.redact, list[Request]()
    for transcript in transcripts:
        _, turns, batch = ports.turns.pending(transcript)
        extractor = _reader(batch, ports, tier)
        while turns and isinstance(extractor, Asker):
            count = extractor.portion(turns, 0)
            if extractor.asks(turns[:count]):
                request = extractor.request(turns[:count])
                asked.append(replace(request, text=redact(request.text).text))
            turns = turns[count:]
    return asked


def _lease(transcript: str, ports: Ports, tier: Tier, away: EngramError | None = None) -> Batch:
    """As many pending turns of a transcript as are extracted at once, and what comes of them.

    `away` is why nothing costly is to be tried any more.
    """
    batch, extractor = _portion(transcript, ports, tier)
    if not batch.turns or batch.error is not None:
        return batch
    if batch.costly and away is not None:
        return replace(batch, error=away)
    try:
        told = voiced(extractor.extract(batch.turns), batch.turns, ports.heard)
        return replace(batch, candidates=tuple(let_stand(told, batch.turns)))
    except EngramError as error:
        return replace(batch, error=error)


def _portion(transcript: str, ports: Ports, tier: Tier) -> tuple[Batch, Extractor]:
    most = _READ_AHEAD if ports.asks_model and tier != "rules" else 0
    ranges, turns, batch = ports.turns.pending(transcript, most)
    extractor = _reader(batch, ports, tier)
    if extractor.costly and turns:
        turns = turns[: extractor.portion(turns, ports.turns.attempts(transcript))]
        end = turns[-1].seq
        ranges = [(first, min(last, end)) for first, last in ranges if first <= end]
    elif most:
        ranges, turns, batch = ports.turns.pending(transcript)
    error = None
    if tier == "auto" and not ports.asks_model and ports.turns.for_model(batch):
        error = ModelRefuses("no-model", "a model is to read them, and none is configured", _NONE)
    found = Batch(
        transcript, tuple(ranges), tuple(turns), batch, extractor.costly, error=error
    )  # fmt: skip
    return found, extractor


def _reader(batch: str, ports: Ports, tier: Tier) -> Extractor:
    """Who reads what an import brought (`batch` names it), or what was said since."""
    history = batch.startswith(IMPORT) and not ports.turns.for_model(batch)
    return ports.rules if tier == "rules" or (tier == "auto" and history) else ports.extractor


def _commit_batches(batches: Sequence[Batch], ports: Ports, outcome: ExtractionResult) -> int:
    """Admit the candidates of leased batches and commit them with the acknowledgement."""
    with ports.committer.lock():
        if any(batch.costly for batch in batches):
            # the lock was free while a model thought: the person may have edited
            ports.settler.settle()
        now = ports.clock.now()
        draft = AdmissionDraft(ports.view, ports.terms, now)
        events: list[Event] = []
        ack: list[Range] = []
        unfinished: set[str] = set()
        for batch in batches:
            if not batch.ranges or not ports.turns.still_pending(batch.ranges):
                continue
            if batch.error is not None:
                ports.committer.commit(
                    failure(batch, ports.turns.waiting(), ports.settings.trigger, now)
                )
                outcome.failed += 1
                continue
            verdicts = admit_all(batch, draft, ports, now)
            for verdict in verdicts:
                _count(verdict, outcome)
            ack.extend(batch.ranges)
            events.append(_extracted(batch, verdicts))
            outcome.turns += len(batch.turns)
            unfinished |= _unfinished(batch, ports)
        if not ack:
            return 0
        boxes = ports.box_weaver.seal(ports.view, now, born=draft.born, waiting=unfinished)
        changes = (
            *ports.writer.changes(draft.born, draft.amended),
            *first_pages(draft.born, ports),
            *ports.pages.pages([(None, box) for box in boxes]),
        )
        happened = (*draft.events, *events)
        plan = Plan("extract", changes, happened, ack=tuple(ack), batch=batches[0].batch)
        outcome.transactions.append(ports.committer.commit(plan).number)
        return sum(len(batch.turns) for batch in batches)


def _unfinished(batch: Batch, ports: Ports) -> set[str]:
    """The conversation of a batch, if more of its turns wait than are settled with it."""
    more = ports.turns.next_pending(batch.transcript, batch.ranges)
    return set() if more is None else {batch.transcript}


def admit_all(batch: Batch, draft: AdmissionDraft, ports: Ports, now: Instant) -> list[Verdict]:
    """One verdict a candidate, each seeing what the ones before it did."""
    named = {(one.receipt.quote, name) for one in batch.candidates for name in one.supersedes}
    admission = AdmissionContext(
        draft.view, ports.redactor.clean, ports.settings, now, ports.judge,
        heard=ports.heard, rules=ports.rule_files, policy=ports.policy, given=ports.given,
        named=Counter(quote for quote, _ in named), spoken=ports.ages.last_turn,
    )  # fmt: skip
    each = ports.settings.extract.max_per_turn
    most = {turn.message: each * (1 + len(turn.text) // _LONG_TURN) for turn in batch.turns}
    per_turn: dict[str, int] = {}
    verdicts = []
    for candidate in batch.candidates:
        message = candidate.receipt.message
        counted = not candidate.fault and candidate.support != "none"
        per_turn[message] = per_turn.get(message, 0) + counted
        code = candidate.fault or verify(candidate, batch.turns, admission.heard)
        if code:
            verdict = Verdict("refuse", code, candidate)
        elif per_turn[message] > most[message]:
            verdict = Verdict("refuse", "too_many", candidate)
        else:
            verdict = admit(candidate, admission)
        memory = draft.enter(verdict)
        if memory is not None and (wish := verdict.candidate.wish) is not None:
            promote_as_asked(memory, wish, verdict.candidate.receipt.link, draft, admission, ports)
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
