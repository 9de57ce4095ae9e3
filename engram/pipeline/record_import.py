"""Import of records: turns that are records of another store -> memories, in one transaction each.

What stands in such a turn is no conversation: nobody extracts from it, and no model reads it. The
turn is the receipt. Guarantees: a turn is settled in the transaction that holds what was made of
it, which carries the batch of the import, so that one undo takes all of it back; what is refused
leaves an event with its code; a memory whose file cannot be changed stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engram.admit.refusal_event import denial
from engram.admit.stored_record import RecordFate, RecordRules, fate_of
from engram.extract.receipt import receipt_of
from engram.model.change import Change, Event, Plan
from engram.model.errors import BadInput, Conflict, NotFound
from engram.model.intake import ExtractionResult
from engram.model.item import kind_of, store_of
from engram.model.memory import Memory
from engram.model.numbering import place
from engram.model.overlay import Overlay
from engram.model.record_note import RecordNote, note_of
from engram.model.refusal_codes import REFUSED
from engram.model.trace import WRITE, conflict, deleted
from engram.model.turn import Turn
from engram.pipeline.first_pages import first_pages
from engram.pipeline.ports import Ports

#: what a turn is that no record can be read from any more, or whose memory's file cannot be changed
_UNREADABLE = "malformed"


def enter_records(transcripts: Iterable[str], ports: Ports, outcome: ExtractionResult) -> None:
    """Make memories of the records that are pending in these transcripts."""
    for name in transcripts:
        with ports.committer.lock():
            ranges, turns, batch = ports.turns.pending(name)
            while turns:
                plan = _plan(turns, ports, outcome)._replace(ack=tuple(ranges), batch=batch)
                outcome.transactions.append(ports.committer.commit(plan).number)
                outcome.turns += len(turns)
                ranges, turns, batch = ports.turns.pending(name)


def _plan(turns: Sequence[Turn], ports: Ports, outcome: ExtractionResult) -> Plan:
    view, born = Overlay(ports.view), list[Memory]()
    rules = RecordRules(
        ports.redactor.clean, ports.settings.retention, ports.clock.now(), ports.policy
    )
    before: dict[str, Memory] = {}
    events: list[Event] = []
    kept = 0
    for turn in turns:
        note = note_of(turn.text)
        receipt = receipt_of(turn, note.record.statement if note else turn.text)
        fate = RecordFate("refuse", _UNREADABLE)
        if note is not None:
            fate = fate_of(note, receipt, turn.project, view, rules)
        if not all(_may_change(old, new, ports) for old, new in fate.amended):
            fate = RecordFate("refuse", _UNREADABLE)
        _count(fate, outcome)
        kept += fate.decision != "refuse"
        events += _told(fate, note, turn.project, receipt.link)
        if fate.born is not None:
            born.append(fate.born)
            view.put(fate.born)
        for old, new in fate.amended:
            if new != old:
                before.setdefault(old.id, old)
                view.put(new)
    new_ones = [view.memories[one.id] for one in born]
    names = {one.id for one in new_ones}
    amended = [(old, view.memories[name]) for name, old in before.items() if name not in names]
    boxes = ports.box_weaver.seal(ports.view, rules.now, born=new_ones, waiting=set())
    changes: list[Change] = [
        *ports.writer.changes(new_ones, amended),
        *first_pages(new_ones, ports),
        *ports.pages.pages([(None, box) for box in boxes]),
    ]
    numbers = (("turns", len(turns)), ("candidates", len(turns)), ("kept", kept))
    told = tuple((name, str(number)) for name, number in numbers)
    events.append(Event("extracted", turns[0].transcript, told))
    return Plan("extract", tuple(changes), tuple(events))


def _may_change(before: Memory, after: Memory, ports: Ports) -> bool:
    """Whether the file of a memory can be brought to what it is to say."""
    if before == after or not before.path:
        return True  # nothing to do, or born in this very plan
    try:
        ports.writer.changes([], [(before, after)])
    except (BadInput, Conflict, NotFound):
        return False
    return True


def _count(fate: RecordFate, outcome: ExtractionResult) -> None:
    if fate.decision == "refuse":
        outcome.refused[fate.code] = outcome.refused.get(fate.code, 0) + 1
    outcome.memories += fate.born is not None
    outcome.updated += fate.decision == "update"
    outcome.superseded += fate.decision == "supersede"


def _told(fate: RecordFate, note: RecordNote | None, project: str, link: str) -> list[Event]:
    """The events of one record; what its store claims of its history stands in them alone."""
    made = (("code", fate.code), ("origin", "rules"), ("source", link), ("rule", "record"))
    if fate.refused is not None:
        return [denial(fate.refused)]
    where = place(store_of("project" if project else "user", project), kind_of(""))
    if fate.decision == "refuse":
        return [Event(REFUSED, "", (*made, *where))]
    found: list[Event] = []
    claims: tuple[tuple[str, str], ...] = ()
    if note is not None and note.common.updated:
        claims += (("updated", note.common.updated),)
    if note is not None and note.common.times_updated:
        claims += (("times_updated", str(note.common.times_updated)),)
    if fate.born is not None:
        of = (("category", fate.born.category), *where, *claims)
        found.append(Event(WRITE, fate.born.id, (*made, *of)))
    for old, new in fate.amended:
        if fate.decision == "supersede" and fate.born is not None:
            found.append(conflict(old.id, fate.born.id, "recency", source=link))
            by = {"replaced_by": fate.born.id, "code": fate.code, "source": link}
            found.append(deleted(new, "superseded", **by))
        elif new != old:
            of = (("fields", " ".join(fate.fields)), *claims)
            found.append(Event("memory_updated", old.id, (*made, *filter(lambda one: one[1], of))))
    return found
