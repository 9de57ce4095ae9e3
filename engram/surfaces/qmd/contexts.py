"""`context ...`: descriptions of a collection, or of a part of it.

A text belongs to a prefix of paths, is shown with every hit below it, and is kept in the
configuration. `/` is the prefix of everything.
"""

from __future__ import annotations

from collections.abc import Callable

from engram.surfaces.qmd.addresses import address_of
from engram.surfaces.qmd.arguments import Arguments
from engram.surfaces.qmd.collecting import change, resolved, row_of
from engram.surfaces.qmd.config import Collection, Config, mapping
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.output import Ended, say
from engram.surfaces.qmd.yaml_text import Tree

_HELP = (
    "Usage: qmd context <add|list|rm>",
    "",
    "Commands:",
    '  qmd context add [path] "text"  - Add context (defaults to current dir)',
    '  qmd context add / "text"       - Add global context to all collections',
    "  qmd context list                - List all contexts",
    "  qmd context rm <path>           - Remove context",
)


def context(face: Face, asked: Arguments) -> int:
    """Run a sub-command of `context`. Raises Ended, Unusable."""
    command = asked.word(0)
    if not command:
        raise Ended(1, *_HELP)
    run = _CONTEXT.get(command)
    if run is None:
        raise Ended(1, f"Unknown subcommand: {command}", "Available: add, list, rm")
    run(face, asked)
    return 0


def _add(face: Face, asked: Arguments) -> None:
    if len(asked.words) < 2 or not asked.word(1):
        raise Ended(
            1,
            'Usage: qmd context add [path] "text"',
            "",
            "Examples:",
            '  qmd context add "Context for current directory"',
            '  qmd context add / "Global context for all collections"',
            '  qmd context add qmd://journals/ "Context for entire journals collection"',
            '  qmd context add qmd://journals/2024 "Context for 2024 journals"',
        )
    place, text = (
        (asked.word(1), " ".join(asked.words[2:])) if asked.word(2) else (".", asked.word(1))
    )
    config = face.config()
    if place == "/":

        def set_overall(tree: dict[str, Tree]) -> None:
            tree["global_context"] = text

        change(face, config, set_overall)
        say(f"✓ Set global context\nContext: {text}")
        return
    one, prefix, shown = _meant(face, config, place)

    def add(tree: dict[str, Tree]) -> None:
        mapping(row_of(mapping(tree, "collections"), one), "context")[prefix] = text

    change(face, config, add)
    say(f"✓ Added context for: {shown}\nContext: {text}")


def _list(face: Face, asked: Arguments) -> None:
    contexts = list(face.config().contexts())
    if not contexts:
        say("No contexts configured. Use 'qmd context add' to add one.")
        return
    say("\nConfigured Contexts\n")
    last = ""
    for name, prefix, text in contexts:
        if name != last:
            say(name)
        last = name
        say(f"  {prefix or '/ (root)'}\n    {text}")


def _remove(face: Face, asked: Arguments) -> None:
    place = asked.word(1)
    if not place:
        raise Ended(
            1,
            "Usage: qmd context rm <path>",
            "Examples:",
            "  qmd context rm /",
            "  qmd context rm qmd://journals/2024",
        )
    config = face.config()
    if place == "/":
        change(face, config, lambda tree: tree.pop("global_context", None))
        say("✓ Removed global context")
        return
    one, prefix, shown = _meant(face, config, place)
    shown = place if address_of(place) else shown
    if prefix not in dict(one.context):
        raise Ended(1, f"No context found for: {shown}")

    def remove(tree: dict[str, Tree]) -> None:
        row = row_of(mapping(tree, "collections"), one)
        texts = mapping(row, "context")
        texts.pop(prefix, None)
        if not texts:
            row.pop("context", None)

    change(face, config, remove)
    say(f"✓ Removed context for: {shown}")


def _meant(face: Face, config: Config, place: str) -> tuple[Collection, str, str]:
    """The collection and prefix that a place of a context means, and how they are shown."""
    address = address_of(place)
    if address is not None:
        one = config.collection(address.collection)
        if one is None:
            raise Ended(1, f"Collection not found: {address.collection}")
        root = " (collection root)" if not address.path else ""
        return one, address.path, f"qmd://{one.name}/{address.path}{root}"
    path = resolved(face, place)
    holding = [
        one for one in config.collections if path == one.path or path.startswith(f"{one.path}/")
    ]
    if not holding:
        raise Ended(
            1,
            f"Path is not in any indexed collection: {path}",
            "Run 'qmd status' to see indexed collections",
        )
    one = max(holding, key=lambda held: len(held.path))
    prefix = path[len(one.path) + 1 :]
    return one, prefix, f"qmd://{one.name}/{prefix}"


_CONTEXT: dict[str, Callable[[Face, Arguments], None]] = {
    "add": _add, "list": _list, "rm": _remove, "remove": _remove,
}  # fmt: skip
