"""Configuration of a qmd index: qmd's YAML file <-> collections and contexts.

Reads what qmd wrote and writes what qmd reads; unknown keys stay. Guarantees: the file is replaced
as a whole (a symlink stays one), and one that cannot be parsed is never written. Raises Unusable.
Comments do not survive a change, as with qmd.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engram.model.atomic_file import replace_file
from engram.surfaces.qmd.rows import Unusable
from engram.surfaces.qmd.yaml_text import MAX_BYTES, Tree, read, write

DEFAULT_PATTERN = "**/*.md"


@dataclass(frozen=True, slots=True)
class Collection:
    """A folder of Markdown. `context` maps a prefix of paths to a text; `update` is a command.

    `vault`: the folder is an engram vault, of which only what is live is shown. `written`: it
    stands in the file, and is not a vault that is there by itself: the person's own one, or one
    that is shared with others, of that space.
    """

    name: str
    path: str
    pattern: str = DEFAULT_PATTERN
    ignore: tuple[str, ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    update: str = ""
    included: bool = True
    vault: bool = False
    written: bool = True
    shares: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """The parsed file. `tree` is the whole of it, to be changed and written."""

    collections: tuple[Collection, ...] = ()
    overall: str = ""
    tree: dict[str, Tree] = field(default_factory=dict)

    def collection(self, name: str) -> Collection | None:
        """The collection of that name."""
        return next((one for one in self.collections if one.name == name), None)

    @property
    def included(self) -> tuple[str, ...]:
        """The names of the collections that are searched when none is named."""
        return tuple(one.name for one in self.collections if one.included)

    def context_of(self, collection: str, path: str) -> str:
        """The overall text and those of all prefixes of the path, the general ones first."""
        texts = [self.overall] if self.overall else []
        if one := self.collection(collection):
            found = [
                (len(prefix), text)
                for prefix, text in ((_rooted(prefix), text) for prefix, text in one.context)
                if _rooted(path).startswith(prefix)
            ]
            texts += [text for _, text in sorted(found, key=lambda pair: pair[0])]
        return "\n\n".join(texts)

    def contexts(self) -> Iterator[tuple[str, str, str]]:
        """(collection, prefix, text) of every context; the overall one is `*` and `/`."""
        if self.overall:
            yield "*", "/", self.overall
        for one in self.collections:
            for prefix, text in one.context:
                yield one.name, prefix, text


def load(path: Path, project: Path | None = None, home: Path | None = None) -> Config:
    """The configuration of a file; one that is not there is empty.

    Paths of a project's own file are relative to the project.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except (OSError, ValueError) as error:
        raise Unusable(f"Failed to read {path}: {_why(error)}") from error
    try:
        tree = read(data.decode("utf-8"))
        if tree is None:
            tree = {}
        if not isinstance(tree, dict):
            raise ValueError("it is no mapping")
        return _config(tree, project, home)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"Failed to parse {path}: {error}") from error


def change(path: Path, config: Config, how: Callable[[dict[str, Tree]], object]) -> None:
    """Change the tree of a configuration and write it. Raises Unusable."""
    how(config.tree)
    try:
        data = write(config.tree).encode("utf-8")
        replace_file(Path(os.path.realpath(path)), data, keep_mode=True)
    except (OSError, ValueError) as error:
        raise Unusable(f"Failed to write {path}: {_why(error)}") from error


def mapping(tree: dict[str, Tree], key: str) -> dict[str, Tree]:
    """The mapping under a key, made when it is missing."""
    found = tree.get(key)
    if not isinstance(found, dict):
        found = tree[key] = {}
    return found


def _config(tree: dict[str, Tree], project: Path | None, home: Path | None) -> Config:
    found: list[Collection] = []
    rows = tree.get("collections")
    if rows is not None and not isinstance(rows, dict):
        raise ValueError("`collections` is no mapping")
    for name, row in (rows or {}).items():
        if not isinstance(row, dict):
            raise ValueError(f"collection {name!r} is no mapping")
        found.append(_collection(name, row, project, home))
    overall = tree.get("global_context")
    return Config(tuple(found), _text(overall), tree)


def _collection(
    name: str, row: dict[str, Tree], project: Path | None, home: Path | None
) -> Collection:
    path = _text(row.get("path"))
    if not path and project is None:
        raise ValueError(f"collection {name!r} has no path")
    if home is not None and (path == "~" or path.startswith("~/")):
        path = str(home) + path[1:]
    if project is not None:
        path = os.path.normpath(project / path)
    ignore, context = row.get("ignore"), row.get("context")
    return Collection(
        name,
        path,
        _text(row.get("pattern")) or DEFAULT_PATTERN,
        tuple(_text(rule) for rule in ignore) if isinstance(ignore, list) else (),
        tuple((prefix, _text(text)) for prefix, text in context.items())
        if isinstance(context, dict)
        else (),
        _text(row.get("update")),
        row.get("includeByDefault") is not False,
        vault=os.path.isfile(os.path.join(path, "engram.toml")),
    )


def _text(value: Tree) -> str:
    """A scalar as text; whoever writes `update: 7` means a text too."""
    return "" if value is None or isinstance(value, (dict, list)) else str(value)


def _rooted(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
