"""Every command that the program tells a person to run can be run as it stands."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from engram.surfaces.cli.app import cli
from tests.cli.shop import Shop
from tests.test_docs import parse
from tests.tree import modules

_COMMAND = re.compile(r"`(engram [^`]+)`|(?:next|with|again|good|do): (engram [^`'\"]+)$")
#: what a person fills in, and what may stand where the program fills something in
_FOR = {"COMMAND": "list", "VERB": "show"}
_HOLES = ("1", "codex", "decision", "user", "start", "--space user", "import jsonl", "confirm 1")
#: stands in a file of an agent as the mark of what engram put there, and is told to nobody
_MARKS = {"engram connect"}


def _texts(path: Path) -> Iterator[str]:
    """The texts of a module but for docstrings and patterns, `\\0` for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed: set[int] = set()
    for node in ast.walk(tree):
        is_pattern = isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
        if is_pattern or isinstance(node, ast.JoinedStr):
            passed.update(id(part) for part in ast.walk(node) if part is not node)
        elif isinstance(node, ast.Expr):
            passed.add(id(node.value))
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "\0" for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _named(text: str) -> Iterator[str]:
    for found in _COMMAND.finditer(text):
        yield (found[1] or found[2]).rstrip(" .;")


def _parses(line: str) -> bool:
    """Whether the command line takes it, whatever fits where something is filled in."""
    for hole in _HOLES if "\0" in line else [""]:
        words = [_FOR.get(word, word) for word in shlex.split(line.replace("\0", hole))[1:]]
        try:
            parse(cli, words, None)
        except click.exceptions.Exit:  # --help
            return True
        except (click.UsageError, StopIteration):
            continue
        return True
    return False


def test_each_command_that_a_message_names_is_one() -> None:
    told = {
        (path.name, line) for path in modules() for text in _texts(path) for line in _named(text)
    }
    assert len(told) > 150
    assert [(name, line) for name, line in sorted(told) if not _parses(line)] == [
        ("skill.py", line) for line in _MARKS
    ]


#: what leads to hints, and whether it changes the shop
_WRONG = (
    ["show", "x"], ["show", "decision-2026"], ["why", "x"], ["links", "x"], ["forget", "x"],
    ["restore", "x"], ["restore", "decision"], ["purge", "x", "--yes"], ["confirm", "x"],
    ["supersede", "x", "y"], ["resolve", "decision"], ["undo", "99"], ["undo", "import-9"],
    ["grep", "("], ["search", "category:decisions", "x"], ["search", "since:banana"],
    ["recall", "schema:nothing", "x"], ["import", "smoke"], ["import", "jsonl"],
    ["import", "jsonl", "nowhere"], ["import", "jsonl", "chat.jsonl", "--model", "--yes"],
    ["import", "claude-ai", "chat.jsonl"], ["trust", "empty"], ["trust", "nowhere"],
    ["init", "vault"], ["capture", "--follow", "nowhere"], ["config", "set", "x", "1"],
    ["config", "set", "recall.limit", "0"], ["--vault", "nowhere", "list"],
    ["--vault", "empty", "list"], ["entities", "show", "x"], ["traces", "show", "x"],
    ["summaries", "show", "x"], ["phases", "diff", "--project", "shop"],
    ["phases", "diff", "--space", "user"], ["promote", "decision", "--to", "user"],
    ["daemon", "status"], ["daemon", "stop"], ["daemon", "logs"], ["daemon", "pause", "smoke"],
    ["disconnect", "codex"], ["sources"], ["sources", "--watch", "smoke"], ["sources", "smoke"],
    ["embed"], ["extract"], ["review"], ["audit"], ["doctor", "--quick"], ["status"], ["serach"],
    ["list", "--frob"], ["policy", "test", "the logo is blue"], ["new", "decision", "--from", "x"],
    ["export", "claude"], ["gc"], ["consolidate", "--dry-run"], ["list", "--limit", "1"],
    ["log", "--limit", "1"], ["why", "--refused", "nothing"],
)  # fmt: skip
#: hints that are run as well: they only read
_READS = frozenset({
    "list", "log", "entities", "traces", "summaries", "status", "doctor", "sources", "why", "show",
    "links", "config", "events", "search",
})  # fmt: skip


def test_each_hint_of_a_mistake_can_be_run(shop: Shop) -> None:
    (shop.folder / "empty").mkdir()
    shop.run("consolidate")
    wrong: list[tuple[list[str], str]] = []
    ran: set[str] = set()
    for arguments in _WRONG:
        done = shop.run(*arguments)
        for line in f"{done.out}\n{done.err}".splitlines():
            for command in _named(line):
                words = [_FOR.get(word, word) for word in shlex.split(command)[1:]]
                with contextlib.suppress(click.exceptions.Exit):
                    if not _parses(command):
                        wrong.append((arguments, command))
                as_it_stands = not any(word.isupper() for word in words)
                if words[0] in _READS and as_it_stands and command not in ran:
                    ran.add(command)
                    again = shop.run(*words)
                    if again.code != 0 and "--help" not in words:
                        wrong.append((arguments, f"{command}: {again.err}"))
    assert wrong == []
    assert len(ran) >= 10, ran
