"""Locations of the qmd face: environment and index name -> configuration and index file.

The configuration is qmd's own file, so that both programs know the same collections. The index is
not: it lies beside qmd's, under a name of ours, and qmd's is neither read nor written. Nothing is
created here.

    QMD_CONFIG_DIR, else XDG_CONFIG_HOME/qmd, else ~/.config/qmd     NAME.yml
    INDEX_PATH, else XDG_CACHE_HOME/qmd, else ~/.cache/qmd           NAME.sqlite.engram
    a project's own .qmd/, from the working directory upwards        beats both, unless named
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

DEFAULT = "index"
#: behind the name that qmd gives its database
SUFFIX = ".engram"
_TRUE = frozenset({"1", "true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class FaceLocations:
    """Where one index is. `project` is the folder that holds `.qmd/`, for a local one.

    `name` is "" for the default index, else what stands behind `?index=` in a URI. `trusted`: the
    person said that a project's own configuration may run commands and name any folder.
    """

    config: Path
    index: Path
    cache: Path
    here: Path
    home: Path
    name: str = ""
    project: Path | None = None
    trusted: bool = False


def places_of(environment: Mapping[str, str], index: str = DEFAULT) -> FaceLocations:
    """The places of an index; `index` is what `--index` said, or "index"."""
    home = Path(environment.get("HOME") or os.path.expanduser("~"))
    here = working_folder(environment)
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "qmd"
    moved = environment.get("INDEX_PATH", "")
    named = index != DEFAULT
    if not named and (local := local_config(here)) is not None:
        folder = local.parent
        database = Path(moved) if moved else folder / "index.sqlite"
        trusted = environment.get("QMD_TRUST_LOCAL_CONFIG", "").strip().lower() in _TRUE
        return FaceLocations(
            local, _ours(database), cache, here, home, project=folder.parent, trusted=trusted
        )
    stem = _file_name(index, here)
    config = config_folder(environment, home) / f"{stem}.yml"
    database = Path(moved) if moved else cache / f"{stem}.sqlite"
    return FaceLocations(config, _ours(database), cache, here, home, name=index if named else "")


def all_places(environment: Mapping[str, str]) -> Iterator[FaceLocations]:
    """The locations of every index in the user's cache."""
    home = Path(environment.get("HOME") or os.path.expanduser("~"))
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache") / "qmd"
    for database in sorted(cache.glob(f"*.sqlite{SUFFIX}")):
        stem = database.name.removesuffix(f".sqlite{SUFFIX}")
        config = config_folder(environment, home) / f"{stem}.yml"
        yield FaceLocations(
            config, database, cache, cache, home, name="" if stem == DEFAULT else stem
        )


def config_folder(environment: Mapping[str, str], home: Path) -> Path:
    """The folder of the user's own configurations."""
    if moved := environment.get("QMD_CONFIG_DIR", ""):
        return Path(moved)
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "qmd"


def working_folder(environment: Mapping[str, str]) -> Path:
    """The working directory as the shell names it, with its symlinks, when that is it."""
    named = environment.get("PWD", "")
    try:
        if os.path.isabs(named) and os.path.samefile(named, "."):
            return Path(named)
        return Path(os.getcwd())
    except (OSError, ValueError):
        return Path(named) if os.path.isabs(named) and "\0" not in named else Path(os.sep)


def local_config(here: Path) -> Path | None:
    """The nearest `.qmd/index.yaml` or `.qmd/index.yml`, from a folder upwards."""
    for folder in (here, *here.parents):
        for name in ("index.yaml", "index.yml"):
            found = folder / ".qmd" / name
            if os.path.isfile(found):
                return found
    return None


def _ours(database: Path) -> Path:
    return database.with_name(database.name + SUFFIX)


def _file_name(index: str, here: Path) -> str:
    """A name with a slash is a path: absolute, its slashes written as `_`."""
    if "/" not in index:
        return index
    return os.path.normpath(here / index).replace("/", "_").removeprefix("_")
