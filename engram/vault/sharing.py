"""Promotion by hand: within the vault that is asked, or into the shared one that takes it.

Refuses (NotFound, BadInput, Untrusted) where no shared vault takes them or more than one does, and
where the one that does is gone, or is not the one that was registered.
"""

from __future__ import annotations

import math
from contextlib import closing
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, EngramError, NotFound, Untrusted
from engram.model.promotion import PROMOTED_FROM, PROMOTION_ERROR
from engram.pipeline.promoting import promote_by_hand
from engram.pipeline.shared_promotion import SharedVault, promote_into
from engram.settings.registry import Registry
from engram.settings.shared_vaults import takers
from engram.settings.vaults_read import vault_label
from engram.vault.vaults_beside import take_up
from engram.vault.wiring import parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engram.model.memory import Memory
    from engram.model.report import Promotion
    from engram.pipeline.promoting import AskedPromotion
    from engram.pipeline.shared_promotion import SharingTerms
    from engram.settings.registry import Registered
    from engram.vault.wiring import VaultParts


def promote(
    references: Sequence[str], asked: AskedPromotion, terms: SharingTerms, parts: VaultParts, *,
    dry_run: bool,
) -> Sequence[Promotion]:  # fmt: skip
    """Promote all of these memories or none, to where the space that is asked for lies."""

    def named() -> list[Memory]:
        return [parts.lookup.memory(reference) for reference in references]

    parts.check_takes_words()
    parts.settler.within(math.inf)
    memories = {one.id: one for one in named()}
    shared = [one for one in memories.values() if _goes_into_shared(one, asked.to_space, parts)]
    if not shared:
        return promote_by_hand(named, asked, parts, dry_run=dry_run)
    if len(shared) < len(memories):
        raise BadInput(
            f"{shared[0].id} is in {asked.to_space} space already, and others are not",
            "promote it apart: it goes into a shared vault",
        )
    agent = asked.reader.by if asked.by_agent else ""
    return _share(shared, asked.to_space, terms._replace(agent=agent), parts, dry_run=dry_run)


def _goes_into_shared(memory: Memory, to_space: str, parts: VaultParts) -> bool:
    """Whether it is a shared vault that a memory is asked to be promoted into.

    What holds for everybody is, where there is a vault for it. What is in project space already is,
    unless it was promoted there and nobody shares it: who asks twice is told that it is there.
    """
    if to_space == "system":
        return bool(_takers(memory, to_space, parts))
    if not to_space == memory.space == "project":
        return False
    # what was promoted there before, perhaps in another window, is no mistake
    return PROMOTED_FROM not in memory.extras or bool(_takers(memory, to_space, parts))


def _share(
    memories: Sequence[Memory], to_space: str, terms: SharingTerms, parts: VaultParts, *,
    dry_run: bool,
) -> list[Promotion]:  # fmt: skip
    """Promote memories of one vault into the shared one that takes them.

    All are judged before the first is written.
    """
    entries = {memory.id: _taker(memory, to_space, parts) for memory in memories}
    if len(set(entries.values())) > 1:
        raise BadInput("they go into different shared vaults", "promote those of one project first")
    entry = next(iter(entries.values()))
    with closing(_opened(entry, parts)) as target:
        label = vault_label(entry.path, parts.places.home)
        root, space = str(entry.path), entry.sharing.space
        shared = SharedVault(target, target.header.id, root, label, space)
        judged = []
        for name in entries if dry_run or len(entries) > 1 else ():
            try:
                judged.append(promote_into(name, shared, terms, parts, dry_run=True))
            except BadInput:
                if not dry_run:  # again, so that it is logged
                    promote_into(name, shared, terms, parts)
                raise
        if dry_run:
            return judged
        done = [promote_into(name, shared, terms, parts) for name in entries]
        take_up(target)
        return done


def _takers(memory: Memory, to_space: str, parts: VaultParts) -> list[Registered]:
    home = parts.places.home
    return takers(Registry(parts.places).entries(), to_space, memory.project, home)


def _taker(memory: Memory, to_space: str, parts: VaultParts) -> Registered:
    found = _takers(memory, to_space, parts)
    if not found:
        serves = f"project {memory.project}" if memory.project else "it, which names no project"
        raise NotFound(
            f"{memory.id} is in {to_space} space already, and no shared vault serves {serves}",
            "`engram init --shared project PATH` makes one, `engram trust PATH --for PROJECT`"
            " names it",
            code=PROMOTION_ERROR,
        )
    if len(found) > 1:
        several = ", ".join(str(one.path) for one in found)
        raise BadInput(
            f"more than one shared vault takes {memory.id}: {several}",
            f"`engram trust {found[-1].path}` with another --for, so that one of them does not",
        )
    return found[0]


def _opened(entry: Registered, parts: VaultParts) -> VaultParts:
    """The shared vault that was registered."""
    if not entry.path.is_dir():
        raise NotFound(
            f"the shared vault {entry.path} is gone",
            f"`git checkout` its folder, or clone it again there; then `engram trust {entry.path}`",
        )
    opened = parts_of(entry.path, parts.environment, parts.adapters)
    problem: EngramError | None = opened.sharing_problem
    if opened.entry != entry:
        problem = Untrusted(
            f"{entry.path} is not the vault that was registered",
            f"look at it; then `engram trust {entry.path}`",
        )
    if problem is not None:
        opened.close()
        raise problem
    return opened
