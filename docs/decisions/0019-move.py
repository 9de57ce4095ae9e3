"""Move the modules of `engram/` as a table says, and rewrite every mention of them.

`python move.py moves.tsv ROOT`. The table has one line a module: its dotted name below `engram`,
a tab, its new one; `.__init__` at the end makes it a package. Nothing else of the files changes but
the names: imports, dotted names in strings, paths in documents. Sorting imports and wrapping lines
is left to ruff. Refuses a tree in which a target exists already.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

DONE = "engram\0"
TEXTS = ("*.py", "*.toml", "*.md", "*.sh", "*.tsv", "Makefile")


def main(table: Path, root: Path) -> None:
    """Move the files with git, then rewrite the texts."""
    moves = dict(line.split("\t") for line in table.read_text(encoding="utf-8").split("\n") if line)
    new = {old: target.removesuffix(".__init__") for old, target in moves.items()}
    listed = subprocess.run(
        ["git", "ls-files", *TEXTS], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split()
    texts = [name for name in listed if not name.startswith("docs/decisions/0019")]
    places = move_files(moves, root)
    for name in texts:
        path = root / places.get(name, name)
        before = path.read_text(encoding="utf-8")
        after = before
        if path.suffix == ".py":
            after = rename_bindings(after, new)
        after = rename_dotted(after, new).replace(DONE, "engram.")
        after = rename_paths(after, places)
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")


def move_files(moves: dict[str, str], root: Path) -> dict[str, str]:
    """Old path -> new path of each file, moved in two steps, as a name may be taken meanwhile."""
    places: dict[str, str] = {}
    waiting: list[tuple[Path, Path]] = []
    for old, target in moves.items():
        source = root / "engram" / old.replace(".", "/")
        file = source.with_suffix(".py") if not source.is_dir() else source / "__init__.py"
        if source.with_suffix(".py").exists():
            file = source.with_suffix(".py")
        goal = root / "engram" / (target.replace(".", "/") + ".py")
        places[file.relative_to(root).as_posix()] = goal.relative_to(root).as_posix()
        if file == goal:
            continue
        aside = file.with_name(file.name + ".moving")
        git(root, "mv", str(file), str(aside))
        waiting.append((aside, goal))
    for aside, goal in waiting:
        goal.parent.mkdir(parents=True, exist_ok=True)
        if goal.exists():
            raise SystemExit(f"{goal} exists")
        git(root, "mv", str(aside), str(goal))
    for folder in sorted((root / "engram").rglob("*")):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return places


def rename_dotted(text: str, new: dict[str, str]) -> str:
    """`engram.old.name` -> `engram.new.name` wherever it stands as a whole, the longest first."""
    names = sorted(new, key=len, reverse=True)
    pattern = re.compile(r"\bengram\.(" + "|".join(map(re.escape, names)) + r")(?![\w-])")

    def replaced(match: re.Match[str]) -> str:
        return f"engram.{new[match[1]]}"

    return pattern.sub(replaced, text)


def rename_paths(text: str, places: dict[str, str]) -> str:
    """`engram/old/name.py` -> its new path."""
    names = sorted(places, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, names)))
    return pattern.sub(lambda match: places[match[0]], text)


def rename_bindings(text: str, new: dict[str, str]) -> str:
    """`from engram.package import module` and every use of that name, where the module moved."""
    tree = ast.parse(text)
    edits: list[tuple[int, int, int, int, str]] = []
    renamed: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
            continue
        if node.module != "engram" and not node.module.startswith("engram."):
            continue
        package = node.module.removeprefix("engram").removeprefix(".")
        moved, kept = [], []
        for alias in node.names:
            old = f"{package}.{alias.name}" if package else alias.name
            goal = new.get(old)
            # `from engram.vault import Vault` and names of a package's own are no modules
            (moved if goal is not None and goal != old else kept).append((alias, goal))
        if not moved:
            continue
        lines = []
        indent = " " * node.col_offset
        if kept:
            names = ", ".join(written(alias) for alias, _ in kept)
            lines.append(f"from {node.module} import {names}")
        for alias, goal in moved:
            assert goal is not None
            # marked, or a name that is new here and old elsewhere would be rewritten once more
            home, _, name = f"{DONE}{goal}".rpartition(".")
            bound = f" as {alias.asname}" if alias.asname and alias.asname != name else ""
            lines.append(f"from {home} import {name}{bound}")
            if not alias.asname and name != alias.name:
                renamed[alias.name] = name
        edits.append(
            (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0,
             f"\n{indent}".join(lines))
        )  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in renamed:
            edits.append(
                (node.lineno, node.col_offset, node.lineno, node.end_col_offset or 0,
                 renamed[node.id])
            )  # fmt: skip
    return edited(text, edits)


def written(alias: ast.alias) -> str:
    """An alias as it stands in an import."""
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def edited(text: str, edits: list[tuple[int, int, int, int, str]]) -> str:
    """The text with spans of it replaced; columns are bytes, as `ast` counts them."""
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = text.encode()
    for line, column, last, end, words in sorted(edits, reverse=True):
        data = data[: starts[line - 1] + column] + words.encode() + data[starts[last - 1] + end :]
    return data.decode()


def git(root: Path, *words: str) -> None:
    """One git command in that tree."""
    subprocess.run(["git", *words], cwd=root, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
