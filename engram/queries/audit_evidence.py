"""The inspection: gather what the audit judges from one vault. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engram.consolidate.candidate_pairs import pairs
from engram.consolidate.context import Scene
from engram.consolidate.passes.contradictions import linked
from engram.consolidate.passes.duplicates import exactly, groups, names
from engram.health.audit import Evidence
from engram.model.memory import Memory
from engram.queries.checks import with_secrets
from engram.store.base.disk import VaultDisk
from engram.store.commits.projections import Followers


def inspect(
    scene: Scene, disk: VaultDisk, followers: Followers, clean: Callable[[str], bool]
) -> Evidence:
    """Everything that the audit asks; `scene` is that of a full consolidation."""
    catalog, contents = followers.catalog, scene.contents
    memories = list(catalog.memories())
    live = [memory for memory in memories if memory.live]
    at = {memory.path: memory.id for memory in memories}
    return Evidence(
        now=scene.now,
        memories=memories,
        exact=list(groups(live, exactly)),
        near=list(groups(live, names)),
        disagreeing=list(_disagreeing(scene)),
        roles=_roles(followers, memories),
        secrets=[at[path] for path in with_secrets(disk, sorted(at), clean)],
        typed=_typed(followers),
        boxes=contents.boxes(),
        entities=contents.entities(),
        unboxed=contents.unboxed(),
        rules=_rules(followers, live),
        confirmed=frozenset(subject for subject, _ in catalog.log.named("memory_confirmed")),
        accesses=contents.accesses(memory.id for memory in live),
    )


def _disagreeing(scene: Scene) -> Iterator[tuple[Memory, Memory, str]]:
    """Live pairs of which the judge is sure that they cannot both be so."""
    for older, newer in pairs(scene):
        said = scene.judge.compare(older, newer)
        against = said.relation in ("supersedes", "contradicts") and not said.partial
        if said.sure and against and not linked(older, newer):
            yield older, newer, said.why


def _roles(followers: Followers, memories: Iterable[Memory]) -> dict[str, str]:
    """Who spoke each turn that is known, as far as a memory cites it."""
    turns = followers.catalog.turns
    cited = sorted({link for memory in memories for link in memory.sources})
    spoken = {link: row.role for link, row in turns.behind_links(cited).items()}
    return dict.fromkeys(turns.all_links(), "") | spoken


def _typed(followers: Followers) -> frozenset[str]:
    """The memories that the person wrote as files, or vouched for: they need no receipt."""
    log = followers.catalog.log
    created = {name for name, details in log.named("hand_edit") if details.get("what") == "created"}
    vouched = {name for name, about in log.named("memory_confirmed") if about.get("by") == "person"}
    return frozenset(created | vouched)


def _rules(followers: Followers, live: Iterable[Memory]) -> dict[str, str]:
    """The rule behind each live memory that one had made."""
    here = {memory.id for memory in live}
    born = followers.catalog.log.named("memory_created")
    return {
        subject: details["rule"]
        for subject, details in born
        if subject in here and details.get("rule")
    }
