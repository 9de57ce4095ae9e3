"""Command line that starts this program: absolute paths, found without a PATH.

Turns nothing, or a path that the user gave, into the first words of a command line. An installed
`engram` beside this interpreter is preferred; without one it is `python -m engram`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NAMES = ("engram", "engram.exe")
#: on Windows: the executable that opens no window
_WINDOWLESS, _WINDOWLESS_PYTHON = "engramw.exe", "pythonw.exe"


def program_command(named: str = "", *, windowless: bool = False) -> tuple[str, ...]:
    """The words that start engram; `named` is a path that the user gave."""
    if named:
        return (os.path.abspath(named),)
    beside, python = Path(sys.executable), sys.executable
    found = [Path(os.path.abspath(sys.argv[0])), *map(beside.with_name, _NAMES)]
    known = [one for one in found if one.name in _NAMES]
    if windowless:
        known = [*(one.with_name(_WINDOWLESS) for one in known), *known]
        quiet = beside.with_name(_WINDOWLESS_PYTHON)
        python = str(quiet) if quiet.is_file() else python
    for one in known:
        if one.is_file():
            return (str(one),)
    return (python, "-m", "engram")
