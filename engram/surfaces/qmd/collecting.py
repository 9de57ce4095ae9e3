"""`collection ...`: the indexed folders and their names."""

from __future__ import annotations

import os
from collections.abc import Callable

from engram.surfaces.qmd import config as configuration
from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.config import DEFAULT_PATTERN, Collection, Config, mapping
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.output import Ended, say
from engram.surfaces.qmd.updating import ago, index_collection
from engram.surfaces.qmd.vaults import NAME, is_vault
from engram.surfaces.qmd.yaml_text import Tree

_SEE_LIST = "Run 'qmd collection list' to see available collections."
_HELP = """\
Usage: qmd collection <command> [options]

Commands:
  list                      List all collections
  add <path> [--name NAME] [--mask|--glob GLOB]  Add a collection
  remove <name>             Remove a collection
  rename <old> <new>        Rename a collection
  show <name>               Show collection details
  update-cmd <name> [cmd]   Set pre-update command (e.g., 'git pull')
  include <name>            Include in default queries
  exclude <name>            Exclude from default queries

A folder with an engram.toml is a vault: of it, what is active or waits for review is indexed."""


def collection(face: Face, asked: Arguments) -> int:
    """Run a sub-command of `collection`. Raises Ended, Unusable."""
    command = asked.word(0)
    if command in ("", "help"):
        say(_HELP)
        return 0
    run = _COLLECTION.get(command)
    if run is None:
        raise Ended(
            1,
            f"Unknown subcommand: {command}",
            "Run 'qmd collection help' for usage",
            "If qmd still behaves unexpectedly, run 'qmd doctor' for diagnostics.",
        )
    run(face, asked)
    return 0


# -- collections -------------------------------------------------------------------------------


def _list(face: Face, asked: Arguments) -> None:
    config = face.config()
    if not config.collections:
        say("No collections found. Run 'qmd collection add .' to create one.")
        return
    with face.index() as index:
        counts = index.counts()
    say(f"Collections ({len(config.collections)}):\n")
    for one in config.collections:
        count, last = counts.get(one.name, (0, ""))
        say(f"{one.name} (qmd://{one.name}/){'' if one.included else ' [excluded]'}")
        say(f"  Pattern:  {one.pattern}")
        if one.ignore:
            say(f"  Ignore:   {', '.join(one.ignore)}")
        say(f"  Files:    {count}")
        say(f"  Updated:  {ago(last)}\n")


def _add(face: Face, asked: Arguments) -> None:
    given = asked.word(1)
    if not given:
        raise Ended(
            1,
            "Usage: qmd collection add <path> [--name NAME] [--mask GLOB]",
            "  Pass '.' to index the current directory.",
            "  --mask / --glob: glob (default **/*.md), brace group, or comma-separated list",
        )
    path = resolved(face, given)
    again = "and run 'qmd collection add <path>' again."
    told = (f"  Received: {given}", f"  Resolved: {path}")
    if not os.path.exists(path):
        raise Ended(
            1, "Collection path does not exist.", *told, f"Provide an existing directory {again}"
        )
    if not os.path.isdir(path):
        raise Ended(1, "Collection path is not a directory.", *told, f"Choose a directory {again}")
    pattern = asked.text("mask") or asked.text("glob") or DEFAULT_PATTERN
    config = face.config()
    name = asked.text("name") or _default_name(path, config)
    if (there := config.collection(name)) is not None and there.written:
        raise Ended(
            1, f"Collection '{name}' already exists.", "Use a different name with --name <name>"
        )
    for one in config.collections:
        if one.written and (one.path, one.pattern) == (path, pattern):
            raise Ended(
                1,
                "A collection already exists for this path and pattern:",
                f"  Name: {one.name} (qmd://{one.name}/)",
                f"  Pattern: {pattern}",
                "",
                "Use 'qmd update' to re-index it, or remove it first with"
                f" 'qmd collection remove {one.name}'",
            )

    def add(tree: dict[str, Tree]) -> None:
        mapping(tree, "collections")[name] = {"path": path, "pattern": pattern}

    change(face, config, add)
    say(f"Creating collection '{name}'...")
    with face.index(writable=True) as index:
        added = Collection(name, path, pattern, vault=is_vault(path))
        index_collection(index, added, face.environment, first=True)
    say(f"✓ Collection '{name}' created successfully")


def _remove(face: Face, asked: Arguments) -> None:
    name = _named(asked, "Usage: qmd collection remove <name>")
    config = face.config()
    one = config.collection(name)
    if one is None:
        raise Ended(1, f"Collection not found: {name}", _SEE_LIST)
    if not one.written:
        raise Ended(
            1,
            f"Collection '{name}' is your engram vault {one.path} and is there by itself.",
            f"Run 'qmd collection exclude {name}' to leave it out of default queries.",
        )
    with face.index(writable=True) as index:
        with index.change():
            gone, texts = index.remove(name)
        if one.vault:
            index.pack()
    change(face, config, lambda tree: mapping(tree, "collections").pop(name, None))
    say(f"✓ Removed collection '{name}'\n  Deleted {gone} documents")
    if texts:
        say(f"  Cleaned up {texts} orphaned content hashes")


def _rename(face: Face, asked: Arguments) -> None:
    old, new = asked.word(1), asked.word(2)
    if not old or not new:
        raise Ended(
            1,
            "Usage: qmd collection rename <old-name> <new-name>",
            "  Use 'qmd collection list' to see available collections",
        )
    config = face.config()
    one = config.collection(old)
    if one is None:
        raise Ended(1, f"Collection not found: {old}", _SEE_LIST)
    if config.collection(new) is not None:
        raise Ended(
            1,
            f"Collection name already exists: {new}",
            "Choose a different name or remove the existing collection first.",
        )
    with face.index(writable=True) as index, index.change():
        index.rename(old, new)

    def rename(tree: dict[str, Tree]) -> None:
        rows = mapping(tree, "collections")
        rows[new] = row_of(rows, one)
        rows.pop(old, None)

    change(face, config, rename)
    say(f"✓ Renamed collection '{old}' to '{new}'")
    say(f"  Virtual paths updated: qmd://{old}/ → qmd://{new}/")


def _update_command(face: Face, asked: Arguments) -> None:
    name = asked.word(1)
    if not name:
        raise Ended(
            1,
            "Usage: qmd collection update-cmd <name> [command]",
            "  Set the command to run before indexing (e.g., 'git pull')",
            "  Omit command to clear it",
        )
    command = " ".join(asked.words[2:])
    config, one = _known(face, name)

    def set_command(tree: dict[str, Tree]) -> None:
        row = row_of(mapping(tree, "collections"), one)
        if command:
            row["update"] = command
        else:
            row.pop("update", None)

    change(face, config, set_command)
    say(f"✓ Set update command for '{name}': {command}" if command
        else f"✓ Cleared update command for '{name}'")  # fmt: skip


def _include(face: Face, asked: Arguments) -> None:
    what = asked.word(0)
    name = asked.word(1)
    if not name:
        raise Ended(
            1,
            f"Usage: qmd collection {what} <name>",
            f"  {what.capitalize()} collection in default queries",
        )
    config, one = _known(face, name)

    def set_included(tree: dict[str, Tree]) -> None:
        row = row_of(mapping(tree, "collections"), one)
        if what == "include":
            row.pop("includeByDefault", None)
        else:
            row["includeByDefault"] = False

    change(face, config, set_included)
    say(f"✓ Collection '{name}' {'included in' if what == 'include' else 'excluded from'}"
        " default queries")  # fmt: skip


def _show(face: Face, asked: Arguments) -> None:
    _, one = _known(face, _named(asked, "Usage: qmd collection show <name>"))
    say(f"Collection: {one.name}\n  Path:     {one.path}\n  Pattern:  {one.pattern}")
    say(f"  Include:  {'yes (default)' if one.included else 'no'}")
    if one.update:
        say(f"  Update:   {one.update}")
    if one.context:
        say(f"  Contexts: {len(one.context)}")
    if one.vault:
        say("  Vault:    what is active or waits for review")


# -- inside ------------------------------------------------------------------------------------


def resolved(face: Face, given: str) -> str:
    """An absolute real path, from the working directory or the person's home."""
    if given == ".":
        return str(face.places.here)
    if given == "~" or given.startswith("~/"):
        given = f"{face.places.home}{given[1:]}"
    if "\0" in given:
        raise Ended(1, "Collection path does not exist.")
    return os.path.realpath(os.path.join(face.places.here, given))


def _default_name(path: str, config: Config) -> str:
    """`vault` for a vault, if no other is called so; else the name of the folder."""
    there = config.collection(NAME)
    if is_vault(path) and (there is None or not there.written):
        return NAME
    return os.path.basename(path.rstrip("/")) or "root"


def _known(face: Face, name: str) -> tuple[Config, Collection]:
    config = face.config()
    one = config.collection(name)
    if one is None:
        raise Ended(1, f"Collection not found: {name}")
    return config, one


def _named(asked: Arguments, usage: str) -> str:
    if not asked.word(1):
        raise Ended(1, usage, "  Use 'qmd collection list' to see available collections")
    return asked.word(1)


def row_of(rows: dict[str, Tree], one: Collection) -> dict[str, Tree]:
    """The entry of a collection in the file; the person's own vault gets one when it changes."""
    row = rows.get(one.name)
    if not isinstance(row, dict):
        row = rows[one.name] = {"path": one.path, "pattern": one.pattern}
    return row


def change(face: Face, config: Config, how: Callable[[dict[str, Tree]], object]) -> None:
    configuration.change(face.places.config, config, how)


_COLLECTION: dict[str, Callable[[Face, Arguments], None]] = {
    "list": _list, "add": _add, "remove": _remove, "rm": _remove, "rename": _rename, "mv": _rename,
    "update-cmd": _update_command, "set-update": _update_command, "include": _include,
    "exclude": _include, "show": _show, "info": _show,
}  # fmt: skip
