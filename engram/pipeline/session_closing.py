"""Records: conversations that have ended, or fallen silent, -> where each stopped, as one record.

A conversation has one session record, which is made when it is first closed and written on when it
went on since; no model is asked for it. What else the new turns give for records is admitted in the
same transaction: what they state, and what a model drafts of live conversations, which is asked
without the writer lock. Guarantees: closing again what is on record changes nothing; what
a person wrote into a record stays; a record that they took away is not made again; a record goes
with the import that brought all of its conversation; turns that wait for extraction hold up
nothing. Which conversations went on is counted from the transactions (`SESSION_CLOSED`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from engram.admit.admission_context import AdmissionContext
from engram.admit.cud import settled
from engram.admit.draft import AdmissionDraft
from engram.admit.refusal_event import denial
from engram.admit.session_record import SessionFacts, can_go_on, fit, gone_on, made, refusal
from engram.model.change import IMPORT, Event, Plan
from engram.model.closing import SESSION_CLOSED, OpenConversation
from engram.model.errors import EngramError
from engram.model.instant import minutes_between
from engram.model.memory import SESSION, Memory, schema_name
from engram.model.numbering import place_of
from engram.model.record_draft import RecordDraft
from engram.model.trace import WRITE
from engram.model.turn import Turn
from engram.pipeline.first_pages import first_pages
from engram.pipeline.ports import Ports
from engram.pipeline.writing import writing

#: conversations under one transaction; bounds its file and the memory it takes
_MOST = 200
_DAY = 24 * 60.0
#: turns before what is new that may tell what a new one speaks of
_LOOK_BACK = 12
#: what became of the record of a conversation: the detail of its event, and the event of a memory
_MADE, _WRITTEN_ON = WRITE, "memory_updated"
#: by transcript: the drafts of records, and what happened instead
Drafted = Mapping[str, tuple[Sequence[RecordDraft], Sequence[Event]]]
NOTHING: Drafted = {}


def close(transcripts: Iterable[str], ports: Ports) -> int:
    """Put conversations on record that went on since they last were; returns how many records.

    The writer lock is held by the caller, with hand edits taken up.
    """
    if not keeps_sessions(ports):
        return 0
    return _closed(ports.conversations.gone_on(transcripts), ports)


def close_ended(transcripts: Iterable[str], ports: Ports) -> int:
    """The same for conversations that have ended, as their agent says; the lock is taken."""
    names = list(transcripts)
    found = ports.conversations.gone_on(names) if keeps_sessions(ports) else []
    if not found:
        return 0
    drafted = _asked(found, ports)
    with writing(ports):
        return _closed(ports.conversations.gone_on(names), ports, drafted)


def close_silent(ports: Ports, reason: str = "") -> int:
    """Close the conversations that have been silent for the gap; returns how many records.

    For a `reason` ("shutdown") every other one too, and in a hurry (see `seal_boxes`). One that
    was silent for longer than a record lives is history: it is left alone, until it goes on. Where
    there is nothing to close, nothing is locked or written.
    """
    found = _silent(ports, reason)
    if not found:
        return 0
    drafted = {} if reason else _asked(found, ports)
    with writing(ports, index=not reason, settle=not reason):
        return _closed(_silent(ports, reason), ports, drafted)


def keeps_sessions(ports: Ports) -> bool:
    """Whether records of sessions are made of conversations."""
    return dict(ports.settings.records.capture).get(SESSION, "auto") == "auto"


def _silent(ports: Ports, reason: str) -> list[OpenConversation]:
    if not keeps_sessions(ports):
        return []
    now, settings = ports.clock.now(), ports.settings
    days = dict(settings.retention.days).get(SESSION, 0)
    found = []
    for one in ports.conversations.gone_on():
        silence = minutes_between(one.time, now)
        over = silence >= settings.boxes.gap_minutes or reason
        if over and not (days and silence > days * _DAY):
            found.append(one)
    return found


def _closed(
    conversations: Sequence[OpenConversation], ports: Ports, drafted: Drafted = NOTHING
) -> int:
    """Close conversations, those of one import in transactions of their own."""
    count = 0
    ordered = sorted(conversations, key=lambda one: (one.batch, one.last))
    for batch, some in groupby(ordered, key=lambda one: one.batch):
        together = list(some)
        for start in range(0, len(together), _MOST):
            count += _commit(together[start : start + _MOST], batch, ports, drafted)
    return count


def _commit(
    conversations: Sequence[OpenConversation], batch: str, ports: Ports, drafted: Drafted
) -> int:
    """Close conversations in one transaction; returns how many records were made or written on."""
    born: list[Memory] = []
    amended: list[tuple[Memory, Memory]] = []
    events: list[Event] = []
    drafts: list[RecordDraft] = []
    for one in conversations:
        turns = ports.conversations.turns(one.transcript)
        before, after = _record(one, turns, [memory.id for memory in born], ports)
        if after is not None and after != before and (refused := refusal(after, ports.policy)):
            events.append(denial(refused))
            after = before
        more, faults = drafted.get(one.transcript, ((), ()))
        first = next((at for at, turn in enumerate(turns) if turn.seq > one.since), len(turns))
        stated = ports.stated_drafts(turns[max(first - _LOOK_BACK, 0) :])
        drafts += _new(one, turns, (*stated, *more))
        events += faults
        details = [("last", str(one.last))]
        if after is not None:
            details.append(("memory", after.id))
            if before is None:
                born.append(after)
                happened = _MADE
            elif before != after:
                amended.append((before, after))
                happened = _WRITTEN_ON
            else:
                happened = ""
            if happened:
                where = place_of(after) if happened == _MADE else ()
                said = (("code", SESSION), ("source", after.sources[0]), *where)
                events.append(Event(happened, after.id, said))
        events.append(Event(SESSION_CLOSED, one.transcript, tuple(details)))
    draft = admit_drafts(drafts, ports)
    changes = ports.writer.changes([*born, *draft.born], [*amended, *draft.amended])
    changes = [*changes, *first_pages([*born, *draft.born], ports)]
    logged = (*draft.events, *events)
    ports.committer.commit(Plan("close", tuple(changes), logged, batch=batch))
    return len(born) + len(amended)


def admit_drafts(drafts: Iterable[RecordDraft], ports: Ports) -> AdmissionDraft:
    """What drafts of records make of the vault, each seeing what the ones before it did.

    Those of schemas that are not captured from conversations are left out. Nothing is written.
    """
    now, settings = ports.clock.now(), ports.settings
    draft = AdmissionDraft(ports.view, ports.terms, now)
    admission = AdmissionContext(
        draft.view, ports.redactor.clean, settings, now, ports.judge,
        heard=ports.heard, rules=ports.rule_files, policy=ports.policy, given=ports.given,
    )  # fmt: skip
    capture = dict(settings.records.capture)
    for one in drafts:
        if capture.get(one.record.schema, "auto") == "auto" or one.origin == "person":
            draft.enter(settled(one, admission.of_one()))
    return draft


def _new(
    one: OpenConversation, turns: Sequence[Turn], drafts: Iterable[RecordDraft]
) -> list[RecordDraft]:
    """The drafts that rest on what is new: what is older was decided before, by the person too."""
    new = {turn.message for turn in turns if turn.seq > one.since}
    return [draft for draft in drafts if any(said.message in new for said in draft.receipts)]


def _asked(conversations: Sequence[OpenConversation], ports: Ports) -> Drafted:
    """What a model drafts of conversations that it may read; the writer lock is not held.

    History is read on request only. Where no model answers, or the budget is used up, the event of
    that is told instead; the conversation is closed without.
    """
    asker = ports.record_asker
    chosen = [one for one in conversations if _may_be_read(one, ports)] if asker else []
    if asker is None or not chosen:
        return NOTHING
    drafted: dict[str, tuple[Sequence[RecordDraft], Sequence[Event]]] = {}
    known = [one for one in ports.view.live() if one.schema != SESSION and schema_name(one)]
    for one in chosen:
        turns = ports.conversations.turns(one.transcript)
        projects = {turn.project for turn in turns}
        near = [memory for memory in known if memory.project in projects]
        try:
            with ports.thinking(0.0):
                found = asker.drafts(turns, near)
        except EngramError as error:
            event = Event("records_not_drafted", one.transcript, (("error", error.code),))
            drafted[one.transcript] = (), (event,)
        else:
            drafted[one.transcript] = [item.draft for item in found.drafts], ()
    return drafted


def _may_be_read(one: OpenConversation, ports: Ports) -> bool:
    return not one.batch.startswith(IMPORT) or ports.turns.for_model(one.batch)


def _record(
    one: OpenConversation, turns: Sequence[Turn], taken: Sequence[str], ports: Ports
) -> tuple[Memory | None, Memory | None]:
    """The record of a conversation before and after; the second is None where there is none."""
    known = ports.conversations.on_record(one.transcript)
    if known.removed or (known.memory is not None and not can_go_on(known.memory)):
        return known.memory, known.memory
    facts = _facts(turns, ports)
    if facts is None or (known.memory is None and not _is_worth_keeping(facts, turns)):
        return known.memory, known.memory
    now, terms = ports.clock.now(), ports.terms
    if known.memory is not None:
        return known.memory, gone_on(known.memory, known.written, facts, now, terms)

    def is_taken(name: str) -> bool:
        return name in taken or bool(ports.view.taken([name]))

    return None, made(facts, is_taken, now, terms)


def _facts(turns: Sequence[Turn], ports: Ports) -> SessionFacts | None:
    """What a conversation says of itself; None where it asks for nothing that may be stored."""
    from engram.extract.session import session_of  # here: most that write close nothing

    found = session_of(turns)
    if found is None:
        return None
    record = fit(found.record, ports.redactor.clean)
    turn = next(turn for turn in turns if turn.message == found.message)
    if record is None:
        return None
    return SessionFacts(
        record, found.quote, found.sources, turn.project, found.created, found.last, turn.guessed
    )


def _is_worth_keeping(facts: SessionFacts, turns: Sequence[Turn]) -> bool:
    """Whether a new record is wanted: one that there is goes on whatever follows."""
    from engram.extract.session_worth import is_worth_keeping  # here: as above

    return is_worth_keeping(facts.record, turns)
