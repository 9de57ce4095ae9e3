"""A `.eng` file: a conversation with the command line, as text that can be played again.

    # what is shown, in a line or two
    < file notes/a.jsonl              a file that is written when the clock stands, by a person
    {"role": "user", "content": "We decided to use Postgres."}
    >

    $ engram init vault               a command (NAME=VALUE may stand before it, `< FILE` after it)
    made a vault in [TMP]/vault       what it printed
    ! next: ...                       what it said on stderr
    [exit 1]                          its exit code, when that is not 0

`play` runs a file in an empty folder, from top to bottom, and returns the text as it should be; a
file is right when it is equal to that. The folder's own path is shown as [TMP], and a digest over
it as [SHA].
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from engram.model.instant import moment_of
from engram.surfaces.cli.app import main
from tests.golden.console import CLOCK, Ran, run

HERE = Path(__file__).parent
TOKEN = "[TMP]"
_SEAL = re.compile(r"(?<=sha256 )[0-9a-f]{64}|(?<= home )[0-9a-f]{12}\b|(?<=stays \()[0-9a-f]{16}")
_COMMAND = re.compile(r"\$ (?:[A-Z_]+=\S* )*engram(?: |$)")
_FILE = "< file "


def transcripts() -> list[Path]:
    """All `.eng` files, in order."""
    return sorted(HERE.glob("*.eng"))


def play(text: str, folder: Path, start: Callable[[list[str]], object] = main) -> str:
    """Run what stands in a file; returns its text with what was printed this time.

    `start` takes the arguments of each command; it is the command line's `main`.
    """
    folder = folder.resolve()
    blocks: list[str] = []
    for kind, lines in _blocks(text):
        if kind == "file":
            _write(folder / lines[0].removeprefix(_FILE), lines[1:-1])
        elif kind == "command":
            ran = _run(lines[0][2:], folder, start)
            lines = [lines[0], *_shown(ran, folder)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """The remark, the files and the commands of a transcript; what was printed is left out."""
    rest = iter(text.splitlines())
    yield "remark", [next(rest)]
    for line in rest:
        if line.startswith(_FILE):
            body = [line]
            for inner in rest:
                body.append(inner)
                if inner == ">":
                    break
            yield "file", body
        elif _COMMAND.match(line):
            yield "command", [line]


def _write(path: Path, lines: list[str]) -> None:
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir()
            # whatever the umask is: others may look into what a person makes
            folder.chmod(0o755)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    written = moment_of(CLOCK).timestamp()
    os.utime(path, (written, written))


def _run(command: str, folder: Path, start: Callable[[list[str]], object]) -> Ran:
    words = shlex.split(command)
    environment = {}
    while words[0] != "engram":
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    stdin = b""
    if len(words) > 2 and words[-2] == "<":
        stdin = (folder / words[-1]).read_bytes()
        words = words[:-2]
    return run(words[1:], folder, environment, stdin, start)


def _shown(ran: Ran, folder: Path) -> Iterator[str]:
    for line in ran.out.splitlines():
        yield _SEAL.sub("[SHA]", line.replace(str(folder), TOKEN))
    for line in ran.err.splitlines():
        yield f"! {line.replace(str(folder), TOKEN)}".rstrip()
    if ran.code:
        yield f"[exit {ran.code}]"
