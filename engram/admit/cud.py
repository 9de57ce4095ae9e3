"""Create, update, retire: a draft of a record and what the vault knows -> one verdict (seed 001).

The record that a draft is about is the one it names, else the nearest; `cud_table` decides between
what there is and what the draft wants. Agents and rules retire no decision, preference or session,
and nothing of higher authority than their words. What is no longer true is superseded, by the judge
of every candidate; what is known of it grows by a patch (`merging`). Whatever is created passes the
gate of every candidate. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from engram.admit.admission_context import AdmissionContext
from engram.admit.cud_table import NOOP, Structure, resolved, structure, vetoes_for
from engram.admit.decide import admit, harm, opinion_of
from engram.admit.gate.record_parts import safe_parts
from engram.admit.gate.secure import harm_in
from engram.admit.ladder import outranks, ruled, stood
from engram.admit.merging import Exists, MergeError, merged
from engram.admit.prepared import prepared, within_ceiling
from engram.admit.record_search import FoundRecord, nearest
from engram.admit.resurrection import gone_lately
from engram.admit.same import says_otherwise
from engram.language.tokens import telling_terms
from engram.model.candidate import Candidate, Receipt
from engram.model.ids import memory_id
from engram.model.instant import day_of
from engram.model.memory import SESSION, Memory
from engram.model.record import Record, faults_of, made_record, parts_of, record_of
from engram.model.record_draft import RecordDraft
from engram.model.record_words import brief, clamped, joined_tags, record_alias
from engram.model.schemas import TAGS_MOST, Schema, schema_of
from engram.model.step import Opinion
from engram.model.succession import CONTRADICTION, STANDS
from engram.model.text import normalise, overlap
from engram.model.verdict import MemoryPatch, Verdict

_WANTED: Mapping[str, str] = {"create": "CREATE", "update": "UPDATE", "retire": "DELETE"}
#: what an event says of the state of a record that stays
_STATES: Mapping[tuple[str, str], tuple[str, str]] = {
    ("decision", "deprecated"): ("status", "deprecated"),
    ("decision", "removed"): ("status", "deprecated"),
    ("decision", "reversed"): ("status", "deprecated"),
    ("decision", "superseded"): ("status", "superseded"),
    ("tech_debt", "resolved"): ("status", "resolved"),
    ("tech_debt", "removed"): ("status", "resolved"),
    ("tech_debt", "deprecated"): ("status", "wont_fix"),
    **{
        ("constraint", event): ("active", "false")
        for event in ("resolved", "removed", "reversed", "superseded", "deprecated")
    },
}
#: how much a record matters at first: by schema, or by what its own scalars say
_IMPORTANCE: Mapping[str, float] = {
    SESSION: 0.6, "decision": 0.7, "runbook": 0.6, "constraint": 0.5, "tech_debt": 0.5,
    "preference": 0.6, "critical": 0.9, "high": 0.7, "medium": 0.5, "low": 0.4,
}  # fmt: skip
#: a constraint weighs more than a debt, so that facts of little importance never hide it
_SEVERITY: Mapping[str, float] = {"high": 0.9, "medium": 0.7, "low": 0.5}
#: the share of the fewer words that a draft and the record found have in common
_OF_ONE = 0.5


def settled(
    draft: RecordDraft, admission: AdmissionContext, exists: Exists = lambda path: True
) -> Verdict:
    """The verdict about a draft. `exists`: whether a path of the project is there."""
    given = "\n".join(receipt.quote for receipt in draft.receipts)
    own = draft.origin == "person"
    meant = admission.view.memory(draft.target) if draft.target else None
    held = record_of(meant) if meant is not None and _is_here(meant, draft) else None
    safe = safe_parts(draft.record, admission.clean, given, own=own, held=held)
    draft = replace(draft, record=_as_happened(safe.record, draft.event))
    candidate = candidate_of(draft, admission)
    if state := dict(prepared(candidate, admission.policy).fields).get("decision_state"):
        draft = replace(draft, record=_with(draft.record, "status", state))
        candidate = candidate_of(draft, admission)
    if safe.code:
        return Verdict("refuse", safe.code, candidate, left_out=safe.left_out)
    if refused := harm(candidate, admission):
        return replace(refused, left_out=safe.left_out)
    there = _structure_for(draft, candidate, admission)
    done = resolved(there, _WANTED.get(draft.action, "UPDATE"))
    memory = there.found.memory if there is not None and there.found is not None else None
    settling = _Settling(draft, candidate, admission, exists)
    if done.action == "SKIP":
        verdict = Verdict("refuse", "unknown_memory", candidate)
    elif done.action == "NOOP":
        code = done.veto.code if done.veto is not None else NOOP
        verdict = Verdict("refuse", code, candidate)
    elif done.action == "DELETE" and memory is not None:
        verdict = settling.retired(memory)
    elif done.action == "UPDATE" and memory is not None and settling.is_about(memory):
        verdict = settling.updated(memory)
        vetoed = [veto.code for veto in there.vetoes] if there is not None else []
        if draft.action == "retire" and verdict.code == NOOP and vetoed:
            verdict = replace(verdict, code=vetoed[0])
    else:
        verdict = settling.created()
    return replace(ruled(verdict, admission.view), left_out=safe.left_out)


def candidate_of(draft: RecordDraft, admission: AdmissionContext) -> Candidate:
    """A draft as the candidate that the gate of every memory reads."""
    record = draft.record
    parts = parts_of(record)
    receipts = draft.receipts or (Receipt("", "", "", "user", admission.now),)
    own = draft.origin == "person" or draft.voice == "typed"
    # what a session came to is told by what an agent did, whoever set the goal
    vouched = own and record.schema != SESSION
    made = Candidate(
        category=parts.category,
        text=parts.text,
        receipt=receipts[0],
        confidence=clamped(draft.confidence),
        importance=_importance(record),
        kind="episode" if record.schema == SESSION else "note",
        schema=parts.schema,
        title=parts.title,
        tags=parts.tags[:TAGS_MOST],
        entities=draft.entities,
        project=draft.project,
        space=draft.space,
        fields=parts.extra,
        authority="user_asserted" if vouched else "ai_inferred",
        origin=draft.origin,
        rule=f"record_{record.schema}",
        voice=draft.voice,
        also=receipts[1:],
        sections=parts.sections,
        related_files=parts.related_files,
        aliases=(record_alias(parts.title, record.schema),) if parts.title else (),
    )
    return within_ceiling(made, admission.policy)


class _Settling(NamedTuple):
    """One draft, and what is known, while it is decided."""

    draft: RecordDraft
    candidate: Candidate
    admission: AdmissionContext
    exists: Exists

    def is_about(self, memory: Memory) -> bool:
        """Whether a record that was found is the one that the draft tells of.

        A record that is merely near keeps its own statement: what the draft states would be lost.
        """
        record = self.draft.record
        if self.draft.target or not record.statement:
            return True
        if _topic(self.candidate) and _topic(self.candidate) == _topic(memory):
            return True
        said, known = f"{record.title}\n{record.statement}", f"{memory.title}\n{memory.text}"
        return overlap(telling_terms(said), telling_terms(known)) >= _OF_ONE

    def created(self) -> Verdict:
        """A new record, through the gate of every candidate; what there is already is updated."""
        candidate, admission = self.candidate, self.admission
        held = admission.view.memory(
            memory_id(candidate.category, candidate.receipt.time, candidate.text)
        )
        if held is not None and held.live and _form(held) == self.draft.record.form:
            return self.updated(held)
        if code := _unfit(self.draft.record):
            return Verdict("refuse", code, candidate)
        if gone := self._gone(candidate):
            return Verdict("refuse", "retired_recently", candidate, (gone,))
        if self.draft.record.schema == SESSION:
            # one conversation, one record: two that have one goal are two
            return Verdict("new", "new", candidate)
        verdict = admit(candidate, admission)
        if verdict.decision == "same":
            owner = admission.view.memory(verdict.memories[0])
            if owner is not None and _form(owner) == self.draft.record.form:
                update = self._patched(owner)
                return verdict if update.decision == "refuse" else update
        return verdict

    def updated(self, memory: Memory) -> Verdict:
        """What adds to a record updates it; what changes what it states supersedes it."""
        opinion = self._opinion(memory)
        if opinion is None:
            return self._patched(memory)
        candidate = _succeeding(self.candidate, memory)
        if opinion.relation not in ("supersedes", "contradicts") or opinion.partial:
            if not says_otherwise(memory, self.draft.record.statement, self.admission.view.terms):
                return self._patched(memory)
            # who names the record that it changes is believed as anybody who names a predecessor
            named = (memory.id,) if self.draft.target else ()
            return self._succeeded(replace(candidate, supersedes=named))
        verdict = self._succeeded(candidate)
        if verdict.decision == "refuse" or memory.id in verdict.memories:
            return verdict
        if opinion.relation == "supersedes" and opinion.sure:
            names = tuple(dict.fromkeys((memory.id, *_replaced_by(verdict))))
            return replace(
                verdict, decision="supersede", code="judged", memories=names, judged=opinion.code
            )
        if opinion.code in STANDS.values():
            lost = stood(self.candidate, opinion.code, (memory.id,))
            return replace(lost, factors=verdict.factors, judged=opinion.code)
        return replace(
            verdict, decision="review", code=CONTRADICTION, memories=(memory.id,),
            judged=opinion.code,
        )  # fmt: skip

    def retired(self, memory: Memory) -> Verdict:
        """A record out of use: by an agent, of what agents may retire, with the draft's reason."""
        after = replace(
            memory,
            status="retired",
            status_since=self.admission.now,
            status_reason=self.draft.event or "retired",
        )
        patch = MemoryPatch(after, ("status",), self._reason())
        code = self.draft.event or "retired"
        return Verdict("retire", code, self.candidate, (memory.id,), patch=patch)

    def _succeeded(self, candidate: Candidate) -> Verdict:
        """What replaces a record is a new one: nothing comes back as it either."""
        if gone := self._gone(candidate):
            return Verdict("refuse", "retired_recently", candidate, (gone,))
        return admit(candidate, self.admission)

    def _gone(self, candidate: Candidate) -> str:
        """The memory, taken out of use a short while ago, that a candidate would bring back."""
        view, settings = self.admission.view, self.admission.settings
        hours = settings.retention.resurrection_hours
        return gone_lately(candidate, view, self.admission.now, hours)

    def _patched(self, memory: Memory) -> Verdict:
        own = self.draft.origin == "person"
        try:
            patch = merged(
                memory, self.draft.record, day=day_of(self.admission.now), why=self._reason(),
                named=bool(self.draft.target), outranked=not own and self._outranked(memory),
                exists=self.exists,
            )  # fmt: skip
        except MergeError as error:
            code = "oversized" if error.rule == "cap exceeded" else NOOP
            return Verdict("refuse", code, self.candidate, (memory.id,))
        code = self.draft.event or "grown"
        return Verdict("update", code, self.candidate, (memory.id,), patch=patch)

    def _opinion(self, memory: Memory) -> Opinion | None:
        """What the judge says of the two statements; nothing of sessions, and of what is the same.

        Two preferences of one topic have one slot.
        """
        candidate, statement = self.candidate, self.draft.record.statement
        if self.draft.record.schema == SESSION or not statement:
            return None
        if normalise(statement) == normalise(memory.text):
            return None
        topic = _topic(candidate)
        terms = set(telling_terms(statement)), set(telling_terms(memory.text))
        if topic and topic == _topic(memory) and not (terms[0] <= terms[1] or terms[1] <= terms[0]):
            key = f"topic::{topic}"
            memory, candidate = replace(memory, key=key), replace(candidate, slot=key)
        return opinion_of(memory, candidate, self.admission)

    def _outranked(self, memory: Memory) -> bool:
        return bool(outranks(memory, self.candidate))

    def _reason(self) -> str:
        """The draft's reason where it may be logged."""
        reason = brief(self.draft.reason)
        own = self.draft.origin == "person"
        return "" if reason and harm_in(reason, self.admission.clean, "", own=own) else reason


def _structure_for(
    draft: RecordDraft, candidate: Candidate, admission: AdmissionContext
) -> Structure | None:
    """What there is for a draft; None where it names a record that is not there for it.

    Whoever retired a record since does not want it back as a new one.
    """
    form, view = draft.record.form, admission.view
    found: FoundRecord | None = None
    if draft.target:
        memory = view.memory(draft.target)
        if memory is None or not memory.live or not _is_here(memory, draft):
            return None
        found = FoundRecord(memory, 0)
    elif form.name != SESSION:
        # one conversation, one record: another one of the same goal is not the same
        found = nearest(draft, view.records(form.name, draft.space, draft.project))
    outranked = found is not None and bool(outranks(found.memory, candidate))
    vetoes = vetoes_for(form, by_person=draft.origin == "person", outranked=outranked)
    return structure(form, found, draft.event, vetoes)


def _is_here(memory: Memory, draft: RecordDraft) -> bool:
    here = memory.space == draft.space and _form(memory) == draft.record.form
    return here and (memory.space != "project" or memory.project == draft.project)


def _form(memory: Memory) -> Schema | None:
    return schema_of(memory.category, memory.schema)


def _as_happened(record: Record, event: str) -> Record:
    """A record with the state that an event says."""
    if (state := _STATES.get((record.schema, event))) is None:
        return record
    return _with(record, *state)


def _with(record: Record, name: str, value: str) -> Record:
    return made_record(
        record.schema, {**record.fields, name: value}, title=record.title, tags=record.tags,
        related_files=record.related_files, confidence=record.confidence,
    )  # fmt: skip


def _unfit(record: Record) -> str:
    """Why a new record is none, or ''."""
    if faults_of(record, whole=False):
        return "oversized"
    return "incomplete" if faults_of(record) else ""


def _importance(record: Record) -> float:
    if record.schema == "constraint":
        return _SEVERITY.get(record.text("severity"), _IMPORTANCE["constraint"])
    return _IMPORTANCE.get(record.text("priority"), _IMPORTANCE[record.schema])


def _topic(about: Candidate | Memory) -> str:
    """The topic of a preference, as topics are compared."""
    scalars = about.extra if isinstance(about, Memory) else about.fields
    return normalise(dict(scalars).get("topic", ""))


def _succeeding(candidate: Candidate, memory: Memory) -> Candidate:
    """A draft that changes what a record states, with what it does not say of its own.

    Reasons, steps and consequences were those of the old statement.
    """
    form = schema_of(candidate.category, candidate.schema)
    places = {one.place for one in form.scalars} if form is not None else set()
    kept = {name: value for name, value in memory.extra if name in places}
    files = tuple(dict.fromkeys((*candidate.related_files, *memory.related_files)))
    return replace(
        candidate,
        title=candidate.title or memory.title,
        tags=joined_tags(candidate.tags, memory.tags),
        related_files=files,
        fields=tuple({**kept, **dict(candidate.fields)}.items()),
    )


def _replaced_by(verdict: Verdict) -> tuple[str, ...]:
    return verdict.memories if verdict.decision == "supersede" else ()
