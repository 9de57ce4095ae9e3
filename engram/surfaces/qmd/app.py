"""Entry point of `engram-qmd ...` and `engram qmd ...`: arguments -> one command.

What calls qmd today can call this: the same commands, options, forms of output and exit codes (0
also when nothing is found, 1 for what cannot be done, the code of an update command that failed).
Every command is imported when it is called. Guarantees: no argument makes a traceback.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from engram.surfaces.qmd.arguments import Arguments, parse
from engram.surfaces.qmd.output import Ended, say, tell

#: the version of qmd whose behaviour this is; clients choose what they send by it
LIKE = "2.8.3"
_DOCTOR = "If qmd still behaves unexpectedly, run 'qmd doctor' for diagnostics."


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The console script `engram-qmd`; also `engram qmd`, with the arguments after it."""
    _prepare_streams()
    code = run(sys.argv[1:] if argv is None else argv)
    try:
        sys.stdout.flush()
    except OSError:
        # the reader went away, or the disk is full: there is nowhere left to say so
        _drop_output()
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command line; the exit code."""
    try:
        return _dispatch(argv)
    except Ended as end:
        for line in end.lines:
            tell(line)
        return end.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        tell(f"Error: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - the outermost: whatever it is, say it and end
        from engram.surfaces.qmd.rows import BadQuery, Unusable

        if not isinstance(error, (BadQuery, Unusable)):
            tell(f"Error: a bug in engram: {type(error).__name__}: {error}")
            return 70
        tell(f"Error: {error}")
    return 1


def _dispatch(argv: Sequence[str]) -> int:
    if any("\ud800" <= sign <= "\udfff" for word in argv for sign in word):
        raise Ended(1, "Error: an argument is not UTF-8")
    asked = parse(argv)
    if asked.has("version"):
        from engram import __version__

        say(f"qmd {LIKE} (engram {__version__})")
        return 0
    if asked.has("help") or not asked.command:
        from engram.surfaces.qmd.usage import usage

        say(usage(_index(asked)))
        return 0 if asked.has("help") else 1
    if asked.command == "mcp":
        from engram.surfaces.qmd.mcp_main import main as serve

        return serve(_behind_command(argv))
    command = _command(asked.command)
    if command is None:
        raise Ended(1, f"Unknown command: {asked.command}", "Run 'qmd --help' for usage.", _DOCTOR)
    from engram.surfaces.qmd.face import Face

    return command(Face.open(os.environ, _index(asked)), asked)


def _command(name: str) -> Callable[..., int] | None:
    """The function of a command's name, imported now."""
    if name in ("search", "vsearch", "vector-search", "query", "deep-search"):
        from engram.surfaces.qmd import searching

        return searching.run
    if name in ("get", "multi-get", "ls"):
        from engram.surfaces.qmd import showing

        return {"get": showing.get, "multi-get": showing.multi_get, "ls": showing.ls}[name]
    if name == "collection":
        from engram.surfaces.qmd import collecting

        return collecting.collection
    if name == "context":
        from engram.surfaces.qmd import contexts

        return contexts.context
    if name == "update":
        from engram.surfaces.qmd import updating

        return updating.update
    if name in ("status", "cleanup", "embed", "pull", "doctor", "init"):
        from engram.surfaces.qmd import upkeep

        command: Callable[..., int] = getattr(upkeep, name)
        return command
    return None


def _index(asked: Arguments) -> str:
    return asked.text("index") or "index"


def _behind_command(argv: Sequence[str]) -> list[str]:
    """All arguments but the command itself, which is the first word `mcp`."""
    rest = list(argv)
    rest.remove("mcp")
    return rest


def _prepare_streams() -> None:
    """UTF-8 whatever the locale says; a stream that the caller has closed takes everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def _drop_output() -> None:
    """Redirect buffered output to nothing, or Python would flush again at its end."""
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except (OSError, ValueError):
        return
