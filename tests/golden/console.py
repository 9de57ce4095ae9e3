"""The command line run inside this process: arguments and bytes in, both streams and a code out.

Everything that the program sees of its surroundings is given: environment, folder, standard input.
An error that is none of the program's own is not caught, so it fails the test with its traceback.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from engram.surfaces.cli.app import main

CLOCK = "2026-03-06T12:00:00Z"


@dataclass(frozen=True, slots=True)
class Ran:
    """What one command printed, and its exit code."""

    code: int
    out: str
    err: str


class Pipe(io.TextIOWrapper):
    """A text stream over bytes in memory that says what it was given."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", write_through=True)

    def text(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode("utf-8")


def prompt_context(folder: Path) -> dict[str, str]:
    """An environment in which all files of the person lie below `folder` and the clock stands."""
    return {
        "COLUMNS": "100", "ENGRAM_CLOCK": CLOCK, "ENGRAM_HOME": str(folder / "home"),
        "HOME": str(folder), "PATH": os.environ.get("PATH", ""), "TERM": "dumb", "TZ": "UTC",
    }  # fmt: skip


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None,
    stdin: bytes = b"", start: Callable[[list[str]], object] = main,
) -> Ran:  # fmt: skip
    """Run `engram ARGUMENTS` in `folder`; `environment` is laid over its `prompt_context`."""
    out, err = Pipe(), Pipe()
    seen = prompt_context(folder) | dict(environment or {})
    with (
        mock.patch.dict(os.environ, seen, clear=True),
        mock.patch.object(sys, "stdin", Pipe(stdin)),
        mock.patch.object(sys, "excepthook", sys.excepthook),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = _code(list(arguments), start)
    return Ran(code, out.text(), err.text())


def _code(arguments: list[str], start: Callable[[list[str]], object]) -> int:
    """What `start` returns, or ends the program with."""
    try:
        code = start(arguments)
    except SystemExit as end:
        code = end.code
    return code if isinstance(code, int) else 0
