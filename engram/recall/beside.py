"""Memory of a vault that is read beside the one that is asked -> the same as it counts there.

It is called by the label of its vault, lies at its whole path and has no transcripts here. In a
vault that is shared with others the header is a claim: the space is the one that the vault was
registered for, the project the one that it serves here, the authority no higher than its
registration says. What stands there was meant for every agent it serves, but for a secret. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

from engram.model.authority import authority_rank
from engram.model.memory import Audience, Memory
from engram.model.vault_label import labelled_id


class Beside(NamedTuple):
    """A vault that is read beside another one.

    `root` is its real path. `shares` is the space that it is shared in, '' for a vault of the
    person's own, of which the `spaces` are read; `project` the one that it serves here, `authority`
    the most that a header in it may claim.
    """

    label: str
    root: str
    spaces: tuple[str, ...]
    shares: str = ""
    project: str = ""
    authority: str = ""


def seen_beside(memory: Memory, vault: Beside) -> Memory:
    """The memory as it counts beside those of the vault that is asked."""
    name = partial(labelled_id, vault.label)
    seen = replace(
        memory, id=name(memory.id), path=f"{vault.root}/{memory.path}", sources=(),
        conflicts=(*map(name, memory.conflicts),), supersedes=(*map(name, memory.supersedes),),
        superseded_by=(*map(name, memory.superseded_by),),
    )  # fmt: skip
    if not vault.shares:
        return seen
    return replace(
        seen, space=vault.shares, project=project_beside(memory.project, vault),
        authority=min(memory.authority, vault.authority, key=authority_rank),
    )  # fmt: skip


def project_beside(project: str, vault: Beside) -> str:
    """The project that a memory of such a vault belongs to, by that of its header."""
    if not vault.shares:
        return project
    return (vault.project or project) if vault.shares == "project" else ""


def audience_beside(audience: Audience, vault: Beside) -> Audience:
    """To whom a memory of such a vault may be given."""
    if audience == "nobody" or not vault.shares:
        return audience
    return "project" if vault.shares == "project" else "everyone"
