"""The console script: a hook and qmd's face go the short way, all else to the command line.

An agent waits for its hooks, so they load no more than they need: neither click nor the index nor
a model's client. `ENGRAM_DISABLE=1` ends a hook before anything is loaded at all. What a running
daemon can carry out is handed to it before anything of the command line is loaded. `daemon run`
obeys signals from here on: until it takes them over it has nothing to end, and the exit code is 0.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` takes longer to import than a daemon to answer
if TYPE_CHECKING:
    from typing import NoReturn

#: what asks for help and is left to the command line
_HELP = frozenset({"-h", "--help"})


def main() -> NoReturn:
    """Run what the arguments of this process name, and end it."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and _HELP.isdisjoint(arguments):
        if os.environ.get("ENGRAM_DISABLE", "0") not in ("", "0"):
            os._exit(0)
        from engram.surfaces.hooks.process import FOR_HOSTS, serve

        if arguments[1:2] and arguments[1] in FOR_HOSTS:
            serve(arguments[1:])
    if arguments[:1] == ["qmd"]:
        from engram.surfaces.qmd.app import main as qmd

        qmd(arguments[1:])
    from engram.surfaces.remote.client import handed_over, verb_of

    if verb_of(arguments) == "daemon" and "run" in arguments:
        _end_on_signals()
    code = handed_over(arguments)
    if code is not None:
        os._exit(code)  # everything is printed, and nothing is open
    from engram.surfaces.cli.app import main as command_line

    command_line()


def _end_on_signals() -> None:
    """SIGTERM and SIGINT end the process cleanly; SIGHUP is left out, no settings are read yet."""
    import signal

    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: os._exit(0))
