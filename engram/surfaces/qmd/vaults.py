"""Engram vaults as qmd collections: the documents shown, and the default collection `vault`.

Facts, entities, boxes, summaries and the profile, as far as they are active or wait for review;
not the archive, the inbox, the state or the transcripts. A hit is checked again when it is shown:
what was forgotten since the last `update` is left out. Secrets that a person typed into a file
never come into the index: a placeholder stands for each.

The vault that the user registered on this machine and that is their default (`ENGRAM_VAULT`, else
their settings) is the collection `vault` without being added. Nothing here writes.
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


def with_own(config: Config, environment: Mapping[str, str]) -> Config:
    """The configuration with the person's own vault, unless it stands there already."""
    if config.collection(NAME) is not None:
        return config
    root = _own(environment)
    if root is None or any(os.path.realpath(one.path) == root for one in config.collections):
        return config
    own = Collection(NAME, root, vault=True, written=False)
    return Config((*config.collections, own), config.overall, config.tree)


def _own(environment: Mapping[str, str]) -> str | None:
    """The real path of the person's registered default vault."""
    from engram.model.errors import EngramError
    from engram.settings.paths import places_of

    try:
        places = places_of(environment)
        if not places.registry_file.is_file():
            return None
        from engram.settings.registry import Registry

        named = environment.get("ENGRAM_VAULT", "")
        if not named and places.config_file.is_file():
            from engram.settings.load import load

            named = load(None, environment, {}, places).settings.vault
        root = os.path.realpath(os.path.expanduser(named or places.vault))
        return root if Registry(places).trusts(Path(root), _id_of(root)) else None
    except (EngramError, OSError, ValueError):
        return None  # what is wrong there is said by `engram`, not here


def _id_of(root: str) -> str:
    """The id that a vault's engram.toml says, or ""."""
    import tomllib

    with open(os.path.join(root, "engram.toml"), "rb") as stream:
        name = tomllib.loads(stream.read(65_536).decode("utf-8")).get("id")
    return name if isinstance(name, str) else ""
