"""A `.eng` file: a conversation with the command line, as text that can be played again.

    # what is shown, in a line or two
    < file notes/a.jsonl              a file that is there before the first command
    {"role": "user", "content": "We decided to use Postgres."}
    >

    $ engram init vault               a command (NAME=VALUE may stand before it, `< FILE` after it)
    made a vault in [TMP]/vault       what it printed
    ! next: ...                       what it said on stderr
    [exit 1]                          its exit code, when that is not 0

`play` runs the commands of a file in an empty folder and returns the file as it should be; a file
is right when it is equal to that. The folder's own path is shown as [TMP].
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.golden.console import Ran, run

HERE = Path(__file__).parent
TOKEN = "[TMP]"
_COMMAND = re.compile(r"\$ (?:[A-Z_]+=\S* )*engram(?: |$)")


def transcripts() -> list[Path]:
    """All `.eng` files, in order."""
    return sorted(HERE.glob("*.eng"))


def play(text: str, folder: Path) -> str:
    """Run what stands in a file; returns its text with what was printed this time."""
    folder = folder.resolve()
    head, commands = _parts(text)
    _lay_out(head, folder)
    blocks = [head.rstrip("\n")]
    for command in commands:
        blocks.append("\n".join([f"$ {command}", *_shown(_run(command, folder), folder)]))
    return "\n\n".join(blocks) + "\n"


def _parts(text: str) -> tuple[str, list[str]]:
    """What stands before the first command, and the commands."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if _COMMAND.match(line))
    return "\n".join(lines[:first]), [line[2:] for line in lines[first:] if _COMMAND.match(line)]


def _lay_out(head: str, folder: Path) -> None:
    """Write the files that the head of a transcript gives."""
    for name, body in re.findall(r"^< file (.+)\n((?:.*\n)*?)>$", head, re.MULTILINE):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")


def _run(command: str, folder: Path) -> Ran:
    words = shlex.split(command)
    environment = {}
    while words[0] != "engram":
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    stdin = b""
    if len(words) > 2 and words[-2] == "<":
        stdin = (folder / words[-1]).read_bytes()
        words = words[:-2]
    return run(words[1:], folder, environment, stdin)


def _shown(ran: Ran, folder: Path) -> Iterator[str]:
    for line in ran.out.splitlines():
        yield line.replace(str(folder), TOKEN)
    for line in ran.err.splitlines():
        yield f"! {line.replace(str(folder), TOKEN)}".rstrip()
    if ran.code:
        yield f"[exit {ran.code}]"
