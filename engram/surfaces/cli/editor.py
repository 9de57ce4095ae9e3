"""A text in the person's editor: bytes in, the bytes that were saved out.

The editor is `$VISUAL`, else `$EDITOR`: a command line, split into words and run without a shell,
with the file as its last word; on a terminal without either the first of a few that every system
has. It works on a copy, so that what is saved enters the vault as one
change that can be taken back. Raises BadInput when there is no editor, or it fails.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from engram.model.errors import BadInput


def edited(data: bytes, copy: Path, environment: Mapping[str, str]) -> bytes:
    """What the person made of `data`; `copy` is where the editor finds it."""
    words = _command(environment)
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy.write_bytes(data)
    try:
        code = subprocess.call([*words, str(copy)])
    except (OSError, ValueError) as error:
        raise BadInput(f"the editor {words[0]!r} cannot be started", _HINT) from error
    if code:
        raise BadInput(
            f"the editor {words[0]!r} failed (exit code {code}): nothing was changed", _HINT
        )
    return copy.read_bytes()


def dispose(copy: Path) -> None:
    """Remove the copy, with what an editor left beside it."""
    shutil.rmtree(copy.parent, ignore_errors=True)


#: tried in this order where none is set
_USUAL = ("sensible-editor", "vi", "nano", "notepad")
_HINT = "set VISUAL or EDITOR; or open the file yourself: hand edits are taken up as they are"


def _command(environment: Mapping[str, str]) -> list[str]:
    chosen = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        words = shlex.split(chosen, posix=os.name != "nt")
    except ValueError as error:
        raise BadInput(f"the editor {chosen!r} is no command line: {error}", _HINT) from error
    if not words:
        # without a terminal an editor would wait for ever
        found = (shutil.which(name, path=environment.get("PATH")) for name in _USUAL)
        usual = next(filter(None, found), None) if sys.stdin.isatty() else None
        if usual is None:
            raise BadInput("no editor is set, and none of the usual ones can be used here", _HINT)
        return [usual]
    return [word.strip('"') for word in words] if os.name == "nt" else words
