"""What a person changes: forget, restore, remember; each verb -> one plan for the ledger.

Pure like the flows: memories and file bytes come in as values, a Plan goes out. Nothing here
deletes: forgetting is leaving the active set in one transaction with its event (design 5.1); the
file stays and `restore` brings it back. Only `purge` destroys content (design promise 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engram.admit.decide import AdmissionContext, admit
from engram.admit.draft import AdmissionDraft
from engram.admit.retention import renewed
from engram.model.candidate import Candidate, Receipt
from engram.model.change import Change, Event, Plan, Range
from engram.model.errors import BadInput
from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.ports import Writer
from engram.model.settings import RetentionSettings
from engram.model.turn import Turn
from engram.model.verdict import Verdict
from engram.pipeline.flow import take_in
from engram.pipeline.ports import Ports


def forget(
    memory: Memory, reason: str, now: Instant, writer: Writer, silenced: Sequence[Change] = ()
) -> Plan:
    """Retire a memory; its source turns are hidden from search too (design 5.21).

    `silenced`: the pages that told of it, without its words.
    """
    if memory.status == "retired":
        raise BadInput(f"{memory.id} is forgotten already", "`engram restore` brings it back")
    after = replace(
        memory, status="retired", status_since=now, status_reason="forgotten",
    )  # fmt: skip
    details = (("reason", reason or "forgotten"), ("was", memory.status))
    event = Event("memory_deleted", memory.id, details)
    changes = (*writer.changes([], [(memory, after)]), *silenced)
    return Plan("forget", changes, (event,))


def restore(memory: Memory, now: Instant, retention: RetentionSettings, writer: Writer) -> Plan:
    """Make a memory active again, whatever took it out of the active set; its TTL starts anew."""
    if memory.status == "active":
        raise BadInput(f"{memory.id} is active already", "`engram show` prints it")
    after = replace(
        memory,
        status="active",
        status_since="",
        status_reason="",
        valid_until="" if memory.status == "superseded" else memory.valid_until,
        superseded_by=(),
        expires=renewed(memory, memory, now, retention),
    )
    event = Event("memory_restored", memory.id, (("was", memory.status),))
    return Plan("restore", tuple(writer.changes([], [(memory, after)])), (event,))


def bring_back(identifier: str, path: str, body: bytes) -> Plan:
    """Write a memory's file again that a person had removed, as the journal knows it."""
    event = Event("memory_restored", identifier, (("was", "removed"),))
    return Plan("restore", (Change(path, None, body, "restored"),), (event,))


def dictated(
    turn: Turn, category: str, kind: str, importance: float, guess: Candidate | None
) -> Candidate:
    """The candidate for what a person asks to remember: the words as given, and full confidence.

    What the rules make of the same words (`guess`) lends tags, entities, slot and dates.
    """
    receipt = Receipt(
        turn.message, f"{turn.transcript}#^{turn.block}", turn.text, "user", turn.time
    )
    base = guess or Candidate(category, turn.text, receipt, 1.0)
    return replace(
        base,
        category=category,
        text=turn.text,
        receipt=receipt,
        confidence=1.0,
        importance=max(importance, 0.5),
        kind="episode" if kind == "episode" else "note",
        project=turn.project,
        space="project" if turn.project else "user",
        authority="user_asserted",
        origin="person",
        rule="",
    )


def dictate(turn: Turn, category: str, ports: Ports) -> tuple[Verdict, Memory | None]:
    """Take in a turn and what it asks to remember, in one transaction; the verdict, the memory.

    Without a category it is what the rules make of the words, else a fact.
    """
    taken = take_in([turn], ports)
    guesses = ports.extractor.extract([turn])
    guess = guesses[0] if len(guesses) == 1 else None
    chosen = category or (guess.category if guess else "fact")
    # imported here: a vault that is only read needs none of its patterns
    from engram.extract.classify import memory_kind, score_importance

    kind = memory_kind(chosen, turn.text, ())
    importance = score_importance(turn.text, chosen, ())
    now = ports.clock.now()
    draft = AdmissionDraft(ports.view, ports.settings, now)
    admission = AdmissionContext(draft.view, ports.redactor.clean, ports.settings, now)
    verdict = admit(dictated(turn, chosen, kind, importance, guess), admission)
    memory = draft.enter(verdict)
    ack: tuple[Range, ...] = ((taken.first, taken.last),) if taken.new else ()
    changes = ports.writer.changes(draft.born, draft.amended)
    ports.committer.commit(Plan("remember", tuple(changes), tuple(draft.events), ack=ack))
    return verdict, memory
