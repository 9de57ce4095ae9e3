"""The source tree of the package, read without importing it: modules, docstrings, imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "engram"


@cache
def modules() -> tuple[Path, ...]:
    """Every module of the package, sorted by path."""
    return tuple(sorted(path for path in PACKAGE.rglob("*.py") if "_shipped" not in path.parts))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module; shared, not to be changed."""
    return ast.parse(path.read_text(encoding="utf-8"))


def docstring(path: Path) -> str:
    """A module's docstring; raises ValueError when it has none."""
    text = ast.get_docstring(parsed(path))
    if not text:
        raise ValueError(f"{path.relative_to(ROOT)} has no docstring")
    return text


def dotted(path: Path) -> str:
    """`engram.store.base.disk`; the package for its `__init__`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def rooms() -> list[str]:
    """The packages right below `engram`, sorted."""
    return sorted(path.parent.name for path in modules() if path.parent.parent == PACKAGE
                  and path.stem == "__init__")  # fmt: skip


def classes(path: Path) -> Iterator[str]:
    """The names of all classes of a module, nested ones too."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ClassDef):
            yield node.name


def imported(path: Path, *, members: bool = True) -> Iterator[str]:
    """The modules that a module imports; with `members` what it takes from them as well, dotted."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if members:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
