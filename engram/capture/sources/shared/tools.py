"""A tool call of an agent -> one elided line for the transcript: `Edit app.py`, `Bash git`.

The line names the tool and the one argument that tells what it was about, never content: of a path
the base name, of a command its first word, of an address the host. At most 80 characters, cut
between words, because the redactor has still to see it.
"""

from __future__ import annotations

import re

from engram.capture.clean import base_name, readable, shortened

MAX_LINE = 80
_PATHS = ("file_path", "notebook_path", "path")
_WORDS = ("pattern", "skill", "subagent_type", "query")
#: The first word of a command; an assignment before it may hold a secret and is no word.
_COMMAND = re.compile(r"\s*(?>(?:[A-Za-z_]\w*=\S*\s+)*)([\w./\\:~-]+)(?=\s|;|$)")
_HOST = re.compile(r"[a-z]+://(?:[^/?#@\s]*@)?([\w.-]+)")


def tool_line(name: object, arguments: object) -> str:
    """The line for one call; empty when it has no name."""
    if not isinstance(name, str) or not name.strip():
        return ""
    telling = _telling(arguments) if isinstance(arguments, dict) else ""
    line = " ".join(readable(f"{name} {telling}").split())
    return line if len(line) <= MAX_LINE else shortened(line, MAX_LINE - 1) + "…"


def _telling(arguments: dict[str, object]) -> str:
    for key in _WORDS[:1] + _PATHS:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return shortened(value, MAX_LINE) if key == "pattern" else base_name(value)
    command = arguments.get("command")
    if isinstance(command, str):
        found = _COMMAND.match(command)
        return base_name(found[1]) if found else ""
    address = arguments.get("url")
    if isinstance(address, str):
        host = _HOST.match(address)
        return host[1] if host else ""
    texts = (arguments.get(key) for key in _WORDS[1:])
    return next((shortened(text, MAX_LINE) for text in texts if isinstance(text, str)), "")
