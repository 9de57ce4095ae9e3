"""The map of the house: module docstrings -> `docs/architecture.md` (`python -m tests.map`).

Takes the arrows from the import contracts in pyproject.toml and one line from each module: the
first of its docstring. The same tree gives the same bytes, so a test can hold the page to it.
Nothing of `engram` is imported; a module without a docstring is refused (ValueError).
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / "engram"
PAGE = ROOT / "docs" / "architecture.md"

#: The rooms in the order of the flow. A test holds this list to what is in the folder.
ORDER = (
    "model", "language",
    "capture", "extract", "admit", "weave", "consolidate", "recall", "health",
    "store", "index", "llm", "settings",
    "pipeline", "queries", "vault", "daemon", "surfaces",
)  # fmt: skip

_HEAD = """\
# The house

Made from the module docstrings and the import contracts by `make map`; edit those, not this page.

Read [`flow.py`](../engram/pipeline/flow.py) first (the flows, one screen each), then
[`vault/`](../engram/vault/__init__.py) (every verb of the command line as one method). The
decisions behind it are in [decisions](decisions).
"""


def page() -> str:
    """The whole page as text."""
    rooms = "\n".join(_room(name) for name in ORDER)
    return f"{_HEAD}\n{_rules()}\n## Rooms, in the order of the flow\n\n{rooms}"


def modules() -> list[Path]:
    """Every module of the house, sorted by path."""
    return sorted(path for path in HOUSE.rglob("*.py") if "_shipped" not in path.parts)


def docstring(path: Path) -> str:
    """A module's docstring; raises ValueError when it has none."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not text:
        raise ValueError(f"{path.relative_to(ROOT)} has no docstring")
    return text


def rooms() -> set[str]:
    """The names of the packages and modules right below `engram`."""
    inside = {path.relative_to(HOUSE).parts[0] for path in modules()}
    return {name.removesuffix(".py") for name in inside} - {"__init__", "__main__"}


def _rules() -> str:
    """The import contracts: layers as arrows (left may import right), the others in words."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        contracts = tomllib.load(stream)["tool"]["importlinter"]["contracts"]
    lines = ["## Who may import whom", "", "`->` reads: may import. import-linter holds it."]
    for contract in contracts:
        lines += ["", f"{contract['name']}:", ""]
        if contract["type"] == "layers":
            lines += ["```", *_arrows([_bare(layer) for layer in contract["layers"]]), "```"]
        else:
            sources = ", ".join(map(_bare, contract["source_modules"]))
            barred = ", ".join(map(_bare, contract["forbidden_modules"]))
            lines.append(f"- from {sources}: never {barred}")
    return "\n".join(lines) + "\n"


def _arrows(layers: list[str], width: int = 96) -> Iterator[str]:
    """Layers from top to bottom, joined by arrows and broken into lines."""
    line = layers[0]
    for layer in layers[1:]:
        if len(line) + len(layer) + 4 > width:
            yield line
            line = "   "
        line += f" -> {layer}"
    yield line


def _bare(name: str) -> str:
    return name.replace("engram.", "")


def _room(name: str) -> str:
    """One package with its modules, or one module, as Markdown."""
    folder = HOUSE / name
    if not folder.is_dir():
        return f"### {name}\n\n{_line(folder.with_suffix('.py'))}\n"
    own = [path for path in modules() if path.is_relative_to(folder)]
    inside = [path for path in own if path != folder / "__init__.py"]
    about = _first(folder / "__init__.py")
    return f"### {name}/\n\n{about}\n\n" + "".join(f"{_line(path)}\n" for path in inside)


def _line(path: Path) -> str:
    """A module's link and first line; an `__init__` stands for its folder."""
    shown = path.parent if path.name == "__init__.py" else path
    top = HOUSE / path.relative_to(HOUSE).parts[0]
    name = shown.relative_to(top if top.is_dir() else HOUSE).as_posix()
    slash = "/" if shown.is_dir() else ""
    return f"- [`{name}{slash}`](../{shown.relative_to(ROOT).as_posix()}): {_first(path)}"


def _first(path: Path) -> str:
    return docstring(path).splitlines()[0]


def main() -> None:
    """Write the page."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"wrote {PAGE.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    main()
