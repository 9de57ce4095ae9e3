"""Junk: the memories that rules or a model made -> the code that would refuse each of them today.

The tests are those of admission (`admit.decide`), on the words of the file and of the turn that it
quotes, and of extraction (`extract.withdrawn`), on the conversation around it. What the person
confirmed, told or wrote is theirs, and not tested; nor is a record of another store, which nobody
proposed: it is taken as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import gate_code
from engram.extract.imported import is_stated
from engram.extract.voice import voiced
from engram.extract.withdrawn import unmeant
from engram.model.candidate import Candidate, Receipt, Voice
from engram.model.record_note import STORE
from engram.model.sentences import sentences_around

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.shown import SourceStep
    from engram.model.turn import Turn


def proposed_anew(
    memories: Iterable[Memory],
    steps: Mapping[str, SourceStep],
    turns: Mapping[str, Turn],
    admission: AdmissionContext,
) -> dict[str, Candidate]:
    """Each memory that is to be tested as it would be proposed today, by its id.

    `steps` tell what made it, `turns` are those behind their receipts. One that quotes nothing is
    tested by its own words. Whose words it quotes is asked where a turn has just these.
    """
    found: dict[str, Candidate] = {}
    for memory in memories:
        step = steps.get(memory.id)
        if step is None:
            continue
        said = [turns[link] for link in memory.sources if link in turns]
        if any(turn.source == STORE for turn in said):
            continue
        turn = next((one for one in said if memory.quote and memory.quote in one.text), None)
        candidate = _proposed(memory, step, turn)
        if turn is not None:
            candidate = voiced([candidate], [turn], admission.heard)[0]
        found[memory.id] = candidate
    return found


def junk_codes(candidates: Mapping[str, Candidate], admission: AdmissionContext) -> dict[str, str]:
    """The code that would refuse each of them, '' for a sound one."""
    return {name: gate_code(one, admission) for name, one in candidates.items()}


def unmeant_codes(
    candidates: Mapping[str, Candidate], conversation: Callable[[str], Sequence[Turn]]
) -> dict[str, str]:
    """Why the person did not mean it, or took it back at once, of each that does not stand.

    `conversation` gives the turns of one by its transcript; each is read once.
    """
    told: dict[str, list[str]] = defaultdict(list)
    for name, one in candidates.items():
        told[one.conversation].append(name)
    found: dict[str, str] = {}
    for transcript, names in told.items():
        codes = unmeant([candidates[name] for name in names], conversation(transcript))
        found.update((name, code) for name, code in zip(names, codes, strict=True) if code)
    return found


def _proposed(memory: Memory, step: SourceStep, turn: Turn | None) -> Candidate:
    """A memory as it would have been proposed."""
    link = next(iter(memory.sources), memory.id)
    role, message = (turn.role, turn.message) if turn else ("user", link)
    local = turn.local if turn else ""
    told: Voice = "stored" if turn is not None and is_stated(turn) else "typed"
    return Candidate(
        category=memory.category,
        text=memory.text,
        receipt=Receipt(message, link, memory.quote or memory.text, role, memory.created, local),
        confidence=memory.confidence,
        importance=memory.importance,
        kind="episode" if memory.kind == "episode" else "note",
        schema=memory.schema,
        title=memory.title,
        tags=memory.tags,
        entities=memory.entities,
        project=memory.project,
        space=memory.space,
        slot=memory.key,
        fields=memory.extra,
        authority=memory.authority,
        origin="model" if step.origin == "model" else "rules",
        rule=step.rule,
        voice=told if role == "user" else "agent",
        sentence=sentences_around(turn.text, memory.quote) if turn else "",
    )
