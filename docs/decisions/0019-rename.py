"""Rename classes and variables of `engram/` as two tables say.

`python rename.py classes.tsv words.tsv ROOT`. A line of the first: module below `engram`, class, its
new name; the class is renamed where it is defined and wherever that module's name is imported. A
line of the second: an identifier and its new one, renamed in every Python file, attributes and
keywords too. Refuses a file in which the new identifier stands already, unless it is listed there.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path


def main(classes: Path, words: Path, root: Path) -> None:
    """Rewrite every tracked Python file, and dotted names in other texts."""
    table: dict[tuple[str, str], str] = {}
    for line in classes.read_text(encoding="utf-8").splitlines():
        module, old, new = line.split("\t")
        table[f"engram.{module}", old] = new
    names = dict(one.split("\t") for one in words.read_text(encoding="utf-8").splitlines())
    listed = subprocess.run(
        ["git", "ls-files", "engram/*.py", "tests/*.py"],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    sources = {name: (root / name).read_text(encoding="utf-8") for name in listed}
    exported = exports(sources, table)
    for name, text in sources.items():
        path = root / name
        own = module_of(name)
        renamed = {old: new for (module, old), new in table.items() if module == own}
        attributes: dict[tuple[str, str], str] = {}
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    new = exported.get((node.module, alias.name))
                    if new is not None:
                        renamed[alias.name] = new
                    inner = f"{node.module}.{alias.name}"
                    for (module, old), new in exported.items():
                        if module == inner:
                            attributes[alias.asname or alias.name, old] = new
        after = rewritten(text, renamed, attributes, names, name)
        for (module, old), new in exported.items():
            after = re.sub(rf"\b{re.escape(module)}\.{old}\b", f"{module}.{new}", after)
        if after != text:
            path.write_text(after, encoding="utf-8", newline="\n")


def exports(
    sources: dict[str, str], table: dict[tuple[str, str], str]
) -> dict[tuple[str, str], str]:
    """The table, and the same names where a package's `__init__` hands them on."""
    found = dict(table)
    for name, text in sources.items():
        if not name.endswith("__init__.py"):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    new = table.get((node.module, alias.name))
                    if new is not None:
                        found[module_of(name), alias.name] = new
    return found


def module_of(name: str) -> str:
    """`engram/a/b.py` -> `engram.a.b`."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def rewritten(
    text: str, renamed: dict[str, str], attributes: dict[tuple[str, str], str],
    names: dict[str, str], place: str,
) -> str:  # fmt: skip
    """The text with its tokens renamed; in strings and comments what stands in backticks."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    present = {token.string for token in tokens if token.type == tokenize.NAME}
    for old, new in names.items():
        if old in present and new in present:
            print(f"{place}: {old} -> {new}: taken")
    edits: list[tuple[int, int, int, str]] = []
    inside = False  # the dotted name of a module, which is no identifier
    for at, token in enumerate(tokens):
        first = at == 0 or tokens[at - 1].type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT)
        first = first or tokens[at - 1].type == tokenize.DEDENT
        if token.type == tokenize.NAME and token.string in ("from", "import"):
            inside = first
            continue
        if token.type == tokenize.NEWLINE:
            inside = False
        if token.type == tokenize.NAME and not inside:
            before = [one.string for one in tokens[max(0, at - 2) : at]]
            new = None
            if before[-1:] == ["."]:
                new = attributes.get((before[0], token.string)) or names.get(token.string)
            else:
                new = renamed.get(token.string) or names.get(token.string)
            if new is not None:
                edits.append((token.start[0], token.start[1], token.end[1], new))
        elif token.type in (tokenize.STRING, tokenize.COMMENT):
            whole = token.string
            if whole[1:-1] in renamed and "__all__" in text:
                whole = whole[0] + renamed[whole[1:-1]] + whole[-1]  # a name of `__all__`
            for old, new in {**names, **renamed}.items():
                whole = re.sub(rf"`{old}(?=[`.])", f"`{new}", whole)
            prefix = token.string[:3].lower()
            if token.type == tokenize.STRING and "f" in prefix.split('"')[0].split("'")[0]:
                whole = re.sub(
                    r"(?<=[{.(])\b(\w+)\b",
                    lambda match: names.get(match[1], match[1]), whole,
                )  # fmt: skip
            if whole != token.string:
                edits.append((token.start[0], token.start[1], -1, f"{len(token.string)}\0{whole}"))
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for row, column, end, new in sorted(edits, reverse=True):
        first = starts[row - 1] + column
        if end < 0:
            length, _, new = new.partition("\0")
            text = text[:first] + new + text[first + int(length) :]
        else:
            text = text[:first] + new + text[starts[row - 1] + end :]
    return text


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
