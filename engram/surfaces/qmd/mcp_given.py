"""What an MCP client is given of a vault -> lines of that vault's access log.

Of what a search lists nobody asked for one; what is got by name counts as read. Guarantees: only
memories, only of vaults that are registered here; what cannot be noted was given all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from engram.model.errors import EngramError
from engram.model.given import IMPORT, NIGHT, PERSON, UNKNOWN, Reader
from engram.model.ids import slug
from engram.model.vault_label import labelled_id, split_id
from engram.surfaces.hooks.agents import reader_in
from engram.surfaces.qmd.vaults import own_root

if TYPE_CHECKING:
    from engram.surfaces.qmd.face import Face
    from engram.surfaces.qmd.rows import DocumentText, ResultRow

#: a client that does not say its name
CLIENT: Final = Reader("mcp")
#: what is called so in the log is no client
_NO_CLIENT = frozenset({PERSON, UNKNOWN, NIGHT, IMPORT})
_FACTS = "facts/"


def client_named(info: object, environment: Mapping[str, str] | None = None) -> Reader:
    """A client by its `clientInfo`; one that was started by an agent is in the agent's session.

    None is called as the person is, or as what acts without anybody.
    """
    name = info.get("name") if isinstance(info, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        return CLIENT
    by = slug(name[:200], CLIENT.by)
    if by in _NO_CLIENT:
        return CLIENT
    here = reader_in(environment or {})
    return here if here.by == by else Reader(by)


def note_found(face: Face, reader: Reader, question: str, rows: Iterable[ResultRow]) -> None:
    """Note what a search listed."""
    _note(face, reader, question, rows, asked=False)


def note_got(face: Face, reader: Reader, documents: Iterable[DocumentText]) -> None:
    """Note what was got by name."""
    _note(face, reader, "", documents, asked=True)


def _note(face: Face, reader: Reader, question: str, given: Iterable[Any], *, asked: bool) -> None:
    facts, found = [one for one in given if one.path.startswith(_FACTS)], dict[str, list[str]]()
    if not facts:
        return
    config = face.config()
    for one in facts:
        vault = config.collection(one.collection)
        if vault is not None and vault.vault:
            name = one.path.rpartition("/")[2].removesuffix(".md")
            # what is read of a shared vault is noted in the person's own
            root = own_root(face.environment) if vault.shares else vault.path
            label = vault.name if vault.shares else ""
            found.setdefault(root or vault.path, []).append(labelled_id(label, name))
    for path, names in found.items():
        folder = face.folder if any(split_id(name)[0] for name in names) else None
        with suppress(EngramError), face.vault(path) as opened:
            projects = opened.projects_in(folder) if folder else ()
            with opened.beside(folder, projects):
                opened.note_given("mcp", names, question, reader, asked=asked)
