"""The draft of one transaction: verdicts in, memories born and amended out.

Within a batch each candidate must see what the ones before it did: it is decided on the draft's
`view`. Guarantees: a replacement exists before the old one is retired (both are in
the same plan), links and validity are set on both sides, ids are unique in the vault. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engram.admit.confidence import confidence_of
from engram.admit.ladder import outranks
from engram.admit.refusal_event import denial
from engram.admit.same import confirmed, fulfilled
from engram.model.candidate import Candidate
from engram.model.change import Event
from engram.model.ids import memory_id
from engram.model.instant import Instant
from engram.model.item import kind_of, store_of
from engram.model.memory import Memory, dating
from engram.model.numbering import place_of
from engram.model.overlay import Overlay
from engram.model.refusal_codes import OUTRANKED
from engram.model.retention import Terms, expiry, renewed
from engram.model.succession import CONTRADICTION, LOWER_AUTHORITY, disputed, superseded
from engram.model.trace import (
    BORDER_CHECK,
    CONFLICT,
    DELETED,
    KIND,
    PROMOTED,
    PROMOTED_AS,
    PROMOTION_DENIED,
    STORE,
    WRITE,
    reason_gone,
)
from engram.model.verdict import CASTS_DOUBT, GIVEN_BEFORE, MemoryPatch, Verdict
from engram.model.view import VaultView


def memory_of(candidate: Candidate, identifier: str = "") -> Memory:
    """The memory that a candidate would become, as yet without an end of its life.

    What is the person's own, and not of a project, stays in the house whatever its words are.
    """
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.gate.sensitivity import sensitivity_of

    said = "\n".join((candidate.text, *(text for _, text in candidate.sections)))
    sensitivity = sensitivity_of(said) if candidate.space == "project" else "internal"
    receipts = (candidate.receipt, *candidate.also)
    return Memory(
        id=identifier,
        category=candidate.category,
        text=candidate.text,
        kind=candidate.kind,
        schema=candidate.schema,
        title=candidate.title,
        created=candidate.receipt.time,
        valid_from=candidate.valid_from,
        confidence=confidence_of(candidate),
        importance=round(candidate.importance, 2),
        sensitivity=sensitivity,
        authority=candidate.authority,
        project=candidate.project,
        space=candidate.space,
        key=candidate.slot,
        quote=candidate.receipt.quote,
        tags=candidate.tags,
        entities=candidate.entities,
        sources=tuple(dict.fromkeys(receipt.link for receipt in receipts if receipt.link)),
        extra=(*candidate.fields, *dating(guessed=candidate.receipt.guessed)),
        sections=candidate.sections,
        related_files=candidate.related_files,
        aliases=candidate.aliases,
    )


def _sensitivity(memory: Memory) -> str:
    """How far a record may go once more is known of it: never farther than before."""
    from engram.admit.gate.sensitivity import sensitivity_of

    if memory.sensitivity != "public":
        return memory.sensitivity
    return sensitivity_of("\n".join(text for _, text in memory.sections))


class AdmissionDraft:
    """What verdicts make of a vault; `view` is the vault once this plan is committed."""

    def __init__(self, under: VaultView, terms: Terms, now: Instant) -> None:
        self.view = Overlay(under)
        self._terms = terms
        self._now = now
        #: how the memories of the view were, None for those that are new
        self._before: dict[str, Memory | None] = {}
        self.events: list[Event] = []

    # -- verdicts ------------------------------------------------------------------------------

    def enter(self, verdict: Verdict) -> Memory | None:
        """Apply a verdict; returns the memory that now stands for the candidate, if any."""
        candidate = verdict.candidate
        if verdict.decision == "refuse":
            self.events.append(denial(verdict))
            if verdict.code == OUTRANKED:
                self._lose("", verdict, **self._item(candidate))
            return None
        if verdict.decision == "same":
            return self._confirm(verdict)
        if verdict.patch is not None:
            return self._patch(verdict, verdict.patch)
        born = self._birth(candidate)
        wish = candidate.wish
        details = {
            "rule": candidate.rule, "left_out": " ".join(verdict.left_out),
            "wish": wish.code if wish is not None and wish.space == born.space else "",
        }  # fmt: skip
        self._event(WRITE, born.id, verdict, category=born.category, **details)
        if verdict.decision == "review":
            if verdict.rung:
                self._lose(born.id, verdict)
            born = self._dispute(born, verdict)
        elif verdict.code == "older_than_holder":
            born = self._make_history(born, verdict)
        else:
            born = self._prevailing(born, verdict)
        self._put(born)
        return born

    def _prevailing(self, stands: Memory, verdict: Verdict) -> Memory:
        """A memory that stands, and what becomes of those that its verdict names."""
        if verdict.decision == "supersede":
            stands = replace(
                stands, supersedes=tuple(dict.fromkeys((*stands.supersedes, *verdict.memories)))
            )
            for identifier in verdict.memories:
                self._retire(identifier, stands, verdict)
        elif verdict.code == CASTS_DOUBT:
            for identifier in verdict.memories:
                self._doubt(identifier, stands, LOWER_AUTHORITY, verdict)
        elif verdict.code == "replaces_part":
            for identifier in verdict.memories:
                self._note("memory_replaced_in_part", identifier, by=stands.id)
        return stands

    # -- promotion -----------------------------------------------------------------------------

    def move(self, after: Memory, verdict: Verdict, promotion: Mapping[str, str]) -> None:
        """A memory in the space that a verdict lets it into; `promotion` are the event's details.

        The item that it becomes there is numbered by the event.
        """
        self._put(self._prevailing(after, verdict))
        self._note(PROMOTED, after.id, **promotion, **dict(place_of(after)))

    def join(self, before: Memory, verdict: Verdict, promotion: Mapping[str, str]) -> Memory:
        """A memory gives way to one that says the same where it was to go, which is confirmed."""
        owner = self._confirm(verdict)
        after = superseded(before, owner, PROMOTED_AS, self._now)
        self._put(after)
        self._note(PROMOTED, before.id, **promotion, into=owner.id)
        return after

    def take(self, copy: Memory, verdict: Verdict) -> None:
        """A memory of another vault as it is to be here; it keeps its id."""
        told = {"category": copy.category, **dict(place_of(copy))}
        self._event(WRITE, copy.id, verdict, **told)
        self._put(self._prevailing(copy, verdict))

    def leave(self, after: Memory, promotion: Mapping[str, str]) -> None:
        """A memory that another vault has now, out of use here."""
        self._put(after)
        self._note(PROMOTED, after.id, **promotion)

    def stay(self, after: Memory, verdict: Verdict | None, denial: Mapping[str, str]) -> None:
        """A memory that may not leave its space; `verdict` is that of a contest which it lost."""
        if verdict is not None and verdict.rung:
            self._lose(after.id, verdict)
        if self.view.memory(after.id) != after:
            self._put(after)
        self._note(PROMOTION_DENIED, after.id, **denial)

    def check(self, subject: str, **details: str) -> None:
        """What the rules of promotion said of a memory."""
        self._note(BORDER_CHECK, subject, **details)

    def _confirm(self, verdict: Verdict) -> Memory:
        owner = self.view.memory(verdict.memories[0])
        assert owner is not None  # the decider named it from this very draft
        if verdict.candidate.fulfils:
            name, after = "memory_fulfilled", fulfilled(owner, verdict.candidate)
        elif verdict.code == GIVEN_BEFORE:
            return owner
        else:
            name = "memory_confirmed"
            after = confirmed(owner, verdict.candidate, self._now, self._terms)
        if after != owner:
            self._put(after)
            self._event(name, owner.id, verdict, sources=str(len(after.sources)))
        return after

    def _patch(self, verdict: Verdict, patch: MemoryPatch) -> Memory:
        """A record with what is new in it, its receipts and a new term; or one out of use."""
        before, after = self.view.memory(patch.after.id), patch.after
        assert before is not None  # the decider named it from this very draft
        receipts = (verdict.candidate.receipt, *verdict.candidate.also)
        links = (receipt.link for receipt in receipts if receipt.link)
        after = replace(after, sources=tuple(dict.fromkeys((*after.sources, *links))))
        name, why = DELETED, {"reason": reason_gone(after), "why": patch.reason}
        if verdict.decision == "update":
            name, why = "memory_updated", {"why": patch.reason}
            term = renewed(before, after, self._now, self._terms)
            after = replace(after, expires=term, sensitivity=_sensitivity(after))
        self._put(after)
        self._event(
            name, after.id, verdict, fields=" ".join(patch.fields),
            left_out=" ".join(verdict.left_out), **why,
        )  # fmt: skip
        return after

    def _birth(self, candidate: Candidate) -> Memory:
        created = candidate.receipt.time
        name = base = memory_id(candidate.category, created, candidate.text)
        number = 1
        while self.view.taken([name]):
            number += 1
            name = f"{base}-{number}"
        memory = memory_of(candidate, name)
        return replace(memory, expires=expiry(memory, self._now, self._terms))

    def _retire(self, identifier: str, by: Memory, verdict: Verdict) -> None:
        """Supersede: the loser keeps its words; status, link and end of validity change."""
        loser = self.view.memory(identifier)
        if loser is None or not loser.live:
            return
        self._put(superseded(loser, by, verdict.code, self._now))
        self._beaten(loser, by, verdict)

    def _dispute(self, born: Memory, verdict: Verdict) -> Memory:
        """Nothing is overwritten, the person decides between both sides (design 5.5).

        A memory that the new one may not replace stays as it is: what loses casts no doubt.
        """
        for identifier in verdict.memories if verdict.code == CONTRADICTION else ():
            self._doubt(identifier, born, verdict.code, verdict)
        return disputed(born, verdict.memories, verdict.code, self._now)

    def _doubt(self, identifier: str, born: Memory, code: str, verdict: Verdict) -> None:
        other = self.view.memory(identifier)
        if other is not None and other.live and not outranks(other, verdict.candidate):
            self._put(disputed(other, (born.id,), code, self._now))
            evidence = self._evidence(other, verdict)
            self._note("memory_disputed", other.id, by=born.id, **evidence)

    def _lose(self, loser: str, verdict: Verdict, **details: str) -> None:
        """A memory stands against what is told anew: '' for what becomes no memory."""
        winner, link = verdict.memories[0], verdict.candidate.receipt.link
        self._note(CONFLICT, loser, winner=winner, rule=verdict.rung, source=link, **details)

    def _make_history(self, born: Memory, verdict: Verdict) -> Memory:
        newer = self.view.memory(verdict.memories[0])
        assert newer is not None  # named by the decider from this draft
        self._put(replace(newer, supersedes=(*newer.supersedes, born.id)))
        self._beaten(born, newer, verdict)
        return superseded(born, newer, "older_than_holder", self._now)

    def _put(self, memory: Memory) -> None:
        if memory.id not in self._before:
            self._before[memory.id] = self.view.memory(memory.id)
        self.view.put(memory)

    # -- outcome -------------------------------------------------------------------------------

    @property
    def born(self) -> Sequence[Memory]:
        """The new memories, in the order of their candidates."""
        return [self.view.memories[name] for name, old in self._before.items() if old is None]

    @property
    def amended(self) -> Sequence[tuple[Memory, Memory]]:
        """`(before, after)` of the memories that the vault had already."""
        return [(old, self.view.memories[name]) for name, old in self._before.items() if old]

    def _event(self, name: str, subject: str, verdict: Verdict, **details: str) -> None:
        candidate = verdict.candidate
        self._note(
            name,
            subject,
            code=verdict.code,
            origin=candidate.origin,
            source=candidate.receipt.link,
            **self._item(candidate),
            **{name: str(value) for name, value in verdict.factors},
            **details,
        )

    @staticmethod
    def _item(candidate: Candidate) -> dict[str, str]:
        """The details that the item of a candidate is numbered by; none where it has one."""
        if candidate.leaves:
            return {}
        store = store_of(candidate.space, candidate.project, candidate.conversation)
        return {STORE: str(store), KIND: kind_of(candidate.slot)}

    def _beaten(self, loser: Memory, by: Memory, verdict: Verdict) -> None:
        """Of two memories one stands: by which rule, and what became of the other."""
        link = verdict.candidate.receipt.link
        self._note(CONFLICT, loser.id, winner=by.id, rule=verdict.rung, source=link)
        self._note(
            DELETED, loser.id, reason="superseded", replaced_by=by.id,
            **self._evidence(loser, verdict),
        )  # fmt: skip

    def _evidence(self, older: Memory, verdict: Verdict) -> dict[str, str]:
        """What was compared, and both sources."""
        return {
            "code": verdict.code, "judged": verdict.judged,
            "source": verdict.candidate.receipt.link, "against": "".join(older.sources[:1]),
        }  # fmt: skip

    def _note(self, name: str, subject: str, **details: str) -> None:
        kept = tuple((key, value) for key, value in details.items() if value)
        self.events.append(Event(name, subject, kept))
