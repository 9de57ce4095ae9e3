"""The inspection: gather what the audit judges from one vault. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from engram.admit.admission_context import AdmissionContext
from engram.consolidate.candidate_pairs import pairs
from engram.consolidate.context import PassContext
from engram.consolidate.passes.contradictions import linked
from engram.consolidate.passes.duplicates import exactly, groups, names
from engram.health.audit import AuditEvidence
from engram.model.candidate import Candidate
from engram.model.memory import Memory
from engram.model.ports import Heard
from engram.model.shown import SourceStep
from engram.model.trace import WRITE
from engram.model.turn import Turn
from engram.queries.checks import with_secrets
from engram.queries.dead_links import VaultLinks
from engram.queries.judgements import told_by_person
from engram.queries.junk import junk_codes, proposed_anew, unmeant_codes
from engram.queries.lookup import Lookup
from engram.store.base.disk import VaultDisk
from engram.store.commits.attributed_turns import AttributedTurns
from engram.store.commits.projections import Projections


def inspect(
    context: PassContext, disk: VaultDisk, projections: Projections, lookup: Lookup,
    clean: Callable[[str], bool], heard: Heard, attributed: AttributedTurns,
    conversation: Callable[[str], Sequence[Turn]],
) -> AuditEvidence:  # fmt: skip
    """Everything that the audit asks; `context` is that of a full consolidation, `conversation`
    gives the turns of one by its transcript."""
    admission = AdmissionContext(
        context.view, clean, context.settings, context.now, context.judge, heard=heard
    )
    catalog, view = projections.catalog, context.view
    memories = list(catalog.memories())
    live = [memory for memory in memories if memory.live]
    at = {memory.path: memory.id for memory in memories}
    vault_links = VaultLinks(disk, projections)
    dead = [(one.id or one.path, one.why) for one in vault_links.dead()]
    made = _made(live, projections, lookup, admission)
    return AuditEvidence(
        now=context.now,
        memories=memories,
        exact=list(groups(live, exactly)),
        near=list(groups(live, names)),
        disagreeing=list(_disagreeing(context)),
        roles=_roles(projections, attributed, memories),
        secrets=[at[path] for path in with_secrets(disk, sorted(at), clean)],
        typed=_typed(projections),
        boxes=view.boxes(),
        summaries=view.summaries(),
        entities=view.entities(),
        unboxed=view.unboxed(),
        rules=_rules(projections, live),
        junk=junk_codes(made, admission),
        unmeant=unmeant_codes(made, conversation),
        confirmed=frozenset(subject for subject, _ in catalog.log.named("memory_confirmed")),
        links=vault_links.looked_at,
        dead=dead,
        accesses=view.accesses(memory.id for memory in live),
    )


def _disagreeing(context: PassContext) -> Iterator[tuple[Memory, Memory, str]]:
    """Live pairs that do not agree, and of which the person was not asked yet."""
    for older, newer in pairs(context):
        said = context.judge.compare(older, newer)
        replaced = said.relation == "supersedes" and said.sure and not said.partial
        if (replaced or said.relation == "contradicts") and not linked(older, newer):
            yield older, newer, said.why


def _roles(
    projections: Projections, attributed: AttributedTurns, memories: Iterable[Memory]
) -> dict[str, str]:
    """Who spoke each turn that is known, as far as a memory cites it."""
    turns = projections.catalog.turns
    cited = sorted({link for memory in memories for link in memory.sources})
    rows = turns.behind_links(cited)
    said = attributed.roles(rows.values())
    spoken = {link: said[row.seq] for link, row in rows.items()}
    return dict.fromkeys(turns.all_links(), "") | spoken


def _typed(projections: Projections) -> frozenset[str]:
    """The memories that the person wrote, told or vouched for: they need no receipt."""
    vouched = projections.catalog.log.named("memory_confirmed")
    theirs = {name for name, about in vouched if about.get("by") == "person"}
    return told_by_person(projections.catalog) | theirs


def _rules(projections: Projections, live: Iterable[Memory]) -> dict[str, str]:
    """The rule behind each live memory that one had made."""
    here = {memory.id for memory in live}
    born = projections.catalog.log.named(WRITE)
    return {
        subject: details["rule"]
        for subject, details in born
        if subject in here and details.get("rule")
    }


def _made(
    live: Sequence[Memory], projections: Projections, lookup: Lookup, admission: AdmissionContext
) -> dict[str, Candidate]:
    """Each live memory that rules or a model made, as it would be proposed today, by its id."""
    log, theirs = projections.catalog.log, _typed(projections)
    steps = {
        subject: SourceStep(details["origin"], details.get("rule", ""))
        for subject, details in log.named(WRITE)
        if details.get("origin") in ("rules", "model") and subject not in theirs
    }
    made = [memory for memory in live if memory.id in steps]
    turns = lookup.turns(sorted({link for memory in made for link in memory.sources}))
    return proposed_anew(made, steps, turns, admission)
