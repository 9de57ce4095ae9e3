"""Sharing: which shared vault takes memories of the person's own, and their promotion into it.

Refuses (NotFound, BadInput, Untrusted) where no shared vault takes them or more than one does, and
where the one that does is gone, or is not the one that was registered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.errors import BadInput, EngramError, NotFound, Untrusted
from engram.model.promotion import PROMOTED_FROM
from engram.settings.registry import Registry
from engram.settings.shared_vaults import takers
from engram.settings.vaults_read import vault_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.memory import Memory
    from engram.model.report import Promotion
    from engram.pipeline.shared_promotion import SharingTerms
    from engram.settings.registry import Registered
    from engram.vault import Vault


def goes_into_shared(memory: Memory, to_space: str, vault: Vault) -> bool:
    """Whether it is a shared vault that a memory is asked to be promoted into.

    What is in project space is there already, and what holds for everybody is shared where there is
    a vault for it.
    """
    if to_space == "system":
        return bool(_takers(memory, to_space, vault))
    if not to_space == memory.space == "project":
        return False
    # what was promoted there before, perhaps in another window, is no mistake
    return PROMOTED_FROM not in memory.extras or bool(_takers(memory, to_space, vault))


def share(
    memories: Sequence[Memory], to_space: str, terms: SharingTerms, vault: Vault, *, dry_run: bool
) -> list[Promotion]:
    """Promote memories of one vault into the shared one that takes them.

    All are judged before the first is written.
    """
    entries = {memory.id: _taker(memory, to_space, vault) for memory in memories}
    if len(set(entries.values())) > 1:
        raise BadInput("they go into different shared vaults", "promote those of one project first")
    entry = next(iter(entries.values()))
    with _opened(entry, vault) as target:
        judged = []
        for name in entries if dry_run or len(entries) > 1 else ():
            try:
                judged.append(_promoted(name, target, entry, terms, vault, dry_run=True))
            except BadInput:
                if not dry_run:  # again, so that it is logged
                    _promoted(name, target, entry, terms, vault, dry_run=False)
                raise
        if dry_run:
            return judged
        done = [_promoted(name, target, entry, terms, vault, dry_run=False) for name in entries]
        target.ready_for_readers()
        return done


def _promoted(
    name: str, target: Vault, entry: Registered, terms: SharingTerms, vault: Vault, *, dry_run: bool
) -> Promotion:
    from engram.pipeline.shared_promotion import SharedVault, promote_into

    label = vault_label(entry.path, vault.parts.places.home)
    shared = SharedVault(target.parts, target.id, str(entry.path), label, entry.sharing.space)
    return promote_into(name, shared, terms, vault.parts, dry_run=dry_run)


def _takers(memory: Memory, to_space: str, vault: Vault) -> list[Registered]:
    places = vault.parts.places
    return takers(Registry(places).entries(), to_space, memory.project, places.home)


def _taker(memory: Memory, to_space: str, vault: Vault) -> Registered:
    found = _takers(memory, to_space, vault)
    if not found:
        serves = f"project {memory.project}" if memory.project else "it, which names no project"
        raise NotFound(
            f"{memory.id} is in {to_space} space already, and no shared vault serves {serves}",
            "`engram init --shared project PATH` makes one, `engram trust PATH --for PROJECT`"
            " names it",
            code="PROMOTION_ERROR",
        )
    if len(found) > 1:
        several = ", ".join(str(one.path) for one in found)
        raise BadInput(
            f"more than one shared vault takes {memory.id}: {several}",
            f"`engram trust {found[-1].path}` with another --for, so that one of them does not",
        )
    return found[0]


def _opened(entry: Registered, vault: Vault) -> Vault:
    """The shared vault that was registered."""
    parts = vault.parts
    if not entry.path.is_dir():
        raise NotFound(
            f"the shared vault {entry.path} is gone",
            "`git checkout` its folder, or clone it again there; then `engram trust` it",
        )
    opened = type(vault).open(entry.path, environment=parts.environment, adapters=parts.adapters)
    problem: EngramError | None = opened.parts.sharing_problem
    if opened.parts.entry != entry:
        problem = Untrusted(
            f"{entry.path} is not the vault that was registered",
            f"look at it; then `engram trust {entry.path}`",
        )
    if problem is not None:
        opened.close()
        raise problem
    return opened
