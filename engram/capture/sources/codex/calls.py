"""An item of a Codex rollout that calls a tool -> its elided line.

Codex writes a command in several ways: as JSON in a string, under `cmd` or `command`, as one text
or as a list that begins with a shell; a patch is plain text that names its files.
"""

from __future__ import annotations

import json
import re

from engram.capture.sources.formats.json_lines import Object
from engram.capture.sources.shared.tools import tool_line

#: The types of items that call a tool.
CALLS = frozenset(["function_call", "custom_tool_call", "local_shell_call", "web_search_call"])
_SHELL = re.compile(r"(?:.*[/\\])?(?:ba|z|da|k|fi)?sh(?:\.exe)?|(?:.*[/\\])?(?:pwsh|powershell).*")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def call_line(item: Object) -> str:
    """The line for one call; empty when it has no name."""
    kind, name = item.get("type"), item.get("name")
    if kind in ("local_shell_call", "web_search_call"):
        action = item.get("action")
        return tool_line(str(kind).removesuffix("_call"), _plain(action))
    written = item.get("arguments") if kind == "function_call" else item.get("input")
    if not isinstance(written, str):
        return tool_line(name, _plain(written))
    if name == "apply_patch":
        found = _PATCHED.search(written.replace("\\n", "\n"))
        return tool_line(name, {"path": found[1].strip()} if found else {})
    try:
        return tool_line(name, _plain(json.loads(written)))
    except (ValueError, RecursionError):
        return tool_line(name, {})


def _plain(arguments: object) -> Object:
    """Arguments with the command, if there is one, as one text."""
    if not isinstance(arguments, dict):
        return {}
    command = arguments.get("command") or arguments.get("cmd")
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        inner = len(words) > 2 and _SHELL.fullmatch(words[0]) and words[1].startswith("-")
        command = words[-1] if inner else " ".join(words)
    return {**arguments, "command": command} if isinstance(command, str) else arguments
