"""Sharing: which shared vault takes memories of the person's own, and their promotion into it.

Refuses (NotFound, BadInput, Untrusted) where no shared vault takes them or more than one does, and
where the one that does is gone, or is not the one that was registered.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, NotFound, Untrusted
from engram.settings.load import load
from engram.settings.registry import Registry
from engram.settings.shared_vaults import takers
from engram.settings.vaults_read import vault_label
from engram.vault.vaults_beside import take_up

if TYPE_CHECKING:
    from engram.model.memory import Memory
    from engram.model.report import Promotion
    from engram.pipeline.promoting import AskedPromotion
    from engram.pipeline.shared_promotion import SharingTerms
    from engram.settings.registry import Registered
    from engram.vault.wiring import VaultParts


def promote(
    parts: VaultParts, references: Sequence[str], asked: AskedPromotion, terms: SharingTerms, *,
    dry_run: bool,
) -> Sequence[Promotion]:  # fmt: skip
    """Promote memories inside their vault, or into the shared one that takes them."""
    from engram.pipeline.promoting import promote_by_hand

    parts.check_takes_words()
    parts.settler.within(math.inf)
    memories = _named(references, parts)
    shared = [one for one in memories if _goes_into_shared(one, asked.to_space, parts)]
    if not shared:
        return promote_by_hand(lambda: _named(references, parts), asked, parts, dry_run=dry_run)
    if len(shared) < len(memories):
        raise BadInput(
            f"{shared[0].id} goes into a shared vault, and others of these do not",
            "promote those apart",
        )
    if asked.by_agent:
        terms = terms._replace(agent=asked.reader.by)
    return _share(shared, asked.to_space, terms, parts, dry_run=dry_run)


def _named(references: Sequence[str], parts: VaultParts) -> list[Memory]:
    """The memories of these names, each once."""
    found = (parts.lookup.memory(reference) for reference in references)
    return list({one.id: one for one in found}.values())


def _goes_into_shared(memory: Memory, to_space: str, parts: VaultParts) -> bool:
    """Whether it is a shared vault that a memory is asked to be promoted into.

    What is in project space is there already, and what holds for everybody is shared where there is
    a vault for it.
    """
    if to_space == "system":
        return bool(_takers(memory, to_space, parts))
    return to_space == memory.space == "project"


def _share(
    memories: Sequence[Memory],
    to_space: str,
    terms: SharingTerms,
    parts: VaultParts,
    *,
    dry_run: bool,
) -> list[Promotion]:
    """Promote memories of one vault into the shared one that takes them.

    All are judged before the first is written.
    """
    entries = {memory.id: _taker(memory, to_space, parts) for memory in memories}
    if len(set(entries.values())) > 1:
        raise BadInput("they go into different shared vaults", "promote those of one project first")
    entry = next(iter(entries.values()))
    with _opened(entry, parts) as target:
        judged = []
        for name in entries if dry_run or len(entries) > 1 else ():
            try:
                judged.append(_promoted(name, target, entry, terms, parts, dry_run=True))
            except BadInput:
                if not dry_run:  # again, so that it is logged
                    _promoted(name, target, entry, terms, parts, dry_run=False)
                raise
        if dry_run:
            return judged
        done = [_promoted(name, target, entry, terms, parts, dry_run=False) for name in entries]
        take_up(target)
        return done


def _promoted(
    name: str,
    target: VaultParts,
    entry: Registered,
    terms: SharingTerms,
    parts: VaultParts,
    *,
    dry_run: bool,
) -> Promotion:
    from engram.pipeline.shared_promotion import SharedVault, promote_into

    label = vault_label(entry.path, parts.places.home)
    shared = SharedVault(target, target.header.id, str(entry.path), label, entry.sharing.space)
    return promote_into(name, shared, terms, parts, dry_run=dry_run)


def _takers(memory: Memory, to_space: str, parts: VaultParts) -> list[Registered]:
    places = parts.places
    return takers(Registry(places).entries(), to_space, memory.project, places.home)


def _taker(memory: Memory, to_space: str, parts: VaultParts) -> Registered:
    found = _takers(memory, to_space, parts)
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


@contextmanager
def _opened(entry: Registered, parts: VaultParts) -> Iterator[VaultParts]:
    """The shared vault that was registered."""
    if not entry.path.is_dir():
        raise NotFound(
            f"the shared vault {entry.path} is gone",
            "`git checkout` its folder, or clone it again there; then `engram trust` it",
        )
    places, environment = parts.places, parts.environment
    loaded = load(entry.path, environment, {}, places)
    if loaded.vault is None or loaded.vault.id != entry.vault_id:
        raise Untrusted(
            f"{entry.path} is not the vault that was registered",
            f"look at it; then `engram trust {entry.path}`",
        )
    opened = type(parts)(entry.path, loaded, places, environment, parts.adapters, entry)
    try:
        if opened.sharing_problem is not None:
            raise opened.sharing_problem
        yield opened
    finally:
        opened.close()
