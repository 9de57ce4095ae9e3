"""What all verbs share at their edges: the common options, opening a vault, printing data.

Data goes to stdout, as JSON when asked for and else as text whose control characters are made
harmless; talk goes to stderr. Progress bars appear only on a terminal and load `rich` only then.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from engram.model.display import plain

if TYPE_CHECKING:
    from engram.vault import Vault

_Command = TypeVar("_Command", bound=Callable[..., Any])


def common(function: _Command) -> _Command:
    """The options that every verb takes after its name, too: `--vault` and `--json`."""
    function = click.option("--json", "as_json", is_flag=True, help="data as JSON")(function)
    return click.option("--vault", "vault_path", metavar="PATH", help="the vault to work on")(
        function
    )


@contextmanager
def opened(vault_path: str | None, flags: dict[str, object] | None = None) -> Iterator[Vault]:
    """The vault that the options, the environment or the working directory name."""
    from engram.vault import Vault, find_vault

    chosen = vault_path or click.get_current_context().find_root().obj["vault"]
    vault = Vault.open(find_vault(chosen, os.environ), flags=flags)
    try:
        yield vault
    finally:
        vault.close()


def wants_json(as_json: bool) -> bool:
    """Whether `--json` was given before or after the verb."""
    return as_json or bool(click.get_current_context().find_root().obj["json"])


def emit_json(data: object) -> None:
    """One JSON document and a line feed."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, default=_as_data) + "\n")


def say(text: str, *, raw: bool = False) -> None:
    """Data for a person; `raw` when its foreign parts are harmless already and it is styled."""
    sys.stdout.write((text if raw else plain(text)) + "\n")


def talk(text: str) -> None:
    """Talk about the data."""
    sys.stderr.write(plain(text) + "\n")


def plural(count: int, word: str, many: str = "") -> str:
    """`1 turn`, `2 turns`, `1,234 memories`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def styled(text: str, **style: Any) -> str:
    """ANSI style on a terminal that wants it, the plain text elsewhere (NO_COLOR, pipes)."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return click.style(text, **style)


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on stderr for work of `total` units; advance it with the number of units done."""
    if not sys.stderr.isatty() or not total:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, advance=done)


def _as_data(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(type(value).__name__)
