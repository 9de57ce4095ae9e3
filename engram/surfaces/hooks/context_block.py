"""Context for a session or prompt: the block of memories, read from the catalog alone.

Finds the vault that a session belongs to, and gives only from one that the user registered on this
machine (design promise 9), only what is active, and only of this project or of the user space.
Nothing is written and no lock is taken. A memory whose file changed since the catalog read it is
read again. Raises EngramError for a vault or catalog that cannot be used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from engram.language.stem import stem
from engram.language.stop_words import FILLER
from engram.language.tokens import query_terms
from engram.model.errors import EngramError, NotFound
from engram.model.instant import day_of
from engram.model.memory import Memory
from engram.recall.blocks import prompt_block, session_block
from engram.recall.injection import (
    is_given,
    most_useful,
)
from engram.recall.match import PromptWords, matches
from engram.settings.load import load
from engram.settings.paths import UserPaths
from engram.settings.registry import Registry
from engram.settings.vault_folders import cache_folder, real_root
from engram.store.base import layout
from engram.store.base.clock import clock_of
from engram.store.catalog.readonly import ReadOnlyCatalog
from engram.surfaces.hooks.host_protocol import HookCall

#: beginning of a prompt that is searched with, characters
_MOST_PROMPT = 8_000
#: matches that are read before those of other projects are filtered out
_LOOKED_AT = 200
#: depth to which parent folders are searched for a vault
_DEEPEST = 64


class ContextSource(NamedTuple):
    """A registered vault, with what injection needs of it."""

    root: Path
    id: str
    cache: Path
    budget: int
    today: str
    #: globs of what is not captured
    exclude: tuple[str, ...] = ()


def source_of(
    chosen: str, asked: HookCall, environment: Mapping[str, str], places: UserPaths
) -> ContextSource | None:
    """The vault of a session; None when it is not registered here.

    The one named, else that of the nearest folder above the session's that is one, else the
    default. Raises EngramError when there is none.
    """
    named = chosen or environment.get("ENGRAM_VAULT", "")
    found = Path(named) if named else _above(asked.folder)
    if found is None:
        found = Path(load(None, environment, home=places).settings.vault)
    root = real_root(found)
    loaded = load(root, environment, home=places)
    if loaded.vault is None:
        raise NotFound(f"{root} is no vault")
    if not Registry(places).trusts(root, loaded.vault.id):
        return None
    cache = cache_folder(places, root, loaded.vault.id)
    budget = loaded.settings.recall.budget_tokens
    today = day_of(clock_of(environment).now())
    exclude = loaded.settings.capture.exclude
    return ContextSource(root, loaded.vault.id, cache, budget, today, exclude)


def _above(folder: str) -> Path | None:
    here = Path(folder) if folder and os.path.isabs(folder) else Path(os.path.abspath(os.curdir))
    for one in (here, *here.parents)[:_DEEPEST]:
        if os.path.isfile(one / layout.CONFIG):
            return one
    return None


def projects_of(folder: str) -> tuple[str, ...]:
    """Project names of a working folder as capture gives them: its own, then its repository's."""
    bare = folder.rstrip("/\\")
    names = [bare[max(bare.rfind("/"), bare.rfind("\\")) + 1 :]]
    if os.path.isabs(bare):
        for one in (Path(bare), *Path(bare).parents)[:_DEEPEST]:
            if os.path.exists(one / ".git"):
                names.append(one.name)
                break
    return tuple(dict.fromkeys(name for name in names if name))


def at_session_start(source: ContextSource, asked: HookCall, deadline: float) -> str:
    """The most useful memories for a session in that folder."""
    projects = projects_of(asked.folder)
    with _open_catalog(source, deadline) as catalog_reader:
        best = most_useful(catalog_reader.active(projects), projects, source.today)
        memories = catalog_reader.memories(best)
        given = _current(memories, catalog_reader, source, projects)
        return session_block(given, source.budget, project=next(iter(projects), "")).text


def beside_a_prompt(source: ContextSource, asked: HookCall, deadline: float) -> str:
    """The few memories that match a prompt well."""
    words = asked.prompt[:_MOST_PROMPT].strip()
    terms = [] if words.startswith("/") else query_terms(words)  # a slash begins a command
    if not terms:
        return ""
    projects = projects_of(asked.folder)
    filler = frozenset(map(stem, FILLER))
    with _open_catalog(source, deadline) as catalog_reader:
        known = PromptWords(
            catalog_reader.holders, catalog_reader.sizes, catalog_reader.count(), filler
        )
        found = matches(terms, known, _LOOKED_AT)
        memories = catalog_reader.memories(match.number for match in found)
        return prompt_block(
            _current(memories, catalog_reader, source, projects), source.budget
        ).text


def _open_catalog(source: ContextSource, deadline: float) -> ReadOnlyCatalog:
    return ReadOnlyCatalog(source.cache / "catalog.sqlite", source.id, deadline)


def _current(
    memories: Iterable[Memory],
    catalog_reader: ReadOnlyCatalog,
    source: ContextSource,
    projects: tuple[str, ...],
) -> Iterator[Memory]:
    """Those that may be given, read again where the file changed."""
    for memory in memories:
        if not is_given(memory, projects, source.today):
            continue
        now = (
            memory
            if catalog_reader.is_fresh(memory, source.root)
            else _read_again(memory, source.root)
        )
        if now is not None and is_given(now, projects, source.today):
            yield now


def _read_again(memory: Memory, root: Path) -> Memory | None:
    """The present content of a memory whose file changed; None when it is gone or another."""
    # imported here: hardly ever needed
    from engram.store.base.disk import VaultDisk
    from engram.store.files.memory_file import read_memory

    try:
        data = VaultDisk(root).read(memory.path)
    except EngramError:
        return None
    if data is None:
        return None
    now = read_memory(memory.path, data).memory
    return now if now.id == memory.id else None
