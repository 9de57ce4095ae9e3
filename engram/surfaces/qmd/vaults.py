"""Engram vaults as qmd collections: the documents shown, and the default collection `vault`.

Facts, entities, boxes, summaries and the profile, as far as they are active or wait for review;
not the archive, the inbox, the state or the transcripts. A hit is checked again when it is shown:
what was forgotten since the last `update` is left out. Secrets that a person typed into a file
never come into the index: a placeholder stands for each.

The vault that the user registered on this machine and that is their default (`ENGRAM_VAULT`, else
their settings) is the collection `vault` without being added; a shared vault that is read beside it
in the working folder is one by its label (`@shop`). Nothing here writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from engram.surfaces.qmd.config import Collection, Config
from engram.surfaces.qmd.folder import Unread, read

NAME = "vault"
_FOLDERS = ("facts", "entities", "boxes", "summaries")
_PROFILE = "profile.md"


def is_vault(folder: str) -> bool:
    """Whether a folder is an engram vault."""
    return os.path.isfile(os.path.join(folder, "engram.toml"))


def shown(paths: Iterator[str]) -> Iterator[str]:
    """Those of a vault's paths that can be shown, by their place."""
    from engram.store.base.layout import is_foreign_name

    for path in paths:
        top, _, rest = path.partition("/")
        wanted = (top in _FOLDERS and rest) or path == _PROFILE
        if wanted and not is_foreign_name(path.rpartition("/")[2]):
            yield path


def is_live(text: str) -> bool:
    """Whether a file's header says that it is in use; one without a status is."""
    if not text.startswith(("---", "\ufeff---")):
        return True
    from engram.model.memory import LIVE, STATUSES
    from engram.store.files.document import parse

    status = parse(text.encode("utf-8", "replace")).header.get("status", "")
    return not isinstance(status, str) or status not in STATUSES or status in LIVE


def cleaner(environment: Mapping[str, str]) -> Callable[[str], str]:
    """What puts placeholders for secrets into a document, as the person's settings say."""
    from engram.capture.redact.redactor import compile_redactor
    from engram.model.errors import EngramError
    from engram.settings.load import load
    from engram.settings.shipped import shipped
    from engram.store.commits.purge_secrets import without_secrets

    try:
        allow = load(None, environment).settings.capture.redact_allow
    except (EngramError, OSError, ValueError):
        allow = ()  # what is wrong there is said by `engram`, not here
    redactor = compile_redactor(shipped("redaction"), allow, tried=True)
    return lambda text: without_secrets(text, lambda held: redactor.redact(held).text)


def still_given(root: str, path: str, size: int, mtime_ns: int) -> bool:
    """Whether a document of a vault may be shown now, with the stat that it was indexed with."""
    try:
        status = os.lstat(os.path.join(root, path))
    except (OSError, ValueError):
        return False
    if (status.st_size, status.st_mtime_ns) == (size, mtime_ns):
        return True
    found = read(root, path)
    return not isinstance(found, Unread) and is_live(found.text)


def with_own(config: Config, environment: Mapping[str, str], folder: Path | None) -> Config:
    """The configuration with the person's own vault, and those that are read beside it in a folder.

    None that stands there already, and without a folder only those that serve everywhere.
    """
    root = own_root(environment)
    if root is None:
        return config
    there = {os.path.realpath(one.path) for one in config.collections}
    found = [Collection(NAME, root, vault=True, written=False), *_shared(root, environment, folder)]
    added = (one for one in found if config.collection(one.name) is None and one.path not in there)
    return Config((*config.collections, *added), config.overall, config.tree)


def _shared(root: str, environment: Mapping[str, str], folder: Path | None) -> list[Collection]:
    """The shared vaults that are read beside the own one, if the policy lets their space be."""
    from engram.model.errors import EngramError
    from engram.settings.paths import places_of
    from engram.settings.registry import Registered, Registry

    try:
        places = places_of(environment)
        if not any(one.sharing.space for one in Registry(places).entries()):
            return []
        # imported here: most people share nothing
        from engram.settings.policy_files import load_policy
        from engram.settings.vaults_read import read_by_agents

        own = Registered(Path(root), _id_of(root))
        found = read_by_agents(own, "" if folder is None else str(folder.absolute()), places)
        spaces = load_policy(places, own.path).policy.read_order
    except (EngramError, OSError, ValueError):
        return []  # what is wrong there is said by `engram`, not here
    return [
        Collection(one.label, str(one.path), vault=True, written=False, shares=one.sharing.space)
        for one in found
        if one.sharing.space in spaces
    ]


def own_root(environment: Mapping[str, str]) -> str | None:
    """The real path of the person's registered default vault."""
    from engram.model.errors import EngramError
    from engram.settings.paths import places_of

    try:
        places = places_of(environment)
        if not places.registry_file.is_file():
            return None
        from engram.settings.registry import Registry, default_vault

        named = environment.get("ENGRAM_VAULT", "")
        if not named and places.config_file.is_file():
            from engram.settings.vault_folders import own_vault

            named = str(own_vault("", environment, places))
        registry = Registry(places)
        named = named or str(default_vault(registry.entries(), places.vault))
        root = os.path.realpath(os.path.expanduser(named))
        return root if registry.trusts(Path(root), _id_of(root)) else None
    except (EngramError, OSError, ValueError):
        return None  # what is wrong there is said by `engram`, not here


def _id_of(root: str) -> str:
    """The id that a vault's engram.toml says, or ""."""
    import tomllib

    with open(os.path.join(root, "engram.toml"), "rb") as stream:
        name = tomllib.loads(stream.read(65_536).decode("utf-8")).get("id")
    return name if isinstance(name, str) else ""
