"""Working folder and vault -> the vaults that are read there: the one that is asked, others beside.

An agent is given what the person's own vault has, wherever it works. In a folder that lies in
another vault of the person's (a repository's, one of notes) it is given that one's memories of
projects too; and those of the shared vaults that serve the folder. By hand, where a verb works on
the vault that its folder lies in, the person's own is read beside it. Guarantees: a vault that is
not registered, or is not the one that was registered, is never read beside another one (design
promise 9); the vault that is asked comes first, and none comes twice. Vaults are told apart by
their real path: two that were made in one second, and a copy, have one id. What cannot be read
beside is left out, and told by `doctor`. A vault that shares in another way than it was registered
for is not read: who wrote that into it is not the person.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engram.model.errors import ConfigError, NotFound, Untrusted
from engram.model.ids import slug
from engram.model.memory import SPACES
from engram.settings.load import VAULT_FORMAT, header_of
from engram.settings.project_folders import project_names, repository_around
from engram.settings.registry import Registered, Registry, Sharing
from engram.settings.shared_vaults import serving, sharing_problem
from engram.settings.vault_folders import not_own, own_vault, real_root

if TYPE_CHECKING:
    from engram.settings.paths import UserPaths

#: spaces that the own vault holds for every folder
_EVERYWHERE = ("session", "user", "system")
#: what is read of a vault of the person's that a folder lies in
_OF_FOLDER = ("project",)


class ReadVault(NamedTuple):
    """A vault that is read: real path, id, and the spaces that are read of it.

    `label` is what it is called where something of it is shown: '' for the first one, `@shop`.
    """

    path: Path
    id: str
    label: str = ""
    spaces: tuple[str, ...] = SPACES
    sharing: Sharing = Sharing()


def own_entry(chosen: str, environment: Mapping[str, str], places: UserPaths) -> Registered:
    """The registration of the person's own vault, of which agents are given in every folder.

    Raises NotFound, BadInput, ConfigError or Untrusted where they are given nothing.
    """
    root = real_root(own_vault(chosen, environment, places))
    header = header_of(root)
    if header is None:
        raise NotFound(f"{root} is no vault", f"`engram init {root}` makes one")
    entry = Registry(places).entry(root, header.id)
    if entry is None:
        raise Untrusted(f"{root} is not registered on this machine", f"`engram trust {root}`")
    if entry.sharing.space or header.shares:
        raise not_own(root)
    return entry


def read_by_agents(own: Registered, folder: str, places: UserPaths) -> tuple[ReadVault, ...]:
    """The vaults that an agent in a folder is given memories of, the person's own first."""
    projects = project_names(folder, places.home, own.path)
    entries = Registry(places).entries()
    return vaults_read(own, own.path, entries, folder, projects, places.home)


def vaults_read(
    first: Registered, own: Path, entries: Sequence[Registered], folder: str,
    projects: Sequence[str], home: Path, tell: Callable[[str], object] = lambda line: None,
) -> tuple[ReadVault, ...]:  # fmt: skip
    """The vaults that are read in a working folder with these projects, `first` first.

    `own` is the real path of the person's own vault, which `first` may be; `entries` is the
    registry. `tell` is told why one is left out.
    """
    found = [ReadVault(first.path, first.vault_id, "", SPACES, first.sharing)]
    for entry, spaces in _beside(first, own, entries, folder, projects, home):
        if any(entry.path == one.path for one in found):
            continue
        label = vault_label(entry.path, home)
        if reason := _unreadable(entry):
            tell(f"{label} is not read: {reason}")
            continue
        labels = chain((label,), (f"{label}-{number}" for number in count(2)))
        label = next(one for one in labels if all(one != known.label for known in found))
        found.append(ReadVault(entry.path, entry.vault_id, label, spaces, entry.sharing))
    return tuple(found)


def _beside(
    first: Registered, own: Path, entries: Sequence[Registered], folder: str,
    projects: Sequence[str], home: Path,
) -> Iterator[tuple[Registered, tuple[str, ...]]]:  # fmt: skip
    if first.path != own:
        yield from ((one, _EVERYWHERE) for one in entries if one.path == own)
    elif (around := vault_around(entries, folder)) is not None and around.path != own:
        yield around, _OF_FOLDER
    for one in serving(entries, folder, projects, home):
        yield one, (one.sharing.space,)


def vault_around(entries: Sequence[Registered], folder: str) -> Registered | None:
    """The innermost registered vault that a folder lies in, shared ones left out."""
    if not os.path.isabs(folder):
        return None
    here = os.path.join(os.path.realpath(folder), "")
    above = [
        one for one in entries
        if not one.sharing.space and here.startswith(os.path.join(one.path, ""))
    ]  # fmt: skip
    return max(above, key=lambda one: len(str(one.path)), default=None)


def vault_label(path: Path, home: Path) -> str:
    """What a vault is called: `@` and the name of the repository around it, else of its folder."""
    return "@" + slug((repository_around(path, home) or path).name)


def _unreadable(entry: Registered) -> str:
    """Why the vault that was registered cannot be read beside another one; empty if it can."""
    try:
        header = header_of(entry.path)
    except ConfigError as error:
        return str(error)
    if header is None:
        return f"{entry.path} is no vault, or not there"
    if header.id != entry.vault_id:
        return f"another vault stands at {entry.path} than the one that was registered"
    if header.format > VAULT_FORMAT:
        return f"{entry.path} was written by a newer engram"
    return str(sharing_problem(entry.path, header.shares, entry) or "")
