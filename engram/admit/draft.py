"""The draft of one transaction: verdicts in, memories born and amended out.

Within a batch each candidate must see what the ones before it did, so the draft is itself a Known
on top of the vault's. Guarantees: a replacement exists before the old one is retired (both are in
the same plan), links and validity are set on both sides, ids are unique in the vault. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engram.admit.retention import expiry
from engram.admit.same import confirmed
from engram.admit.slot import outranks
from engram.model.candidate import Candidate
from engram.model.change import Event
from engram.model.ids import memory_id
from engram.model.instant import Instant
from engram.model.memory import Memory
from engram.model.ports import Known
from engram.model.settings import Settings
from engram.model.succession import CONTRADICTION, disputed, superseded
from engram.model.text import content_hash, words
from engram.model.verdict import Verdict

#: a word that more drafts hold finds none of them; so many are found at most
_COMMON, _NEIGHBOURS = 100, 8


def memory_of(candidate: Candidate, identifier: str = "") -> Memory:
    """The memory that a candidate would become, as yet without an end of its life."""
    return Memory(
        id=identifier,
        category=candidate.category,
        text=candidate.text,
        kind=candidate.kind,
        schema=candidate.schema,
        title=candidate.title,
        created=candidate.receipt.time,
        valid_from=candidate.valid_from,
        confidence=round(candidate.confidence, 3),
        importance=round(candidate.importance, 2),
        authority=candidate.authority,
        project=candidate.project,
        space=candidate.space,
        key=candidate.slot,
        quote=candidate.receipt.quote,
        tags=candidate.tags,
        entities=candidate.entities,
        sources=(candidate.receipt.link,) if candidate.receipt.link else (),
        extra=candidate.fields,
    )


class AdmissionDraft:
    """What the vault will know once this plan is committed; implements Known."""

    def __init__(self, known: Known, settings: Settings, now: Instant) -> None:
        self._known = known
        self._settings = settings
        self._now = now
        self._before: dict[str, Memory] = {}
        self._after: dict[str, Memory] = {}
        self._by_hash: dict[str, list[str]] = {}
        self._by_word: dict[str, list[str]] = {}
        self.events: list[Event] = []

    # -- Known ---------------------------------------------------------------------------------

    def memory(self, identifier: str) -> Memory | None:
        """The memory as this draft leaves it."""
        return self._after.get(identifier) or self._known.memory(identifier)

    def owners(self, hash: str) -> list[Memory]:
        """Every memory with this scoped content hash, drafts included."""
        found = [self._after.get(memory.id, memory) for memory in self._known.owners(hash)]
        known = {memory.id for memory in found}
        return found + [
            self._after[name] for name in self._by_hash.get(hash, ()) if name not in known
        ]

    def holders(self, slot: str, space: str, project: str) -> list[Memory]:
        """Live holders of a slot, drafts included; newest last."""
        found = {memory.id: memory for memory in self._known.holders(slot, space, project)}
        found.update(self._after)
        holding = [
            memory
            for memory in found.values()
            if memory.live and memory.key == slot and memory.space == space
            and (space != "project" or memory.project == project)
        ]  # fmt: skip
        return sorted(holding, key=lambda memory: (memory.created, memory.id))

    def around(self, candidate: Candidate) -> list[Memory]:
        """Live memories of a candidate's scope that share words with it, drafts included."""
        found = {
            memory.id: self._after.get(memory.id, memory)
            for memory in self._known.around(candidate)
        }
        shared = Counter(
            name
            for word in set(words(candidate.text))
            if len(names := self._by_word.get(word, ())) <= _COMMON
            for name in names
        )
        nearest = sorted((-count, name) for name, count in shared.items() if count > 1)
        for _, name in nearest[:_NEIGHBOURS]:
            found.setdefault(name, self._after[name])
        return [
            memory
            for memory in found.values()
            if memory.live and memory.space == candidate.space
            and (memory.space != "project" or memory.project == candidate.project)
        ]  # fmt: skip

    def taken(self, names: Iterable[str]) -> set[str]:
        """Those of the given ids that exist already, drafts included."""
        asked = set(names)
        return self._known.taken(asked) | (asked & set(self._after))

    # -- verdicts ------------------------------------------------------------------------------

    def enter(self, verdict: Verdict) -> Memory | None:
        """Apply a verdict; returns the memory that now stands for the candidate, if any."""
        candidate = verdict.candidate
        if verdict.decision == "refuse":
            self._event("candidate_refused", "", verdict, rule=candidate.rule)
            return None
        if verdict.decision == "same":
            return self._confirm(verdict)
        born = self._birth(candidate)
        self._event("memory_created", born.id, verdict, category=born.category, rule=candidate.rule)
        if verdict.decision == "supersede":
            born = replace(born, supersedes=verdict.memories)
            for identifier in verdict.memories:
                self._retire(identifier, born, verdict.code)
        elif verdict.decision == "review":
            born = self._dispute(born, verdict)
        elif verdict.code == "replaces_part":
            for identifier in verdict.memories:
                self._note("memory_replaced_in_part", identifier, by=born.id)
        elif verdict.code == "older_than_holder":
            born = self._make_history(born, verdict.memories[0])
        self._put(born)
        return born

    def _confirm(self, verdict: Verdict) -> Memory:
        owner = self.memory(verdict.memories[0])
        assert owner is not None  # the decider named it from this very draft
        after = confirmed(owner, verdict.candidate, self._now, self._settings.retention)
        if after != owner:
            self._put(after)
            self._event("memory_confirmed", owner.id, verdict, sources=str(len(after.sources)))
        return after

    def _birth(self, candidate: Candidate) -> Memory:
        created = candidate.receipt.time
        name = base = memory_id(candidate.category, created, candidate.text)
        number = 1
        while self.taken([name]):
            number += 1
            name = f"{base}-{number}"
        memory = memory_of(candidate, name)
        return replace(memory, expires=expiry(memory, self._now, self._settings.retention))

    def _retire(self, identifier: str, by: Memory, code: str) -> None:
        """Supersede: the loser keeps its words; status, link and end of validity change."""
        loser = self.memory(identifier)
        if loser is None or not loser.live:
            return
        self._put(superseded(loser, by, code, self._now))
        self._note("memory_superseded", identifier, by=by.id, code=code)

    def _dispute(self, born: Memory, verdict: Verdict) -> Memory:
        """Nothing is overwritten, the person decides between both sides (design 5.5).

        A memory that the new one may not replace stays as it is: low-trust text casts no doubt.
        """
        for identifier in verdict.memories:
            other = self.memory(identifier)
            doubted = verdict.code == CONTRADICTION and other is not None and other.live
            if doubted and other is not None and not outranks(other, verdict.candidate):
                self._put(disputed(other, (born.id,), verdict.code, self._now))
                self._note("memory_disputed", identifier, by=born.id, code=verdict.code)
        return disputed(born, verdict.memories, verdict.code, self._now)

    def _make_history(self, born: Memory, holder: str) -> Memory:
        newer = self.memory(holder)
        assert newer is not None  # named by the decider from this draft
        return superseded(born, newer, "older_than_holder", self._now)

    def _put(self, memory: Memory) -> None:
        if memory.id not in self._after and (before := self._known.memory(memory.id)):
            self._before[memory.id] = before
        if memory.id not in self._after:
            for word in set(words(memory.text)):
                self._by_word.setdefault(word, []).append(memory.id)
        self._after[memory.id] = memory
        names = self._by_hash.setdefault(content_hash(memory.text, memory.scope), [])
        if memory.id not in names:
            names.append(memory.id)

    # -- outcome -------------------------------------------------------------------------------

    @property
    def born(self) -> Sequence[Memory]:
        """The new memories, in the order of their candidates."""
        return [memory for name, memory in self._after.items() if name not in self._before]

    @property
    def amended(self) -> Sequence[tuple[Memory, Memory]]:
        """`(before, after)` of the memories that the vault had already."""
        return [(before, self._after[name]) for name, before in self._before.items()]

    def _event(self, name: str, subject: str, verdict: Verdict, **details: str) -> None:
        receipt = verdict.candidate.receipt
        self._note(
            name,
            subject,
            code=verdict.code,
            origin=verdict.candidate.origin,
            source=receipt.link,
            **details,
        )

    def _note(self, name: str, subject: str, **details: str) -> None:
        kept = tuple((key, value) for key, value in details.items() if value)
        self.events.append(Event(name, subject, kept))
