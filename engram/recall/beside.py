"""Memory of a vault that is read beside the one that is asked -> the same as it counts there.

It is called by the label of its vault and lies at its whole path. In a vault that is shared with
others the header is a claim: the space is the one that the vault was registered for, the project
the one that it serves here; of its authority its catalog has what counts. What stands there was
meant for every agent that the vault serves, but for a secret. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from engram.model.memory import Audience, Memory
from engram.model.vault_label import labelled_id


class Beside(NamedTuple):
    """A vault that is read beside another one.

    `root` is its real path. `shares` is the space that it is shared in, '' for a vault of the
    person's own, of which the `spaces` are read; `project` the one that it serves here. A memory of
    a project that one of the globs `apart` names belongs to that project alone.
    """

    label: str
    root: str
    spaces: tuple[str, ...]
    shares: str = ""
    project: str = ""
    apart: tuple[str, ...] = ()


def seen_beside(memory: Memory, vault: Beside) -> Memory:
    """The memory as it counts beside those of the vault that is asked."""
    name = partial(labelled_id, vault.label)
    seen = replace(
        memory, id=name(memory.id), path=f"{vault.root}/{memory.path}",
        conflicts=(*map(name, memory.conflicts),), supersedes=(*map(name, memory.supersedes),),
        superseded_by=(*map(name, memory.superseded_by),),
    )  # fmt: skip
    if not vault.shares:
        return seen
    project = project_beside(memory.project, vault)
    # a shared vault has no transcripts, whatever a header points to
    return replace(seen, space=vault.shares, project=project, sources=())


def project_beside(project: str, vault: Beside) -> str:
    """The project that a memory of such a vault belongs to, by that of its header."""
    if not vault.shares:
        return project
    if vault.shares != "project":
        return ""
    own = any(fnmatchcase(project, glob) for glob in vault.apart) or not vault.project
    return project if own else vault.project


def audience_beside(audience: Audience, vault: Beside) -> Audience:
    """To whom a memory of such a vault may be given."""
    if audience == "nobody" or not vault.shares:
        return audience
    return "project" if vault.shares == "project" else "everyone"
