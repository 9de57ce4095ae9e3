"""Refused candidates: found anew in the turns that they came from, and kept if the person says so.

Nothing refused is stored: the rules read the turn again, behind the turns before it. What a model
alone had proposed is not found so. What is kept becomes the person's own memory, with the turn as
its receipt and an event that takes the refusal back. Refused: keeping what a security row refused,
and what was forgotten or purged meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.draft import AdmissionDraft
from engram.extract.voice import voiced
from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.markdown import neutralise
from engram.model.refusal_codes import KEPT, is_withheld, meaning
from engram.model.report import Remembered
from engram.model.text import content_hash
from engram.model.turn import Turn
from engram.model.verdict import Verdict
from engram.pipeline.batch import Batch
from engram.pipeline.dictation import vouched
from engram.pipeline.extraction import admit_all
from engram.pipeline.first_pages import first_pages
from engram.pipeline.ports import Ports
from engram.pipeline.writing import writing


def refused_anew(turns: Iterable[Sequence[Turn]], ports: Ports) -> list[Verdict]:
    """What the rules propose of the last turn of each row now, and what refuses it.

    Without what a memory says already: it was kept, or said in another way.
    """
    now = ports.clock.now()
    draft = AdmissionDraft(ports.view, ports.terms, now)
    found: list[Verdict] = []
    for row in turns:
        said = row[-1]
        proposed = voiced(ports.rules.extract(row), row, ports.heard)
        candidates = [one for one in proposed if one.receipt.message == said.message]
        batch = Batch(said.transcript, (), tuple(row), "", candidates=tuple(candidates))
        found += admit_all(batch, draft, ports, now)
    return [one for one in found if one.decision == "refuse" and not _is_known(one, ports)]


def _is_known(verdict: Verdict, ports: Ports) -> bool:
    one = verdict.candidate
    scope = one.scope
    owners = ports.view.owners(content_hash(neutralise(one.text), scope))
    return any(owner.live or one.receipt.link in owner.sources for owner in owners)


def keep(verdict: Verdict, in_sight: Callable[[str], bool], ports: Ports) -> Remembered:
    """Admit what was refused as the person's own, in one transaction.

    `in_sight` tells whether the turn behind a link can still be read. Raises BadInput.
    """
    link = verdict.candidate.receipt.link
    if is_withheld(verdict.code):
        raise BadInput(f"{verdict.code}: it is kept by no key", "`engram remember TEXT`")
    with writing(ports):
        if not in_sight(link):
            raise BadInput("its turn was forgotten or purged", "`engram log` shows it")
        now = ports.clock.now()
        draft = AdmissionDraft(ports.view, ports.terms, now)
        admission = AdmissionContext(
            draft.view, ports.redactor.clean, ports.settings, now, ports.judge, policy=ports.policy
        )
        found = admit(vouched(verdict.candidate), admission)
        memory = draft.enter(found)
        if memory is None:
            why = f"refused: {found.code} ({meaning(found.code)})"
            raise BadInput(why, "`engram remember TEXT`, in other words")
        kept = Event(KEPT, memory.id, (("code", verdict.code), ("source", link)))
        changes = ports.writer.changes(draft.born, draft.amended)
        changes = [*changes, *first_pages(draft.born, ports)]
        ports.committer.commit(Plan("review", tuple(changes), (*draft.events, kept)))
        return Remembered(found.decision, found.code, ports.view.memory(memory.id) or memory)
