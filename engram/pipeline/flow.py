"""The flows, one screen each: take_in(turns), extract(transcripts), settle(hand edits),
consolidate(vault). Read first.

Each takes plain values and a `House` of ports, and ends in one durable step: a group fsync of the
turn journal, or one transaction. `vault.py` builds the house and calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from engram.admit.decide import Court, admit
from engram.admit.draft import Draft
from engram.capture.accept import check, cleaned
from engram.capture.trigger import due
from engram.extract.receipt import verify
from engram.model.change import Change, Event, Plan, Range
from engram.model.errors import EngramError
from engram.model.instant import Instant
from engram.model.model_request import Request
from engram.model.ports import Asker, Extractor, Judge, Ledger, Model
from engram.model.step import Step
from engram.model.turn import Turn, Waiting
from engram.model.verdict import Verdict
from engram.pipeline.batch import Lot, failure, postponement
from engram.pipeline.ports import House

if TYPE_CHECKING:
    from engram.consolidate.context import Scene
    from engram.consolidate.plan import Deed, Shift

#: turns extracted under one transaction; bounds its file and the memory it takes
BATCH_TURNS = 2_000


@dataclass(frozen=True, slots=True)
class Night:
    """What a consolidation looks at: what changed since the last (None: everything), which deeds
    the person took back, and the model that may be asked, if any, with a judge and prompts.

    `eventful`: something happened since; `closing`: open boxes are sealed too.
    """

    changed: frozenset[str] | None = None
    eventful: bool = True
    closing: bool = True
    declined: frozenset[Deed] = frozenset()
    model: Model | None = None
    judge: Judge | None = None
    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taken:
    """What `take_in` did: how many turns were new, what was redacted, which numbers they got."""

    new: int = 0
    redactions: int = 0
    first: int = 0
    last: int = 0
    transcripts: tuple[str, ...] = ()


@dataclass(slots=True)
class Outcome:
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


def take_in(turns: Sequence[Turn], house: House, batch: str = "") -> Taken:
    """Redact, scan and journal the turns that are new; durable when it returns.

    The caller moves its cursor only afterwards. Nothing is extracted here: ask `ready`. Raises
    BadInput, before anything is kept, when one of them is malformed.
    """
    for turn in turns:
        check(turn)
    with house.ledger.lock():
        house.turns.take_up_shown(turns)
        seen = house.turns.seen(turns)
        fresh: list[tuple[Turn, str]] = []
        redactions = 0
        for turn in turns:
            if turn.message in seen:
                continue
            seen.add(turn.message)
            clean, found = cleaned(turn, house.redactor)
            redactions += found
            level = house.signals.scan(clean.text).level if clean.role == "user" else "none"
            fresh.append((clean, level))
        entries = house.journal.append(fresh, batch)
        if not entries:
            return Taken()
        house.turns.add(entries)
    names = tuple(dict.fromkeys(entry.turn.transcript for entry in entries))
    return Taken(len(entries), redactions, entries[0].turn.seq, entries[-1].turn.seq, names)


def ready(house: House) -> list[Waiting]:
    """The transcripts whose buffered turns are due for extraction now (seed 003)."""
    now = house.clock.now()
    return [
        waiting for waiting in house.turns.waiting() if due(waiting, house.settings.trigger, now)
    ]


def extract(
    transcripts: Iterable[str], house: House, progress: Callable[[int], None] = lambda _: None
) -> Outcome:
    """Extract what is pending in these transcripts: one transaction for up to BATCH_TURNS turns.

    A range is leased by reading it and acknowledged only if it is still pending when the result is
    written: two processes may think about the same turns, one of them writes. What fails stays
    pending, waits longer each time, and goes to the dead letter after `max_attempts`; what fails
    because no model answers, or the budget is used up, only waits. What was paid for is committed
    at once. What came with an import carries its batch, so that undoing the import takes the
    memories along. Nothing that an extractor raises gets out of here.
    """
    outcome = Outcome()
    names, last = _oldest_first(transcripts, house), house.journal.end()[2]
    _leave_to_others(names, house)
    postponed: list[Lot] = []
    while names:
        lots: list[Lot] = []
        done: list[Lot] = []
        for transcript in names:
            lot = _lease(transcript, house, postponed[0].error if postponed else None)
            if lots and not _together(lots, lot):
                progress(_settle_lots(lots, house, outcome))
                lots = []
            if lot.error is not None and lot.error.patient:
                postponed.append(lot)
                continue
            lots.append(lot)
            done.append(lot)
            if lot.costly:
                progress(_settle_lots(lots, house, outcome))
                lots = []
        progress(_settle_lots(lots, house, outcome))
        # a transcript's batches, and what one question holds, come one at a time
        names = [lot.transcript for lot in done if _has_more(lot, last, house)]
    _postpone(postponed, house, outcome)
    return outcome


def _leave_to_others(transcripts: Sequence[str], house: House) -> None:
    """Settle what another machine has extracted already: nobody pays for it twice."""
    with house.ledger.lock():
        found = {name: house.turns.settled_elsewhere(name) for name in transcripts}
        ack = [pair for ranges in found.values() for pair in ranges]
        if ack:
            events = tuple(Event("extracted_elsewhere", name) for name in found if found[name])
            house.ledger.commit(Plan("extract", (), events, ack=tuple(ack)))


def _together(lots: Sequence[Lot], lot: Lot) -> bool:
    """Whether a lot may go into one transaction with those before it."""
    turns = sum(len(held.turns) for held in lots)
    return turns < BATCH_TURNS and lot.batch == lots[0].batch and lot.costly == lots[0].costly


def _has_more(lot: Lot, last: int, house: House) -> bool:
    """Whether turns up to number `last` of its transcript wait behind a lot that is done."""
    ranges, _, _ = house.turns.pending(lot.transcript)
    more = bool(ranges) and ranges[0][0] <= last and tuple(ranges) != lot.ranges
    return lot.error is None and more


def preview(transcripts: Iterable[str], house: House) -> list[Verdict]:
    """What `extract` would decide about what is pending in these transcripts; writes nothing.

    What a model would be asked about is left out (see `questions`). Raises what the extractor
    raises.
    """
    draft = Draft(house.known, house.settings, house.clock.now())
    verdicts: list[Verdict] = []
    for transcript in transcripts:
        if _portion(transcript, house)[0].costly:
            continue
        lot = _lease(transcript, house)
        if lot.error is not None:
            raise lot.error
        verdicts += _admit_all(lot, draft, house, house.clock.now())
    return verdicts


def questions(transcripts: Iterable[str], house: House) -> list[Request]:
    """What `extract` would ask a model about what is pending in these transcripts, now."""
    asked = []
    for transcript in transcripts:
        _, turns, batch = house.turns.pending(transcript)
        extractor = _extractor(batch, house)
        while turns and isinstance(extractor, Asker):
            count = extractor.portion(turns, 0)
            if any(turn.role == "user" for turn in turns[:count]):
                asked.append(extractor.request(turns[:count]))
            turns = turns[count:]
    return asked


def _oldest_first(transcripts: Iterable[str], house: House) -> list[str]:
    """What was said first is decided first, so that a newer value finds the older one."""
    oldest = {waiting.transcript: waiting.oldest for waiting in house.turns.waiting()}
    return sorted(transcripts, key=lambda name: (oldest.get(name, ""), name))


def _lease(transcript: str, house: House, away: EngramError | None = None) -> Lot:
    """As many pending turns of a transcript as are extracted at once, and what comes of them.

    `away` is why nothing costly is to be tried any more.
    """
    lot, extractor = _portion(transcript, house)
    if not lot.turns:
        return lot
    if lot.costly and away is not None:
        return replace(lot, error=away)
    try:
        return replace(lot, candidates=tuple(extractor.extract(lot.turns)))
    except EngramError as error:
        return replace(lot, error=error)


def _portion(transcript: str, house: House) -> tuple[Lot, Extractor]:
    ranges, turns, batch = house.turns.pending(transcript)
    extractor = _extractor(batch, house)
    if extractor.costly and turns:
        attempts = {waiting.transcript: waiting.attempts for waiting in house.turns.waiting()}
        turns = turns[: extractor.portion(turns, attempts.get(transcript, 0))]
        end = turns[-1].seq
        ranges = [(first, min(last, end)) for first, last in ranges if first <= end]
    return Lot(transcript, tuple(ranges), tuple(turns), batch, extractor.costly), extractor


def _extractor(batch: str, house: House) -> Extractor:
    """Who reads what an import brought (its name), or live capture (no name)."""
    return house.backlog if batch and house.backlog is not None else house.extractor


def _settle_lots(lots: Sequence[Lot], house: House, outcome: Outcome) -> int:
    """Admit the candidates of leased lots and commit them with the acknowledgement."""
    with house.ledger.lock():
        if any(lot.costly for lot in lots):
            house.take_up()  # the lock was free while a model thought: the person may have edited
        now = house.clock.now()
        draft = Draft(house.known, house.settings, now)
        events: list[Event] = []
        ack: list[Range] = []
        settled: dict[str, int] = {}
        for lot in lots:
            if not lot.ranges or not house.turns.still_pending(lot.ranges):
                continue
            if lot.error is not None:
                house.ledger.commit(
                    failure(lot, house.turns.waiting(), house.settings.trigger, now)
                )
                outcome.failed += 1
                continue
            verdicts = _admit_all(lot, draft, house, now)
            for verdict in verdicts:
                _count(verdict, outcome)
            ack.extend(lot.ranges)
            events.append(_extracted(lot, verdicts))
            outcome.turns += len(lot.turns)
            settled[lot.transcript] = settled.get(lot.transcript, 0) + len(lot.turns)
        if not ack:
            return 0
        boxes = house.weaver.seal(
            house.contents, now, born=draft.born, waiting=_unfinished(settled, house)
        )
        changes = (
            *house.writer.changes(draft.born, draft.amended),
            *house.pages.pages([(None, box) for box in boxes]),
        )
        happened = (*draft.events, *events)
        plan = Plan("extract", changes, happened, ack=tuple(ack), batch=lots[0].batch)
        outcome.transactions.append(house.ledger.commit(plan).number)
        return sum(len(lot.turns) for lot in lots)


def _unfinished(settled: Mapping[str, int], house: House) -> set[str]:
    """The conversations of which more turns wait than are settled now."""
    waiting = house.turns.waiting()
    return {one.transcript for one in waiting if one.turns > settled.get(one.transcript, 0)}


def _admit_all(lot: Lot, draft: Draft, house: House, now: Instant) -> list[Verdict]:
    """One verdict a candidate, each seeing what the ones before it did."""
    court = Court(draft, house.redactor.clean, house.settings, now)
    per_turn: dict[str, int] = {}
    verdicts = []
    for candidate in lot.candidates:
        message = candidate.receipt.message
        per_turn[message] = per_turn.get(message, 0) + (not candidate.fault)
        code = candidate.fault or verify(candidate, lot.turns)
        if code:
            verdict = Verdict("refuse", code, candidate)
        elif per_turn[message] > house.settings.extract.max_per_turn:
            verdict = Verdict("refuse", "too_many", candidate)
        else:
            verdict = admit(candidate, court)
        draft.enter(verdict)
        verdicts.append(verdict)
    return verdicts


def _count(verdict: Verdict, outcome: Outcome) -> None:
    if verdict.decision == "refuse":
        outcome.refused[verdict.code] = outcome.refused.get(verdict.code, 0) + 1
    elif verdict.decision == "same":
        outcome.confirmed += verdict.code == "confirmed"
    else:
        outcome.memories += 1
        if verdict.decision == "supersede":
            outcome.superseded += len(verdict.memories)


def _extracted(lot: Lot, verdicts: Sequence[Verdict]) -> Event:
    kept = sum(verdict.decision != "refuse" for verdict in verdicts)
    return Event(
        "extracted",
        lot.transcript,
        (("turns", str(len(lot.turns))), ("candidates", str(len(verdicts))), ("kept", str(kept))),
    )


def _postpone(lots: Sequence[Lot], house: House, outcome: Outcome) -> None:
    """Record why turns wait, however often: no attempt is counted."""
    if not lots:
        return
    with house.ledger.lock():
        plan = postponement(lots, house.turns.waiting(), house.settings.trigger, house.clock.now())
        house.ledger.commit(plan)
    first = lots[0].error
    assert first is not None  # that is why it is here
    outcome.postponed += len(lots)
    outcome.reason, outcome.message, outcome.hint = first.code, str(first), first.hint


def plan_night(night: Night, house: House) -> Shift:
    """What a consolidation would do now, every step of it checked; nothing is written."""
    from engram.consolidate.passes.order import PASSES  # here: only the night needs them
    from engram.consolidate.plan import shift

    return shift(scene_of(night, house), PASSES, night.declined)


def scene_of(night: Night, house: House) -> Scene:
    """What the passes of a night are handed."""
    from engram.consolidate.context import Scene  # as above

    return Scene(
        house.contents, house.clock.now(), house.settings, night.judge or house.judge, house.weaver,
        house.biographer, night.changed, night.closing, night.model, night.prompts,
    )  # fmt: skip


def consolidate(
    night: Night, house: House, planned: Sequence[Step] | None = None, batch: str = ""
) -> tuple[Shift, int]:
    """Commit what holds of a night's plan in one transaction; its number, 0 when there was none.

    A plan that was made before, while a model thought, is checked again against the vault as it is
    now. A night in which there was nothing to do is recorded if anything had happened since the
    last: what was looked at is not looked at again. The writer lock is held by the caller.
    """
    from engram.consolidate.plan import plan_of, still_sound

    found = plan_night(night, house) if planned is None else still_sound(planned, house.contents)
    if not found.steps and not night.eventful:
        return found, 0
    plan = plan_of(found.steps, house.writer, house.pages, batch)
    return found, house.ledger.commit(plan).number


def settle(seen: Sequence[Change], subjects: Sequence[tuple[str, str]], ledger: Ledger) -> int:
    """Record hand edits as found: the version seen is journalled, the followers take it up.

    `subjects` are `(id, what happened)`: created, edited, moved or removed. Returns the number of
    the transaction.
    """
    events = tuple(
        Event("hand_edit", identifier, (("what", what),)) for identifier, what in subjects
    )
    return ledger.commit(Plan("settle", events=events, seen=tuple(seen))).number
